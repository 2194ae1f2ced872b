// The rows of the document `tree`: the nodes of call trees in depth-first order. Those with the least time are folded.
#ifndef CLEW_VIEW_PAGE_ROWS_H
#define CLEW_VIEW_PAGE_ROWS_H

#include "view/page/page_async.h"
#include "view/page/page_methods.h"

#define PAGE_NO_ROW UINT32_MAX

// The figures that the document has, in its order. CPU times are those of the node alone, as reports call them.
#define PAGE_CPU(X)                                     \
    X(cpu_user_ns, uint64_t, SUM, CPU, own_cpu_user_ns) \
    X(cpu_kernel_ns, uint64_t, SUM, CPU, own_cpu_kernel_ns)
#define PAGE_FIGURES(X) \
    FIGURES_BEGUN(X) FIGURES_RUNNING(X) FIGURES_ENDED(X) FIGURES_DERIVED(X) FIGURES_OF_TIME(X) PAGE_CPU(X)

// A node; times in ticks.
struct page_row {
    uint32_t parent; // row; PAGE_NO_ROW: a root
    uint32_t method; // index in the document's methods
    uint32_t small;  // the child that has what was folded; PAGE_NO_ROW: nothing was
    uint32_t async;  // of such a child: its async row; PAGE_NOT_ASYNC: it has none
    PAGE_FIGURES(FIGURE_ROW)
};

// A row without a parent, and whose it is.
struct page_root {
    uint32_t row, process, thread; // thread 0: all threads of the process
};

// Zero-initialise. page_rows_free() releases it.
struct page_rows {
    struct page_row *rows;
    struct page_root *roots;
    uint32_t count, root_count;
    size_t room, root_room;
    uint64_t total, calls;                  // over the roots; over all rows
    uint64_t cut_nodes, cut_calls, cut_own; // that were folded
    struct page_methods methods;
    struct page_async async;
};

// Makes rows of all trees of a model, of at most about `most` nodes. NO_MEMORY is the only error.
enum clew_error page_rows_make(struct page_rows *rows, struct page *page, const struct model *model, uint32_t most);
// Writes `view`, `total_ns`, `calls`, `cut`, `methods`, `roots`, `nodes` and `async`.
void page_rows_write(const struct page_rows *rows, struct json *json);
void page_rows_free(struct page_rows *rows);

#endif
