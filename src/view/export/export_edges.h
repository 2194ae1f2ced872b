// Which method called which, added up over call trees.
#ifndef CLEW_VIEW_EXPORT_EDGES_H
#define CLEW_VIEW_EXPORT_EDGES_H

#include "view/export/export.h"

// Calls of one method by another.
struct export_edge {
    uint32_t caller, callee; // canonical; caller CATALOG_NONE: none, an outermost call
    uint64_t calls;          // activations begun
    uint64_t total;          // ticks; of a call below another one of the same edge nothing is added
    uint64_t calls_below;    // activations that total covers, its own included
    uint32_t active;         // used while counting
};

struct export_edges {
    struct export_edge *edges; // by caller, then by callee
    size_t count, room;
    struct map known; // used while counting
};

// Adds up all trees of the model. The caller calls export_edges_free(), also after an error.
enum clew_error export_edges_load(struct export *export, struct export_edges *out);
void export_edges_free(struct export_edges *edges);

#endif
