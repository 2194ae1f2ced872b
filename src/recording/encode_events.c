// Writes the events of an EVENTS block as columns. A column holds values of one kind, mostly small and alike, so each takes
// one byte and the compressor behind is fast and finds much. Blocks in which a site occurs have further columns (cells.h),
// and tokens with one more bit.
#include "base/assert.h"
#include "recording/codec.h"

#include <string.h>

#include "recording/event_tokens.h"

enum {
    KINDS_ASYNC = 1u << RECORDING_RUN | 1u << RECORDING_RESUME | 1u << RECORDING_SUSPEND | 1u << RECORDING_COMPLETE,
    KINDS_WITH_NUMBERS = 1u << RECORDING_CUT | 1u << RECORDING_LOST | 1u << RECORDING_FILTER | 1u << RECORDING_STACK |
                         KINDS_ASYNC | 1u << RECORDING_THROWN | 1u << RECORDING_CAUGHT
};

static const uint8_t token_of_kind[] = {
    [RECORDING_ENTER] = TOKEN_ENTER,
    [RECORDING_LEAVE] = TOKEN_LEAVE,
    [RECORDING_UNWIND] = TOKEN_UNWIND,
    [RECORDING_CUT] = TOKEN_CUT,
    [RECORDING_LOST] = TOKEN_LOST,
    [RECORDING_FILTER] = TOKEN_FILTER,
    [RECORDING_STACK] = TOKEN_STACK,
    [RECORDING_FILTER_END] = TOKEN_FILTER_END,
    [RECORDING_RUN] = TOKEN_RUN,
    [RECORDING_RESUME] = TOKEN_RESUME,
    [RECORDING_SUSPEND] = TOKEN_SUSPEND,
    [RECORDING_COMPLETE] = TOKEN_COMPLETE,
    [RECORDING_THROWN] = TOKEN_ENTER + METHOD_THROWN,
    [RECORDING_CAUGHT] = TOKEN_ENTER + METHOD_CAUGHT,
};

static_assert(sizeof token_of_kind == RECORDING_CAUGHT + 1, "each kind but a site has its token");
static_assert(COLUMNS_WITH_SITES + 1 <= sizeof((struct codec_splits){0}).at / sizeof(size_t), "columns and boxes");

void codec_columns_free(struct codec_columns *columns)
{
    for (size_t i = 0; i < COLUMNS_WITH_SITES; i++) {
        buffer_free(&columns->column[i]);
    }
    buffer_free(&columns->steps);
    buffer_free(&columns->met);
    cell_table_free(&columns->sites);
}

// Empties the buffer and makes room for count times size bytes. NULL when memory runs out.
static void *room(struct buffer *buffer, size_t count, size_t size)
{
    buffer_clear(buffer);
    return buffer_extend(buffer, count * size);
}

// -- Tokens -----------------------------------------------------------------------------------------------------------

// Facts about all events of the block that the first pass over them gathers.
struct survey {
    uint64_t differences; // of the clocks, or-ed
    uint64_t negative;    // 1: some clock is before its predecessor
    uint32_t kinds;       // 1 << kind, or-ed
    uint32_t steps;       // differences of clocks that are written
    uint32_t sites;       // events of sites,
    uint32_t statements;  // and those of them that are statements
};

struct token_writer {
    uint8_t *at;
    uint64_t *step;
    uint64_t clock;   // of the event before
    uint64_t methods; // by how much the token of an ENTER exceeds TOKEN_ENTER + its method
    struct survey found;
};

// Clocks are collected as differences first: their common unit is known only after the last.
static inline void put_step(struct token_writer *writer, uint64_t clock)
{
    uint64_t difference = clock - writer->clock;
    writer->clock = clock;
    writer->found.differences |= difference;
    writer->found.negative |= difference >> 63;
    *writer->step++ = difference;
}

// The tokens of ENTER events contain the method's number. Those of throws and catches are those of methods that there are not.
static inline uint64_t token_of(const struct token_writer *writer, const struct recording_event *event)
{
    uint64_t method = event->kind == RECORDING_ENTER ? writer->methods + event->method : 0;
    return token_of_kind[event->kind] + method + (recording_is_throw(event->kind) ? writer->methods : 0);
}

// Writes the tokens of events up to the first one at a site; returns their number. Blocks without sites are done then, which
// makes `calls` recordings as fast as if there were no sites.
static uint32_t put_calls(struct token_writer *into, const struct recording_events *events)
{
    struct token_writer writer = *into;
    uint32_t i = 0;
    for (; i < events->count && events->events[i].kind != RECORDING_AT_SITE; i++) {
        const struct recording_event *event = &events->events[i];
        put_step(&writer, event->clock);
        writer.found.kinds |= 1u << event->kind;
        writer.at = put_varint(writer.at, token_of(&writer, event));
    }
    *into = writer;
    return i;
}

// Most of the time there is room, since the block before had about as many sites.
static inline void put_met(struct buffer *met, uint32_t site)
{
    if (met->capacity - met->size >= sizeof site) {
        memcpy(met->data + met->size, &site, sizeof site);
        met->size += sizeof site;
    } else {
        buffer_append(met, &site, sizeof site);
    }
}

// Adds a site to the table at its first occurrence in the block, and writes its layout.
static enum clew_error meet_site(struct codec_columns *columns, const struct site_layouts *layouts, uint32_t site,
                                 struct cell_writer *cells, struct cell_site **out)
{
    uint32_t layout = layouts ? site_layouts_find(layouts, site) : LAYOUT_UNKNOWN;
    if (layout == LAYOUT_UNKNOWN) {
        return CLEW_MALFORMED;
    }
    cells_put_layout(cells, layout);
    put_met(&columns->met, site);
    *out = cell_table_add(&columns->sites, site, layout);
    return *out ? CLEW_OK : CLEW_NO_MEMORY;
}

// The payload of an event of the site, which begins at cells[*at].
static inline bool put_payload(struct cell_writer *cells, struct cell_site *site, const struct recording_events *events,
                               uint32_t *at)
{
    uint32_t layout = layout_of_payload(site->layout);
    if (layout - 1 < VALUE_U4 && *at < events->cell_count) {
        cells_put_integer(cells, site, events->cells, *at);
        *at += 1;
        return true;
    }
    static const uint32_t none[1];
    const uint32_t *all = events->cells ? events->cells : none; // NULL + 0 is undefined in C17
    uint32_t count = layout_cells(site->layout, all + *at, events->cell_count - *at);
    if (count == UINT32_MAX) {
        return false;
    }
    cells_put(cells, site, all, *at);
    *at += count;
    return true;
}

// The token of most events takes one or two bytes. Which of both is unpredictable, so there is no branch on it.
static inline uint8_t *put_site(uint8_t *at, uint32_t step)
{
    uint64_t token = (uint64_t)zigzag32(step) << 1 | 1;
    if (token >= 1 << 14) {
        return put_varint(at, token);
    }
    bool two = token >= 0x80;
    at[0] = (uint8_t)(token | (uint64_t)two << 7);
    at[1] = (uint8_t)(token >> 7);
    return at + 1 + two;
}

// Writes a CLOCK token when the site that follows has another clock than the event before it.
static inline void put_clock(struct token_writer *writer, uint64_t clock)
{
    if (clock != writer->clock) {
        put_step(writer, clock);
        *writer->at++ = TOKEN_CLOCK << 1;
    }
}

// Writes the tokens and payloads of a block with sites. Payloads must lie in the block's cells in the order of their events,
// without gaps: the decoder restores their positions from that alone.
static enum clew_error put_events(struct token_writer *into, struct cell_writer *cells, struct codec_columns *columns,
                                  const struct recording_events *events, const struct site_layouts *layouts)
{
    struct token_writer writer = *into;
    uint32_t last = 0; // site
    uint32_t at = 0;   // cells that are written
    uint32_t calls = 0, values = 0;
    for (const struct recording_event *event = events->events, *end = event + events->count; event < end; event++) {
        if (event->kind != RECORDING_AT_SITE) {
            calls++;
            put_step(&writer, event->clock);
            writer.found.kinds |= 1u << event->kind;
            writer.at = put_varint(writer.at, token_of(&writer, event) << 1);
            continue;
        }
        put_clock(&writer, event->clock);
        writer.at = put_site(writer.at, event->site - last);
        last = event->site;
        struct cell_site *site = cell_table_find(&columns->sites, last);
        if (!site) {
            CLEW_TRY(meet_site(columns, layouts, last, cells, &site));
        }
        if (event->cell != at) { // must begin where the one before ended
            return CLEW_MALFORMED;
        }
        if (site->layout == 0) {
            continue;
        }
        values++;
        if (layout_of_payload(site->layout) != 0 && !put_payload(cells, site, events, &at)) {
            return CLEW_MALFORMED;
        }
    }
    writer.found.sites = events->count - calls;
    writer.found.statements = writer.found.sites - values;
    *into = writer;
    return at == events->cell_count ? CLEW_OK : CLEW_MALFORMED;
}

// Makes room for the largest columns that the events can have, so that writing needs no checks.
static bool begin_cells(struct codec_columns *columns, const struct recording_events *events, struct cell_writer *cells)
{
    static const size_t sizes[COLUMNS_WITH_SITES] = {
        [COLUMN_LAYOUTS] = CELL_LAYOUT_SIZE_MAX,  [COLUMN_VALUES] = CELL_VALUES_SIZE_MAX,
        [COLUMN_OBJECTS] = CELL_OBJECTS_SIZE_MAX, [COLUMN_PLACES] = CELL_PLACES_SIZE_MAX,
        [COLUMN_REALS] = CELL_REALS_SIZE_MAX,
    };
    for (size_t i = COLUMN_LAYOUTS; i < COLUMNS_WITH_SITES; i++) {
        cells->at[i] = i == COLUMN_BYTES ? room(&columns->column[i], events->cell_count, sizeof(uint32_t))
                                         : room(&columns->column[i], events->count, sizes[i]);
        if (!cells->at[i]) {
            return false;
        }
    }
    return cell_table_begin(&columns->sites);
}

static void end_column(struct buffer *column, const uint8_t *end)
{
    CLEW_ASSERT(end >= column->data && (size_t)(end - column->data) <= column->capacity &&
                "no column outgrows its room");
    column->size = (size_t)(end - column->data);
}

// Fills the columns of tokens and of sites, and columns->steps with the differences of clocks.
static enum clew_error encode_tokens(struct codec_columns *columns, const struct recording_events *events,
                                     const struct site_layouts *layouts, struct survey *survey)
{
    // A site may need a token for its clock.
    uint8_t *tokens = room(&columns->column[COLUMN_TOKENS], events->count, TOKEN_SIZE_MAX + 1);
    uint64_t *steps = room(&columns->steps, events->count, sizeof *steps);
    if (!tokens || !steps) {
        return CLEW_NO_MEMORY;
    }
    const struct token_writer start = {.at = tokens,
                                       .step = steps,
                                       .clock = events->first_clock,
                                       .methods = events->async ? TOKEN_ENTER_ASYNC - TOKEN_ENTER : 0};
    struct token_writer writer = start;
    buffer_clear(&columns->met);
    if (put_calls(&writer, events) < events->count) {
        struct cell_writer cells;
        if (!begin_cells(columns, events, &cells)) {
            return CLEW_NO_MEMORY;
        }
        writer = start;
        CLEW_TRY(put_events(&writer, &cells, columns, events, layouts));
        for (size_t i = COLUMN_LAYOUTS; i < COLUMNS_WITH_SITES; i++) {
            end_column(&columns->column[i], cells.at[i]);
        }
    }
    end_column(&columns->column[COLUMN_TOKENS], writer.at);
    writer.found.steps = (uint32_t)(writer.step - steps);
    *survey = writer.found;
    return events->async || !(writer.found.kinds & KINDS_ASYNC) ? CLEW_OK : CLEW_MALFORMED;
}

// -- Clocks -----------------------------------------------------------------------------------------------------------

// How the differences of clocks are written: divided by their greatest common divisor, odd << shift, since some clocks
// advance in coarse steps only.
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
static uint64_t odd_unit(const uint64_t *steps, uint32_t count, unsigned shift)
{
    uint64_t common = 0;
    for (uint32_t i = 0; i < count && common != 1; i++) {
        uint64_t size = steps[i] >> 63 ? -steps[i] : steps[i];
        common = greatest_common(size >> shift, common);
    }
    CLEW_ASSERT(common & 1 && "some difference is odd once it is shifted");
    return common;
}

static struct clock_form clock_form(const uint64_t *steps, const struct survey *survey)
{
    if (survey->differences == 0) {
        return (struct clock_form){CLOCKS_EQUAL, 0, 1};
    }
    unsigned shift = (unsigned)__builtin_ctzll(survey->differences);
    enum clock_mode mode = survey->negative ? CLOCKS_SIGNED : CLOCKS_UNSIGNED;
    return (struct clock_form){mode, shift, odd_unit(steps, survey->steps, shift)};
}

// The common case: clocks that only grow, in a unit that is a power of two.
static uint8_t *put_shifted_clocks(uint8_t *at, const uint64_t *steps, uint32_t count, unsigned shift)
{
    for (uint32_t i = 0; i < count; i++) {
        at = put_varint(at, steps[i] >> shift);
    }
    return at;
}

static uint8_t *put_divided_clocks(uint8_t *at, const uint64_t *steps, uint32_t count, const struct clock_form *form)
{
    for (uint32_t i = 0; i < count; i++) {
        bool negative = form->mode == CLOCKS_SIGNED && steps[i] >> 63;
        uint64_t size = ((negative ? -steps[i] : steps[i]) >> form->shift) / form->odd;
        at = put_varint(at, form->mode == CLOCKS_SIGNED ? zigzag(negative ? -size : size) : size);
    }
    return at;
}

static bool encode_clocks(struct buffer *into, const uint64_t *steps, uint32_t count, const struct clock_form *form)
{
    uint8_t *start = room(into, count, VARINT_SIZE_MAX);
    if (!start) {
        return false;
    }
    uint8_t *at = start;
    if (form->mode == CLOCKS_UNSIGNED && form->odd == 1) {
        at = put_shifted_clocks(at, steps, count, form->shift);
    } else if (form->mode != CLOCKS_EQUAL) {
        at = put_divided_clocks(at, steps, count, form);
    }
    end_column(into, at);
    return true;
}

// -- Payload ----------------------------------------------------------------------------------------------------------

// The numbers of CUT, LOST, FILTER and STACK events, the serials of async activations, and what is stated. Most blocks have none.
static void encode_extras(struct codec_columns *columns, const struct recording_events *events, uint32_t kinds)
{
    struct buffer *numbers = &columns->column[COLUMN_NUMBERS], *stacks = &columns->column[COLUMN_STACKS];
    buffer_clear(numbers);
    buffer_clear(stacks);
    for (uint32_t i = 0; kinds & KINDS_WITH_NUMBERS && i < events->count; i++) {
        const struct recording_event *event = &events->events[i];
        switch (event->kind) {
        case RECORDING_CUT:
        case RECORDING_FILTER:
            buffer_varint(numbers, event->remaining);
            break;
        case RECORDING_LOST:
            buffer_varint(numbers, event->lost);
            break;
        case RECORDING_STACK:
            buffer_varint(numbers, event->depth);
            buffer_varint(numbers, event->stated);
            break;
        case RECORDING_RUN:
        case RECORDING_RESUME:
        case RECORDING_SUSPEND:
        case RECORDING_COMPLETE:
            buffer_varint(numbers, event->serial);
            if (recording_has_wait(event->kind)) {
                buffer_varint(numbers, event->wait);
            }
            break;
        case RECORDING_THROWN:
        case RECORDING_CAUGHT:
            buffer_varint(numbers, event->exception);
            buffer_varint(numbers, event->thrown);
            break;
        default:
            break;
        }
    }
    for (uint32_t i = 0; i < events->stack_count; i++) {
        buffer_varint(stacks, events->stacks[i]);
    }
}

// The activations that run at the start of the block: methods, then clocks as differences.
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

// The numbers of activations: of the first that begins here, then of those that run, as differences.
static void encode_numbers(struct buffer *into, const struct recording_events *events)
{
    uint64_t before = 0;
    buffer_varint(into, events->first_number);
    for (uint32_t i = 0; i < events->depth; i++) {
        buffer_svarint(into, (int64_t)(events->open_number[i] - before));
        before = events->open_number[i];
    }
}

// The sizes of all columns, then the columns. Remembers where each ends, for the compressor.
static bool append_columns(struct buffer *into, const struct codec_columns *columns, size_t count,
                           struct codec_splits *splits)
{
    for (size_t i = 0; i < count; i++) {
        buffer_varint(into, columns->column[i].size);
    }
    for (size_t i = 0; i < count; i++) {
        const struct buffer *column = &columns->column[i];
        buffer_append(into, column->data, column->size);
        if (column->size > 0) {
            CLEW_ASSERT(splits->count < sizeof splits->at / sizeof *splits->at);
            splits->at[splits->count++] = into->size;
        }
        if (column->failed) {
            return false;
        }
    }
    return !into->failed;
}

// The header's `words` has two halves in blocks with sites, so `words` of the stream must fit 32 bits there.
enum clew_error codec_encode_events(struct buffer *into, const struct recording_events *events,
                                    const struct site_layouts *layouts, struct codec_columns *scratch,
                                    struct codec_splits *splits, struct block_header *header)
{
    struct survey survey;
    CLEW_TRY(encode_tokens(scratch, events, layouts, &survey));
    CLEW_ASSERT(survey.steps <= events->count && survey.statements <= survey.sites && survey.sites <= events->count);
    if (survey.sites > 0) {
        if (events->words > UINT32_MAX) {
            return CLEW_UNSUPPORTED;
        }
        header->flags |= BLOCK_SITES;
        header->words = events->words | (uint64_t)survey.statements << 32;
        header->values = survey.sites - survey.statements;
    }
    const uint64_t *steps = (const uint64_t *)(const void *)scratch->steps.data;
    struct clock_form form = clock_form(steps, &survey);
    if (!encode_clocks(&scratch->column[COLUMN_CLOCKS], steps, survey.steps, &form)) {
        return CLEW_NO_MEMORY;
    }
    encode_extras(scratch, events, survey.kinds);
    encode_open(into, events);
    if (events->first_number > 0) {
        header->flags |= BLOCK_NUMBERS;
        encode_numbers(into, events);
        splits->at[splits->count++] = into->size; // they would spoil the tables of the column after them
    }
    if (events->async) {
        header->flags |= BLOCK_SERIALS;
        for (uint32_t i = 0; i < events->depth; i++) {
            buffer_varint(into, events->open_serial[i]);
        }
    }
    if (events->box_count > 0) {
        header->flags |= BLOCK_BOXES;
        CLEW_TRY(codec_encode_boxes(into, events));
        splits->at[splits->count++] = into->size;
    }
    buffer_varint(into, (uint64_t)form.mode);
    buffer_varint(into, form.odd << form.shift);
    size_t count = survey.sites > 0 ? COLUMNS_WITH_SITES : COLUMNS_WITHOUT_SITES;
    return append_columns(into, scratch, count, splits) ? CLEW_OK : CLEW_NO_MEMORY;
}
