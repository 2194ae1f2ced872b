// See summaries.h. The blocks are read in the order of the file, so that a picture fills from the left, and replayed by the
// rules of all streams (stream.h).
#include "model/events/summaries.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "model/events/event_blocks.h"
#include "model/events/stream.h"

enum { SLOTS = 4096 }; // a power of two

// The own time of a method within the block.
struct method_time {
    uint64_t own; // 0: the slot is free
    uint32_t method;
};

// A thread between two of its blocks.
struct thread_state {
    struct stream stream;
    uint64_t clock; // until which times are counted
};

struct summaries {
    struct event_blocks list;
    struct summary_thread *threads; // parallel to list.threads
    struct thread_state *states;    // parallel to list.threads
    struct summary_block *blocks;
    struct summary_span *spans;
    size_t block_count, block_room, span_count, span_room;
    size_t read; // blocks of the list, also damaged ones
    struct stream_work work;
    // The block whose turn it is:
    uint32_t thread;
    struct thread_state *state;
    uint64_t calls, busy;
    struct method_time times[SLOTS]; // by the low bits of the method's number
    struct map moved;                // by method: the own time of those that had to leave their slot to another
};

// -- Times within a block ---------------------------------------------------------------------------------------------

// False: memory ran out.
static bool move_away(struct map *moved, struct method_time *time)
{
    uint64_t before = 0;
    (void)map_get(moved, time->method, &before); // stays 0 for the first
    bool kept = time->own == 0 || map_put(moved, time->method, before + time->own);
    time->own = 0;
    return kept;
}

static enum clew_error add_own(struct summaries *summaries, uint32_t method, uint64_t own)
{
    struct method_time *time = &summaries->times[method % SLOTS];
    if (time->method != method && !move_away(&summaries->moved, time)) {
        return CLEW_NO_MEMORY;
    }
    time->method = method;
    time->own += own;
    return CLEW_OK;
}

// Counts the time up to `clock` for the activation on top.
static enum clew_error pass_time(struct summaries *summaries, uint64_t clock)
{
    struct thread_state *state = summaries->state;
    const struct stream *stream = &state->stream;
    uint64_t since = clock > state->clock ? clock - state->clock : 0;
    state->clock = clock > state->clock ? clock : state->clock;
    if (since == 0 || stream_activations(stream) == 0) {
        return CLEW_OK;
    }
    summaries->busy += since;
    const struct stream_frame *top = stream_caller(stream, stream->frames + stream->depth);
    return top ? add_own(summaries, top->method, since) : CLEW_OK;
}

// Inserts a method among those with the most time; among equals the smaller number goes first.
static void rank(struct summary_block *block, uint32_t method, uint64_t own)
{
    for (uint32_t i = 0; i < SUMMARY_METHODS; i++) {
        bool goes_before = own > block->own[i] || (own == block->own[i] && own > 0 && method < block->methods[i]);
        if (goes_before) {
            uint32_t moved_method = block->methods[i];
            uint64_t moved_own = block->own[i];
            block->methods[i] = method;
            block->own[i] = own;
            method = moved_method;
            own = moved_own;
        }
    }
}

// Takes the methods with the most time, and forgets the times.
static enum clew_error take_times(struct summaries *summaries, struct summary_block *out)
{
    bool all = summaries->moved.count == 0;
    for (uint32_t i = 0; i < SLOTS; i++) {
        struct method_time *time = &summaries->times[i];
        if (all) {
            rank(out, time->method, time->own);
            time->own = 0;
        } else if (!move_away(&summaries->moved, time)) {
            return CLEW_NO_MEMORY;
        }
    }
    for (size_t i = 0; i < summaries->moved.capacity; i++) {
        const struct map_slot *slot = &summaries->moved.slots[i];
        if (slot->used) {
            rank(out, (uint32_t)slot->key, slot->value);
        }
    }
    map_free(&summaries->moved);
    return CLEW_OK;
}

// -- Activations ------------------------------------------------------------------------------------------------------

// A frame's number is the index + 1 of its span; 0: it has none yet.
static enum clew_error begin(void *context, struct stream *stream, struct stream_frame *frame)
{
    struct summaries *summaries = context;
    (void)stream;
    frame->number = 0;
    summaries->calls += !frame->joined && !method_is_no_call(frame->method);
    return CLEW_OK;
}

// A damaged recording may state a clock before the span's begin.
static void end_span(struct summary_span *span, uint64_t clock)
{
    span->end = clock > span->begin ? clock : span->begin;
}

static enum clew_error end(void *context, struct stream *stream, struct stream_frame *frame, uint64_t clock,
                           enum stream_end how)
{
    struct summaries *summaries = context;
    (void)stream;
    (void)how;
    if (frame->number > 0) {
        CLEW_ASSERT(frame->number <= summaries->span_count);
        struct summary_span *span = &summaries->spans[frame->number - 1];
        end_span(span, clock);
        span->open = false;
    }
    return CLEW_OK;
}

// Gives each activation that runs where the block ends a span, if it has none. It becomes longer until it ends.
static enum clew_error keep_running(struct summaries *summaries, uint64_t last)
{
    struct stream *stream = &summaries->state->stream;
    for (uint32_t i = 0; i < stream->depth; i++) {
        struct stream_frame *frame = &stream->frames[i];
        if (frame->filter) {
            continue;
        }
        if (frame->number == 0) {
            if (!array_grow(&summaries->spans, summaries->span_count, &summaries->span_room,
                            sizeof *summaries->spans)) {
                return CLEW_NO_MEMORY;
            }
            summaries->spans[summaries->span_count++] = (struct summary_span){.thread = summaries->thread,
                                                                              .method = frame->method,
                                                                              .depth = frame->level,
                                                                              .begin = frame->started,
                                                                              .call = frame->call,
                                                                              .open = true};
            frame->number = summaries->span_count;
        }
        end_span(&summaries->spans[frame->number - 1], last);
    }
    return CLEW_OK;
}

// -- Blocks -----------------------------------------------------------------------------------------------------------

static enum clew_error replay(struct summaries *summaries, const struct recording_events *events)
{
    const struct stream_user user = {begin, end, summaries, &summaries->work};
    struct thread_state *state = summaries->state;
    const uint32_t *stacks = events->stacks;
    if (state->stream.begun) {
        CLEW_TRY(pass_time(summaries, events->first_clock));
    }
    state->clock = events->first_clock;
    CLEW_TRY(stream_open_block(&state->stream, events, &user));
    for (uint32_t i = 0; i < events->count; i++) {
        const struct recording_event *event = &events->events[i];
        CLEW_TRY(pass_time(summaries, event->clock));
        CLEW_TRY(stream_step(&state->stream, event, stacks, &user));
        stacks += recording_stated(event);
    }
    return keep_running(summaries, events->last_clock);
}

// The time between two blocks belongs to the later one: only there is known what ran in it.
static enum clew_error summarise(struct summaries *summaries, const struct recording_events *events)
{
    struct summary_block made = {.thread = summaries->thread};
    made.first = summaries->state->stream.begun ? summaries->state->clock : events->first_clock;
    summaries->calls = summaries->busy = 0;
    CLEW_TRY(replay(summaries, events));
    made.last = events->last_clock;
    made.calls = summaries->calls;
    made.busy = summaries->busy;
    CLEW_TRY(take_times(summaries, &made));
    if (!array_grow(&summaries->blocks, summaries->block_count, &summaries->block_room, sizeof *summaries->blocks)) {
        return CLEW_NO_MEMORY;
    }
    summaries->blocks[summaries->block_count++] = made;
    return CLEW_OK;
}

enum clew_error summaries_advance(struct summaries *summaries)
{
    struct event_blocks *list = &summaries->list;
    struct recording_events events;
    if (summaries->read == list->count) {
        return CLEW_NOT_FOUND;
    }
    const struct event_block_place *place = &list->order[summaries->read];
    CLEW_ASSERT(place->thread < list->thread_count);
    summaries->thread = place->thread;
    summaries->state = &summaries->states[place->thread];
    enum clew_error error = event_blocks_read_at(list, place, &events);
    if (error == CLEW_OK) {
        CLEW_TRY(summarise(summaries, &events));
    } else if (error != CLEW_DAMAGED) {
        return error;
    }
    summaries->read++;
    return CLEW_OK;
}

double summaries_done(const struct summaries *summaries)
{
    return summaries->list.count ? (double)summaries->read / (double)summaries->list.count : 1;
}

// -- All --------------------------------------------------------------------------------------------------------------

static enum clew_error list_blocks(struct summaries *summaries, struct recording *recording)
{
    CLEW_TRY(event_blocks_list(&summaries->list, recording, NULL, NULL));
    if (summaries->list.count == 0) {
        return CLEW_NOTHING_RECORDED;
    }
    summaries->threads = calloc((size_t)summaries->list.thread_count + 1, sizeof *summaries->threads);
    summaries->states = calloc((size_t)summaries->list.thread_count + 1, sizeof *summaries->states);
    if (!summaries->threads || !summaries->states) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t i = 0; i < summaries->list.thread_count; i++) {
        const struct thread_blocks *thread = &summaries->list.threads[i];
        summaries->threads[i] = (struct summary_thread){thread->process, thread->thread};
    }
    return CLEW_OK;
}

enum clew_error summaries_new(struct recording *recording, struct summaries **out)
{
    struct summaries *made = calloc(1, sizeof *made);
    if (!made) {
        return CLEW_NO_MEMORY;
    }
    enum clew_error error = list_blocks(made, recording);
    if (error != CLEW_OK) {
        summaries_free(made);
        return error;
    }
    *out = made;
    return CLEW_OK;
}

void summaries_free(struct summaries *summaries)
{
    if (!summaries) {
        return;
    }
    for (uint32_t i = 0; summaries->states && i < summaries->list.thread_count; i++) {
        stream_fini(&summaries->states[i].stream);
    }
    event_blocks_free(&summaries->list);
    free(summaries->threads);
    free(summaries->states);
    free(summaries->blocks);
    free(summaries->spans);
    map_free(&summaries->moved);
    free(summaries);
}

const struct summary_thread *summaries_threads(const struct summaries *summaries, uint32_t *count)
{
    *count = summaries->list.thread_count;
    return summaries->threads;
}

const struct summary_block *summaries_blocks(const struct summaries *summaries, size_t *count)
{
    *count = summaries->block_count;
    return summaries->blocks;
}

const struct summary_span *summaries_spans(const struct summaries *summaries, size_t *count)
{
    *count = summaries->span_count;
    return summaries->spans;
}
