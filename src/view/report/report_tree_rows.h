// The rows of a call tree as text: paths, places of await below them, and rows that represent others.
#ifndef CLEW_VIEW_REPORT_TREE_ROWS_H
#define CLEW_VIEW_REPORT_TREE_ROWS_H

#include "model/endings.h"
#include "model/waits.h"
#include "view/text/view.h"

// The state of printing one tree.
struct tree_walk {
    const struct view *view;
    const struct model *model;
    const struct model_tree *from;
    const struct tree *tree; // of `from`
    struct waits *waits;
    struct endings *endings;
    enum clew_error *error; // that of the first place of await or type that could not be found
    uint32_t depth_max;
    uint64_t smallest;       // ticks; shorter paths are folded,
    uint64_t least_awaiting; // unless they waited as long as this
    bool brief;              // only count folds that are short in total, in *left_out
    uint64_t *left_out;
    uint32_t *spare; // how many rows folds of levels may still remove
    uint64_t whole;  // of what shares are: ticks, or with `by_cpu` ns of CPU time
    bool sampled;    // CPU time
    bool by_cpu;     // shares are those of sampled CPU time: wall time includes waiting
};

// The time of one or more paths.
struct tree_time {
    uint64_t total;  // ticks
    uint64_t cpu_ns; // sampled
};

// Prints the heading.
void tree_rows_head(const struct tree_walk *walk);
// Prints the row of one path, and what it waited for.
void tree_rows_node(const struct tree_walk *walk, const struct tree_node *node, int64_t depth);
// Prints a dim row that represents `count` others.
void tree_rows_folded(const struct tree_walk *walk, int64_t depth, struct tree_time time, const char *what,
                      uint64_t count);

static inline uint32_t tree_walk_index(const struct tree_walk *walk, const struct tree_node *node)
{
    return (uint32_t)(node - walk->tree->nodes);
}

static inline struct tree_time tree_walk_time(const struct tree_walk *walk, uint32_t node)
{
    return (struct tree_time){walk->tree->nodes[node].total, tree_cpu_ns(walk->tree, node)};
}

#endif
