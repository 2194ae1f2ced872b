// A call tree: one node per path of methods from the thread's start, with the counts and times of all activations on
// that path. Links are 32-bit indices into an array. No function walks a tree recursively, because paths can be 100,000
// levels long.
#ifndef CLEW_MODEL_TREE_H
#define CLEW_MODEL_TREE_H

#include "model/async.h"
#include "model/tree_thrown.h"

enum { TREE_ROOT = 0 };
#define TREE_NONE UINT32_MAX
// A path of a logical tree has at most so many rows of async methods, as far as further ones are of methods that it has already:
// these are added to the nearest row of their method above.
enum { TREE_ASYNC_LEVELS_MAX = 4096 };

// The figures (trace/figures.h) are those of all threads that the tree has. A child has a larger number than its parent.
// Numbers are in the order of creation. A tree can have millions of nodes, so each byte here counts.
struct tree_node {
    uint32_t parent;
    uint32_t first_child; // 0: none (the root is no child). While nodes are added: the child that was looked up last
    uint32_t next;        // sibling; 0: none. While nodes are added: the next node of the same slot
    uint32_t method;      // of the process, or a pseudo-method
    uint32_t cpu;         // index in the tree's `cpus`; 0: no CPU time was sampled
    FIGURES_OF_CALLS(FIGURE_SUM)
    uint64_t inside; // part of `total` spent in recorded callees
};

struct tree_cpu_times {
    FIGURES_OF_CPU(FIGURE_ROW)
};

// Sampled CPU time. Few nodes have any.
struct tree_cpu {
    struct tree_cpu_times own; // of the node alone
    struct tree_cpu_times all; // with all nodes below; known once the tree is linked
};

// What a row of a logical tree has beside its node if it is the body of an async method or async iterator.
struct tree_run {
    uint64_t kickoffs; // calls of the kick-off, which has no row of its own
    uint64_t runs;     // of the body
    uint64_t resumed;  // of these, those that continued an activation after an await
    FIGURES_OF_RUNS(FIGURE_SUM)
    uint32_t places;   // the first place where it waited: index in tree_logical.places; 0: none
    bool folded;       // it may also have activations that a longer path would have rows for (TREE_ASYNC_LEVELS_MAX)
    bool fails_unseen; // an exception may have ended some of its activations without a run
    bool parallel; // what ran and waited below it took more time than its activations: known once the tree is finished
};

// A place where activations of a row waited, counted when they were resumed.
struct tree_place {
    uint32_t state; // of the body (trace/await.h)
    uint32_t next;  // of the same row; 0: none
    uint64_t count;
    uint64_t awaiting; // ticks
};

// How many activations of a node took about how long.
struct tree_latency {
    uint32_t bucket; // of trace/histogram.h
    uint32_t next;   // of the same node; 0: none
    uint64_t count;
};

// In tree_logical.runs_of: a method during which runs of other activations took place, whose rows are elsewhere. So the times
// of its single activations are not those of the row.
#define TREE_MOVED UINT32_MAX

// The rest of a logical tree (tree_logical.h). Few nodes have a run.
struct tree_logical {
    uint32_t *runs_of; // by node: index in `runs`; 0: the row is not async; TREE_MOVED
    uint32_t node_count;
    size_t node_room;
    struct tree_run *runs; // runs[0] is none
    uint32_t run_count;
    size_t run_room;
    struct tree_place *places; // places[0] is none
    uint32_t place_count;
    size_t place_room;
    struct map place_of; // node << 32 | state: index in `places`
    uint32_t *path_rows; // by path, while nodes are added: its row; 0: not known yet
    uint32_t path_count;
    uint32_t *levels; // by node, while nodes are added: how many rows of async methods its path has, with its own
    uint32_t level_count;
    size_t level_room;
    uint64_t *awaiting; // by node: own_awaiting of the node and all below; NULL until the tree is finished
};

// Initialise with tree_init(). While nodes are added, a hash table finds them; then tree_link() replaces it by the links
// of parents to their children.
struct tree {
    struct tree_node *nodes; // nodes[TREE_ROOT] represents the threads; its total is its children's sum
    uint32_t count, capacity;
    uint32_t *slots; // hash table of (parent, method), of `capacity` lists of nodes; 0: none. NULL: the tree is linked
    struct tree_cpu *cpus; // cpus[0]: no time
    uint32_t cpu_count;
    size_t cpu_room;
    struct tree_latency *latencies; // latencies[0] is none
    uint32_t latency_count;
    size_t latency_room;
    struct map
        latencies_of;   // node: the newest of its latencies. Of async rows, and of methods that no recorded one called
    uint32_t nodes_max; // beyond this number new paths are folded; may be changed
    bool over_cap;      // some paths were folded into one node per method
    bool *is_context;   // by node: it is there for the sake of chosen calls below it (tree_chosen.h); NULL: none is
    struct tree_logical *logical; // NULL: the tree is physical
    struct tree_thrown thrown;    // by which exceptions activations ended, as far as it is known
};

// Makes a tree with only a root. After an error nothing needs to be freed.
enum clew_error tree_init(struct tree *tree, uint32_t nodes_max);
void tree_fini(struct tree *tree);

// Adds sampled CPU time to a node.
enum clew_error tree_add_cpu(struct tree *tree, uint32_t node, const struct recording_node *recorded);

// Adds latencies to a node. NO_MEMORY is the only error.
enum clew_error tree_add_latencies(struct tree *tree, uint32_t node, const struct recording_latency *latencies,
                                   uint32_t count);
// The first of a node's, of which each leads to the next; 0: it has none. A bucket may have several.
uint32_t tree_latencies(const struct tree *tree, uint32_t node);

// Finds or adds the child of `parent` for `method`. TREE_NONE when memory runs out. A linked tree has to be linked again
// afterwards. tree_child() is the same with a fast path for the parent's last child.
uint32_t tree_child_slow(struct tree *tree, uint32_t parent, uint32_t method);

static inline uint32_t tree_child(struct tree *tree, uint32_t parent, uint32_t method)
{
    uint32_t hint = tree->nodes[parent].first_child;
    return hint && tree->nodes[hint].method == method ? hint : tree_child_slow(tree, parent, method);
}

// The node of `method` called by `parent`, which may be among those over the cap. TREE_NONE: the tree has no such path.
// Not of a linked tree.
uint32_t tree_find(const struct tree *tree, uint32_t parent, uint32_t method);

// A recorded tree of one thread that is added part by part, as a physical one. Set the first members, the rest to zero;
// tree_merge_end() releases it.
struct tree_merge {
    struct tree *tree;
    uint32_t process;
    const struct async *async;        // NULL: none are known
    struct async_paths paths;         // of the process
    uint64_t kickoffs, open_kickoffs; // calls of kick-offs that have no nodes of their own
    uint32_t *into;                   // by recorded node: the node that has it
    uint32_t count;
    size_t room;
};

// Adds the next nodes. Filters, and what ran in a body after its wait or its end, are folded into their parents. A first run
// that stands for its kick-off makes a node for both. DAMAGED: a node's parent does not come before it; the nodes before that
// one were added.
enum clew_error tree_merge_part(struct tree_merge *merge, const struct recording_node *nodes, uint32_t count);
// Adds latencies of nodes that were added, as far as they are those of methods that no recorded one has called.
enum clew_error tree_merge_runs(struct tree_merge *merge, const struct recording_runs *runs);
void tree_merge_end(struct tree_merge *merge);

void tree_logical_free(struct tree_logical *logical); // may be NULL
// The run of a row; NULL: the tree is physical, or the row is not async.
const struct tree_run *tree_run(const struct tree *tree, uint32_t node);
// Activations of an async row that neither run nor have ended.
uint64_t tree_pending(const struct tree_node *node, const struct tree_run *run);
// Of these, those that may have ended by an exception: it came out of an await in no try, so the method did not run again. Nothing
// in the process says so before a caller goes on.
uint64_t tree_unknown_ends(const struct tree_node *node, const struct tree_run *run);
// Activations of an async row that have ended, in whichever way.
uint64_t tree_ended(const struct tree_run *run);
// The mean latency of those that ended, in ticks; 0: none has.
uint64_t tree_latency(const struct tree_run *run);
// Ticks in which activations of the node and of the nodes below waited; 0 of a physical tree.
static inline uint64_t tree_awaiting(const struct tree *tree, uint32_t node)
{
    return tree->logical && tree->logical->awaiting ? tree->logical->awaiting[node] : 0;
}

// Whether a node has no figures but the time of what was chosen below it.
static inline bool tree_is_context(const struct tree *tree, uint32_t node)
{
    return tree->is_context && tree->is_context[node];
}

// Links parents to their children, once all nodes are there, and adds up CPU times. A tree that is linked stays as it is.
enum clew_error tree_link(struct tree *tree);

// The sampled CPU time of a node.
static inline const struct tree_cpu *tree_cpu(const struct tree *tree, uint32_t node)
{
    return &tree->cpus[tree->nodes[node].cpu];
}

// All of it, with all nodes below.
static inline uint64_t tree_cpu_ns(const struct tree *tree, uint32_t node)
{
    const struct tree_cpu_times *all = &tree_cpu(tree, node)->all;
    return all->cpu_user_ns + all->cpu_kernel_ns;
}

// Orders two siblings. If it returns 0, the order of creation decides.
typedef int tree_compare(const struct tree_node *a, const struct tree_node *b);
tree_compare tree_by_total; // longest first, then most calls, then first sight
// Sorts the children of every node of a linked tree; NULL sorts by creation. `cpu_first`: those with the most CPU time come
// first, with all nodes below, and `compare` orders equal ones.
enum clew_error tree_sort(struct tree *tree, bool cpu_first, tree_compare *compare);

// The node of a linked tree after `node` in depth-first order, skipping its children if `skip`; TREE_ROOT at the end. Updates *depth,
// where the root's children have depth 0. Start with node = TREE_ROOT and depth = -1.
uint32_t tree_next(const struct tree *tree, uint32_t node, bool skip, int64_t *depth);

// Time in the method itself; 0 where a recording's numbers contradict each other.
static inline uint64_t tree_own(const struct tree_node *node)
{
    return node->total > node->inside ? node->total - node->inside : 0;
}

// Calls, as far as the node is one of a method: compilation is not.
static inline uint64_t tree_calls(const struct tree_node *node)
{
    return method_is_no_call(node->method) ? 0 : node->calls;
}

// Subtracts what probes took from all times. `costs` has the ticks for each node that they took in the node's own time;
// those of the root are in no method, and stay.
enum clew_error tree_adjust(struct tree *tree, const double *costs);

#endif
