// What the JIT has compiled, a row for each method definition: type arguments, tiers, loads of a module and processes are added up.
// Used by the report `jit`.
#ifndef CLEW_MODEL_COMPILATIONS_H
#define CLEW_MODEL_COMPILATIONS_H

#include "base/arena.h"
#include "model/model.h"

struct compilation_row {
    const struct recording_module *module; // NULL: dynamic methods, which have none, or it is not known
    uint32_t token;                        // 0: dynamic methods
    uint32_t kind;                         // enum method_kind
    struct text name;
    uint64_t count, ns, longest_ns;
    uint64_t refused, refused_ns; // of these, those for which clew had refused precompiled code
};

struct compilations {
    struct compilation_row *rows; // the longest time first
    size_t row_count, row_room;
    uint64_t ns;       // of all
    uint64_t woven_ns; // clew's own work before
    struct arena arena;
    struct recording_health health;
};

// Whether the recording lists compilations. Those of older versions do not.
bool compilations_known(const struct model *model);
// Reads the recording's definitions once. The caller calls compilations_free() also after an error.
enum clew_error compilations_load(const struct model *model, struct compilations *out);
void compilations_free(struct compilations *compilations);

#endif
