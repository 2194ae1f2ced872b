// See page_rows.h. Nothing here is recursive, since trees can be 100,000 levels deep.
#include "view/page/page_rows.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "view/page/page_columns.h"

// The state of adding one tree.
struct adding {
    const struct model_tree *from;
    uint32_t *row_of;  // by node
    uint64_t smallest; // nodes with less weight are folded
    uint32_t small;    // the root that has folded roots; PAGE_NO_ROW: none yet
};

// Nodes with the least weight are folded first: by time, waiting included, or by calls where there are no times.
static uint64_t weight(const struct model *model, const struct tree *tree, uint32_t index)
{
    const struct tree_node *node = &tree->nodes[index];
    return model_has_times(model) ? node->total + tree_awaiting(tree, index) : node->calls;
}

static int descending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

// The least weight that still has a row, so that about `most` nodes have one; 0: all have.
static enum clew_error find_smallest(const struct model *model, uint32_t most, uint64_t *out)
{
    const struct model_tree *trees = model->trees;
    size_t count = 0, at = 0;
    for (uint32_t i = 0; i < model->tree_count; i++) {
        count += trees[i].tree.count - 1;
    }
    *out = 0;
    if (count <= most) {
        return CLEW_OK;
    }
    uint64_t *weights = malloc(count * sizeof *weights);
    if (!weights) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t i = 0; i < model->tree_count; i++) {
        for (uint32_t node = 1; node < trees[i].tree.count; node++) {
            weights[at++] = weight(model, &trees[i].tree, node);
        }
    }
    qsort(weights, count, sizeof *weights, descending);
    *out = weights[most] + 1; // equal ones are folded together
    free(weights);
    return CLEW_OK;
}

static enum clew_error add_row(struct page_rows *rows, const struct adding *adding, uint32_t parent, uint32_t method,
                               uint32_t *out)
{
    if (!array_grow(&rows->rows, rows->count, &rows->room, sizeof *rows->rows)) {
        return CLEW_NO_MEMORY;
    }
    if (parent == PAGE_NO_ROW) {
        if (!array_grow(&rows->roots, rows->root_count, &rows->root_room, sizeof *rows->roots)) {
            return CLEW_NO_MEMORY;
        }
        rows->roots[rows->root_count++] = (struct page_root){rows->count, adding->from->process, adding->from->thread};
    }
    rows->rows[rows->count] = (struct page_row){
        .parent = parent, .method = method, .small = PAGE_NO_ROW, .async = PAGE_NOT_ASYNC, PAGE_FIGURES(FIGURE_FIRST)};
    *out = rows->count++;
    return CLEW_OK;
}

#define ADD_COUNT(name, add) add(row->name, node->name);
#define ADD_TICKS(name, add) add(row->name, outermost ? node->name : 0);
#define ADD_TICKS_OF_ENDED(name, add) add(row->name, folded ? row->name : node->name);
#define ADD_OWN(name, add) add(row->name, tree_own(node));
#define ADD_CPU(name, add) add(row->name, cpu->own.name);

// A row of folded nodes has no time of a single activation.
static void add_figures(struct page_row *row, const struct tree *tree, uint32_t index, bool outermost, bool folded)
{
    const struct tree_node *node = &tree->nodes[index];
    const struct tree_cpu *cpu = tree_cpu(tree, index);
#define ADD(name, type, adds, kind, key) ADD_##kind(name, FIGURE_ADD_##adds)
    PAGE_FIGURES(ADD)
#undef ADD
}

// Adds a node to the row of its parent's folded children, which is made for the first of them.
static enum clew_error fold(struct page_rows *rows, struct adding *adding, uint32_t index, uint32_t parent,
                            uint32_t *out)
{
    const struct tree_node *node = &adding->from->tree.nodes[index];
    bool below = parent != PAGE_NO_ROW && rows->rows[parent].method == rows->methods.small;
    uint32_t *small = parent == PAGE_NO_ROW ? &adding->small : &rows->rows[parent].small;
    uint32_t row = below ? parent : *small;
    if (row == PAGE_NO_ROW) {
        CLEW_TRY(add_row(rows, adding, parent, page_methods_small(&rows->methods), &row));
        small = parent == PAGE_NO_ROW ? &adding->small : &rows->rows[parent].small; // the rows may have moved
        *small = row;
    }
    add_figures(&rows->rows[row], &adding->from->tree, index, !below, true);
    rows->rows[row].calls -= node->calls - tree_calls(node);
    rows->cut_nodes++;
    rows->cut_calls += tree_calls(node);
    rows->cut_own += tree_own(node);
    *out = row;
    return page_async_fold(&rows->async, &adding->from->tree, index, row, !below, &rows->rows[row].async);
}

static enum clew_error add_node(struct page_rows *rows, struct adding *adding, uint32_t index)
{
    const struct tree *tree = &adding->from->tree;
    const struct tree_node *node = &tree->nodes[index];
    uint32_t parent = node->parent == TREE_ROOT ? PAGE_NO_ROW : adding->row_of[node->parent];
    uint32_t *row = &adding->row_of[index];
    bool folded = parent != PAGE_NO_ROW && rows->rows[parent].method == rows->methods.small;
    rows->calls += tree_calls(node);
    rows->total += node->parent == TREE_ROOT ? node->total : 0;
    if (folded || weight(rows->methods.model, tree, index) < adding->smallest) {
        return fold(rows, adding, index, parent, row);
    }
    uint32_t method = page_methods_use(&rows->methods, adding->from->process, node->method);
    CLEW_ASSERT(method != PAGE_NO_METHOD && "the model names each node's method");
    CLEW_TRY(add_row(rows, adding, parent, method, row));
    add_figures(&rows->rows[*row], tree, index, true, false);
    return page_async_add(&rows->async, adding->from, index, *row);
}

static enum clew_error add_tree(struct page_rows *rows, struct adding *adding)
{
    const struct tree *tree = &adding->from->tree;
    adding->small = PAGE_NO_ROW;
    adding->row_of = malloc(tree->count * sizeof *adding->row_of);
    if (!adding->row_of) {
        return CLEW_NO_MEMORY;
    }
    int64_t depth = -1;
    enum clew_error error = CLEW_OK;
    uint32_t node = tree_next(tree, TREE_ROOT, false, &depth);
    for (; node != TREE_ROOT && error == CLEW_OK; node = tree_next(tree, node, false, &depth)) {
        error = add_node(rows, adding, node);
    }
    free(adding->row_of);
    return error;
}

enum clew_error page_rows_make(struct page_rows *rows, struct page *page, const struct model *model, uint32_t most)
{
    struct adding adding = {0};
    CLEW_TRY(page_methods_begin(&rows->methods, page, model));
    rows->async = (struct page_async){.model = model, .documents = rows->methods.places};
    CLEW_TRY(find_smallest(model, most, &adding.smallest));
    for (uint32_t i = 0; i < model->tree_count; i++) {
        adding.from = &model->trees[i];
        CLEW_TRY(add_tree(rows, &adding));
    }
    return CLEW_OK;
}

void page_rows_free(struct page_rows *rows)
{
    page_methods_free(&rows->methods);
    page_async_free(&rows->async);
    free(rows->rows);
    free(rows->roots);
}

static void write_roots(const struct page_rows *rows, struct json *json)
{
    json_key(json, "roots");
    json_open(json, '[');
    for (uint32_t i = 0; i < rows->root_count; i++) {
        const struct page_root *root = &rows->roots[i];
        json_open(json, '{');
        json_member_u64(json, "node", root->row);
        json_member_u64(json, "process", root->process);
        json_member_maybe(json, "thread", root->thread, root->thread != 0);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_parents(const struct page_rows *rows, struct json *json)
{
    json_key(json, "parent");
    json_open(json, '[');
    for (uint32_t i = 0; i < rows->count; i++) {
        CLEW_ASSERT(rows->rows[i].parent == PAGE_NO_ROW || rows->rows[i].parent < i);
        json_i64(json, rows->rows[i].parent == PAGE_NO_ROW ? -1 : (int64_t)rows->rows[i].parent);
    }
    json_close(json, ']');
    json_key(json, "method");
    json_open(json, '[');
    for (uint32_t i = 0; i < rows->count; i++) {
        json_u64(json, rows->rows[i].method);
    }
    json_close(json, ']');
}

void page_rows_write(const struct page_rows *rows, struct json *json)
{
    const struct model *model = rows->methods.model;
    bool times = model_has_times(model);
    const struct page_columns columns = {rows->rows, rows->count, sizeof *rows->rows,
                                         offsetof(struct page_row, shortest)};
    json_member_text(json, "view", text_of(model->view == MODEL_LOGICAL ? "logical" : "physical"));
    json_member_maybe(json, "total_ns", model_ns(model, rows->total), times);
    json_member_u64(json, "calls", rows->calls);
    json_key(json, "cut");
    json_open(json, '{');
    json_member_u64(json, "nodes", rows->cut_nodes);
    json_member_u64(json, "calls", rows->cut_calls);
    json_member_maybe(json, "own_ns", model_ns(model, rows->cut_own), times);
    json_close(json, '}');
    page_methods_write(&rows->methods, json);
    write_roots(rows, json);
    json_key(json, "nodes");
    json_open(json, '{');
    write_parents(rows, json);
#define COLUMN(name, type, adds, kind, key) \
    page_columns_write(&columns, model, json, #key, offsetof(struct page_row, name), FIGURE_##kind);
    PAGE_FIGURES(COLUMN)
#undef COLUMN
    json_close(json, '}');
    page_async_write(&rows->async, json);
}
