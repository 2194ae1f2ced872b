// Reads the events of an EVENTS block from its columns. Nothing in the payload is trusted: each step checks that its column
// holds what it takes, and at the end each column has to be used up.
#include "base/assert.h"
#include "recording/codec.h"

#include "recording/event_tokens.h"

static const uint8_t kind_of_token[] = {
    [TOKEN_LEAVE] = RECORDING_LEAVE,
    [TOKEN_UNWIND] = RECORDING_UNWIND,
    [TOKEN_CUT] = RECORDING_CUT,
    [TOKEN_LOST] = RECORDING_LOST,
    [TOKEN_FILTER] = RECORDING_FILTER,
    [TOKEN_STACK] = RECORDING_STACK,
    [TOKEN_FILTER_END] = RECORDING_FILTER_END,
    [TOKEN_RUN] = RECORDING_RUN,
    [TOKEN_RESUME] = RECORDING_RESUME,
    [TOKEN_SUSPEND] = RECORDING_SUSPEND,
    [TOKEN_COMPLETE] = RECORDING_COMPLETE,
};

static_assert(sizeof kind_of_token == TOKEN_ENTER_ASYNC, "each token but that of an ENTER has its kind");

// The methods of the activations that run at the start of the block, then the clocks of their starts.
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

// The numbers of activations. The first is not 0, which would mean that the block has none.
static bool decode_numbers(struct bytes *payload, uint32_t depth, struct codec_arrays *arrays, uint64_t *first)
{
    uint64_t number = 0;
    if (!take_varint(payload, first) || *first == 0 || *first > CODEC_NUMBER_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < depth; i++) {
        uint64_t step;
        if (!take_varint(payload, &step)) {
            return false;
        }
        number += unzigzag(step);
        arrays->open_number[i] = number;
    }
    return true;
}

// Of which async activations the open activations are runs.
static bool decode_serials(struct bytes *payload, uint32_t depth, struct codec_arrays *arrays)
{
    for (uint32_t i = 0; i < depth; i++) {
        if (!take_varint(payload, &arrays->open_serial[i])) {
            return false;
        }
    }
    return true;
}

// The columns of a block while they are read.
struct event_columns {
    uint64_t mode, unit;
    uint64_t clock; // of the event before
    uint64_t enter; // the token of an ENTER, less its method
    struct cell_reader columns;
};

// Finds the columns by their sizes. They have to fill the rest of the payload exactly.
static bool split_columns(struct bytes *payload, size_t count, struct event_columns *out)
{
    uint64_t sizes[COLUMNS_WITH_SITES];
    if (!take_varint(payload, &out->mode) || out->mode > CLOCKS_SIGNED || !take_varint(payload, &out->unit)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!take_varint(payload, &sizes[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (!bytes_take(payload, sizes[i], &out->columns.left[i])) {
            return false;
        }
    }
    return bytes_left(payload) == 0;
}

// Whether each column was read to its end. That of stacks is read later.
static bool columns_are_used_up(const struct event_columns *columns, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i != COLUMN_STACKS && bytes_left(&columns->columns.left[i]) > 0) {
            return false;
        }
    }
    return true;
}

// Advances columns->clock by the next difference.
static inline bool take_clock(struct event_columns *columns)
{
    uint64_t step = 0;
    if (columns->mode != CLOCKS_EQUAL && !take_varint(&columns->columns.left[COLUMN_CLOCKS], &step)) {
        return false;
    }
    columns->clock += (columns->mode == CLOCKS_SIGNED ? unzigzag(step) : step) * columns->unit;
    return true;
}

// Reads the numbers of an event that has some. *stacked sums up the methods that STACK events announce.
static bool decode_extra(struct bytes *numbers, struct recording_event *event, uint64_t *stacked)
{
    switch (event->kind) {
    case RECORDING_CUT:
    case RECORDING_FILTER:
        return take_varint(numbers, &event->remaining);
    case RECORDING_LOST:
        return take_varint(numbers, &event->lost);
    case RECORDING_STACK:
        if (!take_varint(numbers, &event->depth) || !take_varint32(numbers, &event->stated)) {
            return false;
        }
        *stacked += event->stated;
        return true;
    case RECORDING_RUN:
    case RECORDING_RESUME:
    case RECORDING_SUSPEND:
    case RECORDING_COMPLETE:
        *stacked += recording_stated(event);
        return take_varint(numbers, &event->serial) &&
               (!recording_has_wait(event->kind) || take_varint32(numbers, &event->wait));
    case RECORDING_THROWN:
    case RECORDING_CAUGHT:
        return take_varint(numbers, &event->exception) && take_varint32(numbers, &event->thrown);
    default:
        return true;
    }
}

static bool decode_throw(struct event_columns *columns, struct recording_event *event)
{
    uint64_t stacked = 0; // such an event states none
    event->kind = event->method == METHOD_THROWN ? RECORDING_THROWN : RECORDING_CAUGHT;
    return decode_extra(&columns->columns.left[COLUMN_NUMBERS], event, &stacked);
}

// Decodes an event that is not at a site.
static inline bool decode_call(struct event_columns *columns, uint64_t token, struct recording_event *event,
                               uint64_t *stacked)
{
    *event = (struct recording_event){0};
    if (token >= columns->enter) {
        event->kind = RECORDING_ENTER;
        event->method = (uint32_t)(token - columns->enter);
        bool thrown = event->method == METHOD_THROWN || event->method == METHOD_CAUGHT;
        if (token - columns->enter > UINT32_MAX || (thrown && !decode_throw(columns, event))) {
            return false;
        }
    } else if (token != TOKEN_CLOCK) {
        event->kind = (enum recording_event_kind)kind_of_token[token];
        if (event->kind > RECORDING_UNWIND && !decode_extra(&columns->columns.left[COLUMN_NUMBERS], event, stacked)) {
            return false;
        }
    } else {
        return false;
    }
    bool whole = take_clock(columns);
    event->clock = columns->clock;
    return whole;
}

// Decodes a block without sites.
static enum clew_error decode_calls(struct event_columns *columns, struct recording_event *events, uint32_t count,
                                    uint64_t *stacked)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t token;
        if (!take_varint(&columns->columns.left[COLUMN_TOKENS], &token) ||
            !decode_call(columns, token, &events[i], stacked)) {
            return CLEW_DAMAGED;
        }
    }
    return CLEW_OK;
}

// Adds a site to the table at its first occurrence in the block, with the layout that the block states.
static enum clew_error learn_site(struct event_columns *columns, struct cell_table *table, uint32_t site,
                                  struct cell_site **out)
{
    uint32_t layout;
    if (!cells_take_layout(&columns->columns, &layout)) {
        return CLEW_DAMAGED;
    }
    *out = cell_table_add(table, site, layout);
    return *out ? CLEW_OK : CLEW_NO_MEMORY;
}

// Decodes a block with sites. Payloads are appended to arrays->cells, whose room was computed from the sizes of the columns.
static enum clew_error decode_events(struct event_columns *columns, struct codec_arrays *arrays, uint32_t count,
                                     uint32_t *cell_count, uint64_t *stacked)
{
    // Local copies: without them the compiler would have to reload both after each stored event, which might alias them.
    struct bytes tokens = columns->columns.left[COLUMN_TOKENS];
    struct recording_event *event = arrays->events;
    const struct recording_event *end = event + count;
    uint32_t last = 0; // site
    const bool without_payloads = arrays->without_payloads;
    while (event < end) {
        uint64_t token;
        if (!take_varint(&tokens, &token)) {
            return CLEW_DAMAGED;
        }
        if (token == TOKEN_CLOCK << 1) {
            if (!take_clock(columns)) {
                return CLEW_DAMAGED;
            }
            continue;
        }
        if (!(token & 1)) {
            if (!decode_call(columns, token >> 1, event++, stacked)) {
                return CLEW_DAMAGED;
            }
            continue;
        }
        if (token >> 1 > UINT32_MAX) {
            return CLEW_DAMAGED;
        }
        last += unzigzag32((uint32_t)(token >> 1));
        *event++ = (struct recording_event){
            .clock = columns->clock, .kind = RECORDING_AT_SITE, .site = last, .cell = *cell_count};
        if (without_payloads) {
            continue;
        }
        struct cell_site *site = cell_table_find(&arrays->sites, last);
        if (!site) {
            CLEW_TRY(learn_site(columns, &arrays->sites, last, &site));
        }
        if (site->layout != 0 && !cells_take(&columns->columns, site, arrays->cells, cell_count)) {
            return CLEW_DAMAGED;
        }
    }
    CLEW_ASSERT(*cell_count <= arrays->cells_room);
    columns->columns.left[COLUMN_TOKENS] = tokens;
    return CLEW_OK;
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

// Decodes events and stacks, and checks that the columns hold nothing else.
static enum clew_error decode_columns(struct event_columns *columns, bool sites, struct codec_arrays *arrays,
                                      struct recording_events *out)
{
    uint64_t stacked = 0;
    if (sites) {
        if (!cell_table_begin(&arrays->sites) ||
            !CODEC_GROW(arrays->cells, arrays->cells_room, cells_at_most(&columns->columns, out->count))) {
            return CLEW_NO_MEMORY;
        }
        CLEW_TRY(decode_events(columns, arrays, out->count, &out->cell_count, &stacked));
        out->cells = arrays->cells;
    } else {
        CLEW_TRY(decode_calls(columns, arrays->events, out->count, &stacked));
    }
    struct bytes *stacks = &columns->columns.left[COLUMN_STACKS];
    bool payloads = sites && !arrays->without_payloads;
    if (!columns_are_used_up(columns, payloads ? COLUMNS_WITH_SITES : COLUMNS_WITHOUT_SITES) ||
        stacked > bytes_left(stacks)) {
        return CLEW_DAMAGED;
    }
    if (!CODEC_GROW(arrays->stacks, arrays->stacks_room, stacked)) {
        return CLEW_NO_MEMORY;
    }
    out->stack_count = (uint32_t)stacked;
    out->stacks = arrays->stacks;
    return decode_stacks(stacks, arrays->stacks, stacked) ? CLEW_OK : CLEW_DAMAGED;
}

// -- Searching --------------------------------------------------------------------------------------------------------

// Tokens of one and two bytes, which come in any order, without a branch between them.
static inline bool take_token(struct bytes *tokens, uint64_t *token)
{
    if (bytes_left(tokens) < 2 || tokens->at[0] & tokens->at[1] & 0x80) {
        return take_varint(tokens, token);
    }
    uint32_t first = tokens->at[0], second = tokens->at[1], longer = first >> 7;
    *token = (first & 0x7F) | (second << 7 & (0 - longer));
    tokens->at += 1 + longer;
    return true;
}

// Whether the token is of something that is searched for.
static inline uint8_t search_token(const struct recording_search *search, uint64_t token)
{
    static const uint8_t others[TOKEN_ENTER] = {
        [TOKEN_CUT] = 1, [TOKEN_LOST] = 1, [TOKEN_FILTER] = 1, [TOKEN_FILTER_END] = 1, [TOKEN_STACK] = 1};
    uint64_t method = token - TOKEN_ENTER;
    const uint8_t *found = &search->methods[method < search->count ? method : search->count];
    return *(token < TOKEN_ENTER ? &others[token] : found);
}

static enum clew_error search_events(struct bytes tokens, bool sites, const struct recording_search *search,
                                     struct recording_events *out)
{
    uint8_t found = out->async; // what belongs to async activations is not looked at
    CLEW_ASSERT(search->methods[search->count] == 0);
    for (uint32_t i = 0; i < out->depth && !found; i++) {
        found = out->open[i] < search->count && search->methods[out->open[i]];
    }
    while (bytes_left(&tokens) > 0 && !found) {
        uint64_t token;
        if (!take_token(&tokens, &token)) {
            return CLEW_DAMAGED;
        }
        found = search_token(search, sites ? (token & 1 ? TOKEN_CLOCK : token >> 1) : token);
    }
    out->events = NULL;
    out->found = found;
    return CLEW_OK;
}

// An event takes at least one byte and an open activation two, which bounds the allocations for a hostile header.
enum clew_error codec_decode_events(const struct block_header *header, struct bytes payload,
                                    struct codec_arrays *arrays, struct recording_events *out)
{
    size_t size = bytes_left(&payload);
    bool sites = header->flags & BLOCK_SITES;
    if (header->count > RECORDING_EVENTS_MAX || header->depth > RECORDING_DEPTH_MAX || header->count > size ||
        header->depth > size / 2) {
        return CLEW_DAMAGED;
    }
    if (!CODEC_GROW(arrays->events, arrays->events_room, header->count) ||
        !CODEC_GROW(arrays->open, arrays->open_room, header->depth) ||
        !CODEC_GROW(arrays->open_clock, arrays->open_clock_room, header->depth)) {
        return CLEW_NO_MEMORY;
    }
    struct event_columns columns = {.clock = header->first_clock,
                                    .enter = header->flags & BLOCK_SERIALS ? TOKEN_ENTER_ASYNC : TOKEN_ENTER};
    if (!decode_open(&payload, header->depth, arrays)) {
        return CLEW_DAMAGED;
    }
    *out = (struct recording_events){
        .process = header->process,
        .thread = header->thread,
        .sequence = header->sequence,
        .position = header->position,
        .words = block_words(header),
        .first_clock = header->first_clock,
        .last_clock = header->last_clock,
        .depth = header->depth,
        .open = arrays->open,
        .open_clock = arrays->open_clock,
        .count = header->count,
        .events = arrays->events,
    };
    if (header->flags & BLOCK_NUMBERS) {
        if (!CODEC_GROW(arrays->open_number, arrays->open_number_room, header->depth)) {
            return CLEW_NO_MEMORY;
        }
        if (!decode_numbers(&payload, header->depth, arrays, &out->first_number)) {
            return CLEW_DAMAGED;
        }
        out->open_number = arrays->open_number;
    }
    if (header->flags & BLOCK_SERIALS) {
        if (!CODEC_GROW(arrays->open_serial, arrays->open_serial_room, header->depth)) {
            return CLEW_NO_MEMORY;
        }
        if (!decode_serials(&payload, header->depth, arrays)) {
            return CLEW_DAMAGED;
        }
        out->async = true;
        out->open_serial = arrays->open_serial;
    }
    if (header->flags & BLOCK_BOXES) {
        CLEW_TRY(codec_decode_boxes(&payload, arrays, out));
    }
    if (!split_columns(&payload, sites ? COLUMNS_WITH_SITES : COLUMNS_WITHOUT_SITES, &columns)) {
        return CLEW_DAMAGED;
    }
    return arrays->search ? search_events(columns.columns.left[COLUMN_TOKENS], sites, arrays->search, out)
                          : decode_columns(&columns, sites, arrays, out);
}
