// Numbers of heap objects, as events carry them. The number of the object at an address stands in a shadow of the heap,
// which probes look into and fill (probe_objects.c) and the collector's callbacks rearrange while the program stands still
// (heap/heap_objects.c).
#ifndef CLEW_AGENT_SHADOW_H
#define CLEW_AGENT_SHADOW_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/assert.h"

enum {
    SHADOW_ADDRESS_BITS = 47,
    SHADOW_LEAF_BITS = 26, // bytes of heap under one leaf
    SHADOW_PAGE_BITS = 13, // bytes of heap whose cells are a page of memory
    SHADOW_LEAVES = 1 << (SHADOW_ADDRESS_BITS - SHADOW_LEAF_BITS),
    SHADOW_CELLS = 1 << (SHADOW_LEAF_BITS - 3),
    SHADOW_PAGES = 1 << (SHADOW_LEAF_BITS - SHADOW_PAGE_BITS),
    SHADOW_PAGE_CELLS = SHADOW_CELLS / SHADOW_PAGES,
};

static_assert((SHADOW_CELLS & (SHADOW_CELLS - 1)) == 0, "a cell follows from an address");
static_assert(SHADOW_PAGE_CELLS * sizeof(uint32_t) == 4096, "the cells of a page can be given back");

// A cell is the number of the object that begins there; 0: none has been seen. With BOX: it is a boxed value. With STALE:
// the object that had the number may be gone, and another one be there.
#define SHADOW_UNCERTAIN UINT32_C(0x80000000)
#define SHADOW_BOX UINT32_C(0x40000000)
#define OBJECT_NUMBER_MAX UINT32_C(0x3FFFFFFF)
static_assert((SHADOW_UNCERTAIN | SHADOW_BOX | OBJECT_NUMBER_MAX) == UINT32_MAX && SHADOW_BOX == OBJECT_NUMBER_MAX + 1,
              "the bits of a cell are apart");

enum shadow_page {
    SHADOW_PAGE_USED = 1, // a cell may not be 0
    SHADOW_PAGE_HEAP = 2, // the collector manages this memory: no frozen objects
    SHADOW_PAGE_READ = 4, // all of it can be read, which the kernel said since the last collection that could change it
};

struct shadow_leaf {
    _Atomic uint32_t cells[SHADOW_CELLS];
    _Atomic uint8_t pages[SHADOW_PAGES]; // enum shadow_page, or-ed
};

#pragma GCC visibility push(hidden)

extern struct shadow {
    struct shadow_leaf *_Atomic *leaves; // SHADOW_LEAVES of them, by address; NULL: nothing was seen there
    uint32_t *made;                      // which of them are not NULL, in the order of their making
    _Atomic uint32_t made_count;
    _Atomic uint32_t newest_number;
    uint32_t string_max; // UTF-16 units of a string's text
} shadow;

// The leaf for an address, made if need be; NULL: no memory, or no address that could be.
struct shadow_leaf *shadow_leaf_for(uintptr_t address);

static inline _Atomic uint32_t *shadow_cell(struct shadow_leaf *leaf, uintptr_t address)
{
    return &leaf->cells[address >> 3 & (SHADOW_CELLS - 1)];
}

#pragma GCC visibility pop

#endif
