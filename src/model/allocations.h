// Which objects the recorded code made, and where: the ALLOCATION events of all streams, added up by type and place, with
// the sizes that objects were told with.
#ifndef CLEW_MODEL_ALLOCATIONS_H
#define CLEW_MODEL_ALLOCATIONS_H

#include "model/model.h"
#include "model/sites.h"

// Objects of one type, made on one line of one method (whatever its loads and processes).
struct allocation {
    struct text type;                          // its full name; empty: not known
    uint32_t method;                           // index in catalog.methods, of the first of equal methods; CATALOG_NONE
    const struct site *site;                   // one of those that were added up
    const struct recording_document *document; // that start_line of the site is in; NULL: not known
    uint64_t count, bytes;
    uint64_t unsized; // of the count: objects whose size is not known, which add nothing to bytes
};

struct allocations {
    struct allocation *sites; // most bytes first, then most objects
    size_t site_count;
    struct allocation *types; // the same added up by type: only type and numbers are set
    size_t type_count;
    uint64_t count, bytes, unsized;
    struct recording_health health; // what the passes over the file met
};

// Borrows from `sites`. Memory grows with places and types, not with objects.
enum clew_error allocations_load(const char *path, const struct model *model, const struct sites *sites,
                                 struct allocations *out);
void allocations_free(struct allocations *allocations);

#endif
