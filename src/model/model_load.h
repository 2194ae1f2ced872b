// The state of a model that is being loaded, shared by model_*.c. No view includes this.
#ifndef CLEW_MODEL_MODEL_LOAD_H
#define CLEW_MODEL_MODEL_LOAD_H

#include "model/model.h"
#include "model/stream.h"

// `reader` belongs to model_load(), which closes it after the last pass.
struct model_load {
    struct model *model;
    struct recording_reader *reader;
    struct map tree_of; // process << 32 | thread: index in model->trees
    struct tree *tree;  // the tree that is being filled; NULL: none
    uint32_t nodes;     // number of nodes of all other trees
};

// Definitions and headers (model_definitions.c).

// Reads the session and all definitions, and notes the position of each thread's newest tree.
enum clew_error model_read_definitions(struct model_load *load);
// Reads the headers of all other blocks.
enum clew_error model_read_headers(struct model_load *load);
// Returns the index of the thread, which is added if it is new, and notes that it was active at `clock`. CATALOG_NONE:
// memory ran out.
uint32_t model_thread_seen(struct model *model, uint32_t process, uint32_t thread, uint64_t clock);
// Adds the damage that the reader has found so far to the model's health.
void model_merge_health(struct model_load *load);

// Call trees (model_trees.c).

// Finds or creates the tree for this thread's data: one per process, or one per thread with threads_apart.
enum clew_error model_find_tree(struct model_load *load, uint32_t process, uint32_t thread, struct tree **out);
// The same, for adding nodes: sets load->tree, and limits it to the number of nodes that `nodes_max` leaves for it. All
// trees together have at most that many nodes.
enum clew_error model_fill_tree(struct model_load *load, uint32_t process, uint32_t thread, uint32_t nodes_max,
                                struct tree **out);
// Reads each thread's newest recorded tree.
enum clew_error model_read_trees(struct model_load *load);
// Without an END block: counts the entries and exits of threads that have a tree and no stream.
enum clew_error model_count_trees(struct model_load *load);

// Streams (model_streams.c).

// Builds a call tree from the stream of each thread that has no recorded tree.
enum clew_error model_read_streams(struct model_load *load);

#endif
