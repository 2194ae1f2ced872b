// The documents `timeline` and `strip`.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "page_asked.h"

static uint64_t sum_of_calls(const char *json, unsigned *columns)
{
    uint64_t sum = 0;
    *columns = 0;
    for (const char *at = json; (at = strstr(at, "\"calls\": ")) != NULL; (*columns)++) {
        at += 9;
        sum += strtoull(at, NULL, 10);
    }
    return sum;
}

static void check_calls(uint64_t calls)
{
    unsigned columns;
    const char *json = ask("strip", "width=10");
    assert_int_equal(asked_status, 200);
    assert_int_equal(sum_of_calls(json, &columns), calls);
    assert_int_equal(columns, 10);
}

static void test_a_strip_has_all_calls(void **state)
{
    (void)state;
    make_calls(path);
    page_begin();
    check_calls(13); // 11 of thread 1, 2 of thread 2
    page_end();
}

// The block of a damaged recording begins before the session: its calls count in the first columns.
static void test_calls_before_the_session_stay_within_the_columns(void **state)
{
    static const struct recording_event events[] = {
        {.clock = START - 900000, .kind = RECORDING_ENTER, .method = MAIN},
        {.clock = START - 800000, .kind = RECORDING_ENTER, .method = ADD},
        {.clock = START - 700000, .kind = RECORDING_LEAVE},
        {.clock = START + 500, .kind = RECORDING_LEAVE},
    };
    (void)state;
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define();
    write_stream(1, events, 4);
    finish(4, 0, 1, true);
    page_begin();
    check_calls(2);
    page_end();
}

static void test_trees_alone_have_no_timeline(void **state)
{
    (void)state;
    make_tree(path, CLOCK_KIND_MONOTONIC, true);
    page_begin();
    assert_true(has(ask("strip", ""), "clew record -i tree,calls"));
    assert_int_equal(asked_status, 422);
    assert_true(has(ask("timeline", ""), "clew record -i tree,calls"));
    assert_int_equal(asked_status, 422);
    page_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_strip_has_all_calls),
        cmocka_unit_test(test_calls_before_the_session_stay_within_the_columns),
        cmocka_unit_test(test_trees_alone_have_no_timeline),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
