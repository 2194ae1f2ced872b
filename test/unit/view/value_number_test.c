// Numbers read as .NET 10 printed them under the invariant culture.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "view/text/value_number.h"

static void assert_text(struct buffer *buffer, const char *expected)
{
    buffer_u8(buffer, 0);
    assert_string_equal((const char *)buffer->data, expected);
    buffer_clear(buffer);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_doubles),
        cmocka_unit_test(test_floats_and_halves),
        cmocka_unit_test(test_wide_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
