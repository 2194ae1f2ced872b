// See table/report_registry.h.
#include "view/table/report_registry.h"

#include "base/assert.h"
#include "model/compilations.h"
#include "model/coverage.h"
#include "model/slowest.h"
#include "model/thrown.h"
#include "trace/instrument.h"
#include "view/export/export_tables.h"
#include "view/json/json_rows.h"
#include "view/report/reports.h"
#include "view/table/table_json.h"
#include "view/table/table_text.h"
#include "view/table/tables.h"

enum {
    OF_METHODS = REPORT_TOP | REPORT_SORT | REPORT_SORT_METHODS | REPORT_PHYSICAL | REPORT_METHODS,
    OF_TREES = REPORT_SORT | REPORT_DEPTH | REPORT_THREADS | REPORT_PHYSICAL | REPORT_METHODS
};

const struct report reports[] = {
    {"overview", OF_METHODS | OF_TREES | REPORT_MIN_TIME | REPORT_SOURCES, .text = view_overview,
     .json = overview_json},
    {"requests", REPORT_TOP | REPORT_ROOT, &requests_table, .json = requests_json, .base = REPORT_OF_FILE,
     .needs = INSTRUMENT_TREE | INSTRUMENT_STREAMS, .instrument = "tree", .known = requests_known},
    {"slowest", REPORT_TOP | REPORT_SORT | REPORT_ROOT | REPORT_DEPTH | REPORT_MIN_TIME, .text = view_slowest,
     .json = slowest_json, .base = REPORT_OF_FILE, .needs = INSTRUMENT_STREAMS, .instrument = "calls",
     .lacks = "stream of all calls with their times", .known = slowest_known, .on_page = true},
    {"tree", OF_TREES | REPORT_MIN_TIME, &tree_table, .text = view_tree, .json = tree_json, .threads_apart = true},
    {"callers", OF_TREES | REPORT_MIN_TIME | REPORT_OF, .text = view_tree, .json = tree_json},
    {"callees", OF_TREES | REPORT_MIN_TIME | REPORT_OF, .text = view_tree, .json = tree_json},
    {"hot", OF_METHODS | REPORT_MIN_TIME, &methods_table, .text = view_hot},
    {"methods", OF_METHODS | REPORT_MIN_TIME, .table = &methods_table},
    {"modules", REPORT_TOP | REPORT_PHYSICAL | REPORT_METHODS, .table = &modules_table},
    {"threads", REPORT_TOP | REPORT_PHYSICAL, .table = &threads_table},
    {"log", REPORT_DEPTH | REPORT_PHYSICAL | REPORT_METHODS, .text = view_log, .json = log_json, .bare = true},
    {"summary", OF_METHODS, .text = view_summary, .json = summary_json, .bare = true},
    {"lines", REPORT_SOURCES, &lines_table, .text = view_lines, .base = REPORT_OF_FILE,
     .needs = INSTRUMENT_LINES | INSTRUMENT_STATEMENTS, .instrument = "lines"},
    {"coverage", REPORT_COVERAGE, &coverage_table, .base = REPORT_OF_FILE,
     .needs = INSTRUMENT_LINES | INSTRUMENT_STATEMENTS, .instrument = "lines",
     .lacks = "sequence points of its modules, so that lines that never ran are not known", .known = coverage_known},
    {"allocations", REPORT_TOP, &allocations_table, .base = REPORT_OF_FILE, .needs = INSTRUMENT_VALUES,
     .instrument = "values"},
    {"exceptions", REPORT_TOP, &exceptions_table, .base = REPORT_OF_FILE, .needs = INSTRUMENT_TREE | INSTRUMENT_STREAMS,
     .instrument = "tree", .lacks = "exceptions", .known = exceptions_known},
    {"jit", REPORT_TOP, &jit_table, .base = REPORT_OF_FILE, .instrument = "tree",
     .lacks = "list of what the JIT compiled", .known = compilations_known},
    {"events", 0, &events_table, .base = REPORT_OF_EVENTS},
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
    bool recorded = !report->needs || model->session.instruments & report->needs;
    return recorded && (!report->known || report->known(model));
}

bool report_is(const struct report *report, enum report_place place)
{
    bool printed = report->base != REPORT_OF_EVENTS;
    return place == REPORT_PRINTED    ? printed
           : place == REPORT_IN_FILES ? report->table != NULL
                                      : report->on_page || (report->table && !report->threads_apart && printed);
}

// Appends "a, b or c". `standard` is marked as the default.
static void join(struct buffer *into, const struct report *const *chosen, uint32_t count, const char *last,
                 const struct report *standard)
{
    for (uint32_t i = 0; i < count; i++) {
        buffer_printf(into, "%s%s%s",
                      i == 0          ? ""
                      : i + 1 < count ? ", "
                                      : last,
                      chosen[i]->name, chosen[i] == standard ? " (default)" : "");
    }
}

void report_list(struct buffer *into, enum report_place place, const struct report *standard)
{
    const struct report *chosen[sizeof reports / sizeof *reports];
    uint32_t count = 0;
    for (const struct report *report = reports; report->name; report++) {
        chosen[count] = report;
        count += report_is(report, place);
    }
    join(into, chosen, count, " or ", standard);
}

uint32_t report_list_takers(struct buffer *into, uint32_t option)
{
    const struct report *chosen[sizeof reports / sizeof *reports];
    uint32_t count = 0;
    for (const struct report *report = reports; report->name; report++) {
        chosen[count] = report;
        count += (report->takes & option) != 0;
    }
    join(into, chosen, count, " and ", NULL);
    return count;
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
    json_member_text(&json, "view", text_of(model->view == MODEL_LOGICAL ? "logical" : "physical"));
    enum clew_error error =
        report->json ? report->json(view, model, &json) : table_json(view, model, report->table, report->name, &json);
    json_close(&json, '}');
    CLEW_ASSERT((json.depth == 0 || error != CLEW_OK) && "each bracket is closed");
    (void)fputc('\n', view->out);
    return error;
}
