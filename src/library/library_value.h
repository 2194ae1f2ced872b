// Turns the payload of a site's event into the value that libclew shows.
#ifndef CLEW_LIBRARY_VALUE_H
#define CLEW_LIBRARY_VALUE_H

#include <clew/cursor.h>

#include "model/objects.h"
#include "model/sites.h"

// Texts and bytes of the result borrow from the three arguments; a string's text lives until the next lookup in
// `objects`.
struct clew_value library_value(const struct sites *sites, struct objects *objects, uint32_t process,
                                const struct site_value *value);

#endif
