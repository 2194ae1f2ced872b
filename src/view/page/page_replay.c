// See page_replay.h.
#include "view/page/page_replay.h"

#include "base/assert.h"
#include "view/replay/replay_json_site.h"

enum clew_error page_replay_begin(struct page_replay *replay, struct page *page)
{
    CLEW_ASSERT(!replay->page && page->model);
    replay->page = page;
    CLEW_TRY(page_need_places(page));
    CLEW_TRY(page_need_objects(page));
    CLEW_TRY(page_need_sources(page));
    replay->context.view = &replay->view;
    replay->context.model = page->model;
    replay->context.sites = page->sites;
    replay->context.objects = page->objects;
    replay->context.sources = page->sources;
    return CLEW_OK;
}

void page_replay_free(struct page_replay *replay)
{
    map_free(&replay->context.settled);
    buffer_free(&replay->context.text);
}

void page_replay_at(struct json *json, const char *key, uint32_t process, uint32_t thread, uint64_t ordinal)
{
    char at[64];
    (void)snprintf(at, sizeof at, "%u:%u:%llu", process, thread, (unsigned long long)ordinal);
    json_member_text(json, key, text_of(at));
}

// Where a method begins.
static void write_method_place(struct page_replay *replay, struct json *json, const struct event_step *step)
{
    uint32_t index = replay_frame_method(&replay->context, step);
    if (index == CATALOG_NONE) {
        return;
    }
    const struct page_places *places = &replay->page->places;
    struct page_place place = page_places_method(places, replay->page->model->catalog.methods[index].canonical);
    if (place.document != PAGE_NO_DOCUMENT) {
        json_member_u64(json, "line", place.line);
        json_member_text(json, "file", places->documents[place.document]->path);
    }
}

// The source line of a statement or value. A statement's own members have its line and file already.
static void write_line(struct page_replay *replay, struct json *json, const struct event_step *step)
{
    const struct site *site = replay_site(&replay->context, step);
    uint32_t number = site->kind == SITE_STATEMENT ? step->site : site->statement;
    const struct site *statement = number ? sites_site(replay->page->sites, step->thread->process, number) : NULL;
    if (!statement || !statement->start_line) {
        return;
    }
    const struct recording_document *document = replay_document(&replay->context, step, statement);
    if (site->kind != SITE_STATEMENT) {
        json_member_u64(json, "line", statement->start_line);
        if (document) {
            json_member_text(json, "file", document->path);
        }
    }
    struct text text = document ? sources_line(replay->page->sources, document, statement->start_line) : text_of("");
    if (text.size) {
        json_member_text(json, "text", text);
    }
}

void page_replay_row(struct page_replay *replay, struct json *json, const struct event_step *step)
{
    replay->view.out = json->out;
    if (!replay_json_step(json, &replay->context, step)) {
        return;
    }
    page_replay_at(json, "at", step->thread->process, step->thread->thread, step->ordinal);
    uint32_t method =
        replay->methods && step->kind == STEP_SITE ? replay_site_method(&replay->context, step) : CATALOG_NONE;
    if (method != CATALOG_NONE) {
        json_member_text(json, "method", replay->page->model->catalog.methods[method].record.name);
    }
    if (step->kind == STEP_SITE) {
        json_member_maybe(json, "time_ns", model_since_start_ns(replay->page->model, step->clock),
                          model_has_times(replay->page->model));
        write_line(replay, json, step);
    } else if (step->kind == STEP_BEGIN) {
        write_method_place(replay, json, step);
    }
    json_close(json, '}');
}
