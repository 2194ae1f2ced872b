// The report `lines`: the source with count, own time and share beside each line. Only the ends of long stretches
// without statements are shown.
#include "view/report/report_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/foreign.h"
#include "model/lines.h"
#include "model/sources.h"
#include "view/report/reports.h"
#include "view/table/table_text.h"
#include "view/text/format_header.h"
#include "view/text/format_number.h"
#include "view/text/format_text.h"

enum {
    QUIET = 3, // lines shown at either end of a stretch without statements
    PLACE_WIDTH = 24
};

// The state of printing the lines of a recording.
struct printing {
    const struct view *view;
    const struct model *model;
    struct sources *sources;
    const struct lines *lines;
};

// The sum of the statements that begin on one line.
struct line_sum {
    uint64_t most, own; // most: the count of the statement that ran most often
    bool any;
};

static struct line_sum sum_of(const struct lines *lines, size_t *at, uint32_t line)
{
    struct line_sum sum = {0};
    CLEW_ASSERT(*at < lines->count && lines->rows[*at].site->start_line == line);
    const struct recording_document *document = lines->rows[*at].document;
    for (; *at < lines->count && lines->rows[*at].document == document && lines->rows[*at].site->start_line == line;
         ++*at) {
        sum.most = lines->rows[*at].count > sum.most ? lines->rows[*at].count : sum.most;
        sum.own += lines->rows[*at].own;
        sum.any = true;
    }
    return sum;
}

// A time of a line, which another clock than the session's may have measured.
static const char *own_time(char room[FORMAT_CELL], const struct printing *printing, uint64_t ticks)
{
    enum clock_kind clock = lines_clock(printing->model, printing->lines);
    return format_by_clock(room, clock, model_ns(printing->model, ticks));
}

// Whether there are times, and this one is not below the clock's resolution.
static bool is_measured(const struct printing *printing, uint64_t ticks)
{
    char room[FORMAT_CELL];
    return printing->lines->has_time && *own_time(room, printing, ticks) != '<';
}

static void print_row(const struct printing *printing, uint32_t line, const struct line_sum *sum, struct text text)
{
    char count[FORMAT_CELL], own[FORMAT_CELL], share[FORMAT_CELL];
    bool timed = sum->any && printing->lines->has_time;
    int used = fprintf(
        printing->view->out, "%12s %12s %7s %6u  ", sum->any ? format_count(count, sum->most) : "",
        timed ? own_time(own, printing, sum->own) : "",
        timed ? format_share(share, sum->own, is_measured(printing, sum->own) ? printing->lines->own : 0) : "", line);
    format_source(printing->view, text, used > 0 ? (size_t)used : 0);
    (void)fputc('\n', printing->view->out);
}

// Prints the lines from `from` up to before `to`, on which no statement begins.
static void print_quiet(const struct printing *printing, const struct recording_document *document, uint32_t from,
                        uint32_t to)
{
    const struct line_sum none = {0};
    for (uint32_t line = from; line < to; line++) {
        if (to - from > 2 * QUIET + 1 && line == from + QUIET) {
            (void)fprintf(printing->view->out, "%12s\n", "...");
            line = to - QUIET;
        }
        print_row(printing, line, &none, sources_line(printing->sources, document, line));
    }
}

const char *lines_no_source(enum source_state state)
{
    static const char *const reasons[] = {"", "its source was not found", "its source has changed since it was built",
                                          "its source is too large to carry",
                                          "its source could not be compared with what was built"};
    static_assert(sizeof reasons / sizeof *reasons == SOURCE_SAME, "a text for each state but SAME");
    CLEW_ASSERT(state < SOURCE_SAME && "sources_state() says what it is the same as");
    return reasons[state];
}

// Prints which clock the own times are from, which is not always the session's, and what shares refer to.
static void print_clock(const struct printing *printing)
{
    enum clock_kind clock = lines_clock(printing->model, printing->lines);
    char whole[FORMAT_CELL];
    struct buffer words = {0};
    buffer_printf(&words, "own times: %s%s", clock == CLOCK_KIND_NONE ? "none were taken" : "clock ",
                  clock == CLOCK_KIND_NONE   ? ""
                  : clock == CLOCK_KIND_TICK ? "tick (wall time that advances every 100 us; --clock tsc times each run)"
                                             : clock_name(clock));
    format_words(printing->view, text_in(&words), 2);
    (void)fputc('\n', printing->view->out);
    buffer_free(&words);
    if (is_measured(printing, printing->lines->own)) {
        format_whole(printing->view, own_time(whole, printing, printing->lines->own), "the own time of all statements");
    }
}

// Prints the rows of one document, from *at on, and advances *at.
static void print_document(const struct printing *printing, size_t *at)
{
    const struct recording_document *document = printing->lines->rows[*at].document;
    enum source_state state = sources_state(printing->sources, document);
    bool has_source = state == SOURCE_VERIFIED;
    (void)fprintf(printing->view->out, "\n%s", format_style(printing->view, FORMAT_BOLD));
    format_foreign(printing->view, document->path);
    (void)fprintf(printing->view->out, "%s%s%s\n", format_style(printing->view, FORMAT_PLAIN), has_source ? "" : ": ",
                  lines_no_source(state));
    (void)fprintf(printing->view->out, "%12s %12s %7s %6s\n", "Count", "Own", "Share", "Line");
    uint32_t next = 0; // the line after the last one printed
    while (*at < printing->lines->count && printing->lines->rows[*at].document == document) {
        uint32_t line = printing->lines->rows[*at].site->start_line;
        struct line_sum sum = sum_of(printing->lines, at, line);
        if (has_source && next) {
            print_quiet(printing, document, next, line);
        }
        print_row(printing, line, &sum, sources_line(printing->sources, document, line));
        next = line + 1;
    }
}

// -- The hottest ------------------------------------------------------------------------------------------------------

// By own time, then by count, so that a recording without times is sorted by count.
static int hottest_first(const void *left, const void *right)
{
    const struct line_row *a = left, *b = right;
    if (a->own != b->own) {
        return a->own > b->own ? -1 : 1;
    }
    return (b->count > a->count) - (b->count < a->count);
}

static struct text trimmed(struct text line)
{
    while (line.size && (*line.at == ' ' || *line.at == '\t')) {
        line.at++;
        line.size--;
    }
    return line;
}

static const struct table_column hottest_columns[] = {
    {NULL, TABLE_SHARE, "Share", .at = 1, .width = 8},
    {NULL, TABLE_TIME, "Own", .at = 2, .width = 12},
    {NULL, TABLE_COUNT, "Count", .at = 3, .width = 12},
    {NULL, TABLE_PLACE, "Place", .at = 4, .width = PLACE_WIDTH},
    {NULL, TABLE_TEXT, "Source", .at = 5},
    {0},
};
static const struct table hottest_table = {
    .columns = hottest_columns, .noun = "statement", .more = "; --by lines shows them over the source"};

// Prints the hottest statements, for the overview. Reorders the rows.
static enum clew_error print_hottest(const struct printing *printing, struct lines *lines, uint32_t top)
{
    struct view view = *printing->view;
    struct table_text text = table_text_part(&view);
    view.top = top;
    print_clock(printing);
    if (lines->count) {
        qsort(lines->rows, lines->count, sizeof *lines->rows, hottest_first);
    }
    enum clew_error error = table_begin(&text.sink, &hottest_table, NULL);
    for (size_t i = 0; i < lines->count && error == CLEW_OK; i++) {
        const struct line_row *row = &lines->rows[i];
        struct table_cell own = table_ticks(printing->model, row->own, lines->has_time);
        own.clock = lines_clock(printing->model, lines);
        const struct table_cell cells[] = {
            table_share(row->own, is_measured(printing, row->own) ? lines->own : 0),
            own,
            table_number(row->count),
            {.state = TABLE_KNOWN, .text = row->document->path, .number = row->site->start_line},
            table_text(trimmed(sources_line(printing->sources, row->document, row->site->start_line)))};
        error = table_row(&text.sink, cells, sizeof cells / sizeof *cells, TABLE_ROW);
    }
    table_text_end(&text);
    return error;
}

// A function that prints the lines of a recording once they are loaded. It may reorder them.
typedef enum clew_error print_lines(const struct printing *printing, struct lines *lines, uint32_t top);

// Loads lines and sources, passes them to `print`, and releases them. Damage that was found goes to the view's health.
static enum clew_error with_lines(const struct view *view, const struct model *model, print_lines *print, uint32_t top)
{
    struct sites *sites;
    struct lines lines = {0};
    struct printing printing = {.view = view, .model = model, .lines = &lines};
    CLEW_TRY(sites_load(model->recording, &sites));
    enum clew_error error = lines_load(model, sites, &lines);
    if (error == CLEW_OK) {
        error = sources_open(model->recording, model->options.sources, &printing.sources);
    }
    if (error == CLEW_OK) {
        error = print(&printing, &lines, top);
        struct recording_health sources = sources_health(printing.sources);
        view_merge_health(view, &sources);
    }
    view_merge_health(view, sites_health(sites));
    view_merge_health(view, &lines.health);
    sources_close(printing.sources);
    lines_free(&lines);
    sites_free(sites);
    return error;
}

enum clew_error lines_hot_print(const struct view *view, struct model *model, uint32_t top)
{
    enum clew_error error = with_lines(view, model, print_hottest, top);
    return error == CLEW_NOTHING_RECORDED ? CLEW_OK : error;
}

// The report `lines`: all documents in the order of their paths.
static enum clew_error print_documents(const struct printing *printing, struct lines *lines, uint32_t top)
{
    (void)top;
    format_header(printing->view, printing->model);
    print_clock(printing);
    for (size_t at = 0; at < lines->count;) {
        print_document(printing, &at);
    }
    return CLEW_OK;
}

enum clew_error view_lines(const struct view *view, struct model *model)
{
    return with_lines(view, model, print_documents, 0);
}
