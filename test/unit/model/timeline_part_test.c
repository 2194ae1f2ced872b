// Parts of a block: where they begin and end, what they hold, and how much all of them may take.
#include "model/events/timeline_part.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { COUNT = 1000, STACK_AT = 100, STACK_SIZE = 3, SITES_FROM = 200, CELLS_EACH = 2 };

static struct recording_event events[COUNT];
static uint32_t stacks[STACK_SIZE], cells[COUNT * CELLS_EACH];
static struct recording_events block;

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
    struct timeline_memory memory = {.threads = 1};
    struct timeline_part part = {0};
    (void)state;
    assert_int_equal(timeline_part_load(&part, &memory, &block, 0), CLEW_OK);
    assert_int_equal(part.from, 0);
    assert_int_equal(part.count, COUNT);
    assert_int_equal(part.total, COUNT);
    assert_int_equal(part.events[STACK_AT].detail, STACK_SIZE);
    assert_int_equal(part.events[STACK_AT].value, 9);
    assert_memory_equal(part.stacks, stacks, sizeof stacks);
    assert_true(memory.loaded >= COUNT * sizeof *part.events);
    timeline_part_unload(&part, &memory);
    assert_null(part.events);
    assert_int_equal(memory.loaded, 0);
}

// Each event is in one part, and its cells are those that it has in the block.
static void test_parts_follow_each_other(void **state)
{
    struct timeline_memory memory = {.wanted = 1, .threads = 1};
    uint32_t from = 0, parts = 0;
    (void)state;
    for (; from < COUNT; parts++) {
        struct timeline_part part = {0};
        assert_int_equal(timeline_part_load(&part, &memory, &block, from), CLEW_OK);
        assert_int_equal(part.from, from);
        assert_true(part.count > 0 && part.count < COUNT);
        for (uint32_t i = 0; i < part.count; i++) {
            assert_int_equal(part.events[i].clock, from + i);
            if (from + i >= SITES_FROM) {
                assert_true(part.events[i].detail + 2u <= part.cell_count);
                assert_int_equal(part.cells[part.events[i].detail], from + i);
            }
        }
        from += part.count;
        timeline_part_unload(&part, &memory);
    }
    assert_int_equal(from, COUNT);
    assert_true(parts > 1);
}

static void test_numbers_saturate(void **state)
{
    struct recording_event lost = {.kind = RECORDING_LOST, .lost = UINT64_MAX};
    const struct recording_events one = {.events = &lost, .count = 1};
    struct timeline_memory memory = {.threads = 1};
    struct timeline_part part = {0};
    (void)state;
    assert_int_equal(timeline_part_load(&part, &memory, &one, 0), CLEW_OK);
    assert_int_equal(part.events[0].kind, RECORDING_LOST);
    assert_int_equal(part.events[0].value, UINT32_MAX);
    timeline_part_unload(&part, &memory);
}

static void test_memory_is_limited(void **state)
{
    struct timeline_memory memory = {.loaded = 512u << 20, .threads = 1};
    struct timeline_part part = {0};
    (void)state;
    assert_int_equal(timeline_part_load(&part, &memory, &block, 0), CLEW_NO_MEMORY);
    assert_null(part.events);
    assert_int_equal(memory.loaded, 512u << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_a_small_block_is_read_whole, make_block),
        cmocka_unit_test_setup(test_parts_follow_each_other, make_block),
        cmocka_unit_test(test_numbers_saturate),
        cmocka_unit_test_setup(test_memory_is_limited, make_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
