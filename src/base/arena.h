// An arena allocates many small objects that are freed together, such as all parts of a method's plan. Zero-initialise it
// before the first use. Not thread-safe.
#ifndef CLEW_BASE_ARENA_H
#define CLEW_BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *blocks; // newest first
    size_t used;                // bytes taken from the newest block
    size_t total;               // bytes of all blocks together
};

// Zeroed, aligned for any type; NULL when memory runs out.
void *arena_alloc(struct arena *arena, size_t size);
// A NUL-terminated copy of size bytes of text; NULL when memory runs out.
char *arena_text(struct arena *arena, const char *text, size_t size);
void arena_free(struct arena *arena);

#endif
