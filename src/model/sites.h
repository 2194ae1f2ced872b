// What events of sites mean: the sites, documents and types that a recording defines. Grows with the program's code, like
// the catalog, and is read only by what shows statements and values.
#ifndef CLEW_MODEL_SITES_H
#define CLEW_MODEL_SITES_H

#include "recording/reader.h"
#include "trace/site.h"

struct sites;

// One pass over the recording's definitions. Damaged ones are left out.
enum clew_error sites_load(const char *path, struct sites **out);
void sites_free(struct sites *sites);

// NULL: not defined. Numbers are the process's.
const struct site *sites_site(const struct sites *sites, uint32_t process, uint32_t site);
const struct type *sites_type(const struct sites *sites, uint32_t process, uint32_t type);
// The method that the site is in; 0: not defined.
uint32_t sites_method(const struct sites *sites, uint32_t process, uint32_t site);
const struct recording_document *sites_document(const struct sites *sites, uint32_t process, uint32_t module,
                                                uint32_t document);
// The numbers of all sites of a process: those at the places 0 to sites_count() - 1, some of which may not be defined.
uint32_t sites_count(const struct sites *sites, uint32_t process);
uint32_t sites_number(const struct sites *sites, uint32_t process, uint32_t place);

// What the pass over the definitions met.
const struct recording_health *sites_health(const struct sites *sites);

// An event's payload, taken apart. Cells are the event's own; what a type parameter stands for is resolved already.
struct site_value {
    uint32_t owner_object;       // OWNER_OBJECT
    uint64_t owner_address;      // OWNER_ADDRESS
    int32_t item;                // PLACE_ITEM
    enum site_encoding encoding; // never TYPED
    enum site_reason reason;     // NONE: why there is no value
    uint32_t type;               // number; of what the place was declared as, or what a type parameter stands for
    uint32_t size;               // bytes of the value
    struct text tuple_names;     // of the place's declared type (trace/tuple_names.h)
    const uint32_t *cells;       // of the value
};
// cells: what stands behind the head, `left` of them to the end of the block. Returns how many are the event's; UINT32_MAX
// when they are not all there.
uint32_t sites_take(const struct sites *sites, uint32_t process, const struct site *site, const uint32_t *cells,
                    uint32_t left, struct site_value *out);

#endif
