// See requests.h. Parents come before their children in a tree, so one pass finds for each node the request that it is part of.
#include "model/requests.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"
#include "model/pattern.h"
#include "trace/instrument.h"

// Latencies of a row: of one of its nodes.
struct measured {
    uint32_t row;
    struct recording_latency latency;
};

// A wait of a row: in one of its nodes.
struct waited {
    uint32_t row;
    struct wait wait;
};

struct loading {
    const struct model *model;
    bool *chosen; // by catalog method: the user's pattern means it; NULL: there is none
    struct requests *out;
    size_t room;
    struct measured *measured;
    size_t measured_count, measured_room;
    struct waits waits; // of the node at hand
    struct waited *waited;
    size_t waited_count, waited_room;
    struct map row_of; // method << 1 | unknown_caller: index of its row
    uint32_t *inside;  // by node of the tree at hand: row + 1 of the request that it is in; 0: it is in none
};

// -- Roots ------------------------------------------------------------------------------------------------------------

static bool is_below_unknown(const struct tree *tree, const struct tree_node *node)
{
    return node->parent != TREE_ROOT && tree->nodes[node->parent].method == METHOD_UNKNOWN_CALLER;
}

// The definition of what callers call: of the row of an async method, its kick-off.
static const struct recording_method *called_method(const struct model *model, uint32_t process, uint32_t method)
{
    bool logical = model->view == MODEL_LOGICAL;
    const struct async_method *async = logical ? async_find(&model->async, process, method) : NULL;
    uint32_t found = catalog_find_method(&model->catalog, process,
                                         async && async->body == method && async->kickoff ? async->kickoff : method);
    return found == CATALOG_NONE ? NULL : &model->catalog.methods[found].record;
}

bool requests_starts(const struct model *model, uint32_t process, uint32_t method, struct text *by)
{
    const struct recording_method *called = method >= METHOD_FIRST_REAL ? called_method(model, process, method) : NULL;
    uint32_t starter = called ? called->started_by : 0;
    uint32_t found =
        starter >= METHOD_FIRST_REAL ? catalog_find_method(&model->catalog, process, starter) : CATALOG_NONE;
    *by = found == CATALOG_NONE ? (struct text){0} : model->catalog.methods[found].record.name;
    return starter > 0;
}

// A lambda has no callers but what it was handed to, even where it is not known what ran it.
static bool is_started(const struct model *model, uint32_t process, uint32_t method, bool unknown_caller,
                       struct text *by)
{
    return requests_starts(model, process, method, by) &&
           (!unknown_caller || called_method(model, process, method)->kind == METHOD_KIND_LAMBDA);
}

bool requests_is_started(const struct model *model, const struct model_tree *tree, uint32_t node, struct text *by)
{
    const struct tree_node *at = &tree->tree.nodes[node];
    bool unknown = is_below_unknown(&tree->tree, at);
    return (unknown || at->parent == TREE_ROOT) && is_started(model, tree->process, at->method, unknown, by);
}

// Whether it makes an object that the source does not have, such as the state machine of an async method whose kick-off has no
// probes.
static bool makes_helper(const struct recording_method *method)
{
    return method->flags & METHOD_FLAG_HELPER && method->flags & METHOD_FLAG_CONSTRUCTOR;
}

// Static constructors are the runtime's work.
static bool is_of_source(const struct recording_method *method)
{
    return method->kind != METHOD_KIND_STATIC_CONSTRUCTOR && !makes_helper(method);
}

bool requests_begin(const struct model *model, uint32_t process, uint32_t method, bool unknown_caller)
{
    uint32_t found = catalog_find_method(&model->catalog, process, method);
    struct text by;
    return found != CATALOG_NONE && is_of_source(&model->catalog.methods[found].record) &&
           !is_started(model, process, method, unknown_caller, &by);
}

// Whether the node is where requests begin, unless it is inside another one.
static bool is_root(struct loading *loading, const struct model_tree *tree, uint32_t index, uint32_t method)
{
    const struct tree_node *node = &tree->tree.nodes[index];
    struct text by;
    if (node->method < METHOD_FIRST_REAL || method == CATALOG_NONE) {
        return false;
    }
    if (loading->chosen) {
        return loading->chosen[method];
    }
    bool unknown = is_below_unknown(&tree->tree, node);
    bool entry = node->parent == TREE_ROOT && !model_begins_thread(loading->model, tree->process, node->method);
    if (!entry && !unknown) {
        return false;
    }
    if (requests_is_started(loading->model, tree, index, &by)) {
        loading->out->started += node->calls;
    }
    return requests_begin(loading->model, tree->process, node->method, unknown);
}

// The row of a method's requests, made when it is new. NULL: memory ran out.
static struct request_row *row_of(struct loading *loading, uint32_t method, bool unknown_caller)
{
    uint32_t canonical = loading->model->catalog.methods[method].canonical;
    uint64_t key = (uint64_t)canonical << 1 | unknown_caller, index;
    struct requests *out = loading->out;
    if (map_get(&loading->row_of, key, &index)) {
        return &out->rows[index];
    }
    if (!array_grow(&out->rows, out->count, &loading->room, sizeof *out->rows) ||
        !map_put(&loading->row_of, key, out->count)) {
        return NULL;
    }
    out->rows[out->count] =
        (struct request_row){.method = canonical, .unknown_caller = unknown_caller, .shortest = UINT64_MAX};
    return &out->rows[out->count++];
}

// -- Figures ----------------------------------------------------------------------------------------------------------

static void add_node(struct request_row *row, const struct tree *tree, uint32_t index)
{
    const struct tree_node *node = &tree->nodes[index];
    const struct tree_run *run = tree_run(tree, index);
    uint64_t shortest = run ? run->latency_shortest : node->shortest;
    uint64_t longest = run ? run->latency_longest : node->longest;
    row->calls += node->calls;
    row->failures += node->exceptions;
    row->open += node->open;
    row->cancelled += run ? run->cancelled : 0;
    row->pending += run ? tree_pending(node, run) : 0;
    row->running += node->total;
    row->awaiting += tree_awaiting(tree, index);
    row->shortest = shortest < row->shortest ? shortest : row->shortest;
    row->longest = longest > row->longest ? longest : row->longest;
}

static enum clew_error add_latencies(struct loading *loading, uint32_t row, const struct tree *tree, uint32_t node)
{
    for (uint32_t at = tree_latencies(tree, node); at; at = tree->latencies[at].next) {
        if (!array_grow(&loading->measured, loading->measured_count, &loading->measured_room,
                        sizeof *loading->measured)) {
            return CLEW_NO_MEMORY;
        }
        loading->measured[loading->measured_count++] =
            (struct measured){row, {tree->latencies[at].bucket, tree->latencies[at].count}};
    }
    return CLEW_OK;
}

// Adds what a node waited for to the request that it is in.
static enum clew_error add_waits(struct loading *loading, uint32_t index, const struct model_tree *tree, uint32_t node)
{
    struct request_row *row = &loading->out->rows[index];
    CLEW_TRY(waits_of(loading->model, tree, node, &loading->waits));
    const struct wait *waits = loading->waits.waits;
    const struct tree_run *run = tree_run(&tree->tree, node);
    if (loading->waits.count > 0 && run->own_awaiting > row->longest_wait) {
        row->longest_wait = run->own_awaiting;
        row->reason = waits[0].what;
    }
    for (uint32_t i = 0; i < loading->waits.count; i++) {
        if (!array_grow(&loading->waited, loading->waited_count, &loading->waited_room, sizeof *loading->waited)) {
            return CLEW_NO_MEMORY;
        }
        loading->waited[loading->waited_count++] = (struct waited){index, waits[i]};
    }
    return CLEW_OK;
}

static enum clew_error add_tree(struct loading *loading, const struct model_tree *tree)
{
    const struct catalog *catalog = &loading->model->catalog;
    for (uint32_t i = 1; i < tree->tree.count; i++) {
        const struct tree_node *node = &tree->tree.nodes[i];
        CLEW_ASSERT(node->parent < i && "parents come before their children");
        uint32_t method = catalog_find_method(catalog, tree->process, node->method);
        loading->inside[i] = loading->inside[node->parent];
        if (!loading->inside[i] && is_root(loading, tree, i, method)) {
            struct request_row *row = row_of(loading, method, is_below_unknown(&tree->tree, node));
            if (!row) {
                return CLEW_NO_MEMORY;
            }
            add_node(row, &tree->tree, i);
            loading->inside[i] = (uint32_t)(row - loading->out->rows) + 1;
            CLEW_TRY(add_latencies(loading, loading->inside[i] - 1, &tree->tree, i));
        }
        if (loading->inside[i]) {
            CLEW_TRY(add_waits(loading, loading->inside[i] - 1, tree, i));
        }
    }
    return CLEW_OK;
}

// -- Rows -------------------------------------------------------------------------------------------------------------

static int by_row_and_bucket(const void *left, const void *right)
{
    const struct measured *a = left, *b = right;
    if (a->row != b->row) {
        return a->row < b->row ? -1 : 1;
    }
    return (a->latency.bucket > b->latency.bucket) - (a->latency.bucket < b->latency.bucket);
}

// Gives each row its latencies: those of one bucket together.
static enum clew_error settle_latencies(struct loading *loading)
{
    struct requests *out = loading->out;
    if (loading->measured_count == 0) {
        return CLEW_OK;
    }
    qsort(loading->measured, loading->measured_count, sizeof *loading->measured, by_row_and_bucket);
    out->latencies = calloc(loading->measured_count, sizeof *out->latencies);
    if (!out->latencies) {
        return CLEW_NO_MEMORY;
    }
    struct recording_latency *next = out->latencies;
    for (size_t i = 0; i < loading->measured_count; i++) {
        const struct measured *from = &loading->measured[i];
        struct request_row *row = &out->rows[from->row];
        row->latencies = row->latencies ? row->latencies : next;
        row->measured += from->latency.count;
        if (row->latency_count > 0 && next[-1].bucket == from->latency.bucket) {
            next[-1].count += from->latency.count;
        } else {
            *next++ = from->latency;
            row->latency_count++;
        }
    }
    return CLEW_OK;
}

static int compare_places(const struct wait *a, const struct wait *b)
{
    int order = text_compare(a->document ? a->document->path : (struct text){0},
                             b->document ? b->document->path : (struct text){0});
    order = order ? order : (a->line > b->line) - (a->line < b->line);
    return order ? order : text_compare(a->what, b->what);
}

static int by_row_and_place(const void *left, const void *right)
{
    const struct waited *a = left, *b = right;
    return a->row != b->row ? (a->row < b->row ? -1 : 1) : compare_places(&a->wait, &b->wait);
}

// Gives each row its waits: those at one place together.
static enum clew_error settle_waits(struct loading *loading)
{
    struct requests *out = loading->out;
    if (loading->waited_count == 0) {
        return CLEW_OK;
    }
    qsort(loading->waited, loading->waited_count, sizeof *loading->waited, by_row_and_place);
    out->waits = calloc(loading->waited_count, sizeof *out->waits);
    if (!out->waits) {
        return CLEW_NO_MEMORY;
    }
    struct wait *next = out->waits;
    for (size_t i = 0; i < loading->waited_count; i++) {
        const struct waited *from = &loading->waited[i];
        struct request_row *row = &out->rows[from->row];
        row->waits = row->waits ? row->waits : next;
        if (row->wait_count > 0 && compare_places(&next[-1], &from->wait) == 0) {
            next[-1].count += from->wait.count;
            next[-1].awaiting += from->wait.awaiting;
        } else {
            *next++ = from->wait;
            row->wait_count++;
        }
    }
    return CLEW_OK;
}

// The latency that `part` (0 to 1) of the measured activations do not exceed, within 6 %. It is of a bucket, and so may lie
// beyond the exact extremes.
static uint64_t quantile(const struct request_row *row, double part)
{
    if (row->latency_count == 0) {
        return 0;
    }
    const struct recording_latency *at = row->latencies, *last = at + row->latency_count - 1;
    for (uint64_t seen = at->count; (double)seen < part * (double)row->measured && at < last; seen += at->count) {
        at++;
    }
    uint64_t ticks = histogram_middle(at->bucket);
    bool known = row->shortest <= row->longest;
    ticks = known && ticks > row->longest ? row->longest : ticks;
    return known && ticks < row->shortest ? row->shortest : ticks;
}

static int most_time_first(const void *left, const void *right)
{
    const struct request_row *a = left, *b = right;
    uint64_t time_a = a->running + a->awaiting, time_b = b->running + b->awaiting;
    if (time_a != time_b) {
        return time_a > time_b ? -1 : 1;
    }
    return (a->method > b->method) - (a->method < b->method);
}

static int most_awaiting_first(const void *left, const void *right)
{
    const struct wait *a = left, *b = right;
    return (a->awaiting < b->awaiting) - (a->awaiting > b->awaiting);
}

static void finish(struct requests *requests)
{
    for (uint32_t i = 0; i < requests->count; i++) {
        struct request_row *row = &requests->rows[i];
        row->p50 = quantile(row, 0.5);
        row->p90 = quantile(row, 0.9);
        row->p99 = quantile(row, 0.99);
        if (row->wait_count) {
            qsort(row->waits, row->wait_count, sizeof *row->waits, most_awaiting_first);
        }
    }
    if (requests->count) {
        qsort(requests->rows, requests->count, sizeof *requests->rows, most_time_first);
    }
}

static enum clew_error add_trees(struct loading *loading)
{
    const struct model *model = loading->model;
    for (uint32_t i = 0; i < model->tree_count; i++) {
        loading->inside = calloc(model->trees[i].tree.count, sizeof *loading->inside);
        enum clew_error error = loading->inside ? add_tree(loading, &model->trees[i]) : CLEW_NO_MEMORY;
        free(loading->inside);
        CLEW_TRY(error);
    }
    return CLEW_OK;
}

bool requests_known(const struct model *model)
{
    bool recorded = model->session.instruments & INSTRUMENT_TREE;
    bool streamed = model->session.instruments & INSTRUMENT_STREAMS;
    return model->view == MODEL_LOGICAL ? recorded || streamed : model->view == MODEL_UNLINKED && recorded;
}

enum clew_error requests_load(const struct model *model, struct text root, struct requests *out)
{
    *out = (struct requests){0};
    if (!requests_known(model)) {
        return CLEW_NOTHING_RECORDED;
    }
    struct loading loading = {.model = model, .out = out};
    loading.chosen = root.size ? pattern_choose(root, &model->catalog) : NULL;
    enum clew_error error = loading.chosen || root.size == 0 ? add_trees(&loading) : CLEW_NO_MEMORY;
    error = error == CLEW_OK ? settle_latencies(&loading) : error;
    error = error == CLEW_OK ? settle_waits(&loading) : error;
    free(loading.chosen);
    free(loading.measured);
    free(loading.waited);
    waits_fini(&loading.waits);
    map_free(&loading.row_of);
    if (error != CLEW_OK) {
        requests_free(out);
        return error;
    }
    finish(out);
    return CLEW_OK;
}

void requests_free(struct requests *requests)
{
    free(requests->rows);
    free(requests->waits);
    free(requests->latencies);
    *requests = (struct requests){0};
}
