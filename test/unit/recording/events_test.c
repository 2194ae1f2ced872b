// A run of a stream as columns: clocks in their own unit, sites with their cells, and payloads that say too much or too
// little.
#include "payload.h"

#include "trace/site.h"

static struct codec_columns columns;
static struct codec_arrays arrays;
static struct recording_events decoded;
static struct site_layouts layouts;
static struct buffer payload;
static struct block_header header;

static int release(void **state)
{
    (void)state;
    codec_columns_free(&columns);
    codec_arrays_free(&arrays);
    site_layouts_free(&layouts);
    buffer_free(&payload);
    return 0;
}

static enum clew_error decode(const struct block_header *of, struct bytes bytes)
{
    return codec_decode_events(of, bytes, &arrays, &decoded);
}

static struct codec_splits splits; // of the payload

static enum clew_error encode(const struct recording_events *events)
{
    splits.count = 0;
    header = (struct block_header){.type = RECORDING_EVENTS,
                                   .count = events->count,
                                   .depth = events->depth,
                                   .words = events->words,
                                   .first_clock = events->first_clock,
                                   .last_clock = events->last_clock};
    buffer_clear(&payload);
    return codec_encode_events(&payload, events, layouts.of ? &layouts : NULL, &columns, &splits, &header);
}

// The payload of `count` entries at these clocks, read again.
static size_t expect_clocks(uint64_t first, const uint64_t *clocks, uint32_t count)
{
    struct recording_event events[8];
    for (uint32_t i = 0; i < count; i++) {
        events[i] = (struct recording_event){.clock = clocks[i], .kind = RECORDING_ENTER, .method = 16};
    }
    const struct recording_events block = {.count = count, .first_clock = first, .events = events};
    assert_int_equal(encode(&block), CLEW_OK);
    assert_int_equal(decode(&header, bytes_of(payload.data, payload.size)), CLEW_OK);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(decoded.events[i].clock, clocks[i]);
    }
    expect_exact(decode, &header, &payload);
    return payload.size;
}

static void clocks_take_as_many_bytes_as_their_steps(void **state)
{
    (void)state;
    static const uint64_t equal[] = {5, 5, 5}, ns100[] = {0, 700, 12700}, odd[] = {0, 3000000001, 6000000002};
    static const uint64_t powers[] = {1u << 20, 2u << 20, 3u << 20}, back[] = {10, 4, 10};
    static const uint64_t largest[] = {0, UINT64_MAX, 0, UINT64_MAX / 2 + 1, 0};
    size_t none = expect_clocks(5, equal, 3);
    assert_true(expect_clocks(0, ns100, 3) <= none + 3 + 1); // a byte a step, in hundreds; a byte more for the unit
    assert_true(expect_clocks(0, odd, 3) <= none + 3 + 4);   // in the steps' own unit
    assert_true(expect_clocks(0, powers, 3) <= none + 3 + 2);
    expect_clocks(10, back, 3);
    expect_clocks(0, largest, 5);
    expect_clocks(UINT64_MAX, largest, 5);
    assert_true(expect_clocks(0, NULL, 0) < none);
}

static void every_kind_of_event_decodes_to_itself(void **state)
{
    (void)state;
    static const uint32_t open[] = {16, UINT32_MAX}, stacks[] = {16, UINT32_MAX, 0};
    static const uint64_t open_clock[] = {100, 50};
    static const struct recording_event events[] = {
        {.clock = 100, .kind = RECORDING_ENTER, .method = UINT32_MAX},
        {.clock = 100, .kind = RECORDING_LEAVE},
        {.clock = 101, .kind = RECORDING_UNWIND},
        {.clock = 101, .kind = RECORDING_CUT, .remaining = UINT64_MAX},
        {.clock = 101, .kind = RECORDING_LOST, .lost = 0},
        {.clock = 101, .kind = RECORDING_FILTER, .remaining = 3},
        {.clock = 101, .kind = RECORDING_FILTER_END},
        {.clock = 101, .kind = RECORDING_STACK, .stated = 3, .depth = 7},
        {.clock = 101, .kind = RECORDING_THROWN, .thrown = THROW_BELOW, .exception = UINT64_MAX},
        {.clock = 101, .kind = RECORDING_CAUGHT, .thrown = UINT32_MAX, .exception = 0},
    };
    const struct recording_events block = {.depth = 2,
                                           .open = open,
                                           .open_clock = open_clock,
                                           .first_clock = 100,
                                           .last_clock = 101,
                                           .words = UINT64_MAX,
                                           .count = sizeof events / sizeof *events,
                                           .events = events,
                                           .stack_count = 3,
                                           .stacks = stacks};
    assert_int_equal(encode(&block), CLEW_OK);
    assert_int_equal(decode(&header, bytes_of(payload.data, payload.size)), CLEW_OK);
    assert_memory_equal(decoded.events, events, sizeof events);
    assert_memory_equal(decoded.open, open, sizeof open);
    assert_memory_equal(decoded.open_clock, open_clock, sizeof open_clock);
    assert_memory_equal(decoded.stacks, stacks, sizeof stacks);
    assert_int_equal(decoded.words, UINT64_MAX);
    expect_exact(decode, &header, &payload);
    expect_no_harm(decode, &header, &payload);
}

static void activations_keep_their_numbers(void **state)
{
    (void)state;
    static const uint32_t open[] = {16, 17, 18};
    static const uint64_t open_clock[] = {1, 2, 3}, numbers[] = {7, 0, UINT64_MAX};
    static const struct recording_event events[] = {{.clock = 100, .kind = RECORDING_ENTER, .method = 16},
                                                    {.clock = 100, .kind = RECORDING_LEAVE}};
    struct recording_events block = {.depth = 3,
                                     .open = open,
                                     .open_clock = open_clock,
                                     .first_number = (uint64_t)INT64_MAX,
                                     .open_number = numbers,
                                     .first_clock = 100,
                                     .last_clock = 100,
                                     .count = 2,
                                     .events = events};
    assert_int_equal(encode(&block), CLEW_OK);
    assert_true(header.flags & BLOCK_NUMBERS);
    assert_int_equal(decode(&header, bytes_of(payload.data, payload.size)), CLEW_OK);
    assert_true(decoded.first_number == (uint64_t)INT64_MAX);
    assert_memory_equal(decoded.open_number, numbers, sizeof numbers);
    assert_memory_equal(decoded.events, events, sizeof events);
    expect_exact(decode, &header, &payload);
    expect_no_harm(decode, &header, &payload);
    block.first_number++; // no writer comes so far, and a reader's next number would wrap
    assert_int_equal(encode(&block), CLEW_OK);
    assert_int_equal(decode(&header, bytes_of(payload.data, payload.size)), CLEW_DAMAGED);
    block.first_number = 0;
    size_t with = payload.size, columns_with = splits.count;
    assert_int_equal(encode(&block), CLEW_OK);        // as before there were numbers
    assert_int_equal(splits.count + 1, columns_with); // numbers are compressed apart from the columns
    assert_false(header.flags & BLOCK_NUMBERS);
    assert_true(payload.size < with);
    assert_int_equal(decode(&header, bytes_of(payload.data, payload.size)), CLEW_OK);
    assert_int_equal(decoded.first_number, 0);
}

static void async_activations_keep_their_serials(void **state)
{
    (void)state;
    static const uint32_t open[] = {16, 17}, stacks[] = {7, 8, 2, 0, 5, UINT32_MAX, 3, 0, 1, 0};
    static const uint64_t open_clock[] = {1, 2}, serials[] = {0, UINT64_MAX};
    static const struct recording_event events[] = {
        {.clock = 100, .kind = RECORDING_STACK, .stated = 2, .depth = 2},
        {.clock = 100, .kind = RECORDING_RUN, .serial = 9},
        {.clock = 101, .kind = RECORDING_ENTER, .method = UINT32_MAX},
        {.clock = 102, .kind = RECORDING_RESUME, .wait = UINT32_MAX, .serial = UINT64_MAX},
        {.clock = 103, .kind = RECORDING_SUSPEND, .wait = 1, .serial = 0},
        {.clock = 104, .kind = RECORDING_COMPLETE, .serial = 9},
        {.clock = 104, .kind = RECORDING_LEAVE},
    };
    struct recording_events block = {.depth = 2,
                                     .open = open,
                                     .open_clock = open_clock,
                                     .async = true,
                                     .open_serial = serials,
                                     .first_clock = 100,
                                     .last_clock = 104,
                                     .count = sizeof events / sizeof *events,
                                     .events = events,
                                     .stack_count = sizeof stacks / sizeof *stacks,
                                     .stacks = stacks};
    assert_int_equal(encode(&block), CLEW_OK);
    assert_true(header.flags & BLOCK_SERIALS);
    assert_int_equal(decode(&header, bytes_of(payload.data, payload.size)), CLEW_OK);
    assert_true(decoded.async);
    assert_memory_equal(decoded.open_serial, serials, sizeof serials);
    assert_memory_equal(decoded.events, events, sizeof events);
    assert_memory_equal(decoded.stacks, stacks, sizeof stacks);
    assert_int_equal(recording_number(&stacks[4]), (UINT64_C(0xFFFFFFFF) << 32) + 5);
    expect_exact(decode, &header, &payload);
    expect_no_harm(decode, &header, &payload);
    block.async = false; // then no event may be one of them
    assert_int_equal(encode(&block), CLEW_MALFORMED);
    block.count = 1;
    block.stack_count = 2;
    assert_int_equal(encode(&block), CLEW_OK); // as before there were any
    assert_false(header.flags & BLOCK_SERIALS);
}

// -- Sites ------------------------------------------------------------------------------------------------------------

// Site 1 is a statement, 2 an int, 3 a struct of 5 bytes.
static void define_sites(void)
{
    const struct site sites[] = {{.kind = SITE_STATEMENT},
                                 {.kind = SITE_DEFINITION, .place = PLACE_LOCAL, .encoding = VALUE_I4},
                                 {.kind = SITE_USE, .place = PLACE_LOCAL, .encoding = VALUE_STRUCT, .size = 5}};
    struct buffer blob = {0};
    sites_encode(&blob, sites, 3);
    assert_int_equal(site_layouts_add(&layouts, 1, bytes_of(blob.data, blob.size)), CLEW_OK);
    buffer_free(&blob);
}

static const struct recording_event site_events[] = {
    {.clock = 10, .kind = RECORDING_ENTER, .method = 16},
    {.clock = 10, .kind = RECORDING_AT_SITE, .site = 1, .cell = 0},
    {.clock = 12, .kind = RECORDING_AT_SITE, .site = 2, .cell = 0},
    {.clock = 12, .kind = RECORDING_AT_SITE, .site = 3, .cell = 1},
    {.clock = 12, .kind = RECORDING_AT_SITE, .site = 2, .cell = 3},
    {.clock = 13, .kind = RECORDING_LEAVE},
};

static struct recording_events block_of_sites(void)
{
    static const uint32_t cells[] = {41, 0x04030201, 5, 42};
    return (struct recording_events){.first_clock = 10,
                                     .last_clock = 13,
                                     .words = 12,
                                     .count = 6,
                                     .events = site_events,
                                     .cell_count = 4,
                                     .cells = cells};
}

static void sites_decode_with_their_cells(void **state)
{
    (void)state;
    define_sites();
    struct recording_events block = block_of_sites();
    assert_int_equal(encode(&block), CLEW_OK);
    assert_int_equal(header.flags & BLOCK_SITES, BLOCK_SITES);
    assert_int_equal(header.words, 12 | UINT64_C(1) << 32); // one statement
    assert_int_equal(header.values, 3);
    assert_int_equal(decode(&header, bytes_of(payload.data, payload.size)), CLEW_OK);
    assert_memory_equal(decoded.events, site_events, sizeof site_events);
    assert_int_equal(decoded.cell_count, 4);
    assert_memory_equal(decoded.cells, block.cells, 4 * sizeof *block.cells);
    assert_int_equal(decoded.words, 12);
    expect_exact(decode, &header, &payload);
    expect_no_harm(decode, &header, &payload);
}

static void cells_must_be_exactly_those_of_the_events(void **state)
{
    (void)state;
    struct recording_events block = block_of_sites();
    assert_int_equal(encode(&block), CLEW_MALFORMED); // no sites are known
    define_sites();
    block.cell_count = 3;
    assert_int_equal(encode(&block), CLEW_MALFORMED);
    static const uint32_t more[] = {41, 0x04030201, 5, 42, 0};
    block.cell_count = 5;
    block.cells = more;
    assert_int_equal(encode(&block), CLEW_MALFORMED);
    block = block_of_sites();
    struct recording_event events[6];
    memcpy(events, site_events, sizeof events);
    events[4].cell = 2; // cells of the event before
    block.events = events;
    assert_int_equal(encode(&block), CLEW_MALFORMED);
    events[4] = (struct recording_event){.clock = 12, .kind = RECORDING_AT_SITE, .site = 4, .cell = 3}; // not defined
    assert_int_equal(encode(&block), CLEW_MALFORMED);
    block = block_of_sites();
    block.words = (uint64_t)UINT32_MAX + 1; // its upper half has the statements
    assert_int_equal(encode(&block), CLEW_UNSUPPORTED);
}

// -- What is damaged --------------------------------------------------------------------------------------------------

static void counts_are_checked_against_the_bytes_left(void **state)
{
    (void)state;
    static const uint64_t clock = 1;
    expect_clocks(0, &clock, 1);
    header.count = RECORDING_EVENTS_MAX;
    assert_int_equal(decode(&header, bytes_of(payload.data, payload.size)), CLEW_DAMAGED);
    header.count = RECORDING_EVENTS_MAX + 1;
    assert_int_equal(decode(&header, bytes_of(payload.data, payload.size)), CLEW_DAMAGED);
    header.count = 1;
    header.depth = RECORDING_DEPTH_MAX;
    assert_int_equal(decode(&header, bytes_of(payload.data, payload.size)), CLEW_DAMAGED);
    header.depth = 0;
    header.count = 0; // the columns are not used up then
    assert_int_equal(decode(&header, bytes_of(payload.data, payload.size)), CLEW_DAMAGED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(clocks_take_as_many_bytes_as_their_steps, release),
        cmocka_unit_test_teardown(every_kind_of_event_decodes_to_itself, release),
        cmocka_unit_test(activations_keep_their_numbers),
        cmocka_unit_test_teardown(async_activations_keep_their_serials, release),
        cmocka_unit_test_teardown(sites_decode_with_their_cells, release),
        cmocka_unit_test_teardown(cells_must_be_exactly_those_of_the_events, release),
        cmocka_unit_test_teardown(counts_are_checked_against_the_bytes_left, release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
