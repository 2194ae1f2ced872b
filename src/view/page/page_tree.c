// The document `tree`: call trees as columns, of the whole session or of a range of time.
#include "view/page/page_documents.h"
#include "view/page/page_rows.h"
#include "view/page/page_selection.h"

enum { NODES_DEFAULT = 200000, NODES_MAX = 4000000 };

// Loads the trees of a selection. The caller calls model_free().
static enum clew_error load(const struct page *page, const struct page_selection *selection, bool apart, bool physical,
                            struct model **out)
{
    struct model_options options = {.threads_apart = apart, .physical = physical, .unchecked = true};
    options.threads = page_selection_threads(selection);
    if (selection->ranged) {
        options.from_ns = selection->from_ns;
        options.to_ns = selection->to_ns;
    }
    return model_load(page->model->recording, &options, out);
}

// Threads whose calls are known as a recorded tree alone, without events. A range of time has nothing of them.
struct untimed {
    const struct catalog_thread *first;
    uint64_t count, calls;
};

// Whether a thread made calls and may have been alive in the range. Clocks of 0 are unknown.
static bool may_have_calls(const struct page *page, const struct page_selection *selection,
                           const struct catalog_thread *thread)
{
    uint64_t started = thread->record.started_clock, ended = thread->record.ended_clock;
    return thread->calls > 0 && page_selects(selection, thread->record.process, thread->record.thread) &&
           (!started || model_since_start_ns(page->model, started) < selection->to_ns) &&
           (!ended || model_since_start_ns(page->model, ended) >= selection->from_ns);
}

static enum clew_error find_untimed(struct page *page, const struct page_selection *selection, struct untimed *untimed)
{
    enum clew_error error = selection->ranged ? page_need_events(page) : CLEW_OK;
    const struct catalog *catalog = &page->model->catalog;
    for (uint32_t i = 0; selection->ranged && error == CLEW_OK && i < catalog->thread_count; i++) {
        const struct catalog_thread *thread = &catalog->threads[i];
        if (may_have_calls(page, selection, thread) &&
            !event_blocks_thread(&page->events, thread->record.process, thread->record.thread)) {
            untimed->first = untimed->count ? untimed->first : thread;
            untimed->count++;
            untimed->calls += thread->calls;
        }
    }
    return error;
}

// Each of these threads can have been in calls for the whole range.
static void write_exactness(const struct untimed *untimed, const struct page_selection *selection, struct json *json)
{
    json_member_bool(json, "exact", untimed->count == 0);
    if (untimed->count > 0) {
        uint64_t length = selection->to_ns - selection->from_ns;
        char why[256];
        (void)snprintf(why, sizeof why,
                       "%llu thread%s recorded as call trees without events, so none of %s %llu calls are in this "
                       "range; the first is %u:%u",
                       (unsigned long long)untimed->count, untimed->count == 1 ? " was" : "s were",
                       untimed->count == 1 ? "its" : "their", (unsigned long long)untimed->calls,
                       untimed->first->record.process, untimed->first->record.thread);
        json_member_u64(json, "bound_ns", length > UINT64_MAX / untimed->count ? UINT64_MAX : length * untimed->count);
        json_member_text(json, "why", text_of(why));
    }
}

static enum clew_error write_trees(struct page *page, const struct model *model, const struct page_selection *selection,
                                   uint32_t most, struct json *json)
{
    struct page_rows rows = {0};
    struct untimed untimed = {0};
    CLEW_TRY(find_untimed(page, selection, &untimed));
    enum clew_error error = page_rows_make(&rows, page, model, most);
    if (error == CLEW_OK) {
        write_exactness(&untimed, selection, json);
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
    bool bad = false, physical;
    bool apart = page_query_number(query, "apart", 0, 1, &bad) == 1;
    uint32_t most = (uint32_t)page_query_number(query, "nodes", NODES_DEFAULT, NODES_MAX, &bad);
    if (bad || most == 0) {
        page_refuse(answer, 400, "apart is 0 or 1, and nodes a number from 1 to %d", NODES_MAX);
        return CLEW_OK;
    }
    if (!page_selection_view(query, answer, &physical) || !page_selection_take(&selection, page, query, answer)) {
        return CLEW_OK;
    }
    physical = physical && page_is_logical(page); // else all trees are
    if (selection.ranged && !page->model->has_stream) {
        page_refuse(answer, 422, "this recording has no order of calls, so ranges of time are unknown");
        page_cure_record(answer, page->model, "calls");
        return CLEW_OK;
    }
    if (!selection.ranged && !apart && !physical && selection.thread_count == 0) {
        return write_trees(page, page->model, &selection, most, json);
    }
    struct model *model;
    CLEW_TRY(load(page, &selection, apart, physical, &model));
    enum clew_error error = write_trees(page, model, &selection, most, json);
    model_free(model);
    return error;
}
