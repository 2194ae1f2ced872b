// Arrays grow by doubling, keep what they hold, and stay as they are when memory runs out.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include <stdlib.h>

#include "base/array.h"

static void an_array_grows_and_keeps_its_items(void **state)
{
    (void)state;
    uint64_t *items = NULL;
    size_t room = 0, moves = 0;
    for (size_t count = 0; count < 1000; count++) {
        size_t before = room;
        assert_true(array_grow(&items, count, &room, sizeof *items));
        assert_true(room > count);
        moves += room != before;
        items[count] = count;
    }
    assert_true(moves < 10);
    for (size_t i = 0; i < 1000; i++) {
        assert_int_equal(items[i], i);
    }
    free(items);
}

static void an_array_stays_unchanged_if_memory_runs_out(void **state)
{
    (void)state;
    char item = 0, *items = &item;
    size_t room = SIZE_MAX / 4;
    assert_true(array_grow(&items, room - 1, &room, 1)); // there is room
    assert_false(array_grow(&items, room, &room, 64));   // more bytes than can be counted
    assert_ptr_equal(items, &item);
    assert_int_equal(room, SIZE_MAX / 4);
    room = SIZE_MAX;
    assert_false(array_grow(&items, room, &room, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_grows_and_keeps_its_items),
        cmocka_unit_test(an_array_stays_unchanged_if_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
