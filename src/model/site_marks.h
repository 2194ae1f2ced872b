// A number for each site of each process, 0 at first: what a pass over all events has found out about the site, where a search
// for each event would take most of the time.
#ifndef CLEW_MODEL_SITE_MARKS_H
#define CLEW_MODEL_SITE_MARKS_H

#include "base/map.h"
#include "model/sites.h"

// The numbers of one process.
struct site_marks_row {
    uint32_t *marks; // by number of the site
    size_t count;    // sites with higher numbers have no mark
};

// Zero-initialise. site_marks_free() releases it.
struct site_marks {
    struct site_marks_row **rows;
    size_t count, room;
    struct map row_of; // process: index in `rows`
};

// The row of the process, made when it is asked for first; it stays where it is. It has room for all defined sites but those
// with absurdly high numbers. NULL: memory ran out.
struct site_marks_row *site_marks_of(struct site_marks *marks, const struct sites *sites, uint32_t process);
void site_marks_free(struct site_marks *marks);

#endif
