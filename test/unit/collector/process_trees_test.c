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

static uint32_t count_changes(struct fixture *fixture)
{
    struct recording_record last;
    struct recording_reader *reader = read_recording(fixture);
    uint32_t count = (uint32_t)count_records(reader, RECORDING_TREE_CHANGES, &last);
    recording_close_reader(reader);
    return count;
}

static void copy_after(struct fixture *fixture, uint64_t cpu_ns, uint64_t calls)
{
    thread_of(fixture)->cpu_ns = cpu_ns;
    ring_nodes(fixture->program)[thread_of(fixture)->current].calls = calls;
    assert_int_equal(process__trees(fixture->process, &fixture->drain, clock_monotonic_ns()), CLEW_OK);
}

// A running thread with a tree of some nodes, so that few of them change at a time.
static struct fixture *open_with_tree(void)
{
    struct fixture *fixture = open_running(INSTRUMENT_TREE, path);
    for (uint32_t i = 0; i < 20; i++) {
        (void)make_node(fixture->program, thread_of(fixture)->root, METHOD);
    }
    return fixture;
}

// No CPU time passes for a thread that does not run, so its tree cannot have changed.
static void only_changed_trees_are_copied(void **state)
{
    (void)state;
    struct fixture *fixture = open_with_tree();
    pass(fixture);
    copy_after(fixture, 5, 2);
    copy_after(fixture, 5, 3); // not looked at
    copy_after(fixture, 6, 4);
    copy_after(fixture, 7, 4);
    assert_int_equal(count_changes(fixture), 2);
    close_process(fixture);
}

static void a_tree_is_whole_at_first_every_16_copies_and_at_the_end(void **state)
{
    (void)state;
    struct recording_record last;
    struct fixture *fixture = open_with_tree();
    pass(fixture);
    for (uint32_t i = 0; i < 16; i++) {
        copy_after(fixture, 5 + i, 2 + i);
    }
    uint64_t others = 0;
    assert_int_equal(process__tree(fixture->process, &fixture->drain, THREAD_SLOT, &others, true), CLEW_OK);
    assert_int_equal(count_trees(fixture, &last), 3);
    assert_true(last.tree.final);
    assert_int_equal(last.tree.sequence, 17); // after 15 blocks of changes between two trees
    assert_int_equal(fixture->process->chains.nodes, 0);
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

// -- Figures of runs --------------------------------------------------------------------------------------------------

// The records of trees, changes and runs in the file's order: a letter each.
static void expect_order(struct fixture *fixture, const char *expected, struct recording_record *last_runs)
{
    const uint32_t types = 1u << RECORDING_TREE_NODES | 1u << RECORDING_TREE_CHANGES | 1u << RECORDING_RUNS;
    struct recording_reader *reader = read_recording(fixture);
    struct recording_record record;
    char order[64] = "";
    uint64_t sequence = 0;
    for (size_t i = 0; recording_next(reader, types, &record) == CLEW_OK && i + 1 < sizeof order; i++) {
        bool runs = record.type == RECORDING_RUNS, changes = record.type == RECORDING_TREE_CHANGES;
        assert_true(!runs || record.runs.sequence == sequence);
        sequence = runs ? sequence : changes ? record.changes.sequence : record.tree.sequence;
        order[i] = runs ? 'r' : changes ? 'c' : 'T';
        *last_runs = runs ? record : *last_runs;
    }
    assert_string_equal(order, expected);
    recording_close_reader(reader);
}

static struct ring_run *make_body(struct fixture *fixture)
{
    uint32_t node = make_node(fixture->program, thread_of(fixture)->root, METHOD | RING_METHOD_RUNS);
    ring_node_runs(fixture->program)[node].latency_shortest = UINT64_MAX;
    return &ring_node_runs(fixture->program)[node];
}

static void runs_follow_each_whole_tree_and_changes_in_which_one_has_changed(void **state)
{
    (void)state;
    struct recording_record last = {0};
    struct fixture *fixture = open_with_tree();
    struct ring_run *run = make_body(fixture);
    pass(fixture);             // T: no run has ended
    copy_after(fixture, 5, 2); // c
    run->awaiting = 10;
    copy_after(fixture, 6, 3); // c r
    copy_after(fixture, 7, 4); // c
    run->completed = 1;
    run->latency = run->latency_shortest = run->latency_longest = 20;
    copy_after(fixture, 8, 5); // c r
    run->latency += 7;         // as if the copy before had come between the two
    copy_after(fixture, 9, 6); // c r
    uint64_t others = 0;
    assert_int_equal(process__tree(fixture->process, &fixture->drain, THREAD_SLOT, &others, true), CLEW_OK); // T r
    expect_order(fixture, "TccrccrcrTr", &last);
    close_process(fixture);
}

static void a_run_may_change_without_its_tree(void **state)
{
    (void)state;
    struct recording_record last = {0};
    struct fixture *fixture = open_with_tree();
    struct ring_run *run = make_body(fixture);
    pass(fixture);
    run->faulted = 1;
    thread_of(fixture)->cpu_ns = 5;
    assert_int_equal(process__trees(fixture->process, &fixture->drain, clock_monotonic_ns()), CLEW_OK);
    expect_order(fixture, "Tr", &last);
    close_process(fixture);
}

static void latencies_may_change_without_runs(void **state)
{
    (void)state;
    struct recording_record last = {0};
    struct fixture *fixture = open_with_tree();
    uint32_t node = make_node(fixture->program, thread_of(fixture)->root, METHOD);
    ring_node_histograms(fixture->program)[node] = 1;
    ring_histograms(fixture->program)[1].counts[20] = 1;
    pass(fixture); // T r
    ring_histograms(fixture->program)[1].counts[20] = 2;
    copy_after(fixture, 5, 2); // c r
    copy_after(fixture, 6, 3); // c
    expect_order(fixture, "Trcrc", &last);
    assert_int_equal(last.runs.latency_count, 1);
    close_process(fixture);
}

// -- Trees of streams -------------------------------------------------------------------------------------------------

// A process whose only thread has run one method, which still runs: one entry in the stream, and one in the tree.
static struct fixture *open_streaming(uint32_t flags)
{
    const struct ring_options options = {
        .process = 1, .instruments = INSTRUMENT_CALLS, .clock = CLOCK_KIND_TSC, .nodes_max = NODES, .flags = flags};
    struct fixture *fixture = open_process(&options, path);
    define(fixture->program,
           &(struct ring_definition){.type = RING_DEFINE_METHOD, .method = METHOD, .name = text_of("M")});
    start_thread(fixture->program);
    ring_nodes(fixture->program)[thread_of(fixture)->current].started = 1;
    return fixture;
}

static void end_process(struct fixture *fixture, enum process_state state)
{
    bool done = false;
    process_begin_end(fixture->process, state, EXIT_STATUS_UNKNOWN);
    for (int i = 0; i < 100 && !done; i++) {
        assert_int_equal(process_finish(fixture->process, &fixture->drain, &done), CLEW_OK);
    }
    assert_true(done);
}

static void the_tree_of_a_stream_counts_the_whole_stream(void **state)
{
    (void)state;
    struct recording_record last;
    struct fixture *fixture = open_streaming(0);
    pass(fixture);
    end_process(fixture, PROCESS_KILLED);
    assert_int_equal(count_trees(fixture, &last), 1);
    assert_true(last.tree.of_stream && last.tree.final);
    assert_int_equal(last.tree.position, 2); // the cells of an entry
    assert_int_equal(last.tree.count, 2);
    close_process(fixture);
}

static void the_tree_of_a_stream_has_its_runs(void **state)
{
    (void)state;
    struct recording_record last = {0};
    struct fixture *fixture = open_streaming(0);
    uint32_t node = thread_of(fixture)->current;
    ring_nodes(fixture->program)[node].method |= RING_METHOD_RUNS;
    ring_node_runs(fixture->program)[node] = (struct ring_run){.cancelled = 1};
    pass(fixture);
    end_process(fixture, PROCESS_KILLED);
    expect_order(fixture, "Tr", &last);
    assert_int_equal(last.runs.count, 1);
    close_process(fixture);
}

static void expect_no_tree(struct fixture *fixture, enum process_state end)
{
    struct recording_record last;
    end_process(fixture, end);
    assert_int_equal(count_trees(fixture, &last), 0);
    close_process(fixture);
}

static void a_tree_that_counts_other_calls_is_left_out(void **state)
{
    (void)state;
    struct fixture *fixture = open_streaming(0);
    pass(fixture);
    ring_nodes(fixture->program)[thread_of(fixture)->current].calls++; // killed inside a probe
    expect_no_tree(fixture, PROCESS_KILLED);
    fixture = open_streaming(0);
    pass(fixture);
    ring_nodes(fixture->program)[thread_of(fixture)->current].exceptions++;
    expect_no_tree(fixture, PROCESS_KILLED);
}

static void a_thread_that_may_still_run_has_no_tree(void **state)
{
    (void)state;
    struct fixture *fixture = open_streaming(0);
    pass(fixture);
    expect_no_tree(fixture, PROCESS_CUT);
}

static void a_stream_without_its_beginning_has_no_tree(void **state)
{
    (void)state;
    struct fixture *fixture = open_streaming(SESSION_KEEP_LAST);
    pass(fixture);
    expect_no_tree(fixture, PROCESS_ENDED);
    fixture = open_streaming(0);
    fixture->session.parts_max = 2;
    pass(fixture);
    expect_no_tree(fixture, PROCESS_ENDED);
    fixture = open_streaming(0);
    pass(fixture);
    slot_of(fixture)->followed = false; // a collector before this one has written some of it
    expect_no_tree(fixture, PROCESS_ENDED);
}

static void trees_of_streams_take_a_small_part_of_the_file(void **state)
{
    (void)state;
    struct fixture *fixture = open_streaming(0);
    pass(fixture);
    fixture->drain.tree_bytes = 32 << 10;
    expect_no_tree(fixture, PROCESS_ENDED);
}

// The writer may write other blocks before the tree: copies of definitions, for instance.
static void only_trees_count_as_bytes_of_trees(void **state)
{
    (void)state;
    struct fixture *fixture = open_streaming(0);
    pass(fixture);
    recording_copy_every(fixture->drain.writer, 1); // before each block
    end_process(fixture, PROCESS_ENDED);
    assert_int_equal(fixture->drain.tree_bytes, 2 * 7);
    close_process(fixture);
}

// The stream is in the file already, so the recording of the process does not end there.
static void a_broken_tree_of_a_stream_is_left_out(void **state)
{
    (void)state;
    struct fixture *fixture = open_streaming(0);
    pass(fixture);
    ring_nodes(fixture->program)[thread_of(fixture)->root].first_child = UINT32_MAX;
    end_process(fixture, PROCESS_ENDED);
    assert_false(fixture->process->damaged);
    close_process(fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tree_of_a_stream_counts_the_whole_stream),
        cmocka_unit_test(a_tree_that_counts_other_calls_is_left_out),
        cmocka_unit_test(a_thread_that_may_still_run_has_no_tree),
        cmocka_unit_test(a_stream_without_its_beginning_has_no_tree),
        cmocka_unit_test(trees_of_streams_take_a_small_part_of_the_file),
        cmocka_unit_test(only_trees_count_as_bytes_of_trees),
        cmocka_unit_test(a_broken_tree_of_a_stream_is_left_out),
        cmocka_unit_test(the_tree_of_a_stream_has_its_runs),
        cmocka_unit_test(runs_follow_each_whole_tree_and_changes_in_which_one_has_changed),
        cmocka_unit_test(a_run_may_change_without_its_tree),
        cmocka_unit_test(latencies_may_change_without_runs),
        cmocka_unit_test(only_changed_trees_are_copied),
        cmocka_unit_test(a_tree_is_whole_at_first_every_16_copies_and_at_the_end),
        cmocka_unit_test(the_next_copy_waits_for_a_second),
        cmocka_unit_test(a_session_without_trees_copies_none),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
