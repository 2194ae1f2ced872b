// The documents `call`, where an activation begins and ends, and `runs`, the runs of its async activation before and after it.
#include "model/events/cursor.h"
#include "model/waits.h"
#include "view/page/page_documents.h"
#include "view/page/page_replay.h"
#include "view/page/page_selection.h"
#include "view/replay/replay_runs.h"

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

// Takes the parameter `of`, and finds where the activation begins. With another status it is answered.
static enum clew_error find_call(struct page *page, const struct page_query *query, struct page_answer *answer,
                                 uint64_t *number, struct cursor_position *begin)
{
    struct text text = {0};
    bool good = page_query_text(query, "of", &text) && page_query_digits(&text, number) && *number <= UINT32_MAX &&
                text.size > 0 && *text.at == ':';
    uint32_t process = (uint32_t)*number;
    text = good ? (struct text){text.at + 1, text.size - 1} : text;
    if (!good || !page_query_digits(&text, number) || text.size > 0 || *number == 0) {
        page_refuse(answer, 400, "of is no number of an activation");
        buffer_text(&answer->cure, "Give PROCESS:NUMBER, as the member call of a story's rows has it.");
        return CLEW_OK;
    }
    enum clew_error error = cursor_find_call(page->model->recording, process, *number, begin);
    if (error == CLEW_NOT_FOUND) {
        page_refuse(answer, 404, "this recording has no activation of that number");
        buffer_text(&answer->cure, "Activations have numbers with -i calls, statements or values.");
        return CLEW_OK;
    }
    return error;
}

// Writes the members of the activation that begins there.
static enum clew_error write_call(struct page *page, uint64_t number, const struct cursor_position *begin,
                                  struct json *json, struct page_answer *answer)
{
    struct ending search = {.number = number};
    CLEW_TRY(follow(page, &search, begin));
    if (!search.begun) {
        page_refuse(answer, 404, "this recording has no activation of that number");
        return CLEW_OK;
    }
    write_search(page, &search, begin->process, begin->thread, json);
    return CLEW_OK;
}

enum clew_error page_call(struct page *page, const struct page_query *query, struct json *json,
                          struct page_answer *answer)
{
    struct cursor_position begin;
    uint64_t number = 0;
    CLEW_TRY(find_call(page, query, answer, &number, &begin));
    return answer->status == 200 ? write_call(page, number, &begin, json, answer) : CLEW_OK;
}

// -- Runs of an async activation --------------------------------------------------------------------------------------

enum { RUNS_EVENTS = 1 << 22 }; // how many events one answer looks at, for each neighbour

// The run at the other end of a wait; null: it is not known.
static enum clew_error write_neighbour(struct page *page, const struct replay_wait *wait, struct json *json,
                                       struct page_answer *answer)
{
    struct cursor_position begin;
    json_key(json, "run");
    enum clew_error error = wait->known && wait->call
                                ? cursor_find_call(page->model->recording, wait->at.process, wait->call, &begin)
                                : CLEW_NOT_FOUND;
    if (error == CLEW_NOT_FOUND) {
        json_null(json);
        return CLEW_OK;
    }
    CLEW_TRY(error);
    char name[64];
    (void)snprintf(name, sizeof name, "%u:%llu", begin.process, (unsigned long long)wait->call);
    json_open(json, '{');
    json_member_text(json, "of", text_of(name));
    error = write_call(page, wait->call, &begin, json, answer);
    json_close(json, '}');
    return error;
}

// `there`: the run waited then; it is not known whether the other end of the wait is.
static enum clew_error write_wait(struct page *page, const char *key, const struct replay_wait *wait, bool there,
                                  uint32_t process, struct json *json, struct page_answer *answer)
{
    const struct model *model = page->model;
    bool times = model_has_times(model), ended = there && wait->resumed;
    json_key(json, key);
    if (!there) {
        json_null(json);
        return CLEW_OK;
    }
    struct wait place = wait->body ? waits_place(model, process, wait->body, wait->state) : (struct wait){0};
    uint32_t document = page_places_known(&page->places, place.document);
    json_open(json, '{');
    json_member_maybe(json, "suspended_ns", model_since_start_ns(model, wait->suspended), times);
    json_member_maybe(json, "resumed_ns", model_since_start_ns(model, wait->resumed), times && ended);
    json_member_maybe(json, "awaiting_ns", ended ? model_ns(model, wait->resumed - wait->suspended) : 0,
                      times && ended);
    json_member_text_maybe(json, "what", place.what);
    json_member_text_maybe(json, "file", place.document ? place.document->path : (struct text){0});
    json_member_maybe(json, "line", place.line, place.line > 0);
    json_member_maybe(json, "document", document, document != PAGE_NO_DOCUMENT);
    enum clew_error error = write_neighbour(page, wait, json, answer);
    json_close(json, '}');
    return error;
}

enum clew_error page_runs(struct page *page, const struct page_query *query, struct json *json,
                          struct page_answer *answer)
{
    struct cursor_position begin;
    struct replay_runs runs;
    uint64_t number = 0;
    CLEW_TRY(find_call(page, query, answer, &number, &begin));
    if (answer->status != 200) {
        return CLEW_OK;
    }
    CLEW_TRY(page_need_places(page));
    CLEW_TRY(write_call(page, number, &begin, json, answer));
    CLEW_TRY(replay_runs_find(page->model->recording, number, &begin, RUNS_EVENTS, &page->cancelled, &runs));
    CLEW_TRY(write_wait(page, "before", &runs.before, runs.resumed, begin.process, json, answer));
    return write_wait(page, "after", &runs.after, runs.waits, begin.process, json, answer);
}
