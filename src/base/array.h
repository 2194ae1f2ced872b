// Arrays that grow by doubling, so that appending n items costs O(n) copies in total.
#ifndef CLEW_BASE_ARRAY_H
#define CLEW_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

// Makes room for one more item. `items` is the address of the array's pointer, *room the number of items of `size`
// bytes that it can hold. False when memory runs out; the array is unchanged then.
bool array_grow(void *items, size_t count, size_t *room, size_t size);

#endif
