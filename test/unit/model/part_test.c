// Parts of a block: where they begin and end, what they hold, and how much all of them may take.
#include "model/events/part.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { COUNT = 1000, STACK_AT = 100, STACK_SIZE = 3, SITES_FROM = 200, CELLS_EACH = 2 };

static struct recording_event events[COUNT];
static uint32_t stacks[STACK_SIZE], cells[COUNT * CELLS_EACH];
static struct recording_events block;
static const struct event_block header = {.last = COUNT};

// Entries, a STACK event, and from SITES_FROM on events of a site with two cells each.
static int make_block(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) {
        events[i] = (struct recording_event){.clock = i, .kind = RECORDING_ENTER, .method = i};
        if (i >= SITES_FROM) {
            uint64_t at = (uint64_t)(i - SITES_FROM) * CELLS_EACH;
            events[i] = (struct recording_event){.clock = i, .kind = RECORDING_AT_SITE, .site = 7, .cell = at};
            cells[at] = i;
        }
    }
    events[STACK_AT] =
        (struct recording_event){.clock = STACK_AT, .kind = RECORDING_STACK, .stated = STACK_SIZE, .depth = 9};
    for (uint32_t i = 0; i < STACK_SIZE; i++) {
        stacks[i] = i + 1;
    }
    block = (struct recording_events){.events = events,
                                      .count = COUNT,
                                      .stacks = stacks,
                                      .cells = cells,
                                      .cell_count = (COUNT - SITES_FROM) * CELLS_EACH};
    return 0;
}

static void test_a_small_block_is_read_whole(void **state)
{
    struct part_memory memory = {.threads = 1};
    struct part part = {0};
    (void)state;
    assert_int_equal(part_load(&part, &memory, &header, &block, 0, false), CLEW_OK);
    assert_int_equal(part.from, 0);
    assert_int_equal(part.count, COUNT);
    assert_int_equal(part.total, COUNT);
    assert_int_equal(part.events[STACK_AT].stated, STACK_SIZE);
    assert_int_equal(part.events[STACK_AT].depth, 9);
    assert_memory_equal(part.stacks, stacks, sizeof stacks);
    assert_true(memory.loaded >= COUNT * sizeof *part.events);
    part_unload(&part, &memory);
    assert_null(part.events);
    assert_int_equal(memory.loaded, 0);
}

// Each event is in one part, and its cells are those that it has in the block.
static void test_parts_follow_each_other(void **state)
{
    struct part_memory memory = {.wanted = 1, .threads = 1};
    uint32_t from = 0, parts = 0;
    (void)state;
    for (; from < COUNT; parts++) {
        struct part part = {0};
        assert_int_equal(part_load(&part, &memory, &header, &block, from, false), CLEW_OK);
        assert_int_equal(part.from, from);
        assert_true(part.count > 0 && part.count < COUNT);
        for (uint32_t i = 0; i < part.count; i++) {
            assert_int_equal(part.events[i].clock, from + i);
            if (from + i >= SITES_FROM) {
                assert_true(part.events[i].cell - part.cells_from + 2 <= part.cell_count);
                assert_int_equal(part.cells[part.events[i].cell - part.cells_from], from + i);
            }
        }
        from += part.count;
        part_unload(&part, &memory);
    }
    assert_int_equal(from, COUNT);
    assert_true(parts > 1);
}

// From the end: each part has the event that was asked for, and the one after it.
static void test_parts_go_back(void **state)
{
    struct part_memory memory = {.wanted = 1, .threads = 1};
    uint32_t event = COUNT - 1, parts = 0;
    (void)state;
    for (; event < COUNT; parts++) {
        struct part part = {0};
        assert_int_equal(part_load(&part, &memory, &header, &block, event, true), CLEW_OK);
        assert_true(part.count < COUNT && part_has(&part, event));
        assert_int_equal(part.from + part.count, event + 1 < COUNT ? event + 2 : COUNT);
        assert_false(part_has(&part, part.from - 1));
        for (uint32_t i = 0; i < part.count; i++) {
            assert_int_equal(part.events[i].clock, part.from + i);
            if (part.from + i >= SITES_FROM) {
                assert_int_equal(part.cells[part.events[i].cell - part.cells_from], part.from + i);
            } else if (part.from + i == STACK_AT) {
                assert_memory_equal(part.stacks, stacks, sizeof stacks);
            }
        }
        event = part.from - 1;
        part_unload(&part, &memory);
    }
    assert_true(parts > 1);
}

// Events count within the clocks of their block, and not before those before them.
static void test_clocks_do_not_go_back(void **state)
{
    static const struct recording_event back[] = {{.clock = 5, .kind = RECORDING_LEAVE},
                                                  {.clock = 3, .kind = RECORDING_LEAVE},
                                                  {.clock = 90, .kind = RECORDING_LEAVE}};
    const struct recording_events three = {.events = back, .count = 3};
    const struct event_block within = {.first = 4, .last = 8};
    struct part_memory memory = {.threads = 1};
    struct part part = {0};
    (void)state;
    assert_int_equal(part_load(&part, &memory, &within, &three, 1, false), CLEW_OK);
    assert_int_equal(part_clock_of(&part, 1), 5);
    assert_int_equal(part_clock_of(&part, 2), 8);
    assert_int_equal(part.events[0].clock, 3); // as recorded
    assert_int_equal(part.events[1].clock, 90);
    part_unload(&part, &memory);
}

static void test_memory_is_limited(void **state)
{
    struct part_memory memory = {.loaded = 512u << 20, .threads = 1};
    struct part part = {0};
    (void)state;
    assert_int_equal(part_load(&part, &memory, &header, &block, 0, false), CLEW_NO_MEMORY);
    assert_null(part.events);
    assert_int_equal(memory.loaded, 512u << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_a_small_block_is_read_whole, make_block),
        cmocka_unit_test_setup(test_parts_follow_each_other, make_block),
        cmocka_unit_test_setup(test_parts_go_back, make_block),
        cmocka_unit_test(test_clocks_do_not_go_back),
        cmocka_unit_test_setup(test_memory_is_limited, make_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
