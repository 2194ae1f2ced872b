// Copies of call trees in the file: when a tree is copied again, and what the last copy says.
#include "one_process.h"

#include "../recording_path.h"
#include "collector/drain/process_parts.h"
#include "trace/instrument.h"

static uint32_t count_trees(struct fixture *fixture, struct recording_record *last)
{
    struct recording_reader *reader = read_recording(fixture);
    uint32_t count = (uint32_t)count_records(reader, RECORDING_TREE_NODES, last);
    recording_close_reader(reader);
    return count;
}

// No CPU time passes for a thread that does not run, so its tree cannot have changed.
static void only_changed_trees_are_copied(void **state)
{
    (void)state;
    struct recording_record last;
    struct fixture *fixture = open_running(INSTRUMENT_TREE, path);
    pass(fixture);
    thread_of(fixture)->cpu_ns = 5;
    assert_int_equal(process__trees(fixture->process, &fixture->drain, clock_monotonic_ns()), CLEW_OK);
    assert_int_equal(process__trees(fixture->process, &fixture->drain, clock_monotonic_ns()), CLEW_OK);
    thread_of(fixture)->cpu_ns = 6;
    assert_int_equal(process__trees(fixture->process, &fixture->drain, clock_monotonic_ns()), CLEW_OK);
    assert_int_equal(count_trees(fixture, &last), 3); // of the first pass, and for each CPU time
    assert_false(last.tree.final);
    close_process(fixture);
}

static void the_next_copy_waits_for_a_second(void **state)
{
    (void)state;
    struct fixture *fixture = open_running(INSTRUMENT_TREE, path);
    pass(fixture);
    uint64_t now = clock_monotonic_ns();
    assert_int_equal(process__trees(fixture->process, &fixture->drain, now), CLEW_OK);
    assert_true(fixture->process->next_trees_ns >= now + PROCESS_TREES_EVERY_NS);
    assert_int_equal(process__due_after(100, 3, 40), 100 + 3 * PROCESS_PART_OF_TIME); // slow work waits longer
    assert_int_equal(process__due_after(100, 0, 40), 140);
    close_process(fixture);
}

static void a_session_without_trees_copies_none(void **state)
{
    (void)state;
    uint64_t others = 0;
    struct fixture *fixture = open_running(INSTRUMENT_CALLS, path);
    pass(fixture);
    assert_int_equal(process__tree(fixture->process, &fixture->drain, THREAD_SLOT, &others, true), CLEW_OK);
    assert_int_equal(others, 0);
    assert_false(slot_of(fixture)->copied);
    close_process(fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_changed_trees_are_copied),
        cmocka_unit_test(the_next_copy_waits_for_a_second),
        cmocka_unit_test(a_session_without_trees_copies_none),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
