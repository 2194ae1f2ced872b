#include "recording/site_layouts.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

static bool make_room(struct site_layouts *layouts, uint32_t count)
{
    CLEW_ASSERT(count <= LAYOUT_SITES_MAX);
    if (count <= layouts->count) {
        return true;
    }
    uint32_t room = layouts->count ? layouts->count : 1024;
    while (room < count) {
        room *= 2;
    }
    uint32_t *of = realloc(layouts->of, room * sizeof *of);
    if (!of) {
        return false;
    }
    memset(of + layouts->count, 0xff, (room - layouts->count) * sizeof *of);
    layouts->of = of;
    layouts->count = room;
    return true;
}

enum clew_error site_layouts_add(struct site_layouts *layouts, uint32_t first, struct bytes blob)
{
    struct site site, previous = {0};
    for (uint32_t number = first; bytes_left(&blob) > 0; number++) {
        if (number >= LAYOUT_SITES_MAX || !site_decode(&blob, &previous, &site)) {
            return CLEW_MALFORMED;
        }
        if (!make_room(layouts, number + 1)) {
            return CLEW_NO_MEMORY;
        }
        layouts->of[number] = layout_of(&site);
        previous = site;
    }
    return CLEW_OK;
}

void site_layouts_free(struct site_layouts *layouts)
{
    free(layouts->of);
    *layouts = (struct site_layouts){0};
}
