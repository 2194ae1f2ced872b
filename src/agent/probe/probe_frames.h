// Whether a method of runtime async is still on its thread's stack. The JIT suspends it inside an await by an early return, in
// which no code of the method runs, so nothing tells the probes. Whoever is called next on the thread looks for its frame: in
// the chain of frame pointers from the caller up (agent/arch/arch.h).
//
// The address of a frame alone proves nothing, since another method may have its frame there later. So the code that goes on in
// that frame has to be the method's: the chain gives the address to which its callee returns. To stop a thread for a collection the
// runtime may have put an address of its own in that place, for one frame of the thread at a time (return address hijacking,
// vm/threadsuspend.cpp). Then the address to which the method itself returns has to be the same as before.
#ifndef CLEW_AGENT_PROBE_FRAMES_H
#define CLEW_AGENT_PROBE_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "ring/ring.h"

#pragma GCC visibility push(hidden)

// A frame, and an address in the code that goes on in it.
struct frame {
    uintptr_t at, code;
};

// Native code of a method. No bytes: none.
struct frame_code {
    uintptr_t start, size;
};

// Makes the private tables. Called once, before any probe runs. False: no memory; then no frame is known.
bool frames_setup(void);

// Notes the native code of the runtime itself. Once, before any probe runs.
void frames_set_runtime(struct frame_code code);
// Notes native code of a method, by its number without marks. Before it runs; several threads may call it at once. Code that the
// runtime frees stays noted: it frees code of a method only with its module, which then has no activations.
void frames_add_code(uint32_t method, uintptr_t start, uintptr_t size);

// The frame of the method that calls a probe, from the probe's caller up: a stub may lie between. Zeroes: not found.
struct frame frames_of(uint32_t method, struct frame from);
// The frame of what has called the code that goes on in a frame.
struct frame frames_caller(struct frame frame);
// The native code of the method that has the address.
struct frame_code frames_code_of(uint32_t method, uintptr_t address);
// Whether the frame of the method that came to an await is among the frames from `from` up.
bool frames_has(uint32_t method, const struct ring_await *await, struct frame from);

#pragma GCC visibility pop

// Not for the sanitizers: the words lie in frames of code that they have not compiled.
__attribute__((no_sanitize("address", "thread"))) static inline uintptr_t frames_word_at(uintptr_t address)
{
    return *(const volatile uintptr_t *)address;
}

// The address to which the code returns that has the frame at this address.
static inline uintptr_t frames_return_of(uintptr_t frame)
{
    return frames_word_at(frame + sizeof frame);
}

static inline bool frames_is_in(struct frame_code code, uintptr_t address)
{
    return address - code.start < code.size;
}

#endif
