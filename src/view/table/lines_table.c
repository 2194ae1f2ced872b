// The table `lines`: the statements of the source in its order. The text of the report `lines` is the source itself
// (report_lines.c).
#include "model/lines.h"

#include "view/table/tables.h"

static const struct table_column columns[] = {
    {"file", .kind = TABLE_TEXT},       {"line", .kind = TABLE_NUMBER},       {"column", .kind = TABLE_NUMBER},
    {"end_line", .kind = TABLE_NUMBER}, {"end_column", .kind = TABLE_NUMBER}, {"method", .kind = TABLE_METHOD},
    {"count", .kind = TABLE_COUNT},     {"own_ns", .kind = TABLE_TIME},       {0},
};

static enum clew_error pass_row(const struct model *model, struct table_sink *sink, const struct lines *lines,
                                const struct line_row *row)
{
    struct table_cell method[3];
    table_method_cells(model, catalog_find_method(&model->catalog, row->process, row->method), method);
    const struct table_cell cells[] = {table_text(row->document->path),
                                       table_number(row->site->start_line),
                                       table_number(row->site->start_column),
                                       table_number(row->site->end_line),
                                       table_number(row->site->end_column),
                                       method[0],
                                       table_number(row->count),
                                       table_ticks(model, row->own, lines->has_time)};
    return table_row(sink, cells, sizeof cells / sizeof *cells, TABLE_ROW);
}

static enum clew_error rows(struct table_source *source, struct table_sink *sink)
{
    const struct model *model = source->model;
    struct lines lines = {0};
    CLEW_TRY(table_source_sites(source));
    enum clew_error error = lines_load(model, source->sites, &lines);
    const struct table_head head = {.member = "lines_clock",
                                    .fact_kind = TABLE_TEXT,
                                    .fact = table_text(text_of(clock_name(lines_clock(model, &lines))))};
    enum clew_error begun = table_begin(sink, &lines_table, &head);
    error = error == CLEW_OK ? begun : error;
    for (size_t i = 0; i < lines.count && error == CLEW_OK; i++) {
        error = pass_row(model, sink, &lines, &lines.rows[i]);
    }
    view_merge_health(source->view, &lines.health);
    lines_free(&lines);
    return error;
}

const struct table lines_table = {.columns = columns, .rows = rows};
