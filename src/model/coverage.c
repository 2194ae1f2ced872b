// See coverage.h. One pass takes the points, another the counts of the statements, which are joined by method and IL offset.
#include "model/coverage.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"
#include "model/line_counts.h"
#include "model/lines.h"

#define LINES_MAX (UINT64_C(1) << 26) // of a recording; without a limit, a broken one may have very many

struct loading {
    const struct model *model;
    struct coverage *out;
    struct map whole;     // hash of an MVID: the recording has the points of all its methods
    struct map modules;   // hash of an MVID: index in catalog.modules
    struct map methods;   // hash of MVID and token: index in out->methods
    struct map documents; // hash of MVID and number: index in out->files
    struct map paths;     // hash of a path: index in out->files
};

static uint64_t hash_of(const uint8_t mvid[16], uint32_t number)
{
    uint8_t key[20];
    memcpy(key, mvid, 16);
    memcpy(key + 16, &number, sizeof number);
    return map_hash_text(key, sizeof key);
}

bool coverage_known(const struct model *model)
{
    return model->has_points;
}

// -- Points -----------------------------------------------------------------------------------------------------------

static bool list_modules(struct loading *loading)
{
    const struct catalog *catalog = &loading->model->catalog;
    for (uint32_t i = 0; i < catalog->module_count; i++) {
        if (!map_put(&loading->modules, hash_of(catalog->modules[i].mvid, 0), i)) {
            return false;
        }
    }
    return true;
}

// The index of the file with this path; a new one is added. False: no memory.
static bool file_of(struct loading *loading, struct text path, uint64_t *index)
{
    struct coverage *out = loading->out;
    uint64_t key = map_hash_text(path.at, path.size);
    while (map_get(&loading->paths, key, index)) {
        if (text_equal(out->files[*index].path, path)) {
            return true;
        }
        key++; // another path with this hash
    }
    const char *kept = arena_text(&out->texts, path.at ? path.at : "", path.size);
    if (!kept || !array_grow(&out->files, out->file_count, &out->file_room, sizeof *out->files) ||
        !map_put(&loading->paths, key, out->file_count)) {
        return false;
    }
    *index = out->file_count;
    out->files[out->file_count++] = (struct coverage_file){.path = {kept, path.size}};
    return true;
}

static enum clew_error take_documents(struct loading *loading, const struct recording_points *record)
{
    struct bytes left = record->documents;
    struct points_document document;
    uint64_t file;
    while (bytes_left(&left) > 0) {
        if (!points_document_decode(&left, &document)) {
            return CLEW_DAMAGED;
        }
        if (!file_of(loading, document.path, &file) ||
            !map_put(&loading->documents, hash_of(record->mvid, document.number), file)) {
            return CLEW_NO_MEMORY;
        }
    }
    return CLEW_OK;
}

static enum clew_error take_points(struct loading *loading, const uint8_t mvid[16], struct bytes left, uint32_t method)
{
    struct coverage *out = loading->out;
    struct point before = {0}, point;
    uint64_t file;
    while (bytes_left(&left) > 0) {
        if (!point_decode(&left, &before, &point)) {
            return CLEW_DAMAGED;
        }
        before = point;
        if (!map_get(&loading->documents, hash_of(mvid, point.document), &file)) {
            continue;
        }
        if (out->point_count == UINT32_MAX ||
            !array_grow(&out->points, out->point_count, &out->point_room, sizeof *out->points)) {
            return CLEW_NO_MEMORY;
        }
        out->points[out->point_count++] =
            (struct coverage_point){.at = point, .method = method, .file = (uint32_t)file};
        out->methods[method].count++;
    }
    return CLEW_OK;
}

static enum clew_error take_method(struct loading *loading, const struct recording_points *record, uint32_t module,
                                   const struct points_method *method)
{
    struct coverage *out = loading->out;
    uint64_t key = hash_of(record->mvid, method->token), known;
    if (map_get(&loading->methods, key, &known)) {
        return CLEW_OK; // a writer that took over wrote it again
    }
    const char *name = arena_text(&out->texts, method->name.at ? method->name.at : "", method->name.size);
    const char *class = arena_text(&out->texts, method->class.at ? method->class.at : "", method->class.size);
    if (!name || !class || !array_grow(&out->methods, out->method_count, &out->method_room, sizeof *out->methods) ||
        !map_put(&loading->methods, key, out->method_count)) {
        return CLEW_NO_MEMORY;
    }
    out->methods[out->method_count] = (struct coverage_method){
        .module = &loading->model->catalog.modules[module],
        .token = method->token,
        .kind = method->kind,
        .flags = method->flags,
        .name = {name, method->name.size},
        .class = {class, method->class.size},
        .first = (uint32_t)out->point_count,
    };
    return take_points(loading, record->mvid, method->points, (uint32_t)out->method_count++);
}

// A record that does not decode is damage; what it has before that counts.
static enum clew_error take_record(void *context, const struct recording_record *record)
{
    struct loading *loading = context;
    const struct recording_points *points = &record->points;
    struct bytes left = points->methods;
    struct points_method method;
    uint64_t module;
    enum clew_error error = take_documents(loading, points);
    uint64_t key = hash_of(points->mvid, 0), whole;
    if (error != CLEW_OK || !map_get(&loading->modules, key, &module) || !map_get(&loading->whole, key, &whole)) {
        return error == CLEW_DAMAGED ? CLEW_OK : error;
    }
    while (error == CLEW_OK && bytes_left(&left) > 0) {
        error = points_method_decode(&left, &method) ? take_method(loading, points, (uint32_t)module, &method)
                                                     : CLEW_DAMAGED;
    }
    return error == CLEW_DAMAGED ? CLEW_OK : error;
}

// -- Counts -----------------------------------------------------------------------------------------------------------

// The point at an IL offset; NULL: there is none.
static struct coverage_point *point_at(const struct coverage *coverage, const struct coverage_method *method,
                                       uint32_t il_offset)
{
    uint32_t low = method->first, high = method->first + method->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (coverage->points[middle].at.il_offset < il_offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    struct coverage_point *found = &coverage->points[low];
    return low < method->first + method->count && found->at.il_offset == il_offset ? found : NULL;
}

static struct coverage_method *method_of(const struct loading *loading, const struct recording_module *module,
                                         uint32_t token)
{
    uint64_t index;
    return map_get(&loading->methods, hash_of(module->mvid, token), &index) ? &loading->out->methods[index] : NULL;
}

static void add_count(struct loading *loading, const struct sites *sites, const struct line_count *counted)
{
    const struct catalog *catalog = &loading->model->catalog;
    const struct site *site = sites_site(sites, counted->process, counted->site);
    uint32_t number = sites_method(sites, counted->process, counted->site);
    uint32_t index = catalog_find_method(catalog, counted->process, number);
    uint32_t module = index == CATALOG_NONE ? CATALOG_NONE : catalog->methods[index].module_index;
    if (!site || site->kind != SITE_STATEMENT || module == CATALOG_NONE) {
        return;
    }
    struct coverage_method *method =
        method_of(loading, &catalog->modules[module], catalog->methods[index].record.token);
    struct coverage_point *point = method ? point_at(loading->out, method, site->il_offset) : NULL;
    if (method) {
        method->woven = true;
    }
    if (point) {
        point->count += counted->count;
        point->counted = true;
    }
}

static enum clew_error add_counts(struct loading *loading, const struct sites *sites)
{
    struct line_counts *counts;
    CLEW_TRY(line_counts_new(loading->model->recording, sites, &counts));
    enum clew_error error = CLEW_OK;
    while (error == CLEW_OK) {
        error = line_counts_advance(counts);
    }
    error = error == CLEW_NOT_FOUND ? line_counts_add_unreached(counts, &loading->model->catalog) : error;
    for (size_t i = 0; i < counts->count && error == CLEW_OK; i++) {
        add_count(loading, sites, &counts->counted[i]);
    }
    recording_meet(&loading->out->health, &counts->health);
    line_counts_free(counts);
    return error;
}

// A method that was not compiled has no sites and did not run. One that could not be instrumented may have run.
static void settle_methods(struct loading *loading)
{
    const struct catalog *catalog = &loading->model->catalog;
    struct coverage *out = loading->out;
    for (uint32_t i = 0; i < catalog->not_woven_count; i++) {
        const struct recording_not_woven *not_woven = &catalog->not_woven[i];
        uint32_t module = catalog_find_module(catalog, not_woven->process, not_woven->module);
        struct coverage_method *method =
            module == CATALOG_NONE ? NULL : method_of(loading, &catalog->modules[module], not_woven->token);
        if (method && !method->woven && !method->unknown) {
            method->unknown = true;
            out->unknown++;
        }
    }
    for (size_t i = 0; i < out->point_count; i++) {
        out->points[i].counted |= !out->methods[out->points[i].method].woven;
    }
}

// -- Sums -------------------------------------------------------------------------------------------------------------

// Adds up the lines, and frees them.
static void sum_up(struct coverage_lines *lines, uint32_t *count, uint32_t *covered)
{
    *count = (uint32_t)lines->count;
    *covered = 0;
    for (size_t i = 0; i < lines->count; i++) {
        *covered += lines->lines[i].hits > 0;
    }
    free(lines->lines);
}

static enum clew_error sum_methods(struct coverage *out)
{
    struct coverage_lines lines;
    for (size_t i = 0; i < out->method_count; i++) {
        struct coverage_method *method = &out->methods[i];
        CLEW_TRY(coverage_lines_of_method(out, method, &lines));
        sum_up(&lines, &method->lines, &method->covered);
    }
    return CLEW_OK;
}

static enum clew_error sum_files(struct coverage *out)
{
    struct coverage_lines lines;
    for (size_t i = 0; i < out->file_count; i++) {
        struct coverage_file *file = &out->files[i];
        CLEW_TRY(coverage_lines_of_file(out, file, &lines));
        sum_up(&lines, &file->lines, &file->covered);
        out->lines += file->lines;
        out->covered += file->covered;
        if (out->lines > LINES_MAX) {
            return CLEW_UNSUPPORTED;
        }
    }
    return CLEW_OK;
}

// -- Orders -----------------------------------------------------------------------------------------------------------

static int compare_files(const void *left, const void *right)
{
    const struct coverage_file *a = left, *b = right;
    return text_compare(a->path, b->path);
}

// Sorts the files by path, before they have any points.
static enum clew_error order_files(struct coverage *out)
{
    uint32_t *now = calloc(out->file_count + 1, sizeof *now); // by earlier index
    if (!now) {
        return CLEW_NO_MEMORY;
    }
    for (size_t i = 0; i < out->file_count; i++) {
        out->files[i].first = (uint32_t)i;
    }
    if (out->file_count) {
        qsort(out->files, out->file_count, sizeof *out->files, compare_files);
    }
    for (size_t i = 0; i < out->file_count; i++) {
        now[out->files[i].first] = (uint32_t)i;
        out->files[i].first = 0;
    }
    for (size_t i = 0; i < out->point_count; i++) {
        out->points[i].file = now[out->points[i].file];
    }
    free(now);
    return CLEW_OK;
}

struct ordered {
    uint32_t file, line, column, index;
};

static int compare_ordered(const void *left, const void *right)
{
    const struct ordered *a = left, *b = right;
    return a->file != b->file       ? (a->file > b->file) - (a->file < b->file)
           : a->line != b->line     ? (a->line > b->line) - (a->line < b->line)
           : a->column != b->column ? (a->column > b->column) - (a->column < b->column)
                                    : (a->index > b->index) - (a->index < b->index);
}

static enum clew_error order_points(struct coverage *out)
{
    struct ordered *ordered = calloc(out->point_count + 1, sizeof *ordered);
    out->by_file = calloc(out->point_count + 1, sizeof *out->by_file);
    if (!ordered || !out->by_file) {
        free(ordered);
        return CLEW_NO_MEMORY;
    }
    for (size_t i = 0; i < out->point_count; i++) {
        const struct coverage_point *point = &out->points[i];
        ordered[i] = (struct ordered){point->file, point->at.start_line, point->at.start_column, (uint32_t)i};
    }
    qsort(ordered, out->point_count, sizeof *ordered, compare_ordered);
    for (size_t i = 0; i < out->point_count; i++) {
        struct coverage_file *file = &out->files[ordered[i].file];
        out->by_file[i] = ordered[i].index;
        file->first = file->count == 0 ? (uint32_t)i : file->first;
        file->count++;
    }
    free(ordered);
    return CLEW_OK;
}

static uint32_t count_without(const struct loading *loading)
{
    const struct catalog *catalog = &loading->model->catalog;
    uint32_t without = 0;
    for (uint32_t i = 0; i < catalog->module_count; i++) {
        uint64_t known, same, key = hash_of(catalog->modules[i].mvid, 0);
        bool first = map_get(&loading->modules, key, &same) && same == i;
        without += first && catalog->modules[i].flags & MODULE_IN_SCOPE && !map_get(&loading->whole, key, &known);
    }
    return without;
}

static enum clew_error note_whole(void *context, const struct recording_record *record)
{
    const struct recording_points *points = &record->points;
    bool last = points->flags & POINTS_LAST;
    return last && !map_put(context, hash_of(points->mvid, 0), 1) ? CLEW_NO_MEMORY : CLEW_OK;
}

static enum clew_error load(struct loading *loading, const struct sites *sites)
{
    struct recording *recording = loading->model->recording;
    struct coverage *out = loading->out;
    const uint32_t type = 1u << RECORDING_POINTS;
    CLEW_TRY(list_modules(loading) ? CLEW_OK : CLEW_NO_MEMORY);
    CLEW_TRY(recording_each(recording, type, note_whole, &loading->whole, &out->health));
    out->without = count_without(loading);
    CLEW_TRY(recording_each(recording, type, take_record, loading, &out->health));
    CLEW_TRY(add_counts(loading, sites));
    settle_methods(loading);
    CLEW_TRY(order_files(out));
    CLEW_TRY(order_points(out));
    CLEW_TRY(sum_methods(out));
    return sum_files(out);
}

enum clew_error coverage_load(const struct model *model, const struct sites *sites, struct coverage *out)
{
    struct loading loading = {.model = model, .out = out};
    *out = (struct coverage){0};
    enum clew_error error = load(&loading, sites);
    map_free(&loading.whole);
    map_free(&loading.modules);
    map_free(&loading.methods);
    map_free(&loading.documents);
    map_free(&loading.paths);
    return error;
}

void coverage_free(struct coverage *coverage)
{
    arena_free(&coverage->texts);
    free(coverage->files);
    free(coverage->methods);
    free(coverage->points);
    free(coverage->by_file);
    *coverage = (struct coverage){0};
}
