#include "recording/shapes.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

static_assert(VALUE_TYPED < 1 << 5 && SITE_ALLOCATION < 1 << (32 - SHAPE_KIND_SHIFT), "what a shape has bits for");
static_assert(SHAPE_SIZE_MAX == (1 << (SHAPE_KIND_SHIFT - SHAPE_SIZE_SHIFT)) - 1, "sizes end where kinds begin");

uint32_t shape_of(const struct site *site)
{
    uint32_t size = site->encoding == VALUE_STRUCT ? site->size : 0;
    uint32_t owner = site->owner == OWNER_OBJECT ? 1 : site->owner == OWNER_ADDRESS ? 2 : 0;
    uint32_t item = site->place == PLACE_ITEM;
    if (size > SHAPE_SIZE_MAX) {
        return SHAPE_UNKNOWN;
    }
    return (uint32_t)site->encoding | owner << 5 | item << 7 | size << SHAPE_SIZE_SHIFT |
           (uint32_t)site->kind << SHAPE_KIND_SHIFT;
}

static bool make_room(struct shapes *shapes, uint32_t count)
{
    CLEW_ASSERT(count <= SHAPE_SITES_MAX);
    if (count <= shapes->count) {
        return true;
    }
    uint32_t room = shapes->count ? shapes->count : 1024;
    while (room < count) {
        room *= 2;
    }
    uint32_t *of = realloc(shapes->of, room * sizeof *of);
    if (!of) {
        return false;
    }
    memset(of + shapes->count, 0xff, (room - shapes->count) * sizeof *of);
    shapes->of = of;
    shapes->count = room;
    return true;
}

enum clew_error shapes_add(struct shapes *shapes, uint32_t first, struct bytes blob)
{
    struct site site, previous = {0};
    for (uint32_t number = first; bytes_left(&blob) > 0; number++) {
        if (number >= SHAPE_SITES_MAX || !site_decode(&blob, &previous, &site)) {
            return CLEW_MALFORMED;
        }
        if (!make_room(shapes, number + 1)) {
            return CLEW_NO_MEMORY;
        }
        shapes->of[number] = shape_of(&site);
        previous = site;
    }
    return CLEW_OK;
}

void shapes_free(struct shapes *shapes)
{
    free(shapes->of);
    *shapes = (struct shapes){0};
}
