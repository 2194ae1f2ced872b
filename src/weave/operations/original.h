// What planning and emission have to know of the original body: where instructions may be inserted, and where its activation
// ends.
#ifndef CLEW_WEAVE_ORIGINAL_H
#define CLEW_WEAVE_ORIGINAL_H

#include "il/body.h"

// Whether instructions may be inserted in front of an original instruction, which is the first of its prefixes: the JIT
// recognises some sequences by their pattern and compiles them differently (importer.cpp, impBoxPatternMatch and others);
// some it requires.
bool weave_may_insert_before(const struct il_body *body, const struct il_instruction *at);
// Whether instructions may be inserted right behind an original instruction that is not a prefix.
bool weave_may_insert_behind(const struct il_body *body, const struct il_instruction *at);

// Whether it branches on whether the one value on top of the stack is zero or null.
bool weave_branches_on_one(enum il_opcode opcode);

// Whether the call is the last one of the method, whose MethodDef is `token`, and calls the method itself.
bool weave_calls_itself(const struct il_instruction *call, uint32_t token);
// Whether any call does.
bool weave_has_last_call_of_itself(const struct il_body *body, uint32_t token);
// Whether the activation ends before a call, with its prefixes, since the callee takes its place: the exit probe goes in
// front of the call, and the `ret` behind it has none unless branches lead there too.
bool weave_ends_activation(const struct il_instruction *call, uint32_t token);
// Whether an original `ret` belongs to such a call and to nothing else.
bool weave_returns_for_call(const struct il_body *body, const struct il_instruction *ret, uint32_t token);

// Whether the exit probe goes in front of the instruction: a `ret`, a `jmp`, or a call that ends the activation. `between`:
// something is inserted between the instruction before and this one, so that the JIT makes no jump of a call and its `ret`.
bool weave_is_exit(const struct il_body *body, const struct il_instruction *at, uint32_t token, bool between);

// Whether a local has to hold the activation: the method has handlers, which re-state it. Without handlers an exception that
// passes a callee passes this method too, so that the thread's active node is right whenever a callee returns.
bool weave_needs_local(const struct il_body *body);

// Whether a method is hardly more than an access: short, without calls, loops and handlers.
enum { WEAVE_TINY_SIZE = 16 }; // bytes of IL that it has less than
bool weave_is_tiny(const struct il_body *body);

// Such a body has no instruction for its last prefix. The verifier refuses it too.
bool weave_ends_in_prefix(const struct il_body *body);

#endif
