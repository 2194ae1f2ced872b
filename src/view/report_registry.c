// See table/report_registry.h.
#include "view/table/report_registry.h"

#include "base/assert.h"
#include "trace/instrument.h"
#include "view/export/export_tables.h"
#include "view/json/json_rows.h"
#include "view/report/reports.h"
#include "view/table/table_json.h"
#include "view/table/table_text.h"
#include "view/table/tables.h"

const struct report reports[] = {
    {"overview", .text = view_overview, .json = overview_json},
    {"tree", &tree_table, .text = view_tree, .json = tree_json, .threads_apart = true},
    {"hot", &methods_table, .text = view_hot},
    {"methods", .table = &methods_table},
    {"modules", .table = &modules_table},
    {"threads", .table = &threads_table},
    {"log", .text = view_log, .json = log_json, .bare = true},
    {"summary", .text = view_summary, .json = summary_json, .bare = true},
    {"lines", &lines_table, .text = view_lines, .base = REPORT_OF_FILE,
     .needs = INSTRUMENT_LINES | INSTRUMENT_STATEMENTS, .instrument = "lines"},
    {"allocations", &allocations_table, .base = REPORT_OF_FILE, .needs = INSTRUMENT_VALUES, .instrument = "values"},
    {"events", &events_table, .base = REPORT_OF_EVENTS},
    {0},
};

const struct report *report_named(struct text name)
{
    for (const struct report *report = reports; report->name; report++) {
        if (text_equal(name, text_of(report->name))) {
            return report;
        }
    }
    return NULL;
}

bool report_has(const struct report *report, const struct model *model)
{
    return !report->needs || model->session.instruments & report->needs;
}

bool report_is(const struct report *report, enum report_place place)
{
    bool printed = report->base != REPORT_OF_EVENTS;
    return place == REPORT_PRINTED    ? printed
           : place == REPORT_IN_FILES ? report->table != NULL
                                      : report->table && !report->json && printed;
}

void report_list(struct buffer *into, enum report_place place, const struct report *standard)
{
    uint32_t count = 0, at = 0;
    for (const struct report *report = reports; report->name; report++) {
        count += report_is(report, place);
    }
    for (const struct report *report = reports; report->name; report++) {
        if (report_is(report, place)) {
            at++;
            buffer_printf(into, "%s%s%s",
                          at == 1      ? ""
                          : at < count ? ", "
                                       : " or ",
                          report->name, report == standard ? " (default)" : "");
        }
    }
}

enum clew_error report_text(const struct report *report, const struct view *view, struct model *model)
{
    CLEW_ASSERT(report_is(report, REPORT_PRINTED));
    return report->text ? report->text(view, model) : table_print(view, model, report->table, false);
}

enum clew_error report_json(const struct report *report, const struct view *view, struct model *model)
{
    struct json json = {.out = view->out};
    CLEW_ASSERT(report_is(report, REPORT_PRINTED));
    json_open(&json, '{');
    json_session(&json, model);
    enum clew_error error =
        report->json ? report->json(view, model, &json) : table_json(view, model, report->table, report->name, &json);
    json_close(&json, '}');
    CLEW_ASSERT((json.depth == 0 || error != CLEW_OK) && "each bracket is closed");
    (void)fputc('\n', view->out);
    return error;
}
