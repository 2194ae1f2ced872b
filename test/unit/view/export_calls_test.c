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
        cmocka_unit_test(losses_end_what_was_open),
        cmocka_unit_test(other_threads_are_left_out),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
