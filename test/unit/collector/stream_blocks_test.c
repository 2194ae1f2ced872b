// The ring's cells become events with full clocks, and a block may begin at any event.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "collector/drain/stream_blocks.h"
#include "memory.h"
#include "ring/walk.h"

enum { M = METHOD_FIRST_REAL };

struct fixture {
    struct stream_state state;
    struct stream_block block;
    uint16_t lengths[RING_SITES_MAX];
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

static size_t decode_cells(struct fixture *fixture, const uint32_t *cells, size_t count)
{
    stream_block_begin(&fixture->block, &fixture->state);
    return stream_decode(&fixture->state, &fixture->block, fixture->lengths, cells, count);
}

// The tests store events of two cells as 64-bit words.
static size_t decode(struct fixture *fixture, const uint64_t *words, size_t count)
{
    size_t used = decode_cells(fixture, (const uint32_t *)(const void *)words, 2 * count);
    assert_int_equal(fixture->block.used, used);
    assert_int_equal(used % 2, 0);
    return used / 2;
}

static void calls_and_exits(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t words[] = {enter(1, 100), enter(2, 200), RING_EVENT(RING_EVENT_LEAVE, 1, 300),
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
    const uint64_t first[] = {enter(1, 10), enter(2, 20), enter(3, 30), RING_EVENT(RING_EVENT_LEAVE, 0, 40),
                              RING_EVENT(RING_EVENT_LEAVE, 0, 40)};
    const uint64_t second[] = {enter(4, 50)};
    assert_int_equal(decode(fixture, first, 5), 5);
    assert_int_equal(decode(fixture, second, 1), 1);
    struct recording_events events = stream_block_events(&fixture->block, &fixture->state);
    assert_int_equal(events.depth, 1);
    assert_int_equal(events.open[0], M + 1);
    assert_int_equal(events.open_clock[0], 10);
    assert_int_equal(events.words, 2);
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
    assert_int_equal(events.events[2].lost, 7);
    assert_int_equal(events.events[3].kind, RECORDING_STACK);
    assert_int_equal(events.events[3].depth, 3);
    assert_int_equal(events.events[3].stated, 3);
    assert_int_equal(events.stack_count, 3);
    assert_int_equal(events.stacks[2], M + 6);
    assert_int_equal(fixture->block.represented, 2); // neither losses nor stacks are events of the program
    assert_int_equal(fixture->state.depth, 3);
    assert_int_equal(fixture->state.open[1].method, M + 5);
    assert_int_equal(fixture->state.open[0].clock, 10); // still the same activation
    assert_int_equal(fixture->state.open[1].clock, 30); // known from now on
}

static void deep_stacks_name_the_newest_activations(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t words[] = {extended(RING_EXTENDED_STACK, 3, 30), 1000, M + 1, M + 2};
    assert_int_equal(decode(fixture, words, 4), 4);
    assert_int_equal(fixture->state.depth, 1000);
    assert_int_equal(fixture->state.open[0].method, 0);
    assert_int_equal(fixture->state.open[999].method, M + 2);
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
    for (size_t i = 0; i < 4096; i++) {
        fixture->lengths[i] = (uint16_t)(rand() % 4 ? rand() % 20 : rand());
    }
    for (int round = 0; round < 20000; round++) {
        for (size_t i = 0; i < 512; i++) {
            words[i] = (uint64_t)(unsigned)rand() << 40 ^ (uint64_t)(unsigned)rand() << 16 ^ (uint64_t)(unsigned)rand();
            words[i] = rand() % 4 ? words[i] & ~UINT64_C(0xFFFFC000) : words[i]; // small numbers come further
        }
        size_t used = decode_cells(fixture, (const uint32_t *)(const void *)words, 1024);
        assert_true(used > 0 && used <= 1024);
        fixture->state.depth = fixture->state.depth > 10000 ? 0 : fixture->state.depth;
    }
}

// A collector that takes over continues at the end of the newest block in the file.
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
    for (uint32_t i = 0; i < other.depth; i++) {
        assert_int_equal(other.open[i].method, fixture->state.open[i].method);
        assert_int_equal(other.open[i].clock, fixture->state.open[i].clock);
    }
    stream_state_free(&other);
}

static void a_block_without_memory_fails(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t words[] = {enter(1, 10), enter(2, 20)};
    struct stream_state other = {0};
    assert_int_equal(decode(fixture, words, 2), 2);
    assert_int_equal(decode(fixture, words, 2), 2);
    struct recording_events events = stream_block_events(&fixture->block, &fixture->state);
    assert_int_equal(events.depth, 2);
    memory_watched = true;
    memory_fail(1, true);
    stream_state_after(&other, &events);
    memory_fail(0, false);
    memory_watched = false;
    assert_true(other.failed);
    assert_int_equal(other.depth, 0);
    stream_state_free(&other);
}

// Two threads of a process take numbers in turn, block by block. An activation whose beginning was lost has none.
static void activations_are_numbered_by_block(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t first[] = {enter(1, 10), enter(2, 20), RING_EVENT(RING_EVENT_LEAVE, 0, 25), enter(3, 30)};
    const uint64_t lost[] = {enter(4, 50), extended(RING_EXTENDED_STACK, 4, 60), 3, M + 1, M + 9, M + 8, enter(5, 70)};
    fixture->state.next_number = 5;
    assert_int_equal(decode(fixture, first, 4), 4);
    assert_int_equal(fixture->block.first_number, 5);
    assert_int_equal(fixture->state.next_number, 8);
    fixture->state.next_number = 20; // another thread's block took 8 to 19
    assert_int_equal(decode(fixture, lost, 7), 7);
    struct recording_events events = stream_block_events(&fixture->block, &fixture->state);
    assert_int_equal(events.first_number, 20);
    assert_int_equal(events.depth, 2);
    assert_int_equal(events.open_number[0], 5);
    assert_int_equal(events.open_number[1], 7);
    assert_int_equal(fixture->state.next_number, 22);
    static const uint64_t numbers[] = {5, 0, 0, 21};
    assert_int_equal(fixture->state.depth, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(fixture->state.open[i].number, numbers[i]);
    }
    struct stream_state other = {0};
    stream_state_after(&other, &events);
    assert_int_equal(other.next_number, 22);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(other.open[i].number, numbers[i]);
    }
    // After a loss, an activation may be another one of its method.
    const uint64_t missing[] = {extended(RING_EXTENDED_LOST, 1, 80),
                                9,
                                extended(RING_EXTENDED_STACK, 4, 80),
                                3,
                                M + 1,
                                M + 9,
                                M + 8,
                                enter(6, 90)};
    fixture->state.next_number = 22;
    assert_int_equal(decode(fixture, missing, 8), 8);
    events = stream_block_events(&fixture->block, &fixture->state);
    assert_int_equal(events.open_number[0], 5); // before it
    stream_state_after(&other, &events);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(fixture->state.open[i].number, i < 3 ? 0 : 22);
        assert_int_equal(other.open[i].number, i < 3 ? 0 : 22);
    }
    stream_state_free(&other);
    fixture->state.next_number = 0; // no numbers: as after a takeover that could not read the newest block
    assert_int_equal(decode(fixture, first, 4), 4);
    assert_int_equal(fixture->block.first_number, 0);
    assert_int_equal(fixture->state.next_number, 0);
}

// Of which async activation each open activation is a run.
static void expect_serials(const struct stream_state *state, const uint64_t *serials, uint32_t depth)
{
    assert_int_equal(state->depth, depth);
    for (uint32_t i = 0; i < depth; i++) {
        assert_int_equal(state->open[i].serial, serials[i]);
    }
}

static void blocks_know_of_which_async_activation_a_run_is(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t far = UINT64_C(0x123456789AB), plain[] = {enter(1, 5)};
    const uint64_t first[] = {enter(2, 10), extended(RING_EXTENDED_RESUME, 2, 20), 77, far,
                              enter(3, 30), extended(RING_EXTENDED_RESUME, 2, 30), 78, 1,
                              enter(4, 40)};
    assert_int_equal(decode(fixture, plain, 1), 1);
    assert_false(stream_block_events(&fixture->block, &fixture->state).async);
    assert_int_equal(decode(fixture, first, 9), 9);
    expect_serials(&fixture->state, (const uint64_t[]){0, 77, 78, 0}, 4);
    struct recording_events events = stream_block_events(&fixture->block, &fixture->state);
    assert_true(events.async);
    assert_int_equal(events.events[1].kind, RECORDING_RESUME);
    assert_int_equal(events.events[1].serial, 77);
    assert_int_equal(recording_number(events.stacks), far);
    assert_int_equal(fixture->block.represented, 5);
    const uint64_t second[] = {RING_EVENT(RING_EVENT_LEAVE, 0, 50), extended(RING_EXTENDED_SUSPEND, 2, 60), 78, 4};
    assert_int_equal(decode(fixture, second, 4), 4);
    events = stream_block_events(&fixture->block, &fixture->state);
    assert_memory_equal(events.open_serial, ((const uint64_t[]){0, 77, 78, 0}), 4 * sizeof far);
    expect_serials(&fixture->state, (const uint64_t[]){0, 77, 0}, 3); // it waits
    struct stream_state other = {0};
    stream_state_after(&other, &events);
    expect_serials(&other, (const uint64_t[]){0, 77, 0}, 3);
    stream_state_free(&other);
}

// A stated activation that has the same method may be another run of it.
static void after_losses_only_stated_runs_are_known(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t words[] = {enter(1, 10),
                              extended(RING_EXTENDED_RESUME, 2, 10),
                              77,
                              0,
                              enter(2, 20),
                              extended(RING_EXTENDED_RESUME, 2, 20),
                              78,
                              0,
                              extended(RING_EXTENDED_LOST, 1, 30),
                              5,
                              extended(RING_EXTENDED_STACK, 4, 30),
                              3,
                              M + 1,
                              M + 2,
                              M + 3,
                              extended(RING_EXTENDED_RUN, 2, 30),
                              79,
                              3,
                              extended(RING_EXTENDED_RUN, 2, 30),
                              80,
                              2,
                              extended(RING_EXTENDED_RUN, 2, 30),
                              81,
                              4,
                              extended(RING_EXTENDED_RUN, 2, 30),
                              82,
                              0};
    assert_int_equal(decode(fixture, words, sizeof words / sizeof *words), sizeof words / sizeof *words);
    expect_serials(&fixture->state, (const uint64_t[]){0, 80, 79}, 3);
    assert_int_equal(fixture->block.represented, 4); // losses, stacks and what they state are no events of the program
    struct recording_events events = stream_block_events(&fixture->block, &fixture->state);
    struct stream_state other = {0};
    stream_state_after(&other, &events);
    expect_serials(&other, (const uint64_t[]){0, 80, 79}, 3);
    stream_state_free(&other);
    const uint64_t end[] = {extended(RING_EXTENDED_COMPLETE, 2, 40), 79, RUN_COMPLETED};
    assert_int_equal(decode(fixture, end, 3), 3);
    expect_serials(&fixture->state, (const uint64_t[]){0, 80, 0}, 3);
    const uint64_t damaged[] = {extended(RING_EXTENDED_COMPLETE, 1, 40), 79};
    assert_int_equal(decode(fixture, damaged, 2), 2);
    assert_true(fixture->state.malformed);
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

// -- Sites ------------------------------------------------------------------------------------------------------------

#define SITE(number) ((uint32_t)(number) << 2 | RING_EVENT_SITE)

static void site_events_have_their_cells(void **state)
{
    struct fixture *fixture = *state;
    fixture->lengths[1] = 1;                      // a statement
    fixture->lengths[2] = 3;                      // two cells
    fixture->lengths[3] = 2 | EVENT_LENGTH_TYPED; // one cell, then a typed value
    const uint64_t entry = enter(1, 100);
    const uint32_t cells[] = {
        (uint32_t)entry, (uint32_t)(entry >> 32), SITE(1), SITE(2), 7, 8, SITE(1), SITE(3), 9, 77, 5, 0x64636261, 0x65,
        SITE(1)};
    size_t count = sizeof cells / sizeof *cells;
    assert_int_equal(decode_cells(fixture, cells, count), count);
    struct recording_events events = stream_block_events(&fixture->block, &fixture->state);
    assert_int_equal(events.count, 6);
    assert_int_equal(events.words, count);
    assert_int_equal(fixture->block.represented, 6);
    static const uint32_t sites[] = {0, 1, 2, 1, 3, 1}, starts[] = {0, 0, 0, 2, 2, 7};
    for (uint32_t i = 1; i < 6; i++) {
        assert_int_equal(events.events[i].kind, RECORDING_AT_SITE);
        assert_int_equal(events.events[i].site, sites[i]);
        assert_int_equal(events.events[i].cell, starts[i]);
        assert_int_equal(events.events[i].clock, 100); // of the event before
    }
    static const uint32_t payloads[] = {7, 8, 9, 77, 5, 0x64636261, 0x65};
    assert_int_equal(events.cell_count, 7);
    assert_memory_equal(events.cells, payloads, sizeof payloads);
    assert_int_equal(fixture->state.depth, 1);
}

static void damaged_sites_end_the_chunk(void **state)
{
    struct fixture *fixture = *state;
    fixture->lengths[1] = 1;
    fixture->lengths[2] = 3;
    fixture->lengths[3] = 1 | EVENT_LENGTH_TYPED;
    const uint32_t unknown[] = {SITE(1), SITE(9), SITE(1)};
    const uint32_t beyond[] = {SITE(1), SITE(RING_SITES_MAX), SITE(1)};
    const uint32_t cut[] = {SITE(1), SITE(2), 5};
    const uint32_t cut_type[] = {SITE(1), SITE(3), 5};
    const uint32_t cut_bytes[] = {SITE(1), SITE(3), 5, 5, 1};
    const uint32_t huge[] = {SITE(1), SITE(3), 5, UINT32_MAX, 1};
    const struct {
        const uint32_t *cells;
        size_t count;
    } all[] = {{unknown, 3}, {beyond, 3}, {cut, 3}, {cut_type, 3}, {cut_bytes, 5}, {huge, 5}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_int_equal(decode_cells(fixture, all[i].cells, all[i].count), all[i].count);
        assert_int_equal(fixture->block.count, 1);
        assert_int_equal(fixture->block.cell_count, 0);
    }
}

static void blocks_have_only_so_many_cells(void **state)
{
    struct fixture *fixture = *state;
    enum { CELLS = 100, EVENTS = 1000 };
    static uint32_t cells[EVENTS * (CELLS + 1)];
    fixture->lengths[1] = CELLS + 1;
    for (uint32_t i = 0; i < EVENTS; i++) {
        cells[i * (CELLS + 1)] = SITE(1);
        cells[i * (CELLS + 1) + CELLS] = i;
    }
    size_t used = 0, events = 0, blocks = 0;
    for (; used < sizeof cells / sizeof *cells; blocks++) {
        used += decode_cells(fixture, cells + used, sizeof cells / sizeof *cells - used);
        assert_int_equal(fixture->block.cells[fixture->block.cell_count - 1], events + fixture->block.count - 1);
        events += fixture->block.count;
    }
    assert_int_equal(used, sizeof cells / sizeof *cells);
    assert_int_equal(events, EVENTS);
    assert_true(blocks > 1);
}

static uint64_t units(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    return a | b << 16 | c << 32 | d << 48;
}

static void objects_are_described_beside_the_events(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t words[] = {enter(1, 10),
                              extended(RING_EXTENDED_OBJECT, 2, 20),
                              7 | UINT64_C(3) << 32,
                              40,
                              extended(RING_EXTENDED_OBJECT, 5, 20), // its text is cut: 8 of 1000 units
                              5 | UINT64_C(4) << 32,
                              2022,
                              1000,
                              units('a', 0xE9, 'c', 'd'),
                              units('e', 'f', 'g', 0xD800),
                              extended(RING_EXTENDED_OBJECT, 4, 20), // 3 units
                              6 | UINT64_C(4) << 32,
                              28,
                              3,
                              units('x', 'y', 'z', 0),
                              extended(RING_EXTENDED_OBJECT, 3, 20), // an empty string
                              9 | UINT64_C(4) << 32,
                              22,
                              0,
                              enter(2, 30)};
    assert_int_equal(decode(fixture, words, 20), 20);
    assert_int_equal(fixture->block.count, 2);
    struct recording_objects all = stream_block_objects(&fixture->block, 5);
    assert_int_equal(all.process, 5);
    assert_int_equal(all.count, 4);
    assert_int_equal(all.lowest, 5);
    assert_int_equal(all.highest, 9);
    assert_int_equal(all.objects[0].object, 7);
    assert_int_equal(all.objects[0].type, 3);
    assert_int_equal(all.objects[0].size, 40);
    assert_int_equal(all.objects[0].text.size, 0);
    assert_int_equal(all.objects[1].length, 1000);
    assert_true(text_equal(all.objects[1].text, text_of("a\xC3\xA9"
                                                        "cdefg\xED\xA0\x80")));
    assert_true(text_equal(all.objects[2].text, text_of("xyz")));
    assert_int_equal(all.objects[3].length, 0);
    const uint64_t none[] = {extended(RING_EXTENDED_OBJECT, 1, 20), 5, enter(3, 30)};
    assert_int_equal(decode(fixture, none, 3), 3);
    assert_int_equal(fixture->block.count, 1); // too short to be an object, passed over
    assert_int_equal(stream_block_objects(&fixture->block, 5).count, 0);
}

// The earlier number is the last word, with or without a text before it.
static void an_uncertain_object_names_the_earlier_one(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t words[] = {extended(RING_EXTENDED_OBJECT, 3, 20),
                              12 | RING_OBJECT_UNCERTAIN | UINT64_C(3) << 32,
                              40,
                              7,
                              extended(RING_EXTENDED_OBJECT, 5, 20),
                              13 | RING_OBJECT_UNCERTAIN | UINT64_C(4) << 32,
                              28,
                              3,
                              units('x', 'y', 'z', 0),
                              8,
                              extended(RING_EXTENDED_OBJECT, 4, 20), // its text is cut: none of 3 units
                              14 | RING_OBJECT_UNCERTAIN | UINT64_C(4) << 32,
                              28,
                              3,
                              9,
                              extended(RING_EXTENDED_OBJECT, 2, 20),
                              15 | UINT64_C(3) << 32,
                              40,
                              enter(2, 30)};
    assert_int_equal(decode(fixture, words, 19), 19);
    struct recording_objects all = stream_block_objects(&fixture->block, 5);
    const uint32_t perhaps[] = {7, 8, 9, 0};
    const char *texts[] = {"", "xyz", "", ""};
    assert_int_equal(all.count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(all.objects[i].object, 12 + i);
        assert_int_equal(all.objects[i].perhaps, perhaps[i]);
        assert_int_equal(all.objects[i].length, i == 1 || i == 2 ? 3 : 0);
        assert_true(text_equal(all.objects[i].text, text_of(texts[i])));
    }
    assert_int_equal(all.highest, 15);
    const uint64_t none[] = {extended(RING_EXTENDED_OBJECT, 2, 20), 5 | RING_OBJECT_UNCERTAIN, 40, enter(3, 30)};
    assert_int_equal(decode(fixture, none, 4), 4);
    assert_int_equal(stream_block_objects(&fixture->block, 5).count, 0); // without the number that it announces
}

// Boxes wait for the next event, even in the next block; the same content is not written twice in a block.
static void boxes_belong_to_events(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t box = extended(RING_EXTENDED_BOX, 2, 20), five = 7 | UINT64_C(8) << 32,
                   large[] = {extended(RING_EXTENDED_BOX, 1, 20), 9};
    const uint64_t words[] = {enter(1, 10), box,  five, 5,        enter(2, 30), box,          five, 5,    enter(3, 40),
                              box,          five, 6,    large[0], large[1],     enter(4, 50), box,  five, 7};
    assert_int_equal(decode(fixture, words, 18), 18);
    struct recording_events events = stream_block_events(&fixture->block, &fixture->state);
    const struct recording_box expected[] = {{1, 7, 8, 0}, {3, 7, 8, 2}, {3, 9, 0, 4}};
    assert_int_equal(events.count, 4);
    assert_int_equal(events.box_count, 3);
    assert_memory_equal(events.boxes, expected, sizeof expected);
    const uint32_t cells[] = {5, 0, 6, 0};
    assert_int_equal(events.box_cell_count, 4);
    assert_memory_equal(events.box_cells, cells, sizeof cells);
    const uint64_t next[] = {
        enter(5, 60), box, five, 7, enter(6, 70), extended(RING_EXTENDED_LOST, 1, 80), 3, box, five, 7, enter(7, 90)};
    assert_int_equal(decode(fixture, next, 11), 11);
    events = stream_block_events(&fixture->block, &fixture->state);
    const struct recording_box again[] = {{0, 7, 8, 0}, {3, 7, 8, 2}};
    assert_int_equal(events.box_count, 2);
    assert_memory_equal(events.boxes, again, sizeof again);
    const uint64_t too_short[] = {extended(RING_EXTENDED_BOX, 1, 90), five, enter(8, 95)};
    assert_int_equal(decode(fixture, too_short, 3), 3);
    assert_int_equal(stream_block_events(&fixture->block, &fixture->state).box_count, 0);
}

static void boxes_belong_to_sites(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t five = 7 | UINT64_C(8) << 32, box = extended(RING_EXTENDED_BOX, 2, 20);
    const uint32_t cells[] = {
        SITE(1), 3, (uint32_t)box, (uint32_t)(box >> 32), (uint32_t)five, (uint32_t)(five >> 32), 5, 0, SITE(1), 7,
        SITE(1), 7};
    fixture->lengths[1] = 1 + 1;
    assert_int_equal(decode_cells(fixture, cells, 12), 12);
    struct recording_events events = stream_block_events(&fixture->block, &fixture->state);
    assert_int_equal(events.count, 3);
    assert_int_equal(events.box_count, 1);
    assert_int_equal(events.boxes[0].event, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(calls_and_exits),
        TEST(clocks_grow_past_their_low_half),
        TEST(blocks_know_what_is_open),
        TEST(losses_replace_the_stack),
        TEST(deep_stacks_name_the_newest_activations),
        TEST(filters_leave_the_stack_alone),
        TEST(damage_ends_the_chunk),
        TEST(any_words_do_no_harm),
        TEST(goes_on_after_a_block),
        TEST(a_block_without_memory_fails),
        TEST(activations_are_numbered_by_block),
        TEST(blocks_know_of_which_async_activation_a_run_is),
        TEST(after_losses_only_stated_runs_are_known),
        TEST(a_block_is_no_larger_than_it_may),
        TEST(site_events_have_their_cells),
        TEST(damaged_sites_end_the_chunk),
        TEST(blocks_have_only_so_many_cells),
        TEST(objects_are_described_beside_the_events),
        TEST(an_uncertain_object_names_the_earlier_one),
        TEST(boxes_belong_to_events),
        TEST(boxes_belong_to_sites),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
