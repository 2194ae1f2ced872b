// The interface between woven code and the agent: the native functions that probes call, the signatures that they are called
// by, and the memory that woven code uses itself.
#ifndef CLEW_WEAVE_PROBES_H
#define CLEW_WEAVE_PROBES_H

#include <stdint.h>

// Addresses of the native functions that probes call. All but `wait` are called without GC transition, so that they may
// neither block nor take long: a thread in one of them holds up every garbage collection.
struct weave_targets {
    uintptr_t enter;      // bool (int32 method): whether to call `wait` right after
    uintptr_t leave;      // bool (int32 method): the same
    uintptr_t wait;       // void (): may block; 0: nothing ever waits, and probes do not ask
    uintptr_t enter_keep; // native int (int32 method): the activation
    uintptr_t restate;    // void (native int activation)
    uintptr_t arrive;     // void (int32 method): before the entry of a method that ends in a call to itself
    uintptr_t depart;     // bool (int32 method): before that call
    uintptr_t finish;     // bool (int32 method): at the other exits of such a method, instead of leave
    uintptr_t count;      // void (int32 method): the only probe of a method whose calls are counted
    // For async bodies (agent/probe/probe_runs.h) instead of enter_keep and leave.
    uintptr_t run_begin;    // native int run (int32 method, int32 state, int32 shape)
    uintptr_t run_end;      // bool (native int run)
    uintptr_t run_wait;     // int32 state to store (int32 state, native int run, int32 shape)
    uintptr_t run_complete; // void (int32 shape, native int run)
    // For methods of runtime async (agent/probe/probe_awaits.h) instead of enter_keep, restate and leave. A mark is a by-ref: it is
    // null behind an await in which the method was suspended.
    uintptr_t await_enter;   // native int run (int32 method)
    uintptr_t await_begin;   // native int mark (int32 await, native int run)
    uintptr_t await_end;     // native int run (int32 method, native int run, native int mark)
    uintptr_t await_handler; // the same
    uintptr_t await_leave;   // bool (native int run)
    // The rest is for methods with sites (weave/weave.h). A context is an address that belongs to a thread for as
    // long as that lives. The owner of a site function is 0, the address of an `object`, or a raw address, as the definition
    // of the site says; so are index and value.
    uintptr_t enter_context; // native int context (int32 method, native int): as enter, and makes room for events. The
                             // second argument: where to store the activation as a native int, or 0
    uintptr_t run_context;   // native int context (int32 method): after run_begin, for its run
    uintptr_t room;          // bool (native int context): makes room; true: call wait
    uintptr_t check;         // void (native int context): makes room where there is too little
    // void (native int context): the thread's newest activation is not this method's any more: what has called may have been
    // suspended below it. Where values lie on the stack it is called without asking whether it is.
    uintptr_t settle;
    // void (native int context): if the tick word has changed, the events that follow get the time of now. For events behind a
    // call, which may have waited for other threads. It is called only if the word has changed.
    uintptr_t moment;
    uintptr_t site_bits;   // void (native int context, int32 site, native int owner, int32 index, native int bits)
    uintptr_t site_at;     // the same, but the last argument is the address of the value
    uintptr_t site_typed;  // the same, but the address of a TypedReference to the value; then int32 size, of the value
    uintptr_t site_sized;  // as site_typed, but the address of the struct; the type of the site names its class
    uintptr_t site_behind; // as site_sized, or site_at where the site has a STRUCT, but the address of that address
    // void (native int array, native int position, int32 dimension, int32 index): the position of an item of an array,
    // dimension by dimension. `array` is the address of an `object`, `position` that of an int32: unoptimised code takes
    // a stack slot for the result of each call.
    uintptr_t item_index;
    uintptr_t newest_index; // the same of a collection's newest item; the int32s: where its count is in it, and 0
    uintptr_t site_key;     // as site_at, but it stores the number of the object that is a key at the last argument
    uintptr_t
        enter_lines;     // native int lines (int32 method, native int): the counters of the method in this thread; the
                         // second argument: where to store the address of the thread's struct weave_lines, or 0
    uintptr_t lines_now; // void (native int): stores the time now; 0: the time is in the tick word
    uintptr_t tick;      // not called: the address of the tick word
    uint32_t at;         // offsets in a context of two addresses: of the next cell,
    uint32_t limit;      // and of the end of the room that may be used without asking;
    uint32_t current;    // of an int32, the activation that runs on the thread;
    uint32_t context_tick; // and of the tick word when `moment` last did something
};

// StandAloneSig tokens for `calli`, in the module of the method.
struct weave_signatures {
    uint32_t number; // void (int32)
    uint32_t query;  // bool (int32)
    uint32_t
        wait; // void (bool), with GC transition; the bool makes the JIT call through a stub (agent/rewrite/emitting.c)
    uint32_t address;    // native int (int32): enter_keep, run_context, await_enter
    uint32_t run;        // native int (int32, int32, int32)
    uint32_t state;      // int32 (int32, native int, int32)
    uint32_t completion; // void (int32, native int)
    uint32_t activation; // void (native int): restate, check, lines_now
    uint32_t begin;      // native int (int32, native int): enter_context, enter_lines, await_begin
    uint32_t resumption; // native int (int32, native int, native int): await_end, await_handler
    uint32_t room;       // bool (native int): room, run_end, await_leave
    uint32_t site;       // void (native int, int32, native int, int32, native int)
    uint32_t typed;      // the same and an int32: site_typed, site_sized, site_behind
    uint32_t item;       // void (native int, native int, int32, int32)
};

// X(constant, field of struct weave_targets, field of struct weave_signatures, arguments, results)
#define WEAVE_PROBES(X)                               \
    X(ENTER, enter, query, 1, 1)                      \
    X(LEAVE, leave, query, 1, 1)                      \
    X(ENTER_KEEP, enter_keep, address, 1, 1)          \
    X(RESTATE, restate, activation, 1, 0)             \
    X(ARRIVE, arrive, number, 1, 0)                   \
    X(DEPART, depart, query, 1, 1)                    \
    X(FINISH, finish, query, 1, 1)                    \
    X(COUNT, count, number, 1, 0)                     \
    X(RUN_BEGIN, run_begin, run, 3, 1)                \
    X(RUN_END, run_end, room, 1, 1)                   \
    X(RUN_WAIT, run_wait, state, 3, 1)                \
    X(RUN_COMPLETE, run_complete, completion, 2, 0)   \
    X(AWAIT_ENTER, await_enter, address, 1, 1)        \
    X(AWAIT_BEGIN, await_begin, begin, 2, 1)          \
    X(AWAIT_END, await_end, resumption, 3, 1)         \
    X(AWAIT_HANDLER, await_handler, resumption, 3, 1) \
    X(AWAIT_LEAVE, await_leave, room, 1, 1)           \
    X(ENTER_CONTEXT, enter_context, begin, 2, 1)      \
    X(RUN_CONTEXT, run_context, address, 1, 1)        \
    X(ROOM, room, room, 1, 1)                         \
    X(CHECK, check, activation, 1, 0)                 \
    X(SETTLE, settle, activation, 1, 0)               \
    X(MOMENT, moment, activation, 1, 0)               \
    X(SITE_BITS, site_bits, site, 5, 0)               \
    X(SITE_AT, site_at, site, 5, 0)                   \
    X(SITE_TYPED, site_typed, typed, 6, 0)            \
    X(SITE_SIZED, site_sized, typed, 6, 0)            \
    X(SITE_BEHIND, site_behind, typed, 6, 0)          \
    X(ITEM_INDEX, item_index, item, 4, 0)             \
    X(NEWEST_INDEX, newest_index, item, 4, 0)         \
    X(SITE_KEY, site_key, site, 5, 0)                 \
    X(ENTER_LINES, enter_lines, begin, 2, 1)

enum weave_probe {
#define X(constant, ...) PROBE_##constant,
    WEAVE_PROBES(X)
#undef X
};

// Counters of `lines` for one thread, in memory that the agent provides. Times are in the unit of the tick word.
struct weave_line {
    uint64_t count; // statements run
    uint64_t own;   // time from a statement to the next one of the thread, or to the end of its activation
};
struct weave_lines {
    struct weave_line *current; // the line that runs now; outside of all methods a line that is never read, not NULL
    uint64_t last;              // when own time was last added
};

#endif
