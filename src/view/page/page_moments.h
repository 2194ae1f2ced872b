// The moments at which variables got values, or at which an object was seen, in order of time over all threads.
#ifndef CLEW_VIEW_PAGE_MOMENTS_H
#define CLEW_VIEW_PAGE_MOMENTS_H

#include "model/events/cursor.h"
#include "view/page/page_selection.h"

struct page_moment {
    uint64_t clock;
    struct cursor_position at;
};

// Which moments. Texts are borrowed.
struct page_moments_asked {
    struct text name;                    // of the variable; empty: any
    struct text method;                  // whole name; empty: any
    uint32_t object;                     // 0: any; else events whose value refers to it
    uint64_t from, to;                   // clocks
    size_t most;                         // so many of them, the first; at least 1
    const struct cursor_position *after; // of those behind this one; NULL: of all
};

// Zero-initialise. page_moments_free() releases it.
struct page_moments {
    struct page_moment *list;
    size_t count, room;
    bool more; // than were asked for
};

// Finds the moments. Reads the blocks of streams that may have them, by time, until there are enough. NOT_FOUND: `after` is
// none of them.
enum clew_error page_moments_find(struct page_moments *moments, struct page *page,
                                  const struct page_moments_asked *asked);
void page_moments_free(struct page_moments *moments);
// Whether a site gives a variable a value.
bool page_moments_gives(const struct site *site);

#endif
