// Logical call trees from streams alone: runs on any threads belong to the activation that they continue, in whatever order the
// file has them; what is missing makes callers and places unknown.
#include "model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../made_recording.h"

#include "../made_awaits.h"
#include "../recording_path.h"
#include "loading.h"
#include "model/slowest.h"
#include "trace/instrument.h"
#include "tree_rows.h"

enum { ONE_BLOCK = PUT_EVENTS_MAX }; // a size of blocks that puts all events of a thread into one

// -- What a test writes -----------------------------------------------------------------------------------------------

// Events were lost; then the stack has `depth` activations, the newest of them of these methods.
static void lose(uint64_t at, uint64_t depth, const uint32_t *methods, uint32_t count)
{
    put_lost(at, 5);
    put_stated_stack(at, depth, methods, count);
}

// Writes what was put as the stream of a thread, in blocks of `size` events.
static void write_stream_of(uint32_t thread, uint32_t size)
{
    put_write(thread, 1 + 100 * thread, size);
}

static void begin_recording(enum clock_kind clock)
{
    create(path, INSTRUMENT_CALLS, clock);
    define();
    define_thread(3, ".NET TP Worker", 0);
    define_async_methods(true);
}

// -- What a test finds ------------------------------------------------------------------------------------------------

// How often activations of a row were resumed after waiting in a state; -1: never.
static int64_t resumed_in(const struct tree *tree, const struct tree_run *run, uint32_t state)
{
    const struct tree_logical *logical = tree->logical;
    for (uint32_t at = run->places; at; at = logical->places[at].next) {
        if (logical->places[at].state == state) {
            return (int64_t)logical->places[at].count;
        }
    }
    return -1;
}

// The rows of a tree without its root.
static uint32_t row_count(const struct tree *tree)
{
    return tree->count - 1;
}

// -- Tests ------------------------------------------------------------------------------------------------------------

// ServeAsync and LoadAsync begin to wait on thread 1.
static void write_first_waits(uint32_t size)
{
    put_first_waits(true);
    write_stream_of(1, size);
}

// LoadAsync waits once more on thread 2.
static void write_second_wait(uint32_t size)
{
    put_second_wait(true);
    write_stream_of(2, size);
}

// Both end on thread 3.
static void write_ends(uint32_t size)
{
    put_ends(true, RUN_COMPLETED);
    put_enter(2205, PARSE); // code that awaits ServeAsync
    put_leave(2206);
    put_leave(2210);
    put_leave(2300);
    write_stream_of(3, size);
}

static void expect_whole(const struct model *model, bool clock)
{
    const struct tree *tree = &model->trees[0].tree;
    const struct tree_run *serve = RUNS(tree, MAIN, SERVE_BODY), *loaded = RUNS(tree, MAIN, SERVE_BODY, LOAD_BODY);
    assert_int_equal(model->view, MODEL_LOGICAL);
    assert_int_equal(row_count(tree), 6);
    assert_int_equal(NODE(tree, MAIN)->calls, 1);
    assert_int_equal(NODE(tree, MAIN, SERVE_BODY)->calls, 1);
    assert_int_equal(NODE(tree, MAIN, SERVE_BODY, LOAD_BODY)->calls, 1);
    assert_int_equal(NODE(tree, MAIN, SERVE_BODY, LOAD_BODY, PARSE)->calls, 1);
    assert_int_equal(NODE(tree, METHOD_UNKNOWN_CALLER, PARSE)->calls, 1);
    assert_int_equal(serve->runs, 2);
    assert_int_equal(loaded->runs, 3);
    assert_int_equal(serve->completed, 1);
    assert_int_equal(loaded->cancelled, 1);
    assert_int_equal(resumed_in(tree, serve, 0), 1);
    assert_int_equal(resumed_in(tree, loaded, 0), 1);
    assert_int_equal(resumed_in(tree, loaded, 1), 1);
    assert_int_equal(model->calls, 5);
    assert_int_equal(model->open, 0);
    if (clock) {
        assert_int_equal(serve->latency, 2200 - 200);
        assert_int_equal(loaded->latency, 2100 - 300);
        assert_int_equal(serve->awaiting, 2110 - 430);
        assert_int_equal(serve->own_awaiting, 2110 - 2100); // before, what it called was pending
        assert_int_equal(loaded->awaiting, 600 + 900);
        assert_int_equal(loaded->own_awaiting, 570 + 900); // until 430 its caller ran
        assert_int_equal(tree_own(NODE(tree, MAIN, SERVE_BODY)), (220 + 20 - 120 + 10) + 90);
    }
}

static void expect_recorded_whole(bool clock)
{
    finish(0, 0, 3, true);
    struct model *model = load((struct model_options){0});
    expect_whole(model, clock);
    model_free(model);
}

static void runs_of_all_threads_belong_to_their_callers(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {ONE_BLOCK, 3, 2, 1};
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        begin_recording(CLOCK_KIND_MONOTONIC);
        write_ends(sizes[i]); // the file has the threads in an order that is not that of time
        write_second_wait(sizes[i]);
        write_first_waits(sizes[i]);
        expect_recorded_whole(true);
    }
}

static void without_a_clock_runs_follow_their_waits(void **state)
{
    (void)state;
    put.without_clock = true;
    begin_recording(CLOCK_KIND_NONE);
    write_ends(ONE_BLOCK);
    write_second_wait(2);
    write_first_waits(ONE_BLOCK);
    put.without_clock = false;
    expect_recorded_whole(false);
}

// The clocks of processors differ: a run may seem to come before the wait that it continues.
static void a_run_may_be_early(void **state)
{
    (void)state;
    begin_recording(CLOCK_KIND_TSC);
    write_first_waits(ONE_BLOCK);
    put_resume(380, LOAD_BODY, 64, 1, 380);
    put_complete(390, 64, RUN_CANCELLED);
    put_leave(395);
    write_stream_of(2, ONE_BLOCK);
    finish(0, 0, 3, true);
    struct model *model = load((struct model_options){0});
    const struct tree *tree = &model->trees[0].tree;
    assert_int_equal(RUNS(tree, MAIN, SERVE_BODY, LOAD_BODY)->runs, 2);
    assert_int_equal(resumed_in(tree, RUNS(tree, MAIN, SERVE_BODY, LOAD_BODY), 0), 1);
    model_free(model);
}

static void where_a_lost_wait_was_is_not_known(void **state)
{
    (void)state;
    for (uint32_t all = 0; all < 2; all++) {
        begin_recording(CLOCK_KIND_MONOTONIC);
        write_first_waits(ONE_BLOCK);
        put_enter(900, PARSE);
        put_leave(910);
        if (!all) {
            put_resume(1000, LOAD_BODY, 64, 1, 400);
        }
        lose(1200, 0, NULL, 0); // it waited again
        write_stream_of(2, ONE_BLOCK);
        write_ends(ONE_BLOCK);
        finish(0, 5, 3, false);
        struct model *model = load((struct model_options){0});
        const struct tree *tree = &model->trees[0].tree;
        const struct tree_run *loaded = RUNS(tree, MAIN, SERVE_BODY, LOAD_BODY);
        assert_int_equal(loaded->runs, all ? 2 : 3);
        assert_int_equal(resumed_in(tree, loaded, 0), all ? -1 : 1);
        assert_int_equal(resumed_in(tree, loaded, 1), -1);
        assert_int_equal(loaded->cancelled, 1);
        assert_int_equal(loaded->latency, 2100 - 300);
        assert_int_equal(loaded->awaiting, (all ? 0 : 600) + 900);
        model_free(model);
    }
}

// Nothing is known of an activation whose first wait was lost; its caller does not count as waiting for it.
static void the_caller_of_a_lost_activation_is_not_known(void **state)
{
    (void)state;
    begin_recording(CLOCK_KIND_MONOTONIC);
    put_enter(100, MAIN);
    lose(500, 1, (const uint32_t[]){MAIN}, 1);
    write_stream_of(1, ONE_BLOCK);
    write_second_wait(ONE_BLOCK);
    write_ends(ONE_BLOCK);
    finish(0, 5, 3, false);
    struct model *model = load((struct model_options){0});
    const struct tree *tree = &model->trees[0].tree;
    const struct tree_run *loaded = RUNS(tree, METHOD_UNKNOWN_CALLER, LOAD_BODY);
    assert_int_equal(loaded->runs, 2);
    assert_int_equal(NODE(tree, METHOD_UNKNOWN_CALLER, LOAD_BODY)->calls, 0);
    assert_int_equal(resumed_in(tree, loaded, 0), -1);
    assert_int_equal(resumed_in(tree, loaded, 1), 1); // that wait is known
    assert_int_equal(loaded->cancelled, 1);
    assert_int_equal(loaded->latency_shortest, UINT64_MAX);
    assert_false(loaded->parallel); // its latency is not known
    assert_int_equal(RUNS(tree, METHOD_UNKNOWN_CALLER, SERVE_BODY)->completed, 1);
    assert_int_equal(NODE(tree, METHOD_UNKNOWN_CALLER, LOAD_BODY, PARSE)->calls, 1);
    assert_int_equal(NODE(tree, MAIN)->open, 1);
    model_free(model);
}

// After a loss the stack has a run of the body, perhaps another one: what it calls belongs to it only if the stream says that
// the run goes on for its activation.
static void after_a_loss_the_callees_of_a_run_are_known_if_its_activation_is(void **state)
{
    (void)state;
    for (uint32_t says = 0; says < 2; says++) {
        begin_recording(CLOCK_KIND_MONOTONIC);
        write_first_waits(ONE_BLOCK);
        put_resume(1000, LOAD_BODY, 64, 1, 400);
        lose(1200, 1, (const uint32_t[]){LOAD_BODY}, 1);
        if (says) {
            put_async(1200, RECORDING_RUN, 64, 0, 1);
        }
        put_enter(1300, PARSE);
        put_leave(1310);
        put_suspend(1400, 64, 7, 1);
        put_leave(1410);
        put_resume(1500, LOAD_BODY, 64, 7, 1400);
        put_enter(1510, PARSE);
        put_leave(1520);
        write_stream_of(2, ONE_BLOCK);
        finish(0, 5, 2, false);
        struct model *model = load((struct model_options){0});
        const struct tree *tree = &model->trees[0].tree;
        const struct tree_run *loaded = RUNS(tree, MAIN, SERVE_BODY, LOAD_BODY);
        assert_int_equal(NODE(tree, MAIN, SERVE_BODY, LOAD_BODY, PARSE)->calls, says ? 2 : 1);
        assert_int_equal(row_count(tree), says ? 4 : 7);
        assert_int_equal(resumed_in(tree, loaded, 0), 1);
        assert_int_equal(resumed_in(tree, loaded, 1), 1);
        if (!says) {
            assert_int_equal(NODE(tree, METHOD_UNKNOWN_CALLER, PARSE)->calls, 1);
        }
        model_free(model);
    }
}

// After a loss a run announces a wait for which the agent had no room: what continues it is not known, and there is no activation
// by whose number it could be found.
static void a_wait_without_number_after_a_loss_is_no_activation(void **state)
{
    (void)state;
    begin_recording(CLOCK_KIND_MONOTONIC);
    write_first_waits(ONE_BLOCK);
    put_resume(1000, LOAD_BODY, 64, 1, 400);
    lose(1200, 1, (const uint32_t[]){LOAD_BODY}, 1);
    put_suspend(1400, 0, 0, 1);
    put_leave(1410);
    put_resume(1500, LOAD_BODY, 0, 0, 1400);
    put_enter(1510, PARSE);
    put_leave(1520);
    write_stream_of(2, ONE_BLOCK);
    finish(0, 5, 2, false);
    struct model *model = load((struct model_options){0});
    const struct tree *tree = &model->trees[0].tree;
    assert_int_equal(RUNS(tree, MAIN, SERVE_BODY, LOAD_BODY)->runs, 2);
    assert_int_equal(RUNS(tree, METHOD_UNKNOWN_CALLER, LOAD_BODY)->runs, 1);
    assert_int_equal(NODE(tree, METHOD_UNKNOWN_CALLER, LOAD_BODY, PARSE)->calls, 1);
    assert_int_equal(resumed_in(tree, RUNS(tree, METHOD_UNKNOWN_CALLER, LOAD_BODY), 1), -1);
    model_free(model);
}

// A flight recorder's file begins in the middle: blocks say of which activations what runs then are runs.
static void a_recording_may_begin_in_runs(void **state)
{
    (void)state;
    static const uint32_t open[] = {LOAD_BODY, LOAD_BODY};
    static const uint64_t clocks[] = {START + 10, START + 20}, serials[] = {64, 0};
    begin_recording(CLOCK_KIND_MONOTONIC);
    put_enter(100, PARSE);
    put_leave(200);
    put_leave(300);
    put_enter(400, PARSE);
    put_leave(500);
    put_suspend(600, 64, 3, 1);
    put_leave(700);
    struct recording_events block = block_of(2, put.events, put.event_count);
    block.async = true;
    block.depth = 2;
    block.open = open;
    block.open_clock = clocks;
    block.open_serial = serials;
    block.stacks = put.stacks;
    block.stack_count = put.stack_count;
    must(recording_write_events(writer, &block));
    put_nothing();
    put_resume(800, LOAD_BODY, 64, 3, 600);
    write_stream_of(3, ONE_BLOCK);
    finish(0, 0, 2, true);
    struct model *model = load((struct model_options){0});
    const struct tree *tree = &model->trees[0].tree;
    assert_int_equal(NODE(tree, METHOD_UNKNOWN_CALLER, LOAD_BODY, PARSE)->calls, 1);
    assert_int_equal(NODE(tree, METHOD_UNKNOWN_CALLER, PARSE)->calls, 1); // of the run that is perhaps over
    assert_int_equal(resumed_in(tree, RUNS(tree, METHOD_UNKNOWN_CALLER, LOAD_BODY), 1), 1);
    assert_int_equal(NODE(tree, METHOD_UNKNOWN_CALLER, LOAD_BODY)->open, 1);
    model_free(model);
}

static void activations_that_never_wait_count_with_their_ends(void **state)
{
    (void)state;
    begin_recording(CLOCK_KIND_MONOTONIC);
    put_enter(100, MAIN);
    for (uint32_t i = 0; i < 4; i++) {
        put_enter(200 + 100 * i, LOAD);
        put_enter(210 + 100 * i, LOAD_BODY);
        if (i > 1) {
            put_complete(220 + 100 * i, 0, i == 2 ? RUN_FAULTED : RUN_CANCELLED);
        }
        put_leave(230 + 100 * i);
        put_leave(240 + 100 * i);
    }
    put_leave(900);
    write_stream_of(1, ONE_BLOCK);
    finish(0, 0, 1, true);
    struct model *model = load((struct model_options){0});
    const struct tree *tree = &model->trees[0].tree;
    const struct tree_run *loaded = RUNS(tree, MAIN, LOAD_BODY);
    assert_int_equal(NODE(tree, MAIN, LOAD_BODY)->calls, 4);
    assert_int_equal(loaded->completed, 2);
    assert_int_equal(loaded->faulted, 1);
    assert_int_equal(loaded->cancelled, 1);
    assert_int_equal(loaded->latency, 2 * 30 + 2 * 20);
    assert_int_equal(tree_pending(NODE(tree, MAIN, LOAD_BODY), loaded), 0);
    model_free(model);
}

// The consumer's next call continues an enumeration; it starts no new one.
static void enumerations_count_once(void **state)
{
    (void)state;
    begin_recording(CLOCK_KIND_MONOTONIC);
    define_body(PARSE, 0, NULL, NULL, 0); // that of an async iterator
    put_enter(100, MAIN);
    for (uint32_t i = 0; i < 3; i++) {
        put_enter(200 + 10 * i, PARSE);
        if (i > 0) {
            put_async(200 + 10 * i, RECORDING_RESUME, 0, 0, RESUME_CONTINUES);
        }
        put_leave(205 + 10 * i);
    }
    put_leave(900);
    write_stream_of(1, ONE_BLOCK);
    finish(0, 0, 1, true);
    struct model *model = load((struct model_options){0});
    const struct tree *tree = &model->trees[0].tree;
    assert_int_equal(NODE(tree, MAIN, PARSE)->calls, 1);
    assert_int_equal(RUNS(tree, MAIN, PARSE)->runs, 3);
    assert_int_equal(RUNS(tree, MAIN, PARSE)->completed, 3);
    model_free(model);
}

static void a_stream_down_to_a_depth_is_physical(void **state)
{
    (void)state;
    const struct recording_session session = {.clock_hz = 1e9, .instruments = INSTRUMENT_CALLS, .depth_max = 3};
    must(recording_create(path, &session, &writer));
    define();
    define_async_methods(true);
    write_first_waits(ONE_BLOCK);
    finish(0, 0, 1, true);
    struct model *model = load((struct model_options){0});
    assert_int_equal(model->view, MODEL_SHALLOW);
    model_free(model);
}

static void slow_requests_have_trees_of_their_own(void **state)
{
    (void)state;
    struct slowest slowest;
    begin_recording(CLOCK_KIND_MONOTONIC);
    write_ends(3);
    write_second_wait(3);
    write_first_waits(3);
    finish(0, 0, 3, true);
    struct model *loaded = load((struct model_options){0});
    assert_int_equal(slowest_load(loaded, text_of("ServeAsync"), 5, NULL, &slowest), CLEW_OK);
    assert_int_equal(slowest.count, 1);
    const struct slow_request *request = &slowest.requests[0];
    assert_int_equal(request->thread, 1);
    assert_int_equal(request->call, 102);
    assert_int_equal(request->started, START + 200);
    assert_int_equal(request->latency, 2000);
    assert_int_equal(request->how, RUN_COMPLETED);
    const struct tree *tree = &slowest.requests[0].tree.tree;
    assert_int_equal(row_count(tree), 3);
    assert_int_equal(NODE(tree, SERVE_BODY, LOAD_BODY, PARSE)->calls, 1);
    assert_int_equal(RUNS(tree, SERVE_BODY)->latency, 2000);
    assert_int_equal(RUNS(tree, SERVE_BODY, LOAD_BODY)->runs, 3);
    assert_int_equal(resumed_in(tree, RUNS(tree, SERVE_BODY, LOAD_BODY), 1), 1);
    // What the completion of LoadAsync resumed, and what that resumed in turn, is not its own time.
    assert_int_equal(tree_own(NODE(tree, SERVE_BODY, LOAD_BODY)), 100 + 10 + 100 - 10 + 100);
    assert_int_equal(tree_own(NODE(tree, SERVE_BODY)), (220 + 20 - 120 + 10) + 90);
    slowest_free(&slowest);
    assert_int_equal(slowest_load(loaded, text_of("Parse"), 2, NULL, &slowest), CLEW_OK);
    assert_int_equal(slowest.count, 2); // each is one, whatever it is called in
    assert_int_equal(slowest.requests[0].latency, 10);
    assert_int_equal(slowest.requests[0].call, 202);
    assert_int_equal(slowest.requests[1].latency, 1);
    slowest_free(&slowest);
    // Without a choice: a method whose caller is not known, but not the one with which the main thread began.
    assert_int_equal(slowest_load(loaded, text_of(""), 5, NULL, &slowest), CLEW_OK);
    assert_int_equal(slowest.count, 1);
    assert_int_equal(slowest.requests[0].latency, 1);
    slowest_free(&slowest);
    model_free(loaded);
}

// A request on whose thread another one goes on: the time of each is its own.
static void requests_do_not_get_the_time_of_others(void **state)
{
    (void)state;
    struct slowest slowest;
    begin_recording(CLOCK_KIND_MONOTONIC);
    write_first_waits(ONE_BLOCK);
    put_enter(500, SERVE);
    put_enter(510, SERVE_BODY);
    put_resume(600, LOAD_BODY, 64, 1, 400);
    put_complete(700, 64, RUN_COMPLETED);
    put_leave(710);
    put_leave(800);
    put_leave(810);
    write_stream_of(2, ONE_BLOCK);
    finish(0, 0, 2, true);
    struct model *loaded = load((struct model_options){0});
    assert_int_equal(slowest_load(loaded, text_of("ServeAsync"), 5, NULL, &slowest), CLEW_OK);
    assert_int_equal(slowest.count, 1); // the other one still waits
    const struct tree *tree = &slowest.requests[0].tree.tree;
    assert_int_equal(slowest.requests[0].latency, 300);
    assert_int_equal(NODE(tree, SERVE_BODY)->total, 310 - 110);
    assert_int_equal(row_count(tree), 1);
    slowest_free(&slowest);
    model_free(loaded);
}

static void programs_without_async_methods_have_slow_requests(void **state)
{
    (void)state;
    struct slowest slowest;
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define();
    define_thread(3, ".NET TP Worker", 0);
    put_enter(100, MAIN);
    put_enter(200, ADD);
    put_leave(1200);
    put_leave(9000);
    write_stream_of(1, ONE_BLOCK);
    put_enter(300, ADD);
    put_leave(305);
    put_enter(310, FIB);
    put_leave(330);
    put_enter(340, ADD);
    put_leave(350);
    write_stream_of(3, ONE_BLOCK);
    finish(0, 0, 2, true);
    struct model *loaded = load((struct model_options){0});
    assert_int_equal(loaded->view, MODEL_UNLINKED);
    assert_int_equal(slowest_load(loaded, text_of(""), 2, NULL, &slowest), CLEW_OK);
    assert_int_equal(slowest.count, 2); // of three
    assert_int_equal(slowest.requests[0].latency, 20);
    assert_int_equal(slowest.requests[1].latency, 10);
    const struct tree *tree = &slowest.requests[0].tree.tree;
    assert_int_equal(NODE(tree, FIB)->total, 20);
    slowest_free(&slowest);
    model_free(loaded);
}

// Every prefix of a file is read, and no caller in it is another than in the whole.
static void cut_files_have_no_wrong_callers(void **state)
{
    (void)state;
    static const uint32_t callers[][2] = {
        {TREE_ROOT, MAIN}, {MAIN, SERVE_BODY}, {SERVE_BODY, LOAD_BODY}, {LOAD_BODY, PARSE}};
    begin_recording(CLOCK_KIND_MONOTONIC);
    write_first_waits(2);
    write_second_wait(2);
    write_ends(2);
    must(recording_close(writer, NULL));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    static char bytes[1 << 16];
    size_t size = fread(bytes, 1, sizeof bytes, file);
    (void)fclose(file);
    for (size_t left = size; left > 2000; left -= 40) {
        assert_int_equal(truncate(path, (off_t)left), 0);
        struct model *model = load((struct model_options){0});
        for (uint32_t i = 1; model->tree_count && i < model->trees[0].tree.count; i++) {
            const struct tree *tree = &model->trees[0].tree;
            uint32_t method = tree->nodes[i].method, above = tree->nodes[i].parent;
            bool right = tree->nodes[above].method == METHOD_UNKNOWN_CALLER || method == METHOD_UNKNOWN_CALLER;
            for (uint32_t at = 0; at < sizeof callers / sizeof *callers; at++) {
                right = right ||
                        (callers[at][1] == method && callers[at][0] == (above ? tree->nodes[above].method : TREE_ROOT));
            }
            assert_true(right);
        }
        model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_of_all_threads_belong_to_their_callers),
        cmocka_unit_test(without_a_clock_runs_follow_their_waits),
        cmocka_unit_test(a_run_may_be_early),
        cmocka_unit_test(where_a_lost_wait_was_is_not_known),
        cmocka_unit_test(the_caller_of_a_lost_activation_is_not_known),
        cmocka_unit_test(after_a_loss_the_callees_of_a_run_are_known_if_its_activation_is),
        cmocka_unit_test(a_wait_without_number_after_a_loss_is_no_activation),
        cmocka_unit_test(a_recording_may_begin_in_runs),
        cmocka_unit_test(activations_that_never_wait_count_with_their_ends),
        cmocka_unit_test(enumerations_count_once),
        cmocka_unit_test(a_stream_down_to_a_depth_is_physical),
        cmocka_unit_test(slow_requests_have_trees_of_their_own),
        cmocka_unit_test(requests_do_not_get_the_time_of_others),
        cmocka_unit_test(programs_without_async_methods_have_slow_requests),
        cmocka_unit_test(cut_files_have_no_wrong_callers),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
