// What lines.h keeps while it counts: how often each site ran, each site alone.
#ifndef CLEW_MODEL_LINE_COUNTS_H
#define CLEW_MODEL_LINE_COUNTS_H

#include "base/map.h"
#include "model/catalog.h"
#include "model/site_marks.h"
#include "model/sites.h"

// The count of one site.
struct line_count {
    uint32_t process, site;
    uint64_t count, own;
};

// The counts of all sites.
struct line_counts {
    const struct sites *sites;
    struct recording_reader *reader;
    struct line_count *counted;
    size_t count, room;
    struct map places;      // process << 32 | site: index in `counted`
    struct site_marks near; // index in `counted`, plus 1; 0: to be searched in `places`
    bool any, counters;     // something was counted; by counters
    bool streams, ended;    // the pass reads the streams; it has ended
    uint64_t at;            // offset of the block that was counted last
    struct recording_health health;
};

// Adds the places of all statements with a count of 0, so that a report shows code that never ran.
enum clew_error line_counts_add_unreached(struct line_counts *counts, const struct catalog *catalog);

#endif
