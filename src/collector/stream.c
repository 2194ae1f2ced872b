#include "collector/stream.h"

#include <stdlib.h>
#include <string.h>

#include "ring/ring.h"

void stream_state_free(struct stream_state *state)
{
    free(state->open);
    free(state->open_clock);
    *state = (struct stream_state){0};
}

static bool grow(struct stream_state *state, uint32_t depth)
{
    if (depth <= state->capacity) {
        return true;
    }
    uint32_t capacity = state->capacity ? state->capacity : 64;
    while (capacity < depth) {
        capacity *= 2; // depth is at most RECORDING_DEPTH_MAX
    }
    uint32_t *open = realloc(state->open, capacity * sizeof *open);
    state->open = open ? open : state->open;
    uint64_t *open_clock = realloc(state->open_clock, capacity * sizeof *open_clock);
    state->open_clock = open_clock ? open_clock : state->open_clock;
    if (!open || !open_clock) {
        state->failed = true;
        return false;
    }
    state->capacity = capacity;
    return true;
}

static void push(struct stream_state *state, uint32_t method)
{
    if (state->depth < RECORDING_DEPTH_MAX && grow(state, state->depth + 1)) {
        state->open[state->depth] = method;
        state->open_clock[state->depth] = state->clock;
        state->depth++;
    }
}

// After losses: the newest `known` of `depth` activations are these. One that was at its place before, with all below it,
// is taken for the same and keeps its beginning; the others are known from now on.
static void replace(struct stream_state *state, uint32_t depth, const uint64_t *methods, uint32_t known)
{
    uint32_t before = state->depth;
    if (!grow(state, depth)) {
        return;
    }
    uint32_t unknown = depth - known;
    bool same = true;
    for (uint32_t i = 0; i < depth; i++) {
        uint32_t method = i < unknown ? 0 : (uint32_t)methods[i - unknown];
        same = same && i < before && (i < unknown || state->open[i] == method);
        if (!same) {
            state->open[i] = method;
            state->open_clock[i] = state->clock;
        }
    }
    state->depth = depth;
}

static void follow(struct stream_state *state, const struct recording_event *event)
{
    switch (event->kind) {
    case RECORDING_ENTER:
        push(state, event->method);
        break;
    case RECORDING_LEAVE:
    case RECORDING_UNWIND:
        state->depth -= state->depth > 0;
        break;
    case RECORDING_CUT:
        state->depth = event->number < state->depth ? (uint32_t)event->number : state->depth;
        break;
    case RECORDING_LOST:
    case RECORDING_FILTER:
    case RECORDING_FILTER_END:
    case RECORDING_STACK: // its methods went to replace()
    case RECORDING_AT_SITE:
        break;
    }
}

void stream_state_after(struct stream_state *state, const struct recording_events *block)
{
    state->depth = 0;
    for (uint32_t i = 0; i < block->depth; i++) {
        push(state, block->open[i]);
        state->open_clock[i] = block->open_clock[i];
    }
    const uint32_t *methods = block->stacks;
    for (uint32_t i = 0; i < block->count; i++) {
        const struct recording_event *event = &block->events[i];
        state->clock = event->clock;
        follow(state, event);
        if (event->kind != RECORDING_STACK) {
            continue;
        }
        uint64_t *wide = calloc(event->method ? event->method : 1, sizeof *wide);
        for (uint32_t k = 0; wide && k < event->method; k++) {
            wide[k] = methods[k];
        }
        if (wide && event->number <= RECORDING_DEPTH_MAX && event->method <= event->number) {
            replace(state, (uint32_t)event->number, wide, event->method);
        }
        free(wide);
        methods += event->method;
    }
    state->clock = block->last_clock;
}

bool stream_block_init(struct stream_block *block)
{
    *block = (struct stream_block){.events = calloc(RECORDING_EVENTS_WANTED, sizeof *block->events)};
    return block->events != NULL;
}

void stream_block_free(struct stream_block *block)
{
    free(block->events);
    buffer_free(&block->stacks);
    buffer_free(&block->open);
    buffer_free(&block->open_clock);
    *block = (struct stream_block){0};
}

void stream_block_begin(struct stream_block *block, const struct stream_state *state)
{
    block->count = 0;
    block->words = 0;
    block->represented = 0;
    block->depth = state->depth;
    buffer_clear(&block->stacks);
    buffer_clear(&block->open);
    buffer_clear(&block->open_clock);
    buffer_append(&block->open, state->open, state->depth * sizeof *state->open);
    buffer_append(&block->open_clock, state->open_clock, state->depth * sizeof *state->open_clock);
}

// The smallest value not before `before` with this low half.
static uint64_t widen(uint64_t before, uint32_t low)
{
    uint64_t clock = (before & ~UINT64_C(0xFFFFFFFF)) | low;
    return clock < before ? clock + (UINT64_C(1) << 32) : clock;
}

static struct recording_event *add(struct stream_state *state, struct stream_block *block,
                                   enum recording_event_kind kind, uint32_t method, uint64_t number)
{
    struct recording_event *event = &block->events[block->count++];
    *event = (struct recording_event){.clock = state->clock, .kind = kind, .method = method, .number = number};
    follow(state, event);
    block->represented += kind != RECORDING_LOST && kind != RECORDING_STACK;
    return event;
}

static void add_stack(struct stream_state *state, struct stream_block *block, const uint64_t *further, uint32_t count)
{
    uint64_t depth = further[0];
    uint32_t known = count - 1;
    if (depth > RECORDING_DEPTH_MAX || known > depth) {
        return;
    }
    (void)add(state, block, RECORDING_STACK, known, depth);
    for (uint32_t i = 0; i < known; i++) {
        uint32_t method = (uint32_t)further[1 + i];
        buffer_append(&block->stacks, &method, sizeof method);
    }
    replace(state, (uint32_t)depth, further + 1, known);
}

static void add_extended(struct stream_state *state, struct stream_block *block, enum ring_extended kind,
                         const uint64_t *further, uint32_t count)
{
    switch (kind) {
    case RING_EXTENDED_TIME:
        break; // the clock was set already
    case RING_EXTENDED_CUT:
        (void)add(state, block, RECORDING_CUT, 0, further[0]);
        break;
    case RING_EXTENDED_LOST:
        (void)add(state, block, RECORDING_LOST, 0, further[0]);
        break;
    case RING_EXTENDED_STACK:
        add_stack(state, block, further, count);
        break;
    case RING_EXTENDED_FILTER:
        (void)add(state, block, RECORDING_FILTER, 0, further[0]);
        break;
    case RING_EXTENDED_FILTER_END:
        (void)add(state, block, RECORDING_FILTER_END, 0, 0);
        break;
    }
}

// Returns the words used up; all of them when the event does not hold together.
static size_t decode_extended(struct stream_state *state, struct stream_block *block, const uint64_t *words,
                              size_t count)
{
    uint32_t payload = RING_EVENT_PAYLOAD(words[0]);
    enum ring_extended kind = (enum ring_extended)(payload & 0xFF);
    uint32_t further = payload >> 8;
    bool needs_word = kind != RING_EXTENDED_FILTER_END;
    if (further > count - 1 || (needs_word && further == 0)) {
        return count;
    }
    if (kind == RING_EXTENDED_TIME) {
        state->clock = words[1] > state->clock ? words[1] : state->clock;
    } else {
        state->clock = widen(state->clock, RING_EVENT_CLOCK(words[0]));
    }
    add_extended(state, block, kind, words + 1, further);
    return (size_t)1 + further;
}

size_t stream_decode(struct stream_state *state, struct stream_block *block, const uint64_t *words, size_t count)
{
    size_t used = 0;
    while (used < count && block->count < RECORDING_EVENTS_WANTED) {
        uint64_t word = words[used];
        enum ring_event_kind kind = RING_EVENT_KIND(word);
        if (kind == RING_EVENT_EXTENDED) {
            used += decode_extended(state, block, words + used, count - used);
            continue;
        }
        state->clock = widen(state->clock, RING_EVENT_CLOCK(word));
        if (kind == RING_EVENT_ENTER) {
            (void)add(state, block, RECORDING_ENTER, RING_EVENT_PAYLOAD(word), 0);
        } else {
            (void)add(state, block, kind == RING_EVENT_LEAVE ? RECORDING_LEAVE : RECORDING_UNWIND, 0, 0);
        }
        used++;
    }
    block->words += used;
    return used;
}

struct recording_events stream_block_events(const struct stream_block *block, const struct stream_state *state)
{
    bool any = block->count > 0;
    return (struct recording_events){
        .words = block->words,
        .first_clock = any ? block->events[0].clock : state->clock,
        .last_clock = any ? block->events[block->count - 1].clock : state->clock,
        .depth = block->depth,
        .open = (const uint32_t *)(const void *)block->open.data,
        .open_clock = (const uint64_t *)(const void *)block->open_clock.data,
        .count = block->count,
        .events = block->events,
        .stack_count = (uint32_t)(block->stacks.size / sizeof(uint32_t)),
        .stacks = (const uint32_t *)(const void *)block->stacks.data,
    };
}
