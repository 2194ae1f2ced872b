// The document `call`: where an activation begins and ends.
#include "model/events/cursor.h"
#include "view/page/page_documents.h"
#include "view/page/page_replay.h"
#include "view/page/page_selection.h"

// The search for an activation's end.
struct ending {
    uint64_t number;
    struct event_step begin, end; // without a thread: not found
    uint32_t method;
    uint64_t begin_at, end_at;
    bool begun, ended;
};

static enum clew_error look(void *context, const struct event_step *step)
{
    struct ending *search = context;
    bool its = step->frame && step->frame->call == search->number;
    if (its && step->kind == STEP_BEGIN && !search->begun) {
        search->begun = true;
        search->begin = *step;
        search->method = step->frame->method;
        search->begin_at = step->ordinal;
    } else if (its && step->kind == STEP_END && !search->ended) {
        search->ended = true;
        search->end = *step;
        search->end_at = step->ordinal;
    }
    return CLEW_OK;
}

static enum clew_error follow(struct page *page, struct ending *search, const struct cursor_position *at)
{
    struct cursor *events;
    CLEW_TRY(cursor_open(page->model->recording, &(struct cursor_options){.process = at->process, .thread = at->thread},
                         &events));
    enum clew_error error = cursor_seek_near(events, at);
    while (error == CLEW_OK && !search->ended && !atomic_load(&page->cancelled)) {
        error = cursor_next(events, UINT64_MAX, look, search);
    }
    cursor_close(events);
    return error == CLEW_NOT_FOUND ? CLEW_OK : error;
}

static void write_search(const struct page *page, const struct ending *search, uint32_t process, uint32_t thread,
                         struct json *json)
{
    const struct model *model = page->model;
    char name[32];
    uint32_t method = catalog_find_method(&model->catalog, process, search->method);
    page_replay_at(json, "begin", process, thread, search->begin_at);
    if (search->ended) {
        page_replay_at(json, "end", process, thread, search->end_at);
    } else {
        json_member_maybe(json, "end", 0, false);
    }
    json_member_maybe(json, "begin_ns", model_since_start_ns(model, search->begin.clock), model_has_times(model));
    json_member_maybe(json, "end_ns", model_since_start_ns(model, search->end.clock),
                      search->ended && model_has_times(model));
    json_member_text(json, "method",
                     method == CATALOG_NONE ? text_of("?") : model->catalog.methods[method].record.name);
    json_member_u64(json, "id", search->method);
    (void)snprintf(name, sizeof name, "%u:%u", process, thread);
    json_member_text(json, "thread", text_of(name));
    json_member_u64(json, "depth", search->begin.level);
}

enum clew_error page_call(struct page *page, const struct page_query *query, struct json *json,
                          struct page_answer *answer)
{
    struct text text = {0};
    struct cursor_position begin;
    uint32_t process;
    uint64_t number = 0;
    bool good = page_query_text(query, "of", &text) && page_query_digits(&text, &number) && number <= UINT32_MAX &&
                text.size > 0 && *text.at == ':';
    process = (uint32_t)number;
    text = good ? (struct text){text.at + 1, text.size - 1} : text;
    if (!good || !page_query_digits(&text, &number) || text.size > 0 || number == 0) {
        page_refuse(answer, 400, "of is no number of an activation");
        buffer_text(&answer->cure, "Give PROCESS:NUMBER, as the member call of a story's rows has it.");
        return CLEW_OK;
    }
    struct ending search = {.number = number};
    enum clew_error error = cursor_find_call(page->model->recording, process, number, &begin);
    error = error == CLEW_OK ? follow(page, &search, &begin) : error;
    if (error == CLEW_NOT_FOUND || (error == CLEW_OK && !search.begun)) {
        page_refuse(answer, 404, "this recording has no activation of that number");
        buffer_text(&answer->cure, "Activations have numbers with -i calls, statements or values.");
        return CLEW_OK;
    }
    CLEW_TRY(error);
    write_search(page, &search, process, begin.thread, json);
    return CLEW_OK;
}
