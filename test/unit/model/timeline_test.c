// The events of several threads in one order, also where blocks overlap, windows are asked for, and clocks are missing.
#include "base/map.h"
#include "model/events/timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "../made_recording.h"
#include "../opened.h"
#include "../recording_path.h"
#include "trace/instrument.h"

static char recorded[4096];
static size_t recorded_size;

static enum clew_error step(void *context, const struct event_step *step)
{
    (void)context;
    static const char kinds[] = {'+', '-', '*', '!', '='};
    recorded_size += (size_t)snprintf(recorded + recorded_size, sizeof recorded - recorded_size, "%c%u:%u@%llu%s ",
                                      kinds[step->kind], step->thread->thread, step->frame ? step->frame->method : 0,
                                      (unsigned long long)(step->clock - START), step->leaf ? "." : "");
    return CLEW_OK;
}

static const char *run(uint32_t thread, uint64_t from, uint64_t to, enum clew_error expected)
{
    const struct model_thread only = {.thread = thread};
    const struct timeline_options options = {
        .threads = {&only, thread > 0}, .from = from, .to = to, .states_anew = true, .step = step};
    recorded_size = 0;
    recorded[0] = '\0';
    assert_int_equal(timeline_run(opened(path), &options), expected);
    return recorded;
}

static void write_block(uint32_t thread, uint32_t depth, uint32_t open, const struct recording_event *events,
                        uint32_t count)
{
    const uint64_t open_clock = START + 1;
    struct recording_events block = block_of(thread, events, count);
    block.depth = depth;
    block.open = &open;
    block.open_clock = &open_clock;
    must(recording_write_events(writer, &block));
}

// Thread 1 in two blocks, 1 to 5 and 6 to 9; thread 2 in one, 2 to 8, written before the first.
static void make(void)
{
    const struct recording_event two[] = {E(2, 20), E(4, 21), L(7), L(8)};
    const struct recording_event one[] = {E(1, 16), E(3, 17), L(5)};
    const struct recording_event rest[] = {E(6, 18), U(9)};
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    write_block(2, 0, 0, two, 4);
    write_block(1, 0, 0, one, 3);
    write_block(1, 1, 16, rest, 2);
    finish(9, 0, 2, true);
}

static void test_threads_interleave(void **state)
{
    (void)state;
    make();
    assert_string_equal(run(0, 0, UINT64_MAX, CLEW_OK),
                        "+1:16@1 +2:20@2 +1:17@3. +2:21@4. -1:17@5 +1:18@6. -2:21@7 -2:20@8 -1:18@9 *1:16@9 ");
    assert_string_equal(run(2, 0, UINT64_MAX, CLEW_OK), "+2:20@2 +2:21@4. -2:21@7 -2:20@8 ");
    run(3, 0, UINT64_MAX, CLEW_NOTHING_RECORDED);
}

static const char *run_borders(uint32_t thread, uint64_t from, uint64_t to)
{
    const struct model_thread only = {.thread = thread};
    const struct timeline_options options = {
        .threads = {&only, thread > 0}, .from = from, .to = to, .borders = true, .step = step};
    recorded_size = 0;
    recorded[0] = '\0';
    assert_int_equal(timeline_run(opened(path), &options), CLEW_OK);
    return recorded;
}

static void test_borders_open_and_close_what_runs_there(void **state)
{
    (void)state;
    make();
    assert_string_equal(run_borders(0, START + 4, START + 6),
                        "+2:20@4 +1:16@4 +1:17@4 +2:21@4. -1:17@5 +1:18@6. *2:21@6 *2:20@6 *1:18@6 *1:16@6 ");
    // The second block of thread 1 does not state its activations again: the first is read, too.
    assert_string_equal(run_borders(1, START + 6, UINT64_MAX), "+1:16@6 +1:18@6. -1:18@9 *1:16@9 ");
    // Between the events of a thread, and behind the last of one that still runs.
    assert_string_equal(run_borders(2, START + 5, START + 6), "+2:20@5 +2:21@5 *2:21@6 *2:20@6 ");
    assert_string_equal(run_borders(0, START + 100, START + 200), "+1:16@100 *1:16@100 ");
    // No border within the recording: nothing is added.
    char all[sizeof recorded];
    (void)snprintf(all, sizeof all, "%s", run(0, 0, UINT64_MAX, CLEW_OK));
    assert_string_equal(run_borders(0, 0, UINT64_MAX), all);
}

static void test_windows_limit_the_events(void **state)
{
    (void)state;
    make();
    assert_string_equal(run(0, START + 4, START + 6, CLEW_OK), "+2:21@4. -1:17@5 +1:18@6. ");
    // The first block of thread 1 is not even read: the second says what runs.
    assert_string_equal(run(1, START + 6, UINT64_MAX, CLEW_OK), "+1:16@1 +1:18@6. -1:18@9 *1:16@9 ");
    assert_string_equal(run(0, START + 100, UINT64_MAX, CLEW_OK), "");
}

static void test_without_clock_blocks_stay_whole(void **state)
{
    (void)state;
    const struct recording_event two[] = {{.clock = START, .kind = RECORDING_ENTER, .method = 20},
                                          {.clock = START, .kind = RECORDING_LEAVE}};
    const struct recording_event one[] = {{.clock = START, .kind = RECORDING_ENTER, .method = 16},
                                          {.clock = START, .kind = RECORDING_LEAVE}};
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_NONE);
    write_block(2, 0, 0, two, 2);
    write_block(1, 0, 0, one, 2);
    finish(4, 0, 2, true);
    assert_string_equal(run(0, 0, UINT64_MAX, CLEW_OK), "+2:20@0. -2:20@0 +1:16@0. -1:16@0 ");
}

static void test_losses_are_reported(void **state)
{
    (void)state;
    make_cold(path);
    assert_string_equal(run(1, 0, UINT64_MAX, CLEW_OK),
                        "+1:16@100 +1:19@1000 -1:19@2000 +1:17@2100 +1:22@2200 !1:0@3000 -1:22@3000 -1:17@3000 "
                        "+1:20@3100 +1:21@3200 -1:21@3300 -1:20@3300 +1:17@4000 *1:17@4000 *1:16@4000 ");
}

#define S(at)                                                                  \
    {                                                                          \
        .clock = START + (at), .kind = RECORDING_AT_SITE, .site = 1, .cell = 0 \
    }
// A filter's code is its owner's, whatever has yet to be unwound in between.
static void test_sites_in_a_filter_belong_to_its_owner(void **state)
{
    (void)state;
    const struct site site = {.kind = SITE_STATEMENT};
    const struct recording_event events[] = {E(1, 16),
                                             E(2, 17),
                                             E(3, 18),
                                             {.clock = START + 4, .kind = RECORDING_FILTER, .remaining = 2},
                                             S(4),
                                             E(5, 19),
                                             S(5),
                                             L(6),
                                             {.clock = START + 7, .kind = RECORDING_FILTER_END},
                                             U(8),
                                             S(8),
                                             L(9),
                                             L(10)};
    struct buffer blob = {0};
    sites_encode(&blob, &site, 1);
    create(path, INSTRUMENT_STATEMENTS, CLOCK_KIND_MONOTONIC);
    must(recording_write_sites(
        writer,
        &(struct recording_sites){.process = 1, .method = 17, .first = 1, .blob = bytes_of(blob.data, blob.size)}));
    write_block(1, 0, 0, events, sizeof events / sizeof *events);
    finish(13, 0, 1, true);
    buffer_free(&blob);
    assert_string_equal(run(1, 0, UINT64_MAX, CLEW_OK),
                        "+1:16@1 +1:17@2 +1:18@3 =1:17@4 +1:19@5 =1:19@5 -1:19@6 -1:18@8 =1:17@8 -1:17@9 -1:16@10 ");
}

static void test_tree_has_no_timeline(void **state)
{
    (void)state;
    make_tree(path, CLOCK_KIND_MONOTONIC, true);
    run(0, 0, UINT64_MAX, CLEW_NOTHING_RECORDED);
}

// Of each step what it says, as a hash.
static enum clew_error hash_step(void *context, const struct event_step *step)
{
    uint64_t *hash = context;
    const uint32_t *cells;
    uint32_t size = 0;
    uint64_t parts[] = {step->kind, step->clock, step->thread->thread, step->site, step->level, step->next_known};
    *hash = *hash * 31 + map_hash_text(parts, sizeof parts);
    if (step->kind == STEP_SITE) {
        assert_true(step->cells_left > 0);
        *hash = *hash * 31 + step->cells[0];
        assert_true(boxes_find(step->boxes, 7, &cells, &size));
        *hash = *hash * 31 + cells[0];
    }
    return CLEW_OK;
}

static uint64_t hash_of(size_t loaded_wanted)
{
    uint64_t hash = 0;
    const struct timeline_options options = {
        .to = UINT64_MAX, .step = hash_step, .context = &hash, .loaded_wanted = loaded_wanted};
    assert_int_equal(timeline_run(opened(path), &options), CLEW_OK);
    return hash;
}

// A block that is loaded in parts tells the same: its cells, its stacks, and what is in boxes.
static void test_blocks_in_parts_give_the_same_events(void **state)
{
    enum { EVENTS = 1000 };
    static struct recording_event events[EVENTS];
    static uint32_t cells[EVENTS], stacks[EVENTS];
    static struct recording_box boxes[2];
    static const uint32_t box_cells[] = {11, 12};
    const struct site site = {.kind = SITE_DEFINITION, .place = PLACE_LOCAL, .encoding = VALUE_I4, .size = 4};
    (void)state;
    create(path, INSTRUMENT_VALUES, CLOCK_KIND_MONOTONIC);
    define_sites_of(16, 1, &site, 1);
    for (uint32_t thread = 1; thread <= 3; thread++) {
        uint32_t cell_count = 0, stack_count = 0;
        for (uint32_t i = 0; i < EVENTS; i++) {
            events[i] =
                (struct recording_event){.clock = START + 3 * i + thread, .kind = RECORDING_ENTER, .method = 20 + i};
            if (i % 3 == 1) {
                events[i] = (struct recording_event){
                    .clock = START + 3 * i + thread, .kind = RECORDING_AT_SITE, .site = 1, .cell = cell_count};
                cells[cell_count++] = i;
            } else if (i % 3 == 2) {
                events[i] = (struct recording_event){
                    .clock = START + 3 * i + thread, .kind = RECORDING_STACK, .stated = 1, .depth = 1};
                stacks[stack_count++] = 16 + i % 2;
            }
        }
        struct recording_events block = block_of(thread, events, EVENTS);
        boxes[0] = (struct recording_box){.event = 1, .object = 7, .size = 4, .at = 0};
        boxes[1] = (struct recording_box){.event = 601, .object = 7, .size = 4, .at = 1};
        block.cells = cells;
        block.cell_count = cell_count;
        block.stacks = stacks;
        block.stack_count = stack_count;
        block.boxes = boxes;
        block.box_count = 2;
        block.box_cells = box_cells;
        block.box_cell_count = 2;
        must(recording_write_events(writer, &block));
    }
    finish(3 * EVENTS, 0, 3, true);
    uint64_t whole = hash_of(0);
    assert_int_equal(hash_of(1), whole);
    assert_int_equal(hash_of(8000), whole);
    assert_int_equal(hash_of(30000), whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_interleave),
        cmocka_unit_test(test_borders_open_and_close_what_runs_there),
        cmocka_unit_test(test_windows_limit_the_events),
        cmocka_unit_test(test_without_clock_blocks_stay_whole),
        cmocka_unit_test(test_losses_are_reported),
        cmocka_unit_test(test_sites_in_a_filter_belong_to_its_owner),
        cmocka_unit_test(test_blocks_in_parts_give_the_same_events),
        cmocka_unit_test(test_tree_has_no_timeline),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
