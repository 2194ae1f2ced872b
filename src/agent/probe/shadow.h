// The shadow of the heap: a table of two levels that maps the address of an object to its number. Probes read and fill
// it (probe_objects.c). The callbacks of the garbage collector rearrange it while the program is suspended, so no probe
// runs then (heap/heap_objects.c). The leaves of the table are sparse pages.
#ifndef CLEW_AGENT_SHADOW_H
#define CLEW_AGENT_SHADOW_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/assert.h"

enum {
    SHADOW_ADDRESS_BITS = 47,
    SHADOW_LEAF_BITS = 26, // a leaf covers 1 << this bytes of heap
    SHADOW_PAGE_BITS = 13, // 1 << this bytes of heap have their cells in one page of memory
    SHADOW_LEAVES = 1 << (SHADOW_ADDRESS_BITS - SHADOW_LEAF_BITS),
    SHADOW_CELLS = 1 << (SHADOW_LEAF_BITS - 3),
    SHADOW_PAGES = 1 << (SHADOW_LEAF_BITS - SHADOW_PAGE_BITS),
    SHADOW_PAGE_CELLS = SHADOW_CELLS / SHADOW_PAGES,
};

static_assert((SHADOW_CELLS & (SHADOW_CELLS - 1)) == 0, "a cell follows from an address");
static_assert(SHADOW_PAGE_CELLS * sizeof(uint32_t) == 4096, "the cells of a page of heap can be freed");

// A cell is the number of the object that begins at its address; 0: none was seen there. With SHADOW_BOX the object is
// a boxed value. With SHADOW_UNCERTAIN the object that had the number may be gone, and another one be at its address.
#define SHADOW_UNCERTAIN UINT32_C(0x80000000)
#define SHADOW_BOX UINT32_C(0x40000000)
#define OBJECT_NUMBER_MAX UINT32_C(0x3FFFFFFF)
static_assert((SHADOW_UNCERTAIN | SHADOW_BOX | OBJECT_NUMBER_MAX) == UINT32_MAX && SHADOW_BOX == OBJECT_NUMBER_MAX + 1,
              "the bits of a cell are apart");

enum shadow_page {
    SHADOW_PAGE_USED = 1, // some of its cells may be other than 0
    SHADOW_PAGE_HEAP = 2, // in the GC heap; pages outside it hold frozen objects, which the GC never moves
    SHADOW_PAGE_READ = 4, // all of it is readable: the kernel said so after the last collection that could change that
};

struct shadow_leaf {
    _Atomic uint32_t cells[SHADOW_CELLS];
    _Atomic uint8_t pages[SHADOW_PAGES]; // enum shadow_page, or-ed
};

#pragma GCC visibility push(hidden)

extern struct shadow {
    struct shadow_leaf *_Atomic *leaves; // SHADOW_LEAVES entries, by address; NULL: nothing was seen there
    uint32_t *made;                      // indices of the leaves that exist, in the order in which they were made
    _Atomic uint32_t made_count;
    _Atomic uint32_t newest_number;
    uint32_t string_max; // how many UTF-16 units of a string's text are recorded
} shadow;

// The leaf for an address, which is made if necessary. NULL: no memory, or not an address of the program.
struct shadow_leaf *shadow_leaf_for(uintptr_t address);

static inline _Atomic uint32_t *shadow_cell(struct shadow_leaf *leaf, uintptr_t address)
{
    return &leaf->cells[address >> 3 & (SHADOW_CELLS - 1)];
}

#pragma GCC visibility pop

#endif
