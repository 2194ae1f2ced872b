// A call tree: one node a path of methods from the thread's start, with counts and times of all activations on it.
// Compact (arrays, 32-bit links) and never walked by recursion, since paths can be 100,000 long.
#ifndef CLEW_MODEL_TREE_H
#define CLEW_MODEL_TREE_H

#include "recording/recording.h"

enum { TREE_ROOT = 0 };
#define TREE_NONE UINT32_MAX

// Times in ticks of the session's clock. A child's number is larger than its parent's; numbers go by first sight.
struct tree_node {
    uint32_t parent;
    uint32_t first_child; // 0: none (the root is nobody's child)
    uint32_t next;        // sibling; 0: none
    uint32_t hint;        // the child that was looked for last
    uint32_t method;      // of the process, or a pseudo-method
    uint32_t open;        // activations that run at the last moment seen
    uint64_t calls;
    uint64_t exceptions; // activations ended by an exception
    uint64_t total;      // of all activations, the open ones up to the last moment seen
    uint64_t inside;     // of total: in recorded callees
    uint64_t shortest;   // ended activation; UINT64_MAX: none has ended
    uint64_t longest;
    uint64_t cpu_user_ns; // sampled while this was the running node
    uint64_t cpu_kernel_ns;
};

struct tree {
    struct tree_node *nodes; // nodes[TREE_ROOT] stands for the threads; its total is the sum of its children's
    uint32_t count, capacity;
    uint32_t *slots; // hash of (parent, method): node numbers, 0 is free
    uint32_t slot_count;
    uint32_t nodes_max; // past it, new paths are folded; may be changed
    bool over_cap;      // nodes_max was reached: further paths were folded into one node a method
};

enum clew_error tree_init(struct tree *tree, uint32_t nodes_max);
void tree_fini(struct tree *tree);

// The child of `parent` for `method`, made when new; TREE_NONE when memory runs out.
uint32_t tree_child_slow(struct tree *tree, uint32_t parent, uint32_t method);

static inline uint32_t tree_child(struct tree *tree, uint32_t parent, uint32_t method)
{
    uint32_t hint = tree->nodes[parent].hint;
    return hint && tree->nodes[hint].method == method ? hint : tree_child_slow(tree, parent, method);
}

// Adds a thread's tree as recorded; filters fold into their owner. Nodes whose parent link is wrong end it with DAMAGED.
enum clew_error tree_merge(struct tree *tree, const struct recording_tree *recorded);

// Orders every node's children.
// 0 leaves the order of first sight.
typedef int tree_compare(const struct tree_node *a, const struct tree_node *b);
tree_compare tree_by_total; // longest first, then most calls, then first sight
// NULL: all by first sight.
enum clew_error tree_sort(struct tree *tree, tree_compare *compare);

// The node after `node` in depth-first order, its children left out when `skip`; TREE_ROOT at the end. *depth follows
// (the root's children are at 0); start with node = TREE_ROOT and depth = -1.
uint32_t tree_next(const struct tree *tree, uint32_t node, bool skip, int64_t *depth);

static inline uint64_t tree_own(const struct tree_node *node)
{
    return node->total > node->inside ? node->total - node->inside : 0;
}

// Takes the cost of the probes (ticks a call: `probe` in all, `own` of it inside the activation) out of the times.
enum clew_error tree_adjust(struct tree *tree, double probe, double own);

#endif
