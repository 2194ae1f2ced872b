// See table_text.h.
#include "view/table/table_text.h"

#include "base/assert.h"
#include "base/foreign.h"
#include "view/text/columns.h"
#include "view/text/format_header.h"
#include "view/text/format_method.h"
#include "view/text/format_number.h"
#include "view/text/format_text.h"
#include "view/text/value.h"

enum {
    METHOD_MIN = 24, // a method at the end of a row needs so many columns
    TEXT_MIN = 24,   // as does a text that is cut
    LAST_MIN = 36    // so many are left for a method in the last column, as long as others can be narrow or absent
};

// -- Columns ----------------------------------------------------------------------------------------------------------

static size_t width_of(const struct table_text *text, const struct table_column *column)
{
    return column->narrow && text->narrow ? column->narrow : column->width;
}

static size_t gap_of(const struct table_column *column, bool first)
{
    return first ? 0 : column->gap ? column->gap : 1;
}

// Chooses and orders the columns that a terminal of this width has room for.
static void choose_among(struct table_text *text, uint32_t unused, uint32_t width)
{
    const struct table_column *columns = text->table->columns;
    uint32_t all = table_columns(text->table);
    text->count = 0;
    for (uint32_t at = 1; at <= all; at++) {
        for (uint32_t i = 0; i < all; i++) {
            if (columns[i].at == at && !(unused & 1u << i) && (!width || width >= columns[i].from)) {
                text->columns[text->count++] = i;
            }
        }
    }
    CLEW_ASSERT(text->count > 0 && columns[text->columns[text->count - 1]].width == 0 && "the last has the rest");
}

// Whether the last column has little room because of the others. *widest: the width from which on the last of those is there that
// narrower terminals do without; 0: there is none.
static bool is_crowded(const struct table_text *text, uint32_t *widest)
{
    const struct table_column *columns = text->table->columns;
    size_t used = 2;
    *widest = 0;
    for (uint32_t i = 0; i + 1 < text->count; i++) {
        const struct table_column *column = &columns[text->columns[i]];
        used += gap_of(column, i == 0) + width_of(text, column);
        *widest = column->from > *widest ? column->from : *widest;
    }
    bool method = columns[text->columns[text->count - 1]].kind == TABLE_METHOD;
    return method && text->view->width && used + LAST_MIN > text->view->width;
}

// Chooses the columns that the terminal has room for, and how wide they are.
static void choose_columns(struct table_text *text, uint32_t unused)
{
    uint32_t widest;
    text->narrow = format_is_narrow(text->view);
    choose_among(text, unused, text->view->width);
    text->narrow = text->narrow || is_crowded(text, &widest);
    while (is_crowded(text, &widest) && widest > 0) {
        choose_among(text, unused, widest - 1);
    }
}

static bool is_left(const struct table_column *column)
{
    return column->kind == TABLE_PLACE || column->kind == TABLE_TEXT;
}

// Formats a cell of a column with a width.
static void write_cell(struct buffer *into, const struct table_column *column, const struct table_cell *cell)
{
    char room[FORMAT_CELL];
    if (cell->state != TABLE_KNOWN) {
        buffer_text(into, "-");
        return;
    }
    switch (column->kind) {
    case TABLE_PLACE:
        if (cell->text.size) {
            format_place(into, cell->text, (uint32_t)cell->number, column->width);
        } else {
            buffer_printf(into, "IL_%04x", (unsigned)cell->number);
        }
        break;
    case TABLE_COUNT:
        buffer_text(into, format_count(room, cell->number));
        break;
    case TABLE_BYTES:
        buffer_text(into, format_size(room, cell->number));
        break;
    case TABLE_TIME:
        buffer_text(into, format_by_clock(room, cell->clock, cell->number));
        break;
    case TABLE_ROUGH_TIME:
        buffer_text(into, format_rough(room, cell->clock, cell->number));
        break;
    case TABLE_SHARE:
        buffer_text(into, format_share(room, cell->number, cell->whole));
        break;
    case TABLE_NUMBER:
    case TABLE_BOOL:
        buffer_printf(into, "%llu", (unsigned long long)cell->number);
        break;
    case TABLE_TEXT:
    case TABLE_METHOD:
    case TABLE_TYPE:
        foreign_append(into, cell->text, FOREIGN_TEXT);
        break;
    }
}

// Prints all cells but the last, or their headings where `cells` is NULL. Returns the columns printed.
static size_t print_cells(struct table_text *text, const struct table_cell *cells)
{
    FILE *out = text->view->out;
    size_t used = 0;
    bool left = false; // columns align left from here on
    for (uint32_t i = 0; i + 1 < text->count; i++) {
        const struct table_column *column = &text->table->columns[text->columns[i]];
        size_t width = width_of(text, column), gap = gap_of(column, i == 0);
        buffer_clear(&text->scratch);
        if (cells) {
            write_cell(&text->scratch, column, &cells[text->columns[i]]);
        } else {
            buffer_text(&text->scratch, column->title);
        }
        struct text cell = text_in(&text->scratch);
        if (is_left(column)) {
            cell = columns_cut(cell, width);
            used += (size_t)fprintf(out, "%s", left ? "" : "  ") + width + 1;
            format_column(text->view, cell, width + 1);
            left = true;
        } else {
            width = gap + (cell.size > width ? cell.size : width);
            used += (size_t)fprintf(out, "%*.*s", (int)width, (int)cell.size, cell.at);
        }
    }
    return used + (left ? 0 : (size_t)fprintf(out, "  "));
}

// -- The end of a row -------------------------------------------------------------------------------------------------

static bool is_at_end(const struct table_column *column, const struct table_cell *cell)
{
    bool any = table_is_text(column) ? cell->text.size > 0 : cell->number > 0;
    bool method = column->kind == TABLE_METHOD && (column->key || cell->state != TABLE_ABSENT);
    return column->before && (method || any);
}

// The columns that numbers and texts take at the end of the row.
static size_t measure_end(struct table_text *text, const struct table_cell *cells)
{
    size_t size = 0;
    const struct table_column *columns = text->table->columns;
    for (uint32_t i = 0, count = table_columns(text->table); i < count; i++) {
        if (columns[i].kind != TABLE_METHOD && is_at_end(&columns[i], &cells[i])) {
            buffer_clear(&text->scratch);
            write_cell(&text->scratch, &columns[i], &cells[i]);
            size += strlen(columns[i].before) + columns_of(text_in(&text->scratch)) +
                    strlen(columns[i].after ? columns[i].after : "");
        }
    }
    return size;
}

static struct text method_name(const struct table_cell *cell)
{
    return cell->state == TABLE_KNOWN ? cell->text : text_of("?");
}

// Prints the last column. Returns the columns that all of it takes.
static size_t print_last(struct table_text *text, const struct table_cell *cells, size_t used)
{
    const struct table_column *column = &text->table->columns[text->columns[text->count - 1]];
    const struct table_cell *cell = &cells[text->columns[text->count - 1]];
    if (column->kind == TABLE_METHOD) {
        return format_method(text->view, method_name(cell), used + measure_end(text, cells));
    }
    struct text shown = cell->text;
    buffer_clear(&text->scratch);
    if (column->kind == TABLE_TYPE && shown.size == 0) {
        shown = text_of("(type not known)");
    } else if (column->kind == TABLE_TYPE) {
        value_short_type(&text->scratch, shown);
        shown = text_in(&text->scratch);
    }
    format_name(text->view, shown, used);
    return columns_of(shown);
}

// Prints a number or text at the end, after `used` columns. Text is cut to what a terminal has left; where that is too little, it is
// left out. Returns the columns that are used then.
static size_t print_surrounded(struct table_text *text, const struct table_column *column,
                               const struct table_cell *cell, size_t used)
{
    const struct view *view = text->view;
    const char *after = column->after ? column->after : "";
    buffer_clear(&text->scratch);
    write_cell(&text->scratch, column, cell);
    size_t ends = used + strlen(column->before) + strlen(after), columns = columns_of(text_in(&text->scratch));
    bool cut = view->width && column->kind == TABLE_TEXT && ends + columns > view->width;
    if (cut && ends + TEXT_MIN > view->width) {
        return used;
    }
    (void)fputs(column->before, view->out);
    format_written(view, text_in(&text->scratch), cut ? ends : 0);
    (void)fputs(after, view->out);
    return cut ? view->width : ends + columns;
}

// Prints what surrounds the columns at the end.
static void print_end(struct table_text *text, const struct table_cell *cells, size_t used)
{
    const struct view *view = text->view;
    const struct table_column *columns = text->table->columns;
    for (uint32_t i = 0, count = table_columns(text->table); i < count; i++) {
        const struct table_column *column = &columns[i];
        bool method = column->kind == TABLE_METHOD;
        size_t before = column->before ? used + strlen(column->before) : 0;
        if (!is_at_end(column, &cells[i]) || (method && view->width && before + METHOD_MIN > view->width)) {
            continue;
        }
        if (!method) {
            used = print_surrounded(text, column, &cells[i], used);
            continue;
        }
        (void)fputs(column->before, view->out);
        used = before + format_method(view, method_name(&cells[i]), before);
        (void)fputs(column->after ? column->after : "", view->out);
    }
}

// -- The sink ---------------------------------------------------------------------------------------------------------

// Says what of the table is not shown.
static void end_table(struct table_text *text)
{
    char count[FORMAT_CELL];
    FILE *out = text->view->out;
    const struct table *table = text->table;
    if (table && text->left) {
        (void)fprintf(out, "... %s%s%s%s more%s\n", format_count(count, text->left), table->noun ? " " : "",
                      table->noun ? table->noun : "", table->noun ? "s" : "", table->more ? table->more : "");
    }
    if (table && text->quiet) {
        (void)fprintf(out, "%s %s%s %s\n", format_count(count, text->quiet), table->noun, format_plural(text->quiet),
                      table->quiet);
    }
    text->table = NULL;
    text->printed = text->left = text->quiet = 0;
}

static enum clew_error begin(struct table_sink *sink, const struct table_head *head)
{
    struct table_text *text = (struct table_text *)sink;
    const struct view *view = text->view;
    const char *bold = format_style(view, FORMAT_BOLD), *plain = format_style(view, FORMAT_PLAIN);
    const struct table *table = sink->table;
    if (text->model && !text->began) {
        format_header(view, text->model);
    }
    end_table(text);
    text->began = true;
    text->table = table;
    if (head->note) {
        buffer_clear(&text->scratch);
        buffer_printf(&text->scratch, "note: %s", head->note);
        format_words(view, text_in(&text->scratch), strlen("note: "));
        (void)fputc('\n', view->out);
    }
    (void)fputs(text->model ? "\n" : "", view->out);
    if (table->title) {
        (void)fprintf(view->out, "%s%s%s\n", bold, table->title, plain);
    }
    if (head->of) {
        const struct table_column whole = {.kind = head->of_kind};
        buffer_clear(&text->scratch);
        write_cell(&text->scratch, &whole, &head->whole);
        buffer_u8(&text->scratch, '\0');
        format_whole(view, text->scratch.failed ? "-" : (const char *)text->scratch.data, head->of);
    }
    choose_columns(text, head->unused);
    (void)fputs(table->title ? "" : bold, view->out);
    (void)print_cells(text, NULL);
    (void)fprintf(view->out, "%s%s\n", table->columns[text->columns[text->count - 1]].title, table->title ? "" : plain);
    return CLEW_OK;
}

static enum clew_error take_row(struct table_sink *sink, const struct table_cell *cells, enum table_row how)
{
    struct table_text *text = (struct table_text *)sink;
    uint32_t top = text->view->top ? text->view->top : text->table->top;
    if (how == TABLE_QUIET) {
        text->quiet++;
    } else if (how == TABLE_SHORT || (top && text->printed >= top)) {
        text->left++;
    } else {
        size_t used = print_cells(text, cells);
        used += print_last(text, cells, used);
        print_end(text, cells, used);
        (void)fputc('\n', text->view->out);
        text->printed++;
    }
    return text->scratch.failed ? CLEW_NO_MEMORY : CLEW_OK;
}

struct table_text table_text_part(const struct view *view)
{
    return (struct table_text){.sink = {.begin = begin, .row = take_row}, .view = view};
}

void table_text_end(struct table_text *text)
{
    end_table(text);
    buffer_free(&text->scratch);
}

enum clew_error table_print(const struct view *view, struct model *model, const struct table *table, bool part)
{
    struct table_text text = table_text_part(view);
    struct table_source source = {.view = view, .model = model, .text = true};
    text.model = part ? NULL : model;
    enum clew_error error = table->rows(&source, &text.sink);
    table_source_close(&source);
    table_text_end(&text);
    return error;
}
