// The reports that are no tables as JSON; doc/json.md defines them.
#include <stdlib.h>

#include "base/assert.h"
#include "model/endings.h"
#include "model/requests.h"
#include "view/json/json_rows.h"
#include "view/report/report_log.h"
#include "view/report/report_tree.h"
#include "view/report/reports.h"
#include "view/table/table_json.h"
#include "view/table/tables.h"
#include "view/text/format_method.h"

// The deepest level that is written: parsers of JSON limit the nesting.
enum { DEPTH_MAX = 512 };

// The state of writing one tree.
struct walk {
    const struct model *model;
    const struct model_tree *from;
    const struct tree *tree; // of `from`
    struct waits *waits;
    struct endings *endings;
    struct json *json;
    uint32_t *below; // by node: number of nodes below it
    int64_t depth_max;
    uint64_t smallest;
};

static void write_figure(const struct walk *walk, const struct table_figure *figure)
{
    switch (figure->kind) {
    case FIGURE_COUNT:
        json_member_u64(walk->json, figure->key, figure->value);
        break;
    case FIGURE_TICKS:
    case FIGURE_TICKS_OF_ENDED:
    case FIGURE_OWN:
        json_ticks(walk->json, walk->model, figure->key, figure->value, figure->known);
        break;
    case FIGURE_CPU:
        json_member_maybe(walk->json, figure->key, figure->value,
                          !model_has_range(walk->model) && !walk->from->unsampled);
        break;
    }
}

static enum clew_error write_awaits(const struct walk *walk, uint32_t index)
{
    CLEW_TRY(waits_of(walk->model, walk->from, index, walk->waits));
    json_awaits(walk->json, walk->model, walk->waits->waits, walk->waits->count);
    return CLEW_OK;
}

// Writes what rows of async methods have besides the figures of all rows.
static enum clew_error write_run(const struct walk *walk, uint32_t index)
{
    const struct tree_run *run = tree_run(walk->tree, index);
    if (!run) {
        return CLEW_OK;
    }
    const struct model *model = walk->model;
    bool timed = run->latency_shortest != UINT64_MAX; // else none has ended whose beginning is known
    json_member_u64(walk->json, "runs", run->runs);
    json_member_u64(walk->json, "pending", tree_pending(&walk->tree->nodes[index], run));
    uint64_t unknown = tree_unknown_ends(&walk->tree->nodes[index], run);
    if (unknown) {
        json_member_u64(walk->json, "unknown_ends", unknown);
    }
    json_member_u64(walk->json, "cancelled", run->cancelled);
    json_ticks(walk->json, model, "latency_ns", run->latency, true);
    json_ticks(walk->json, model, "latency_min_ns", run->latency_shortest, timed);
    json_ticks(walk->json, model, "latency_max_ns", run->latency_longest, timed);
    json_ticks(walk->json, model, "own_awaiting_ns", run->own_awaiting, true);
    json_ticks(walk->json, model, "awaiting_ns", tree_awaiting(walk->tree, index), true);
    json_member_bool(walk->json, "parallel", run->parallel);
    if (run->folded) {
        json_member_bool(walk->json, "folded", true);
    }
    return write_awaits(walk, index);
}

// Writes by which exceptions activations ended, as far as it is known.
static enum clew_error write_endings(const struct walk *walk, uint32_t index)
{
    CLEW_TRY(endings_of(walk->model, walk->from, index, walk->endings));
    if (walk->endings->count == 0) {
        return CLEW_OK;
    }
    json_key(walk->json, "exceptions_by");
    json_open(walk->json, '[');
    for (uint32_t i = 0; i < walk->endings->count; i++) {
        json_open(walk->json, '{');
        json_member_text(walk->json, "type", walk->endings->endings[i].type);
        json_member_u64(walk->json, "count", walk->endings->endings[i].count);
        json_close(walk->json, '}');
    }
    json_close(walk->json, ']');
    return CLEW_OK;
}

// Writes, of what the program has started itself, what has: null if several methods have.
static void write_start(const struct walk *walk, uint32_t index)
{
    struct text by;
    if (requests_is_started(walk->model, walk->from, index, &by)) {
        json_member_bool(walk->json, "started", true);
        json_member_text_maybe(walk->json, "started_by", by);
    }
}

// Writes a node up to the beginning of its children. close_node() writes the rest.
static enum clew_error open_node(const struct walk *walk, uint32_t index)
{
    const struct tree_node *node = &walk->tree->nodes[index];
    struct table_figure figures[TABLE_FIGURES];
    json_line(walk->json);
    json_open(walk->json, '{');
    if (node->parent == TREE_ROOT && walk->model->catalog.process_count > 1) {
        json_member_u64(walk->json, "process", walk->from->process);
    }
    json_method(walk->json, walk->model, catalog_find_method(&walk->model->catalog, walk->from->process, node->method));
    write_start(walk, index);
    if (tree_is_context(walk->tree, index)) {
        json_member_bool(walk->json, "context", true);
    }
    table_figures(walk->tree, index, figures);
    for (uint32_t i = 0; i < TABLE_FIGURES; i++) {
        write_figure(walk, &figures[i]);
    }
    CLEW_TRY(write_endings(walk, index));
    CLEW_TRY(write_run(walk, index));
    json_key(walk->json, "children");
    json_open(walk->json, '[');
    return CLEW_OK;
}

static bool is_long_enough(const struct walk *walk, uint32_t node)
{
    return walk->tree->nodes[node].total >= walk->smallest || tree_awaiting(walk->tree, node) >= walk->smallest;
}

// Ends a node after its children, with the number of paths below it that were left out.
static void close_node(const struct walk *walk, uint32_t index, bool cut)
{
    uint64_t left = cut ? walk->below[index] : 0;
    uint32_t child = cut ? 0 : walk->tree->nodes[index].first_child;
    for (; child; child = walk->tree->nodes[child].next) {
        left += is_long_enough(walk, child) ? 0 : walk->below[child] + 1;
    }
    json_close(walk->json, ']');
    if (left) {
        json_member_u64(walk->json, "cut", left);
    }
    json_close(walk->json, '}');
}

// The first of a node and its later siblings that is long enough; 0: none is.
static uint32_t long_enough(const struct walk *walk, uint32_t node)
{
    while (node && !is_long_enough(walk, node)) {
        node = walk->tree->nodes[node].next;
    }
    return node;
}

// Writes the tree without recursion, since it can be 100,000 levels deep. Opens a node on the way down, and closes it
// on the way up.
static enum clew_error write_nodes(const struct walk *walk)
{
    const struct tree_node *nodes = walk->tree->nodes;
    int64_t depth = 0; // of `node`; the roots have depth 1
    uint32_t node = TREE_ROOT;
    for (;;) {
        bool cut = depth >= walk->depth_max;
        uint32_t next = cut ? 0 : long_enough(walk, nodes[node].first_child);
        if (next) {
            depth++;
        }
        while (!next && node != TREE_ROOT) {
            close_node(walk, node, cut);
            cut = false;
            next = long_enough(walk, nodes[node].next);
            node = nodes[node].parent;
            depth -= next == 0;
        }
        if (!next) {
            CLEW_ASSERT(depth == 0 && "each node that was opened is closed");
            return CLEW_OK;
        }
        CLEW_ASSERT(depth >= 1 && depth <= walk->depth_max);
        node = next;
        CLEW_TRY(open_node(walk, node));
    }
}

// Children have larger numbers than their parents, so one pass from the last node adds up all levels.
static enum clew_error count_below(const struct tree *tree, uint32_t **out)
{
    uint32_t *below = calloc(tree->count, sizeof *below);
    if (!below) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t i = tree->count; i-- > 1;) {
        CLEW_ASSERT(tree->nodes[i].parent < i && "a parent comes before its children");
        below[tree->nodes[i].parent] += below[i] + 1;
    }
    *out = below;
    return CLEW_OK;
}

enum clew_error tree_write(const struct view *view, const struct model *model, struct json *json, struct waits *waits,
                           struct model_tree *from)
{
    struct endings endings = {0};
    struct walk walk = {
        .model = model, .from = from, .tree = &from->tree, .waits = waits, .endings = &endings, .json = json};
    walk.depth_max = view->depth && view->depth < DEPTH_MAX ? view->depth : DEPTH_MAX;
    walk.smallest = view->has_min_time ? model_ticks(model, view->min_time_ns) : 0;
    enum clew_error error = tree_order(view, &from->tree);
    if (error == CLEW_OK) {
        error = count_below(&from->tree, &walk.below);
    }
    if (error == CLEW_OK) {
        error = write_nodes(&walk);
    }
    endings_fini(&endings);
    free(walk.below);
    return error;
}

// With --threads: one object per thread, with its own `tree`.
static enum clew_error write_thread_trees(const struct view *view, struct model *model, struct waits *waits,
                                          struct json *json)
{
    json_key(json, "threads");
    json_open(json, '[');
    for (uint32_t i = 0; i < model->tree_count; i++) {
        struct model_tree *from = &model->trees[i];
        json_line(json);
        json_open(json, '{');
        json_member_u64(json, "thread", from->thread);
        json_member_u64(json, "process", from->process);
        json_key(json, "tree");
        json_open(json, '[');
        CLEW_TRY(tree_write(view, model, json, waits, from));
        json_close(json, ']');
        json_close(json, '}');
    }
    json_close(json, ']');
    return CLEW_OK;
}

static enum clew_error write_merged_trees(const struct view *view, struct model *model, struct waits *waits,
                                          struct json *json)
{
    json_key(json, "tree");
    json_open(json, '[');
    for (uint32_t i = 0; i < model->tree_count; i++) {
        CLEW_TRY(tree_write(view, model, json, waits, &model->trees[i]));
    }
    json_close(json, ']');
    return CLEW_OK;
}

enum clew_error tree_json(const struct view *view, struct model *model, struct json *json)
{
    struct waits waits = {0};
    enum clew_error error =
        view->threads ? write_thread_trees(view, model, &waits, json) : write_merged_trees(view, model, &waits, json);
    waits_fini(&waits);
    return error;
}

// Writes the name as the text reports `log` and `summary` print it.
static void write_short_name(struct json *json, struct text name)
{
    struct text head, tail;
    struct buffer joined = {0};
    format_short_name(name, &head, &tail);
    buffer_append(&joined, head.at, head.size);
    buffer_append(&joined, tail.at, tail.size);
    json_member_text(json, "method", (struct text){(const char *)joined.data, joined.size});
    buffer_free(&joined);
}

static void write_log_row(void *context, const struct log_row *row)
{
    struct json *json = context;
    json_line(json);
    json_open(json, '{');
    write_short_name(json, row->name);
    json_member_u64(json, "id", row->id);
    json_member_u64(json, "depth", row->depth);
    json_member_u64(json, "calls", row->calls);
    json_close(json, '}');
}

enum clew_error log_json(const struct view *view, struct model *model, struct json *json)
{
    json_key(json, "log");
    json_open(json, '[');
    CLEW_TRY(log_each(view, model, write_log_row, json));
    json_close(json, ']');
    return CLEW_OK;
}

enum clew_error summary_json(const struct view *view, struct model *model, struct json *json)
{
    struct table_methods methods;
    CLEW_TRY(methods_sorted(view, model, TABLE_CALLS, &methods));
    json_key(json, "summary");
    json_open(json, '[');
    for (uint32_t i = 0; i < methods.count && (!view->top || i < view->top); i++) {
        const struct recording_method *method = &model->catalog.methods[methods.rows[i].method].record;
        json_line(json);
        json_open(json, '{');
        write_short_name(json, method->name);
        json_member_u64(json, "id", method->method);
        json_member_u64(json, "calls", methods.rows[i].calls);
        json_close(json, '}');
    }
    json_close(json, ']');
    free(methods.rows);
    return CLEW_OK;
}

// `report --json` without --by: methods, modules, threads and, unless each thread was to have its own, the tree.
enum clew_error overview_json(const struct view *view, struct model *model, struct json *json)
{
    CLEW_TRY(table_json(view, model, &methods_table, "methods", json));
    CLEW_TRY(table_json(view, model, &modules_table, "modules", json));
    CLEW_TRY(table_json(view, model, &threads_table, "threads", json));
    if (requests_known(model)) {
        CLEW_TRY(requests_json(view, model, json));
    }
    return view->threads ? CLEW_OK : tree_json(view, model, json);
}
