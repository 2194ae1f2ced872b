// See walk_state.h. Going forwards, each event is taken once. Going back, the stack before an event is made again from the nearest
// mark before it: the state that was kept every few events when the part was loaded for that direction.
#include "model/events/walk_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"

// CELLS_MAX: of one event; no recorded value has as many. MARKS_ROOM: bytes of all marks of a cursor.
enum { CELLS_MAX = 1024, MARK_EVERY = 16, MARKS_ROOM = 64 << 20 };

// -- Steps ------------------------------------------------------------------------------------------------------------

static enum clew_error report(struct walk *walk, struct event_step *step)
{
    step->thread = &walk->thread;
    step->ordinal = walk->first_ordinal + walk->event;
    return walk->visit(walk->context, step);
}

// Whether the run continues an activation that has waited. `stack`: what the event states.
static bool continues_wait(const struct recording_event *event, const uint32_t *stack)
{
    return event->kind == RECORDING_RESUME && (event->serial || recording_number(stack) != RESUME_CONTINUES);
}

// Adds the next event of the block to a step that begins an activation.
static void look_ahead(const struct walk *walk, struct event_step *step)
{
    const struct part *part = &walk->part;
    step->next_known = !walk->opens && walk->event + 1 < part->total;
    if (step->next_known) {
        CLEW_ASSERT(part_has(part, walk->event));
        const struct recording_event *next = &part->events[walk->event + 1 - part->from];
        step->leaf = next->kind == RECORDING_LEAVE || next->kind == RECORDING_UNWIND;
        step->leaf_clock = next->clock;
        step->resumes = continues_wait(next, part->stacks + walk->stack_at + recording_stated(next - 1));
        step->serial = step->resumes ? next->serial : 0;
        step->leaf_how = next->kind == RECORDING_UNWIND ? STREAM_UNWOUND : STREAM_LEFT;
    }
}

// Callbacks of the thread's stream.
static enum clew_error begin(void *context, struct stream *stream, struct stream_frame *frame)
{
    struct walk *walk = context;
    (void)stream;
    frame->number = 0;
    if (!walk->visit) {
        return CLEW_OK;
    }
    struct event_step step = {.kind = STEP_BEGIN, .clock = frame->started, .frame = frame, .level = frame->level};
    look_ahead(walk, &step);
    return report(walk, &step);
}

static enum clew_error end(void *context, struct stream *stream, struct stream_frame *frame, uint64_t clock,
                           enum stream_end how)
{
    struct walk *walk = context;
    struct event_step step = {.kind = STEP_END, .clock = clock, .frame = frame, .level = frame->level, .how = how};
    (void)stream;
    return walk->visit ? report(walk, &step) : CLEW_OK;
}

// Reports a statement or value. The number of cells is limited, so a damaged event cannot make a receiver read far into
// others.
static enum clew_error report_site(struct walk *walk, const struct recording_event *event)
{
    const struct part *part = &walk->part;
    const struct stream *stream = &walk->thread.stream;
    CLEW_ASSERT(event->cell >= part->cells_from && event->cell - part->cells_from <= part->cell_count);
    uint32_t cell = (uint32_t)(event->cell - part->cells_from), left = part->cell_count - cell;
    struct stream_frame *frame = stream->depth ? stream_caller(stream, stream->frames + stream->depth) : NULL;
    struct event_step step = {.kind = STEP_SITE,
                              .clock = event->clock,
                              .frame = frame,
                              .level = frame ? frame->level : 0,
                              .site = event->site,
                              .cells = part->cells + cell,
                              .cells_left = left < CELLS_MAX ? left : CELLS_MAX,
                              .boxes = part->boxes};
    return report(walk, &step);
}

static enum clew_error report_async(struct walk *walk, const struct recording_event *event)
{
    static const enum step_kind kinds[] = {
        [RECORDING_RESUME] = STEP_RESUME, [RECORDING_SUSPEND] = STEP_SUSPEND, [RECORDING_COMPLETE] = STEP_COMPLETE};
    const struct stream *stream = &walk->thread.stream;
    struct stream_frame *frame = stream->depth ? stream_caller(stream, stream->frames + stream->depth) : NULL;
    const uint32_t *stack = walk->part.stacks + walk->stack_at;
    if (!frame || event->kind == RECORDING_RUN || (event->kind == RECORDING_RESUME && !continues_wait(event, stack))) {
        return CLEW_OK;
    }
    struct event_step step = {.kind = kinds[event->kind],
                              .clock = event->clock,
                              .frame = frame,
                              .level = frame->level,
                              .serial = event->serial,
                              .number = recording_number(stack)};
    return report(walk, &step);
}

static enum clew_error report_throw(struct walk *walk, const struct recording_event *event)
{
    const struct stream *stream = &walk->thread.stream;
    struct stream_frame *frame = stream->depth ? stream_caller(stream, stream->frames + stream->depth) : NULL;
    struct event_step step = {.kind = event->kind == RECORDING_THROWN ? STEP_THROWN : STEP_CAUGHT,
                              .clock = event->clock,
                              .frame = frame,
                              .level = frame ? frame->level : 0,
                              .serial = event->exception,
                              .number = event->thrown};
    return report(walk, &step);
}

static enum clew_error report_lost(struct walk *walk, const struct recording_event *event)
{
    struct event_step step = {.kind = STEP_LOST, .clock = event->clock, .lost = event->lost};
    return report(walk, &step);
}

// -- The stack --------------------------------------------------------------------------------------------------------

enum clew_error walk_read_block(struct walk *walk, uint32_t block, struct recording_events *out)
{
    struct walk_reading *reading = walk->reading;
    struct event_block *at = &reading->blocks.threads[walk->index].blocks[block];
    if (reading->last_offset != at->offset) {
        reading->last_offset = 0;
        enum clew_error error = event_blocks_read(&reading->blocks, walk_blocks(walk), at, &reading->last);
        reading->health.damaged += error == CLEW_DAMAGED && !at->damaged;
        at->damaged |= error == CLEW_DAMAGED;
        CLEW_TRY(error);
        reading->last_offset = at->offset;
    }
    *out = reading->last;
    return CLEW_OK;
}

enum clew_error walk_open_block(struct walk *walk, uint32_t block, const struct recording_events *events,
                                struct stream_work *work)
{
    const struct stream_user user = {begin, end, walk, work};
    walk->known = walk->in_part = false; // unless all goes well
    walk->taken_block = block;
    walk->first_ordinal = walk_block_at(walk, block)->ordinal;
    walk->event = 0;
    walk->opens = true;
    enum clew_error error = stream_open_block(&walk->thread.stream, events, &user);
    walk->opens = false;
    walk->known = error == CLEW_OK;
    walk->taken = 1;
    return error;
}

void walk_forget_stack(struct walk *walk)
{
    stream_fini(&walk->thread.stream);
    walk->known = walk->in_part = false;
}

// Makes the stack before an event anew, from the beginning of its block, which lists the activations that run there.
static enum clew_error make_stack(struct walk *walk, uint32_t block, const struct recording_events *events,
                                  uint32_t before)
{
    struct stream_work work = {0};
    const struct stream_user user = {begin, end, walk, &work};
    const uint32_t *stack = events->stacks;
    CLEW_ASSERT(before <= events->count);
    walk_forget_stack(walk);
    walk->visit = NULL;
    CLEW_TRY(walk_open_block(walk, block, events, &work));
    walk->known = false;
    for (uint32_t i = 0; i < before; i++) {
        CLEW_TRY(stream_step(&walk->thread.stream, &events->events[i], stack, &user));
        stack += recording_stated(&events->events[i]);
    }
    walk_set_taken(walk, block, 1 + before);
    return CLEW_OK;
}

// The stack where a block opens is that at the end of the last one before it.
enum clew_error walk_make_stack_at_opening(struct walk *walk, uint32_t block)
{
    enum clew_error error = CLEW_DAMAGED;
    for (uint32_t before = block; error == CLEW_DAMAGED && before-- > 0;) {
        struct recording_events events;
        error = walk_block_at(walk, before)->damaged ? CLEW_DAMAGED : walk_read_block(walk, before, &events);
        error = error == CLEW_OK ? make_stack(walk, before, &events, events.count) : error;
    }
    if (error == CLEW_DAMAGED) { // there is none
        walk_forget_stack(walk);
    } else {
        CLEW_TRY(error);
    }
    walk_set_taken(walk, block, 0);
    return CLEW_OK;
}

// Takes the next event of the part.
enum clew_error walk_take_event(struct walk *walk)
{
    const struct recording_event *event = &walk->part.events[walk->taken - 1 - walk->part.from];
    const struct stream_user user = {begin, end, walk, &walk->reading->work};
    struct boxes *boxes = walk->part.boxes;
    walk->event = walk->taken - 1;
    walk->known = false; // unless all goes well
    if (boxes && !boxes_reach(boxes, walk->event)) {
        return CLEW_NO_MEMORY;
    }
    if (event->kind == RECORDING_LOST) {
        boxes_forget(boxes);
    }
    if (walk->visit && event->kind == RECORDING_AT_SITE) {
        CLEW_TRY(report_site(walk, event));
    } else if (walk->visit && event->kind == RECORDING_LOST) {
        CLEW_TRY(report_lost(walk, event));
    } else if (walk->visit && walk->reading->async && recording_is_async(event->kind)) {
        CLEW_TRY(report_async(walk, event));
    } else if (walk->visit && walk->reading->throws && recording_is_throw(event->kind)) {
        CLEW_TRY(report_throw(walk, event));
    }
    CLEW_TRY(stream_step(&walk->thread.stream, event, walk->part.stacks + walk->stack_at, &user));
    walk->stack_at += recording_stated(event);
    walk->taken++;
    walk->known = true;
    return CLEW_OK;
}

// -- Marks ------------------------------------------------------------------------------------------------------------

static size_t bytes_of_mark(const struct stream *stream)
{
    return sizeof(struct walk_mark) + stream->depth * sizeof *stream->frames +
           stream->throw_count * sizeof *stream->throws;
}

static void drop_mark(struct walk *walk, struct walk_mark *mark)
{
    walk->reading->mark_bytes -= bytes_of_mark(&mark->stream);
    stream_fini(&mark->stream);
}

static void drop_marks(struct walk *walk)
{
    for (size_t i = 0; i < walk->mark_count; i++) {
        drop_mark(walk, &walk->marks[i]);
    }
    walk->mark_count = 0;
}

// Drops every second mark, and makes half as many from now on.
static void thin_marks(struct walk *walk)
{
    size_t kept = 0;
    for (size_t i = 0; i < walk->mark_count; i++) {
        if (i % 2 == 1) {
            drop_mark(walk, &walk->marks[i]);
        } else {
            walk->marks[kept++] = walk->marks[i];
        }
    }
    walk->mark_count = kept;
    walk->mark_every = walk->mark_every < UINT32_MAX / 2 ? 2 * walk->mark_every : walk->mark_every;
}

static enum clew_error add_mark(struct walk *walk)
{
    struct walk_mark mark = {
        .event = walk->taken - 1, .stack_at = walk->stack_at, .boxes = boxes_mark(walk->part.boxes)};
    size_t bytes = bytes_of_mark(&walk->thread.stream);
    if (walk->mark_count > 1 && walk->reading->mark_bytes + bytes > MARKS_ROOM) {
        thin_marks(walk);
        return CLEW_OK;
    }
    if (!array_grow(&walk->marks, walk->mark_count, &walk->mark_room, sizeof *walk->marks)) {
        return CLEW_NO_MEMORY;
    }
    CLEW_TRY(stream_copy(&mark.stream, &walk->thread.stream));
    walk->mark_every = walk->mark_count ? walk->mark_every : MARK_EVERY;
    walk->marks[walk->mark_count++] = mark;
    walk->reading->mark_bytes += bytes;
    return CLEW_OK;
}

// The last mark at the event or before; NULL: there is none.
static const struct walk_mark *find_mark(const struct walk *walk, uint32_t event)
{
    size_t low = 0, high = walk->mark_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (walk->marks[middle].event <= event) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 ? &walk->marks[low - 1] : NULL;
}

static enum clew_error return_to_mark(struct walk *walk, const struct walk_mark *mark)
{
    walk->known = false; // unless all goes well
    CLEW_TRY(stream_copy(&walk->thread.stream, &mark->stream));
    if (!boxes_return(walk->part.boxes, mark->boxes)) {
        return CLEW_NO_MEMORY;
    }
    walk->stack_at = mark->stack_at;
    walk->in_part = true;
    walk->first_ordinal = walk_block_at(walk, walk->part_block)->ordinal;
    walk_set_taken(walk, walk->part_block, 1 + mark->event);
    return CLEW_OK;
}

// -- Parts ------------------------------------------------------------------------------------------------------------

void walk_unload(struct walk *walk)
{
    drop_marks(walk);
    walk->in_part = false;
    part_unload(&walk->part, &walk->reading->memory);
}

static enum clew_error load(struct walk *walk, uint32_t block, uint32_t event, bool backwards)
{
    struct recording_events events;
    CLEW_TRY(walk_read_block(walk, block, &events));
    walk_unload(walk);
    walk->part_block = block;
    CLEW_TRY(part_load(&walk->part, &walk->reading->memory, walk_block_at(walk, block), &events, event, backwards));
    if (!walk_has_taken(walk, block, 1 + walk->part.from)) {
        CLEW_TRY(make_stack(walk, block, &events, walk->part.from));
    }
    walk->stack_at = 0;
    walk->in_part = true;
    return backwards ? add_mark(walk) : CLEW_OK;
}

// Takes the events of the part up to `event`, without reporting them.
static enum clew_error go_on_to(struct walk *walk, uint32_t event)
{
    walk->visit = NULL;
    while (walk->taken - 1 < event) {
        CLEW_TRY(walk_take_event(walk));
        if (walk->mark_count && walk->taken - 1 >= walk->marks[walk->mark_count - 1].event + walk->mark_every) {
            CLEW_TRY(add_mark(walk));
        }
    }
    return CLEW_OK;
}

// Sets the stack to that before an event, and has its part loaded.
enum clew_error walk_reach(struct walk *walk, uint32_t block, uint32_t event, bool backwards)
{
    if (walk_is_at(walk, block, event)) {
        return CLEW_OK;
    }
    bool loaded = walk_is_loaded(walk, block, event), within = loaded && walk->in_part && walk->known;
    const struct walk_mark *mark = loaded ? find_mark(walk, event) : NULL;
    bool before = within && walk->taken <= event;
    if (mark && (!before || walk->taken - 1 < mark->event)) {
        CLEW_TRY(return_to_mark(walk, mark));
    } else if (!before || (backwards && !mark)) {
        CLEW_TRY(load(walk, block, event, backwards));
    }
    return go_on_to(walk, event);
}
