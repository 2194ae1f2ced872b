// The document `story`: pages of rows, and searches.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "page_asked.h"

static unsigned rows_in(const char *json)
{
    unsigned rows = 0;
    for (const char *at = json; (at = strstr(at, "{\"event\"")) != NULL; at++) {
        rows++;
    }
    return rows;
}

static void check_search(const char *query, unsigned rows, const char *parts)
{
    const char *json = ask("story", query);
    assert_int_equal(asked_status, 200);
    if (rows_in(json) != rows || !has(json, parts)) {
        fail_msg("%s: not %u rows with %s: %s", query, rows, parts, json);
    }
}

static void test_pages_go_both_ways(void **state)
{
    (void)state;
    make_calls(path);
    page_begin();
    check_search("thread=1:1&count=3", 3, "\"first\": \"1:1:0\",\"last\": \"1:1:2\",\"more\": true");
    check_search("at=1:1:3&direction=-1&count=2", 2, "\"first\": \"1:1:1\",\"last\": \"1:1:2\",\"more\": true");
    check_search("at=1:1:2&direction=-1", 2, "\"more\": false");
    check_search("at=1:1:999", 0, "\"first\": null,\"last\": null,\"more\": false");
    page_end();
}

static void test_finds_calls_of_a_method(void **state)
{
    (void)state;
    make_calls(path);
    page_begin();
    check_search("thread=1:1&method=Shop.Cart.Add(int)&count=1", 1,
                 "\"first\": \"1:1:1\",\"last\": \"1:1:1\",\"more\": true,\"next\": \"1:1:2\"");
    check_search("at=1:1:2&method=Shop.Cart.Add(int)&count=1", 1, "\"first\": \"1:1:3\"");
    check_search("at=1:1:4&method=Shop.Cart.Add(int)", 0,
                 "\"first\": null,\"last\": null,\"more\": false,\"next\": null");
    check_search("at=1:1:22&direction=-1&method=Shop.Cart.Add(int)&count=1", 1,
                 "\"last\": \"1:1:3\",\"more\": true,\"next\": \"1:1:3\"");
    check_search("at=1:1:22&direction=-1&method=Shop.Cart.Add(int)&count=2", 2,
                 "\"first\": \"1:1:1\",\"last\": \"1:1:3\",\"more\": true,\"next\": \"1:1:1\"");
    check_search("at=1:1:1&direction=-1&method=Shop.Cart.Add(int)", 0, "\"more\": false,\"next\": null");
    check_search("thread=1:1&method=Shop.Cart.Add", 0, "\"more\": false"); // the whole name
    page_end();
}

// Main begins in the first block, and runs where the second one begins.
static void test_finds_a_call_where_it_begins_alone(void **state)
{
    (void)state;
    static const struct recording_event one[] = {E(100, MAIN), E(200, ADD)}, two[] = {L(300), E(400, ADD)};
    static const uint32_t open[] = {MAIN, ADD};
    static const uint64_t started[] = {START + 100, START + 200};
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define();
    write_stream(1, one, 2);
    struct recording_events second = block_of(1, two, 2);
    second.sequence = 1;
    second.depth = 2;
    second.open = open;
    second.open_clock = started;
    must(recording_write_events(writer, &second));
    finish(4, 0, 1, true);
    page_begin();
    check_search("find=main&direction=-1&at=1:1:4", 1, "\"event\": \"enter\"");
    check_search("thread=1:1&find=main", 1, "\"first\": \"1:1:0\"");
    page_end();
}

static void test_finds_text_in_names_statements_and_values(void **state)
{
    (void)state;
    make_sites(path);
    page_begin();
    check_search("find=cart.add", 2, "\"event\": \"enter\""); // a method, in small letters; its end, too
    check_search("find=cart.add&count=1&direction=-1&at=1:1:18", 1, "\"event\": \"leave\"");
    check_search("find=x%20%3D%20-5", 1, "\"name\": \"x\""); // a value with its name
    check_search("find=12345", 0, "\"more\": false");        // a decimal reads 123.45
    check_search("find=123.45", 1, "");
    check_search("find=p.x%20%3D%2042", 1, "");
    check_search("find=Red", 1, "\"index\": 7");
    check_search("find=nothing%20of%20this", 0, "\"next\": null");
    page_end();
}

static void test_finds_lines_of_statements(void **state)
{
    (void)state;
    make_sites(path);
    page_begin();
    check_search("find=RETURN%20n%20%2B%201", 1, "\"event\": \"statement\"");
    check_search("find=add(y)", 1, "\"event\": \"statement\"");
    page_end();
}

static void test_refuses_searches_that_are_none(void **state)
{
    static const char *const queries[] = {"find=", "method=", "find=a&method=b"};
    (void)state;
    make_calls(path);
    page_begin();
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        (void)ask("story", queries[i]);
        assert_int_equal(asked_status, 400);
    }
    page_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pages_go_both_ways),
        cmocka_unit_test(test_finds_calls_of_a_method),
        cmocka_unit_test(test_finds_a_call_where_it_begins_alone),
        cmocka_unit_test(test_finds_text_in_names_statements_and_values),
        cmocka_unit_test(test_finds_lines_of_statements),
        cmocka_unit_test(test_refuses_searches_that_are_none),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
