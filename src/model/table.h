// Adds up call trees into tables with a row per method or per module. A method's row covers its generic instantiations,
// all loads of its module and all processes.
#ifndef CLEW_MODEL_TABLE_H
#define CLEW_MODEL_TABLE_H

#include "model/lines.h"
#include "model/model.h"

// A row of the table of methods: the figures of all nodes of the method. `total` and CPU times are those of outermost
// activations with their callees, so that recursion does not count twice.
struct table_method {
    uint32_t method; // index in catalog.methods, canonical
    FIGURES(FIGURE_ROW)
    FIGURES_DERIVED(FIGURE_ROW)
    uint64_t sum;                                // ticks of all activations with their callees: sum / calls is the mean
    uint64_t own_cpu_user_ns, own_cpu_kernel_ns; // samples that `own` covers
    uint64_t counted;                            // of the calls: those that have no times and no callers
    uint64_t statements;                         // statements begun; see table_add_lines()
    bool no_calls;                               // known only from line counters: of the above, just own and statements
};

// A row of the table of modules: all loads of one file.
struct table_module {
    uint32_t module;  // index in catalog.modules of its first load
    uint64_t methods; // methods known of the module, recorded or not
    uint64_t woven;
    uint64_t calls;
    uint64_t own; // ticks
};

// Whether anything but the number of calls is known of a row.
static inline bool table_is_timed(const struct table_method *row)
{
    return row->counted == 0 || row->calls > row->counted;
}

struct table_methods {
    struct table_method *rows;
    uint32_t count;
};

struct table_modules {
    struct table_module *rows;
    uint32_t count;
};

// Those from TABLE_MIN on are keys of methods alone.
enum table_key { TABLE_OWN, TABLE_CPU, TABLE_TOTAL, TABLE_CALLS, TABLE_MIN, TABLE_MEAN, TABLE_MAX, TABLE_NAME };

// Makes the rows, ordered by first definition. The caller frees out->rows, which is NULL after an error.
enum clew_error table_methods(const struct model *model, struct table_methods *out);
// Adds the counts of `lines`: statements for the rows, and rows for methods that only have line counters. Sets the
// counts that it used to 0.
void table_add_lines(const struct model *model, const struct lines *lines, struct table_methods *methods);
enum clew_error table_modules(const struct model *model, const struct table_methods *methods,
                              struct table_modules *out);
// Sorts by the key, largest first; ties are broken by calls, statements and name, those of TABLE_CPU (sampled CPU time that
// `own` covers) by own time first. TABLE_NAME sorts alphabetically.
void table_sort(const struct model *model, struct table_methods *methods, enum table_key key);

// Whether any CPU time was sampled. A range of time has none.
bool table_has_cpu(const struct model *model);
// The CPU time that a row's own time covers.
static inline uint64_t table_own_cpu(const struct table_method *row)
{
    return row->own_cpu_user_ns + row->own_cpu_kernel_ns;
}
// The key that rows are sorted by unless a user chooses one. Wall time includes waiting, so rows are
// sorted by CPU time where it is known; without times, by calls.
enum table_key table_first_key(const struct model *model);

// A figure of a node, for views.
struct table_figure {
    const char *key;
    enum figure_kind kind;
    bool known; // false: of ended activations, and none has ended
    uint64_t value;
};
enum { TABLE_FIGURES = 0 FIGURES_SHOWN(FIGURE_ONE) };
// Those of FIGURES_SHOWN. CPU times are with the nodes below.
void table_figures(const struct tree *tree, uint32_t node, struct table_figure out[TABLE_FIGURES]);

#endif
