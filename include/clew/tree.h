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
    // Of an async method the method that called it, whatever resumed it. The call and the body are one row.
    CLEW_TREE_LOGICAL = 1
};

// Zero-initialise, then set `size`.
struct clew_tree_options {
    size_t size;
    enum clew_tree_view view;
    bool threads_apart; // a tree for each thread instead of one for each process
    bool adjust;        // subtract the cost of the probes from all times
};

// Loads the trees of all processes, with all threads, as one tree: its node 0 is the session, whose children are the
// methods that threads began with. NOTHING_RECORDED: the recording has neither trees nor calls. UNSUPPORTED: a logical tree is
// asked for, and the recording does not say who called async methods, or has none; or threads are to be apart, whose trees are
// physical. Then ask for the physical one. USAGE.
// `options` may be NULL. Free *out before the recording.
CLEW_API enum clew_error clew_tree_load(struct clew_recording *recording, const struct clew_tree_options *options,
                                        struct clew_tree **out);
CLEW_API void clew_tree_free(struct clew_tree *tree);

enum { CLEW_TREE_NONE = UINT32_MAX };

// One path of calls. Times are totals over all its activations; those still running count up to the last known moment.
//
// In a logical tree, `calls` of an async method are its activations, each from the call to its end, and `own_ns` is its time on all
// threads. `total_ns` is that and the total of the children, so it may exceed the latency. Activations whose callers are not
// known are below a node whose method has token 0 and the name "(caller unknown)"; clew_process() says how many there are.
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
    uint64_t min_ns, max_ns;             // of ended activations; min 0 and max 0: none has ended, or they are not known
    uint64_t cpu_user_ns, cpu_kernel_ns; // samples of this node's own code
    // Of logical trees; else 0. Time in which activations of this node and of those below waited, while nothing that they called ran.
    uint64_t awaiting_ns;
    // Of async methods and async iterators in logical trees; else 0.
    bool async;
    bool parallel;       // what ran and waited below took longer than the activations did, so some of it overlapped
    uint32_t awaits;     // places where it waited: clew_tree_await()
    uint64_t runs;       // stretches of the body on some thread: the first, and one after each wait
    uint64_t pending;    // activations that neither ran nor had ended; `open` are those that ran
    uint64_t cancelled;  // that an OperationCanceledException ended; other exceptions are in `exceptions`
    uint64_t ended;      // however they did: latencies are of these
    uint64_t latency_ns; // sum, from the call to the end
    uint64_t latency_min_ns, latency_max_ns; // of one; 0 if none has ended
    uint64_t own_awaiting_ns;                // the part of awaiting_ns that is not of nodes below
};
// The number of nodes; parents have smaller numbers than their children.
CLEW_API uint32_t clew_tree_count(const struct clew_tree *tree);
// False: there is no such node.
CLEW_API bool clew_tree_node(const struct clew_tree *tree, uint32_t node, struct clew_node *out);

// A place in the source where activations of an async node waited and were resumed.
struct clew_await {
    size_t size;
    struct clew_text
        what; // as in the source: `Repo.LoadAsync`; empty: a variable or a field is awaited, or it is not known
    struct clew_text file; // empty, and line 0: not known
    uint32_t line;
    uint64_t count;
    uint64_t awaiting_ns; // from the wait to the next run
};
// The place at `index` of a node, below its `awaits`, most time first. Texts live as long as the tree. NOT_FOUND: there is none.
CLEW_API enum clew_error clew_tree_await(struct clew_tree *tree, uint32_t node, uint32_t index, struct clew_await *out);

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
