// The document `report`: what `clew report FILE --json --by X` prints, byte for byte.
#include "view/page/page_documents.h"
#include "view/page/page_selection.h"
#include "view/table/report_registry.h"

enum { ROWS_MAX = 1000 };

// The same of the physical view, whose model is loaded for it.
static enum clew_error print_physical(const struct page *page, const struct report *report, const struct view *view)
{
    struct model_options options = page->model->options;
    struct model *model;
    options.physical = true;
    CLEW_TRY(model_load(page->model->recording, &options, &model));
    enum clew_error error = report_json(report, view, model);
    model_free(model);
    return error;
}

static enum clew_error print(struct page *page, const struct report *report, const struct page_query *query,
                             bool physical, struct view *view)
{
    struct buffer root = {0};
    struct text asked;
    if (page_query_text(query, "root", &asked)) {
        buffer_append(&root, asked.at, asked.size);
        buffer_append(&root, "", 1);
        view->root = (const char *)root.data;
    }
    enum clew_error error = root.failed ? CLEW_NO_MEMORY
                            : physical  ? print_physical(page, report, view)
                                        : report_json(report, view, page->model);
    buffer_free(&root);
    return error;
}

enum clew_error page_report(struct page *page, const struct page_query *query, FILE *out, struct page_answer *answer)
{
    struct view view = {.out = out};
    struct text by = text_of("methods");
    bool bad_lines = false, bad_top = false, physical;
    (void)page_query_text(query, "by", &by);
    view.without_lines = page_query_number(query, "lines", 1, 1, &bad_lines) == 0;
    view.top = (uint32_t)page_query_number(query, "top", 0, ROWS_MAX, &bad_top);
    const struct report *report = report_named(by);
    if (!page_selection_view(query, answer, &physical)) {
        return CLEW_OK;
    }
    if (bad_lines || bad_top) {
        page_refuse(answer, 400, bad_lines ? "lines is 0 or 1" : "top is a number of rows, at most 1000");
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
    return print(page, report, query, physical, &view);
}
