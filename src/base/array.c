#include "base/array.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"

enum { FIRST_ROOM = 16 };

bool array_grow(void *items, size_t count, size_t *room, size_t size)
{
    CLEW_ASSERT(count <= *room && size > 0);
    void *array;
    size_t larger = *room, bytes;
    if (count < *room) {
        return true;
    }
    if (larger > SIZE_MAX / 2) {
        return false;
    }
    larger = larger ? larger * 2 : FIRST_ROOM;
    // The pointer is copied by memcpy: its type is not known here, and pointers of different types must not alias.
    memcpy(&array, items, sizeof array);
    array = size_multiply(larger, size, &bytes) ? realloc(array, bytes) : NULL;
    if (!array) {
        return false;
    }
    memcpy(items, &array, sizeof array);
    *room = larger;
    return true;
}
