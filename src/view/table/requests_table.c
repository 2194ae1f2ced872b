// The table `requests`: the methods at which requests begin, their latencies, and the share of the time that they waited.
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "view/table/tables.h"
#include "view/text/format_number.h"
#include "view/text/format_text.h"

enum {
    SHARES_FROM = 100,
    FAILURES = 4,
    CANCELLED = 5
}; // columns of a terminal with room for shares; indices of columns

static const struct table_column columns[] = {
    {"method", TABLE_METHOD, "Method", .at = 9},
    {"module", .kind = TABLE_TEXT},
    {"kind", .kind = TABLE_TEXT},
    {"calls", TABLE_COUNT, "Requests", .at = 1, .width = 10, .narrow = 9},
    {"failures", TABLE_COUNT, "Failed", .at = 2, .width = 8, .narrow = 7},
    {"cancelled", TABLE_COUNT, .before = "  [", .after = " cancelled]"},
    {"open", TABLE_COUNT, .before = "  [", .after = " running]"},
    {"pending", TABLE_COUNT, .before = "  [", .after = " pending]"},
    {"parent", TABLE_TEXT, .before = "  [caller ", .after = "]"},
    {"p50_ns", TABLE_ROUGH_TIME, "p50", .at = 3, .width = 8, .narrow = 7},
    {"p90_ns", TABLE_ROUGH_TIME, "p90", .at = 4, .width = 8, .narrow = 7},
    {"p99_ns", TABLE_ROUGH_TIME, "p99", .at = 5, .width = 8, .narrow = 7},
    {"min_ns", .kind = TABLE_TIME},
    {"max_ns", TABLE_TIME, "Max", .at = 6, .width = 12, .narrow = 10},
    {"latencies", .kind = TABLE_COUNT},
    {"running_ns", .kind = TABLE_TIME},
    {"awaiting_ns", .kind = TABLE_TIME},
    {NULL, TABLE_SHARE, "Running", .at = 7, .width = 8, .from = SHARES_FROM},
    {NULL, TABLE_SHARE, "Awaiting", .at = 8, .width = 9, .from = SHARES_FROM},
    {NULL, TABLE_TEXT, .before = "  awaits ", .after = ""},
    {0},
};

void requests_cells(const struct model *model, const struct request_row *row, struct table_cell *cells)
{
    bool measured = row->measured > 0;
    uint64_t whole = row->running + row->awaiting;
    const struct table_cell figures[] = {
        [3] = table_number(row->calls),
        table_number(row->failures),
        table_number(row->cancelled),
        table_number(row->open),
        table_number(row->pending),
        row->unknown_caller ? table_text(text_of("unknown")) : (struct table_cell){0},
        table_ticks(model, row->p50, measured),
        table_ticks(model, row->p90, measured),
        table_ticks(model, row->p99, measured),
        table_ticks(model, row->shortest, row->shortest <= row->longest),
        table_ticks(model, row->longest, row->shortest <= row->longest),
        table_number(row->measured),
        table_ticks(model, row->running, true),
        table_ticks(model, row->awaiting, true),
        table_share(row->running, whole),
        table_share(row->awaiting, whole),
        table_text(row->reason),
    };
    static_assert(sizeof figures / sizeof *figures == sizeof columns / sizeof *columns - 1, "a cell for each column");
    memcpy(cells, figures, sizeof figures);
    table_method_cells(model, row->method, cells);
}

static enum clew_error rows(struct table_source *source, struct table_sink *sink)
{
    struct requests requests;
    struct text root = text_of(source->view->root ? source->view->root : "");
    CLEW_TRY(requests_load(source->model, root, &requests));
    char note[FORMAT_CELL + 128], count[FORMAT_CELL];
    size_t size =
        (size_t)snprintf(note, sizeof note, "%s",
                         requests.count > 0 ? "p50, p90 and p99 are within 6 %; --root GLOB counts from other methods"
                         : root.size > 0    ? "no recorded call is of a method that --root means"
                                            : "no recorded call began a request");
    if (requests.started > 0) {
        (void)snprintf(note + size, sizeof note - size, "; left out: %s call%s that the program started itself",
                       format_count(count, requests.started), format_plural(requests.started));
    }
    const struct table_head head = {.note = note};
    enum clew_error error = table_begin(sink, &requests_table, &head);
    for (uint32_t i = 0; i < requests.count && error == CLEW_OK; i++) {
        struct table_cell cells[TABLE_COLUMNS_MAX];
        requests_cells(source->model, &requests.rows[i], cells);
        error = table_row(sink, cells, table_columns(&requests_table), TABLE_ROW);
    }
    requests_free(&requests);
    return error;
}

const struct table requests_table = {.columns = columns, .rows = rows, .top = 40, .noun = "method"};
