// The document `tree`: call trees as columns, of the whole session or of a range of time.
#include <stdlib.h>

#include "base/assert.h"
#include "view/page/page_documents.h"
#include "view/page/page_rows.h"
#include "view/page/page_selection.h"

enum { NODES_DEFAULT = 200000, NODES_MAX = 4000000 };

// The trees of the chosen threads; a shallow copy, which the caller frees.
static enum clew_error choose(const struct page *page, const struct page_selection *selection, bool apart,
                              struct model_tree **out, uint32_t *count)
{
    const struct model *model = apart ? page->apart : page->model;
    struct model_tree *chosen = calloc((size_t)model->tree_count + 1, sizeof *chosen);
    *count = 0;
    for (uint32_t i = 0; i < model->tree_count && chosen; i++) {
        if (!apart || page_selects(selection, model->trees[i].process, model->trees[i].thread)) {
            chosen[(*count)++] = model->trees[i];
        }
    }
    *out = chosen;
    return chosen ? CLEW_OK : CLEW_NO_MEMORY;
}

static enum clew_error write_trees(struct page *page, const struct page_selection *selection, bool apart, uint32_t most,
                                   struct json *json)
{
    struct model_tree *trees;
    uint32_t count;
    struct page_rows rows = {0};
    CLEW_TRY(choose(page, selection, apart, &trees, &count));
    enum clew_error error = page_rows_make(&rows, page->model, trees, count, most);
    if (error == CLEW_OK) {
        json_member_bool(json, "exact", true);
        json_member_u64(json, "losses", page->model->lost);
        page_selection_write(selection, page, json);
        page_rows_write(&rows, page->model, json);
    }
    page_rows_free(&rows);
    free(trees);
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
    if (selection.ranged) {
        page_refuse(answer, 501, "call trees of a range of time are not made yet");
        return CLEW_OK;
    }
    apart = apart || selection.thread_count > 0;
    if (apart) {
        CLEW_TRY(page_need_apart(page));
    }
    return write_trees(page, &selection, apart, most, json);
}
