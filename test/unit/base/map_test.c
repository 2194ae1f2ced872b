// The map holds every key once, whatever the keys look like.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/map.h"

static void an_empty_map_finds_nothing(void **state)
{
    (void)state;
    struct map map = {0};
    uint64_t value = 7;
    assert_false(map_get(&map, 0, &value));
    assert_int_equal(value, 7);
    map_free(&map);
}

static void fill_and_check(uint64_t stride)
{
    enum { COUNT = 20000 };
    struct map map = {0};
    uint64_t value;
    for (uint64_t i = 0; i < COUNT; i++) {
        assert_true(map_put(&map, i * stride, i));
    }
    assert_int_equal(map.count, COUNT);
    for (uint64_t i = 0; i < COUNT; i++) {
        assert_true(map_get(&map, i * stride, &value));
        assert_int_equal(value, i);
    }
    assert_false(map_get(&map, COUNT * stride, &value));
    map_free(&map);
}

static void keys_of_any_stride_are_found(void **state)
{
    (void)state;
    fill_and_check(1);
    fill_and_check(0x1000);            // addresses of pages
    fill_and_check(UINT64_C(1) << 32); // only the high half differs
    fill_and_check(0x9E3779B97F4A7C15u);
}

static void the_last_value_of_a_key_counts(void **state)
{
    (void)state;
    struct map map = {0};
    uint64_t value;
    assert_true(map_put(&map, 0, 1) && map_put(&map, UINT64_MAX, 2) && map_put(&map, 0, 3));
    assert_int_equal(map.count, 2);
    assert_true(map_get(&map, 0, &value) && value == 3);
    assert_true(map_get(&map, UINT64_MAX, &value) && value == 2);
    map_free(&map);
    assert_false(map_get(&map, 0, &value));
}

static void hashes_of_different_texts_differ(void **state)
{
    (void)state;
    assert_true(map_hash_text("ab", 2) != map_hash_text("ba", 2));
    assert_true(map_hash_text("ab", 2) != map_hash_text("ab\0", 3));
    assert_true(map_hash_text("ab", 2) == map_hash_text("abc", 2));
    assert_true(map_hash_text("", 0) == UINT64_C(0xCBF29CE484222325)); // FNV-1a's offset basis
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_map_finds_nothing),
        cmocka_unit_test(keys_of_any_stride_are_found),
        cmocka_unit_test(the_last_value_of_a_key_counts),
        cmocka_unit_test(hashes_of_different_texts_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
