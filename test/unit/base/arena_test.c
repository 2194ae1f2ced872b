// Memory of an arena is zeroed, aligned, apart from its neighbours, and given back at once.
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"

static void pieces_are_zeroed_aligned_and_apart(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    static unsigned char *pieces[COUNT];
    struct arena arena = {0};
    for (size_t i = 0; i < COUNT; i++) {
        size_t size = i % 200;
        pieces[i] = arena_alloc(&arena, size);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % alignof(max_align_t), 0);
        for (size_t k = 0; k < size; k++) {
            assert_int_equal(pieces[i][k], 0);
        }
        memset(pieces[i], (int)(i & 0xFF), size);
    }
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t k = 0; k < i % 200; k++) {
            assert_int_equal(pieces[i][k], i & 0xFF);
        }
    }
    arena_free(&arena);
    assert_null(arena.blocks);
    assert_int_equal(arena.total, 0);
}

static void large_pieces_get_their_own_room(void **state)
{
    (void)state;
    struct arena arena = {0};
    unsigned char *small = arena_alloc(&arena, 16);
    unsigned char *large = arena_alloc(&arena, 8 << 20);
    assert_non_null(small);
    assert_non_null(large);
    memset(large, 0xFF, 8 << 20);
    assert_int_equal(small[15], 0);
    assert_non_null(arena_alloc(&arena, 16));
    arena_free(&arena);
}

static void sizes_that_cannot_be_are_refused(void **state)
{
    (void)state;
    struct arena arena = {0};
    assert_null(arena_alloc(&arena, SIZE_MAX));
    assert_non_null(arena_alloc(&arena, 8)); // usable after
    arena_free(&arena);
}

static void texts_are_terminated_copies(void **state)
{
    (void)state;
    struct arena arena = {0};
    char source[] = "Cart.Add";
    char *copy = arena_text(&arena, source, 4);
    source[0] = 'X';
    assert_string_equal(copy, "Cart");
    assert_string_equal(arena_text(&arena, NULL, 0), "");
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_zeroed_aligned_and_apart),
        cmocka_unit_test(large_pieces_get_their_own_room),
        cmocka_unit_test(sizes_that_cannot_be_are_refused),
        cmocka_unit_test(texts_are_terminated_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
