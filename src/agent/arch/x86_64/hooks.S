# The enter, leave and tail call hooks that the JIT calls directly. They have calling conventions of their own (CoreCLR's JIT:
# genProfilingEnterCallback and genProfilingLeaveCallback; sets of killed registers in targetamd64.h):
#
#   enter:     r14 = the method's number (the result of the mapper), r15 = the caller's stack pointer.
#              Preserves the callee-saved registers, rdi rsi rdx rcx r8 r9 and xmm0-7; may change rax r10 r11.
#   leave:     rdi = the method's number, rsi = the caller's stack pointer.
#              Preserves the callee-saved registers, rax rdx and xmm0 xmm1; may change the others.
#   tailcall:  as leave, but the arguments of the coming call are live: preserves the registers of enter, too.
#
# The stack is 16-byte aligned before the call, so rsp is 8 modulo 16 here. The C functions are compiled without vector
# registers, so these need not be saved. hook_enter_target and hook_leave_target hold the addresses of the session's probes.
#
# Each hook saves an odd number of registers, which aligns the stack again, calls the probe, and restores the registers.

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

    .macro pass_rdi_rsi # already in place
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

# enter saves rax although it may change it: it may hold the count of vector arguments. leave saves rcx to make the number odd.
    hook clew_hook_enter, hook_enter_target, pass_r14_r15, rax, rdi, rsi, rdx, rcx, r8, r9
    hook clew_hook_leave, hook_leave_target, pass_rdi_rsi, rax, rdx, rcx
    hook clew_hook_tailcall, hook_leave_target, pass_rdi_rsi, rax, rdi, rsi, rdx, rcx, r8, r9, r10, r11

    .section .note.GNU-stack,"",@progbits
