// Decoding runs once for each event that the program records, and the program waits when it is slow. So the common
// case, a run of SITE events, has a loop of its own, and cells are checked once, when their event is.
//
// Cells are shared memory, and a broken program may change one after it was checked. So the head of an event, the
// length of a site, and every other value that serves as a size are loaded once, and then checked and used.
#include "collector/drain/stream_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "recording/stack_rules.h"
#include "ring/publish.h"
#include "ring/walk.h"

static_assert((STREAM_BOXES_KNOWN & (STREAM_BOXES_KNOWN - 1)) == 0,
              "a mask of the object number is an index of box_known");
static_assert((int)STREAM_CELLS_MAX > (int)RING_EVENT_CELLS_MAX, "a block has room for any event");

// A limit on the bytes of boxes that wait for their event, so that a broken program cannot use up our memory. An agent
// writes an event and nearly all of its boxes into one chunk.
enum { BOXES_WAITING_MAX = 64 * RING_CHUNK_SIZE };

void stream_state_free(struct stream_state *state)
{
    free(state->open);
    buffer_free(&state->boxes);
    buffer_free(&state->box_cells);
    *state = (struct stream_state){0};
}

static bool grow(struct stream_state *state, uint32_t depth)
{
    CLEW_ASSERT(depth <= RECORDING_DEPTH_MAX && state->depth <= state->capacity);
    if (depth <= state->capacity) {
        return true;
    }
    uint32_t capacity = state->capacity ? state->capacity : 64;
    while (capacity < depth) {
        capacity *= 2; // depth is at most RECORDING_DEPTH_MAX
    }
    struct stream_activation *open = realloc(state->open, capacity * sizeof *open);
    if (!open) {
        state->failed = true;
        return false;
    }
    state->open = open;
    state->capacity = capacity;
    return true;
}

static void push(struct stream_state *state, uint32_t method, uint64_t number)
{
    if (state->depth < RECORDING_DEPTH_MAX && grow(state, state->depth + 1)) {
        state->open[state->depth++] =
            (struct stream_activation){.clock = state->clock, .number = number, .method = method};
    }
}

// Sets the stack to `depth` activations, of which the newest `known` are named. Those that are confirmed keep their start and,
// unless events are missing since then, their number; the others start now, without a number.
static void replace(struct stream_state *state, uint32_t depth, const uint32_t *methods, uint32_t known)
{
    if (!grow(state, depth)) {
        return;
    }
    CLEW_ASSERT(known <= depth);
    uint32_t unknown = depth - known;
    uint32_t same = state->depth ? (uint32_t)stack_confirmed(&state->open->method, sizeof *state->open, state->depth,
                                                             unknown, methods, known)
                                 : 0;
    for (uint32_t i = 0; i < same; i++) {
        state->open[i].serial = 0; // it may be another run of the method; a RUN event that follows says which
        state->open[i].number = state->lost ? 0 : state->open[i].number;
    }
    state->lost = false;
    for (uint32_t i = same; i < depth; i++) {
        uint32_t method = i < unknown ? 0 : methods[i - unknown];
        state->open[i] = (struct stream_activation){.clock = state->clock, .method = method};
    }
    state->depth = depth;
}

static void follow(struct stream_state *state, const struct recording_event *event)
{
    state->depth = (uint32_t)stack_remaining(event, state->depth);
    state->lost = state->lost || event->kind == RECORDING_LOST;
    if (event->kind == RECORDING_ENTER) {
        push(state, event->method, state->next_number);
        state->next_number += state->next_number > 0;
    }
}

// Notes of which async activation an activation is a run, after an event that says so. RUN numbers those that run from 1 on.
static void follow_async(struct stream_state *state, const struct recording_event *event, uint64_t number)
{
    uint64_t which = event->kind == RECORDING_RUN ? number : state->depth;
    if (which >= 1 && which <= state->depth) {
        state->open[which - 1].serial = recording_begins_run(event->kind) ? event->serial : 0;
    }
}

void stream_state_after(struct stream_state *state, const struct recording_events *block)
{
    state->depth = 0;
    state->next_number = block->first_number;
    for (uint32_t i = 0; i < block->depth; i++) {
        state->clock = block->open_clock[i];
        push(state, block->open[i], block->first_number ? block->open_number[i] : 0);
        if (block->async && state->depth == i + 1) {
            state->open[i].serial = block->open_serial[i];
        }
    }
    const uint32_t *methods = block->stacks;
    for (uint32_t i = 0; i < block->count; i++) {
        const struct recording_event *event = &block->events[i];
        state->clock = event->clock;
        follow(state, event);
        if (event->kind == RECORDING_STACK && event->depth <= RECORDING_DEPTH_MAX && event->stated <= event->depth) {
            replace(state, (uint32_t)event->depth, methods, event->stated);
        } else if (recording_is_async(event->kind)) {
            follow_async(state, event, recording_number(methods));
        }
        methods += recording_stated(event);
    }
    state->clock = block->last_clock;
}

bool stream_block_init(struct stream_block *block)
{
    *block = (struct stream_block){.events = calloc(RECORDING_EVENTS_WANTED, sizeof *block->events),
                                   .cells = calloc(STREAM_CELLS_MAX, sizeof *block->cells)};
    return block->events && block->cells;
}

void stream_block_free(struct stream_block *block)
{
    free(block->events);
    free(block->cells);
    buffer_free(&block->stacks);
    buffer_free(&block->open);
    buffer_free(&block->open_clock);
    buffer_free(&block->open_number);
    buffer_free(&block->open_serial);
    buffer_free(&block->objects);
    buffer_free(&block->texts);
    buffer_free(&block->boxes);
    buffer_free(&block->box_cells);
    *block = (struct stream_block){0};
}

static void forget_boxes(struct stream_block *block)
{
    if (block->boxes.size) {
        memset(block->box_known, 0, sizeof block->box_known);
    }
}

static void copy_open(struct stream_block *block, struct stream_state *state)
{
    uint32_t *method = (void *)buffer_extend(&block->open, state->depth * sizeof *method);
    uint64_t *clock = (void *)buffer_extend(&block->open_clock, state->depth * sizeof *clock);
    uint64_t *number = (void *)buffer_extend(&block->open_number, state->depth * sizeof *number);
    uint64_t *serial = (void *)buffer_extend(&block->open_serial, state->depth * sizeof *serial);
    if (state->depth > 0 && (!method || !clock || !number || !serial)) {
        block->depth = 0;
        state->failed = true;
    }
    for (uint32_t i = 0; i < block->depth; i++) {
        method[i] = state->open[i].method;
        clock[i] = state->open[i].clock;
        number[i] = state->open[i].number;
        serial[i] = state->open[i].serial;
        block->async |= serial[i] != 0;
    }
}

void stream_block_begin(struct stream_block *block, struct stream_state *state)
{
    forget_boxes(block);
    block->count = 0;
    block->cell_count = 0;
    block->used = 0;
    block->represented = 0;
    block->depth = state->depth;
    block->async = false;
    buffer_clear(&block->stacks);
    buffer_clear(&block->open);
    buffer_clear(&block->open_clock);
    buffer_clear(&block->open_number);
    buffer_clear(&block->open_serial);
    buffer_clear(&block->objects);
    buffer_clear(&block->texts);
    buffer_clear(&block->boxes);
    buffer_clear(&block->box_cells);
    block->first_number = state->next_number;
    copy_open(block, state);
}

// The smallest clock that is not before `before` and has this low half.
static uint64_t widen(uint64_t before, uint32_t low)
{
    uint64_t clock = (before & ~UINT64_C(0xFFFFFFFF)) | low;
    CLEW_ASSERT((uint32_t)clock == low);
    return clock < before ? clock + (UINT64_C(1) << 32) : clock;
}

// -- Boxes ------------------------------------------------------------------------------------------------------------

static const struct recording_box *boxes_in(const struct buffer *buffer)
{
    return (const struct recording_box *)(const void *)buffer->data;
}

static const uint32_t *cells_in(const struct buffer *buffer)
{
    return (const uint32_t *)(const void *)buffer->data;
}

static size_t bytes_of_box(const struct recording_box *box)
{
    return ((size_t)box->size + 3) / 4 * 4;
}

// Puts a box into the block, unless the block already has the same content of the same box.
static void take_box(struct stream_block *block, struct recording_box box, const uint32_t *cells)
{
    uint32_t *known = &block->box_known[box.object & (STREAM_BOXES_KNOWN - 1)];
    CLEW_ASSERT(*known <= block->boxes.size / sizeof box);
    const struct recording_box *before = *known ? &boxes_in(&block->boxes)[*known - 1] : NULL;
    if (before && before->object == box.object && before->size == box.size &&
        (box.size == 0 || memcmp(cells_in(&block->box_cells) + before->at, cells, bytes_of_box(&box)) == 0)) {
        return;
    }
    box.at = (uint32_t)(block->box_cells.size / sizeof *cells);
    buffer_append(&block->box_cells, cells, bytes_of_box(&box));
    if (!block->box_cells.failed) {
        buffer_append(&block->boxes, &box, sizeof box);
    }
    *known = (uint32_t)(block->boxes.size / sizeof box);
}

// Puts all waiting boxes into the block, for its event number `event`.
static void take_boxes(struct stream_state *state, struct stream_block *block, uint32_t event)
{
    const struct recording_box *boxes = boxes_in(&state->boxes);
    const uint32_t *cells = cells_in(&state->box_cells);
    for (size_t i = 0; i < state->boxes.size / sizeof *boxes; i++) {
        struct recording_box box = boxes[i];
        box.event = event;
        take_box(block, box, box.size ? cells + boxes[i].at : cells);
    }
    buffer_clear(&state->boxes);
    buffer_clear(&state->box_cells);
    state->failed = state->failed || block->boxes.failed || block->box_cells.failed;
}

// -- Events -----------------------------------------------------------------------------------------------------------

static struct recording_event *add(struct stream_state *state, struct stream_block *block,
                                   enum recording_event_kind kind, uint32_t method, uint64_t number)
{
    if (state->boxes.size) {
        take_boxes(state, block, block->count);
    }
    if (kind == RECORDING_LOST) {
        forget_boxes(block);
    }
    CLEW_ASSERT(block->count < RECORDING_EVENTS_WANTED);
    struct recording_event *event = &block->events[block->count++];
    // Whatever the kind's own names for them are: the members of a union share their place.
    *event = (struct recording_event){.clock = state->clock, .kind = kind, .method = method, .remaining = number};
    follow(state, event);
    block->represented += kind != RECORDING_LOST && kind != RECORDING_STACK && kind != RECORDING_RUN;
    state->passages += kind <= RECORDING_UNWIND;
    state->unwinds += kind == RECORDING_UNWIND;
    return event;
}

// 64-bit word i of an extended event, not counting its head.
static uint64_t further(const uint32_t *cells, size_t i)
{
    return ring_word_at(cells + 2 + 2 * i);
}

static void add_stack(struct stream_state *state, struct stream_block *block, const uint32_t *cells, uint32_t words)
{
    uint64_t depth = further(cells, 0);
    uint32_t known = words - 1;
    size_t start = block->stacks.size;
    if (depth > RECORDING_DEPTH_MAX || known > depth) {
        return;
    }
    (void)add(state, block, RECORDING_STACK, known, depth);
    for (uint32_t i = 0; i < known; i++) {
        uint32_t method = (uint32_t)further(cells, 1 + i);
        buffer_append(&block->stacks, &method, sizeof method);
    }
    if (block->stacks.failed) {
        state->failed = true;
        return;
    }
    const uint32_t *methods = known ? (const uint32_t *)(const void *)(block->stacks.data + start) : NULL;
    replace(state, (uint32_t)depth, methods, known);
}

static void add_async(struct stream_state *state, struct stream_block *block, enum recording_event_kind kind,
                      const uint32_t *cells)
{
    uint64_t word = further(cells, 0), number = further(cells, 1);
    uint64_t serial = word & ((UINT64_C(1) << RING_SERIAL_BITS) - 1);
    const uint32_t halves[RECORDING_NUMBER_STATED] = {(uint32_t)number, (uint32_t)(number >> 32)};
    uint32_t wait = recording_has_wait(kind) ? (uint32_t)(word >> RING_SERIAL_BITS) : 0;
    const struct recording_event *event = add(state, block, kind, wait, serial);
    buffer_append(&block->stacks, halves, sizeof halves);
    state->failed = state->failed || block->stacks.failed;
    block->async = true;
    follow_async(state, event, number);
}

static void add_object(struct stream_state *state, struct stream_block *block, const uint32_t *cells, uint32_t words)
{
    uint64_t who = further(cells, 0);
    struct recording_object object = {.object = (uint32_t)who & ~RING_OBJECT_UNCERTAIN, .type = (uint32_t)(who >> 32)};
    bool uncertain = who & RING_OBJECT_UNCERTAIN;
    if (words < (uncertain ? 3 : 2)) {
        return;
    }
    object.size = further(cells, 1);
    if (uncertain) {
        object.perhaps = (uint32_t)further(cells, --words);
    }
    if (words > 2) {
        size_t start = block->texts.size, units = 4 * (size_t)(words - 3);
        uint64_t length = further(cells, 2), stated = length & ~RING_OBJECT_SHAPE;
        object.length = length == stated ? length : 0; // an array is no string
        buffer_wtf16(&block->texts, (const uint16_t *)(const void *)(cells + 2 + 2 * 3),
                     stated < units ? (size_t)stated : units);
        object.text.size = block->texts.size - start;
    }
    buffer_append(&block->objects, &object, sizeof object);
    state->failed = state->failed || block->objects.failed || block->texts.failed;
}

static void add_box(struct stream_state *state, const uint32_t *cells, uint32_t words)
{
    CLEW_ASSERT(words > 0 && "decode_extended() has checked this");
    uint64_t who = further(cells, 0);
    struct recording_box box = {.object = (uint32_t)who, .size = (uint32_t)(who >> 32)};
    if (box.size > 8 * (uint64_t)(words - 1)) {
        return; // the event is too short for its box
    }
    box.at = (uint32_t)(state->box_cells.size / sizeof *cells);
    buffer_append(&state->boxes, &box, sizeof box);
    buffer_append(&state->box_cells, cells + 2 + 2, bytes_of_box(&box));
    state->failed = state->failed || state->boxes.failed || state->box_cells.failed;
    state->malformed = state->malformed || state->boxes.size + state->box_cells.size > BOXES_WAITING_MAX;
}

static void add_extended(struct stream_state *state, struct stream_block *block, enum ring_extended kind,
                         const uint32_t *cells, uint32_t words)
{
    switch (kind) {
    case RING_EXTENDED_TIME:
        break; // decode_extended() has set the clock
    case RING_EXTENDED_LOST:
        (void)add(state, block, RECORDING_LOST, 0, further(cells, 0));
        break;
    case RING_EXTENDED_STACK:
        add_stack(state, block, cells, words);
        break;
    case RING_EXTENDED_FILTER:
        (void)add(state, block, RECORDING_FILTER, 0, further(cells, 0));
        break;
    case RING_EXTENDED_FILTER_END:
        (void)add(state, block, RECORDING_FILTER_END, 0, 0);
        break;
    case RING_EXTENDED_OBJECT:
        add_object(state, block, cells, words);
        break;
    case RING_EXTENDED_BOX:
        add_box(state, cells, words);
        break;
    case RING_EXTENDED_RESUME:
        add_async(state, block, RECORDING_RESUME, cells);
        break;
    case RING_EXTENDED_SUSPEND:
        add_async(state, block, RECORDING_SUSPEND, cells);
        break;
    case RING_EXTENDED_COMPLETE:
        add_async(state, block, RECORDING_COMPLETE, cells);
        break;
    case RING_EXTENDED_RUN:
        add_async(state, block, RECORDING_RUN, cells);
        break;
    case RING_EXTENDED_THROWN:
    case RING_EXTENDED_CAUGHT:
        (void)add(state, block, kind == RING_EXTENDED_THROWN ? RECORDING_THROWN : RECORDING_CAUGHT,
                  (uint32_t)(further(cells, 0) >> 32), (uint32_t)further(cells, 0));
        break;
    }
}

// How many words an event of the kind has at least, besides its head.
static uint32_t least_words(enum ring_extended kind)
{
    return kind == RING_EXTENDED_FILTER_END ? 0 : kind >= RING_EXTENDED_RESUME && kind <= RING_EXTENDED_RUN ? 2 : 1;
}

// `head` is cells[0], which is read only once. False when the event has fewer words than its kind needs.
static bool decode_extended(struct stream_state *state, struct stream_block *block, uint32_t head,
                            const uint32_t *cells, size_t size)
{
    enum ring_extended kind = (enum ring_extended)(RING_EVENT_PAYLOAD(head) & 0xFF);
    uint32_t words = (uint32_t)(size / 2 - 1);
    if (words < least_words(kind)) {
        return false;
    }
    if (kind == RING_EXTENDED_TIME) {
        uint64_t clock = further(cells, 0);
        state->clock = clock > state->clock ? clock : state->clock;
    } else {
        state->clock = widen(state->clock, cells[1]);
    }
    add_extended(state, block, kind, cells, words);
    return true;
}

static void decode_site(struct stream_state *state, struct stream_block *block, uint32_t head, const uint32_t *cells,
                        size_t size)
{
    (void)add(state, block, RECORDING_AT_SITE, head >> 2, block->cell_count);
    CLEW_ASSERT(block->cell_count + size - 1 <= STREAM_CELLS_MAX);
    for (size_t i = 1; i < size; i++) {
        block->cells[block->cell_count++] = cells[i];
    }
}

// Decodes SITE events up to the first event of another kind, or of a site with a variable size. Most events of most
// streams are of this kind, so this loop does per run of sites all that need not be done per event. Returns the cells
// used.
static size_t decode_sites(struct stream_state *state, struct stream_block *block, const uint16_t *lengths,
                           const uint32_t *cells, size_t count)
{
    const uint32_t other =
        ~((uint32_t)RING_SITES_MAX - 1) << 2 | 3; // set bits mean another kind, or a number that no site has
    const uint32_t *at = cells, *end = cells + count;
    const uint64_t clock = state->clock;
    struct recording_event *event = block->events + block->count;
    const struct recording_event *last = block->events + RECORDING_EVENTS_WANTED;
    uint32_t *payload = block->cells + block->cell_count;
    const uint32_t *full = block->cells + STREAM_CELLS_MAX - RING_EVENT_CELLS_MAX;
    while (at < end && event < last && payload <= full) {
        uint32_t head = RING_READ_ONCE(at[0]); // ring_event_cells() says why once
        if ((head & other) != RING_EVENT_SITE) {
            break;
        }
        uint32_t length = RING_READ_ONCE(lengths[head >> 2]);
        size_t size = length & (EVENT_LENGTH_CELLS | EVENT_LENGTH_TYPED);
        if (size - 1 >= RING_EVENT_CELLS_MAX || size > (size_t)(end - at)) { // 0: not defined
            break;
        }
        *event++ = (struct recording_event){
            .clock = clock, .kind = RECORDING_AT_SITE, .site = head >> 2, .cell = (uint64_t)(payload - block->cells)};
        // The processor predicts these branches. Adding `size` to `at` would make it wait for the load of the length.
        at++;
        if (size == 2) {
            *payload++ = *at++;
        } else if (size == 3) {
            *payload++ = *at++;
            *payload++ = *at++;
        } else {
            for (; size > 1; size--) {
                *payload++ = *at++;
            }
        }
    }
    if (state->boxes.size && event > block->events + block->count) {
        take_boxes(state, block, block->count);
    }
    CLEW_ASSERT(event <= last && at <= end && payload <= block->cells + STREAM_CELLS_MAX);
    CLEW_ASSERT(event >= block->events + block->count && payload >= block->cells + block->cell_count);
    block->represented += (uint64_t)(event - block->events) - block->count;
    block->count = (uint32_t)(event - block->events);
    block->cell_count = (uint32_t)(payload - block->cells);
    return (size_t)(at - cells);
}

bool stream_block_full(const struct stream_block *block)
{
    return block->count == RECORDING_EVENTS_WANTED || block->cell_count > STREAM_CELLS_MAX - RING_EVENT_CELLS_MAX ||
           block->box_cells.size > STREAM_BOX_CELLS_MAX * sizeof(uint32_t) || block->used > STREAM_USED_MAX;
}

size_t stream_decode(struct stream_state *state, struct stream_block *block, const uint16_t *lengths,
                     const uint32_t *cells, size_t count)
{
    size_t used = 0;
    for (;;) {
        used += decode_sites(state, block, lengths, cells + used, count - used);
        if (used == count || stream_block_full(block)) {
            break;
        }
        const uint32_t *at = cells + used;
        uint32_t head = RING_READ_ONCE(at[0]);
        size_t size = ring_event_cells(lengths, head, at, count - used);
        CLEW_ASSERT(size <= count - used);
        enum ring_event_kind kind = RING_EVENT_KIND(head);
        if (size == 0 || (kind == RING_EVENT_EXTENDED && !decode_extended(state, block, head, at, size))) {
            state->malformed = true;
            used = count;
            break;
        }
        if (kind == RING_EVENT_SITE) {
            decode_site(state, block, head, at, size);
        } else if (kind != RING_EVENT_EXTENDED) {
            state->clock = widen(state->clock, at[1]);
            uint32_t payload = RING_EVENT_PAYLOAD(head);
            bool enters = kind == RING_EVENT_ENTER;
            // A broken program's: no method has such a number, and recordings give them another meaning.
            payload = enters && (payload == METHOD_THROWN || payload == METHOD_CAUGHT) ? METHOD_MISSING : payload;
            (void)add(state, block,
                      enters    ? RECORDING_ENTER
                      : payload ? RECORDING_UNWIND
                                : RECORDING_LEAVE,
                      enters ? payload : 0, 0);
        }
        used += size;
    }
    CLEW_ASSERT(used <= count);
    block->used += used;
    return used;
}

struct recording_events stream_block_events(const struct stream_block *block, const struct stream_state *state)
{
    bool any = block->count > 0;
    return (struct recording_events){
        .words = block->used,
        .first_clock = any ? block->events[0].clock : state->clock,
        .last_clock = any ? block->events[block->count - 1].clock : state->clock,
        .depth = block->depth,
        .open = (const uint32_t *)(const void *)block->open.data,
        .open_clock = (const uint64_t *)(const void *)block->open_clock.data,
        .first_number = block->first_number,
        .open_number = (const uint64_t *)(const void *)block->open_number.data,
        .async = block->async,
        .open_serial = (const uint64_t *)(const void *)block->open_serial.data,
        .count = block->count,
        .events = block->events,
        .stack_count = (uint32_t)(block->stacks.size / sizeof(uint32_t)),
        .stacks = (const uint32_t *)(const void *)block->stacks.data,
        .cell_count = block->cell_count,
        .cells = block->cells,
        .box_count = (uint32_t)(block->boxes.size / sizeof(struct recording_box)),
        .boxes = boxes_in(&block->boxes),
        .box_cell_count = (uint32_t)(block->box_cells.size / sizeof(uint32_t)),
        .box_cells = cells_in(&block->box_cells),
    };
}

struct recording_objects stream_block_objects(struct stream_block *block, uint32_t process)
{
    struct recording_object *objects = (struct recording_object *)(void *)block->objects.data;
    const char *text = block->texts.data ? (const char *)block->texts.data : "";
    struct recording_objects all = {.process = process, .lowest = UINT32_MAX, .objects = objects};
    all.count = (uint32_t)(block->objects.size / sizeof *objects);
    for (uint32_t i = 0; i < all.count; i++) {
        objects[i].text.at = text;
        text += objects[i].text.size;
        all.lowest = objects[i].object < all.lowest ? objects[i].object : all.lowest;
        all.highest = objects[i].object > all.highest ? objects[i].object : all.highest;
    }
    return all;
}
