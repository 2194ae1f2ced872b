// The documents `variables` and `values`: which variables got values, and the values of one in order of time.
#include <stdlib.h>

#include "base/assert.h"
#include "model/events/cursor.h"
#include "view/json/json_rows.h"
#include "view/page/page_documents.h"
#include "view/page/page_moments.h"
#include "view/page/page_replay.h"

enum { VALUES_DEFAULT = 1000, VALUES_MAX = 20000 };

static bool has_values(const struct page *page, struct page_answer *answer)
{
    if (page->model->counts.values > 0) {
        return true;
    }
    page_refuse(answer, 422, "this recording has no values");
    page_cure_record(answer, page->model, "values");
    return false;
}

// -- Variables --------------------------------------------------------------------------------------------------------

static const char *place_name(enum site_place place)
{
    static const char *const names[] = {"none",     "local",  "parameter", "field", "static",   "item",
                                        "indirect", "result", "item",      "item",  "indirect", "field"};
    static_assert(sizeof names / sizeof *names == PLACE_ITEM_FIELD + 1, "a name for each place");
    return names[place];
}

static void write_variable(const struct page *page, struct json *json, uint32_t process, uint32_t index,
                           const struct site *site)
{
    const struct catalog_method *method = &page->model->catalog.methods[index];
    const struct page_place place = page_places_method(&page->places, method->canonical);
    const struct type *type = site->type ? sites_type(page->sites, process, site->type) : NULL;
    bool placed = place.document != PAGE_NO_DOCUMENT;
    json_line(json);
    json_open(json, '{');
    json_member_text(json, "name", site->name);
    json_member_text(json, "method", method->record.name);
    json_key(json, "file");
    if (placed) {
        json_text(json, page->places.documents[place.document]->path);
    } else {
        json_null(json);
    }
    json_member_maybe(json, "line", site->start_line ? site->start_line : place.line, site->start_line || placed);
    json_member_text(json, "place", text_of(place_name(site->place)));
    json_member_maybe(json, "count", 0, false); // only the streams know
    json_key(json, "type");
    if (type) {
        json_text(json, type->name);
    } else {
        json_null(json);
    }
    json_close(json, '}');
}

// Writes the site's variable unless it was written. False: memory ran out.
static bool list_variable(const struct page *page, struct json *json, uint32_t process, uint32_t number,
                          struct map *seen)
{
    const struct catalog *catalog = &page->model->catalog;
    const struct site *site = sites_site(page->sites, process, number);
    uint32_t index = catalog_find_method(catalog, process, sites_method(page->sites, process, number));
    uint64_t before;
    if (!site || index == CATALOG_NONE || !page_moments_gives(site)) {
        return true;
    }
    uint64_t key = map_hash_text(site->name.at, site->name.size) ^
                   ((uint64_t)catalog->methods[index].canonical << 8 | site->place) * UINT64_C(0x9E3779B97F4A7C15);
    if (map_get(seen, key, &before)) {
        return true;
    }
    write_variable(page, json, process, index, site);
    return map_put(seen, key, 1);
}

enum clew_error page_variables(struct page *page, const struct page_query *query, struct json *json,
                               struct page_answer *answer)
{
    struct map seen = {0};
    bool kept = true;
    (void)query; // it has no parameters
    if (!has_values(page, answer)) {
        return CLEW_OK;
    }
    CLEW_TRY(page_need_places(page));
    json_key(json, "variables");
    json_open(json, '[');
    for (uint32_t i = 0; i < page->model->catalog.process_count && kept; i++) {
        uint32_t process = page->model->catalog.processes[i].process, count = sites_count(page->sites, process);
        for (uint32_t site = 0; site < count && kept; site++) {
            kept = list_variable(page, json, process, sites_number(page->sites, process, site), &seen);
        }
    }
    json_close(json, ']');
    map_free(&seen);
    return kept ? CLEW_OK : CLEW_NO_MEMORY;
}

// -- Values -----------------------------------------------------------------------------------------------------------

// The rows of one answer.
struct values_run {
    struct page_replay replay;
    struct cursor **events; // by thread: index in catalog.threads; NULL: not open
    struct json *json;
};

static enum clew_error write_moment(void *context, const struct event_step *step)
{
    struct values_run *run = context;
    if (step->kind == STEP_SITE) {
        json_line(run->json);
        page_replay_row(&run->replay, run->json, step);
    }
    return run->replay.context.text.failed ? CLEW_NO_MEMORY : CLEW_OK;
}

static enum clew_error write_one(struct values_run *run, const struct page_moment *moment)
{
    struct page *page = run->replay.page;
    uint32_t thread = catalog_find_thread(&page->model->catalog, moment->at.process, moment->at.thread);
    if (thread == CATALOG_NONE) {
        return CLEW_OK;
    }
    const struct cursor_options options = {.process = moment->at.process, .thread = moment->at.thread};
    if (!run->events[thread]) {
        CLEW_TRY(cursor_open(page->model->recording, &options, &run->events[thread]));
    }
    struct cursor *events = run->events[thread];
    CLEW_TRY(cursor_seek_near(events, &moment->at));
    enum clew_error error = CLEW_OK;
    while (error == CLEW_OK && cursor_ordinal(events, 0) <= moment->at.ordinal) {
        error = cursor_next(events, UINT64_MAX, write_moment, run);
    }
    return error == CLEW_NOT_FOUND ? CLEW_OK : error;
}

static enum clew_error write_moments(struct page *page, const struct page_moments *moments, struct json *json)
{
    struct values_run run = {.replay = {.methods = true}, .json = json};
    uint32_t threads = page->model->catalog.thread_count;
    enum clew_error error = page_replay_begin(&run.replay, page);
    run.events = calloc((size_t)threads + 1, sizeof(struct cursor *));
    error = error == CLEW_OK && !run.events ? CLEW_NO_MEMORY : error;
    json_key(json, "values");
    json_open(json, '[');
    for (size_t i = 0; i < moments->count && error == CLEW_OK; i++) {
        error = write_one(&run, &moments->list[i]);
    }
    json_close(json, ']');
    json_member_bool(json, "more", moments->more);
    for (uint32_t i = 0; run.events && i < threads; i++) {
        cursor_close(run.events[i]);
    }
    free(run.events);
    page_replay_free(&run.replay);
    return error;
}

static bool take_asked(const struct page *page, const struct page_query *query, struct page_answer *answer,
                       struct page_moments_asked *asked)
{
    struct page_selection selection;
    bool bad = false;
    asked->most = (size_t)page_query_number(query, "count", VALUES_DEFAULT, VALUES_MAX, &bad);
    asked->object = (uint32_t)page_query_number(query, "object", 0, UINT32_MAX, &bad);
    bool named = page_query_text(query, "name", &asked->name) && asked->name.size > 0;
    (void)page_query_text(query, "method", &asked->method); // it may be left out
    if (bad || asked->most == 0 || (!named && !asked->object)) {
        page_refuse(answer, 400, "values needs the name of a variable, or the number of an object");
        buffer_text(&answer->cure, "Give name or object, and count from 1 to 20000; variables lists the names.");
        return false;
    }
    if (!has_values(page, answer) || !page_selection_take(&selection, page, query, answer)) {
        return false;
    }
    asked->to = UINT64_MAX;
    if (selection.ranged) {
        asked->from = model_clock_at(page->model, selection.from_ns);
        asked->to = model_clock_at(page->model, selection.to_ns);
    }
    return true;
}

enum clew_error page_values(struct page *page, const struct page_query *query, struct json *json,
                            struct page_answer *answer)
{
    struct page_moments_asked asked = {0};
    struct page_moments moments = {0};
    struct cursor_position event;
    struct text after;
    if (!take_asked(page, query, answer, &asked)) {
        return CLEW_OK;
    }
    enum clew_error error = CLEW_OK;
    if (page_query_text(query, "after", &after)) {
        asked.after = &event;
        error = page_take_event(after, &event) ? CLEW_OK : CLEW_NOT_FOUND;
    }
    error = error == CLEW_OK ? page_moments_find(&moments, page, &asked) : error;
    if (error == CLEW_NOT_FOUND) {
        page_refuse(answer, 404, "after is none of these values");
        buffer_text(&answer->cure, "Give the member at of a value that was answered, and the same other parameters.");
        error = CLEW_OK;
    } else if (error == CLEW_OK) {
        error = write_moments(page, &moments, json);
    }
    page_moments_free(&moments);
    return error;
}
