// Characters and references as text.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../opened.h"
#include "base/text.h"
#include "view/text/value.h"

static void assert_text(struct buffer *buffer, const char *expected)
{
    buffer_u8(buffer, 0);
    assert_string_equal((const char *)buffer->data, expected);
    buffer_clear(buffer);
}

// A UTF-16 unit alone; half of a surrogate pair cannot be said in UTF-8.
static void test_characters(void **state)
{
    static const struct {
        uint32_t unit;
        const char *text, *story;
    } known[] = {{'a', "a", "'a'"},
                 {'\n', "\\n", "'\\n'"},
                 {0xE9, "\xC3\xA9", "'\xC3\xA9'"},
                 {0xD7FF, "\xED\x9F\xBF", "'\xED\x9F\xBF'"},
                 {0xD800, "\xEF\xBF\xBD", "'\xEF\xBF\xBD'"},
                 {0xDFFF, "\xEF\xBF\xBD", "'\xEF\xBF\xBD'"},
                 {0xE000, "\xEE\x80\x80", "'\xEE\x80\x80'"}};
    (void)state;
    struct buffer buffer = {0};
    struct sites *sites; // of any recording: a character's type is not looked at
    assert_int_equal(sites_load(opened("test/golden/v2-sample.clew"), &sites), CLEW_OK);
    const struct values values = {.sites = sites};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct site_value value = {.encoding = VALUE_CHAR, .size = 4, .cells = &known[i].unit};
        value_text(&buffer, &values, &value);
        assert_text(&buffer, known[i].text);
        value_story(&buffer, &values, &value);
        assert_text(&buffer, known[i].story);
    }
    sites_free(sites);
    buffer_free(&buffer);
}

// Bits that refer to no object have no number, whatever else is recorded under it.
static void test_references(void **state)
{
    static const struct {
        uint32_t number;
        const char *story;
    } known[] = {{0, "null"}, {7, "object #7"}, {VALUE_OBJECT_INVALID, "(not captured: it refers to no object)"}};
    (void)state;
    struct buffer buffer = {0};
    struct sites *sites; // of any recording: nothing is known of these objects
    assert_int_equal(sites_load(opened("test/golden/v2-sample.clew"), &sites), CLEW_OK);
    const struct values values = {.sites = sites};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct site_value value = {.encoding = VALUE_OBJECT, .size = 4, .cells = &known[i].number};
        bool invalid = known[i].number == VALUE_OBJECT_INVALID;
        value_story(&buffer, &values, &value);
        assert_text(&buffer, known[i].story);
        assert_int_equal(value_is_invalid(&value), invalid);
        assert_int_equal(value_object(&value), invalid ? 0 : known[i].number);
    }
    sites_free(sites);
    buffer_free(&buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_characters),
        cmocka_unit_test(test_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
