// What the parts of planning share.
#include "weave/planner.h"

#include <string.h>

#include "base/assert.h"

void *planner_grow(struct planner *planner, void *items, uint32_t count, uint32_t *room, size_t size)
{
    CLEW_ASSERT(count <= *room);
    if (count < *room) {
        return items;
    }
    uint32_t wanted = *room ? *room * 2 : 32;
    void *grown = arena_alloc(planner->body->arena, wanted * size);
    if (!grown) {
        planner->failed = true;
        return NULL;
    }
    if (count) {
        memcpy(grown, items, count * size);
    }
    *room = wanted;
    return grown;
}
