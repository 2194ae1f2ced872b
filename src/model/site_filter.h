// Chooses the EVENTS blocks that may hold events of certain sites, by the SITE_SETS blocks of a recording, so that the
// history of a variable is read without the rest of the file.
#ifndef CLEW_MODEL_SITE_FILTER_H
#define CLEW_MODEL_SITE_FILTER_H

#include "base/map.h"
#include "model/catalog.h"
#include "model/excluded_blocks.h"
#include "model/sites.h"
#include "recording/reader.h"

// The wanted sites of a process.
struct site_filter_process {
    struct buffer bits[RECORDING_SITE_SHIFT_MAX + 1]; // [shift]: one for each group of 2^shift sites
};

// Zero-initialise.
struct site_filter {
    struct map process_of; // process: index in processes
    struct site_filter_process *processes;
    size_t count, room;
    struct excluded_blocks excluded; // those that have none of the sites
};

void site_filter_free(struct site_filter *filter);
// Knows the process. Blocks of a process that is not known are all wanted. NO_MEMORY.
enum clew_error site_filter_know(struct site_filter *filter, uint32_t process);
// Wants a site of the process, which is known then. NO_MEMORY.
enum clew_error site_filter_add(struct site_filter *filter, uint32_t process, uint32_t site);
// Reads the sets of sites once all wanted sites are added. A set that is damaged or missing excludes no block. NO_MEMORY
// or IO.
enum clew_error site_filter_read(struct site_filter *filter, struct recording *recording);
// Whether a site of the process is wanted.
typedef bool site_filter_takes(void *context, uint32_t process, uint32_t number, const struct site *site);
// Does all of the above: knows every process of the catalog, adds those of their sites that `takes` accepts, and reads the
// sets. NO_MEMORY or IO.
enum clew_error site_filter_choose(struct site_filter *filter, const struct catalog *catalog, const struct sites *sites,
                                   struct recording *recording, site_filter_takes *takes, void *context);
// Whether the block may have an event of a wanted site.
bool site_filter_wants(const struct site_filter *filter, const struct recording_block *block);

#endif
