// Decodes the events of sites: holds the sites, documents and types that a recording defines. Like the catalog it grows
// with the program's code. Only views of statements and values load it. Sites are defined in trace/site.h.
#ifndef CLEW_MODEL_SITES_H
#define CLEW_MODEL_SITES_H

#include "recording/reader.h"
#include "trace/site.h"

// All definitions that events of sites refer to. Not thread-safe: sites are decoded when they are first looked up.
struct sites;

// Reads all definitions in one pass. Damaged ones are left out. The caller calls sites_free().
enum clew_error sites_load(struct recording *recording, struct sites **out);
void sites_free(struct sites *sites);

// Look up by number within the process. NULL: not defined. The results live as long as `sites`.
const struct site *sites_site(const struct sites *sites, uint32_t process, uint32_t site);
const struct type *sites_type(const struct sites *sites, uint32_t process, uint32_t type);
const struct recording_exception *sites_exception(const struct sites *sites, uint32_t process, uint64_t exception);
// The first statement with a line among the sites that were defined together with this one.
struct sites_statement {
    uint32_t number, document;
};
// False: none of them is one, or the site is not defined. Does not decode sites, so it may be asked of all.
bool sites_first_statement(const struct sites *sites, uint32_t process, uint32_t site, struct sites_statement *out);
// The number of the method that contains the site; 0: not defined.
uint32_t sites_method(const struct sites *sites, uint32_t process, uint32_t site);
const struct recording_document *sites_document(const struct sites *sites, uint32_t process, uint32_t module,
                                                uint32_t document);
// Enumerate the sites of a process: sites_number() returns the number at each index below sites_count(). Some of these
// numbers may not be defined.
uint32_t sites_count(const struct sites *sites, uint32_t process);
uint32_t sites_number(const struct sites *sites, uint32_t process, uint32_t place);

// The damage found while reading definitions.
const struct recording_health *sites_health(const struct sites *sites);

// The payload of an event. Type parameters are resolved: `type`, `size` and `encoding` are those of the actual value.
// `cells` points into the event.
struct site_value {
    uint32_t owner_object;       // OWNER_OBJECT
    uint64_t owner_address;      // OWNER_ADDRESS
    int32_t item;                // PLACE_ITEM
    const uint32_t *key;         // PLACE_KEY, PLACE_KEY_OBJECT: its cell (sites_key())
    enum site_encoding encoding; // never VALUE_TYPED
    enum site_reason reason;     // VALUE_NONE: why there is no value
    uint32_t type;               // number of the declared type; for a type parameter, of the actual one
    uint32_t size;               // size of the value in bytes
    struct text tuple_names;     // from the declaration of the place (trace/tuple_names.h)
    const uint32_t *cells;       // the value's bytes
};
// Parses an event's payload. `cells` begins after the event's head cell and has `left` cells up to the end of the
// block. Returns how many belong to the event; UINT32_MAX if they are not all there.
uint32_t sites_take(const struct sites *sites, uint32_t process, const struct site *site, const uint32_t *cells,
                    uint32_t left, struct site_value *out);
// The key of an item of a dictionary, from the value that sites_take() has given, as a value of its own.
struct site_value sites_key(const struct sites *sites, uint32_t process, const struct site *site,
                            const struct site_value *value);

#endif
