// Binary heaps in arrays: no item comes before the one at (i - 1) / 2, so the first comes before all others. Everything is inline,
// so that comparisons are, where a caller passes constants.
#ifndef CLEW_BASE_HEAP_H
#define CLEW_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct heap_kind {
    size_t size; // of an item, in bytes
    bool (*before)(const void *context, const void *a, const void *b);
    void (*placed)(void *context, const void *item, size_t at); // an item has got another place; NULL: nobody asks
};

struct heap {
    void *items;
    size_t count;
    void *context; // for the functions of the kind
};

static inline void *heap_item(const struct heap_kind *kind, const struct heap *heap, size_t at)
{
    return (char *)heap->items + at * kind->size;
}

static inline bool heap_is_before(const struct heap_kind *kind, const struct heap *heap, size_t a, size_t b)
{
    return kind->before(heap->context, heap_item(kind, heap, a), heap_item(kind, heap, b));
}

static inline void heap_swap(const struct heap_kind *kind, const struct heap *heap, size_t a, size_t b)
{
    char *left = heap_item(kind, heap, a), *right = heap_item(kind, heap, b), kept[64];
    for (size_t done = 0, part; done < kind->size; done += part) {
        part = kind->size - done < sizeof kept ? kind->size - done : sizeof kept;
        memcpy(kept, left + done, part);
        memcpy(left + done, right + done, part);
        memcpy(right + done, kept, part);
    }
    if (kind->placed) {
        kind->placed(heap->context, left, a);
        kind->placed(heap->context, right, b);
    }
}

// Moves an item down to where it belongs, if it comes too late for its place.
static inline void heap_sink(const struct heap_kind *kind, const struct heap *heap, size_t at)
{
    for (size_t child; (child = 2 * at + 1) < heap->count; at = child) {
        child += child + 1 < heap->count && heap_is_before(kind, heap, child + 1, child);
        if (!heap_is_before(kind, heap, child, at)) {
            return;
        }
        heap_swap(kind, heap, at, child);
    }
}

// Moves an item up to where it belongs, if it comes too early for its place. Returns its place.
static inline size_t heap_rise(const struct heap_kind *kind, const struct heap *heap, size_t at)
{
    for (; at > 0 && heap_is_before(kind, heap, at, (at - 1) / 2); at = (at - 1) / 2) {
        heap_swap(kind, heap, at, (at - 1) / 2);
    }
    return at;
}

// Makes a heap of items in any order.
static inline void heap_make(const struct heap_kind *kind, const struct heap *heap)
{
    for (size_t i = heap->count / 2; i-- > 0;) {
        heap_sink(kind, heap, i);
    }
}

#endif
