// The async rows of the document `tree`: what they have besides the figures of all rows, and the places where their activations
// waited.
#ifndef CLEW_VIEW_PAGE_ASYNC_H
#define CLEW_VIEW_PAGE_ASYNC_H

#include "base/map.h"
#include "model/waits.h"
#include "view/json/json.h"
#include "view/page/page_places.h"

#define PAGE_NOT_ASYNC UINT32_MAX

// The figures that the document has, in its order. `parallel` and `folded` are 0 or 1.
#define PAGE_ASYNC(X)                                                  \
    X(runs, uint64_t, SUM, COUNT, runs)                                \
    X(pending, uint64_t, SUM, COUNT, pending)                          \
    X(unknown_ends, uint64_t, SUM, COUNT, unknown_ends)                \
    X(cancelled, uint64_t, SUM, COUNT, cancelled)                      \
    X(ended, uint64_t, SUM, COUNT, ended)                              \
    X(parallel, uint64_t, SUM, COUNT, parallel)                        \
    X(folded, uint64_t, SUM, COUNT, folded)                            \
    X(latency, uint64_t, SUM, TICKS, latency_ns)                       \
    X(latency_shortest, uint64_t, MIN, TICKS_OF_ENDED, latency_min_ns) \
    X(latency_longest, uint64_t, MAX, TICKS_OF_ENDED, latency_max_ns)  \
    X(own_awaiting, uint64_t, SUM, TICKS, own_awaiting_ns)             \
    X(awaiting, uint64_t, SUM, TICKS, awaiting_ns)

struct page_async_row {
    uint64_t node; // in the document
    PAGE_ASYNC(FIGURE_ROW)
};

// Where activations of a node waited.
struct page_await {
    uint64_t node, place; // in the document; index in `places`
    uint64_t count, awaiting;
};

// Set `model` and `documents`, the rest to zero. page_async_free() releases it.
struct page_async {
    const struct model *model;
    const struct page_places *documents;
    struct waits waits; // of the last node
    struct page_async_row *rows;
    struct page_await *awaits;
    struct wait *places; // each once for all nodes of its method
    uint32_t count, await_count, place_count;
    size_t room, await_room, place_room;
    struct map place_of; // method in the catalog << 32 | state: index in `places`
};

// Adds what a node of a tree has, if it is async; `node` is its number in the document. NO_MEMORY is the only error.
enum clew_error page_async_add(struct page_async *async, const struct model_tree *from, uint32_t index, uint32_t node);
// Adds the waiting of a node that is folded into the node `node` of the document. *row: of that node, PAGE_NOT_ASYNC at first.
// outermost: no node above it is folded into the same.
enum clew_error page_async_fold(struct page_async *async, const struct tree *tree, uint32_t index, uint32_t node,
                                bool outermost, uint32_t *row);
// Writes the member `async`.
void page_async_write(const struct page_async *async, struct json *json);
void page_async_free(struct page_async *async);

#endif
