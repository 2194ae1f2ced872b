// JSON read by a cursor: members by name and in order, escapes, and texts that are malformed or cut.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json_scan.h"
#include "base/text.h"

// The string at a path of names, or NULL.
static char *find(struct bytes at, const char *const *path)
{
    struct buffer text = {0};
    bool found = true;
    json_scan_skip_mark(&at);
    for (; found && *path; path++) {
        found = json_scan_find(&at, *path, &text);
    }
    found = found && json_scan_string(&at, &text);
    char *result = found ? strndup(text.size ? (const char *)text.data : "", text.size) : NULL;
    buffer_free(&text);
    return result;
}

static void assert_found(const char *json, const char *expected)
{
    static const char *const path[] = {"a", "b", NULL};
    char *found = find(bytes_of(json, strlen(json)), path);
    if (expected) {
        assert_non_null(found);
        assert_string_equal(found, expected);
    } else {
        assert_null(found);
    }
    free(found);
}

static void members_are_found_by_their_names(void **state)
{
    (void)state;
    assert_found("{\"a\":{\"b\":\"x\"}}", "x");
    assert_found(
        "\xEF\xBB\xBF { \"v\" : [1, {\"a\": null}, \"x\", true, -1.5e3, [], {}],\n \"a\" : {\"c\":{\"b\":\"no\"}, "
        "\"b\" : \"yes\"}}",
        "yes");
    assert_found("{\"\\u0061\":{\"b\":\"s\\u00e4\\ud83d\\ude00\\/\\n\\\"\"}}", "s\u00e4\U0001F600/\n\"");
    assert_found("{\"a\":{}}", NULL);
    assert_found("{\"a\":{\"b\":1}}", NULL);
    assert_found("{\"a\":[]}", NULL);
    assert_found("{\"b\":\"x\"}", NULL);
    assert_found("[]", NULL);
    assert_found("", NULL);
}

static void malformed_texts_have_no_members(void **state)
{
    (void)state;
    static const char whole[] = "{\"v\":{\"b\":[]},\"a\":{\"b\":\"http:\\u002f/*\"";
    static const char *const path[] = {"a", "b", NULL};
    for (size_t size = 0; size < sizeof whole - 1; size++) {
        char *cut = malloc(size + 1); // its own, so that a sanitizer watches its end
        assert_non_null(cut);
        memcpy(cut, whole, size);
        assert_null(find(bytes_of(cut, size), path));
        free(cut);
    }
    assert_found(whole, "http://*");
    assert_found("{\"a\":{\"b\":\"x\\\"", NULL); // ends within the string
    assert_found("{\"a\":{\"b\":\"\\x\"}}", NULL);
    assert_found("{\"a\":{\"b\":\"\\u00g0\"}}", NULL);
    assert_found("{\"v\" 1,\"a\":{\"b\":\"x\"}}", NULL);
    assert_found("{\"v\":,\"a\":{\"b\":\"x\"}}", NULL);
    assert_found("{\"v\":1 \"a\":{\"b\":\"x\"}}", NULL);
    char deep[2000] = "{\"v\":";
    memset(deep + 5, '[', sizeof deep - 6); // does not exhaust the stack
    assert_found(deep, NULL);
}

static void members_come_in_order(void **state)
{
    (void)state;
    static const char json[] = "{\"one\":1, \"two\" : {\"x\":[2]},\"three\":\"3\"} ,\"four\":4";
    static const char *const names[] = {"one", "two", "three"};
    struct bytes at = bytes_of(json, strlen(json));
    struct buffer key = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_true(json_scan_member(&at, &key));
        assert_true(text_equal(text_in(&key), text_of(names[i])));
        assert_true(json_scan_skip(&at, &key));
    }
    assert_false(json_scan_member(&at, &key));
    buffer_free(&key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_found_by_their_names),
        cmocka_unit_test(malformed_texts_have_no_members),
        cmocka_unit_test(members_come_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
