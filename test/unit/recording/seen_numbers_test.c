// Which definitions a pass has seen: originals in order, holes between them, and copies that fill the holes.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include <stdlib.h>
#include <string.h>

#include "recording/seen_numbers.h"

static bool copy_is_wanted(struct seen_numbers *seen, uint64_t number)
{
    bool wanted;
    assert_true(seen_numbers_add_copy(seen, number, &wanted));
    return wanted;
}

static void no_copy_is_wanted_where_all_were_seen(void **state)
{
    (void)state;
    struct seen_numbers seen = {0};
    assert_true(seen_numbers_lack(&seen)); // nothing was seen
    assert_true(seen_numbers_add(&seen, 0, 5));
    assert_true(seen_numbers_add(&seen, 5, 9));
    assert_false(seen_numbers_lack(&seen));
    assert_false(copy_is_wanted(&seen, 0));
    assert_false(copy_is_wanted(&seen, 8));
    assert_true(copy_is_wanted(&seen, 9)); // a copy whose original comes later, or never
    assert_false(copy_is_wanted(&seen, 9));
    seen_numbers_free(&seen);
}

static void copies_fill_gaps(void **state)
{
    (void)state;
    struct seen_numbers seen = {0};
    assert_true(seen_numbers_add(&seen, 10, 12)); // the pass begins in the middle
    assert_true(seen_numbers_lack(&seen));
    assert_true(copy_is_wanted(&seen, 4)); // splits the gap
    assert_false(copy_is_wanted(&seen, 4));
    assert_false(copy_is_wanted(&seen, 11));
    for (uint64_t i = 0; i < 10; i++) {
        assert_int_equal(copy_is_wanted(&seen, i), i != 4);
    }
    assert_false(seen_numbers_lack(&seen));
    seen_numbers_clear(&seen);
    assert_true(seen_numbers_lack(&seen));
    seen_numbers_free(&seen);
}

// Against a plain list of flags.
static void any_order_gives_each_number_once(void **state)
{
    (void)state;
    enum { NUMBERS = 64, ROUNDS = 500 };
    srand(1);
    for (int round = 0; round < ROUNDS; round++) {
        struct seen_numbers seen = {0};
        bool known[NUMBERS + 8];
        uint64_t next = 0;
        memset(known, 0, sizeof known);
        while (next < NUMBERS) {
            if (rand() % 3) {
                uint64_t copy = (uint64_t)rand() % NUMBERS;
                assert_int_equal(copy_is_wanted(&seen, copy), !known[copy]);
                known[copy] = true;
                next = next > copy + 1 ? next : copy + 1;
                continue;
            }
            uint64_t from = next + (uint64_t)rand() % 4, to = from + (uint64_t)rand() % 5;
            assert_true(seen_numbers_add(&seen, from, to));
            for (uint64_t i = from; i < to && i < NUMBERS; i++) {
                known[i] = true;
            }
            next = to;
        }
        seen_numbers_free(&seen);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_copy_is_wanted_where_all_were_seen),
        cmocka_unit_test(copies_fill_gaps),
        cmocka_unit_test(any_order_gives_each_number_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
