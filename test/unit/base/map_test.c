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

// Whatever keys go, in whatever order, the others stay.
static void removed_keys_leave_the_others(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    static const uint64_t strides[] = {1, 0x1000, UINT64_C(1) << 32, 0x9E3779B97F4A7C15u};
    for (size_t k = 0; k < sizeof strides / sizeof *strides; k++) {
        struct map map = {0};
        uint64_t value;
        map_remove(&map, 1); // of none
        for (uint64_t i = 0; i < COUNT; i++) {
            assert_true(map_put(&map, i * strides[k], i));
        }
        for (uint64_t i = 0; i < COUNT; i++) {
            uint64_t gone = i * 2477 % COUNT; // each once
            if (gone % 3) {
                map_remove(&map, gone * strides[k]);
                map_remove(&map, gone * strides[k]);
            }
        }
        assert_int_equal(map.count, (COUNT + 2) / 3);
        for (uint64_t i = 0; i < COUNT; i++) {
            assert_int_equal(map_get(&map, i * strides[k], &value), i % 3 == 0);
            assert_true(i % 3 || value == i);
        }
        map_free(&map);
    }
}

// As many keys as ever, and no more room than they need at a time.
static void a_map_of_few_keys_at_a_time_stays_small(void **state)
{
    (void)state;
    struct map map = {0};
    for (uint64_t i = 0; i < 100000; i++) {
        assert_true(map_put(&map, i * 8, i));
        if (i >= 5) {
            map_remove(&map, (i - 5) * 8);
        }
    }
    assert_int_equal(map.count, 5);
    assert_int_equal(map.capacity, 16);
    map_free(&map);
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
        cmocka_unit_test(removed_keys_leave_the_others),
        cmocka_unit_test(a_map_of_few_keys_at_a_time_stays_small),
        cmocka_unit_test(hashes_of_different_texts_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
