// Numbers and times read as .NET 10 printed them under the invariant culture.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "view/value.h"

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
    assert_int_equal(sites_load("test/golden/v2-sample.clew", &sites), CLEW_OK);
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
    assert_int_equal(sites_load("test/golden/v2-sample.clew", &sites), CLEW_OK);
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

static void test_doubles(void **state)
{
    static const struct {
        uint64_t bits;
        const char *text;
    } known[] = {{0x42d6bcc41e900000, "100000000000000"},
                 {0x4341c37937e08000, "10000000000000000"},
                 {0x437b69b4ba630f35, "1.2345678901234568E+17"},
                 {0x3f1a36e2eb1c432d, "0.0001"},
                 {0x3ee4f8b588e368f1, "1E-05"},
                 {0x3f543a2714d82e74, "0.0012345678"},
                 {0x3fd5555555555555, "0.3333333333333333"},
                 {0x7fefffffffffffff, "1.7976931348623157E+308"},
                 {1, "5E-324"},
                 {0x8000000000000000, "-0"},
                 {0xfff8000000000000, "NaN"},
                 {0xfff0000000000000, "-Infinity"},
                 {0x430c6bf52633ffff, "999999999999999.9"},
                 {0x4376345785d8a000, "1E+17"},
                 {0x40fe240b33333333, "123456.7"}};
    (void)state;
    struct buffer buffer = {0};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double number;
        memcpy(&number, &known[i].bits, sizeof number);
        value_double(&buffer, number);
        assert_text(&buffer, known[i].text);
    }
    buffer_free(&buffer);
}

static void test_floats_and_halves(void **state)
{
    static const struct {
        uint32_t bits;
        const char *text;
    } known[] = {{0x4cbebc20, "100000000"}, {0x4ceb79a3, "123456790"},     {0x3eaaaaab, "0.33333334"},
                 {0x3727c5ac, "1E-05"},     {0x7f7fffff, "3.4028235E+38"}, {1, "1E-45"}};
    static const struct {
        uint16_t bits;
        const char *text;
    } halves[] = {{0x2e66, "0.1"}, {0x63d0, "1000"},  {0x7bff, "65500"},
                  {2, "1E-07"},    {0x7207, "12344"}, {0xfc00, "-Infinity"}};
    (void)state;
    struct buffer buffer = {0};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        float number;
        memcpy(&number, &known[i].bits, sizeof number);
        value_float(&buffer, number);
        assert_text(&buffer, known[i].text);
    }
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++) {
        value_half(&buffer, halves[i].bits);
        assert_text(&buffer, halves[i].text);
    }
    buffer_free(&buffer);
}

static void test_wide_numbers(void **state)
{
    static const uint8_t price[16] = {[2] = 2, [8] = 110}, tiny[16] = {[2] = 6, [3] = 0x80, [8] = 1};
    static const uint8_t most[16] = {[4] = 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    (void)state;
    struct buffer buffer = {0};
    value_decimal(&buffer, price);
    assert_text(&buffer, "1.10");
    value_decimal(&buffer, tiny);
    assert_text(&buffer, "-0.000001");
    value_decimal(&buffer, most);
    assert_text(&buffer, "79228162514264337593543950335");
    value_int128(&buffer, 0, UINT64_C(1) << 63, true);
    assert_text(&buffer, "-170141183460469231731687303715884105728");
    buffer_free(&buffer);
}

static void test_times(void **state)
{
    (void)state;
    struct buffer buffer = {0};
    value_time_span(&buffer, -12345678901234);
    assert_text(&buffer, "-14.06:56:07.8901234");
    value_time_span(&buffer, 610000000);
    assert_text(&buffer, "00:01:01");
    value_date(&buffer, UINT64_C(738944) * 864000000000u); // 29 February 2024
    assert_text(&buffer, "02/29/2024");
    value_date(&buffer, 0);
    assert_text(&buffer, "01/01/0001");
    value_date(&buffer, UINT64_C(3652058) * 864000000000u);
    assert_text(&buffer, "12/31/9999");
    value_time_of_day(&buffer, UINT64_C(471060000000));
    assert_text(&buffer, "13:05:06");
    buffer_free(&buffer);
}

static void expect_short(const char *full, const char *expected)
{
    struct buffer text = {0};
    value_short_type(&text, text_of(full));
    buffer_u8(&text, 0);
    assert_string_equal((const char *)text.data, expected);
    buffer_free(&text);
}

static void type_names_for_people(void **state)
{
    (void)state;
    expect_short("System.String", "string");
    expect_short("Shop.Cart", "Cart");
    expect_short("Cart", "Cart");
    expect_short("System.Int32[,][]", "int[,][]");
    expect_short("System.Collections.Generic.Dictionary<System.String, System.ValueTuple<System.Int32, Shop.Point>[]>",
                 "Dictionary<string, (int, Point)[]>");
    expect_short("Shop.Map<System.Byte, T>.Node", "Map<byte, T>.Node");
    expect_short("System.Nullable<System.Decimal>", "decimal?");
    expect_short("Shop.Program.<Main>d__0", "Main()");
    expect_short("Shop.Program.<All>d__3<System.Int64>", "All<long>()");
    expect_short("Shop.Program.<Shop.IStock.All>d__3", "Shop.IStock.All()");
    expect_short("Shop.Program.<>c__DisplayClass0_0.<<Run>g__Twice|2>d", "Run.Twice()");
    expect_short("Box<Shop.Program.<<Run>g__Twice|2>d>", "Box<Run.Twice()>");
    expect_short("Shop.Program.VB$StateMachine_3_Squares", "Squares()");
    expect_short("<>f__AnonymousType0<System.Int32, Shop.Cart>", "AnonymousType0<int, Cart>");
    expect_short("VB$AnonymousDelegate_0<System.Int32>", "AnonymousDelegate_0<int>");
    expect_short("Shop.Program.<Odd", "Shop.Program.<Odd");
    expect_short("System.Byte*", "byte*");
    for (unsigned i = 0; i < 3; i++) { // stay as they are
        static const char *const odd[] = {"Shop.Map<System.Int32", "", "Shop.Cart extra"};
        expect_short(odd[i], odd[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_characters),   cmocka_unit_test(test_references),
        cmocka_unit_test(test_doubles),      cmocka_unit_test(test_floats_and_halves),
        cmocka_unit_test(test_wide_numbers), cmocka_unit_test(type_names_for_people),
        cmocka_unit_test(test_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
