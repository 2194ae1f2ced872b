// See agent/arch/arch.h. Inline assembly, since the compiler may turn loops into calls of memcpy, and libc's functions
// may use vector registers, which are live where probes run.
#ifndef CLEW_AGENT_ARCH_X86_64_H
#define CLEW_AGENT_ARCH_X86_64_H

#include <stdint.h>

static inline void arch_copy(void *into, const void *from, uint64_t bytes)
{
    __asm__ volatile("rep movsb" : "+D"(into), "+S"(from), "+c"(bytes) : : "memory");
}

static inline long arch_system_call(long number, long first, long second, long third, long fourth)
{
    register long fourth_register __asm__("r10") = fourth; // the kernel takes it there, since `syscall` destroys rcx
    __asm__ volatile("syscall"
                     : "+a"(number)
                     : "D"(first), "S"(second), "d"(third), "r"(fourth_register)
                     : "rcx", "r11", "memory");
    return number;
}

static inline __attribute__((always_inline)) uintptr_t arch_frame(void)
{
    uintptr_t frame;
    __asm__("mov %%rbp, %0" : "=r"(frame)); // not volatile: read where it is needed
    return frame;
}

#endif
