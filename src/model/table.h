// Call trees summed up into rows: a row a method, a row a module. One row a method definition: its generic
// instantiations, its loads and the processes that ran it are added up.
#ifndef CLEW_MODEL_TABLE_H
#define CLEW_MODEL_TABLE_H

#include "model/lines.h"
#include "model/model.h"

struct table_method {
    uint32_t method; // index in catalog.methods of the first of its equal methods
    uint64_t calls, exceptions, open;
    uint64_t own;   // ticks, without recorded callees
    uint64_t total; // ticks of outermost activations: what runs below another activation of the method adds nothing
    uint64_t sum;   // ticks of all activations, inclusive: sum / calls is the mean
    uint64_t shortest, longest;                  // ended activations, inclusive; UINT64_MAX and 0 when there is none
    uint64_t cpu_user_ns, cpu_kernel_ns;         // sampled, in what total covers
    uint64_t own_cpu_user_ns, own_cpu_kernel_ns; // sampled, in what own covers
    uint64_t statements;                         // begun; see table_add_lines()
    bool no_calls; // counted by line alone: of the above, only own and statements are known
};

struct table_module {
    uint32_t module;  // index in catalog.modules of its first load
    uint64_t methods; // of it that the recording knows: those recorded and those left alone
    uint64_t woven;
    uint64_t calls;
    uint64_t own; // ticks
};

struct table_methods {
    struct table_method *rows;
    uint32_t count;
};

struct table_modules {
    struct table_module *rows;
    uint32_t count;
};

enum table_key { TABLE_OWN, TABLE_TOTAL, TABLE_CALLS, TABLE_MIN, TABLE_MEAN, TABLE_MAX, TABLE_NAME };

// Rows in order of first definition. The caller frees rows, which are NULL after an error.
enum clew_error table_methods(const struct model *model, struct table_methods *out);
// Adds what lines counted: the rows' statements, and rows of methods that were recorded by line alone.
void table_add_lines(const struct model *model, const struct lines *lines, struct table_methods *methods);
enum clew_error table_modules(const struct model *model, const struct table_methods *methods,
                              struct table_modules *out);
// Largest first, by name where equal; TABLE_NAME alphabetically.
void table_sort(const struct model *model, struct table_methods *methods, enum table_key key);

// Parallel to a tree's nodes: CPU time of a node and all below it. The caller frees *out.
struct table_cpu {
    uint64_t user_ns, kernel_ns;
};
enum clew_error table_tree_cpu(const struct tree *tree, struct table_cpu **out);

#endif
