// The document `story`: events of one thread in order, or those that a search is for.
#include <stdlib.h>

#include "base/array.h"
#include "model/events/cursor.h"
#include "view/page/page_documents.h"
#include "view/page/page_match.h"
#include "view/page/page_replay.h"
#include "view/page/page_selection.h"

// An event can end many activations; all rows of an event are in one answer, up to the last figure.
enum { ROWS_DEFAULT = 200, ROWS_MAX = 8000, ROWS_KEPT = 1 << 14 };
// A search of one answer ends after about so much work (page_match.h): some 4 million events, or 100,000 values.
enum { SEARCH_WORK = 1 << 25, FIND_MAX = 1024 };

// What is asked for.
struct asked {
    uint32_t process, thread;
    uint64_t at; // ordinal, or ns
    bool is_ordinal, backwards;
    uint32_t count;
    struct text find, method; // a search, if one is not empty
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
    struct page_match match;
    bool searches;
    uint64_t *found; // ring of the ordinals of the last asked.count events that match
    uint64_t found_count, last_found;
};

// -- What is asked for ------------------------------------------------------------------------------------------------

// The first thread that has events.
static bool first_thread(struct page *page, struct asked *asked)
{
    bool any = page_threads(page) > 0;
    const struct page_thread first = any ? page_thread(page, 0) : (struct page_thread){0};
    asked->process = first.process;
    asked->thread = first.thread;
    return any;
}

// "P:T:ORDINAL" or nanoseconds.
static bool take_at(struct asked *asked, struct text text, bool *has_thread)
{
    struct cursor_position event;
    if (page_take_event(text, &event)) {
        asked->process = event.process;
        asked->thread = event.thread;
        asked->at = event.ordinal;
        *has_thread = asked->is_ordinal = true;
        return true;
    }
    return page_query_digits(&text, &asked->at) && text.size == 0;
}

static bool take_search(const struct page_query *query, struct page_answer *answer, struct asked *asked)
{
    bool finds = page_query_text(query, "find", &asked->find);
    bool of = page_query_text(query, "method", &asked->method);
    bool good = (!finds || (asked->find.size > 0 && asked->find.size <= FIND_MAX)) && (!of || asked->method.size > 0);
    if (!good || (finds && of)) {
        page_refuse(answer, 400, "a search is for a text of 1 to %d bytes (find) or for a method (method)", FIND_MAX);
        buffer_text(&answer->cure, "Give one of find and method.");
        return false;
    }
    return true;
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
        buffer_text(&answer->cure, "at is nanoseconds or P:T:ORDINAL, thread P:T, count 1 to 8000, direction 1 or -1.");
        return false;
    }
    if (!page->model->has_stream || (!has_thread && !first_thread(page, asked))) {
        page_refuse(answer, 422, "this recording has no events in order");
        page_cure_record(answer, page->model, "values");
        return false;
    }
    return take_search(query, answer, asked);
}

// -- Rows -------------------------------------------------------------------------------------------------------------

static enum clew_error keep_row(void *context, const struct event_step *step)
{
    struct story *story = context;
    if (step->ordinal >= story->end || story->made == ROWS_KEPT ||
        (story->searches && !page_match_step(&story->match, step))) {
        return story->match.failed ? CLEW_NO_MEMORY : CLEW_OK;
    }
    if (!array_grow(&story->rows, story->made, &story->room, sizeof *story->rows)) {
        return CLEW_NO_MEMORY;
    }
    struct row *row = &story->rows[story->made];
    *row = (struct row){.ordinal = step->ordinal};
    FILE *out = open_memstream(&row->json, &row->size);
    if (!out) {
        return CLEW_NO_MEMORY;
    }
    struct json json = {.out = out};
    page_replay_row(&story->replay, &json, step);
    bool failed = fclose(out) != 0 || story->replay.context.text.failed;
    if (failed || row->size == 0) {
        free(row->json);
        return failed ? CLEW_NO_MEMORY : CLEW_OK;
    }
    story->made++;
    return CLEW_OK;
}

// Reports the events from `from` on to `visit` until it is enough, or until the thread's end.
static enum clew_error walk(struct story *story, struct cursor *events, uint64_t from, step_visit *visit,
                            bool (*is_enough)(const struct story *story, const struct cursor *events))
{
    enum clew_error error =
        cursor_seek_near(events, &(struct cursor_position){story->asked.process, story->asked.thread, from});
    while (error == CLEW_OK && !is_enough(story, events)) {
        error = cursor_next(events, UINT64_MAX, visit, story);
    }
    return error == CLEW_NOT_FOUND ? CLEW_OK : error;
}

static bool is_whole_page(const struct story *story, const struct cursor *events)
{
    return story->asked.backwards ? cursor_ordinal(events, 0) >= story->end : story->made >= story->asked.count;
}

// The rows from `first` on.
static void write_rows(const struct story *story, size_t first, struct json *json)
{
    const struct asked *asked = &story->asked;
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
}

// All rows of an event, so that the next answer can begin behind it.
static void write_page(const struct story *story, const struct cursor *events, uint64_t from, struct json *json)
{
    const struct asked *asked = &story->asked;
    size_t first = asked->backwards && story->made > asked->count ? story->made - asked->count : 0;
    while (first > 0 && story->rows[first - 1].ordinal == story->rows[first].ordinal) {
        first--;
    }
    write_rows(story, first, json);
    bool behind = cursor_ordinal(events, 0) < cursor_event_count(events, 0);
    json_member_bool(json, "more", asked->backwards ? from > 0 || first > 0 : behind);
}

// -- Searches ---------------------------------------------------------------------------------------------------------

// Whether enough was found or looked at.
static bool searched_enough(const struct story *story, const struct cursor *events)
{
    (void)events;
    return story->made >= story->asked.count || story->match.work >= SEARCH_WORK ||
           atomic_load(&story->replay.page->cancelled);
}

// Notes an event that matches.
static enum clew_error note_match(void *context, const struct event_step *step)
{
    struct story *story = context;
    bool noted = story->found_count > 0 && story->last_found == step->ordinal;
    if (step->ordinal < story->end && !noted && page_match_step(&story->match, step)) {
        story->found[story->found_count++ % story->asked.count] = story->last_found = step->ordinal;
    }
    return story->match.failed ? CLEW_NO_MEMORY : CLEW_OK;
}

static bool is_at_end(const struct story *story, const struct cursor *events)
{
    return cursor_ordinal(events, 0) >= story->end || atomic_load(&story->replay.page->cancelled);
}

// Searches one block after the other, the last first, each from its beginning to its end. The rows are those of one block.
// *from: before which the search goes on.
static enum clew_error search_backwards(struct story *story, struct cursor *events, uint64_t *from)
{
    const struct asked *asked = &story->asked;
    story->found = calloc(asked->count, sizeof *story->found);
    enum clew_error error = story->found ? CLEW_OK : CLEW_NO_MEMORY;
    while (error == CLEW_OK && *from > 0 && story->found_count == 0 && !searched_enough(story, events)) {
        story->end = *from;
        *from = cursor_block_before(events, 0, *from);
        error = walk(story, events, *from, note_match, is_at_end);
    }
    if (error == CLEW_OK && story->found_count > 0) {
        uint64_t first = story->found_count < asked->count ? 0 : story->found_count;
        *from = story->found_count < asked->count ? *from : story->found[first % asked->count];
        error = walk(story, events, story->found[first % asked->count], keep_row, is_at_end);
    }
    free(story->found);
    return error;
}

// Writes the rows, and where the search goes on.
static void write_found(const struct story *story, const struct cursor *events, uint64_t next, struct json *json)
{
    const struct asked *asked = &story->asked;
    write_rows(story, 0, json);
    bool more = asked->backwards ? next > 0 : next < cursor_event_count(events, 0);
    json_member_bool(json, "more", more);
    if (more) {
        page_replay_at(json, "next", asked->process, asked->thread, next);
    } else {
        json_member_maybe(json, "next", 0, false);
    }
}

static enum clew_error search(struct story *story, struct cursor *events, uint64_t at, struct json *json)
{
    const struct asked *asked = &story->asked;
    uint64_t count = cursor_event_count(events, 0), next = at < count ? at : count;
    CLEW_TRY(page_match_begin(&story->match, &story->replay, asked->find, asked->method));
    if (asked->backwards) {
        CLEW_TRY(search_backwards(story, events, &next));
    } else {
        story->end = UINT64_MAX;
        CLEW_TRY(walk(story, events, next, keep_row, searched_enough));
        next = cursor_ordinal(events, 0);
    }
    if (atomic_load(&story->replay.page->cancelled)) {
        return CLEW_REFUSED;
    }
    write_found(story, events, next, json);
    return CLEW_OK;
}

// -- The documents ----------------------------------------------------------------------------------------------------

static enum clew_error write_story(struct story *story, struct cursor *events, struct json *json)
{
    struct asked *asked = &story->asked;
    uint64_t at = asked->at, from;
    if (!asked->is_ordinal) {
        uint64_t clock = asked->at ? model_clock_at(story->replay.page->model, asked->at) : 0;
        CLEW_TRY(cursor_seek_time(events, clock));
        at = cursor_ordinal(events, 0);
    }
    if (story->searches) {
        return search(story, events, at, json);
    }
    from = !asked->backwards ? at : at > asked->count ? at - asked->count : 0;
    story->end = asked->backwards ? at : UINT64_MAX;
    CLEW_TRY(walk(story, events, from, keep_row, is_whole_page));
    write_page(story, events, from, json);
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
    struct cursor *events;
    if (!take_asked(page, query, answer, &story.asked)) {
        return CLEW_OK;
    }
    story.searches = story.asked.find.size > 0 || story.asked.method.size > 0;
    enum clew_error error = cursor_open(
        page->model->recording,
        &(struct cursor_options){.process = story.asked.process, .thread = story.asked.thread, .throws = true},
        &events);
    if (error == CLEW_NOTHING_RECORDED) {
        page_refuse(answer, 404, "this thread has no events");
        buffer_text(&answer->cure, "session lists the threads.");
        return CLEW_OK;
    }
    CLEW_TRY(error);
    error = page_replay_begin(&story.replay, page);
    error = error == CLEW_OK ? write_story(&story, events, json) : error;
    free_rows(&story);
    page_match_free(&story.match);
    page_replay_free(&story.replay);
    cursor_close(events);
    return error;
}
