// See table_json.h.
#include "view/table/table_json.h"

struct writer {
    struct table_sink sink;
    struct json *json;
    const struct table *table; // that is the member `key`
    const char *key;
    uint64_t most, written; // rows; most 0: all
    bool open;
};

void table_json_cell(struct json *json, const struct table_column *column, const struct table_cell *cell)
{
    if (cell->state != TABLE_KNOWN) {
        json_null(json);
    } else if (table_is_text(column)) {
        json_text(json, cell->text);
    } else if (column->kind == TABLE_BOOL) {
        json_bool(json, cell->number != 0);
    } else {
        json_u64(json, cell->number);
    }
}

static void end_array(struct writer *writer)
{
    if (writer->open) {
        json_close(writer->json, ']');
    }
    writer->open = false;
}

static enum clew_error begin(struct table_sink *sink, const struct table_head *head)
{
    struct writer *writer = (struct writer *)sink;
    end_array(writer);
    if (head->member) {
        json_key(writer->json, head->member);
        table_json_cell(writer->json, &(struct table_column){.kind = head->fact_kind}, &head->fact);
    }
    json_key(writer->json, sink->table == writer->table ? writer->key : sink->table->name);
    json_open(writer->json, '[');
    writer->open = true;
    writer->written = 0;
    return CLEW_OK;
}

// Members that were not measured are null, never 0.
void table_json_members(struct json *json, const struct table *table, const struct table_cell *cells)
{
    for (uint32_t i = 0; table->columns[i].key; i++) {
        if (cells[i].state != TABLE_ABSENT) {
            json_key(json, table->columns[i].key);
            table_json_cell(json, &table->columns[i], &cells[i]);
        }
    }
}

static enum clew_error take_row(struct table_sink *sink, const struct table_cell *cells, enum table_row how)
{
    struct writer *writer = (struct writer *)sink;
    if (how == TABLE_SHORT || (writer->most && writer->written >= writer->most)) {
        return CLEW_OK;
    }
    json_line(writer->json);
    json_open(writer->json, '{');
    table_json_members(writer->json, sink->table, cells);
    json_close(writer->json, '}');
    writer->written++;
    return CLEW_OK;
}

enum clew_error table_json(const struct view *view, struct model *model, const struct table *table, const char *key,
                           struct json *json)
{
    struct writer writer = {
        .sink = {.begin = begin, .row = take_row}, .json = json, .table = table, .key = key, .most = view->top};
    struct table_source source = {.view = view, .model = model};
    enum clew_error error = table->rows(&source, &writer.sink);
    table_source_close(&source);
    end_array(&writer);
    return error;
}
