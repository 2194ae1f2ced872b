// Finds rows of call trees by the methods on the way to them; the trees are linked, as those of models are. Include it after
// cmocka.h.
#ifndef CLEW_TEST_MODEL_TREE_ROWS_H
#define CLEW_TEST_MODEL_TREE_ROWS_H

#include "model/tree.h"

// The row that is reached from the root through these methods; the test fails if there is none.
static inline uint32_t tree_row(const struct tree *tree, const uint32_t *methods, uint32_t depth)
{
    uint32_t at = TREE_ROOT;
    for (uint32_t i = 0; i < depth; i++) {
        at = tree->nodes[at].first_child;
        while (at && tree->nodes[at].method != methods[i]) {
            at = tree->nodes[at].next;
        }
        assert_int_not_equal(at, 0);
    }
    return at;
}

// The number of the row that is reached through the methods: ROW(tree, MAIN, ADD) is the row of Add, called by Main.
#define ROW(tree, ...) \
    tree_row(tree, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
// The row itself.
#define NODE(tree, ...) (&(tree)->nodes[ROW(tree, __VA_ARGS__)])
// The figures of the runs of a row's async method; NULL: the row is of another method.
#define RUNS(tree, ...) tree_run(tree, ROW(tree, __VA_ARGS__))

#endif
