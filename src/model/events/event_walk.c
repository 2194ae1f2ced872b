// See page_events.h. A block is decoded whole when the walk enters it; it lists the activations that run at its start.
#include "model/events/event_walk.h"

#include <stdlib.h>

#include "base/assert.h"
#include "model/events/event_blocks.h"

enum { CELLS_MAX = 1024 }; // of one event, as in the timeline

struct event_walk {
    struct event_blocks list;
    const struct thread_blocks *of;
    size_t block; // the one at hand; their number behind the last
    bool loaded;
    struct recording_events events; // of the block at hand, if it is loaded
    uint32_t at;                    // in it
    const uint32_t *stack;
    struct boxes *boxes;
    struct timeline_thread thread;
    struct stream_work work;
    event_walk_visit *visit; // NULL: on the way to a place
    void *context;
};

// -- Opening ----------------------------------------------------------------------------------------------------------

static bool wants(void *context, const struct recording_block *block)
{
    const struct event_walk *walk = context;
    return block->process == walk->thread.process && block->thread == walk->thread.thread;
}

static enum clew_error list(struct event_walk *walk, struct recording *recording)
{
    CLEW_TRY(event_blocks_list(&walk->list, recording, wants, walk));
    walk->of = event_blocks_thread(&walk->list, walk->thread.process, walk->thread.thread);
    return walk->of ? CLEW_OK : CLEW_NOTHING_RECORDED;
}

enum clew_error event_walk_open(struct recording *recording, uint32_t process, uint32_t thread, struct event_walk **out)
{
    struct event_walk *walk = calloc(1, sizeof *walk);
    if (!walk) {
        return CLEW_NO_MEMORY;
    }
    walk->thread.process = process;
    walk->thread.thread = thread;
    enum clew_error error = list(walk, recording);
    if (error != CLEW_OK) {
        event_walk_close(walk);
        return error;
    }
    *out = walk;
    return CLEW_OK;
}

void event_walk_close(struct event_walk *walk)
{
    if (walk) {
        boxes_free(walk->boxes);
        stream_fini(&walk->thread.stream);
        event_blocks_free(&walk->list);
        free(walk);
    }
}

uint64_t event_walk_count(const struct event_walk *walk)
{
    return walk->of->events;
}

uint64_t event_walk_ordinal(const struct event_walk *walk)
{
    return walk->block < walk->of->count ? walk->of->blocks[walk->block].ordinal + walk->at : walk->of->events;
}

// -- Steps ------------------------------------------------------------------------------------------------------------

static enum clew_error report(struct event_walk *walk, const struct timeline_step *step)
{
    return walk->visit ? walk->visit(walk->context, step, event_walk_ordinal(walk)) : CLEW_OK;
}

static enum clew_error begin(void *context, struct stream *stream, struct stream_frame *frame)
{
    struct event_walk *walk = context;
    (void)stream;
    return report(walk, &(struct timeline_step){.kind = TIMELINE_BEGIN,
                                                .clock = frame->started,
                                                .thread = &walk->thread,
                                                .frame = frame,
                                                .level = frame->level});
}

static enum clew_error end(void *context, struct stream *stream, struct stream_frame *frame, uint64_t clock,
                           enum stream_end how)
{
    struct event_walk *walk = context;
    (void)stream;
    return report(walk, &(struct timeline_step){.kind = TIMELINE_END,
                                                .clock = clock,
                                                .thread = &walk->thread,
                                                .frame = frame,
                                                .level = frame->level,
                                                .how = how});
}

static enum clew_error report_lost(struct event_walk *walk, const struct recording_event *event)
{
    boxes_forget(walk->boxes);
    return report(walk,
                  &(struct timeline_step){
                      .kind = TIMELINE_LOST, .clock = event->clock, .thread = &walk->thread, .lost = event->lost});
}

// As the timeline reports a site: the number of cells is limited, since damaged events can claim any.
static enum clew_error report_site(struct event_walk *walk, const struct recording_event *event)
{
    const struct stream *stream = &walk->thread.stream;
    CLEW_ASSERT(event->cell <= walk->events.cell_count);
    uint32_t left = walk->events.cell_count - (uint32_t)event->cell;
    struct stream_frame *frame = stream->depth ? stream_caller(stream, stream->frames + stream->depth) : NULL;
    return report(walk, &(struct timeline_step){.kind = TIMELINE_SITE,
                                                .clock = event->clock,
                                                .thread = &walk->thread,
                                                .frame = frame,
                                                .level = frame ? frame->level : 0,
                                                .site = event->site,
                                                .cells = walk->events.cells + event->cell,
                                                .cells_left = left < CELLS_MAX ? left : CELLS_MAX,
                                                .boxes = walk->boxes});
}

static enum clew_error take_event(struct event_walk *walk)
{
    const struct recording_event *event = &walk->events.events[walk->at];
    const struct stream_user user = {begin, end, walk, &walk->work};
    if (!boxes_reach(walk->boxes, walk->at)) {
        return CLEW_NO_MEMORY;
    }
    if (event->kind == RECORDING_LOST) {
        CLEW_TRY(report_lost(walk, event));
    } else if (event->kind == RECORDING_AT_SITE) {
        CLEW_TRY(report_site(walk, event));
    }
    CLEW_TRY(stream_step(&walk->thread.stream, event, walk->stack, &user));
    walk->stack += recording_stated(event);
    walk->at++;
    return CLEW_OK;
}

// -- Blocks -----------------------------------------------------------------------------------------------------------

static void leave_block(struct event_walk *walk)
{
    boxes_free(walk->boxes);
    walk->boxes = NULL;
    walk->loaded = false;
    walk->at = 0;
    walk->block++;
}

static enum clew_error enter_block(struct event_walk *walk)
{
    const struct event_block *block = &walk->of->blocks[walk->block];
    const struct stream_user user = {begin, end, walk, &walk->work};
    CLEW_TRY(event_blocks_read(&walk->list, walk->of, block, &walk->events));
    walk->stack = walk->events.stacks;
    walk->at = 0;
    walk->loaded = true;
    CLEW_TRY(boxes_new(&walk->events, 0, block->count, &walk->boxes));
    return stream_open_block(&walk->thread.stream, &walk->events, &user);
}

// Makes the block of the next event the one at hand. NOT_FOUND: there is none.
static enum clew_error reach_block(struct event_walk *walk)
{
    while (walk->block < walk->of->count) {
        if (walk->loaded && walk->at < walk->events.count) {
            return CLEW_OK;
        }
        if (walk->loaded) {
            leave_block(walk);
            continue;
        }
        enum clew_error error = enter_block(walk);
        if (error == CLEW_DAMAGED) {
            leave_block(walk);
        } else if (error != CLEW_OK) {
            return error;
        }
    }
    return CLEW_NOT_FOUND;
}

enum clew_error event_walk_next(struct event_walk *walk, event_walk_visit *visit, void *context)
{
    walk->visit = visit;
    walk->context = context;
    CLEW_TRY(reach_block(walk));
    return take_event(walk);
}

// The block that has an event, or the last one.
static size_t block_of(const struct event_walk *walk, uint64_t ordinal)
{
    size_t block = thread_blocks_at_ordinal(walk->of, ordinal);
    return block < walk->of->count ? block : walk->of->count - 1;
}

uint64_t event_walk_block(const struct event_walk *walk, uint64_t ordinal)
{
    CLEW_ASSERT(ordinal > 0 && walk->of->count > 0);
    return walk->of->blocks[block_of(walk, ordinal - 1)].ordinal;
}

enum clew_error event_walk_seek(struct event_walk *walk, uint64_t ordinal)
{
    size_t block = block_of(walk, ordinal);
    if (!walk->loaded || walk->block != block || event_walk_ordinal(walk) > ordinal) {
        boxes_free(walk->boxes);
        stream_fini(&walk->thread.stream);
        walk->boxes = NULL;
        walk->thread.stream = (struct stream){0};
        walk->loaded = false;
        walk->at = 0;
        walk->block = block;
    }
    enum clew_error error = CLEW_OK;
    while (error == CLEW_OK && event_walk_ordinal(walk) < ordinal) {
        error = event_walk_next(walk, NULL, NULL);
    }
    return error == CLEW_NOT_FOUND ? CLEW_OK : error;
}

enum clew_error event_walk_find(struct event_walk *walk, uint64_t clock, uint64_t *out)
{
    const struct event_block *blocks = walk->of->blocks;
    size_t block = thread_blocks_at_clock(walk->of, clock);
    struct recording_events events;
    if (block < walk->of->count && blocks[block].first < clock) {
        walk->loaded = false; // one block is in memory
        enum clew_error error = event_blocks_read(&walk->list, walk->of, &blocks[block], &events);
        for (uint32_t i = 0; error == CLEW_OK && i < events.count; i++) {
            if (events.events[i].clock >= clock) {
                *out = blocks[block].ordinal + i;
                return CLEW_OK;
            }
        }
        block++;
    }
    *out = block < walk->of->count ? blocks[block].ordinal : walk->of->events;
    return CLEW_OK;
}

// -- Activations ------------------------------------------------------------------------------------------------------

// The number of the first activation that begins in a block, or would; 0: none has a number there.
static uint64_t first_number(struct event_blocks *list, size_t at)
{
    struct recording_events events;
    return event_blocks_read_at(list, &list->order[at], &events) == CLEW_OK ? events.first_number : 0;
}

// Where the activation begins in a block. False: not there.
static bool find_in_block(struct event_blocks *list, size_t at, uint64_t number, uint32_t *event)
{
    struct recording_events events;
    if (event_blocks_read_at(list, &list->order[at], &events) != CLEW_OK || !events.first_number) {
        return false;
    }
    uint64_t next = events.first_number;
    for (uint32_t i = 0; i < events.count && next <= number; i++) {
        if (events.events[i].kind == RECORDING_ENTER && next++ == number) {
            *event = i;
            return true;
        }
    }
    return false;
}

// Finds the last block that begins at the activation or before it: its place + 1 in the order of the file; 0: none. Blocks of a
// process are numbered in that order (doc/recording.md, "EVENTS").
static size_t bisect(struct event_blocks *list, uint64_t number)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint64_t first = first_number(list, middle);
        if (first == 0) {
            return 0;
        }
        if (first <= number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool is_of_process(void *context, const struct recording_block *block)
{
    return block->process == *(const uint32_t *)context;
}

enum clew_error event_walk_find_call(struct recording *recording, uint32_t process, uint64_t number, uint32_t *thread,
                                     uint64_t *ordinal)
{
    struct event_blocks list = {0};
    uint32_t event;
    enum clew_error error = event_blocks_list(&list, recording, is_of_process, &process);
    size_t after = error == CLEW_OK ? bisect(&list, number) : 0;
    if (after && find_in_block(&list, after - 1, number, &event)) {
        const struct event_block_place *place = &list.order[after - 1];
        *thread = list.threads[place->thread].thread;
        *ordinal = event_blocks_get(&list, place)->ordinal + event;
    } else {
        error = error == CLEW_OK ? CLEW_NOT_FOUND : error;
    }
    event_blocks_free(&list);
    return error;
}
