// A model while it is loaded: what the files of model_*.c share.
#ifndef CLEW_MODEL_MODEL_LOAD_H
#define CLEW_MODEL_MODEL_LOAD_H

#include "model/model.h"
#include "model/stream.h"

struct model_load {
    struct model *model;
    struct recording_reader *reader;
    struct map tree_of; // process << 32 | thread: index in model->trees
    struct tree *tree;  // that is being filled; NULL: none is
    uint32_t nodes;     // of all trees but that one
};

// Definitions and headers (model_definitions.c).

// The session, and all definitions; where each thread's newest tree is.
enum clew_error model_read_definitions(struct model_load *load);
// What there is beside definitions, by the blocks' headers alone.
enum clew_error model_read_headers(struct model_load *load);
// The index of a thread that data in the file is of, last seen at `clock`; CATALOG_NONE: no memory.
uint32_t model_thread_seen(struct model *model, uint32_t process, uint32_t thread, uint64_t clock);
// Takes what the reader has met so far into the model's health.
void model_merge_health(struct model_load *load);

// Call trees (model_trees.c).

// The tree that this thread's data goes to.
enum clew_error model_find_tree(struct model_load *load, uint32_t process, uint32_t thread, struct tree **out);
// The same; load->tree is that one then, and has room for as many nodes as all trees together may still have.
enum clew_error model_fill_tree(struct model_load *load, uint32_t process, uint32_t thread, uint32_t nodes_max,
                                struct tree **out);
// Each thread's newest recorded tree.
enum clew_error model_read_trees(struct model_load *load);
// Without an END: the entries and exits of threads that have no stream, of each one's newest tree alone.
enum clew_error model_count_trees(struct model_load *load);

// Streams (model_streams.c).

// Replays the streams of threads without a recorded tree into one.
enum clew_error model_read_streams(struct model_load *load);

#endif
