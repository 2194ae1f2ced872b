// The state of a model that is being loaded, shared by model_*.c. No view includes this.
#ifndef CLEW_MODEL_MODEL_LOAD_H
#define CLEW_MODEL_MODEL_LOAD_H

#include "model/events/stream.h"
#include "model/model.h"
#include "recording/tree_changes.h"

// A block of changes behind a thread's newest tree, in a list by thread.
struct changes_block {
    uint64_t offset;
    uint32_t next; // index + 1 of the thread's next one; 0: this is the last
};

// `reader` belongs to model_load(), which closes it after the last pass.
struct model_load {
    struct model *model;
    struct recording_reader *reader;
    struct map tree_of; // process << 32 | thread: index in model->trees
    struct tree *tree;  // the tree that is being filled; NULL: none
    uint32_t nodes;     // number of nodes of all other trees
    struct changes_block *changes;
    uint32_t changes_count;
    size_t changes_room;
    struct recording_kept_tree kept; // scratch: the tree to which changes are applied
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

// Says which view the trees will have (model_view.c). Needs the headers.
enum clew_error model_choose_view(struct model_load *load);

// Call trees (model_trees.c).

// Finds or creates the tree for this thread's data: one per process, or one per thread with threads_apart.
enum clew_error model_find_tree(struct model_load *load, uint32_t process, uint32_t thread, struct tree **out);
// The same, for adding nodes: sets load->tree, and limits it to the number of nodes that `nodes_max` leaves for it. All
// trees together have at most that many nodes.
enum clew_error model_fill_tree(struct model_load *load, uint32_t process, uint32_t thread, uint32_t nodes_max,
                                struct tree **out);
// Adds the block of changes at this offset to its thread's list, if the thread has a tree before it.
enum clew_error model_note_changes(struct model_load *load, struct catalog_thread *thread, uint64_t offset);
// Reads each thread's newest recorded tree, the changes behind it, and the figures of its runs.
enum clew_error model_read_trees(struct model_load *load);
// Adds up the times of logical trees, once all threads are in them.
enum clew_error model_finish_logical(struct model *model);
// A receiver for nodes of trees that are only checked: no pass needs them but those that have a receiver of their own.
enum clew_error model_drop_nodes(void *context, const struct recording_node *nodes, uint32_t count);
// Without an END block: counts the entries and exits of threads that have a tree and no stream.
enum clew_error model_count_trees(struct model_load *load);

// Streams (model_streams.c, model_range.c).

// The name that the runtime gives the threads of its pool (PortableThreadPool.WorkerThread).
#define MODEL_WORKER ".NET TP Worker"

enum { MODEL_STREAM_NODES_MAX = 3000000 }; // limits memory: a stream can have any number of paths

// Whether the block is one of events, of a thread that has no recorded tree.
bool model_needs_stream(const struct model *model, const struct recording_block *block);
// Builds a call tree from the stream of each thread that has no recorded tree.
enum clew_error model_read_streams(struct model_load *load);
// The same for logical trees (model_linked.c).
enum clew_error model_link_streams(struct model_load *load);
// Builds call trees of the range in the options from the streams.
enum clew_error model_read_range(struct model_load *load);

#endif
