// Tables of totals: methods, modules, threads, lines, allocations. Rows and columns are those of `clew report --json`
// (doc/json.md).
#include <stdlib.h>

#include "base/assert.h"
#include "model/allocations.h"
#include "model/lines.h"
#include "model/table.h"
#include "trace/instrument.h"
#include "view/export/export_table.h"

// -- Methods ----------------------------------------------------------------------------------------------------------

const struct export_column export_methods_columns[] = {
    {"method", EXPORT_TEXT},
    {"module", EXPORT_TEXT},
    {"kind", EXPORT_TEXT},
    {"file", EXPORT_TEXT},
    {"line", EXPORT_NUMBER},
    {"calls", EXPORT_NUMBER},
    {"exceptions", EXPORT_NUMBER},
    {"open", EXPORT_NUMBER},
    {"statements", EXPORT_NUMBER},
    {"own_ns", EXPORT_NUMBER},
    {"total_ns", EXPORT_NUMBER},
    {"min_ns", EXPORT_NUMBER},
    {"mean_ns", EXPORT_NUMBER},
    {"max_ns", EXPORT_NUMBER},
    {"cpu_user_ns", EXPORT_NUMBER},
    {"cpu_kernel_ns", EXPORT_NUMBER},
    {"own_cpu_user_ns", EXPORT_NUMBER},
    {"own_cpu_kernel_ns", EXPORT_NUMBER},
    {0},
};

// What was counted beside calls.
struct counted {
    bool statements, line_times;
};

static enum clew_error write_method(struct export *export, struct export_sink *sink, const struct counted *counted,
                                    const struct table_method *row)
{
    bool calls = !row->no_calls, ended = row->shortest != UINT64_MAX;
    struct export_place place = export_place_of(export, row->method);
    struct export_cell cells[EXPORT_COLUMNS_MAX];
    export_method_cells(export, row->method, cells);
    cells[3] = export_text_maybe(place.document ? place.document->path : (struct text){0});
    cells[4] = export_maybe(place.line, place.document != NULL);
    cells[5] = export_maybe(row->calls, calls);
    cells[6] = export_maybe(row->exceptions, calls);
    cells[7] = export_maybe(row->open, calls);
    cells[8] = export_maybe(row->statements, counted->statements);
    cells[9] = export_ticks(export, row->own, calls || counted->line_times);
    cells[10] = export_ticks(export, row->total, calls);
    cells[11] = export_ticks(export, row->shortest, ended);
    cells[12] = export_ticks(export, row->calls ? row->sum / row->calls : 0, row->calls > 0);
    cells[13] = export_ticks(export, row->longest, ended);
    cells[14] = export_maybe(row->cpu_user_ns, calls);
    cells[15] = export_maybe(row->cpu_kernel_ns, calls);
    cells[16] = export_maybe(row->own_cpu_user_ns, calls);
    cells[17] = export_maybe(row->own_cpu_kernel_ns, calls);
    CLEW_ASSERT(sink->count == 18);
    return sink->row(sink, cells);
}

// Adds statements, which are known for the whole recording only.
static enum clew_error count_statements(struct export *export, struct table_methods *methods, struct counted *counted)
{
    struct lines lines = {0};
    if (!export->sites || export->options->ranged || export->options->thread) {
        return CLEW_OK;
    }
    enum clew_error error = lines_load(export->model, export->sites, &lines);
    if (error == CLEW_OK) {
        table_add_lines(export->model, &lines, methods);
        *counted = (struct counted){true, lines.has_time};
    }
    recording_meet(&export->model->health, &lines.health);
    lines_free(&lines);
    return error == CLEW_NOTHING_RECORDED ? CLEW_OK : error;
}

enum clew_error export_rows_of_methods(struct export *export, struct export_sink *sink)
{
    struct table_methods methods;
    struct counted counted = {0};
    CLEW_TRY(table_methods(export->model, &methods));
    enum clew_error error = count_statements(export, &methods, &counted);
    bool by_own = model_has_times(export->model);
    table_sort(export->model, &methods, by_own ? TABLE_OWN : TABLE_CALLS);
    for (uint32_t i = 0; i < methods.count && error == CLEW_OK; i++) {
        error = write_method(export, sink, &counted, &methods.rows[i]);
    }
    free(methods.rows);
    return error;
}

// -- Modules ----------------------------------------------------------------------------------------------------------

const struct export_column export_modules_columns[] = {
    {"module", EXPORT_TEXT},
    {"path", EXPORT_TEXT},
    {"methods", EXPORT_NUMBER},
    {"woven", EXPORT_NUMBER},
    {"calls", EXPORT_NUMBER},
    {"own_ns", EXPORT_NUMBER},
    {0},
};

enum clew_error export_rows_of_modules(struct export *export, struct export_sink *sink)
{
    struct table_methods methods;
    struct table_modules modules;
    CLEW_TRY(table_methods(export->model, &methods));
    enum clew_error error = table_modules(export->model, &methods, &modules);
    free(methods.rows);
    CLEW_TRY(error);
    for (uint32_t i = 0; i < modules.count && error == CLEW_OK; i++) {
        const struct table_module *row = &modules.rows[i];
        const struct recording_module *module = &export->model->catalog.modules[row->module];
        const struct export_cell cells[] = {export_text(module->name),   export_text_maybe(module->path),
                                            export_number(row->methods), export_number(row->woven),
                                            export_number(row->calls),   export_ticks(export, row->own, true)};
        CLEW_ASSERT(sink->count == sizeof cells / sizeof *cells);
        error = sink->row(sink, cells);
    }
    free(modules.rows);
    return error;
}

// -- Threads ----------------------------------------------------------------------------------------------------------

const struct export_column export_threads_columns[] = {
    {"thread", EXPORT_NUMBER},      {"process", EXPORT_NUMBER},       {"os_id", EXPORT_NUMBER},
    {"name", EXPORT_TEXT},          {"start_ns", EXPORT_NUMBER},      {"end_ns", EXPORT_NUMBER},
    {"calls", EXPORT_NUMBER},       {"open", EXPORT_NUMBER},          {"lost", EXPORT_NUMBER},
    {"cpu_user_ns", EXPORT_NUMBER}, {"cpu_kernel_ns", EXPORT_NUMBER}, {0},
};

enum clew_error export_rows_of_threads(struct export *export, struct export_sink *sink)
{
    const struct model *model = export->model;
    bool counted = model->session.instruments & (INSTRUMENT_TREE | INSTRUMENT_STREAMS) || model->calls > 0;
    bool times = model_has_times(model);
    for (uint32_t i = 0; i < model->catalog.thread_count; i++) {
        const struct catalog_thread *row = &model->catalog.threads[i];
        const struct recording_thread *thread = &row->record;
        const struct export_cell cells[] = {
            export_number(thread->thread),
            export_number(thread->process),
            export_number(thread->os_id),
            export_text_maybe(thread->name),
            export_maybe(export_ns(export, thread->started_clock), times && thread->started_clock),
            export_maybe(export_ns(export, thread->ended_clock), times && thread->ended_clock),
            export_maybe(row->calls, counted),
            export_maybe(row->open, counted),
            export_number(row->lost),
            export_number(thread->cpu_user_ns),
            export_number(thread->cpu_kernel_ns)};
        CLEW_ASSERT(sink->count == sizeof cells / sizeof *cells);
        if (model_takes_thread(model, thread->process, thread->thread)) {
            CLEW_TRY(sink->row(sink, cells));
        }
    }
    return CLEW_OK;
}

// -- Lines ------------------------------------------------------------------------------------------------------------

const struct export_column export_lines_columns[] = {
    {"file", EXPORT_TEXT},       {"line", EXPORT_NUMBER},       {"column", EXPORT_NUMBER},
    {"end_line", EXPORT_NUMBER}, {"end_column", EXPORT_NUMBER}, {"method", EXPORT_TEXT},
    {"count", EXPORT_NUMBER},    {"own_ns", EXPORT_NUMBER},     {0},
};

static enum clew_error write_line(struct export *export, struct export_sink *sink, const struct lines *lines,
                                  const struct line_row *row)
{
    const struct catalog *catalog = &export->model->catalog;
    uint32_t method = catalog_find_method(catalog, row->process, row->method);
    struct text name = method == CATALOG_NONE ? (struct text){0} : catalog->methods[method].record.name;
    const struct export_cell cells[] = {export_text(row->document->path),
                                        export_number(row->site->start_line),
                                        export_number(row->site->start_column),
                                        export_number(row->site->end_line),
                                        export_number(row->site->end_column),
                                        export_text_maybe(name),
                                        export_number(row->count),
                                        export_ticks(export, row->own, lines->has_time)};
    CLEW_ASSERT(sink->count == sizeof cells / sizeof *cells);
    return sink->row(sink, cells);
}

enum clew_error export_rows_of_lines(struct export *export, struct export_sink *sink)
{
    struct lines lines = {0};
    enum clew_error error = export->sites ? lines_load(export->model, export->sites, &lines) : CLEW_NOTHING_RECORDED;
    for (size_t i = 0; i < lines.count && error == CLEW_OK; i++) {
        error = write_line(export, sink, &lines, &lines.rows[i]);
    }
    recording_meet(&export->model->health, &lines.health);
    lines_free(&lines);
    return error;
}

// -- Allocations ------------------------------------------------------------------------------------------------------

const struct export_column export_allocations_columns[] = {
    {"type", EXPORT_TEXT},
    {"count", EXPORT_NUMBER},
    {"bytes", EXPORT_NUMBER},
    {"unsized", EXPORT_NUMBER},
    {"method", EXPORT_TEXT},
    {"module", EXPORT_TEXT},
    {"kind", EXPORT_TEXT},
    {"file", EXPORT_TEXT},
    {"line", EXPORT_NUMBER},
    {"offset", EXPORT_NUMBER},
    {0},
};

static enum clew_error write_allocation(struct export *export, struct export_sink *sink, const struct allocation *row)
{
    bool line = row->document && row->site->start_line;
    struct export_cell cells[10] = {export_text_maybe(row->type), export_number(row->count),
                                    export_maybe(row->bytes, row->unsized < row->count), export_number(row->unsized)};
    if (row->method != CATALOG_NONE) {
        export_method_cells(export, row->method, cells + 4);
    }
    cells[7] = export_text_maybe(line ? row->document->path : (struct text){0});
    cells[8] = export_maybe(line ? row->site->start_line : 0, line);
    cells[9] = export_number(row->site->il_offset);
    CLEW_ASSERT(sink->count == sizeof cells / sizeof *cells);
    return sink->row(sink, cells);
}

enum clew_error export_rows_of_allocations(struct export *export, struct export_sink *sink)
{
    struct allocations all = {0};
    bool has = export->sites && export->model->session.instruments & INSTRUMENT_VALUES;
    enum clew_error error = has ? allocations_load(export->model, export->sites, &all) : CLEW_NOTHING_RECORDED;
    for (size_t i = 0; i < all.site_count && error == CLEW_OK; i++) {
        error = write_allocation(export, sink, &all.sites[i]);
    }
    recording_meet(&export->model->health, &all.health);
    allocations_free(&all);
    return error;
}
