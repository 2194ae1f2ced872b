// Tables with a row for each path or for each event: tree and events.
#include <stdlib.h>

#include "base/assert.h"
#include "model/table.h"
#include "view/export/export_calls.h"
#include "view/export/export_table.h"

// -- Tree -------------------------------------------------------------------------------------------------------------

// `node` and `parent` are numbers within the table, from 1; an outermost call has no parent.
#define FIGURE_COLUMN(name, type, adds, kind, key) {#key, EXPORT_NUMBER},
const struct export_column export_tree_columns[] = {
    {"node", EXPORT_NUMBER},    {"parent", EXPORT_NUMBER}, {"depth", EXPORT_NUMBER},
    {"process", EXPORT_NUMBER}, {"thread", EXPORT_NUMBER}, {"method", EXPORT_TEXT},
    {"module", EXPORT_TEXT},    {"kind", EXPORT_TEXT},     FIGURES_SHOWN(FIGURE_COLUMN){0},
};
enum { COLUMNS_BEFORE_FIGURES = 8 };

// One tree; its nodes have the numbers `before` + their index.
struct rows {
    struct export *export;
    struct export_sink *sink;
    const struct model_tree *from;
    const struct table_cpu *cpu; // by node
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
    struct export_cell cells[EXPORT_COLUMNS_MAX] = {
        export_number(rows->before + index), export_maybe(rows->before + node->parent, node->parent != TREE_ROOT),
        export_number((uint64_t)depth), export_number(rows->from->process), export_number(rows->from->thread)};
    export_method_cells(export, method, cells + 5);
    table_figures(node, &rows->cpu[index], figures);
    for (uint32_t i = 0; i < TABLE_FIGURES; i++) {
        const struct table_figure *figure = &figures[i];
        bool ticks = figure->kind != FIGURE_COUNT && figure->kind != FIGURE_CPU;
        cells[COLUMNS_BEFORE_FIGURES + i] =
            ticks ? export_ticks(export, figure->value, figure->known) : export_number(figure->value);
    }
    CLEW_ASSERT(rows->sink->count == COLUMNS_BEFORE_FIGURES + TABLE_FIGURES);
    return rows->sink->row(rows->sink, cells);
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

enum clew_error export_rows_of_tree(struct export *export, struct export_sink *sink)
{
    struct rows rows = {.export = export, .sink = sink};
    for (uint32_t i = 0; i < export->model->tree_count; i++) {
        struct table_cpu *cpu;
        rows.from = &export->model->trees[i];
        CLEW_TRY(table_tree_cpu(&rows.from->tree, &cpu));
        rows.cpu = cpu;
        enum clew_error error = write_nodes(&rows);
        free(cpu);
        CLEW_TRY(error);
        rows.before += rows.from->tree.count - 1; // without the root
    }
    return CLEW_OK;
}

// -- Events -----------------------------------------------------------------------------------------------------------

// Beginnings and ends of calls, balanced, and losses, as in the trace formats.
const struct export_column export_events_columns[] = {
    {"event", EXPORT_TEXT},     {"time_ns", EXPORT_NUMBER},
    {"process", EXPORT_NUMBER}, {"thread", EXPORT_NUMBER},
    {"method", EXPORT_TEXT},    {"module", EXPORT_TEXT},
    {"call", EXPORT_NUMBER},    {"cut", EXPORT_BOOL},
    {"lost", EXPORT_NUMBER},    {0},
};

struct events {
    struct export *export;
    struct export_sink *sink;
};

static enum clew_error take_event(void *context, const struct export_event *event)
{
    const struct events *events = context;
    struct export *export = events->export;
    bool lost = event->kind == EXPORT_LOST, times = model_has_times(export->model);
    const char *name = lost ? "lost" : event->kind == EXPORT_BEGIN ? "enter" : event->unwound ? "unwind" : "leave";
    const struct export_cell cells[] = {
        export_text(text_of(name)),
        export_maybe(export_ns(export, event->clock), times),
        export_number(event->process),
        export_number(event->thread),
        export_text_maybe(lost ? (struct text){0} : export_name(export, event->method)),
        export_text_maybe(lost ? (struct text){0} : export_module(export, event->method)),
        export_maybe(event->call, event->call > 0),
        export_maybe(event->cut, !lost),
        export_maybe(event->lost, lost)};
    CLEW_ASSERT(events->sink->count == sizeof cells / sizeof *cells);
    return events->sink->row(events->sink, cells);
}

enum clew_error export_rows_of_events(struct export *export, struct export_sink *sink)
{
    struct events events = {export, sink};
    return export_calls(export, NULL, take_event, &events);
}
