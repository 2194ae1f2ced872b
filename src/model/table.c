// See table.h. Visits the nodes of each tree once, depth first. For each row it counts how many of the row's
// activations are on the current path; a node adds to the row's total only if there is none above it.
#include "model/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

// The state of adding up the trees of a model.
struct walk {
    const struct model *model;
    struct table_methods *out;
    uint32_t *rows;   // catalog method -> row + 1; 0: no row
    uint32_t *active; // by row: how often it is on the current path
};

#define VALUE_COUNT(name) node->name
#define VALUE_TICKS(name) node->name
#define VALUE_TICKS_OF_ENDED(name) node->name
#define VALUE_OWN(name) tree_own(node)
#define VALUE_CPU(name) cpu->all.name

void table_figures(const struct tree *tree, uint32_t index, struct table_figure out[TABLE_FIGURES])
{
    const struct tree_node *node = &tree->nodes[index];
    const struct tree_cpu *cpu = tree_cpu(tree, index);
    bool ended = node->shortest != UINT64_MAX;
#define FIGURE(name, type, adds, kind, key)                                                              \
    *out++ = (struct table_figure){#key, FIGURE_##kind, FIGURE_##kind != FIGURE_TICKS_OF_ENDED || ended, \
                                   VALUE_##kind(name)};
    FIGURES_SHOWN(FIGURE)
#undef FIGURE
}

// The index of the row that a node of the tree adds to.
static uint32_t row_of(const struct walk *walk, uint32_t process, uint32_t method)
{
    uint32_t index = catalog_find_method(&walk->model->catalog, process, method);
    CLEW_ASSERT(index != CATALOG_NONE && walk->rows[walk->model->catalog.methods[index].canonical] > 0);
    return walk->rows[walk->model->catalog.methods[index].canonical] - 1;
}

#define ADD_COUNT(name, add) add(row->name, node->name);
#define ADD_TICKS(name, add) add(row->name, outermost ? node->name : 0);
#define ADD_TICKS_OF_ENDED(name, add) add(row->name, node->name);
#define ADD_CPU(name, add)               \
    add(row->own_##name, cpu->own.name); \
    add(row->name, outermost ? cpu->all.name : 0);

static void add_node(struct table_method *row, const struct tree_node *node, const struct tree_cpu *cpu, bool outermost)
{
#define ADD(name, type, adds, kind, key) ADD_##kind(name, FIGURE_ADD_##adds)
    FIGURES(ADD)
#undef ADD
    row->own += tree_own(node);
    row->sum += node->total;
}

// Enters or leaves a node of the path. What is there as context adds nothing.
static void pass_node(struct walk *walk, const struct model_tree *from, uint32_t node, bool enters)
{
    const struct tree *tree = &from->tree;
    uint32_t row = row_of(walk, from->process, tree->nodes[node].method);
    if (tree_is_context(tree, node)) {
        return;
    }
    if (enters) {
        add_node(&walk->out->rows[row], &tree->nodes[node], tree_cpu(tree, node), walk->active[row]++ == 0);
    } else {
        CLEW_ASSERT(walk->active[row] > 0 && "it is on the path");
        walk->active[row]--;
    }
}

// Adds one tree to the rows.
static void add_tree(struct walk *walk, const struct model_tree *from)
{
    const struct tree *tree = &from->tree;
    uint32_t node = TREE_ROOT;
    for (;;) {
        // Go down to the first child; without children, go to the next sibling, leaving the path where there is none.
        uint32_t next = tree->nodes[node].first_child;
        while (!next && node != TREE_ROOT) {
            pass_node(walk, from, node, false);
            next = tree->nodes[node].next;
            node = tree->nodes[node].parent;
        }
        if (!next) {
            break;
        }
        node = next;
        pass_node(walk, from, node, true);
    }
}

static void add_counted(struct walk *walk)
{
    for (uint32_t i = 0; i < walk->model->counted_count; i++) {
        const struct model_counted *counted = &walk->model->counted[i];
        struct table_method *row = &walk->out->rows[row_of(walk, counted->process, counted->method)];
        row->calls += counted->calls;
        row->counted += counted->calls;
    }
}

// Makes a row for each method definition, at its canonical method.
static void make_rows(struct walk *walk)
{
    const struct catalog *catalog = &walk->model->catalog;
    for (uint32_t i = 0; i < catalog->method_count; i++) {
        uint32_t canonical = catalog->methods[i].canonical;
        if (walk->rows[canonical] == 0) {
            walk->out->rows[walk->out->count] = (struct table_method){.method = canonical, FIGURES(FIGURE_FIRST)};
            walk->rows[canonical] = ++walk->out->count;
        }
    }
}

// Removes rows of methods that were instrumented but never ran, and of the pseudo-method "(over the cap)". A method
// that an earlier part of the recording called has a row even without a call in this part.
static void drop_empty(const struct model *model, struct table_methods *methods)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < methods->count; i++) {
        const struct table_method *row = &methods->rows[i];
        bool real = model->catalog.methods[row->method].record.method >= METHOD_FIRST_REAL;
        if (real && (row->calls || row->open || row->total || row->exceptions)) {
            methods->rows[kept++] = *row;
        }
    }
    methods->count = kept;
}

enum clew_error table_methods(const struct model *model, struct table_methods *out)
{
    size_t count = (size_t)model->catalog.method_count + 1;
    struct walk walk = {.model = model, .out = out};
    *out = (struct table_methods){.rows = calloc(count, sizeof *out->rows)};
    walk.rows = calloc(count, sizeof *walk.rows);
    walk.active = calloc(count, sizeof *walk.active);
    enum clew_error error = out->rows && walk.rows && walk.active ? CLEW_OK : CLEW_NO_MEMORY;
    if (error == CLEW_OK) {
        make_rows(&walk);
    }
    for (uint32_t i = 0; i < model->tree_count && error == CLEW_OK; i++) {
        add_tree(&walk, &model->trees[i]);
    }
    if (error == CLEW_OK) {
        add_counted(&walk);
        drop_empty(model, out);
    } else {
        free(out->rows);
        *out = (struct table_methods){0};
    }
    free(walk.rows);
    free(walk.active);
    return error;
}

void table_add_lines(const struct model *model, const struct lines *lines, struct table_methods *methods)
{
    for (uint32_t i = 0; i < methods->count; i++) {
        methods->rows[i].statements = lines->methods[methods->rows[i].method].statements;
        lines->methods[methods->rows[i].method].statements = 0; // done: the method has a row
    }
    for (uint32_t i = 0; i < model->catalog.method_count; i++) {
        if (lines->methods[i].statements) { // the loop below adds at most one row per method
            CLEW_ASSERT(methods->count < model->catalog.method_count && "there is room for a row of each");
            methods->rows[methods->count++] = (struct table_method){.method = i,
                                                                    .own = lines->methods[i].own,
                                                                    .statements = lines->methods[i].statements,
                                                                    .no_calls = true,
                                                                    FIGURES(FIGURE_FIRST)};
        }
    }
}

// The row of a module, shared by all loads of its file; made when new. `known` maps a module's hash to the index of its
// row. NULL when memory runs out.
static struct table_module *module_row(const struct model *model, uint32_t module, struct map *known,
                                       struct table_modules *out)
{
    const struct recording_module *modules = model->catalog.modules;
    uint64_t key = catalog_module_hash(&modules[module]), place;
    bool met = map_get(known, key, &place);
    if (met && catalog_same_module(&modules[out->rows[place].module], &modules[module])) {
        return &out->rows[place];
    }
    if (!met && !map_put(known, key, out->count)) {
        return NULL;
    }
    CLEW_ASSERT(out->count < model->catalog.module_count);
    out->rows[out->count] = (struct table_module){.module = module};
    return &out->rows[out->count++];
}

// The row of a module that a definition refers to; NULL: the module is not defined.
static struct table_module *row_of_load(const struct catalog *catalog, struct table_module *const *rows,
                                        uint32_t process, uint32_t module)
{
    uint32_t index = catalog_find_module(catalog, process, module);
    return index == CATALOG_NONE ? NULL : rows[index];
}

// With hooks in all code no method is instrumented.
static void fill_modules(const struct model *model, const struct table_methods *methods,
                         struct table_module *const *rows)
{
    const struct catalog *catalog = &model->catalog;
    bool woven = !(model->session.flags & SESSION_ALL_CODE);
    for (uint32_t i = 0; i < catalog->method_count; i++) {
        if (catalog->methods[i].module_index != CATALOG_NONE && catalog->methods[i].canonical == i) {
            struct table_module *row = rows[catalog->methods[i].module_index];
            row->methods++;
            row->woven += woven;
        }
    }
    for (uint32_t i = 0; i < catalog->not_woven_count; i++) {
        const struct recording_not_woven *left = &catalog->not_woven[i];
        struct table_module *row = row_of_load(catalog, rows, left->process, left->module);
        if (row) {
            row->methods += left->token != 0;
        }
    }
    for (uint32_t i = 0; i < methods->count; i++) {
        uint32_t module = catalog->methods[methods->rows[i].method].module_index;
        if (module != CATALOG_NONE) {
            rows[module]->calls += methods->rows[i].calls;
            rows[module]->own += methods->rows[i].own;
        }
    }
}

static int compare_modules(const void *left, const void *right)
{
    const struct table_module *a = left, *b = right;
    if (a->own != b->own) {
        return a->own > b->own ? -1 : 1;
    }
    if (a->calls != b->calls) {
        return a->calls > b->calls ? -1 : 1;
    }
    return (a->module > b->module) - (a->module < b->module);
}

enum clew_error table_modules(const struct model *model, const struct table_methods *methods, struct table_modules *out)
{
    uint32_t count = model->catalog.module_count;
    *out = (struct table_modules){.rows = calloc((size_t)count + 1, sizeof *out->rows)};
    // By index in catalog.modules
    struct table_module **rows = calloc((size_t)count + 1, sizeof(struct table_module *));
    struct map known = {0};
    bool fits = out->rows && rows;
    for (uint32_t i = 0; fits && i < count; i++) {
        rows[i] = module_row(model, i, &known, out);
        fits = rows[i] != NULL;
    }
    map_free(&known);
    if (!fits) {
        free(out->rows);
        free(rows);
        *out = (struct table_modules){0};
        return CLEW_NO_MEMORY;
    }
    fill_modules(model, methods, rows);
    free(rows);
    qsort(out->rows, out->count, sizeof *out->rows, compare_modules);
    return CLEW_OK;
}

struct order {
    const struct model *model;
    enum table_key key;
};

// The key to sort by, as a number. TABLE_NAME has none.
static double key_of(const struct table_method *row, enum table_key key)
{
    switch (key) {
    case TABLE_OWN:
        return (double)row->own;
    case TABLE_CPU:
        return (double)table_own_cpu(row);
    case TABLE_TOTAL:
        return (double)row->total;
    case TABLE_CALLS:
        return (double)row->calls;
    case TABLE_MIN:
        return row->shortest == UINT64_MAX ? 0 : (double)row->shortest;
    case TABLE_MEAN:
        return table_is_timed(row) && row->calls ? (double)row->sum / (double)(row->calls - row->counted) : 0;
    case TABLE_MAX:
        return (double)row->longest;
    case TABLE_NAME:
        break;
    }
    return 0;
}

static int compare_names(const struct catalog *catalog, uint32_t a, uint32_t b)
{
    int order = text_compare(catalog->methods[a].record.name, catalog->methods[b].record.name);
    return order ? order : (a > b) - (a < b);
}

// Rows with equal keys are ordered by calls, then statements, then name, so that the order is always the same.
static int compare_rows(const void *left, const void *right, void *context)
{
    const struct order *order = context;
    const struct table_method *a = left, *b = right;
    double difference = key_of(b, order->key) - key_of(a, order->key);
    if (difference != 0) {
        return difference > 0 ? 1 : -1;
    }
    if (order->key == TABLE_CPU && a->own != b->own) {
        return a->own > b->own ? -1 : 1;
    }
    if (order->key != TABLE_NAME && a->calls != b->calls) {
        return a->calls > b->calls ? -1 : 1;
    }
    if (order->key != TABLE_NAME && a->statements != b->statements) {
        return a->statements > b->statements ? -1 : 1;
    }
    return compare_names(&order->model->catalog, a->method, b->method);
}

bool table_has_cpu(const struct model *model)
{
    for (uint32_t i = 0; i < model->tree_count; i++) {
        if (model->trees[i].tree.cpu_count > 1) {
            return true;
        }
    }
    return false;
}

enum table_key table_first_key(const struct model *model)
{
    return !model_has_times(model) ? TABLE_CALLS : table_has_cpu(model) ? TABLE_CPU : TABLE_OWN;
}

void table_sort(const struct model *model, struct table_methods *methods, enum table_key key)
{
    struct order order = {model, key};
    qsort_r(methods->rows, methods->count, sizeof *methods->rows, compare_rows, &order);
}
