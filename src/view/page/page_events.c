// See page_events.h. A block is decoded whole when the walk enters it; it lists the activations that run at its start.
#include "view/page/page_events.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"

enum { CELLS_MAX = 1024 }; // of one event, as in the timeline

// A block of the thread.
struct block {
    uint64_t offset, first_clock, first_ordinal;
    uint32_t count;
};

struct page_events {
    struct recording_reader *reader;
    struct block *blocks;
    size_t count, room;
    uint64_t total; // events of all blocks
    size_t block;   // the one at hand; `count` behind the last
    bool loaded;
    struct recording_events events; // of the block at hand, if it is loaded
    uint32_t at;                    // in it
    const uint32_t *stack;
    struct boxes *boxes;
    struct timeline_thread thread;
    struct stream_work work;
    page_visit *visit; // NULL: on the way to a place
    void *context;
};

// -- Opening ----------------------------------------------------------------------------------------------------------

static enum clew_error list(struct page_events *events, struct recording *recording)
{
    const struct recording_block *blocks;
    size_t count;
    CLEW_TRY(recording_index(recording, &blocks, &count));
    for (size_t i = 0; i < count; i++) {
        const struct recording_block *block = &blocks[i];
        if (block->type != RECORDING_EVENTS || block->process != events->thread.process ||
            block->thread != events->thread.thread) {
            continue;
        }
        if (!array_grow(&events->blocks, events->count, &events->room, sizeof *events->blocks)) {
            return CLEW_NO_MEMORY;
        }
        events->blocks[events->count++] =
            (struct block){block->offset, block->first_clock, events->total, block->count};
        events->total += block->count;
    }
    return events->count ? CLEW_OK : CLEW_NOTHING_RECORDED;
}

enum clew_error page_events_open(struct recording *recording, uint32_t process, uint32_t thread,
                                 struct page_events **out)
{
    struct page_events *events = calloc(1, sizeof *events);
    if (!events) {
        return CLEW_NO_MEMORY;
    }
    events->thread.process = process;
    events->thread.thread = thread;
    enum clew_error error = list(events, recording);
    error = error == CLEW_OK ? recording_new_reader(recording, &events->reader) : error;
    if (error != CLEW_OK) {
        page_events_close(events);
        return error;
    }
    *out = events;
    return CLEW_OK;
}

void page_events_close(struct page_events *events)
{
    if (events) {
        boxes_free(events->boxes);
        stream_fini(&events->thread.stream);
        recording_close_reader(events->reader);
        free(events->blocks);
        free(events);
    }
}

uint64_t page_events_count(const struct page_events *events)
{
    return events->total;
}

uint64_t page_events_ordinal(const struct page_events *events)
{
    return events->block < events->count ? events->blocks[events->block].first_ordinal + events->at : events->total;
}

// -- Steps ------------------------------------------------------------------------------------------------------------

static enum clew_error report(struct page_events *events, const struct timeline_step *step)
{
    return events->visit ? events->visit(events->context, step, page_events_ordinal(events)) : CLEW_OK;
}

static enum clew_error begin(void *context, struct stream *stream, struct stream_frame *frame)
{
    struct page_events *events = context;
    (void)stream;
    return report(events, &(struct timeline_step){.kind = TIMELINE_BEGIN,
                                                  .clock = frame->started,
                                                  .thread = &events->thread,
                                                  .frame = frame,
                                                  .level = frame->level});
}

static enum clew_error end(void *context, struct stream *stream, struct stream_frame *frame, uint64_t clock,
                           enum stream_end how)
{
    struct page_events *events = context;
    (void)stream;
    return report(events, &(struct timeline_step){.kind = TIMELINE_END,
                                                  .clock = clock,
                                                  .thread = &events->thread,
                                                  .frame = frame,
                                                  .level = frame->level,
                                                  .how = how});
}

static enum clew_error report_lost(struct page_events *events, const struct recording_event *event)
{
    boxes_forget(events->boxes);
    return report(events,
                  &(struct timeline_step){
                      .kind = TIMELINE_LOST, .clock = event->clock, .thread = &events->thread, .lost = event->number});
}

// As the timeline reports a site: the number of cells is limited, since damaged events can claim any.
static enum clew_error report_site(struct page_events *events, const struct recording_event *event)
{
    const struct stream *stream = &events->thread.stream;
    CLEW_ASSERT(event->number <= events->events.cell_count);
    uint32_t left = events->events.cell_count - (uint32_t)event->number;
    struct stream_frame *frame = stream->depth ? stream_caller(stream, stream->frames + stream->depth) : NULL;
    return report(events, &(struct timeline_step){.kind = TIMELINE_SITE,
                                                  .clock = event->clock,
                                                  .thread = &events->thread,
                                                  .frame = frame,
                                                  .level = frame ? frame->level : 0,
                                                  .site = event->method,
                                                  .cells = events->events.cells + event->number,
                                                  .cells_left = left < CELLS_MAX ? left : CELLS_MAX,
                                                  .boxes = events->boxes});
}

static enum clew_error take_event(struct page_events *events)
{
    const struct recording_event *event = &events->events.events[events->at];
    const struct stream_user user = {begin, end, events, &events->work};
    if (!boxes_reach(events->boxes, events->at)) {
        return CLEW_NO_MEMORY;
    }
    if (event->kind == RECORDING_LOST) {
        CLEW_TRY(report_lost(events, event));
    } else if (event->kind == RECORDING_AT_SITE) {
        CLEW_TRY(report_site(events, event));
    }
    CLEW_TRY(stream_step(&events->thread.stream, event, events->stack, &user));
    events->stack += event->kind == RECORDING_STACK ? event->method : 0;
    events->at++;
    return CLEW_OK;
}

// -- Blocks -----------------------------------------------------------------------------------------------------------

static void leave_block(struct page_events *events)
{
    boxes_free(events->boxes);
    events->boxes = NULL;
    events->loaded = false;
    events->at = 0;
    events->block++;
}

static enum clew_error enter_block(struct page_events *events)
{
    struct recording_record record;
    const struct block *block = &events->blocks[events->block];
    const struct stream_user user = {begin, end, events, &events->work};
    CLEW_TRY(recording_read(events->reader, block->offset, RECORDING_EVENTS, &record));
    if (record.events.process != events->thread.process || record.events.thread != events->thread.thread ||
        record.events.count != block->count) {
        return CLEW_DAMAGED;
    }
    events->events = record.events;
    events->stack = record.events.stacks;
    events->at = 0;
    events->loaded = true;
    CLEW_TRY(boxes_new(&events->events, 0, block->count, &events->boxes));
    return stream_open_block(&events->thread.stream, &events->events, &user);
}

// Makes the block of the next event the one at hand. NOT_FOUND: there is none.
static enum clew_error reach_block(struct page_events *events)
{
    while (events->block < events->count) {
        if (events->loaded && events->at < events->events.count) {
            return CLEW_OK;
        }
        if (events->loaded) {
            leave_block(events);
            continue;
        }
        enum clew_error error = enter_block(events);
        if (error == CLEW_DAMAGED) {
            leave_block(events);
        } else if (error != CLEW_OK) {
            return error;
        }
    }
    return CLEW_NOT_FOUND;
}

enum clew_error page_events_next(struct page_events *events, page_visit *visit, void *context)
{
    events->visit = visit;
    events->context = context;
    CLEW_TRY(reach_block(events));
    return take_event(events);
}

// The block that has an event, or the last one.
static size_t block_of(const struct page_events *events, uint64_t ordinal)
{
    size_t low = 0, high = events->count;
    while (low < high) { // the first block that begins behind the event
        size_t middle = low + (high - low) / 2;
        if (events->blocks[middle].first_ordinal <= ordinal) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low - (low > 0);
}

uint64_t page_events_block(const struct page_events *events, uint64_t ordinal)
{
    CLEW_ASSERT(ordinal > 0 && events->count > 0);
    return events->blocks[block_of(events, ordinal - 1)].first_ordinal;
}

enum clew_error page_events_seek(struct page_events *events, uint64_t ordinal)
{
    size_t low = block_of(events, ordinal);
    if (!events->loaded || events->block != low || page_events_ordinal(events) > ordinal) {
        boxes_free(events->boxes);
        stream_fini(&events->thread.stream);
        events->boxes = NULL;
        events->thread.stream = (struct stream){0};
        events->loaded = false;
        events->at = 0;
        events->block = low;
    }
    enum clew_error error = CLEW_OK;
    while (error == CLEW_OK && page_events_ordinal(events) < ordinal) {
        error = page_events_next(events, NULL, NULL);
    }
    return error == CLEW_NOT_FOUND ? CLEW_OK : error;
}

enum clew_error page_events_find(struct page_events *events, uint64_t clock, uint64_t *out)
{
    size_t low = 0, high = events->count;
    while (low < high) { // the first block that begins at the clock or later
        size_t middle = low + (high - low) / 2;
        if (events->blocks[middle].first_clock < clock) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *out = low < events->count ? events->blocks[low].first_ordinal : events->total;
    struct recording_record record;
    if (low == 0 ||
        recording_read(events->reader, events->blocks[low - 1].offset, RECORDING_EVENTS, &record) != CLEW_OK) {
        return CLEW_OK;
    }
    events->loaded = false; // the reader has one block
    for (uint32_t i = 0; i < record.events.count; i++) {
        if (record.events.events[i].clock >= clock) {
            *out = events->blocks[low - 1].first_ordinal + i;
            break;
        }
    }
    return CLEW_OK;
}

// -- Activations ------------------------------------------------------------------------------------------------------

// The number of the first activation that begins in a block, or would; 0: none has a number there.
static uint64_t first_number(struct recording_reader *reader, const struct recording_block *block)
{
    struct recording_record record;
    enum clew_error error = recording_read(reader, block->offset, RECORDING_EVENTS, &record);
    return error == CLEW_OK ? record.events.first_number : 0;
}

// Where the activation begins in a block. False: not there.
static bool find_in_block(struct recording_reader *reader, const struct recording_block *block, uint64_t number,
                          uint32_t *at)
{
    struct recording_record record;
    if (recording_read(reader, block->offset, RECORDING_EVENTS, &record) != CLEW_OK || !record.events.first_number) {
        return false;
    }
    uint64_t next = record.events.first_number;
    for (uint32_t i = 0; i < record.events.count && next <= number; i++) {
        if (record.events.events[i].kind == RECORDING_ENTER && next++ == number) {
            *at = i;
            return true;
        }
    }
    return false;
}

// Blocks of a process are numbered in the order of the file (doc/recording.md, "EVENTS").
static const struct recording_block *bisect(struct recording_reader *reader,
                                            const struct recording_block *const *blocks, size_t count, uint64_t number)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint64_t first = first_number(reader, blocks[middle]);
        if (first == 0) {
            return NULL;
        }
        if (first <= number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low ? blocks[low - 1] : NULL;
}

// The EVENTS blocks of a process, which the caller frees.
static enum clew_error list_process(struct recording *recording, uint32_t process, const struct recording_block ***out,
                                    size_t *out_count, const struct recording_block **all, size_t *all_count)
{
    CLEW_TRY(recording_index(recording, all, all_count));
    *out = malloc((*all_count + 1) * sizeof(const struct recording_block *));
    *out_count = 0;
    for (size_t i = 0; i < *all_count && *out; i++) {
        if ((*all)[i].type == RECORDING_EVENTS && (*all)[i].process == process) {
            (*out)[(*out_count)++] = &(*all)[i];
        }
    }
    return *out ? CLEW_OK : CLEW_NO_MEMORY;
}

enum clew_error page_events_find_call(struct recording *recording, uint32_t process, uint64_t number, uint32_t *thread,
                                      uint64_t *ordinal)
{
    const struct recording_block **blocks, *all;
    struct recording_reader *reader;
    size_t count, all_count;
    uint32_t at = 0;
    CLEW_TRY(list_process(recording, process, &blocks, &count, &all, &all_count));
    enum clew_error error = recording_new_reader(recording, &reader);
    if (error != CLEW_OK) {
        free(blocks);
        return error;
    }
    const struct recording_block *block = bisect(reader, blocks, count, number);
    bool found = block && find_in_block(reader, block, number, &at);
    recording_close_reader(reader);
    free(blocks);
    if (!found) {
        return CLEW_NOT_FOUND;
    }
    *thread = block->thread;
    *ordinal = at;
    for (const struct recording_block *before = all; before < block; before++) {
        bool same = before->type == RECORDING_EVENTS && before->process == process && before->thread == block->thread;
        *ordinal += same ? before->count : 0;
    }
    return CLEW_OK;
}
