// By which exceptions activations of a node ended: what follows from throws and catches, and what does not.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "model/tree_thrown.h"
#include "trace/kinds.h"

enum { EMPTY = 1, LOST, UNTYPED, MANY = 5, TYPE_EMPTY = 7, TYPE_LOST = 8 };

// The path 1, 2, 3, beside it 4 below 1, and an async body 5. Numbers of rows are ten times those of nodes.
static const struct thrown_node nodes[] = {
    {0}, {0, 0, 10, false}, {1, 9, 20, false}, {2, 6, 30, false}, {1, 4, 40, false}, {0, 3, 50, true},
};

static struct map types;
static struct tree_thrown found;

static void end(const struct recording_throw *throws, uint32_t count, bool whole)
{
    const struct recording_throws record = {.count = count, .throws = throws};
    struct thrown_merge merge = {.types = {&types, 1}};
    tree_thrown_free(&found);
    assert_true(map_put(&types, UINT64_C(1) << 32 | EMPTY, TYPE_EMPTY));
    assert_true(map_put(&types, UINT64_C(1) << 32 | LOST, TYPE_LOST));
    assert_true(map_put(&types, UINT64_C(1) << 32 | UNTYPED, 0));
    for (uint32_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        assert_int_equal(thrown_merge_node(&merge, &nodes[i]), CLEW_OK);
    }
    assert_int_equal(thrown_merge_end(&merge, &record, whole, &found), CLEW_OK);
    thrown_merge_free(&merge);
}

static uint64_t count_of(uint32_t row, uint32_t type)
{
    uint64_t count = 0;
    for (const struct tree_thrown_by *by = tree_thrown_first(&found, row); by; by = tree_thrown_next(&found, by)) {
        count += by->type == type ? by->count : 0;
    }
    return count;
}

static int end_of_test(void **state)
{
    (void)state;
    tree_thrown_free(&found);
    map_free(&types);
    return 0;
}

// Nodes in the recording count from 1.
static struct recording_throw caught(uint32_t node, uint32_t by, uint32_t exception, uint64_t count)
{
    return (struct recording_throw){node + 1, by + 1, 0, 0, exception, THROW_CAUGHT, count};
}

static void all_from_the_throw_to_the_catch_ended(void **state)
{
    (void)state;
    const struct recording_throw throws[] = {
        {4, 0, 0, 0, EMPTY, 0, 100}, caught(3, 1, EMPTY, 4), caught(3, 2, LOST, 2),
        caught(2, 1, LOST, 5),       caught(4, 0, LOST, 4),  caught(1, 1, EMPTY, 77),
    };
    end(throws, sizeof throws / sizeof *throws, true);
    assert_int_equal(count_of(30, TYPE_EMPTY), 4);
    assert_int_equal(count_of(30, TYPE_LOST), 2);
    assert_int_equal(count_of(20, TYPE_EMPTY), 4);
    assert_int_equal(count_of(20, TYPE_LOST), 5);
    assert_int_equal(count_of(40, TYPE_LOST), 4);
    assert_int_equal(count_of(10, TYPE_LOST), 0); // it counts none: figures that contradict each other say nothing
    assert_int_equal(count_of(10, TYPE_EMPTY), 0);
}

static void what_contradicts_the_tree_says_nothing(void **state)
{
    (void)state;
    const struct recording_throw throws[] = {
        caught(3, 2, EMPTY, 7),   // more than have ended
        caught(2, 4, EMPTY, 1),   // not above
        caught(4, 1, UNTYPED, 1), // of no type
        caught(4, 1, MANY, 1),    // not defined
        {UINT32_MAX, 1, 0, 0, EMPTY, THROW_CAUGHT, 1},
        {3, UINT32_MAX, 0, 0, EMPTY, THROW_CAUGHT, 1},
        {0, 2, 0, 0, EMPTY, THROW_CAUGHT, 1},
        {3, 0, 0, 0, EMPTY, THROW_CAUGHT, 1},
    };
    end(throws, sizeof throws / sizeof *throws, true);
    for (uint32_t row = 0; row <= 50; row++) {
        assert_null(tree_thrown_first(&found, row));
    }
}

static void an_async_body_has_caught_what_ended_it(void **state)
{
    (void)state;
    const struct recording_throw all[] = {caught(5, 5, EMPTY, 2), caught(5, 5, LOST, 1)},
                                 more[] = {caught(5, 5, EMPTY, 2), caught(5, 5, LOST, 2)};
    end(all, 2, true);
    assert_int_equal(count_of(50, TYPE_EMPTY), 2);
    assert_int_equal(count_of(50, TYPE_LOST), 1);
    end(more, 2, true); // a handler of its own has caught one, and nobody knows which
    assert_null(tree_thrown_first(&found, 50));
    end(all, 2, false);
    assert_null(tree_thrown_first(&found, 50));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(all_from_the_throw_to_the_catch_ended, end_of_test),
        cmocka_unit_test_teardown(what_contradicts_the_tree_says_nothing, end_of_test),
        cmocka_unit_test_teardown(an_async_body_has_caught_what_ended_it, end_of_test),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
