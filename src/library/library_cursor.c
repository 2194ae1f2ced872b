// The cursor of libclew (clew/cursor.h): pulls the model's timeline, which reports any number of steps at a time, and
// queues them as events.
#include <clew/cursor.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"
#include "library/library.h"
#include "library/library_value.h"
#include "model/timeline.h"

struct clew_cursor {
    struct clew_recording *recording;
    uint32_t kinds;
    char *variable; // NULL: all values
    struct timeline *timeline;
    struct sites *sites;
    struct objects *objects;
    struct clew_event *queue; // those from `next` on were not delivered yet
    size_t queued, next, room;
    // Of the newest VALUE event, which is the last of the queue: the timeline reports at most one site at a time.
    const struct site *site;
    struct buffer cells;
};

static struct clew_text no_text(void)
{
    return library_text((struct text){0});
}

static enum clew_error queue_event(struct clew_cursor *cursor, const struct clew_event *event)
{
    if (cursor->kinds && !(cursor->kinds & 1u << event->kind)) {
        return CLEW_OK;
    }
    if (!array_grow(&cursor->queue, cursor->queued, &cursor->room, sizeof *cursor->queue)) {
        return CLEW_NO_MEMORY;
    }
    cursor->queue[cursor->queued++] = *event;
    return CLEW_OK;
}

// The part of an event that all kinds have.
static struct clew_event event_of(const struct clew_cursor *cursor, const struct timeline_step *step,
                                  enum clew_event_kind kind)
{
    const struct model *model = cursor->recording->model;
    return (struct clew_event){
        .kind = kind,
        .process = step->thread->process,
        .thread = step->thread->thread,
        .method = step->frame ? step->frame->method : 0,
        .depth = step->level,
        .time_ns = model_since_start_ns(model, step->clock),
        .file = no_text(),
        .name = no_text(),
    };
}

static enum clew_error queue_end(struct clew_cursor *cursor, const struct timeline_step *step,
                                 enum clew_event_kind kind)
{
    struct clew_event event = event_of(cursor, step, kind);
    event.took_ns = model_ns(cursor->recording->model, stream_time(step->frame, step->clock));
    event.by_exception = kind == CLEW_EVENT_END && step->how == STREAM_UNWOUND;
    return queue_event(cursor, &event);
}

// Adds the position in the source of the statement that the site is, or belongs to.
static void locate(const struct clew_cursor *cursor, const struct timeline_step *step, const struct site *site,
                   struct clew_event *event)
{
    const struct catalog *catalog = &cursor->recording->model->catalog;
    uint32_t process = event->process, method = sites_method(cursor->sites, process, step->site);
    const struct site *statement =
        site->kind == SITE_STATEMENT ? site : sites_site(cursor->sites, process, site->statement);
    uint32_t index = catalog_find_method(catalog, process, method);
    event->method = method;
    if (!statement || !statement->document || index == CATALOG_NONE) {
        return;
    }
    const struct recording_document *document =
        sites_document(cursor->sites, process, catalog->methods[index].record.module, statement->document);
    event->file = document ? library_text(document->path) : no_text();
    event->line = statement->start_line;
    event->column = statement->start_column;
}

static bool is_wanted(const struct clew_cursor *cursor, const struct site *site)
{
    if (!cursor->variable) {
        return true;
    }
    bool assigned = site->kind == SITE_DEFINITION || site->kind == SITE_ARGUMENT;
    return assigned && text_equal(site->name, text_of(cursor->variable));
}

// Copies the value's cells, which the timeline keeps only until its next step. False: memory ran out.
static bool keep_cells(struct clew_cursor *cursor, const struct timeline_step *step, const struct site *site)
{
    struct site_value value;
    uint32_t count = sites_take(cursor->sites, step->thread->process, site, step->cells, step->cells_left, &value);
    cursor->site = count == UINT32_MAX ? NULL : site; // NULL: the block is damaged
    buffer_clear(&cursor->cells);
    buffer_append(&cursor->cells, step->cells, count == UINT32_MAX ? 0 : count * sizeof *step->cells);
    return !cursor->cells.failed;
}

static enum clew_error queue_site(struct clew_cursor *cursor, const struct timeline_step *step)
{
    const struct site *site = sites_site(cursor->sites, step->thread->process, step->site);
    if (!site || !is_wanted(cursor, site)) {
        return CLEW_OK;
    }
    bool statement = site->kind == SITE_STATEMENT;
    struct clew_event event = event_of(cursor, step, statement ? CLEW_EVENT_STATEMENT : CLEW_EVENT_VALUE);
    locate(cursor, step, site, &event);
    event.name = statement ? no_text() : library_text(site->name);
    return statement || keep_cells(cursor, step, site) ? queue_event(cursor, &event) : CLEW_NO_MEMORY;
}

static enum clew_error take_step(void *context, const struct timeline_step *step)
{
    struct clew_cursor *cursor = context;
    bool only_values = cursor->variable != NULL;
    struct clew_event event;
    switch (step->kind) {
    case TIMELINE_BEGIN:
        event = event_of(cursor, step, CLEW_EVENT_BEGIN);
        return only_values ? CLEW_OK : queue_event(cursor, &event);
    case TIMELINE_END:
        return only_values ? CLEW_OK : queue_end(cursor, step, CLEW_EVENT_END);
    case TIMELINE_OPEN:
        return only_values ? CLEW_OK : queue_end(cursor, step, CLEW_EVENT_OPEN);
    case TIMELINE_LOST: // also of interest for a variable: its values may be among them
        event = event_of(cursor, step, CLEW_EVENT_LOST);
        event.lost = step->lost;
        return queue_event(cursor, &event);
    case TIMELINE_SITE:
        return queue_site(cursor, step);
    }
    return CLEW_OK;
}

static uint64_t clock_at(const struct model *model, uint64_t ns)
{
    uint64_t ticks = model_ticks(model, ns), start = model->session.started_clock;
    return ticks < UINT64_MAX - start ? start + ticks : UINT64_MAX;
}

static enum clew_error begin(struct clew_cursor *cursor, const struct clew_cursor_options *asked)
{
    const struct model *model = cursor->recording->model;
    struct timeline_options options = {
        .thread = asked->thread,
        .from = asked->from_ns ? clock_at(model, asked->from_ns) : 0,
        .to = asked->to_ns ? clock_at(model, asked->to_ns) : UINT64_MAX,
        .step = take_step,
        .context = cursor,
    };
    cursor->kinds = asked->kinds;
    cursor->variable = asked->variable ? strdup(asked->variable) : NULL;
    if (asked->variable && !cursor->variable) {
        return CLEW_NO_MEMORY;
    }
    CLEW_TRY(sites_load(cursor->recording->file, &cursor->sites));
    CLEW_TRY(objects_open(cursor->recording->file, &cursor->objects));
    return timeline_open(cursor->recording->file, &options, &cursor->timeline);
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

void clew_cursor_free(struct clew_cursor *cursor)
{
    if (!cursor) {
        return;
    }
    timeline_close(cursor->timeline);
    objects_close(cursor->objects);
    sites_free(cursor->sites);
    buffer_free(&cursor->cells);
    free(cursor->variable);
    free(cursor->queue);
    free(cursor);
}

enum clew_error clew_cursor_next(struct clew_cursor *cursor, struct clew_event *out)
{
    while (cursor->next == cursor->queued) {
        cursor->next = cursor->queued = 0;
        cursor->site = NULL;
        CLEW_TRY(timeline_advance(cursor->timeline));
    }
    CLEW_ASSERT(cursor->next < cursor->queued);
    library_give(out, &cursor->queue[cursor->next++], sizeof *cursor->queue);
    return CLEW_OK;
}

bool clew_cursor_value(struct clew_cursor *cursor, struct clew_value *out)
{
    if (!cursor->site || cursor->next == 0 || cursor->queue[cursor->next - 1].kind != CLEW_EVENT_VALUE) {
        return false;
    }
    uint32_t process = cursor->queue[cursor->next - 1].process;
    uint32_t left = (uint32_t)(cursor->cells.size / sizeof(uint32_t));
    struct site_value value;
    if (sites_take(cursor->sites, process, cursor->site, (const uint32_t *)(const void *)cursor->cells.data, left,
                   &value) == UINT32_MAX) {
        return false;
    }
    struct clew_value given = library_value(cursor->sites, cursor->objects, process, &value);
    library_give(out, &given, sizeof given);
    return true;
}
