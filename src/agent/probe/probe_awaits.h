// The probes of methods of runtime async, whose body is plain code that the JIT suspends inside an await (probe_frames.h). Such a
// method is its own async body: a first run is the call, and one more begins behind each await in which it was suspended, on
// any thread.
//
// Woven code holds the run in a local, which survives the suspension: the node of the run and the slot of its activation's
// record. So the thread on which the activation goes on needs nothing from the one that it has left. A second local, the mark,
// is null behind an await in which the method was suspended, as a by-ref local does not survive that.
//
// While a run is in an await, the current node of its thread is a node with METHOD_AWAITING below the run's. It has no children,
// so entries find out there, beside the common path, whether the frame of the awaiting method has called them (awaits_called()) or
// is there at all: if it has gone, the run has ended. Any other event of the thread shows the same: an awaiting method itself has
// none before the await is over.
//
// Defined once for each set of probes, like those of probe_calls.c; callers reach them through struct probe_set.
#ifndef CLEW_AGENT_PROBE_AWAITS_H
#define CLEW_AGENT_PROBE_AWAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/arch/arch.h"
#include "agent/probe/probe_clock.h"
#include "agent/probe/probe_frames.h"
#include "agent/probe/probe_thread.h"
#include "agent/probe/probe_unwind.h"

#pragma GCC visibility push(hidden)

// See struct probe_set for what each does.
#define X(name, clock, stream)                                                      \
    uintptr_t await_enter_##name(uint32_t method);                                  \
    uintptr_t await_begin_##name(uint32_t await, uintptr_t run);                    \
    uintptr_t await_end_##name(uint32_t method, uintptr_t run, uintptr_t mark);     \
    uintptr_t await_handler_##name(uint32_t method, uintptr_t run, uintptr_t mark); \
    bool await_leave_##name(uintptr_t run);                                         \
    void settle_##name(uintptr_t context);
PROBE_SETS(X)
#undef X

// In a probe itself: the frame of what calls it.
#define PROBE_FROM ((struct frame){arch_frame(), (uintptr_t)__builtin_return_address(0)})

static inline bool awaits_is_current(const struct ring_thread *thread)
{
    return node_at(thread->current)->method == METHOD_AWAITING;
}

// How the session's probes measure and write; once, before any of them runs.
void awaits_setup(struct probe_way way);
// Ends the runs that the calling thread has left in their awaits: an event comes without a probe, or none will come.
void awaits_settle_slow(struct ring_thread *thread);
static inline void awaits_settle(struct ring_thread *context)
{
    if (__builtin_expect(awaits_is_current(context), 0)) {
        awaits_settle_slow(context);
    }
}
// Ends the run whose await is the thread's current node: its method was suspended there.
void awaits_suspended(struct ring_thread *thread, uint64_t now, struct probe_way way);
// The node of a method, which is entered by the code that goes on in a frame, below the current node: awaits on top end whose
// frames are gone. 0: the cap is reached.
uint32_t awaits_callee(struct ring_thread *thread, uint32_t method, struct frame from, uint64_t now,
                       struct probe_way way);
// The run of an activation that goes on in a handler of `method` on this thread, since what it awaited has just failed here; 0:
// there is none.
uint32_t awaits_resume_failed(uint32_t method);
// After that: activations that await the one which has failed, and that the runtime does not run again, have failed with it.
void awaits_fail_awaiters(struct ring_thread *thread, uint64_t now, struct probe_way way);
// Ends the run of `node`, the current one: an exception has left its method, or its end was not seen. Its node is the caller's.
void awaits_run_ended(uint32_t node, bool thrown, uint64_t now, struct probe_way way);

#pragma GCC visibility pop

static inline struct frame_code awaits_code(const struct ring_await *await)
{
    return (struct frame_code){await->code, await->code_size};
}

// Whether the code of the method whose await is in the node `place` has called `method`, without marks, whose entry has called the
// probe by what goes on in a frame. If it has not, its frame may be there nevertheless, further up.
static inline bool awaits_called(uint32_t place, uint32_t method, struct frame from)
{
    const struct ring_await *await = await_at(place);
    struct frame_code code = awaits_code(await);
    // Below the frame lies the thread's stack, which can be read. Where a stub has called the probe, its caller is the method that is
    // entered: of the awaiting method itself, that is another frame.
    return from.at && from.at < await->frame && frames_word_at(from.at) == await->frame &&
           frames_is_in(code, frames_return_of(from.at)) && (method != await->method || frames_is_in(code, from.code));
}

#endif
