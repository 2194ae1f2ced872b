// Tables with a row for each path or for each event: tree and events.
#include <stdlib.h>

#include "base/assert.h"
#include "model/table.h"
#include "view/export/export_calls.h"
#include "view/export/export_tables.h"

// -- Tree -------------------------------------------------------------------------------------------------------------

// `node` and `parent` are numbers within the table, from 1; an outermost call has no parent.
#define FIGURE_COLUMN(name, type, adds, figure_kind, key) {#key, .kind = TABLE_NUMBER},
static const struct table_column tree_columns[] = {
    {"node", .kind = TABLE_NUMBER},    {"parent", .kind = TABLE_NUMBER}, {"depth", .kind = TABLE_NUMBER},
    {"process", .kind = TABLE_NUMBER}, {"thread", .kind = TABLE_NUMBER}, {"method", .kind = TABLE_TEXT},
    {"module", .kind = TABLE_TEXT},    {"kind", .kind = TABLE_TEXT},     FIGURES_SHOWN(FIGURE_COLUMN){0},
};
enum { COLUMNS_BEFORE_FIGURES = 8 };

// One tree; its nodes have the numbers `before` + their index.
struct rows {
    struct export *export;
    struct table_sink *sink;
    const struct model_tree *from;
    uint64_t before;
};

static enum clew_error write_node(const struct rows *rows, uint32_t index, int64_t depth)
{
    const struct tree_node *node = &rows->from->tree.nodes[index];
    struct export *export = rows->export;
    struct table_figure figures[TABLE_FIGURES];
    uint32_t method = export_method(export, rows->from->process, node->method);
    if (method == CATALOG_NONE) {
        return CLEW_NO_MEMORY;
    }
    struct table_cell cells[COLUMNS_BEFORE_FIGURES + TABLE_FIGURES] = {
        table_number(rows->before + index), table_maybe(rows->before + node->parent, node->parent != TREE_ROOT),
        table_number((uint64_t)depth), table_number(rows->from->process), table_number(rows->from->thread)};
    table_method_cells(export->model, method, cells + 5);
    table_figures(&rows->from->tree, index, figures);
    for (uint32_t i = 0; i < TABLE_FIGURES; i++) {
        const struct table_figure *figure = &figures[i];
        bool ticks = figure->kind != FIGURE_COUNT && figure->kind != FIGURE_CPU;
        cells[COLUMNS_BEFORE_FIGURES + i] =
            ticks ? table_ticks(export->model, figure->value, figure->known) : table_number(figure->value);
    }
    return table_row(rows->sink, cells, sizeof cells / sizeof *cells, TABLE_ROW);
}

static enum clew_error write_nodes(const struct rows *rows)
{
    int64_t depth = -1;
    uint32_t node = tree_next(&rows->from->tree, TREE_ROOT, false, &depth);
    for (; node != TREE_ROOT; node = tree_next(&rows->from->tree, node, false, &depth)) {
        CLEW_ASSERT(depth >= 0);
        CLEW_TRY(write_node(rows, node, depth));
    }
    return CLEW_OK;
}

static enum clew_error rows_of_tree(struct table_source *source, struct table_sink *sink)
{
    struct export *export = (struct export *)source;
    struct rows rows = {.export = export, .sink = sink};
    CLEW_TRY(table_begin(sink, &tree_table, NULL));
    for (uint32_t i = 0; i < export->model->tree_count; i++) {
        rows.from = &export->model->trees[i];
        CLEW_TRY(write_nodes(&rows));
        rows.before += rows.from->tree.count - 1; // without the root
    }
    return CLEW_OK;
}

const struct table tree_table = {.columns = tree_columns, .rows = rows_of_tree};

// -- Events -----------------------------------------------------------------------------------------------------------

// Beginnings and ends of calls, balanced, and losses, as in the trace formats.
static const struct table_column events_columns[] = {
    {"event", .kind = TABLE_TEXT},     {"time_ns", .kind = TABLE_NUMBER},
    {"process", .kind = TABLE_NUMBER}, {"thread", .kind = TABLE_NUMBER},
    {"method", .kind = TABLE_TEXT},    {"module", .kind = TABLE_TEXT},
    {"call", .kind = TABLE_NUMBER},    {"cut", .kind = TABLE_BOOL},
    {"lost", .kind = TABLE_NUMBER},    {0},
};

struct events {
    struct export *export;
    struct table_sink *sink;
};

static enum clew_error take_event(void *context, const struct export_event *event)
{
    const struct events *events = context;
    struct export *export = events->export;
    bool lost = event->kind == EXPORT_LOST, times = model_has_times(export->model);
    const char *name = lost ? "lost" : event->kind == EXPORT_BEGIN ? "enter" : event->unwound ? "unwind" : "leave";
    const struct table_cell cells[] = {table_text(text_of(name)),
                                       table_maybe(export_ns(export, event->clock), times),
                                       table_number(event->process),
                                       table_number(event->thread),
                                       table_text_maybe(lost ? (struct text){0} : export_name(export, event->method)),
                                       table_text_maybe(lost ? (struct text){0} : export_module(export, event->method)),
                                       table_maybe(event->call, event->call > 0),
                                       table_maybe(event->cut, !lost),
                                       table_maybe(event->lost, lost)};
    return table_row(events->sink, cells, sizeof cells / sizeof *cells, TABLE_ROW);
}

static enum clew_error rows_of_events(struct table_source *source, struct table_sink *sink)
{
    struct events events = {(struct export *)source, sink};
    CLEW_TRY(table_begin(sink, &events_table, NULL));
    return export_calls(events.export, NULL, take_event, &events);
}

const struct table events_table = {.columns = events_columns, .rows = rows_of_events};
