// What an async body awaits: the call that returned it, found backwards from where it is awaited.
#ifndef CLEW_WEAVE_AWAITED_H
#define CLEW_WEAVE_AWAITED_H

#include "il/body.h"
#include "metadata/names/names.h"
#include "metadata/tables/metadata.h"

// The method that an instruction calls; without a name: it is no call.
struct method_reference awaited_called_by(const struct metadata *metadata, const struct il_instruction *at);

// The instruction in front, if control comes from nowhere else. NULL: there is none.
const struct il_instruction *awaited_previous(const struct il_body *body, const struct il_instruction *at);

// The token of the call that returned what the instruction `at` takes from the stack last, or 0: a variable or a field is
// awaited, the result of another await, or it is not known.
uint32_t awaited_call(const struct il_body *body, const struct metadata *metadata, const struct il_instruction *at);

#endif
