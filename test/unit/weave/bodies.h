// Bodies from text, decoded, for tests of single parts of the weaver. Included by one file a program.
#ifndef CLEW_TEST_WEAVE_BODIES_H
#define CLEW_TEST_WEAVE_BODIES_H

#include "../il/assemble.h"

struct made_body {
    struct arena arena;
    struct buffer bytes;
    struct il_body body;
};

// Kept until made_body_free(); texts are those of assemble().
static inline struct il_body *made_body(struct made_body *made, const char *text)
{
    *made = (struct made_body){0};
    assemble(text, ASSEMBLE_INIT_LOCALS, 8, &made->bytes);
    assert_int_equal(il_decode(bytes_of(made->bytes.data, made->bytes.size), &made->arena, &made->body), CLEW_OK);
    return &made->body;
}

static inline void made_body_free(struct made_body *made)
{
    buffer_free(&made->bytes);
    arena_free(&made->arena);
}

#endif
