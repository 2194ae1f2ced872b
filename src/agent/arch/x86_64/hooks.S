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
#
# Every hook is: save registers, an odd number of them, so that the stack is aligned again; call; restore them.

    .hidden hook_enter_target, hook_leave_target
    .globl hook_enter_target, hook_leave_target
    .bss
    .p2align 3
hook_enter_target:
    .zero 8
hook_leave_target:
    .zero 8

    .text

    .macro save register, others:vararg
    push %\register
    .cfi_adjust_cfa_offset 8
    .ifnb \others
    save \others
    .endif
    .endm

    .macro restore register, others:vararg # in the order of save
    .ifnb \others
    restore \others
    .endif
    pop %\register
    .cfi_adjust_cfa_offset -8
    .endm

    .macro pass_r14_r15
    mov %r14d, %edi
    mov %r15, %rsi
    .endm

    .macro pass_rdi_rsi # they are there
    .endm

    .macro hook name, target, pass, registers:vararg
    .globl \name
    .hidden \name
    .type \name, @function
    .p2align 4
\name:
    .cfi_startproc
    save \registers
    \pass
    call *\target(%rip)
    restore \registers
    ret
    .cfi_endproc
    .size \name, . - \name
    .endm

# rax: enter need not keep it, but the count of vector arguments may be there. rcx of leave: to make the number odd.
    hook clew_hook_enter, hook_enter_target, pass_r14_r15, rax, rdi, rsi, rdx, rcx, r8, r9
    hook clew_hook_leave, hook_leave_target, pass_rdi_rsi, rax, rdx, rcx
    hook clew_hook_tailcall, hook_leave_target, pass_rdi_rsi, rax, rdi, rsi, rdx, rcx, r8, r9, r10, r11

    .section .note.GNU-stack,"",@progbits
