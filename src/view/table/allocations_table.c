// The tables of the report `allocations`: bytes and numbers of allocated objects by type, then by type and place.
#include "model/allocations.h"

#include "trace/instrument.h"
#include "view/table/tables.h"
#include "view/text/format_number.h"

enum { TYPES_DEFAULT = 20, SITES_DEFAULT = 40, PLACE_WIDTH = 28 };

static const struct table_column type_columns[] = {
    {"type", TABLE_TYPE, "Type", .at = 4},
    {"count", TABLE_COUNT, "Count", .at = 1, .width = 12},
    {"bytes", TABLE_BYTES, "Bytes", .at = 2, .width = 12},
    {"unsized", .kind = TABLE_COUNT},
    {NULL, TABLE_SHARE, "Share", .at = 3, .width = 8},
    {0},
};

static const struct table_column site_columns[] = {
    {"type", TABLE_TYPE, "Type and method", .at = 5},
    {"count", TABLE_COUNT, "Count", .at = 1, .width = 12},
    {"bytes", TABLE_BYTES, "Bytes", .at = 2, .width = 12},
    {"unsized", .kind = TABLE_COUNT},
    {"method", TABLE_METHOD, .before = " in "},
    {"module", .kind = TABLE_TEXT},
    {"kind", .kind = TABLE_TEXT},
    {"file", .kind = TABLE_TEXT},
    {"line", .kind = TABLE_NUMBER},
    {"offset", .kind = TABLE_NUMBER},
    {NULL, TABLE_SHARE, "Share", .at = 3, .width = 8},
    {NULL, TABLE_PLACE, "Place", .at = 4, .width = PLACE_WIDTH},
    {0},
};

// If no size is known at all, shares are of the number of objects.
static struct table_cell share(const struct allocations *all, const struct allocation *row)
{
    return all->bytes ? table_share(row->bytes, all->bytes) : table_share(row->count, all->count);
}

static enum clew_error pass_type(struct table_sink *sink, const struct allocations *all, const struct allocation *row)
{
    const struct table_cell cells[] = {table_text_maybe(row->type), table_number(row->count),
                                       table_maybe(row->bytes, row->unsized < row->count), table_number(row->unsized),
                                       share(all, row)};
    return table_row(sink, cells, sizeof cells / sizeof *cells, TABLE_ROW);
}

static enum clew_error pass_site(const struct model *model, struct table_sink *sink, const struct allocations *all,
                                 const struct allocation *row)
{
    bool line = row->document && row->site->start_line;
    struct text path = line ? row->document->path : (struct text){0};
    struct table_cell cells[] = {
        table_text_maybe(row->type),
        table_number(row->count),
        table_maybe(row->bytes, row->unsized < row->count),
        table_number(row->unsized),
        [7] = table_text_maybe(path),
        table_maybe(line ? row->site->start_line : 0, line),
        table_number(row->site->il_offset),
        share(all, row),
        {.state = TABLE_KNOWN, .text = path, .number = line ? row->site->start_line : row->site->il_offset},
    };
    table_method_cells(model, row->method, cells + 4);
    return table_row(sink, cells, sizeof cells / sizeof *cells, TABLE_ROW);
}

// Bytes of the objects that any code of the program created; 0: not known, or not known of the selected range.
static uint64_t allocated_by_all(const struct model *model)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < model->catalog.process_count && !model_is_selection(model); i++) {
        sum += model->catalog.processes[i].allocated;
    }
    return sum;
}

// What callees outside of the scope created (strings, lists that grow) has no rows, so the head says how much there is of it.
static void say_whole(char *into, size_t size, const struct allocations *all, uint64_t allocated)
{
    char cell[FORMAT_CELL];
    const char *what = all->bytes ? "the bytes of the objects" : "the objects";
    if (allocated > all->bytes) {
        (void)snprintf(into, size, "%s that recorded code created itself; all code created about %s", what,
                       format_size(cell, allocated));
    } else {
        (void)snprintf(into, size, "%s that recorded code created itself", what);
    }
}

static const struct table types_table;

static enum clew_error pass_all(const struct model *model, struct table_sink *sink, const struct allocations *all)
{
    char note[128], whole[128], count[FORMAT_CELL];
    uint64_t allocated = allocated_by_all(model);
    say_whole(whole, sizeof whole, all, allocated);
    (void)snprintf(note, sizeof note, "the size of %s object%s is not known and not in the bytes",
                   format_count(count, all->unsized), format_plural(all->unsized));
    struct table_head head = {.note = all->unsized ? note : NULL,
                              .of = whole,
                              .of_kind = all->bytes ? TABLE_BYTES : TABLE_COUNT,
                              .whole = table_number(all->bytes ? all->bytes : all->count),
                              .member = "allocated_bytes",
                              .fact = {.state = allocated ? TABLE_KNOWN : TABLE_UNKNOWN, .number = allocated},
                              .fact_kind = TABLE_BYTES};
    CLEW_TRY(table_begin(sink, &types_table, &head));
    for (size_t i = 0; i < all->type_count; i++) {
        CLEW_TRY(pass_type(sink, all, &all->types[i]));
    }
    head.note = NULL;
    head.member = NULL;
    CLEW_TRY(table_begin(sink, &allocations_table, &head));
    for (size_t i = 0; i < all->site_count; i++) {
        CLEW_TRY(pass_site(model, sink, all, &all->sites[i]));
    }
    return CLEW_OK;
}

static enum clew_error rows(struct table_source *source, struct table_sink *sink)
{
    struct allocations all = {0};
    if (!(source->model->session.instruments & INSTRUMENT_VALUES)) {
        return CLEW_NOTHING_RECORDED;
    }
    CLEW_TRY(table_source_sites(source));
    enum clew_error error = allocations_load(source->model, source->sites, &all);
    if (error == CLEW_OK) {
        error = pass_all(source->model, sink, &all);
    }
    view_merge_health(source->view, &all.health);
    allocations_free(&all);
    return error;
}

static const struct table types_table = {
    .name = "types", .columns = type_columns, .rows = rows, .top = TYPES_DEFAULT, .title = "Allocations by type"};
const struct table allocations_table = {
    .columns = site_columns, .rows = rows, .top = SITES_DEFAULT, .title = "Allocations by place"};
