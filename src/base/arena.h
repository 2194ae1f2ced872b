// Memory that is given back all at once. Zero-initialise an arena before its first use.
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
// A NUL-terminated copy of size bytes of text.
char *arena_text(struct arena *arena, const char *text, size_t size);
void arena_free(struct arena *arena);

#endif
