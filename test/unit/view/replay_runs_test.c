// The runs before and after a run of an async activation, in the stream of made_awaits.h.
#include "view/replay/replay_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../made_recording.h"

#include "../made_awaits.h"
#include "../recording_path.h"

// Numbers of calls, in the order in which they begin.
enum {
    FIRST_SERVE = 3,
    FIRST_LOAD = 5,
    SECOND_LOAD,
    THIRD_LOAD = 8,
    SECOND_SERVE,
    BEGAN_BEFORE = 11,
    NOT_LINKED,
    LOST_WAIT
};
enum { AFTER_LOSS = LOST_WAIT + 1 };

static struct recording *recording;
static atomic_bool cancelled;

static struct replay_runs runs_of(uint64_t call, uint64_t events)
{
    struct replay_runs runs;
    struct cursor_position begin;
    assert_int_equal(cursor_find_call(recording, 1, call, &begin), CLEW_OK);
    assert_int_equal(replay_runs_find(recording, call, &begin, events, &cancelled, &runs), CLEW_OK);
    return runs;
}

static void check_wait(const struct replay_wait *wait, uint64_t suspended, uint64_t resumed, uint64_t call,
                       uint32_t thread, uint32_t body, uint32_t state)
{
    assert_true(wait->known);
    assert_int_equal(wait->suspended, START + suspended);
    assert_int_equal(wait->resumed, START + resumed);
    assert_int_equal(wait->call, call);
    assert_int_equal(wait->at.thread, thread);
    assert_int_equal(wait->body, body);
    assert_int_equal(wait->state, state);
}

static void check_known(void)
{
    struct replay_runs first = runs_of(FIRST_LOAD, UINT64_MAX), second = runs_of(SECOND_LOAD, UINT64_MAX),
                       third = runs_of(THIRD_LOAD, UINT64_MAX), serve = runs_of(SECOND_SERVE, UINT64_MAX);
    assert_true(!first.resumed && first.waits);
    check_wait(&first.after, 400, 1000, SECOND_LOAD, 2, LOAD_BODY, 0);
    check_wait(&second.before, 400, 1000, FIRST_LOAD, 1, LOAD_BODY, 0);
    check_wait(&second.after, 1100, 2000, THIRD_LOAD, 2, LOAD_BODY, 1);
    check_wait(&third.before, 1100, 2000, SECOND_LOAD, 2, LOAD_BODY, 1);
    assert_false(third.waits);
    check_wait(&serve.before, 430, 2110, FIRST_SERVE, 1, SERVE_BODY, 0);
}

// What was lost, or was before the recording began, is not known, and what is known of the wait is said.
static void check_unknown(void)
{
    struct replay_runs before = runs_of(BEGAN_BEFORE, UINT64_MAX), none = runs_of(NOT_LINKED, UINT64_MAX),
                       lost = runs_of(LOST_WAIT, UINT64_MAX), after = runs_of(AFTER_LOSS, UINT64_MAX);
    assert_true(before.resumed && !before.before.known && !before.waits);
    assert_int_equal(before.before.suspended, START + 2950);
    assert_int_equal(before.before.resumed, START + 3000);
    assert_true(!none.resumed && !none.waits);
    assert_true(lost.waits && !lost.after.known);
    assert_int_equal(lost.after.resumed, 0);
    assert_true(after.resumed && !after.before.known);
    assert_int_equal(after.before.suspended, START + 5700);
    assert_true(after.waits && !after.after.known);
}

static void runs_are_found_whatever_the_size_of_blocks(void **state)
{
    static const uint32_t sizes[] = {1, 3, 64};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        make_async_stream(path, sizes[i]);
        assert_int_equal(recording_open(path, &recording), CLEW_OK);
        check_known();
        check_unknown();
        recording_free(recording);
    }
}

static void a_search_ends_where_it_is_told_to(void **state)
{
    (void)state;
    make_async_stream(path, 64);
    assert_int_equal(recording_open(path, &recording), CLEW_OK);
    struct replay_runs runs = runs_of(FIRST_LOAD, 2);
    assert_true(runs.waits && !runs.after.known);
    assert_int_equal(runs.after.suspended, START + 400);
    atomic_store(&cancelled, true);
    runs = runs_of(FIRST_LOAD, UINT64_MAX);
    assert_true(!runs.waits && !runs.resumed);
    atomic_store(&cancelled, false);
    recording_free(recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_found_whatever_the_size_of_blocks),
        cmocka_unit_test(a_search_ends_where_it_is_told_to),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
