// JSON Lines: an object for each row.
#include "view/export/export.h"
#include "view/export/export_formats.h"
#include "view/table/table_json.h"

struct jsonl {
    struct table_sink sink;
    FILE *out;
};

// All objects have the same members.
static enum clew_error write_row(struct table_sink *sink, const struct table_cell *cells, enum table_row how)
{
    static const struct table_cell none;
    struct jsonl *jsonl = (struct jsonl *)sink;
    struct json json = {.out = jsonl->out};
    const struct table_column *columns = sink->table->columns;
    (void)how;
    json_open(&json, '{');
    for (uint32_t i = 0; columns[i].key; i++) {
        json_key(&json, columns[i].key);
        table_json_cell(&json, &columns[i], table_is_null(&columns[i], &cells[i]) ? &none : &cells[i]);
    }
    json_close(&json, '}');
    (void)fputc('\n', jsonl->out);
    return ferror(jsonl->out) ? CLEW_IO : CLEW_OK;
}

static enum clew_error write_jsonl(struct export *export)
{
    const struct table *table = export->options->report->table;
    struct jsonl jsonl = {.sink = {.row = write_row, .only = table}, .out = export->out};
    return table->rows(&export->source, &jsonl.sink);
}

const struct export_format export_jsonl = {.name = "jsonl", .suffix = ".jsonl", .table = true, .write = write_jsonl};
