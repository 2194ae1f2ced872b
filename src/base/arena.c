// Blocks double in size up to a limit, so that small arenas stay small and large ones need few blocks. calloc() gives zeroed
// memory, which large blocks get from the kernel without being written.
#include "base/arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"

enum { FIRST_BLOCK = 4096, LARGEST_STEP = 1 << 20 };

struct arena_block {
    struct arena_block *next;
    size_t size;
    alignas(max_align_t) unsigned char data[];
};
static_assert(offsetof(struct arena_block, data) == sizeof(struct arena_block), "a block has no bytes before its data");

static bool add_block(struct arena *arena, size_t size)
{
    size_t wanted = arena->total < FIRST_BLOCK ? FIRST_BLOCK : arena->total;
    wanted = wanted > LARGEST_STEP ? LARGEST_STEP : wanted;
    wanted = wanted < size ? size : wanted;
    size_t whole;
    if (!size_add(wanted, sizeof(struct arena_block), &whole)) {
        return false;
    }
    struct arena_block *block = calloc(1, whole);
    if (!block) {
        return false;
    }
    *block = (struct arena_block){.next = arena->blocks, .size = wanted};
    arena->blocks = block;
    arena->used = 0;
    arena->total += wanted;
    return true;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    if (!size_add(size, alignof(max_align_t) - 1, &size)) {
        return NULL;
    }
    size &= ~(alignof(max_align_t) - 1);
    if ((!arena->blocks || arena->blocks->size - arena->used < size) && !add_block(arena, size)) {
        return NULL;
    }
    CLEW_ASSERT(size <= arena->blocks->size - arena->used);
    CLEW_ASSERT(arena->used % alignof(max_align_t) == 0);
    void *start = arena->blocks->data + arena->used;
    arena->used += size;
    return start;
}

char *arena_text(struct arena *arena, const char *text, size_t size)
{
    char *copy = arena_alloc(arena, size + 1);
    if (copy && size) {
        memcpy(copy, text, size);
    }
    return copy;
}

void arena_free(struct arena *arena)
{
    while (arena->blocks) {
        struct arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
    *arena = (struct arena){0};
}
