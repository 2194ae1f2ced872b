// The probes of `tree` and `calls`: entry and exit of a method, and the handlers that its activation comes back to life in.
#ifndef CLEW_WEAVE_CALLS_H
#define CLEW_WEAVE_CALLS_H

#include "il/body.h"

// What probes call, by address: unmanaged functions, all but `wait` without GC transition.
struct weave_targets {
    uintptr_t enter;      // bool (int32 method): whether to call `wait` right after
    uintptr_t leave;      // bool (int32 method): the same
    uintptr_t wait;       // void (): may block; 0 where nothing ever waits, and then no probe asks
    uintptr_t enter_keep; // native int (int32 method): the activation
    uintptr_t restate;    // void (native int activation)
    uintptr_t arrive;     // void (int32 method): after the entry of a method that calls itself last
    uintptr_t depart;     // bool (int32 method): before it does so, instead of leave
    // Methods with sites (weave/weave_sites.h) only. A context is an address that stays a thread's for good; a site function
    // takes owner 0, the address of an `object`, or a raw address, as its site's definition says; so for index and value.
    uintptr_t enter_context; // native int context (int32 method, native int): as enter, and makes room for events. The
                             // second one: where to store the activation as a native int, 0 for nowhere
    uintptr_t room;          // bool (native int context): makes room; true: call wait
    uintptr_t check;         // void (native int context): makes room where there is too little
    uintptr_t site_bits;     // void (native int context, int32 site, native int owner, int32 index, native int bits)
    uintptr_t site_at;       // the same, but the last one is the value's address
    uintptr_t site_typed; // the same, but the address is that of a TypedReference; and int32 size, of what is behind it
    uintptr_t site_sized; // as site_typed, but the address is the struct's; the site's type says what class it is of
    uintptr_t
        site_behind;      // as site_sized, or site_at where the site has a STRUCT, but it is the address of its address
    uintptr_t item_index; // int32 (native int array, int32 so_far, int32 dimension, int32 index): the position of an
                          // array's item, dimension by dimension; `array` is the address of an `object`
    uintptr_t enter_lines; // native int lines (int32 method, native int): the calling thread's counters of the method;
                           // the second one: where to store the address of its struct weave_lines, 0 for nowhere
    uintptr_t lines_now;   // native int (int32, not looked at): the time now; 0: it is the tick word's
    uintptr_t tick;        // not called: the address of the tick word
    uint32_t at;           // offsets in a context of two addresses: where the next cell goes,
    uint32_t limit;        // and from where on it must ask for room
};

// StandAloneSig tokens of the module for `calli`.
struct weave_signatures {
    uint32_t number;     // void (int32)
    uint32_t question;   // bool (int32)
    uint32_t wait;       // void (bool), with GC transition; the argument is for the JIT alone
    uint32_t keep;       // native int (int32)
    uint32_t activation; // void (native int): restate, check
    uint32_t begin;      // native int (int32, native int): enter_context, enter_lines
    uint32_t room;       // bool (native int)
    uint32_t site;       // void (native int, int32, native int, int32, native int)
    uint32_t typed;      // the same with an int32 more: site_typed, site_sized, site_behind
    uint32_t item;       // int32 (native int, int32, int32, int32)
};

struct weave_calls {
    const struct weave_targets *targets;
    const struct weave_signatures *signatures;
    uint32_t method; // clew's number
    uint32_t token;  // the method's own MethodDef: a `call` to itself right before `ret` may be a tail call
    uint32_t local;  // the appended native int local; only where weave_needs_local()
};

// Whether the activation must be kept in a local: where the method has handlers, in which it is re-stated. Anywhere else
// an exception that passes a callee passes this method too, so the active node is right when it returns.
bool weave_needs_local(const struct il_body *body);

// Adds the probes. On an error the body is no longer usable.
enum clew_error weave_calls(struct il_body *body, const struct weave_calls *what);

// A local signature like `original` (empty: none) with more locals behind, whose types are given one after the other;
// *index is the first one's number.
enum clew_error weave_append_locals(struct bytes original, struct bytes types, uint32_t count, struct buffer *out,
                                    uint32_t *index);

#endif
