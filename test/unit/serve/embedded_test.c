// The policy of a page and the place for its data; base64.
#include "serve/embedded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "serve/base64.h"

static void test_base64(void **state)
{
    // RFC 4648, section 10
    static const char *const pairs[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct buffer out = {0};
        base64_append(&out, pairs[i][0], strlen(pairs[i][0]));
        assert_true(text_equal(text_in(&out), text_of(pairs[i][1])));
        buffer_free(&out);
    }
}

// The hash of alert('Hello, world.'); is that of the example in CSP Level 3.
static void test_policy(void **state)
{
    static const char page[] =
        "<SCRIPT type=module>alert('Hello, world.');</Script><script id=\"clew-data\">x</script>";
    struct buffer policy = {0};
    (void)state;
    embedded_policy(&policy, text_of(page));
    buffer_u8(&policy, 0);
    const char *text = (const char *)policy.data;
    assert_non_null(strstr(text, "default-src 'none'; script-src "
                                 "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='; style-src"));
    assert_non_null(strstr(text, "frame-ancestors 'none'"));
    buffer_free(&policy);
}

static void test_no_script(void **state)
{
    struct buffer policy = {0};
    (void)state;
    embedded_policy(&policy, text_of("<script>never closed"));
    buffer_u8(&policy, 0);
    assert_non_null(strstr((const char *)policy.data, "script-src 'none'"));
    buffer_free(&policy);
}

static void test_place(void **state)
{
    struct text before, after;
    (void)state;
    assert_true(
        embedded_data_place(text_of("a<script>1</script><script id=\"clew-data\">old</script>z"), &before, &after));
    assert_true(text_equal(before, text_of("a<script>1</script><script id=\"clew-data\">")));
    assert_true(text_equal(after, text_of("</script>z")));
    assert_false(embedded_data_place(text_of("<script>id=\"clew-data\"</script>"), &before, &after));
    assert_false(embedded_data_place(text_of(""), &before, &after));
}

// The page that is built in has a place for data, and the policy has its scripts.
static void test_own_page(void **state)
{
    struct text before, after;
    struct buffer policy = {0};
    (void)state;
    assert_true(embedded_data_place(embedded_page(), &before, &after));
    assert_true(text_starts(after, "</script>"));
    embedded_policy(&policy, embedded_page());
    buffer_u8(&policy, 0);
    assert_null(strstr((const char *)policy.data, "script-src 'none'"));
    buffer_free(&policy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_base64), cmocka_unit_test(test_policy),
                                       cmocka_unit_test(test_no_script), cmocka_unit_test(test_place),
                                       cmocka_unit_test(test_own_page)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
