// What the agent needs of the processor and the system call interface. CMake chooses the folder beside this file
// (CLEW_ARCHITECTURE). Each folder has hooks.S, old_glibc.[ch], and a header arch_NAME.h that defines:
//
//     void arch_copy(void *into, const void *from, uint64_t bytes);
//         Copies bytes that do not overlap, without vector registers and without a call of memcpy.
//     long arch_system_call(long number, long first, long second, long third, long fourth);
//         Returns what the kernel returns; leaves errno alone, which is the program's.
//     uintptr_t arch_frame(void);
//         The frame pointer: of the managed code that calls a probe, since probes leave the register alone, or of the probe in
//         a build whose functions all have frames. At that address lie the frame pointer of the caller and behind it the
//         address to which the function returns; the JIT gives each method with a call such a frame.
//
// The processor's counter is in base/clock.h: the collector reads it too.
#ifndef CLEW_AGENT_ARCH_H
#define CLEW_AGENT_ARCH_H

#include <stdint.h>

#ifndef CLEW_ARCH_HEADER // by the build; tools that compile one header alone do not define it
#define CLEW_ARCH_HEADER "agent/arch/x86_64/arch_x86_64.h"
#endif
#include CLEW_ARCH_HEADER

#pragma GCC visibility push(hidden)

// In hooks.S: the functions that the JIT calls at entry, exit and tail call of a hooked method. They save the registers
// that the JIT expects back and call the session's probes through the two targets, which are set before the hooks are.
void clew_hook_enter(void);
void clew_hook_leave(void);
void clew_hook_tailcall(void);
extern void (*hook_enter_target)(uint32_t method, uintptr_t caller_stack);
extern void (*hook_leave_target)(uint32_t method, uintptr_t caller_stack);

#pragma GCC visibility pop

#endif
