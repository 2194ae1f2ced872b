// What the verifier asks metadata about an instruction's token.
#ifndef CLEW_IL_TOKENS_H
#define CLEW_IL_TOKENS_H

#include "il/verify.h"
#include "metadata/tables/signature.h"

// Whether a token is of a kind that the operand may have, and of a row that is there.
bool il_token_fits(const struct il_tokens *tokens, enum il_operand operand, uint32_t token);
// The signature behind a METHOD or SIGNATURE operand; a MethodSpec's is that of the method it instantiates.
bool il_token_method(const struct il_tokens *tokens, uint32_t token, struct signature_method *out);

#endif
