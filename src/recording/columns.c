// The large payloads, as columns: events and nodes of call trees. Equal things stand side by side there, which is what
// makes the compressor both fast and good; small numbers take one byte.
#include "recording/codec.h"

#include <stdlib.h>
#include <string.h>

enum {
    TOKEN_LEAVE = 0,
    TOKEN_UNWIND,
    TOKEN_CUT,
    TOKEN_LOST,
    TOKEN_FILTER,
    TOKEN_FILTER_END,
    TOKEN_STACK,
    TOKEN_ENTER = 8, // + method
    TOKEN_SIZE_MAX = 5,
    VARINT_SIZE_MAX = 10,
    NODE_COLUMNS = 10,
};

enum {
    KINDS_WITH_NUMBERS = 1u << RECORDING_CUT | 1u << RECORDING_LOST | 1u << RECORDING_FILTER | 1u << RECORDING_STACK
};

enum clock_mode { CLOCKS_EQUAL, CLOCKS_UNSIGNED, CLOCKS_SIGNED };

static const uint8_t token_of_kind[] = {
    [RECORDING_ENTER] = TOKEN_ENTER,   [RECORDING_LEAVE] = TOKEN_LEAVE,
    [RECORDING_UNWIND] = TOKEN_UNWIND, [RECORDING_CUT] = TOKEN_CUT,
    [RECORDING_LOST] = TOKEN_LOST,     [RECORDING_FILTER] = TOKEN_FILTER,
    [RECORDING_STACK] = TOKEN_STACK,   [RECORDING_FILTER_END] = TOKEN_FILTER_END,
};

static const uint8_t kind_of_token[] = {
    [TOKEN_LEAVE] = RECORDING_LEAVE,
    [TOKEN_UNWIND] = RECORDING_UNWIND,
    [TOKEN_CUT] = RECORDING_CUT,
    [TOKEN_LOST] = RECORDING_LOST,
    [TOKEN_FILTER] = RECORDING_FILTER,
    [TOKEN_STACK] = RECORDING_STACK,
    [TOKEN_FILTER_END] = RECORDING_FILTER_END,
};

void codec_columns_free(struct codec_columns *columns)
{
    buffer_free(&columns->tokens);
    buffer_free(&columns->clocks);
    buffer_free(&columns->numbers);
    buffer_free(&columns->stacks);
}

void codec_arrays_free(struct codec_arrays *arrays)
{
    free(arrays->events);
    free(arrays->open);
    free(arrays->stacks);
    free(arrays->open_clock);
    free(arrays->nodes);
    *arrays = (struct codec_arrays){0};
}

// Writes where the caller has made sure of the room.
static inline uint8_t *put_varint(uint8_t *at, uint64_t value)
{
    while (value >= 0x80) {
        *at++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *at++ = (uint8_t)value;
    return at;
}

static inline uint64_t zigzag(uint64_t difference)
{
    return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

static inline uint64_t unzigzag(uint64_t value)
{
    return value >> 1 ^ (~(value & 1) + 1);
}

// As bytes_varint(), with the one-byte case inline.
static inline bool take_varint(struct bytes *bytes, uint64_t *out)
{
    if (bytes->at < bytes->end && *bytes->at < 0x80) {
        *out = *bytes->at++;
        return true;
    }
    return bytes_varint(bytes, out);
}

static inline bool take_varint32(struct bytes *bytes, uint32_t *out)
{
    uint64_t value = 0;
    bool whole = take_varint(bytes, &value) && value <= UINT32_MAX;
    *out = (uint32_t)value;
    return whole;
}

// Room for count times size bytes, from the buffer's start.
static uint8_t *room(struct buffer *buffer, size_t count, size_t size)
{
    buffer_clear(buffer);
    return buffer_extend(buffer, count * size);
}

// What the first look at a run of events found out.
struct survey {
    uint64_t differences; // of the clocks, or-ed
    uint64_t negative;    // 1: some clock is before its predecessor
    uint32_t kinds;       // 1 << kind, or-ed
};

static bool encode_tokens(struct buffer *into, const struct recording_events *events, struct survey *survey)
{
    struct survey found = {0};
    uint8_t *start = room(into, events->count, TOKEN_SIZE_MAX);
    if (!start) {
        return false;
    }
    uint8_t *at = start;
    uint64_t before = events->first_clock;
    for (uint32_t i = 0; i < events->count; i++) {
        const struct recording_event *event = &events->events[i];
        uint64_t difference = event->clock - before;
        uint64_t method = event->kind == RECORDING_ENTER ? event->method : 0;
        before = event->clock;
        found.differences |= difference;
        found.negative |= difference >> 63;
        found.kinds |= 1u << event->kind;
        at = put_varint(at, token_of_kind[event->kind] + method);
    }
    into->size = (size_t)(at - start);
    *survey = found;
    return true;
}

// How the clocks of a run are written.
struct clock_form {
    enum clock_mode mode;
    unsigned shift; // the unit is odd << shift
    uint64_t odd;
};

static uint64_t greatest_common(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// The odd part of the differences' greatest common divisor; mostly known to be 1 after a few of them. Some difference is
// odd once shifted.
static uint64_t odd_unit(const struct recording_events *events, unsigned shift)
{
    uint64_t common = 0;
    uint64_t before = events->first_clock;
    for (uint32_t i = 0; i < events->count && common != 1; i++) {
        uint64_t difference = events->events[i].clock - before;
        before = events->events[i].clock;
        uint64_t size = difference >> 63 ? -difference : difference;
        common = greatest_common(size >> shift, common);
    }
    return common;
}

static struct clock_form clock_form(const struct recording_events *events, const struct survey *survey)
{
    if (survey->differences == 0) {
        return (struct clock_form){CLOCKS_EQUAL, 0, 1};
    }
    unsigned shift = (unsigned)__builtin_ctzll(survey->differences);
    return (struct clock_form){survey->negative ? CLOCKS_SIGNED : CLOCKS_UNSIGNED, shift, odd_unit(events, shift)};
}

// The common case: clocks that only grow, in a unit that is a power of two.
static uint8_t *put_shifted_clocks(uint8_t *at, const struct recording_events *events, unsigned shift)
{
    uint64_t before = events->first_clock;
    for (uint32_t i = 0; i < events->count; i++) {
        uint64_t clock = events->events[i].clock;
        at = put_varint(at, (clock - before) >> shift);
        before = clock;
    }
    return at;
}

static uint8_t *put_divided_clocks(uint8_t *at, const struct recording_events *events, const struct clock_form *form)
{
    uint64_t before = events->first_clock;
    for (uint32_t i = 0; i < events->count; i++) {
        uint64_t difference = events->events[i].clock - before;
        bool negative = form->mode == CLOCKS_SIGNED && difference >> 63;
        uint64_t size = ((negative ? -difference : difference) >> form->shift) / form->odd;
        at = put_varint(at, form->mode == CLOCKS_SIGNED ? zigzag(negative ? -size : size) : size);
        before = events->events[i].clock;
    }
    return at;
}

static bool encode_clocks(struct buffer *into, const struct recording_events *events, const struct clock_form *form)
{
    uint8_t *start = room(into, events->count, VARINT_SIZE_MAX);
    if (!start) {
        return false;
    }
    uint8_t *at = start;
    if (form->mode == CLOCKS_UNSIGNED && form->odd == 1) {
        at = put_shifted_clocks(at, events, form->shift);
    } else if (form->mode != CLOCKS_EQUAL) {
        at = put_divided_clocks(at, events, form);
    }
    into->size = (size_t)(at - start);
    return true;
}

static void encode_extras(struct codec_columns *columns, const struct recording_events *events, uint32_t kinds)
{
    buffer_clear(&columns->numbers);
    buffer_clear(&columns->stacks);
    for (uint32_t i = 0; kinds & KINDS_WITH_NUMBERS && i < events->count; i++) {
        const struct recording_event *event = &events->events[i];
        switch (event->kind) {
        case RECORDING_CUT:
        case RECORDING_LOST:
        case RECORDING_FILTER:
            buffer_varint(&columns->numbers, event->number);
            break;
        case RECORDING_STACK:
            buffer_varint(&columns->numbers, event->number);
            buffer_varint(&columns->numbers, event->method);
            break;
        default:
            break;
        }
    }
    for (uint32_t i = 0; i < events->stack_count; i++) {
        buffer_varint(&columns->stacks, events->stacks[i]);
    }
}

static void encode_open(struct buffer *into, const struct recording_events *events)
{
    for (uint32_t i = 0; i < events->depth; i++) {
        buffer_varint(into, events->open[i]);
    }
    uint64_t before = 0;
    for (uint32_t i = 0; i < events->depth; i++) {
        buffer_svarint(into, (int64_t)(events->open_clock[i] - before));
        before = events->open_clock[i];
    }
}

bool codec_encode_events(struct buffer *into, const struct recording_events *events, struct codec_columns *scratch,
                         struct codec_splits *splits)
{
    const struct buffer *columns[] = {&scratch->tokens, &scratch->clocks, &scratch->numbers, &scratch->stacks};
    struct survey survey;
    if (!encode_tokens(&scratch->tokens, events, &survey)) {
        return false;
    }
    struct clock_form form = clock_form(events, &survey);
    if (!encode_clocks(&scratch->clocks, events, &form)) {
        return false;
    }
    encode_extras(scratch, events, survey.kinds);
    encode_open(into, events);
    buffer_varint(into, (uint64_t)form.mode);
    buffer_varint(into, form.odd << form.shift);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        buffer_varint(into, columns[i]->size);
    }
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        buffer_append(into, columns[i]->data, columns[i]->size);
        if (columns[i]->size > 0) {
            splits->at[splits->count++] = into->size;
        }
    }
    return !into->failed && !scratch->numbers.failed && !scratch->stacks.failed;
}

// Makes *array at least count elements long, and never NULL.
static bool grow(void **array, size_t *have, size_t count, size_t size)
{
    size_t bytes;
    count = count ? count : 1;
    if (count <= *have) {
        return true;
    }
    void *larger = size_multiply(count, size, &bytes) ? realloc(*array, bytes) : NULL;
    if (!larger) {
        return false;
    }
    *array = larger;
    *have = count;
    return true;
}

#define GROW(array, have, count) grow((void **)&(array), &(have), (count), sizeof *(array))

static bool decode_open(struct bytes *payload, uint32_t depth, struct codec_arrays *arrays)
{
    for (uint32_t i = 0; i < depth; i++) {
        if (!take_varint32(payload, &arrays->open[i])) {
            return false;
        }
    }
    uint64_t clock = 0;
    for (uint32_t i = 0; i < depth; i++) {
        uint64_t step;
        if (!take_varint(payload, &step)) {
            return false;
        }
        clock += unzigzag(step);
        arrays->open_clock[i] = clock;
    }
    return true;
}

struct event_columns {
    uint64_t mode, unit;
    struct bytes tokens, clocks, numbers, stacks;
};

static bool split_columns(struct bytes *payload, struct event_columns *out)
{
    uint64_t tokens, clocks, numbers, stacks;
    return take_varint(payload, &out->mode) && take_varint(payload, &out->unit) && take_varint(payload, &tokens) &&
           take_varint(payload, &clocks) && take_varint(payload, &numbers) && take_varint(payload, &stacks) &&
           bytes_take(payload, tokens, &out->tokens) && bytes_take(payload, clocks, &out->clocks) &&
           bytes_take(payload, numbers, &out->numbers) && bytes_take(payload, stacks, &out->stacks) &&
           bytes_left(payload) == 0 && out->mode <= CLOCKS_SIGNED;
}

// stacked counts the methods that the STACK events announce.
static bool decode_extra(struct bytes *numbers, struct recording_event *event, uint64_t *stacked)
{
    switch (event->kind) {
    case RECORDING_CUT:
    case RECORDING_LOST:
    case RECORDING_FILTER:
        return take_varint(numbers, &event->number);
    case RECORDING_STACK:
        if (!take_varint(numbers, &event->number) || !take_varint32(numbers, &event->method)) {
            return false;
        }
        *stacked += event->method;
        return true;
    default:
        return true;
    }
}

static bool decode_token(uint64_t token, struct recording_event *event)
{
    if (token >= TOKEN_ENTER) {
        if (token - TOKEN_ENTER > UINT32_MAX) {
            return false;
        }
        event->kind = RECORDING_ENTER;
        event->method = (uint32_t)(token - TOKEN_ENTER);
        return true;
    }
    if (token >= sizeof kind_of_token) {
        return false;
    }
    event->kind = (enum recording_event_kind)kind_of_token[token];
    event->method = 0;
    return true;
}

static bool decode_tokens(struct event_columns *columns, struct recording_event *events, uint32_t count,
                          uint64_t *stacked)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t token;
        events[i].number = 0;
        if (!take_varint(&columns->tokens, &token) || !decode_token(token, &events[i]) ||
            (events[i].kind > RECORDING_UNWIND && !decode_extra(&columns->numbers, &events[i], stacked))) {
            return false;
        }
    }
    return bytes_left(&columns->tokens) == 0 && bytes_left(&columns->numbers) == 0;
}

static bool decode_clocks(struct event_columns *columns, struct recording_event *events, uint32_t count, uint64_t clock)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t step = 0;
        if (columns->mode != CLOCKS_EQUAL && !take_varint(&columns->clocks, &step)) {
            return false;
        }
        clock += (columns->mode == CLOCKS_SIGNED ? unzigzag(step) : step) * columns->unit;
        events[i].clock = clock;
    }
    return bytes_left(&columns->clocks) == 0;
}

static bool decode_stacks(struct bytes *column, uint32_t *stacks, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        if (!take_varint32(column, &stacks[i])) {
            return false;
        }
    }
    return bytes_left(column) == 0;
}

static enum clew_error decode_columns(struct event_columns *columns, struct codec_arrays *arrays,
                                      struct recording_events *out)
{
    uint64_t stacked = 0;
    if (!decode_tokens(columns, arrays->events, out->count, &stacked) ||
        !decode_clocks(columns, arrays->events, out->count, out->first_clock) ||
        stacked > bytes_left(&columns->stacks)) {
        return CLEW_DAMAGED;
    }
    if (!GROW(arrays->stacks, arrays->stacks_room, stacked)) {
        return CLEW_NO_MEMORY;
    }
    if (!decode_stacks(&columns->stacks, arrays->stacks, stacked)) {
        return CLEW_DAMAGED;
    }
    out->stack_count = (uint32_t)stacked;
    out->stacks = arrays->stacks;
    return CLEW_OK;
}

enum clew_error codec_decode_events(const struct block_header *header, struct bytes payload,
                                    struct codec_arrays *arrays, struct recording_events *out)
{
    size_t size = bytes_left(&payload);
    if (header->count > RECORDING_EVENTS_MAX || header->depth > RECORDING_DEPTH_MAX || header->count > size ||
        header->depth > size / 2) {
        return CLEW_DAMAGED;
    }
    if (!GROW(arrays->events, arrays->events_room, header->count) ||
        !GROW(arrays->open, arrays->open_room, header->depth) ||
        !GROW(arrays->open_clock, arrays->open_clock_room, header->depth)) {
        return CLEW_NO_MEMORY;
    }
    struct event_columns columns;
    if (!decode_open(&payload, header->depth, arrays) || !split_columns(&payload, &columns)) {
        return CLEW_DAMAGED;
    }
    *out = (struct recording_events){
        .process = header->process,
        .thread = header->thread,
        .sequence = header->sequence,
        .position = header->position,
        .words = header->words,
        .first_clock = header->first_clock,
        .last_clock = header->last_clock,
        .depth = header->depth,
        .open = arrays->open,
        .open_clock = arrays->open_clock,
        .count = header->count,
        .events = arrays->events,
    };
    return decode_columns(&columns, arrays, out);
}

void codec_encode_nodes(struct buffer *into, const struct recording_tree *tree, uint32_t first, uint32_t count,
                        struct codec_splits *splits)
{
    const struct recording_node *nodes = count ? tree->nodes + first : NULL;
    buffer_varint(into, tree->count);
    buffer_varint(into, tree->final);
    buffer_varint(into, first);
#define COLUMN(value)                                  \
    for (uint32_t i = 0; i < count; i++) {             \
        const struct recording_node *node = &nodes[i]; \
        buffer_varint(into, (value));                  \
    }                                                  \
    splits->at[splits->count++] = into->size;
    COLUMN(first + i - node->parent)
    COLUMN(node->method)
    COLUMN(node->open)
    COLUMN(node->exceptions)
    COLUMN(node->calls)
    COLUMN(node->total)
    COLUMN(zigzag(node->total - node->longest))
    COLUMN(zigzag(node->longest - node->shortest))
    COLUMN(node->cpu_user_ns)
    COLUMN(node->cpu_kernel_ns)
#undef COLUMN
}

#define COLUMN(taken)                            \
    for (uint32_t i = 0; i < count; i++) {       \
        struct recording_node *node = &nodes[i]; \
        if (!(taken)) {                          \
            return false;                        \
        }                                        \
    }

// Only node 0 may be its own parent.
static bool decode_parents(struct bytes *payload, struct recording_node *nodes, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t up;
        if (!take_varint32(payload, &up) || up > first + i || (up == 0) != (first + i == 0)) {
            return false;
        }
        nodes[i].parent = first + i - up;
    }
    return true;
}

static bool decode_node_columns(struct bytes *payload, struct recording_node *nodes, uint32_t count)
{
    COLUMN(take_varint32(payload, &node->method))
    COLUMN(take_varint32(payload, &node->open))
    COLUMN(take_varint32(payload, &node->exceptions))
    COLUMN(take_varint(payload, &node->calls))
    COLUMN(take_varint(payload, &node->total))
    COLUMN(take_varint(payload, &node->longest))
    COLUMN(take_varint(payload, &node->shortest))
    COLUMN(take_varint(payload, &node->cpu_user_ns))
    COLUMN(take_varint(payload, &node->cpu_kernel_ns))
    for (uint32_t i = 0; i < count; i++) {
        nodes[i].longest = nodes[i].total - unzigzag(nodes[i].longest);
        nodes[i].shortest = nodes[i].longest - unzigzag(nodes[i].shortest);
    }
    return bytes_left(payload) == 0;
}
#undef COLUMN

enum clew_error codec_decode_nodes(const struct block_header *header, struct bytes payload, struct codec_arrays *arrays,
                                   struct recording_tree *out, uint32_t *total)
{
    uint32_t whole, first;
    uint64_t final;
    uint32_t count = header->count;
    // A node takes at least a byte in each of its columns.
    if (!take_varint32(&payload, &whole) || !take_varint(&payload, &final) || !take_varint32(&payload, &first) ||
        whole > RECORDING_NODES_MAX || first != out->count || first > whole || count > whole - first ||
        count > bytes_left(&payload) / NODE_COLUMNS || (first > 0 && whole != *total)) {
        return CLEW_DAMAGED;
    }
    if (!GROW(arrays->nodes, arrays->nodes_room, (size_t)first + count)) {
        return CLEW_NO_MEMORY;
    }
    struct recording_node *nodes = arrays->nodes + first;
    if (!decode_parents(&payload, nodes, first, count) || !decode_node_columns(&payload, nodes, count)) {
        return CLEW_DAMAGED;
    }
    *total = whole;
    *out = (struct recording_tree){
        .process = header->process,
        .thread = header->thread,
        .clock = header->last_clock,
        .final = final != 0,
        .count = first + count,
        .nodes = arrays->nodes,
    };
    return CLEW_OK;
}
