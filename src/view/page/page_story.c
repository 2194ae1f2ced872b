// The documents `story` and `call`: events of one thread in order, and where an activation begins and ends.
#include <stdlib.h>

#include "base/array.h"
#include "view/page/page_documents.h"
#include "view/page/page_events.h"
#include "view/page/page_replay.h"
#include "view/page/page_selection.h"

// An event can end many activations; all rows of an event are in one answer, up to the last figure.
enum { ROWS_DEFAULT = 200, ROWS_MAX = 2000, ROWS_KEPT = 1 << 14 };

// What is asked for.
struct asked {
    uint32_t process, thread;
    uint64_t at; // ordinal, or ns
    bool is_ordinal, backwards;
    uint32_t count;
};

// A row; going backwards, it is not known yet whether it is among the last ones.
struct row {
    char *json;
    size_t size;
    uint64_t ordinal;
};

struct story {
    struct page_replay replay;
    struct asked asked;
    struct row *rows;
    size_t made, room;
    uint64_t end; // ordinal before which rows are wanted (backwards)
};

// -- What is asked for ------------------------------------------------------------------------------------------------

// The first thread that has events.
static bool first_thread(struct page *page, struct asked *asked)
{
    const struct recording_block *blocks;
    size_t count, i = 0;
    if (recording_index(page->recording, &blocks, &count) != CLEW_OK) {
        return false;
    }
    while (i < count && blocks[i].type != RECORDING_EVENTS) {
        i++;
    }
    if (i < count) {
        asked->process = blocks[i].process;
        asked->thread = blocks[i].thread;
    }
    return i < count;
}

// "P:T:ORDINAL" or nanoseconds.
static bool take_at(struct asked *asked, struct text text, bool *has_thread)
{
    struct text rest = text;
    struct asked pair = *asked; // a plain number leaves the thread as it was asked for
    if (page_take_pair(&rest, &pair.process, &pair.thread)) {
        *asked = pair;
        *has_thread = asked->is_ordinal = true;
        if (rest.size == 0 || *rest.at != ':') {
            return false;
        }
        rest = (struct text){rest.at + 1, rest.size - 1};
        return page_query_digits(&rest, &asked->at) && rest.size == 0;
    }
    return page_query_digits(&text, &asked->at) && text.size == 0;
}

static bool take_asked(struct page *page, const struct page_query *query, struct page_answer *answer,
                       struct asked *asked)
{
    struct text text;
    bool bad = false, has_thread = false;
    asked->count = (uint32_t)page_query_number(query, "count", ROWS_DEFAULT, ROWS_MAX, &bad);
    if (page_query_text(query, "direction", &text)) {
        asked->backwards = text_equal(text, text_of("-1"));
        bad = bad || (!asked->backwards && !text_equal(text, text_of("1")));
    }
    if (page_query_text(query, "thread", &text)) {
        has_thread = page_take_pair(&text, &asked->process, &asked->thread) && text.size == 0;
        bad = bad || !has_thread;
    }
    if (page_query_text(query, "at", &text)) {
        bad = bad || !take_at(asked, text, &has_thread);
    }
    if (bad || asked->count == 0) {
        page_refuse(answer, 400, "at, thread, count or direction is malformed");
        buffer_text(&answer->cure, "at is nanoseconds or P:T:ORDINAL, thread P:T, count 1 to 2000, direction 1 or -1.");
        return false;
    }
    if (!page->model->has_stream || (!has_thread && !first_thread(page, asked))) {
        page_refuse(answer, 422, "this recording has no events in order");
        page_cure_record(answer, page->model, "values");
        return false;
    }
    return true;
}

// -- Rows -------------------------------------------------------------------------------------------------------------

static enum clew_error keep_row(void *context, const struct timeline_step *step, uint64_t ordinal)
{
    struct story *story = context;
    if (ordinal >= story->end || story->made == ROWS_KEPT) {
        return CLEW_OK;
    }
    if (!array_grow(&story->rows, story->made, &story->room, sizeof *story->rows)) {
        return CLEW_NO_MEMORY;
    }
    struct row *row = &story->rows[story->made];
    *row = (struct row){.ordinal = ordinal};
    FILE *out = open_memstream(&row->json, &row->size);
    if (!out) {
        return CLEW_NO_MEMORY;
    }
    struct json json = {.out = out};
    page_replay_row(&story->replay, &json, step, ordinal);
    bool failed = fclose(out) != 0 || story->replay.context.text.failed;
    if (failed || row->size == 0) {
        free(row->json);
        return failed ? CLEW_NO_MEMORY : CLEW_OK;
    }
    story->made++;
    return CLEW_OK;
}

static enum clew_error walk(struct story *story, struct page_events *events, uint64_t from)
{
    CLEW_TRY(page_events_seek(events, from));
    for (;;) {
        bool enough =
            story->asked.backwards ? page_events_ordinal(events) >= story->end : story->made >= story->asked.count;
        enum clew_error error = enough ? CLEW_NOT_FOUND : page_events_next(events, keep_row, story);
        if (error != CLEW_OK) {
            return error == CLEW_NOT_FOUND ? CLEW_OK : error;
        }
    }
}

static void write_rows(const struct story *story, const struct page_events *events, uint64_t from, struct json *json)
{
    const struct asked *asked = &story->asked;
    size_t first = asked->backwards && story->made > asked->count ? story->made - asked->count : 0;
    while (first > 0 && story->rows[first - 1].ordinal == story->rows[first].ordinal) {
        first--;
    }
    json_key(json, "rows");
    json_open(json, '[');
    for (size_t i = first; i < story->made; i++) {
        json_line(json);
        (void)fwrite(story->rows[i].json, 1, story->rows[i].size, json->out); // errors show in ferror()
        json->more = true;
    }
    json_close(json, ']');
    if (story->made) {
        page_replay_at(json, "first", asked->process, asked->thread, story->rows[first].ordinal);
        page_replay_at(json, "last", asked->process, asked->thread, story->rows[story->made - 1].ordinal);
    } else {
        json_member_maybe(json, "first", 0, false);
        json_member_maybe(json, "last", 0, false);
    }
    bool behind = page_events_ordinal(events) < page_events_count(events);
    json_member_bool(json, "more", asked->backwards ? from > 0 || first > 0 : behind);
}

// -- The documents ----------------------------------------------------------------------------------------------------

static enum clew_error write_story(struct story *story, struct page_events *events, struct json *json)
{
    struct asked *asked = &story->asked;
    uint64_t at = asked->at, from;
    if (!asked->is_ordinal) {
        uint64_t clock = asked->at ? model_clock_at(story->replay.page->model, asked->at) : 0;
        CLEW_TRY(page_events_find(events, clock, &at));
    }
    from = !asked->backwards ? at : at > asked->count ? at - asked->count : 0;
    story->end = asked->backwards ? at : UINT64_MAX;
    CLEW_TRY(walk(story, events, from));
    write_rows(story, events, from, json);
    return CLEW_OK;
}

static void free_rows(struct story *story)
{
    for (size_t i = 0; i < story->made; i++) {
        free(story->rows[i].json);
    }
    free(story->rows);
}

enum clew_error page_story(struct page *page, const struct page_query *query, struct json *json,
                           struct page_answer *answer)
{
    struct story story = {0};
    struct page_events *events;
    if (!take_asked(page, query, answer, &story.asked)) {
        return CLEW_OK;
    }
    enum clew_error error = page_events_open(page->recording, story.asked.process, story.asked.thread, &events);
    if (error == CLEW_NOTHING_RECORDED) {
        page_refuse(answer, 404, "this thread has no events");
        buffer_text(&answer->cure, "session lists the threads.");
        return CLEW_OK;
    }
    CLEW_TRY(error);
    error = page_replay_begin(&story.replay, page);
    error = error == CLEW_OK ? write_story(&story, events, json) : error;
    free_rows(&story);
    page_replay_free(&story.replay);
    page_events_close(events);
    return error;
}

// The search for an activation's end.
struct search {
    uint64_t number;
    struct timeline_step begin, end; // without a thread: not found
    uint32_t method;
    uint64_t begin_at, end_at;
    bool begun, ended;
};

static enum clew_error look(void *context, const struct timeline_step *step, uint64_t ordinal)
{
    struct search *search = context;
    bool its = step->frame && step->frame->call == search->number;
    if (its && step->kind == TIMELINE_BEGIN && !search->begun) {
        search->begun = true;
        search->begin = *step;
        search->method = step->frame->method;
        search->begin_at = ordinal;
    } else if (its && step->kind == TIMELINE_END && !search->ended) {
        search->ended = true;
        search->end = *step;
        search->end_at = ordinal;
    }
    return CLEW_OK;
}

static enum clew_error follow(struct page *page, struct search *search, uint32_t process, uint32_t thread,
                              uint64_t ordinal)
{
    struct page_events *events;
    CLEW_TRY(page_events_open(page->recording, process, thread, &events));
    enum clew_error error = page_events_seek(events, ordinal);
    while (error == CLEW_OK && !search->ended && !atomic_load(&page->cancelled)) {
        error = page_events_next(events, look, search);
    }
    page_events_close(events);
    return error == CLEW_NOT_FOUND ? CLEW_OK : error;
}

static void write_search(const struct page *page, const struct search *search, uint32_t process, uint32_t thread,
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
    uint32_t process, thread;
    uint64_t ordinal, number = 0;
    bool good = page_query_text(query, "of", &text) && page_query_digits(&text, &number) && number <= UINT32_MAX &&
                text.size > 0 && *text.at == ':';
    process = (uint32_t)number;
    text = good ? (struct text){text.at + 1, text.size - 1} : text;
    if (!good || !page_query_digits(&text, &number) || text.size > 0 || number == 0) {
        page_refuse(answer, 400, "of is no number of an activation");
        buffer_text(&answer->cure, "Give PROCESS:NUMBER, as the member call of a story's rows has it.");
        return CLEW_OK;
    }
    struct search search = {.number = number};
    enum clew_error error = page_events_find_call(page->recording, process, number, &thread, &ordinal);
    error = error == CLEW_OK ? follow(page, &search, process, thread, ordinal) : error;
    if (error == CLEW_NOT_FOUND || (error == CLEW_OK && !search.begun)) {
        page_refuse(answer, 404, "this recording has no activation of that number");
        buffer_text(&answer->cure, "Activations have numbers with -i calls, statements or values.");
        return CLEW_OK;
    }
    CLEW_TRY(error);
    write_search(page, &search, process, thread, json);
    return CLEW_OK;
}
