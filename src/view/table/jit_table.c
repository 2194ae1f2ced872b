// The table of the report `jit`: what the JIT has compiled, and for how long, by method.
#include "model/compilations.h"
#include "view/table/tables.h"
#include "view/text/format_method.h"
#include "view/text/format_number.h"

enum { METHODS_DEFAULT = 40 };

static const struct table_column columns[] = {
    {"method", TABLE_METHOD, "Method", .at = 5},
    {"module", .kind = TABLE_TEXT},
    {"kind", .kind = TABLE_TEXT},
    {"token", .kind = TABLE_NUMBER},
    {"compilations", TABLE_COUNT, "Compiled", .at = 4, .width = 9},
    {"compiling_ns", TABLE_TIME, "Time", .at = 2, .width = 12},
    {"longest_ns", TABLE_TIME, "Longest", .at = 3, .width = 12},
    {"refused", TABLE_COUNT, .before = "  [", .after = " with precompiled code]"},
    {"refused_ns", .kind = TABLE_TIME},
    {NULL, TABLE_SHARE, "Share", .at = 1, .width = 8},
    {0},
};

static enum clew_error pass(struct table_sink *sink, const struct compilations *all, const struct compilation_row *row)
{
    bool dynamic = row->token == 0; // only the sums are known of them
    struct text kind = dynamic ? (struct text){0} : text_of(format_kind((enum method_kind)row->kind));
    const struct table_cell cells[] = {
        table_text(row->name),
        table_text_maybe(row->module ? row->module->name : (struct text){0}),
        table_text_maybe(kind),
        table_maybe(row->token, !dynamic),
        table_number(row->count),
        table_number(row->ns),
        table_maybe(row->longest_ns, !dynamic),
        table_number(row->refused),
        table_number(row->refused_ns),
        table_share(row->ns, all->ns),
    };
    return table_row(sink, cells, sizeof cells / sizeof *cells, TABLE_ROW);
}

static enum clew_error pass_all(struct table_sink *sink, const struct compilations *all)
{
    char note[160], time[FORMAT_CELL];
    (void)snprintf(note, sizeof note, "clew's own work before took %s more, which is not in the rows",
                   format_ns(time, all->woven_ns));
    const struct table_head head = {.note = all->woven_ns ? note : NULL,
                                    .of = "the time of the JIT on all threads",
                                    .of_kind = TABLE_TIME,
                                    .whole = table_number(all->ns),
                                    .member = "woven_ns",
                                    .fact = table_number(all->woven_ns),
                                    .fact_kind = TABLE_TIME};
    CLEW_TRY(table_begin(sink, &jit_table, &head));
    for (size_t i = 0; i < all->row_count; i++) {
        CLEW_TRY(pass(sink, all, &all->rows[i]));
    }
    return CLEW_OK;
}

static enum clew_error rows(struct table_source *source, struct table_sink *sink)
{
    struct compilations all = {0};
    if (!compilations_known(source->model)) {
        return CLEW_NOTHING_RECORDED;
    }
    enum clew_error error = compilations_load(source->model, &all);
    if (error == CLEW_OK) {
        error = pass_all(sink, &all);
    }
    view_merge_health(source->view, &all.health);
    compilations_free(&all);
    return error;
}

const struct table jit_table = {.columns = columns, .rows = rows, .top = METHODS_DEFAULT, .noun = "method"};
