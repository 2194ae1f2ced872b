// Calls in order are balanced and their clocks never go back: in the whole, in parts of the time, after losses.
#include "view/export/export_calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../made_recording.h"
#include "../recording_path.h"

#include "../model/loading.h"

enum { THREADS = 4 };

// What was passed on, of each thread.
struct seen {
    uint32_t open[THREADS][64], depth[THREADS], begun, ended, lost;
    uint64_t clock[THREADS], from, to;
};

static enum clew_error take(void *context, const struct export_event *event)
{
    struct seen *seen = context;
    uint32_t thread = event->thread;
    assert_in_range(thread, 1, THREADS - 1);
    assert_true(event->clock >= seen->clock[thread] && event->clock >= seen->from && event->clock <= seen->to);
    seen->clock[thread] = event->clock;
    if (event->kind == EXPORT_BEGIN) {
        seen->open[thread][seen->depth[thread]++] = event->method;
        seen->begun++;
    } else if (event->kind == EXPORT_END) {
        assert_true(seen->depth[thread] > 0);
        assert_int_equal(seen->open[thread][--seen->depth[thread]], event->method);
        seen->ended++;
    } else {
        seen->lost += (uint32_t)event->lost;
    }
    return CLEW_OK;
}

static struct seen run(uint64_t from, uint64_t to)
{
    struct seen seen = {.from = from, .to = to};
    struct model *model = load((struct model_options){.names_only = true});
    const struct export_options options = {.from = from, .to = to, .ranged = from > 0};
    struct export export = {.model = model, .options = &options};
    assert_int_equal(export_calls(&export, NULL, take, &seen), CLEW_OK);
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(seen.depth[i], 0);
    }
    assert_int_equal(seen.begun, seen.ended);
    model_free(model);
    return seen;
}

static void the_whole_has_every_call(void **state)
{
    (void)state;
    make_calls(path);
    assert_int_equal(run(0, UINT64_MAX).begun, 13);
}

static void every_part_is_balanced(void **state)
{
    (void)state;
    make_calls(path);
    for (uint64_t from = 50; from < 9500; from += 37) {
        for (uint64_t length = 1; length < 9000; length *= 3) {
            (void)run(START + from, START + from + length);
        }
    }
}

static void parts_have_what_runs_at_their_borders(void **state)
{
    (void)state;
    make_calls(path);
    assert_int_equal(run(START + 2600, START + 2700).begun, 3); // Main; the lambda and Add(string) of thread 2
    assert_int_equal(run(START + 6000, START + 6001).begun, 2);
}

// Behind a block that is damaged, a block states an activation that began before the thread's last event.
static void clocks_do_not_go_back_behind_a_gap(void **state)
{
    (void)state;
    static const struct recording_event first[] = {E(100, MAIN), E(200, ADD), L(300)}, second[] = {E(310, FIB)},
                                        third[] = {L(400), L(500)};
    static const uint32_t open[] = {MAIN, FIB};
    static const uint64_t open_clock[] = {START + 100, START + 250};
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define();
    write_stream(1, first, 3);
    write_stream(1, second, 1);
    struct recording_events block = block_of(1, third, 2);
    block.depth = 2;
    block.open = open;
    block.open_clock = open_clock;
    must(recording_write_events(writer, &block));
    finish(6, 0, 1, true);
    damage_block(RECORDING_EVENTS, 1);
    assert_int_equal(run(0, UINT64_MAX).begun, 3);
}

static void losses_end_what_was_open(void **state)
{
    (void)state;
    make_cold(path);
    struct seen seen = run(0, UINT64_MAX);
    assert_int_equal(seen.lost, 7);
    assert_true(seen.begun > 5);
}

static void other_threads_are_left_out(void **state)
{
    (void)state;
    make_calls(path);
    struct seen seen = {.to = UINT64_MAX};
    struct model *model = load((struct model_options){.names_only = true});
    const struct export_options options = {.to = UINT64_MAX};
    struct export export = {.model = model, .options = &options};
    assert_int_equal(export_calls(&export, &(struct export_one_thread){1, 2}, take, &seen), CLEW_OK);
    assert_int_equal(seen.begun, 2);
    assert_int_equal(seen.clock[1], 0);
    assert_int_equal(export_calls(&export, &(struct export_one_thread){2, 9}, take, &seen), CLEW_NOTHING_RECORDED);
    model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_whole_has_every_call),
        cmocka_unit_test(every_part_is_balanced),
        cmocka_unit_test(parts_have_what_runs_at_their_borders),
        cmocka_unit_test(clocks_do_not_go_back_behind_a_gap),
        cmocka_unit_test(losses_end_what_was_open),
        cmocka_unit_test(other_threads_are_left_out),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
