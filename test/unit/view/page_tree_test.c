// The document `tree`: a range says what it has nothing of.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "page_asked.h"

// Thread 1 has a tree alone, thread 2 a stream with its tree.
static void test_a_range_names_threads_without_events(void **state)
{
    (void)state;
    make_trees(path);
    page_begin();
    const char *json = ask("tree", "from=0&to=9500");
    assert_int_equal(asked_status, 200);
    assert_true(has(json, "\"exact\": false,\"bound_ns\": 9500,\"why\": \"1 thread was recorded as call trees without "
                          "events, so none of its 11 calls are in this range; the first is 1:1\""));
    assert_true(has(json, "Shop.Cart.Add(string)")); // of thread 2
    assert_false(has(json, "Shop.Program.Main"));
    page_end();
}

static void test_what_has_all_threads_is_exact(void **state)
{
    (void)state;
    make_trees(path);
    page_begin();
    assert_true(has(ask("tree", ""), "\"exact\": true"));
    assert_true(has(ask("tree", "apart=1"), "\"exact\": true"));
    assert_true(has(ask("tree", "from=0&to=9500&thread=1:2"), "\"exact\": true"));
    assert_true(has(ask("tree", "from=10001&to=20000"), "\"exact\": true")); // thread 1 ended before
    page_end();
    make_calls(path);
    page_begin();
    assert_true(has(ask("tree", "from=0&to=9500"), "\"exact\": true"));
    page_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_range_names_threads_without_events),
        cmocka_unit_test(test_what_has_all_threads_is_exact),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
