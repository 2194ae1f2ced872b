// The cursor of libclew (clew/cursor.h): moves over the model's timeline, which reports any number of steps at a time, in the
// order of time. They are queued, and given from the front or from the back.
#include <clew/cursor.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"
#include "library/library.h"
#include "library/library_value.h"
#include "model/events/timeline.h"
#include "model/site_filter.h"

// A step as it waits to be given. Small, because one event of a stream can end very many activations.
struct queued {
    uint64_t clock;
    uint64_t ordinal;
    uint64_t call;
    uint64_t number; // END, OPEN: ticks that the activation took; LOST: events
    uint32_t process, thread, method, depth;
    enum clew_event_kind kind;
    bool by_exception;
};

struct clew_cursor {
    struct clew_recording *recording;
    struct model_thread thread; // if one was asked for
    uint32_t kinds;
    char *variable;   // NULL: all values
    struct text name; // the same
    struct timeline *timeline;
    struct sites *sites;
    struct objects *objects;
    struct site_filter blocks; // with `variable`: those that may have its values
    // The steps of the event that the timeline moved over last. The place is before queue[next]; the timeline itself is before
    // all of them, or after.
    struct queued *queue;
    size_t queued, next, room;
    bool filled, after;         // the queue is of an event; the timeline is after it
    const struct queued *given; // the event that was given last; NULL: none
    // Of a STATEMENT or VALUE, which is alone in the queue.
    const struct site *site;
    uint32_t site_method;
    struct buffer cells; // of the value, empty if its block is damaged
};

static struct clew_text no_text(void)
{
    return library_text((struct text){0});
}

static bool is_site(enum clew_event_kind kind)
{
    return kind == CLEW_EVENT_STATEMENT || kind == CLEW_EVENT_VALUE;
}

// -- Queueing ---------------------------------------------------------------------------------------------------------

static enum clew_error queue_step(struct clew_cursor *cursor, const struct event_step *step, enum clew_event_kind kind)
{
    if (cursor->kinds && !(cursor->kinds & 1u << kind)) {
        return CLEW_OK;
    }
    if (!array_grow(&cursor->queue, cursor->queued, &cursor->room, sizeof *cursor->queue)) {
        return CLEW_NO_MEMORY;
    }
    bool ends = kind == CLEW_EVENT_END || kind == CLEW_EVENT_OPEN;
    CLEW_ASSERT(!ends || step->frame);
    cursor->queue[cursor->queued++] = (struct queued){
        .clock = step->clock,
        .ordinal = step->ordinal,
        .call = step->frame ? step->frame->call : 0,
        .number = ends ? stream_time(step->frame, step->clock) : step->lost,
        .process = step->thread->process,
        .thread = step->thread->thread,
        .method = is_site(kind) ? cursor->site_method
                  : step->frame ? step->frame->method
                                : 0,
        .depth = step->level,
        .kind = kind,
        .by_exception = kind == CLEW_EVENT_END && step->how == STREAM_UNWOUND,
    };
    return CLEW_OK;
}

static bool is_wanted(const struct clew_cursor *cursor, const struct site *site)
{
    if (!cursor->variable) {
        return true;
    }
    bool assigned = site->kind == SITE_DEFINITION || site->kind == SITE_ARGUMENT;
    return assigned && text_equal(site->name, cursor->name);
}

// Copies the value's cells, which the timeline keeps only until its next step. False: memory ran out.
static bool keep_cells(struct clew_cursor *cursor, const struct event_step *step, const struct site *site)
{
    struct site_value value;
    uint32_t count = sites_take(cursor->sites, step->thread->process, site, step->cells, step->cells_left, &value);
    buffer_clear(&cursor->cells);
    buffer_append(&cursor->cells, step->cells, count == UINT32_MAX ? 0 : count * sizeof *step->cells);
    return !cursor->cells.failed;
}

static enum clew_error queue_site(struct clew_cursor *cursor, const struct event_step *step)
{
    uint32_t process = step->thread->process;
    const struct site *site = sites_site(cursor->sites, process, step->site);
    if (!site || !is_wanted(cursor, site)) {
        return CLEW_OK;
    }
    cursor->site = site;
    cursor->site_method = sites_method(cursor->sites, process, step->site);
    bool statement = site->kind == SITE_STATEMENT;
    if (!statement && !keep_cells(cursor, step, site)) {
        return CLEW_NO_MEMORY;
    }
    return queue_step(cursor, step, statement ? CLEW_EVENT_STATEMENT : CLEW_EVENT_VALUE);
}

static enum clew_error take_step(void *context, const struct event_step *step)
{
    struct clew_cursor *cursor = context;
    bool calls = cursor->variable == NULL;
    switch (step->kind) {
    case STEP_BEGIN:
        return calls ? queue_step(cursor, step, CLEW_EVENT_BEGIN) : CLEW_OK;
    case STEP_END:
        return calls ? queue_step(cursor, step, CLEW_EVENT_END) : CLEW_OK;
    case STEP_OPEN:
        return calls ? queue_step(cursor, step, CLEW_EVENT_OPEN) : CLEW_OK;
    case STEP_LOST:
        return calls ? queue_step(cursor, step, CLEW_EVENT_LOST) : CLEW_OK;
    case STEP_SITE:
        return queue_site(cursor, step);
    case STEP_RESUME:
    case STEP_SUSPEND:
    case STEP_COMPLETE:
    case STEP_THROWN:
    case STEP_CAUGHT:
        break; // of cursors that ask for them
    }
    return CLEW_OK;
}

// -- Opening ----------------------------------------------------------------------------------------------------------

static bool takes_site(void *context, uint32_t process, uint32_t number, const struct site *site)
{
    (void)process, (void)number;
    return is_wanted(context, site);
}

static bool wants(void *context, const struct recording_block *block)
{
    const struct clew_cursor *cursor = context;
    return !cursor->variable || site_filter_wants(&cursor->blocks, block);
}

static enum clew_error begin(struct clew_cursor *cursor, const struct clew_cursor_options *asked)
{
    const struct model *model = cursor->recording->model;
    cursor->thread = (struct model_thread){.thread = asked->thread};
    struct timeline_options options = {
        .threads = {&cursor->thread, asked->thread > 0},
        .from = asked->from_ns ? model_clock_at(model, asked->from_ns) : 0,
        .to = asked->to_ns ? model_clock_at(model, asked->to_ns) : UINT64_MAX,
        .step = take_step,
        .wants = wants,
        .context = cursor,
        .health = &cursor->recording->model->health,
    };
    cursor->kinds = asked->kinds;
    cursor->variable = asked->variable ? strdup(asked->variable) : NULL;
    if (asked->variable && !cursor->variable) {
        return CLEW_NO_MEMORY;
    }
    struct recording *file = cursor->recording->file;
    CLEW_TRY(sites_load(file, &cursor->sites));
    CLEW_TRY(objects_open(file, &cursor->objects));
    if (cursor->variable) {
        cursor->name = text_of(cursor->variable);
        CLEW_TRY(site_filter_choose(&cursor->blocks, &model->catalog, cursor->sites, file, takes_site, cursor));
    }
    return timeline_open(file, &options, &cursor->timeline);
}

enum clew_error clew_cursor_open(struct clew_recording *recording, const struct clew_cursor_options *options,
                                 struct clew_cursor **out)
{
    struct clew_cursor_options asked;
    CLEW_TRY(library_take(&asked, sizeof asked, options));
    struct clew_cursor *cursor = calloc(1, sizeof *cursor);
    if (!cursor) {
        return CLEW_NO_MEMORY;
    }
    cursor->recording = recording;
    enum clew_error error = begin(cursor, &asked);
    if (error != CLEW_OK) {
        clew_cursor_free(cursor);
        return error;
    }
    *out = cursor;
    return CLEW_OK;
}

// Adds the damage among definitions and objects; the timeline adds that among events.
static void meet_health(const struct clew_cursor *cursor)
{
    struct recording_health *all = &cursor->recording->model->health;
    if (cursor->sites) {
        recording_meet(all, sites_health(cursor->sites));
    }
    if (cursor->objects) {
        const struct recording_health objects = objects_health(cursor->objects);
        recording_meet(all, &objects);
    }
}

void clew_cursor_free(struct clew_cursor *cursor)
{
    if (!cursor) {
        return;
    }
    meet_health(cursor);
    timeline_close(cursor->timeline);
    objects_close(cursor->objects);
    site_filter_free(&cursor->blocks);
    sites_free(cursor->sites);
    buffer_free(&cursor->cells);
    free(cursor->variable);
    free(cursor->queue);
    free(cursor);
}

// -- Events -----------------------------------------------------------------------------------------------------------

// The position in the source of the statement that the site is, or belongs to.
static void locate(const struct clew_cursor *cursor, struct clew_event *event)
{
    const struct catalog *catalog = &cursor->recording->model->catalog;
    const struct site *site = cursor->site;
    const struct site *statement =
        site->kind == SITE_STATEMENT ? site : sites_site(cursor->sites, event->process, site->statement);
    uint32_t index = catalog_find_method(catalog, event->process, event->method);
    if (!statement || !statement->document || index == CATALOG_NONE) {
        return;
    }
    const struct recording_document *document =
        sites_document(cursor->sites, event->process, catalog->methods[index].record.module, statement->document);
    event->file = document ? library_text(document->path) : no_text();
    event->line = statement->start_line;
    event->column = statement->start_column;
}

static struct clew_event event_of(const struct clew_cursor *cursor, const struct queued *queued)
{
    const struct model *model = cursor->recording->model;
    bool ends = queued->kind == CLEW_EVENT_END || queued->kind == CLEW_EVENT_OPEN;
    struct clew_event event = {
        .kind = queued->kind,
        .process = queued->process,
        .thread = queued->thread,
        .method = queued->method,
        .depth = queued->depth,
        .by_exception = queued->by_exception,
        .time_ns = model_since_start_ns(model, queued->clock),
        .took_ns = ends ? model_ns(model, queued->number) : 0,
        .lost = queued->kind == CLEW_EVENT_LOST ? queued->number : 0,
        .call = queued->call,
        .ordinal = queued->ordinal,
        .file = no_text(),
        .name = no_text(),
    };
    if (is_site(queued->kind)) {
        CLEW_ASSERT(cursor->site && cursor->queued == 1 && "a site's event has no other step");
        locate(cursor, &event);
        event.name = queued->kind == CLEW_EVENT_VALUE ? library_text(cursor->site->name) : no_text();
    }
    return event;
}

static void forget_queue(struct clew_cursor *cursor)
{
    cursor->queued = cursor->next = 0;
    cursor->filled = false;
    cursor->given = NULL;
}

// Moves the timeline over an event, and queues its steps.
static enum clew_error move(struct clew_cursor *cursor, bool backwards)
{
    forget_queue(cursor);
    CLEW_TRY((backwards ? timeline_retreat : timeline_advance)(cursor->timeline));
    cursor->filled = true;
    cursor->after = !backwards;
    cursor->next = backwards ? cursor->queued : 0;
    return CLEW_OK;
}

// The next or the previous event. Where the cursor turns, the timeline first moves over the event that was given.
static enum clew_error give(struct clew_cursor *cursor, bool backwards, struct clew_event *out)
{
    while (cursor->next == (backwards ? 0 : cursor->queued)) {
        if (cursor->filled && cursor->after == backwards) {
            CLEW_TRY(move(cursor, backwards));
        }
        CLEW_TRY(move(cursor, backwards));
    }
    cursor->next -= backwards;
    cursor->given = &cursor->queue[cursor->next];
    cursor->next += !backwards;
    struct clew_event event = event_of(cursor, cursor->given);
    library_give(out, &event, sizeof event);
    return CLEW_OK;
}

enum clew_error clew_cursor_next(struct clew_cursor *cursor, struct clew_event *out)
{
    return give(cursor, false, out);
}

enum clew_error clew_cursor_previous(struct clew_cursor *cursor, struct clew_event *out)
{
    return give(cursor, true, out);
}

// -- Places -----------------------------------------------------------------------------------------------------------

enum clew_error clew_cursor_seek_time(struct clew_cursor *cursor, uint64_t time_ns)
{
    forget_queue(cursor);
    uint64_t clock = time_ns > 0 ? model_clock_at(cursor->recording->model, time_ns) : 0;
    return timeline_seek_time(cursor->timeline, clock);
}

enum clew_error clew_cursor_seek_event(struct clew_cursor *cursor, uint32_t process, uint32_t thread, uint64_t ordinal)
{
    forget_queue(cursor);
    return timeline_seek_event(cursor->timeline, &(struct cursor_position){process, thread, ordinal});
}

enum clew_error clew_cursor_seek_call(struct clew_cursor *cursor, uint32_t process, uint64_t call)
{
    struct cursor_position at;
    forget_queue(cursor);
    enum clew_error error = cursor_find_call(cursor->recording->file, process, call, &at);
    if (error != CLEW_NOT_FOUND) {
        CLEW_TRY(error);
        return timeline_seek_event(cursor->timeline, &at);
    }
    CLEW_TRY(timeline_seek_time(cursor->timeline, 0));
    return CLEW_NOT_FOUND;
}

bool clew_cursor_value(struct clew_cursor *cursor, struct clew_value *out)
{
    const struct queued *given = cursor->given;
    if (!given || given->kind != CLEW_EVENT_VALUE) {
        return false;
    }
    static const uint32_t none[1]; // the buffer has no memory until a value has cells
    uint32_t left = (uint32_t)(cursor->cells.size / sizeof(uint32_t));
    const uint32_t *cells = left ? (const uint32_t *)(const void *)cursor->cells.data : none;
    struct site_value value;
    if (sites_take(cursor->sites, given->process, cursor->site, cells, left, &value) == UINT32_MAX) {
        return false;
    }
    struct clew_value found = library_value(cursor->sites, cursor->objects, given->process, &value);
    library_give(out, &found, sizeof found);
    return true;
}
