// Call trees, and the table of methods that adds them up.
#ifndef CLEW_PUBLIC_TREE_H
#define CLEW_PUBLIC_TREE_H

#include "clew/recording.h"

#ifdef __cplusplus
extern "C" {
#endif

struct clew_tree;

// Who counts as the parent of a call.
enum clew_tree_view {
    CLEW_TREE_PHYSICAL = 0, // the caller on the stack, as it was
    CLEW_TREE_LOGICAL = 1 // of an async method: the method that awaits it. UNSUPPORTED until recordings have such links
};

// Zero-initialise, then set `size`.
struct clew_tree_options {
    size_t size;
    enum clew_tree_view view;
    bool threads_apart; // a tree for each thread instead of one for each process
    bool adjust;        // subtract the cost of the probes from all times
};

// Loads the trees of all processes, with all threads, as one tree: its node 0 is the session, whose children are the
// methods that threads began with. NOTHING_RECORDED: the recording has neither trees nor calls. UNSUPPORTED, USAGE.
// `options` may be NULL. Free *out before the recording.
CLEW_API enum clew_error clew_tree_load(struct clew_recording *recording, const struct clew_tree_options *options,
                                        struct clew_tree **out);
CLEW_API void clew_tree_free(struct clew_tree *tree);

enum { CLEW_TREE_NONE = UINT32_MAX };

// One path of calls. Times are totals over all its activations; those still running count up to the last known moment.
struct clew_node {
    size_t size;
    uint32_t parent; // a smaller number; CLEW_TREE_NONE for node 0
    uint32_t process;
    uint32_t thread; // 0: all threads of the process
    uint32_t method; // for clew_method(); 0 for node 0
    uint64_t calls;
    uint64_t open;       // activations that had not ended
    uint64_t exceptions; // activations that an exception ended
    uint64_t total_ns;
    uint64_t own_ns;                     // without recorded callees
    uint64_t min_ns, max_ns;             // of ended activations; min 0 and max 0: none has ended
    uint64_t cpu_user_ns, cpu_kernel_ns; // samples of this node's own code
};
// The number of nodes; parents have smaller numbers than their children.
CLEW_API uint32_t clew_tree_count(const struct clew_tree *tree);
// False: there is no such node.
CLEW_API bool clew_tree_node(const struct clew_tree *tree, uint32_t node, struct clew_node *out);

// A row for each method definition: its generic instantiations, all loads of its module and all processes together.
struct clew_method_row {
    size_t size;
    uint32_t process, method; // for clew_method(): the first definition
    uint64_t calls;
    uint64_t open;
    uint64_t exceptions;
    uint64_t own_ns;
    uint64_t total_ns; // of outermost activations, so that recursion does not count twice
    uint64_t mean_ns, min_ns, max_ns;
};

enum clew_method_order { CLEW_BY_OWN_TIME, CLEW_BY_TOTAL_TIME, CLEW_BY_CALLS, CLEW_BY_NAME };

// Sorts the table of methods, largest first (names: alphabetically), and returns its number of rows. Called again with
// another order it sorts anew. USAGE: no such order.
CLEW_API enum clew_error clew_tree_methods(struct clew_tree *tree, enum clew_method_order order, uint32_t *count);
// The row at `index` in the order of the last clew_tree_methods(). False: there is none.
CLEW_API bool clew_tree_method(const struct clew_tree *tree, uint32_t index, struct clew_method_row *out);

#ifdef __cplusplus
}
#endif

#endif
