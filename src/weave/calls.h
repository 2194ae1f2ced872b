// The probes of `tree` and `calls`: entry and exit of a method, and the handlers that its activation comes back to life in.
#ifndef CLEW_WEAVE_CALLS_H
#define CLEW_WEAVE_CALLS_H

#include "il/body.h"

// What probes call, by address: unmanaged functions, all but `wait` without GC transition.
struct weave_targets {
    uintptr_t enter;      // bool (int32 method): whether to call `wait` right after
    uintptr_t leave;      // bool (int32 method): the same
    uintptr_t wait;       // void (): may block; 0 where nothing ever waits, and nothing is asked then
    uintptr_t enter_keep; // native int (int32 method): the activation
    uintptr_t restate;    // void (native int activation)
};

// StandAloneSig tokens of the module for `calli`.
struct weave_signatures {
    uint32_t number;     // void (int32)
    uint32_t question;   // bool (int32)
    uint32_t wait;       // void (), with GC transition
    uint32_t keep;       // native int (int32)
    uint32_t activation; // void (native int)
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

// A local signature like `original` (empty: none) with one native int more; *index is the new local's number.
enum clew_error weave_append_local(struct bytes original, struct buffer *out, uint32_t *index);

#endif
