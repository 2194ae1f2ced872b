#include "view/export/export_coverage.h"

#include <stdlib.h>

#include "base/array.h"

static enum clew_error add_file(struct coverage_owned *owned, const struct coverage *coverage,
                                const struct coverage_file *file)
{
    struct coverage_lines lines;
    CLEW_TRY(coverage_lines_of_file(coverage, file, &lines));
    enum clew_error error = CLEW_OK;
    for (size_t i = 0; i < lines.count && error == CLEW_OK; i++) {
        if (array_grow(&owned->lines, owned->count, &owned->room, sizeof *owned->lines)) {
            owned->lines[owned->count++] = lines.lines[i];
        } else {
            error = CLEW_NO_MEMORY;
        }
    }
    free(lines.lines);
    return error;
}

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_owned(const void *left, const void *right, void *context)
{
    const struct coverage *coverage = context;
    const struct coverage_line *a = left, *b = right;
    const struct coverage_method *of_a = &coverage->methods[a->method], *of_b = &coverage->methods[b->method];
    if (!catalog_same_module(of_a->module, of_b->module)) {
        int named = text_compare(of_a->module->name, of_b->module->name);
        return named ? named : compare(catalog_module_hash(of_a->module), catalog_module_hash(of_b->module));
    }
    int order = text_compare(of_a->class, of_b->class);
    order = order ? order : compare(a->file, b->file);
    order = order ? order : compare(a->method, b->method);
    return order ? order : compare(a->line, b->line);
}

static enum clew_error pass(struct export *export, const struct coverage *coverage, enum coverage_order order,
                            export_takes_coverage *take)
{
    struct coverage_owned owned = {0};
    enum clew_error error = CLEW_OK;
    for (size_t i = 0; i < coverage->file_count && error == CLEW_OK; i++) {
        error = add_file(&owned, coverage, &coverage->files[i]);
    }
    if (error == CLEW_OK && order == COVERAGE_BY_METHOD && owned.count) {
        qsort_r(owned.lines, owned.count, sizeof *owned.lines, compare_owned, (void *)coverage);
    }
    error = error == CLEW_OK ? take(export, coverage, &owned) : error;
    free(owned.lines);
    return error;
}

enum clew_error export_coverage(struct export *export, enum coverage_order order, export_takes_coverage *take)
{
    struct coverage coverage;
    if (!coverage_known(export->model)) {
        return CLEW_NOTHING_RECORDED;
    }
    CLEW_TRY(table_source_sites(&export->source));
    enum clew_error error = coverage_load(export->model, export->source.sites, &coverage);
    error = error == CLEW_OK ? pass(export, &coverage, order, take) : error;
    recording_meet(&export->model->health, &coverage.health);
    coverage_free(&coverage);
    return error;
}
