// See exports.h.
#include "view/export/exports.h"

#include "base/assert.h"
#include "view/export/export.h"
#include "view/export/export_formats.h"

const struct export_format *const export_formats[] = {
    &export_speedscope, &export_folded,  &export_pprof, &export_callgrind, &export_trace,
    &export_perfetto,   &export_firefox, &export_csv,   &export_jsonl,     &export_parquet,
    &export_cobertura,  &export_lcov,    NULL};

bool export_wants_trees(const struct export_format *format, const struct export_options *options)
{
    return format->table ? options->report->base == REPORT_OF_TREES : !format->needs_calls && !format->coverage;
}

bool export_takes_physical(const struct export_format *format, const struct export_options *options)
{
    const struct report *report = options->report;
    return format->table ? report->takes & REPORT_PHYSICAL && !report->threads_apart : format->logical;
}

void export_choose_trees(const struct export_format *format, const struct export_options *options,
                         struct model_options *out)
{
    bool table = format->table && options->report->threads_apart;
    out->physical = options->physical;
    // To choose one thread's tree, each thread must have its own.
    out->threads_apart = options->threads.count > 0 || table || (format->threads_apart && !format->logical);
    out->apart_if_physical = format->threads_apart;
}

// Orders the paths of all trees by their first calls.
static enum clew_error sort_trees(struct model *model)
{
    for (uint32_t i = 0; i < model->tree_count; i++) {
        CLEW_TRY(tree_sort(&model->trees[i].tree, false, NULL));
    }
    return CLEW_OK;
}

// Whether the trees have what was chosen.
static bool has_chosen(const struct model *model, const struct export_options *options)
{
    return options->threads.count == 0 ? !options->ranged || model->has_stream : model->tree_count > 0;
}

enum clew_error export_write(FILE *out, struct model *model, const struct export_format *format,
                             const struct export_options *options)
{
    const struct view view = {.health = &model->health, .without_lines = options->ranged || options->threads.count};
    struct export export = {.source = {&view, model, .files = true}, .out = out, .model = model, .options = options};
    if ((format->needs_times && !model_has_times(model)) || (format->needs_calls && !model->has_stream)) {
        return CLEW_NOTHING_RECORDED;
    }
    if (export_wants_trees(format, options)) {
        CLEW_TRY(has_chosen(model, options) ? sort_trees(model) : CLEW_NOTHING_RECORDED);
    }
    enum clew_error error = export_load_places(&export);
    error = error == CLEW_OK ? format->write(&export) : error;
    export_free_places(&export);
    return error;
}
