// Ring words become events with full clocks, and a block can begin anywhere.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "collector/stream.h"
#include "ring/ring.h"

enum { M = RING_METHOD_FIRST_REAL };

struct fixture {
    struct stream_state state;
    struct stream_block block;
};

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    if (!fixture || !stream_block_init(&fixture->block)) {
        return -1;
    }
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    stream_state_free(&fixture->state);
    stream_block_free(&fixture->block);
    free(fixture);
    return 0;
}

static uint64_t enter(uint32_t method, uint64_t clock)
{
    return RING_EVENT(RING_EVENT_ENTER, M + method, clock);
}

static uint64_t extended(enum ring_extended kind, uint32_t further, uint64_t clock)
{
    return RING_EVENT(RING_EVENT_EXTENDED, (uint32_t)kind | further << 8, clock);
}

static size_t decode(struct fixture *fixture, const uint64_t *words, size_t count)
{
    stream_block_begin(&fixture->block, &fixture->state);
    return stream_decode(&fixture->state, &fixture->block, words, count);
}

static void calls_and_exits(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t words[] = {enter(1, 100), enter(2, 200), RING_EVENT(RING_EVENT_UNWIND, 0, 300),
                              RING_EVENT(RING_EVENT_LEAVE, 0, 400), RING_EVENT(RING_EVENT_LEAVE, 0, 500)};
    assert_int_equal(decode(fixture, words, 5), 5);
    const struct recording_event *events = fixture->block.events;
    assert_int_equal(fixture->block.count, 5);
    assert_int_equal(events[0].kind, RECORDING_ENTER);
    assert_int_equal(events[1].method, M + 2);
    assert_int_equal(events[2].kind, RECORDING_UNWIND);
    assert_int_equal(events[3].kind, RECORDING_LEAVE);
    assert_int_equal(events[4].clock, 500);
    assert_int_equal(fixture->state.depth, 0); // one exit too many does no harm
    assert_int_equal(fixture->block.represented, 5);
}

static void clocks_grow_past_their_low_half(void **state)
{
    struct fixture *fixture = *state;
    fixture->state.clock = UINT64_C(0x5FFFFFFF0);
    const uint64_t words[] = {enter(1, 0xFFFFFFF5),  enter(2, 0x3), extended(RING_EXTENDED_TIME, 1, 0),
                              UINT64_C(0x900000001), enter(3, 0x1), enter(4, 0x0)};
    assert_int_equal(decode(fixture, words, 6), 6);
    const struct recording_event *events = fixture->block.events;
    assert_int_equal(fixture->block.count, 4);
    assert_true(events[0].clock == UINT64_C(0x5FFFFFFF5));
    assert_true(events[1].clock == UINT64_C(0x600000003));
    assert_true(events[2].clock == UINT64_C(0x900000001));
    assert_true(events[3].clock == UINT64_C(0xA00000000));
}

static void blocks_know_what_is_open(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t first[] = {enter(1, 10), enter(2, 20), enter(3, 30), extended(RING_EXTENDED_CUT, 1, 40), 1};
    const uint64_t second[] = {enter(4, 50)};
    assert_int_equal(decode(fixture, first, 5), 5);
    assert_int_equal(decode(fixture, second, 1), 1);
    struct recording_events events = stream_block_events(&fixture->block, &fixture->state);
    assert_int_equal(events.depth, 1);
    assert_int_equal(events.open[0], M + 1);
    assert_int_equal(events.open_clock[0], 10);
    assert_int_equal(events.words, 1);
    assert_int_equal(fixture->state.depth, 2);
}

static void losses_replace_the_stack(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t words[] = {enter(1, 10),
                              enter(2, 20),
                              extended(RING_EXTENDED_LOST, 1, 30),
                              7,
                              extended(RING_EXTENDED_STACK, 4, 30),
                              3,
                              M + 1,
                              M + 5,
                              M + 6};
    assert_int_equal(decode(fixture, words, 9), 9);
    struct recording_events events = stream_block_events(&fixture->block, &fixture->state);
    assert_int_equal(events.count, 4);
    assert_int_equal(events.events[2].kind, RECORDING_LOST);
    assert_int_equal(events.events[2].number, 7);
    assert_int_equal(events.events[3].kind, RECORDING_STACK);
    assert_int_equal(events.events[3].number, 3);
    assert_int_equal(events.events[3].method, 3);
    assert_int_equal(events.stack_count, 3);
    assert_int_equal(events.stacks[2], M + 6);
    assert_int_equal(fixture->block.represented, 2); // neither losses nor stacks are events of the program
    assert_int_equal(fixture->state.depth, 3);
    assert_int_equal(fixture->state.open[1], M + 5);
    assert_int_equal(fixture->state.open_clock[0], 10); // still the same activation
    assert_int_equal(fixture->state.open_clock[1], 30); // known from now on
}

static void deep_stacks_are_told_in_part(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t words[] = {extended(RING_EXTENDED_STACK, 3, 30), 1000, M + 1, M + 2};
    assert_int_equal(decode(fixture, words, 4), 4);
    assert_int_equal(fixture->state.depth, 1000);
    assert_int_equal(fixture->state.open[0], 0);
    assert_int_equal(fixture->state.open[999], M + 2);
}

static void filters_leave_the_stack_alone(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t words[] = {
        enter(1, 10), extended(RING_EXTENDED_FILTER, 1, 20), 1,
        enter(2, 30), RING_EVENT(RING_EVENT_LEAVE, 0, 40),   extended(RING_EXTENDED_FILTER_END, 0, 50)};
    assert_int_equal(decode(fixture, words, 6), 6);
    assert_int_equal(fixture->block.count, 5);
    assert_int_equal(fixture->block.events[1].kind, RECORDING_FILTER);
    assert_int_equal(fixture->block.events[4].kind, RECORDING_FILTER_END);
    assert_int_equal(fixture->state.depth, 1);
}

static void damage_ends_the_chunk(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t too_long[] = {enter(1, 10), extended(RING_EXTENDED_STACK, 1000, 20), 5};
    const uint64_t too_short[] = {extended(RING_EXTENDED_LOST, 0, 20), 5};
    const uint64_t too_deep[] = {extended(RING_EXTENDED_STACK, 2, 20), UINT64_MAX, M};
    const uint64_t unknown[] = {extended((enum ring_extended)200, 1, 20), 5, enter(1, 30)};
    assert_int_equal(decode(fixture, too_long, 3), 3);
    assert_int_equal(fixture->block.count, 1);
    assert_int_equal(decode(fixture, too_short, 2), 2);
    assert_int_equal(fixture->block.count, 0);
    assert_int_equal(decode(fixture, too_deep, 3), 3);
    assert_int_equal(fixture->state.depth, 1);
    assert_int_equal(decode(fixture, unknown, 3), 3); // its length is known, so it is passed over
    assert_int_equal(fixture->block.count, 1);
}

static void any_words_do_no_harm(void **state)
{
    struct fixture *fixture = *state;
    uint64_t words[512];
    srand(1);
    for (int round = 0; round < 20000; round++) {
        for (size_t i = 0; i < 512; i++) {
            words[i] = (uint64_t)(unsigned)rand() << 40 ^ (uint64_t)(unsigned)rand() << 16 ^ (uint64_t)(unsigned)rand();
            words[i] = rand() % 4 ? words[i] & ~UINT64_C(0xFFFFC000) : words[i]; // small numbers come further
        }
        size_t used = decode(fixture, words, 512);
        assert_true(used > 0 && used <= 512);
        fixture->state.depth = fixture->state.depth > 10000 ? 0 : fixture->state.depth;
    }
}

// A collector that takes over begins where the file's newest block ends.
static void goes_on_after_a_block(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t words[] = {enter(1, 10),
                              enter(2, 20),
                              RING_EVENT(RING_EVENT_LEAVE, 0, 25),
                              enter(3, 30),
                              extended(RING_EXTENDED_STACK, 3, 40),
                              2,
                              M + 1,
                              M + 9};
    const uint64_t before[] = {enter(7, 5)};
    struct stream_state other = {0};
    assert_int_equal(decode(fixture, before, 1), 1);
    assert_int_equal(decode(fixture, words, 8), 8);
    struct recording_events events = stream_block_events(&fixture->block, &fixture->state);
    stream_state_after(&other, &events);
    assert_int_equal(other.depth, fixture->state.depth);
    assert_true(other.clock == fixture->state.clock);
    assert_memory_equal(other.open, fixture->state.open, other.depth * sizeof *other.open);
    assert_memory_equal(other.open_clock, fixture->state.open_clock, other.depth * sizeof *other.open_clock);
    stream_state_free(&other);
}

static void a_block_is_no_larger_than_it_may(void **state)
{
    struct fixture *fixture = *state;
    static uint64_t words[RECORDING_EVENTS_WANTED + 10];
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        words[i] = i % 2 ? RING_EVENT(RING_EVENT_LEAVE, 0, i) : enter(1, i);
    }
    assert_int_equal(decode(fixture, words, sizeof words / sizeof *words), RECORDING_EVENTS_WANTED);
    assert_int_equal(decode(fixture, words + RECORDING_EVENTS_WANTED, 10), 10);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(calls_and_exits),
        TEST(clocks_grow_past_their_low_half),
        TEST(blocks_know_what_is_open),
        TEST(losses_replace_the_stack),
        TEST(deep_stacks_are_told_in_part),
        TEST(filters_leave_the_stack_alone),
        TEST(damage_ends_the_chunk),
        TEST(any_words_do_no_harm),
        TEST(goes_on_after_a_block),
        TEST(a_block_is_no_larger_than_it_may),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
