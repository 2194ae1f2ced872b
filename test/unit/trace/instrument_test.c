// What hooks record in place of instruments that they cannot have.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/instrument.h"

static void hooks_keep_trees_and_calls(void **state)
{
    (void)state;
    assert_int_equal(instruments_of_hooks(0), 0);
    assert_int_equal(instruments_of_hooks(INSTRUMENT_TREE), INSTRUMENT_TREE);
    assert_int_equal(instruments_of_hooks(INSTRUMENT_CALLS), INSTRUMENT_CALLS);
    assert_int_equal(instruments_of_hooks(INSTRUMENT_TREE | INSTRUMENT_CALLS), INSTRUMENT_TREE | INSTRUMENT_CALLS);
}

static void hooks_record_a_tree_for_lines_and_calls_for_statements_and_values(void **state)
{
    (void)state;
    assert_int_equal(instruments_of_hooks(INSTRUMENT_LINES), INSTRUMENT_TREE);
    assert_int_equal(instruments_of_hooks(INSTRUMENT_STATEMENTS), INSTRUMENT_CALLS);
    assert_int_equal(instruments_of_hooks(INSTRUMENT_VALUES | INSTRUMENT_USES), INSTRUMENT_CALLS);
    assert_int_equal(instruments_of_hooks(INSTRUMENT_LINES | INSTRUMENT_VALUES), INSTRUMENT_TREE | INSTRUMENT_CALLS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hooks_keep_trees_and_calls),
        cmocka_unit_test(hooks_record_a_tree_for_lines_and_calls_for_statements_and_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
