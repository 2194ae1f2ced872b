// Weaves the probes of all instruments into the body of a method. Those of `tree` and `calls` are at its entry and exits, and
// in the handlers where its activation resumes after an exception. For those of `statements`, `values` and `lines` the sites
// are found first, since the agent numbers the sites and has to define them in the recording before the runtime gets the body:
//
//     weave_plan()    reads the body: an array of sites in the order of their code, and the locals they need
//     weave_number()  gets the number of the first site
//     weave()         changes the body: inserts the operations of the plan (weave/operations/operations.h) and the probes of calls
//
// An event whose value consists of cells that IL can store is written inline: integers, floats, addresses and structs
// without references, in variables, fields of `this` and static fields, or behind an address:
//
//     cells = context->at;  store cells;  context->at = cells + their bytes
//
// Neighbouring events share one such sequence. All other events call a native site function. Inline events need room that
// was checked before: `context->at >= context->limit` is tested at loop heads, at the start of filters, behind a leave that
// runs a finally, and where more than `room` bytes may have been written since the last check. The native functions of
// entry, handlers and exits check too. On a runtime that suspends methods, inline events behind a call first compare the
// newest activation of the thread with the one that entered: a callee may have been suspended, and left without an exit.
//
// The agent calls all of this on the thread that compiles the method, under the lock of the method's module.
#ifndef CLEW_WEAVE_WEAVE_H
#define CLEW_WEAVE_WEAVE_H

#include "il/body.h"
#include "weave/operations/operations.h"
#include "weave/plan/method.h"

// Reads a decoded body without insertions; allocates in its arena and changes nothing. UNSUPPORTED if the evaluation
// stack is not understood or the code ends in a prefix, MALFORMED if metadata or code is broken, or NO_MEMORY: weave the method
// with the empty plan.
enum clew_error weave_plan(struct il_body *body, const struct weave_method *method, struct weave_plan *out);

// The plan without sites, of any decoded body. `runs`: what was found of an async body; NULL: it is none.
struct weave_plan weave_empty_plan(const struct il_body *body, const struct weave_runs *runs);

// False for a module that may make references to invalid memory: it refers to Unsafe, MemoryMarshal or CollectionsMarshal,
// or was compiled with `unsafe`.
bool weave_trusts_references(const struct metadata *metadata);

// Turns site.statement from a position in the plan (1 + index, 0: none) into the number of that site.
void weave_number(struct weave_plan *plan, uint32_t first);

// Inserts the operations of the plan, and the probes of calls, into the body that was planned. After an error the body must not be used any more. UNSUPPORTED: the code ends in a prefix.
enum clew_error weave(struct il_body *body, const struct weave_plan *plan, const struct weave_binding *binding);

// Appends a local signature (ECMA-335 II.23.2.6) to `out`: the locals of `original` (empty: none), then `count` locals whose
// types follow each other in `types`. *index: the number of the first new local. UNSUPPORTED above 65,534 locals.
enum clew_error weave_append_locals(struct bytes original, struct bytes types, uint32_t count, struct buffer *out,
                                    uint32_t *index);

#endif
