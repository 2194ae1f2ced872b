// Structural verification of a body: what the JIT would refuse (stack depths, joins, regions, prefixes, branch targets,
// token kinds), not types. Every woven body passes it before the runtime gets it.
#ifndef CLEW_IL_VERIFY_H
#define CLEW_IL_VERIFY_H

#include "il/body.h"
#include "metadata/tables/metadata.h"

// What calls pop and push comes from the signatures. Tokens made after loading (beyond the rows of `metadata`) are
// allowed only with `extra`, which may be NULL: it answers the signature of a StandAloneSig, MemberRef or MethodDef
// token, or empty. Other tokens made later are taken on trust.
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

// The shape of a MethodDef by its signature (with MethodImplOptions.Async 0x2000 taken into account). The count of
// locals is left unchecked: the body says which they are.
enum clew_error il_shape(const struct metadata *metadata, uint32_t method_token, struct il_method_shape *out);

// How many locals a body's token declares; none for token 0.
enum clew_error il_local_count(const struct il_tokens *tokens, uint32_t locals_token, uint32_t *out);

// MALFORMED with *reason (static text) when the JIT would refuse the body. Takes memory from the body's arena, sets
// `order` and `bound` of its instructions and changes nothing else.
enum clew_error il_verify(const struct il_body *body, const struct il_method_shape *shape,
                          const struct il_tokens *tokens, const char **reason);

#endif
