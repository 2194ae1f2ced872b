// See lines.h. Sites are counted first, each alone. Then a row is made for each statement of the source: sites of the
// same range in the same file are added up, whichever method, module load or process they are in.
#include "model/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"
#include "model/line_counts.h"

// -- Rows -------------------------------------------------------------------------------------------------------------

// Orders by path, then by the statement's range; equal rows are the same statement.
static int compare_rows(const void *left, const void *right)
{
    const struct line_row *a = left, *b = right;
    size_t shorter = a->document->path.size < b->document->path.size ? a->document->path.size : b->document->path.size;
    int order = memcmp(a->document->path.at, b->document->path.at, shorter);
    if (order != 0 || a->document->path.size != b->document->path.size) {
        return order ? order : a->document->path.size < b->document->path.size ? -1 : 1;
    }
    const uint32_t keys[][2] = {{a->site->start_line, b->site->start_line},
                                {a->site->start_column, b->site->start_column},
                                {a->site->end_line, b->site->end_line},
                                {a->site->end_column, b->site->end_column}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (keys[i][0] != keys[i][1]) {
            return keys[i][0] < keys[i][1] ? -1 : 1;
        }
    }
    return 0;
}

static void add_to_method(struct lines *lines, const struct catalog_method *method, const struct line_count *counted)
{
    lines->methods[method->canonical].statements += counted->count;
    lines->methods[method->canonical].own += counted->own;
}

// Adds a row for a counted site. Statements without a position in the source only count for their method.
static enum clew_error add_row(struct lines *lines, const struct model *model, const struct sites *sites,
                               const struct line_count *counted)
{
    const struct site *site = sites_site(sites, counted->process, counted->site);
    if (!site || site->kind != SITE_STATEMENT) {
        return CLEW_OK;
    }
    uint32_t method = sites_method(sites, counted->process, counted->site), module = 0;
    uint32_t index = catalog_find_method(&model->catalog, counted->process, method);
    if (index != CATALOG_NONE) {
        add_to_method(lines, &model->catalog.methods[index], counted);
        module = model->catalog.methods[index].record.module;
    }
    const struct recording_document *document = sites_document(sites, counted->process, module, site->document);
    if (!document || site->start_line == 0) {
        return CLEW_OK;
    }
    if (!array_grow(&lines->rows, lines->count, &lines->room, sizeof *lines->rows)) {
        return CLEW_NO_MEMORY;
    }
    lines->rows[lines->count++] = (struct line_row){.document = document,
                                                    .site = site,
                                                    .process = counted->process,
                                                    .method = method,
                                                    .count = counted->count,
                                                    .own = counted->own};
    lines->own += counted->own;
    return CLEW_OK;
}

// Sorts the rows, and adds up those of the same statement.
static void merge_rows(struct lines *lines)
{
    size_t kept = 0;
    if (lines->count) {
        qsort(lines->rows, lines->count, sizeof *lines->rows, compare_rows);
    }
    for (size_t i = 1; i < lines->count; i++) {
        if (text_equal(lines->rows[i].document->path, lines->rows[i - 1].document->path)) {
            lines->rows[i].document = lines->rows[i - 1].document; // all rows of one path share one document
        }
    }
    for (size_t i = 1; i < lines->count; i++) {
        CLEW_ASSERT(kept < i && compare_rows(&lines->rows[kept], &lines->rows[i]) <= 0);
        if (compare_rows(&lines->rows[kept], &lines->rows[i]) == 0) {
            lines->rows[kept].count += lines->rows[i].count;
            lines->rows[kept].own += lines->rows[i].own;
        } else {
            lines->rows[++kept] = lines->rows[i];
        }
    }
    lines->count = lines->count ? kept + 1 : 0;
}

// Turns counts of sites into rows of statements, and adds up the sums of methods on the way.
static enum clew_error make_rows(struct lines *lines, const struct model *model, const struct line_counts *counts)
{
    lines->methods = calloc((size_t)model->catalog.method_count + 1, sizeof *lines->methods);
    if (!lines->methods) {
        return CLEW_NO_MEMORY;
    }
    for (size_t i = 0; i < counts->count; i++) {
        CLEW_TRY(add_row(lines, model, counts->sites, &counts->counted[i]));
    }
    merge_rows(lines);
    return CLEW_OK;
}

enum clew_error lines_of(struct line_counts *counts, const struct model *model, struct lines *out)
{
    *out = (struct lines){.health = counts->health, .has_time = counts->counters && model_has_times(model)};
    if (counts->ended && !counts->any) {
        return CLEW_NOTHING_RECORDED;
    }
    CLEW_TRY(line_counts_add_unreached(counts, &model->catalog));
    return make_rows(out, model, counts);
}

enum clew_error lines_load(const struct model *model, const struct sites *sites, struct lines *out)
{
    struct line_counts *counts;
    *out = (struct lines){0};
    CLEW_TRY(line_counts_new(model->recording, sites, &counts));
    enum clew_error error = CLEW_OK;
    while (error == CLEW_OK) {
        error = line_counts_advance(counts);
    }
    error = error == CLEW_NOT_FOUND ? lines_of(counts, model, out) : error;
    out->health = counts->health;
    line_counts_free(counts);
    return error;
}

enum clock_kind lines_clock(const struct model *model, const struct lines *lines)
{
    if (!lines->has_time) {
        return CLOCK_KIND_NONE;
    }
    return model->session.flags & SESSION_LINES_BY_CLOCK ? model->session.clock : CLOCK_KIND_TICK;
}

void lines_free(struct lines *lines)
{
    free(lines->rows);
    free(lines->methods);
    *lines = (struct lines){0};
}
