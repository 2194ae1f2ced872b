// The document `report`: what `clew report FILE --json --by X` prints, byte for byte.
#include "view/page/page_documents.h"
#include "view/table/report_registry.h"

enum clew_error page_report(struct page *page, const struct page_query *query, FILE *out, struct page_answer *answer)
{
    struct view view = {.out = out};
    struct text by = text_of("methods");
    bool bad = false;
    (void)page_query_text(query, "by", &by);
    view.without_lines = page_query_number(query, "lines", 1, 1, &bad) == 0;
    const struct report *report = report_named(by);
    if (bad) {
        page_refuse(answer, 400, "lines is 0 or 1");
        return CLEW_OK;
    }
    if (!report || !report_is(report, REPORT_ON_PAGE)) {
        page_refuse(answer, 400, "there is no such report");
        buffer_text(&answer->cure, "by is ");
        report_list(&answer->cure, REPORT_ON_PAGE, NULL);
        return CLEW_OK;
    }
    if (!report_has(report, page->model)) {
        page_refuse(answer, 422, "this recording has no %s", report->name);
        page_cure_record(answer, page->model, report->instrument);
        return CLEW_OK;
    }
    return report_json(report, &view, page->model);
}
