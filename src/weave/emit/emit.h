// Emission: inserts the micro-operations of a plan into a body, and the probes of calls (ECMA-335 III; the JIT accepts what
// il/verify.h does):
//
//   entry     before the first instruction, outside of any region that starts there; branches back to the first instruction
//             do not run it again.
//   exit      before `ret` and `jmp`, on every path to them; before `tail.`; and, for a call to the method itself, before
//             `call; ret`. In the last two cases there is nothing after the call: that keeps the tail call, and the stack that
//             it saves. Before `tail.` the activation ends, and the callee becomes a child of the caller's parent. Of a call
//             to itself the activation ends with the called one: such methods call `arrive` before their entry, `depart`
//             before the call, and `finish` at their other exits (agent/probe/probe_calls.c).
//   handlers  at the start of every catch, finally and fault handler: re-state the activation.
//   awaits    of a method of runtime async: in front of the call that is awaited and behind Await. With
//             weave_runs.enclosed the body is in a try with a fault handler, and its exit is behind that.
//
// All probes of calls leave the evaluation stack as it was, at any depth. They contain no branches but one, for waiting.
#ifndef CLEW_WEAVE_EMIT_H
#define CLEW_WEAVE_EMIT_H

#include "weave/emit/emitter.h"
#include "weave/operations/operations.h"

// `tally` NULL: inserts. Otherwise the body stays as it is, and what would be inserted is added to the tally.
enum clew_error emit_operations(struct il_body *body, const struct weave_plan *plan,
                                const struct weave_binding *binding, struct weave_tally *tally);

#endif
