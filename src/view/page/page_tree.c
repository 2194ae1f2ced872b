// The document `tree`: call trees as columns, of the whole session or of a range of time.
#include "view/page/page_documents.h"
#include "view/page/page_rows.h"
#include "view/page/page_selection.h"

enum { NODES_DEFAULT = 200000, NODES_MAX = 4000000 };

// Loads the trees of a selection. The caller calls model_free().
static enum clew_error load(const struct page *page, const struct page_selection *selection, bool apart,
                            struct model **out)
{
    struct model_options options = {.threads_apart = apart, .unchecked = true};
    options.threads = selection->threads;
    options.thread_count = selection->thread_count;
    if (selection->ranged) {
        options.from_ns = selection->from_ns;
        options.to_ns = selection->to_ns;
    }
    return model_load(page->recording, &options, out);
}

static enum clew_error write_trees(struct page *page, const struct model *model, const struct page_selection *selection,
                                   uint32_t most, struct json *json)
{
    struct page_rows rows = {0};
    enum clew_error error = page_rows_make(&rows, page, model, most);
    if (error == CLEW_OK) {
        json_member_bool(json, "exact", true);
        json_member_u64(json, "losses", model->lost);
        page_selection_write(selection, page, json);
        page_rows_write(&rows, json);
    }
    page_rows_free(&rows);
    return error;
}

enum clew_error page_tree(struct page *page, const struct page_query *query, struct json *json,
                          struct page_answer *answer)
{
    struct page_selection selection;
    bool bad = false;
    bool apart = page_query_number(query, "apart", 0, 1, &bad) == 1;
    uint32_t most = (uint32_t)page_query_number(query, "nodes", NODES_DEFAULT, NODES_MAX, &bad);
    if (bad || most == 0) {
        page_refuse(answer, 400, "apart is 0 or 1, and nodes a number from 1 to %d", NODES_MAX);
        return CLEW_OK;
    }
    if (!page_selection_take(&selection, page, query, answer)) {
        return CLEW_OK;
    }
    if (selection.ranged && !page->model->has_stream) {
        page_refuse(answer, 422, "this recording has no order of calls, so ranges of time are unknown");
        page_cure_record(answer, page->model, "calls");
        return CLEW_OK;
    }
    if (!selection.ranged && !apart && selection.thread_count == 0) {
        return write_trees(page, page->model, &selection, most, json);
    }
    struct model *model;
    CLEW_TRY(load(page, &selection, apart, &model));
    enum clew_error error = write_trees(page, model, &selection, most, json);
    model_free(model);
    return error;
}
