// The report `overview`, which `clew run` prints: the session in a few lines, the requests of a web server, the main part of
// the call tree, and the hottest methods or statements.
#include "trace/instrument.h"
#include "view/report/report_lines.h"
#include "view/report/report_tree.h"
#include "view/report/reports.h"
#include "view/table/table_text.h"
#include "view/table/tables.h"
#include "view/text/format_header.h"
#include "view/text/format_text.h"

enum { TREE_DEPTH = 16, HOT_ROWS = 12, REQUEST_ROWS = 10 };
static const double TREE_SHARE = 0.01;

static void print_title(const struct view *view, const char *title, const char *rest)
{
    (void)fprintf(view->out, "\n%s%s%s, %s\n", format_style(view, FORMAT_BOLD), title, format_style(view, FORMAT_PLAIN),
                  rest);
}

static const char *hottest_by(const struct view *view, const struct model *model)
{
    enum table_key key = methods_key(view, model);
    return key == TABLE_CPU ? "by sampled CPU time" : model_has_times(model) ? "by own time" : "by calls";
}

// Whether a process has loaded ASP.NET Core's server.
static bool is_web_server(const struct model *model)
{
    static const char server[] = "Microsoft.AspNetCore.Server.Kestrel.Core";
    for (uint32_t i = 0; i < model->catalog.module_count; i++) {
        if (text_equal(model->catalog.modules[i].name, text_of(server))) {
            return true;
        }
    }
    return false;
}

// What a server was asked to do comes first: its call tree begins with a Main that waits.
static enum clew_error print_requests(const struct view *view, struct model *model)
{
    if (!is_web_server(model) || !requests_known(model)) {
        return CLEW_OK;
    }
    struct view small = *view;
    small.top = view->top ? view->top : REQUEST_ROWS;
    print_title(view, "Requests", "by the method they begin with, most time first");
    return table_print(&small, model, &requests_table, true);
}

// A recording with only line counters has no calls, so this part is left out then.
static enum clew_error print_calls(const struct view *view, struct model *model)
{
    struct view small = *view;
    small.depth = view->depth ? view->depth : TREE_DEPTH;
    print_title(view, "Call tree", view->threads ? "a thread each" : "all threads together");
    CLEW_TRY(tree_print(&small, model, TREE_SHARE, true));
    print_title(view, "Hottest methods", hottest_by(view, model));
    small.top = view->top ? view->top : HOT_ROWS;
    return table_print(&small, model, &hot_table, true);
}

enum clew_error view_overview(const struct view *view, struct model *model)
{
    bool lines = model->session.instruments & INSTRUMENT_LINES;
    format_header(view, model);
    CLEW_TRY(print_requests(view, model));
    if (!lines || model->session.instruments & (INSTRUMENT_TREE | INSTRUMENT_STREAMS)) {
        CLEW_TRY(print_calls(view, model));
    }
    if (!lines || model_is_selection(model)) {
        return CLEW_OK;
    }
    print_title(view, "Hottest statements", model_has_times(model) ? "by own time" : "by count");
    return lines_hot_print(view, model, view->top ? view->top : HOT_ROWS);
}

enum clew_error view_hot(const struct view *view, struct model *model)
{
    return table_print(view, model, &hot_table, false);
}
