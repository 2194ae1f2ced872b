// The profile format of callgrind (valgrind.org/docs/manual/cl-format.html), for KCachegrind, QCachegrind and
// callgrind_annotate: own time and calls of each method, what it called, and, where lines were counted, statements and
// their times by line. A method's own time stands on its first line.
#include <stdlib.h>

#include "base/assert.h"
#include "base/foreign.h"
#include "model/lines.h"
#include "model/table.h"
#include "view/export/export.h"
#include "view/export/export_edges.h"
#include "view/export/export_formats.h"

// The state of writing. The first use of a name defines its number; later uses write the number alone.
struct callgrind {
    struct export *export;
    struct export_edges edges;
    struct table_methods methods;
    struct lines lines;
    uint32_t *line_order; // rows of `lines`, by method
    uint32_t *row_of;     // by canonical method: row of `methods` + 1; 0: none
    struct map files, objects, functions;
    size_t edge, line; // of edges and of line_order: what comes next
    bool has_lines;
};

// -- Names ------------------------------------------------------------------------------------------------------------

// Writes "KEY=(7) name" or, from the second time on, "KEY=(7)". Things are numbered in the order in which they are met.
static enum clew_error write_name(struct callgrind *callgrind, const char *key, struct map *known, uint64_t thing,
                                  struct text name)
{
    FILE *out = callgrind->export->out;
    uint64_t number;
    bool is_new = !map_get(known, thing, &number);
    if (is_new) {
        number = known->count + 1;
    }
    (void)fprintf(out, "%s=(%llu)", key, (unsigned long long)number);
    if (is_new) {
        (void)fputc(' ', out);
        foreign_write(out, name.size ? name : text_of("?"), FOREIGN_TEXT);
    }
    (void)fputc('\n', out);
    return !is_new || map_put(known, thing, number) ? CLEW_OK : CLEW_NO_MEMORY;
}

// Writes the module, the file and the name of a method; `c` before the keys of one that is called.
static enum clew_error write_method(struct callgrind *callgrind, bool called, uint32_t canonical)
{
    const struct export *export = callgrind->export;
    const struct catalog *catalog = &export->model->catalog;
    uint32_t module = catalog->methods[canonical].module_index;
    struct method_place place = export_place_of(export, canonical);
    struct text object = module == CATALOG_NONE ? (struct text){0} : export_module(export, canonical);
    struct text file = place.document ? place.document->path : text_of("???"); // as callgrind itself writes it
    CLEW_TRY(write_name(callgrind, called ? "cob" : "ob", &callgrind->objects, module, object));
    CLEW_TRY(write_name(callgrind, called ? "cfi" : "fl", &callgrind->files, (uintptr_t)place.document, file));
    return write_name(callgrind, called ? "cfn" : "fn", &callgrind->functions, canonical,
                      export_name(export, canonical));
}

// -- Costs ------------------------------------------------------------------------------------------------------------

// A line with costs. Those by line are 0 except in rows of lines.
static void write_cost(const struct callgrind *callgrind, uint32_t line, uint64_t ns, uint64_t calls,
                       const struct line_row *row)
{
    const struct model *model = callgrind->export->model;
    FILE *out = callgrind->export->out;
    (void)fprintf(out, "%u", line);
    if (model_has_times(model)) {
        (void)fprintf(out, " %llu", (unsigned long long)ns);
    }
    (void)fprintf(out, " %llu", (unsigned long long)calls);
    if (callgrind->has_lines) {
        (void)fprintf(out, " %llu", row ? (unsigned long long)row->count : 0);
    }
    if (callgrind->has_lines && callgrind->lines.has_time) {
        (void)fprintf(out, " %llu", row ? (unsigned long long)model_ns(model, row->own) : 0);
    }
    (void)fputc('\n', out);
}

static uint32_t canonical_of(const struct callgrind *callgrind, const struct line_row *row)
{
    uint32_t index = catalog_find_method(&callgrind->export->model->catalog, row->process, row->method);
    return index == CATALOG_NONE ? CATALOG_NONE : callgrind->export->model->catalog.methods[index].canonical;
}

// Writes the rows of lines of a method.
static enum clew_error write_lines(struct callgrind *callgrind, uint32_t canonical)
{
    const struct line_row *rows = callgrind->lines.rows;
    const struct recording_document *document = export_place_of(callgrind->export, canonical).document;
    for (; callgrind->has_lines && callgrind->line < callgrind->lines.count; callgrind->line++) {
        const struct line_row *row = &rows[callgrind->line_order[callgrind->line]];
        uint32_t of = canonical_of(callgrind, row);
        if (of > canonical) {
            break;
        }
        if (of < canonical || row->count == 0) {
            continue;
        }
        if (row->document != document) {
            document = row->document;
            CLEW_TRY(write_name(callgrind, "fi", &callgrind->files, (uintptr_t)document, document->path));
        }
        write_cost(callgrind, row->site->start_line, 0, 0, row);
    }
    return CLEW_OK;
}

// Writes what a method called.
static enum clew_error write_callees(struct callgrind *callgrind, uint32_t canonical)
{
    const struct export *export = callgrind->export;
    const struct export_edges *edges = &callgrind->edges;
    for (; callgrind->edge < edges->count && edges->edges[callgrind->edge].caller <= canonical; callgrind->edge++) {
        const struct export_edge *edge = &edges->edges[callgrind->edge];
        if (edge->caller < canonical) {
            continue;
        }
        CLEW_TRY(write_method(callgrind, true, edge->callee));
        (void)fprintf(export->out, "calls=%llu %u\n", (unsigned long long)edge->calls,
                      export_place_of(export, edge->callee).line);
        write_cost(callgrind, export_place_of(export, canonical).line, model_ns(export->model, edge->total),
                   edge->calls_below, NULL);
    }
    return CLEW_OK;
}

static enum clew_error write_one(struct callgrind *callgrind, uint32_t canonical)
{
    const struct export *export = callgrind->export;
    const struct table_method *row = &callgrind->methods.rows[callgrind->row_of[canonical] - 1];
    CLEW_ASSERT(callgrind->row_of[canonical] > 0 && row->method == canonical);
    (void)fputc('\n', export->out);
    CLEW_TRY(write_method(callgrind, false, canonical));
    if (!row->no_calls) {
        write_cost(callgrind, export_place_of(export, canonical).line, model_ns(export->model, row->own), row->calls,
                   NULL);
        CLEW_TRY(write_callees(callgrind, canonical)); // before lines of other files
    }
    CLEW_TRY(write_lines(callgrind, canonical));
    return ferror(export->out) ? CLEW_IO : CLEW_OK;
}

// -- The file ---------------------------------------------------------------------------------------------------------

static void write_head(const struct callgrind *callgrind)
{
    const struct model *model = callgrind->export->model;
    FILE *out = callgrind->export->out;
    (void)fputs("# callgrind format\nversion: 1\ncreator: clew " CLEW_VERSION "\ncmd: ", out);
    foreign_write(out, model->session.command, FOREIGN_TEXT);
    if (export_view_sentence(callgrind->export)) {
        (void)fprintf(out, "\ndesc: %s", export_view_sentence(callgrind->export));
    }
    (void)fprintf(out, "\npart: 1\npositions: line\nevents:%s Calls%s%s\n", model_has_times(model) ? " OwnNs" : "",
                  callgrind->has_lines ? " Statements" : "",
                  callgrind->has_lines && callgrind->lines.has_time ? " LineNs" : "");
}

static int by_method(const void *left, const void *right, void *context)
{
    const struct callgrind *callgrind = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    uint32_t x = canonical_of(callgrind, &callgrind->lines.rows[a]),
             y = canonical_of(callgrind, &callgrind->lines.rows[b]);
    return x != y ? (x < y ? -1 : 1) : (a > b) - (a < b);
}

// Lines are known for the whole recording, not for a range or a thread.
static enum clew_error load_lines(struct callgrind *callgrind)
{
    struct export *export = callgrind->export;
    if (!export->source.sites || export->options->ranged || export->options->threads.count) {
        return CLEW_OK;
    }
    enum clew_error error = lines_load(export->model, export->source.sites, &callgrind->lines);
    recording_meet(&export->model->health, &callgrind->lines.health);
    callgrind->has_lines = error == CLEW_OK;
    if (error != CLEW_OK) {
        return error == CLEW_NOTHING_RECORDED ? CLEW_OK : error;
    }
    table_add_lines(export->model, &callgrind->lines, &callgrind->methods);
    callgrind->line_order = calloc(callgrind->lines.count + 1, sizeof *callgrind->line_order);
    if (!callgrind->line_order) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t i = 0; i < callgrind->lines.count; i++) {
        callgrind->line_order[i] = i;
    }
    qsort_r(callgrind->line_order, callgrind->lines.count, sizeof *callgrind->line_order, by_method, callgrind);
    return CLEW_OK;
}

// The rows of methods by their canonical numbers, in which order edges and lines are, too.
static enum clew_error load(struct callgrind *callgrind)
{
    struct export *export = callgrind->export;
    CLEW_TRY(export_edges_load(export, &callgrind->edges));
    CLEW_TRY(table_methods(export->model, &callgrind->methods));
    CLEW_TRY(load_lines(callgrind));
    callgrind->row_of = calloc((size_t) export->model->catalog.method_count + 1, sizeof *callgrind->row_of);
    if (!callgrind->row_of) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t i = 0; i < callgrind->methods.count; i++) {
        callgrind->row_of[callgrind->methods.rows[i].method] = i + 1;
    }
    return CLEW_OK;
}

static enum clew_error write_all(struct callgrind *callgrind)
{
    CLEW_TRY(load(callgrind));
    write_head(callgrind);
    for (uint32_t i = 0; i < callgrind->export->model->catalog.method_count; i++) {
        CLEW_TRY(callgrind->row_of[i] ? write_one(callgrind, i) : CLEW_OK);
    }
    return CLEW_OK;
}

static enum clew_error write_callgrind(struct export *export)
{
    struct callgrind callgrind = {.export = export};
    enum clew_error error = write_all(&callgrind);
    export_edges_free(&callgrind.edges);
    lines_free(&callgrind.lines);
    free(callgrind.methods.rows);
    free(callgrind.line_order);
    free(callgrind.row_of);
    map_free(&callgrind.files);
    map_free(&callgrind.objects);
    map_free(&callgrind.functions);
    return error;
}

const struct export_format export_callgrind = {
    .name = "callgrind", .suffix = ".callgrind", .logical = true, .write = write_callgrind};
