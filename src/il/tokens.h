// Tokens of instructions, for the verifier: whether they exist, are of the right kind, and which signature they refer
// to.
#ifndef CLEW_IL_TOKENS_H
#define CLEW_IL_TOKENS_H

#include "il/verify.h"
#include "metadata/tables/signature.h"

// Whether the kind of a token suits the operand, and its row exists.
bool il_token_fits(const struct il_tokens *tokens, enum il_operand operand, uint32_t token);
// The signature of a METHOD or SIGNATURE operand; for a MethodSpec, of the method that it instantiates.
bool il_token_method(const struct il_tokens *tokens, uint32_t token, struct signature_method *out);

#endif
