// The document `report`: what `clew report FILE --json --by X` prints, byte for byte.
#include "trace/instrument.h"
#include "view/page/page_documents.h"
#include "view/report/reports.h"

static const struct report {
    const char *by;
    enum view_json what;
    uint32_t needs; // one of these instruments; 0: any
    const char *instruments;
} reports[] = {
    {"methods", VIEW_JSON_METHODS, 0, NULL},
    {"hot", VIEW_JSON_HOT, 0, NULL},
    {"modules", VIEW_JSON_MODULES, 0, NULL},
    {"threads", VIEW_JSON_THREADS, 0, NULL},
    {"lines", VIEW_JSON_LINES, INSTRUMENT_LINES | INSTRUMENT_STATEMENTS, "tree,lines"},
    {"allocations", VIEW_JSON_ALLOCATIONS, INSTRUMENT_VALUES, "values"},
};

static const struct report *find(struct text by)
{
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        if (text_equal(by, text_of(reports[i].by))) {
            return &reports[i];
        }
    }
    return NULL;
}

enum clew_error page_report(struct page *page, const struct page_query *query, FILE *out, struct page_answer *answer)
{
    struct view view = {.out = out};
    struct text by = text_of("methods");
    bool bad = false;
    (void)page_query_text(query, "by", &by);
    view.without_lines = page_query_number(query, "lines", 1, 1, &bad) == 0;
    const struct report *report = find(by);
    if (bad) {
        page_refuse(answer, 400, "lines is 0 or 1");
        return CLEW_OK;
    }
    if (!report) {
        page_refuse(answer, 400, "there is no such report");
        buffer_text(&answer->cure, "by is one of methods, hot, modules, threads, lines, allocations");
        return CLEW_OK;
    }
    if (report->needs && !(page->model->session.instruments & report->needs)) {
        page_refuse(answer, 422, "this recording has no %s", report->by);
        page_cure_record(answer, page->model, report->instruments);
        return CLEW_OK;
    }
    return view_json(&view, page->model, report->what);
}
