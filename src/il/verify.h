// Structural verification of a body: finds what the JIT would refuse in stack depths, joins, regions, prefixes, branch
// targets and kinds of tokens. It does not verify types. Every woven body passes it before the runtime gets it: a body
// that the JIT refuses would throw InvalidProgramException in the program, whereas a method that fails here is left as
// it is.
#ifndef CLEW_IL_VERIFY_H
#define CLEW_IL_VERIFY_H

#include "il/body.h"
#include "metadata/tables/metadata.h"

// The metadata by which tokens are checked, and the operands of calls counted. Tokens beyond the rows of `metadata`
// were defined since the module was loaded. They are allowed only with `extra`, which returns the signature of a
// StandAloneSig, MemberRef or MethodDef token, or an empty one; other such tokens are not checked. `extra` may be NULL.
struct il_tokens {
    const struct metadata *metadata;
    struct bytes (*extra)(const void *context, uint32_t token);
    const void *context;
};

struct il_method_shape {
    bool returns_value;
    uint32_t argument_count; // `this` included
    uint32_t local_count;    // UINT32_MAX: not checked
};

// The shape of a MethodDef, from its signature and MethodImplOptions.Async (0x2000). local_count stays UINT32_MAX,
// since the locals belong to the body: il_local_count().
enum clew_error il_shape(const struct metadata *metadata, uint32_t method_token, struct il_method_shape *out);

// The number of locals that the token of a body declares; 0 for token 0.
enum clew_error il_local_count(const struct il_tokens *tokens, uint32_t locals_token, uint32_t *out);

// MALFORMED: the JIT would refuse the body; *reason is static text for the user. Allocates in the arena of the body,
// sets `order` and `bound` of its instructions, and changes nothing else.
enum clew_error il_verify(const struct il_body *body, const struct il_method_shape *shape,
                          const struct il_tokens *tokens, const char **reason);

#endif
