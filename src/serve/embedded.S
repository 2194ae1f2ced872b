// The built page, ui/dist/page.html, as bytes of this program. CLEW_PAGE is its path.
    .section .rodata
    .globl clew_page_begin
    .hidden clew_page_begin
    .globl clew_page_end
    .hidden clew_page_end
clew_page_begin:
    .incbin CLEW_PAGE
clew_page_end:
    .byte 0
    .section .note.GNU-stack,"",%progbits
