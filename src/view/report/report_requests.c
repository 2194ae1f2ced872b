// The report `requests` as JSON: the rows of its table, each with what it waited for and with its latencies.
#include "view/json/json_rows.h"
#include "view/report/reports.h"
#include "view/table/table_json.h"
#include "view/table/tables.h"

static void write_histogram(struct json *json, const struct model *model, const struct request_row *row)
{
    json_key(json, "histogram");
    json_open(json, '[');
    for (uint32_t i = 0; i < row->latency_count; i++) {
        json_open(json, '{');
        json_ticks(json, model, "from_ns", histogram_from(row->latencies[i].bucket), true);
        json_ticks(json, model, "to_ns", histogram_from(row->latencies[i].bucket + 1), true);
        json_member_u64(json, "count", row->latencies[i].count);
        json_close(json, '}');
    }
    json_close(json, ']');
}

enum clew_error requests_json(const struct view *view, struct model *model, struct json *json)
{
    struct requests requests;
    CLEW_TRY(requests_load(model, text_of(view->root ? view->root : ""), &requests));
    uint32_t count = view->top && view->top < requests.count ? view->top : requests.count;
    json_member_u64(json, "started_calls", requests.started);
    json_key(json, "requests");
    json_open(json, '[');
    for (uint32_t i = 0; i < count; i++) {
        const struct request_row *row = &requests.rows[i];
        struct table_cell cells[TABLE_COLUMNS_MAX];
        requests_cells(model, row, cells);
        json_line(json);
        json_open(json, '{');
        table_json_members(json, &requests_table, cells);
        json_awaits(json, model, row->waits, row->wait_count);
        write_histogram(json, model, row);
        json_close(json, '}');
    }
    json_close(json, ']');
    requests_free(&requests);
    return CLEW_OK;
}
