// The document `tree`: a range says what it has nothing of.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../made_recording.h"

#include "../made_awaits.h"
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

static void async_nodes_have_columns_of_their_own(void **state)
{
    (void)state;
    make_awaits(path, MADE_ALL);
    page_begin();
    const char *json = ask("tree", "");
    assert_true(has(json, "\"view\": \"logical\""));
    assert_true(has(json, "\"async\": {\"node\": [1,3,4],\"runs\": [1,5,7],\"pending\": [0,1,0],\"unknown_ends\": "
                          "[0,0,0],\"cancelled\": [0,0,1],"
                          "\"ended\": [1,2,3],\"parallel\": [0,0,0],\"folded\": [0,0,0],\"latency_ns\": [40,7000,5900],"
                          "\"latency_min_ns\": [40,3000,900],\"latency_max_ns\": [40,4000,3000],"
                          "\"own_awaiting_ns\": [0,100,4600],\"awaiting_ns\": [0,4700,4600]"));
    assert_true(has(json, "\"awaits\": {\"node\": [3,4,4],\"place\": [0,1,2],\"count\": [2,3,1],"
                          "\"awaiting_ns\": [4500,4000,600]}"));
    assert_true(has(json, "{\"what\": \"Repo.LoadAsync\",\"file\": \"/src/shop/Repo.cs\",\"line\": 14,"
                          "\"document\": null}"));
    assert_true(has(json, "{\"what\": null,\"file\": \"/src/shop/Repo.cs\",\"line\": 43,\"document\": null}"));
    page_end();
}

static void waiting_of_folded_nodes_is_kept(void **state)
{
    (void)state;
    make_awaits(path, MADE_ALL);
    page_begin();
    const char *json = ask("tree", "nodes=2"); // ServeAsync is the longest with its waiting, after Main
    assert_true(has(json, "\"name\": \"Shop.Server.ServeAsync(int) (async)\""));
    assert_true(has(json, "\"name\": \"(small)\""));
    assert_true(has(json, "\"runs\": [5,0],\"pending\": [1,0]"));
    assert_true(has(json, "\"latency_min_ns\": [3000,null]"));
    assert_true(has(json, "\"own_awaiting_ns\": [100,4600],\"awaiting_ns\": [4700,4600]"));
    page_end();
}

static void the_physical_view_has_no_async_nodes(void **state)
{
    (void)state;
    make_awaits(path, MADE_ALL);
    page_begin();
    assert_true(has(ask("session", ""), "\"logical\": true"));
    for (const char *const *query = (const char *const[]){"view=physical", "apart=1", "thread=1:2", NULL}; *query;
         query++) {
        const char *json = ask("tree", *query);
        assert_true(has(json, "\"view\": \"physical\""));
        assert_true(has(json, "\"async\": null"));
    }
    assert_true(has(ask("tree", "view=logical&thread=1:*"), "\"view\": \"logical\""));
    assert_true(has(ask("report", "by=methods&view=physical"), "\"view\": \"physical\""));
    assert_true(has(ask("report", "by=methods&view=physical"), "Shop.Server.ServeAsync(int)\","));
    assert_true(has(ask("report", "by=methods"), "\"view\": \"logical\""));
    ask("tree", "view=both");
    assert_int_equal(asked_status, 400);
    ask("report", "view=");
    assert_int_equal(asked_status, 400);
    page_end();
    make_awaits(path, MADE_WITHOUT_LINKS);
    page_begin();
    assert_true(has(ask("session", ""), "\"logical\": false"));
    assert_true(has(ask("tree", "view=logical"), "\"view\": \"physical\""));
    page_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_range_names_threads_without_events),
        cmocka_unit_test(test_what_has_all_threads_is_exact),
        cmocka_unit_test(async_nodes_have_columns_of_their_own),
        cmocka_unit_test(waiting_of_folded_nodes_is_kept),
        cmocka_unit_test(the_physical_view_has_no_async_nodes),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
