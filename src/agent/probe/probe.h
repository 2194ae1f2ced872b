// The probes: the native functions that woven code and hooks call at entry and exit of every recorded method, and those
// that the exception callbacks call. There is one set for each clock, with and without a stream; a session uses one
// set.
//
// All run on the program's own threads. Entry, exit and handler probes run in cooperative mode in the middle of managed
// code: they may not allocate, lock, call the runtime or use vector registers. They never fail; without room they count
// losses.
#ifndef CLEW_AGENT_PROBE_H
#define CLEW_AGENT_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

struct probe_set {
    // These return whether the thread should call `wait` soon. Without a stream they return false.
    bool (*enter)(uint32_t method);
    bool (*leave)(uint32_t method);
    void (*wait)(void);                       // waits for room; called with GC transition; NULL without a stream
    uintptr_t (*enter_keep)(uint32_t method); // as enter; returns the activation's node, for restate()
    void (*restate)(uintptr_t node);          // a handler of this activation begins: everything above it has ended
    // For a method whose last act is a call of itself: arrive runs right before enter, depart right before the call, and
    // finish in place of leave at the other exits. The activation ends when the called one does.
    void (*arrive)(uint32_t method);
    bool (*depart)(uint32_t method);
    bool (*finish)(uint32_t method);
    // Counts a call of a method that has no activations (`--tiny count`). Not with a stream.
    void (*count)(uint32_t method);
    // For a method with sites, instead of enter: returns the context for its events (struct ring_thread), and stores
    // the activation's node if `node` is not NULL. NULL without a stream.
    uintptr_t (*enter_context)(uint32_t method, uintptr_t *node);
    // For the body of an async method or iterator instead of enter and leave (probe_runs.c). `state` is its state field,
    // `shape` as in weave/operations/run_shape.h. run_begin returns the run, which the others take.
    uintptr_t (*run_begin)(uint32_t method, int32_t state, uint32_t shape);
    // For one with sites, right after run_begin: the context for the events of this run, on the thread where it goes on. NULL
    // without a stream.
    uintptr_t (*run_context)(uint32_t method);
    bool (*run_end)(uintptr_t run);
    // Right before the body stores a state in which it will wait: returns the value to store instead.
    int32_t (*run_wait)(int32_t state, uintptr_t run, uint32_t shape);
    // Right before the task is completed.
    void (*run_complete)(uint32_t shape, uintptr_t run);
    // For a method of runtime async with awaits, instead of enter, restate and leave (probe_awaits.h). A mark is null if the
    // method was suspended in its newest await.
    uintptr_t (*await_enter)(uint32_t method);
    // In front of an await; returns the mark, which is not null.
    uintptr_t (*await_begin)(uint32_t await, uintptr_t run);
    // Behind an await, and at the start of a handler: they return the run that goes on.
    uintptr_t (*await_end)(uint32_t method, uintptr_t run, uintptr_t mark);
    uintptr_t (*await_handler)(uint32_t method, uintptr_t run, uintptr_t mark);
    bool (*await_leave)(uintptr_t run);
    // Before events that come without a probe, where another node than the activation's own is current.
    void (*settle)(uintptr_t context);
    void (*hook_enter)(uint32_t method, uintptr_t caller_stack);
    void (*hook_leave)(uint32_t method, uintptr_t caller_stack);
    // For the exception callbacks, on the thread that unwinds.
    void (*unwind)(uint32_t node); // an exception ended this activation and all above it
    // The same on the overflow stack, from `position` up; a position beyond its top ends nothing.
    void (*unwind_overflow)(uint32_t position);
    void (*catcher)(uint32_t node); // this activation catches: everything above it has ended
    void (*filter)(uint32_t node);  // a filter of this activation begins
    void (*filter_end)(void);       // the newest filter of the thread ends
    // For the callbacks of compilations: a row METHOD_JIT, or one of those after it, begins below the method that runs. Returns
    // its node; 0: none, as where no recorded method runs. compiled() ends it, unless it has ended.
    uint32_t (*compiles)(uint32_t what);
    void (*compiled)(uint32_t node);
};

// Never NULL; the set is constant.
const struct probe_set *probe_set_for(enum clock_kind clock, bool stream);

// The node of the newest running activation of `method` on this thread; 0: none. While a filter runs, only the calls of
// the filter are searched: the activations below it cannot end.
uint32_t probe_newest(uint32_t method);
// The same among activations beyond the cap of nodes, which are above all others: a position for unwind_overflow(), or
// 0.
uint32_t probe_newest_overflow(uint32_t method);

// Called once, before any probe runs. depth_max: activations deeper than this are not written to the stream (0: no
// limit); lossy: a full stream loses events instead of waiting; hooks: the runtime's hooks call the probes.
void probe_setup(uint32_t depth_max, bool lossy, bool hooks);

#endif
