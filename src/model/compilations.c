// See compilations.h. One pass makes a row of each compilation; then those of the same definition are merged.
#include "model/compilations.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/map.h"

struct loading {
    const struct model *model;
    struct compilations *out;
    struct map methods; // hash of process, module and token: index in catalog.methods
};

static uint64_t key_of(uint32_t process, uint32_t module, uint32_t token)
{
    struct {
        uint32_t process, module, token, zero;
    } identity = {process, module, token, 0};
    return map_hash_text(&identity, sizeof identity);
}

static bool find_methods(struct loading *loading)
{
    const struct catalog *catalog = &loading->model->catalog;
    for (uint32_t i = 0; i < catalog->method_count; i++) {
        const struct recording_method *method = &catalog->methods[i].record;
        if (method->token && !map_put(&loading->methods, key_of(method->process, method->module, method->token), i)) {
            return false;
        }
    }
    return true;
}

// The definition of a recorded method; NULL: it has none.
static const struct recording_method *definition(const struct loading *loading,
                                                 const struct recording_compiled *compiled)
{
    uint64_t index;
    if (!map_get(&loading->methods, key_of(compiled->process, compiled->module, compiled->token), &index)) {
        return NULL;
    }
    const struct recording_method *method = &loading->model->catalog.methods[index].record;
    return method->process == compiled->process && method->module == compiled->module &&
                   method->token == compiled->token
               ? method
               : NULL;
}

static bool set_name(struct compilation_row *row, struct arena *arena, struct text name)
{
    row->name = (struct text){arena_text(arena, name.at, name.size), name.size};
    return row->name.at;
}

// -- The pass ---------------------------------------------------------------------------------------------------------

static enum clew_error add(void *context, const struct recording_record *record)
{
    struct loading *loading = context;
    const struct recording_compiled *compiled = &record->compiled;
    struct compilations *out = loading->out;
    const struct catalog *catalog = &loading->model->catalog;
    if (!array_grow(&out->rows, out->row_count, &out->row_room, sizeof *out->rows)) {
        return CLEW_NO_MEMORY;
    }
    uint32_t module = catalog_find_module(catalog, compiled->process, compiled->module);
    bool refused = compiled->flags & COMPILED_REFUSED;
    struct compilation_row *row = &out->rows[out->row_count++];
    *row = (struct compilation_row){
        .module = module == CATALOG_NONE ? NULL : &catalog->modules[module],
        .token = compiled->token,
        .kind = compiled->kind,
        .count = 1,
        .ns = compiled->ns,
        .longest_ns = compiled->ns,
        .refused = refused,
        .refused_ns = refused ? compiled->ns : 0,
    };
    const struct recording_method *method = definition(loading, compiled);
    if (method) {
        row->kind = method->kind;
        row->name = method->name;
        return CLEW_OK;
    }
    return set_name(row, &out->arena, compiled->name) ? CLEW_OK : CLEW_NO_MEMORY;
}

// -- Rows -------------------------------------------------------------------------------------------------------------

static uint64_t module_hash(const struct compilation_row *row)
{
    return row->module ? catalog_module_hash(row->module) : 0;
}

static int compare_definitions(const void *left, const void *right)
{
    const struct compilation_row *a = left, *b = right;
    uint64_t of_a = module_hash(a), of_b = module_hash(b);
    return of_a != of_b ? (of_a > of_b) - (of_a < of_b) : (a->token > b->token) - (a->token < b->token);
}

static bool same_definition(const struct compilation_row *a, const struct compilation_row *b)
{
    return a->token == b->token && a->module && b->module && catalog_same_module(a->module, b->module);
}

static int longest_first(const void *left, const void *right)
{
    const struct compilation_row *a = left, *b = right;
    return a->ns != b->ns ? (a->ns < b->ns) - (a->ns > b->ns) : compare_definitions(a, b);
}

// The name of a method is stated with one of its compilations.
static bool make_up_names(struct compilations *out)
{
    char name[32];
    for (size_t i = 0; i < out->row_count; i++) {
        struct compilation_row *row = &out->rows[i];
        if (row->name.size > 0) {
            continue;
        }
        (void)snprintf(name, sizeof name, "(method %08x)", row->token);
        if (!set_name(row, &out->arena, text_of(name))) {
            return false;
        }
    }
    return true;
}

static void merge(struct compilations *out)
{
    size_t kept = 0;
    qsort(out->rows, out->row_count, sizeof *out->rows, compare_definitions);
    for (size_t i = 0; i < out->row_count; i++) {
        struct compilation_row *into = kept ? &out->rows[kept - 1] : NULL;
        const struct compilation_row *row = &out->rows[i];
        if (!into || !same_definition(into, row)) {
            out->rows[kept++] = *row;
            continue;
        }
        if (into->name.size == 0) {
            into->name = row->name;
            into->kind = row->kind;
        }
        into->count += row->count;
        into->ns += row->ns;
        into->longest_ns = row->longest_ns > into->longest_ns ? row->longest_ns : into->longest_ns;
        into->refused += row->refused;
        into->refused_ns += row->refused_ns;
    }
    out->row_count = kept;
}

// What the processes have compiled in all, without what has rows, is dynamic methods.
static enum clew_error add_dynamic(struct loading *loading)
{
    struct compilations *out = loading->out;
    const struct catalog *catalog = &loading->model->catalog;
    struct compilation_row rest = {.name = text_of("(dynamic methods)")};
    uint64_t count = 0;
    for (uint32_t i = 0; i < catalog->process_count; i++) {
        rest.count += catalog->processes[i].compiled;
        out->ns += catalog->processes[i].compiled_ns;
        out->woven_ns += catalog->processes[i].woven_ns;
    }
    uint64_t listed_ns = 0;
    for (size_t i = 0; i < out->row_count; i++) {
        count += out->rows[i].count;
        listed_ns += out->rows[i].ns;
    }
    if (rest.count > count && out->ns >= listed_ns) {
        rest.count -= count;
        rest.ns = out->ns - listed_ns;
        if (!array_grow(&out->rows, out->row_count, &out->row_room, sizeof *out->rows)) {
            return CLEW_NO_MEMORY;
        }
        out->rows[out->row_count++] = rest;
    }
    out->ns = out->ns > listed_ns ? out->ns : listed_ns;
    return CLEW_OK;
}

bool compilations_known(const struct model *model)
{
    return model->compiled > 0;
}

enum clew_error compilations_load(const struct model *model, struct compilations *out)
{
    *out = (struct compilations){0};
    struct loading loading = {.model = model, .out = out};
    enum clew_error error = CLEW_NO_MEMORY;
    if (find_methods(&loading)) {
        error = recording_each(model->recording, 1u << RECORDING_COMPILED, add, &loading, &out->health);
    }
    if (error == CLEW_OK) {
        merge(out);
        error = make_up_names(out) ? add_dynamic(&loading) : CLEW_NO_MEMORY;
    }
    if (error == CLEW_OK && out->row_count > 0) {
        qsort(out->rows, out->row_count, sizeof *out->rows, longest_first);
    }
    map_free(&loading.methods);
    return error;
}

void compilations_free(struct compilations *compilations)
{
    free(compilations->rows);
    arena_free(&compilations->arena);
    *compilations = (struct compilations){0};
}
