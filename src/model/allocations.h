// Which objects the recorded code created, and where. Adds up the ALLOCATION events of all streams by type and place,
// with the sizes that the recording has for the objects. Used by the report `allocations`, as text and JSON.
#ifndef CLEW_MODEL_ALLOCATIONS_H
#define CLEW_MODEL_ALLOCATIONS_H

#include "model/model.h"
#include "model/sites.h"

// Objects of one type, created on one line of one method, over all loads and processes.
struct allocation {
    struct text type;                          // its full name; empty: unknown
    uint32_t method;                           // index in catalog.methods, canonical; CATALOG_NONE
    const struct site *site;                   // one of the sites that were added up
    const struct recording_document *document; // of the site's start_line; NULL: unknown
    uint64_t count, bytes;
    uint64_t unsized; // how many of `count` have no known size; they add nothing to bytes
};

// The result: two tables of the same allocations, and their totals.
struct allocations {
    struct allocation *sites; // most bytes first, then most objects
    size_t site_count;
    struct allocation *types; // the same by type: only type and numbers are set
    size_t type_count;
    uint64_t count, bytes, unsized;
    struct recording_health health; // damage found while reading the file
};

// Reads the recording once. The rows borrow texts from `sites`, which must outlive them. Memory grows with the
// number of types and places, not with the number of objects. The caller calls allocations_free() also after an error.
enum clew_error allocations_load(const struct model *model, const struct sites *sites, struct allocations *out);
void allocations_free(struct allocations *allocations);

#endif
