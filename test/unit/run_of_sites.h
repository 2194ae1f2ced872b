// Writes blocks of a thread that has nothing but events of sites with one cell each.
#ifndef CLEW_TEST_RUN_OF_SITES_H
#define CLEW_TEST_RUN_OF_SITES_H

#include "recording/writer.h"

// Block number `block` of thread 1, all of whose blocks have `count` events, at one moment.
static inline enum clew_error write_run_of_sites(struct recording_writer *writer, uint32_t process, uint32_t block,
                                                 const struct recording_event *events, const uint32_t *cells,
                                                 uint32_t count)
{
    const struct recording_events run = {.process = process,
                                         .thread = 1,
                                         .first_clock = events[0].clock,
                                         .last_clock = events[0].clock,
                                         .position = (uint64_t)block * count,
                                         .words = count,
                                         .count = count,
                                         .events = events,
                                         .cell_count = count,
                                         .cells = cells};
    return recording_write_events(writer, &run);
}

#endif
