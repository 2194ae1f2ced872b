// Writes the sequence points of all methods of the modules in scope, so that a report of coverage knows the lines that never ran and
// needs no symbols.
//
// The collector takes them from the symbols while it has little else to do, and at the end, some methods at a time. Code that
// coverage leaves out has none (metadata/uncovered.h).
#ifndef CLEW_COLLECTOR_MODULE_POINTS_H
#define CLEW_COLLECTOR_MODULE_POINTS_H

#include "base/map.h"
#include "collector/sources/documents.h"

// A module whose points are wanted.
struct points_module {
    uint32_t module;
    bool mine; // it is my code
    uint8_t mvid[16];
};

struct points_reading;

// Those of one process. Zero-initialise.
struct module_points {
    struct points_module *modules; // those before modules[next] are done
    size_t count, room, next;
    struct points_reading *reading; // of modules[next]; NULL: it is not open
};

// What all processes share: modules whose points are in the file, and which methods are wanted.
struct points_shared {
    struct map written;  // hash of an MVID
    struct text scope;   // the session's
    uint32_t instrument; // whose scope counts; 0: no points are wanted
};

// The instrument whose statements coverage counts; 0: none of these records any.
uint32_t points_instrument(uint32_t instruments);

// Adds a module that the agent has defined, if it is in scope. NO_MEMORY is the only error.
enum clew_error module_points_add(struct module_points *points, const struct points_shared *shared,
                                  const struct recording_module *module);
// Writes points, of some methods at least, until none is left or until_ns (CLOCK_MONOTONIC) has passed.
enum clew_error module_points_write(struct module_points *points, struct points_shared *shared,
                                    const struct documents *documents, struct recording_writer *writer,
                                    const struct document_folders *folders, uint64_t until_ns);
static inline bool module_points_all_written(const struct module_points *points)
{
    return points->next == points->count;
}
// After a takeover: learns which modules are done, and adds the others. `processes` maps the number of each to its struct
// module_points *.
enum clew_error module_points_resume(const struct map *processes, struct points_shared *shared,
                                     struct recording_reader *reader);
void module_points_free(struct module_points *points);

#endif
