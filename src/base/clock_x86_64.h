// The counter of an x86-64 processor, for base/clock.h.
#ifndef CLEW_BASE_CLOCK_X86_64_H
#define CLEW_BASE_CLOCK_X86_64_H

#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>

static inline uint64_t clock_tsc(void)
{
    return __builtin_ia32_rdtsc();
}

// Whether the processor promises a counter of constant rate that never stops: CPUID leaf 80000007h, EDX bit 8.
static inline bool clock_tsc_promised(void)
{
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid(0x80000007u, &eax, &ebx, &ecx, &edx) && (edx & 1u << 8);
}

#endif
