// JSON Lines: an object for each row.
#include "base/assert.h"
#include "view/export/export_formats.h"
#include "view/export/export_table.h"
#include "view/json/json.h"

struct jsonl {
    struct export_sink sink;
    FILE *out;
};

static void write_cell(struct json *json, enum export_type type, const struct export_cell *cell)
{
    if (!cell->known) {
        json_null(json);
    } else if (type == EXPORT_TEXT) {
        json_text(json, cell->text);
    } else if (type == EXPORT_BOOL) {
        json_bool(json, cell->number != 0);
    } else {
        json_u64(json, cell->number);
    }
}

static enum clew_error write_row(struct export_sink *sink, const struct export_cell *cells)
{
    struct jsonl *jsonl = (struct jsonl *)sink;
    struct json json = {.out = jsonl->out};
    CLEW_ASSERT(sink->count > 0 && sink->count <= EXPORT_COLUMNS_MAX);
    json_open(&json, '{');
    for (uint32_t i = 0; i < sink->count; i++) {
        json_key(&json, sink->columns[i].name);
        write_cell(&json, sink->columns[i].type, &cells[i]);
    }
    json_close(&json, '}');
    (void)fputc('\n', jsonl->out);
    return ferror(jsonl->out) ? CLEW_IO : CLEW_OK;
}

static enum clew_error write_jsonl(struct export *export)
{
    struct jsonl jsonl = {.sink = {.row = write_row}, .out = export->out};
    jsonl.sink.count = export_columns(export->options->table, &jsonl.sink.columns);
    return export_rows(export, &jsonl.sink);
}

const struct export_format export_jsonl = {.name = "jsonl", .suffix = ".jsonl", .table = true, .write = write_jsonl};
