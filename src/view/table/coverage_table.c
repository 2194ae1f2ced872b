// The tables of the report `coverage`: how many lines with code ran, by file and by method.
#include "model/coverage.h"

#include <stdio.h>
#include <stdlib.h>

#include "trace/instrument.h"
#include "view/table/tables.h"
#include "view/text/format_method.h"
#include "view/text/format_number.h"

static const struct table_column total_columns[] = {
    {"lines", .kind = TABLE_COUNT},
    {"covered", .kind = TABLE_COUNT},
    {"modules_without_symbols", .kind = TABLE_COUNT},
    {"methods_not_instrumented", .kind = TABLE_COUNT},
    {0},
};

static const struct table_column columns[] = {
    {"file", TABLE_TEXT, "File", .at = 4},
    {"lines", TABLE_COUNT, "Lines", .at = 3, .width = 8},
    {"covered", TABLE_COUNT, "Covered", .at = 2, .width = 8},
    {"missed", .kind = TABLE_TEXT},
    {NULL, TABLE_SHARE, "Share", .at = 1, .width = 8},
    {0},
};

static const struct table_column method_columns[] = {
    {"method", TABLE_METHOD, "Method", .at = 4},
    {"module", .kind = TABLE_TEXT},
    {"kind", .kind = TABLE_TEXT},
    {"token", .kind = TABLE_NUMBER},
    {"file", .kind = TABLE_TEXT},
    {"line", .kind = TABLE_NUMBER},
    {"lines", TABLE_COUNT, "Lines", .at = 3, .width = 8},
    {"covered", TABLE_COUNT, "Covered", .at = 2, .width = 8},
    {NULL, TABLE_SHARE, "Share", .at = 1, .width = 8},
    {0},
};

static const struct table total_table, of_methods_table;

// -- Rows -------------------------------------------------------------------------------------------------------------

static void append_range(struct buffer *into, uint32_t first, uint32_t last)
{
    const char *comma = into->size ? "," : "";
    if (first == last) {
        buffer_printf(into, "%s%u", comma, first);
    } else {
        buffer_printf(into, "%s%u-%u", comma, first, last);
    }
}

// Appends the lines that did not run: `12,15-17`. Lines without code between two of them do not end a range.
static enum clew_error append_missed(struct buffer *into, const struct coverage *coverage,
                                     const struct coverage_file *file)
{
    struct coverage_lines lines;
    CLEW_TRY(coverage_lines_of_file(coverage, file, &lines));
    for (size_t i = 0; i < lines.count;) {
        size_t end = i;
        while (end < lines.count && lines.lines[end].hits == 0) {
            end++;
        }
        if (end > i) {
            append_range(into, lines.lines[i].line, lines.lines[end - 1].line);
        }
        i = end > i ? end : i + 1;
    }
    free(lines.lines);
    return into->failed ? CLEW_NO_MEMORY : CLEW_OK;
}

static enum clew_error pass_file(struct table_sink *sink, struct text name, uint64_t lines, uint64_t covered,
                                 struct text missed)
{
    const struct table_cell cells[] = {
        table_text(name), table_number(lines), table_number(covered), table_text(missed), table_share(covered, lines),
    };
    return table_row(sink, cells, sizeof cells / sizeof *cells, TABLE_ROW);
}

static enum clew_error pass_files(struct table_sink *sink, const struct coverage *coverage)
{
    struct buffer missed = {0};
    enum clew_error error = CLEW_OK;
    for (size_t i = 0; i < coverage->file_count && error == CLEW_OK; i++) {
        const struct coverage_file *file = &coverage->files[i];
        if (file->lines == 0) {
            continue;
        }
        buffer_clear(&missed);
        error = append_missed(&missed, coverage, file);
        if (error == CLEW_OK) {
            error = pass_file(sink, file->path, file->lines, file->covered, text_in(&missed));
        }
    }
    buffer_free(&missed);
    return error;
}

static enum clew_error pass_methods(struct table_sink *sink, const struct coverage *coverage)
{
    for (size_t i = 0; i < coverage->method_count; i++) {
        const struct coverage_method *method = &coverage->methods[i];
        if (method->lines == 0) {
            continue;
        }
        const struct coverage_point *first = &coverage->points[method->first];
        const struct table_cell cells[] = {
            table_text(method->name),
            table_text(method->module->name),
            table_text(text_of(format_kind((enum method_kind)method->kind))),
            table_number(method->token),
            table_text(coverage->files[first->file].path),
            table_number(first->at.start_line),
            table_number(method->lines),
            table_number(method->covered),
            table_share(method->covered, method->lines),
        };
        CLEW_TRY(table_row(sink, cells, sizeof cells / sizeof *cells, TABLE_ROW));
    }
    return CLEW_OK;
}

static enum clew_error pass_total(struct table_sink *sink, const struct coverage *coverage)
{
    const struct table_cell cells[] = {
        table_number(coverage->lines),
        table_number(coverage->covered),
        table_number(coverage->without),
        table_number(coverage->unknown),
    };
    return table_row(sink, cells, sizeof cells / sizeof *cells, TABLE_ROW);
}

// -- Tables -----------------------------------------------------------------------------------------------------------

// What the rows do not have; empty: nothing.
static void say_missing(struct buffer *into, const struct model *model, const struct coverage *coverage)
{
    bool partly = model->lost || model->session.part || model->session.flags & SESSION_KEEP_LAST;
    if (coverage->without) {
        buffer_printf(into, "%u module%s without symbols, or in a single-file program%s, %s not counted",
                      coverage->without, format_plural(coverage->without),
                      model->has_end ? "" : ", or whose symbols were not read before the recording was cut",
                      coverage->without == 1 ? "is" : "are");
    }
    if (partly && !(model->session.instruments & INSTRUMENT_LINES)) {
        buffer_printf(into, "%sevents are missing: what ran only then counts as not run", into->size ? "; " : "");
    }
    if (coverage->unknown) {
        buffer_printf(into, "%s%u method%s that could not be instrumented %s not counted", into->size ? "; " : "",
                      coverage->unknown, format_plural(coverage->unknown), coverage->unknown == 1 ? "is" : "are");
    }
    buffer_u8(into, '\0');
}

static enum clew_error pass_text(const struct table_source *source, struct table_sink *sink,
                                 const struct coverage *coverage)
{
    struct buffer note = {0};
    say_missing(&note, source->model, coverage);
    const struct table_head head = {.note = note.size > 1 ? (const char *)note.data : NULL,
                                    .of = "lines with code",
                                    .of_kind = TABLE_COUNT,
                                    .whole = table_number(coverage->lines)};
    enum clew_error error = table_begin(sink, &coverage_table, &head);
    buffer_free(&note);
    CLEW_TRY(error);
    CLEW_TRY(pass_files(sink, coverage));
    CLEW_TRY(pass_file(sink, text_of("(all files)"), coverage->lines, coverage->covered, (struct text){0}));
    if (!source->view->methods) {
        return CLEW_OK;
    }
    CLEW_TRY(table_begin(sink, &of_methods_table, &(struct table_head){0}));
    return pass_methods(sink, coverage);
}

static enum clew_error pass_all(struct table_sink *sink, const struct coverage *coverage)
{
    CLEW_TRY(table_begin(sink, &total_table, &(struct table_head){0}));
    CLEW_TRY(pass_total(sink, coverage));
    CLEW_TRY(table_begin(sink, &coverage_table, &(struct table_head){0}));
    CLEW_TRY(pass_files(sink, coverage));
    CLEW_TRY(table_begin(sink, &of_methods_table, &(struct table_head){0}));
    return pass_methods(sink, coverage);
}

static enum clew_error rows(struct table_source *source, struct table_sink *sink)
{
    struct coverage coverage = {0};
    if (!coverage_known(source->model)) {
        return CLEW_NOTHING_RECORDED;
    }
    CLEW_TRY(table_source_sites(source));
    enum clew_error error = coverage_load(source->model, source->sites, &coverage);
    if (error == CLEW_OK) {
        error = source->text ? pass_text(source, sink, &coverage) : pass_all(sink, &coverage);
    }
    view_merge_health(source->view, &coverage.health);
    coverage_free(&coverage);
    return error;
}

static const struct table total_table = {.name = "total", .columns = total_columns, .rows = rows};
static const struct table of_methods_table = {
    .name = "methods", .columns = method_columns, .rows = rows, .title = "Coverage by method"};
const struct table coverage_table = {.columns = columns, .rows = rows};
