// The payload layouts of a process's sites, by number: the writer needs them to put the cells of events into columns.
#ifndef CLEW_RECORDING_SITE_LAYOUTS_H
#define CLEW_RECORDING_SITE_LAYOUTS_H

#include "base/bytes.h"
#include "base/error.h"
#include "trace/payload.h"

enum { LAYOUT_SITES_MAX = 1 << 24 }; // no site has this number or a higher one: a wild pointer wrote it

// Zero-initialise.
struct site_layouts {
    uint32_t *of; // by number of the site: a payload layout, or LAYOUT_UNKNOWN
    uint32_t count;
};

// Takes the sites first, first + 1, ... of a SITES definition. MALFORMED: only those before the first unreadable one were
// taken.
enum clew_error site_layouts_add(struct site_layouts *layouts, uint32_t first, struct bytes blob);
void site_layouts_free(struct site_layouts *layouts);

static inline uint32_t site_layouts_find(const struct site_layouts *layouts, uint32_t site)
{
    return site < layouts->count ? layouts->of[site] : LAYOUT_UNKNOWN;
}

#endif
