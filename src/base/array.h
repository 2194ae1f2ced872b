// Arrays that grow by doubling.
#ifndef CLEW_BASE_ARRAY_H
#define CLEW_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

// Room for one item more. `items` is the address of the array's pointer, `room` how many items of `size` bytes it has
// place for. False when memory runs out: nothing has changed then.
bool array_grow(void *items, size_t count, size_t *room, size_t size);

#endif
