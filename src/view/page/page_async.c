// See page_async.h.
#include "view/page/page_async.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "view/page/page_columns.h"

void page_async_free(struct page_async *async)
{
    waits_fini(&async->waits);
    free(async->rows);
    free(async->awaits);
    free(async->places);
    map_free(&async->place_of);
    *async = (struct page_async){0};
}

// The index of a place of a method, which several processes can have.
static enum clew_error find_place(struct page_async *async, uint32_t method, const struct wait *wait, uint64_t *out)
{
    uint64_t key = (uint64_t)method << 32 | wait->state;
    if (map_get(&async->place_of, key, out)) {
        return CLEW_OK;
    }
    if (!array_grow(&async->places, async->place_count, &async->place_room, sizeof *async->places) ||
        !map_put(&async->place_of, key, async->place_count)) {
        return CLEW_NO_MEMORY;
    }
    *out = async->place_count;
    async->places[async->place_count++] = *wait;
    return CLEW_OK;
}

static enum clew_error add_awaits(struct page_async *async, const struct model_tree *from, uint32_t index,
                                  uint32_t node)
{
    const struct catalog *catalog = &async->model->catalog;
    uint32_t found = catalog_find_method(catalog, from->process, from->tree.nodes[index].method);
    CLEW_ASSERT(found != CATALOG_NONE && "the model names each node's method");
    CLEW_TRY(waits_of(async->model, from, index, &async->waits));
    for (uint32_t i = 0; i < async->waits.count; i++) {
        const struct wait *wait = &async->waits.waits[i];
        struct page_await await = {.node = node, .count = wait->count, .awaiting = wait->awaiting};
        CLEW_TRY(find_place(async, catalog->methods[found].canonical, wait, &await.place));
        if (!array_grow(&async->awaits, async->await_count, &async->await_room, sizeof *async->awaits)) {
            return CLEW_NO_MEMORY;
        }
        async->awaits[async->await_count++] = await;
    }
    return CLEW_OK;
}

static struct page_async_row *add_row(struct page_async *async, uint32_t node)
{
    if (!array_grow(&async->rows, async->count, &async->room, sizeof *async->rows)) {
        return NULL;
    }
    async->rows[async->count] = (struct page_async_row){.node = node, PAGE_ASYNC(FIGURE_FIRST)};
    return &async->rows[async->count++];
}

enum clew_error page_async_add(struct page_async *async, const struct model_tree *from, uint32_t index, uint32_t node)
{
    const struct tree_run *run = tree_run(&from->tree, index);
    if (!run) {
        return CLEW_OK;
    }
    struct page_async_row *row = add_row(async, node);
    if (!row) {
        return CLEW_NO_MEMORY;
    }
    row->runs = run->runs;
    row->pending = tree_pending(&from->tree.nodes[index], run);
    row->unknown_ends = tree_unknown_ends(&from->tree.nodes[index], run);
    row->cancelled = run->cancelled;
    row->ended = run->completed + run->faulted + run->cancelled;
    row->parallel = run->parallel;
    row->folded = run->folded;
    row->latency = run->latency;
    row->latency_shortest = row->ended ? run->latency_shortest : UINT64_MAX;
    row->latency_longest = run->latency_longest;
    row->own_awaiting = run->own_awaiting;
    row->awaiting = tree_awaiting(&from->tree, index);
    return add_awaits(async, from, index, node);
}

enum clew_error page_async_fold(struct page_async *async, const struct tree *tree, uint32_t index, uint32_t node,
                                bool outermost, uint32_t *row)
{
    const struct tree_run *run = tree_run(tree, index);
    uint64_t own = run ? run->own_awaiting : 0, all = outermost ? tree_awaiting(tree, index) : 0;
    if (own == 0 && all == 0) {
        return CLEW_OK;
    }
    if (*row == PAGE_NOT_ASYNC) {
        if (!add_row(async, node)) {
            return CLEW_NO_MEMORY;
        }
        *row = async->count - 1;
    }
    async->rows[*row].own_awaiting += own;
    async->rows[*row].awaiting += all;
    return CLEW_OK;
}

static void write_awaits(const struct page_async *async, struct json *json)
{
    const struct page_columns columns = {async->awaits, async->await_count, sizeof *async->awaits,
                                         offsetof(struct page_await, node)};
    json_key(json, "awaits");
    json_open(json, '{');
    page_columns_write(&columns, async->model, json, "node", offsetof(struct page_await, node), FIGURE_COUNT);
    page_columns_write(&columns, async->model, json, "place", offsetof(struct page_await, place), FIGURE_COUNT);
    page_columns_write(&columns, async->model, json, "count", offsetof(struct page_await, count), FIGURE_COUNT);
    page_columns_write(&columns, async->model, json, "awaiting_ns", offsetof(struct page_await, awaiting),
                       FIGURE_TICKS);
    json_close(json, '}');
}

static void write_places(const struct page_async *async, struct json *json)
{
    json_key(json, "places");
    json_open(json, '[');
    for (uint32_t i = 0; i < async->place_count; i++) {
        const struct wait *wait = &async->places[i];
        uint32_t document = page_places_known(async->documents, wait->document);
        json_line(json);
        json_open(json, '{');
        json_member_text_maybe(json, "what", wait->what);
        json_member_text_maybe(json, "file", wait->document ? wait->document->path : (struct text){0});
        json_member_maybe(json, "line", wait->line, wait->line > 0);
        json_member_maybe(json, "document", document, document != PAGE_NO_DOCUMENT);
        json_close(json, '}');
    }
    json_close(json, ']');
}

void page_async_write(const struct page_async *async, struct json *json)
{
    const struct page_columns columns = {async->rows, async->count, sizeof *async->rows,
                                         offsetof(struct page_async_row, latency_shortest)};
    json_key(json, "async");
    if (async->count == 0) {
        json_null(json);
        return;
    }
    json_open(json, '{');
    page_columns_write(&columns, async->model, json, "node", offsetof(struct page_async_row, node), FIGURE_COUNT);
#define COLUMN(name, type, adds, kind, key) \
    page_columns_write(&columns, async->model, json, #key, offsetof(struct page_async_row, name), FIGURE_##kind);
    PAGE_ASYNC(COLUMN)
#undef COLUMN
    write_awaits(async, json);
    write_places(async, json);
    json_close(json, '}');
}
