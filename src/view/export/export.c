// See export.h.
#include "view/export/export.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"

const char export_deeper[] = "(deeper calls)";

uint32_t export_method(struct export *export, uint32_t process, uint32_t method)
{
    uint32_t index = catalog_method(&export->model->catalog, process, method);
    return index == CATALOG_NONE ? CATALOG_NONE : export->model->catalog.methods[index].canonical;
}

struct text export_name(const struct export *export, uint32_t canonical)
{
    CLEW_ASSERT(canonical < export->model->catalog.method_count);
    return export->model->catalog.methods[canonical].record.name;
}

struct text export_module(const struct export *export, uint32_t canonical)
{
    const struct catalog *catalog = &export->model->catalog;
    uint32_t module = catalog->methods[canonical].module_index;
    return module == CATALOG_NONE ? (struct text){0} : catalog->modules[module].name;
}

struct method_place export_place_of(const struct export *export, uint32_t canonical)
{
    return canonical < export->place_count ? export->places[canonical] : (struct method_place){0};
}

void export_process_title(struct buffer *into, const struct export *export, uint32_t process)
{
    const struct catalog *catalog = &export->model->catalog;
    uint32_t index = catalog_find_process(catalog, process);
    buffer_printf(into, "process %u", process);
    if (index != CATALOG_NONE && catalog->processes[index].command.size) {
        buffer_text(into, " (");
        buffer_append(into, catalog->processes[index].command.at, catalog->processes[index].command.size);
        buffer_text(into, ")");
    }
}

void export_thread_title(struct buffer *into, const struct export *export, uint32_t process, uint32_t thread)
{
    const struct catalog *catalog = &export->model->catalog;
    uint32_t index = catalog_find_thread(catalog, process, thread);
    buffer_printf(into, "thread %u", thread);
    if (index != CATALOG_NONE && catalog->threads[index].record.name.size) {
        buffer_text(into, " (");
        buffer_append(into, catalog->threads[index].record.name.at, catalog->threads[index].record.name.size);
        buffer_text(into, ")");
    }
    if (catalog->process_count > 1) {
        buffer_printf(into, " of process %u", process);
    }
}

bool export_is_run(const struct export *export, uint32_t process, uint32_t method)
{
    const struct async_method *found = async_find(&export->model->async, process, method);
    return found && found->body == method;
}

uint64_t export_wait(uint32_t process, uint64_t run)
{
    enum { PROCESS_SHIFT = 44 }; // recordings have fewer than 2^44 calls
    return (uint64_t)process << PROCESS_SHIFT ^ run;
}

const char *export_view(const struct export *export)
{
    const struct model *model = export->model;
    return !async_has_links(&model->async) ? NULL : model->view == MODEL_LOGICAL ? "logical" : "physical";
}

const char *export_view_sentence(const struct export *export)
{
    return !export_view(export) ? NULL
           : export->model->view == MODEL_LOGICAL
               ? "view: logical, async methods are below the methods that called them"
               : "view: physical, async methods are below what resumed them";
}

uint64_t export_ns(const struct export *export, uint64_t clock)
{
    return model_since_start_ns(export->model, clock);
}

bool export_was_said(struct export_said *said, uint32_t process, uint32_t thread)
{
    uint64_t key = (uint64_t)process << 32 | thread, found;
    if (said->failed || map_get(&said->known, key, &found)) {
        return true;
    }
    said->failed = !map_put(&said->known, key, 1);
    return said->failed;
}

// -- Trees ------------------------------------------------------------------------------------------------------------

// The state of a walk.
struct walk {
    struct export *export;
    const struct model_tree *from;
    uint32_t *methods;
    size_t room;
    export_take_path *take;
    void *context;
};

// Adds up all nodes below `node`, which is where the levels end.
static void add_below(const struct tree *tree, uint32_t node, struct export_path *path)
{
    int64_t depth = 0;
    for (uint32_t at = tree_next(tree, node, false, &depth); depth > 0; at = tree_next(tree, at, false, &depth)) {
        path->calls += tree_calls(&tree->nodes[at]);
        path->own += tree_own(&tree->nodes[at]);
        path->cpu_user_ns += tree_cpu(tree, at)->own.cpu_user_ns;
        path->cpu_kernel_ns += tree_cpu(tree, at)->own.cpu_kernel_ns;
    }
}

// Puts the node's method at `level` of the path, and passes the path on.
static enum clew_error visit(struct walk *walk, uint32_t index, uint32_t level)
{
    const struct tree *tree = &walk->from->tree;
    const struct tree_node *node = &tree->nodes[index];
    uint32_t method = export_method(walk->export, walk->from->process, node->method);
    if (method == CATALOG_NONE || !array_grow(&walk->methods, level, &walk->room, sizeof *walk->methods)) {
        return CLEW_NO_MEMORY;
    }
    CLEW_ASSERT(level < EXPORT_LEVELS_MAX && level < walk->room);
    walk->methods[level] = method;
    struct export_path path = {.tree = walk->from,
                               .node = node,
                               .methods = walk->methods,
                               .levels = level + 1,
                               .calls = tree_calls(node),
                               .own = tree_own(node),
                               .cpu_user_ns = tree_cpu(tree, index)->own.cpu_user_ns,
                               .cpu_kernel_ns = tree_cpu(tree, index)->own.cpu_kernel_ns};
    CLEW_TRY(walk->take(walk->context, &path));
    if (path.levels == EXPORT_LEVELS_MAX && node->first_child) {
        path.deeper = true;
        path.calls = path.own = path.cpu_user_ns = path.cpu_kernel_ns = 0;
        add_below(tree, index, &path);
        return walk->take(walk->context, &path);
    }
    return CLEW_OK;
}

enum clew_error export_walk(struct export *export, const struct model_tree *tree, export_take_path *take, void *context)
{
    struct walk walk = {.export = export, .from = tree, .take = take, .context = context};
    enum clew_error error = CLEW_OK;
    int64_t depth = -1;
    uint32_t node = tree_next(&tree->tree, TREE_ROOT, false, &depth);
    while (node != TREE_ROOT && error == CLEW_OK) {
        CLEW_ASSERT(depth >= 0 && depth < EXPORT_LEVELS_MAX);
        error = visit(&walk, node, (uint32_t)depth);
        node = tree_next(&tree->tree, node, depth + 1 == EXPORT_LEVELS_MAX, &depth);
    }
    free(walk.methods);
    return error;
}

// -- Places -----------------------------------------------------------------------------------------------------------

// Takes a statement of a method's: the lowest line of the method's own document is where it begins.
static void note_place(struct export *export, uint32_t process, uint32_t number)
{
    const struct catalog *catalog = &export->model->catalog;
    uint32_t index = catalog_find_method(catalog, process, sites_method(export->source.sites, process, number));
    const struct site *site = sites_site(export->source.sites, process, number);
    if (index == CATALOG_NONE || !site || site->kind != SITE_STATEMENT || site->start_line == 0) {
        return;
    }
    const struct catalog_method *method = &catalog->methods[index];
    struct method_place *place = &export->places[method->canonical];
    const struct recording_document *document =
        sites_document(export->source.sites, process, method->record.module, site->document);
    if (document && (!place->document || (place->document == document && site->start_line < place->line))) {
        *place = (struct method_place){document, site->start_line};
    }
}

enum clew_error export_load_places(struct export *export)
{
    const struct model *model = export->model;
    enum clew_error error = table_source_sites(&export->source);
    if (error != CLEW_OK) {
        return error == CLEW_NOTHING_RECORDED ? CLEW_OK : error;
    }
    export->places = calloc((size_t)model->catalog.method_count + 1, sizeof *export->places);
    if (!export->places) {
        return CLEW_NO_MEMORY;
    }
    export->place_count = model->catalog.method_count;
    export->source.places = export->places;
    for (uint32_t i = 0; i < model->catalog.process_count; i++) {
        uint32_t process = model->catalog.processes[i].process, count = sites_count(export->source.sites, process);
        for (uint32_t at = 0; at < count; at++) {
            note_place(export, process, sites_number(export->source.sites, process, at));
        }
    }
    return CLEW_OK;
}

void export_free_places(struct export *export)
{
    table_source_close(&export->source);
    free(export->places);
}
