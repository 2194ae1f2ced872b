// What the recorded threads have thrown, where, and where it was caught: the figures that stand beside their call trees, added up over
// threads, processes and loads of a module. Used by the report `exceptions`.
#ifndef CLEW_MODEL_THROWN_H
#define CLEW_MODEL_THROWN_H

#include "model/model.h"
#include "model/sites.h"

// Exceptions of one type that were thrown in one method and caught in one. Methods are indices in catalog.methods, canonical;
// CATALOG_NONE: below no recorded one.
struct thrown_row {
    struct text type; // its full name; empty: unknown
    uint32_t method;
    uint32_t caught_method;
    bool below;        // thrown by code that is not recorded, which the method called
    bool caught;       // else these were thrown and not caught, as far as is known
    bool caught_below; // caught by code that is not recorded, which the catching method called
    uint32_t flags;    // enum exception_flag, of the first one; 0: it is not known
    uint32_t length;   // of its message, in UTF-16 units
    struct text message;
    uint64_t count;        // thrown
    uint64_t caught_count; // of a row of types
};

struct exceptions {
    struct thrown_row *places; // the most frequent first
    size_t place_count;
    struct thrown_row *types; // the same by type: only type and numbers are set
    size_t type_count;
    uint64_t thrown, caught;
    uint64_t outside; // thrown on threads that have run no recorded code: not in the rows
    uint64_t over;    // throws and catches for which the program had no room: not in the rows
    struct recording_health health;
};

// Whether the recording has such figures. Those of older versions have none.
bool exceptions_known(const struct model *model);

// Reads the recording once. The rows borrow texts from `sites`, which must outlive them. The caller calls exceptions_free() also
// after an error.
enum clew_error exceptions_load(const struct model *model, const struct sites *sites, struct exceptions *out);
void exceptions_free(struct exceptions *exceptions);

#endif
