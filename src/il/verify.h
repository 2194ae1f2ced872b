// Structural verification of a body: what the JIT would reject (stack depths, joins, regions, prefixes, branch targets,
// token kinds), not types. Every woven body passes it before the runtime gets it.
#ifndef CLEW_IL_VERIFY_H
#define CLEW_IL_VERIFY_H

#include "il/body.h"
#include "metadata/metadata.h"

// What calls pop and push comes from the signatures; tokens made after loading (beyond the rows of `metadata`) are
// answered by `extra`, which may be NULL: the blob of a StandAloneSig token, or empty.
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

// The shape of a MethodDef by its signature (with MethodImplOptions.Async 0x2000 taken into account).
enum clew_error il_shape(const struct metadata *metadata, uint32_t method_token, struct il_method_shape *out);

// MALFORMED with *reason (static text) when the JIT would refuse the body.
enum clew_error il_verify(const struct il_body *body, const struct il_method_shape *shape, const struct il_tokens *tokens,
                          const char **reason);

#endif
