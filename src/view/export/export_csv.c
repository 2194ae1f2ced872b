// Comma-separated values (RFC 4180): a line of names, then a line for each row; an unknown value is an empty cell. Programs
// for spreadsheets take a cell that begins with =, +, - or @ as a formula: text gets a quote (') before it then. Characters that would drive a
// terminal are escaped as in reports, line breaks too.
#include <string.h>

#include "base/foreign.h"
#include "view/export/export.h"
#include "view/export/export_formats.h"
#include "view/table/report_registry.h"

struct csv {
    struct table_sink sink;
    FILE *out;
    struct buffer escaped; // scratch
};

// Whether the text could be taken as a formula. Tabs may be skipped before it.
static bool is_formula(struct text text)
{
    return text.size > 0 && memchr("=+-@\t", text.at[0], 5);
}

static bool needs_quotes(struct text text)
{
    bool blank = text.size > 0 && (text.at[0] == ' ' || text.at[text.size - 1] == ' ');
    return blank || memchr(text.at, ',', text.size) || memchr(text.at, '"', text.size);
}

static enum clew_error write_text(struct csv *csv, struct text text)
{
    buffer_clear(&csv->escaped);
    if (is_formula(text)) {
        buffer_u8(&csv->escaped, '\'');
    }
    foreign_append(&csv->escaped, text, FOREIGN_TEXT);
    struct text escaped = text_in(&csv->escaped);
    bool quotes = escaped.size > 0 && needs_quotes(escaped);
    (void)fputs(quotes ? "\"" : "", csv->out);
    for (size_t i = 0; i < escaped.size; i++) {
        (void)fputs(escaped.at[i] == '"' ? "\"" : "", csv->out); // doubled
        (void)fputc(escaped.at[i], csv->out);
    }
    (void)fputs(quotes ? "\"" : "", csv->out);
    return csv->escaped.failed ? CLEW_NO_MEMORY : CLEW_OK;
}

static enum clew_error write_cell(struct csv *csv, const struct table_column *column, const struct table_cell *cell)
{
    if (table_is_null(column, cell)) {
        return CLEW_OK;
    }
    if (table_is_text(column)) {
        return write_text(csv, cell->text);
    }
    if (column->kind == TABLE_BOOL) {
        (void)fputs(cell->number ? "true" : "false", csv->out);
        return CLEW_OK;
    }
    (void)fprintf(csv->out, "%llu", (unsigned long long)cell->number);
    return CLEW_OK;
}

static enum clew_error write_row(struct table_sink *sink, const struct table_cell *cells, enum table_row how)
{
    struct csv *csv = (struct csv *)sink;
    const struct table_column *columns = sink->table->columns;
    (void)how;
    for (uint32_t i = 0; columns[i].key; i++) {
        (void)fputs(i ? "," : "", csv->out);
        CLEW_TRY(write_cell(csv, &columns[i], &cells[i]));
    }
    (void)fputs("\r\n", csv->out);
    return ferror(csv->out) ? CLEW_IO : CLEW_OK;
}

static enum clew_error write_csv(struct export *export)
{
    const struct table *table = export->options->report->table;
    struct csv csv = {.sink = {.row = write_row, .only = table}, .out = export->out};
    for (uint32_t i = 0; table->columns[i].key; i++) {
        (void)fprintf(csv.out, "%s%s", i ? "," : "", table->columns[i].key);
    }
    (void)fputs("\r\n", csv.out);
    enum clew_error error = table->rows(&export->source, &csv.sink);
    buffer_free(&csv.escaped);
    return error;
}

const struct export_format export_csv = {.name = "csv", .suffix = ".csv", .table = true, .write = write_csv};
