// Moments and spans of time read as .NET 10 printed them under the invariant culture.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "view/text/value_time.h"

static void assert_text(struct buffer *buffer, const char *expected)
{
    buffer_u8(buffer, 0);
    assert_string_equal((const char *)buffer->data, expected);
    buffer_clear(buffer);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
