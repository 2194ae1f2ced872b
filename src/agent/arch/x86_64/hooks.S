# The fast-path hooks that the JIT calls directly. Not the C calling convention (clrjit: genProfilingEnterCallback,
# genProfilingLeaveCallback; kill sets in targetamd64.h):
#
#   enter:     r14 = what the mapper returned (the method's number), r15 = the caller's stack pointer.
#              Keeps: callee-saved, rdi rsi rdx rcx r8 r9, xmm0-7. May lose: rax r10 r11.
#   leave:     rdi = method's number, rsi = the caller's stack pointer.
#              Keeps: callee-saved, rax rdx, xmm0 xmm1. May lose the rest.
#   tailcall:  as leave, but the arguments of the call to come are live: keeps what enter keeps, too.
#
# The stack is 16-byte aligned before the call, so rsp is 8 modulo 16 here. The C side is compiled without vector
# registers, so none needs to be saved. hook_enter_target and hook_leave_target hold the session's functions.

    .text
    .globl clew_hook_enter, clew_hook_leave, clew_hook_tailcall
    .hidden clew_hook_enter, clew_hook_leave, clew_hook_tailcall
    .hidden hook_enter_target, hook_leave_target

    .type clew_hook_enter, @function
    .p2align 4
clew_hook_enter:
    .cfi_startproc
    push %rax                   # enter need not keep rax, but the count of vector arguments may be there
    .cfi_adjust_cfa_offset 8
    push %rdi
    .cfi_adjust_cfa_offset 8
    push %rsi
    .cfi_adjust_cfa_offset 8
    push %rdx
    .cfi_adjust_cfa_offset 8
    push %rcx
    .cfi_adjust_cfa_offset 8
    push %r8
    .cfi_adjust_cfa_offset 8
    push %r9                    # seven pushes and the return address: aligned again
    .cfi_adjust_cfa_offset 8
    mov %r14d, %edi
    mov %r15, %rsi
    call *hook_enter_target(%rip)
    pop %r9
    .cfi_adjust_cfa_offset -8
    pop %r8
    .cfi_adjust_cfa_offset -8
    pop %rcx
    .cfi_adjust_cfa_offset -8
    pop %rdx
    .cfi_adjust_cfa_offset -8
    pop %rsi
    .cfi_adjust_cfa_offset -8
    pop %rdi
    .cfi_adjust_cfa_offset -8
    pop %rax
    .cfi_adjust_cfa_offset -8
    ret
    .cfi_endproc
    .size clew_hook_enter, . - clew_hook_enter

    .type clew_hook_leave, @function
    .p2align 4
clew_hook_leave:
    .cfi_startproc
    push %rax
    .cfi_adjust_cfa_offset 8
    push %rdx
    .cfi_adjust_cfa_offset 8
    sub $8, %rsp
    .cfi_adjust_cfa_offset 8
    call *hook_leave_target(%rip)
    add $8, %rsp
    .cfi_adjust_cfa_offset -8
    pop %rdx
    .cfi_adjust_cfa_offset -8
    pop %rax
    .cfi_adjust_cfa_offset -8
    ret
    .cfi_endproc
    .size clew_hook_leave, . - clew_hook_leave

    .type clew_hook_tailcall, @function
    .p2align 4
clew_hook_tailcall:
    .cfi_startproc
    push %rax
    .cfi_adjust_cfa_offset 8
    push %rdi
    .cfi_adjust_cfa_offset 8
    push %rsi
    .cfi_adjust_cfa_offset 8
    push %rdx
    .cfi_adjust_cfa_offset 8
    push %rcx
    .cfi_adjust_cfa_offset 8
    push %r8
    .cfi_adjust_cfa_offset 8
    push %r9
    .cfi_adjust_cfa_offset 8
    push %r10
    .cfi_adjust_cfa_offset 8
    push %r11                   # nine pushes and the return address: aligned again
    .cfi_adjust_cfa_offset 8
    call *hook_leave_target(%rip)
    pop %r11
    .cfi_adjust_cfa_offset -8
    pop %r10
    .cfi_adjust_cfa_offset -8
    pop %r9
    .cfi_adjust_cfa_offset -8
    pop %r8
    .cfi_adjust_cfa_offset -8
    pop %rcx
    .cfi_adjust_cfa_offset -8
    pop %rdx
    .cfi_adjust_cfa_offset -8
    pop %rsi
    .cfi_adjust_cfa_offset -8
    pop %rdi
    .cfi_adjust_cfa_offset -8
    pop %rax
    .cfi_adjust_cfa_offset -8
    ret
    .cfi_endproc
    .size clew_hook_tailcall, . - clew_hook_tailcall

    .section .note.GNU-stack,"",@progbits
