// The tables of the report `exceptions`: what was thrown by type, then by type, place of the throw and place of the catch.
#include "model/thrown.h"

#include "view/table/tables.h"
#include "view/text/format_number.h"

enum { TYPES_DEFAULT = 20, PLACES_DEFAULT = 40, MESSAGE_SHOWN = 60 };

static const struct table_column type_columns[] = {
    {"type", TABLE_TYPE, "Type", .at = 4},
    {"thrown", TABLE_COUNT, "Thrown", .at = 1, .width = 12},
    {"caught", TABLE_COUNT, "Caught", .at = 2, .width = 12},
    {NULL, TABLE_SHARE, "Share", .at = 3, .width = 8},
    {0},
};

static const struct table_column place_columns[] = {
    {"type", TABLE_TYPE, "Type, where it was thrown and caught, first message", .at = 3},
    {"count", TABLE_COUNT, "Count", .at = 1, .width = 12},
    {"method", .kind = TABLE_METHOD},
    {"module", .kind = TABLE_TEXT},
    {"kind", .kind = TABLE_TEXT},
    {"below", .kind = TABLE_BOOL},
    {"caught", .kind = TABLE_BOOL},
    {"caught_method", .kind = TABLE_METHOD},
    {"caught_module", .kind = TABLE_TEXT},
    {"caught_kind", .kind = TABLE_TEXT},
    {"caught_below", .kind = TABLE_BOOL},
    {"message", .kind = TABLE_TEXT},
    {"message_length", .kind = TABLE_NUMBER},
    {NULL, TABLE_SHARE, "Share", .at = 2, .width = 8},
    {NULL, TABLE_METHOD, .before = " in "},
    {NULL, TABLE_METHOD, .before = " below "},
    {NULL, TABLE_TEXT, .before = " "},
    {NULL, TABLE_METHOD, .before = ", caught in "},
    {NULL, TABLE_METHOD, .before = ", caught below "},
    {NULL, TABLE_TEXT, .before = ", "},
    {NULL, TABLE_TEXT, .before = "  \"", .after = "\""},
    {0},
};
enum { SHARE = 13 };

static enum clew_error pass_type(struct table_sink *sink, const struct exceptions *all, const struct thrown_row *row)
{
    const struct table_cell cells[] = {table_text_maybe(row->type), table_number(row->count),
                                       table_number(row->caught_count), table_share(row->count, all->thrown)};
    return table_row(sink, cells, sizeof cells / sizeof *cells, TABLE_ROW);
}

// The start of a message, for a line of text.
static struct text shown(struct text message)
{
    size_t size = message.size < MESSAGE_SHOWN ? message.size : MESSAGE_SHOWN;
    while (size < message.size && size > 0 && ((unsigned char)message.at[size] & 0xC0) == 0x80) {
        size--;
    }
    return (struct text){message.at, size};
}

static void fill_places(struct table_cell *cells, const struct thrown_row *row)
{
    struct table_cell *own = cells + SHARE + 1;
    bool thrown = row->method != CATALOG_NONE, caught = row->caught_method != CATALOG_NONE;
    own[row->below ? 1 : 0] = cells[2];
    own[2] = table_text(text_of(thrown ? "" : "below no recorded method"));
    own[row->caught_below ? 4 : 3] = cells[7];
    own[5] = table_text(text_of(caught ? "" : row->caught ? "caught below no recorded method" : "not caught"));
    own[6] = table_text(shown(row->message));
}

static enum clew_error pass_place(const struct model *model, struct table_sink *sink, const struct exceptions *all,
                                  const struct thrown_row *row)
{
    bool message = row->flags & EXCEPTION_MESSAGE;
    struct table_cell cells[sizeof place_columns / sizeof *place_columns - 1] = {
        table_text_maybe(row->type),
        table_number(row->count),
        [5] = table_number(row->below),
        table_number(row->caught),
        [10] = table_maybe(row->caught_below, row->caught),
        {.state = message ? TABLE_KNOWN : TABLE_UNKNOWN, .text = row->message},
        table_maybe(row->length, message),
        [SHARE] = table_share(row->count, all->thrown),
    };
    table_method_cells(model, row->method, cells + 2);
    table_method_cells(model, row->caught_method, cells + 7);
    fill_places(cells, row);
    return table_row(sink, cells, sizeof cells / sizeof *cells, TABLE_ROW);
}

static const struct table types_table;

// What has no rows, as a caveat; empty: nothing.
static void say_missing(char *into, size_t size, const struct exceptions *all)
{
    char outside[FORMAT_CELL], over[FORMAT_CELL];
    into[0] = 0;
    if (all->outside && all->over) {
        (void)snprintf(into, size,
                       "%s more were thrown on threads that ran no recorded code; %s throws and catches found no room",
                       format_count(outside, all->outside), format_count(over, all->over));
    } else if (all->outside) {
        (void)snprintf(into, size, "%s more %s thrown on threads that ran no recorded code",
                       format_count(outside, all->outside), all->outside == 1 ? "was" : "were");
    } else if (all->over) {
        (void)snprintf(into, size, "%s throws and catches found no room", format_count(over, all->over));
    }
}

static enum clew_error pass_all(const struct model *model, struct table_sink *sink, const struct exceptions *all)
{
    char note[192];
    say_missing(note, sizeof note, all);
    struct table_head head = {.note = note[0] ? note : NULL,
                              .of = "the exceptions that were thrown",
                              .of_kind = TABLE_COUNT,
                              .whole = table_number(all->thrown),
                              .member = "thrown_outside",
                              .fact = table_number(all->outside),
                              .fact_kind = TABLE_COUNT};
    CLEW_TRY(table_begin(sink, &types_table, &head));
    for (size_t i = 0; i < all->type_count; i++) {
        CLEW_TRY(pass_type(sink, all, &all->types[i]));
    }
    head.note = NULL;
    head.member = NULL;
    CLEW_TRY(table_begin(sink, &exceptions_table, &head));
    for (size_t i = 0; i < all->place_count; i++) {
        CLEW_TRY(pass_place(model, sink, all, &all->places[i]));
    }
    return CLEW_OK;
}

static enum clew_error rows(struct table_source *source, struct table_sink *sink)
{
    struct exceptions all = {0};
    if (!exceptions_known(source->model)) {
        return CLEW_NOTHING_RECORDED;
    }
    if (!source->sites) { // they have the names of types, which any session has
        CLEW_TRY(sites_load(source->model->recording, &source->sites));
    }
    enum clew_error error = exceptions_load(source->model, source->sites, &all);
    if (error == CLEW_OK) {
        error = pass_all(source->model, sink, &all);
    }
    view_merge_health(source->view, &all.health);
    exceptions_free(&all);
    return error;
}

static const struct table types_table = {
    .name = "types", .columns = type_columns, .rows = rows, .top = TYPES_DEFAULT, .title = "Exceptions by type"};
const struct table exceptions_table = {
    .columns = place_columns, .rows = rows, .top = PLACES_DEFAULT, .title = "Exceptions by place"};
