// Paths of the logical call tree: the file has all that are complete before a tree that may refer to them, each one once.
#include "one_process.h"

#include "../recording_path.h"
#include "collector/drain/process_parts.h"
#include "trace/instrument.h"

static const struct ring_options options = {
    .process = 1, .instruments = INSTRUMENT_TREE, .clock = CLOCK_KIND_TSC, .nodes_max = NODES};

static int set_up(void **state)
{
    struct fixture *fixture = open_process(&options, path);
    start_thread(fixture->program);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    return close_process(*state);
}

static void store_path(struct fixture *fixture, uint32_t number, uint32_t parent, uint32_t method)
{
    struct ring_path *path_of = &ring_paths(fixture->program)[number];
    path_of->parent = parent;
    atomic_store_explicit(&path_of->method, method, memory_order_release);
}

static uint32_t add_path(struct fixture *fixture, uint32_t parent, uint32_t method)
{
    uint32_t number = atomic_fetch_add(&fixture->program->paths_used, 1);
    store_path(fixture, number, parent, method);
    return number;
}

static void end_process(struct fixture *fixture)
{
    bool done = false;
    process_begin_end(fixture->process, PROCESS_KILLED, EXIT_STATUS_UNKNOWN);
    for (int i = 0; i < 100 && !done; i++) {
        assert_int_equal(process_finish(fixture->process, &fixture->drain, &done), CLEW_OK);
    }
    assert_true(done);
}

// The paths in the file, and trees, in its order: "3:1,17 4:3,18 T".
static char *paths_in_file(struct fixture *fixture)
{
    struct recording_reader *reader = read_recording(fixture);
    struct recording_record record;
    struct buffer text = {0};
    while (recording_next(reader, 1u << RECORDING_PATHS | 1u << RECORDING_TREE_NODES, &record) == CLEW_OK) {
        if (record.type == RECORDING_TREE_NODES) {
            buffer_text(&text, "T ");
            continue;
        }
        assert_int_equal(record.paths.process, 1);
        for (uint32_t i = 0; i < record.paths.count; i++) {
            const struct recording_path *read = &record.paths.paths[i];
            buffer_printf(&text, "%u:%u,%u ", record.paths.first + i, read->parent, read->method);
        }
    }
    buffer_u8(&text, 0);
    recording_close_reader(reader);
    return (char *)text.data;
}

static void expect_paths(struct fixture *fixture, const char *expected)
{
    char *found = paths_in_file(fixture);
    assert_string_equal(found, expected);
    free(found);
}

static void paths_come_once_before_the_tree_that_has_them(void **state)
{
    struct fixture *fixture = *state;
    add_path(fixture, PATH_ROOT, 17);
    add_path(fixture, 3, PATH_AWAIT | 1);
    pass(fixture);
    pass(fixture);
    add_path(fixture, PATH_UNKNOWN, 18);
    end_process(fixture);
    expect_paths(fixture, "3:1,17 4:3,1073741825 T 5:2,18 T ");
}

// Another thread has taken a number, and has not stored the path yet.
static void a_path_that_is_not_complete_holds_back_those_after_it(void **state)
{
    struct fixture *fixture = *state;
    add_path(fixture, PATH_ROOT, 17);
    uint32_t slow = add_path(fixture, 0, 0);
    add_path(fixture, 3, 19);
    pass(fixture);
    store_path(fixture, slow, 3, 18);
    end_process(fixture);
    expect_paths(fixture, "3:1,17 T 4:3,18 5:3,19 T ");
}

static void the_end_leaves_out_paths_that_were_never_completed(void **state)
{
    struct fixture *fixture = *state;
    add_path(fixture, 0, 0);
    add_path(fixture, 3, 18);
    end_process(fixture);
    expect_paths(fixture, "3:0,0 4:3,18 T ");
}

// No thread is left whose tree the paths would precede.
static void the_end_writes_paths_without_a_tree(void **state)
{
    struct fixture *fixture = *state;
    add_path(fixture, PATH_ROOT, 17);
    uint32_t slow = add_path(fixture, 0, 0);
    pass(fixture);
    atomic_store(&thread_of(fixture)->state, RING_THREAD_ENDED);
    pass(fixture);
    store_path(fixture, slow, 3, 18);
    end_process(fixture);
    expect_paths(fixture, "3:1,17 T T 4:3,18 ");
}

// A program that writes over the table: its paths are not known, and nothing else happens.
static void a_broken_table_has_no_paths_below_later_ones(void **state)
{
    struct fixture *fixture = *state;
    add_path(fixture, 3, 17); // itself
    add_path(fixture, UINT32_MAX, 18);
    add_path(fixture, 3, UINT32_MAX);
    pass(fixture);
    assert_false(fixture->process->damaged);
    expect_paths(fixture, "3:0,0 4:0,0 5:3,4294967295 T ");
}

static void more_paths_than_there_can_be_are_not_looked_at(void **state)
{
    struct fixture *fixture = *state;
    add_path(fixture, PATH_ROOT, 17);
    for (uint32_t i = 4; i < RING_PATHS_MAX + 10; i++) { // what lies behind the table could be paths
        ring_paths(fixture->program)[i] = (struct ring_path){3, 18};
    }
    atomic_store(&fixture->program->paths_used, UINT32_MAX);
    pass(fixture);
    pass(fixture);
    assert_false(fixture->process->damaged);
    assert_int_equal(fixture->process->paths_written, RING_PATHS_MAX);
    struct recording_reader *reader = read_recording(fixture);
    struct recording_record record;
    uint32_t expected = PATH_FIRST;
    while (recording_next(reader, 1u << RECORDING_PATHS, &record) == CLEW_OK) {
        assert_int_equal(record.paths.first, expected);
        expected += record.paths.count;
    }
    assert_int_equal(expected, RING_PATHS_MAX);
    recording_close_reader(reader);
}

// It does not know what the file has.
static void a_collector_that_takes_over_writes_all_paths_again(void **state)
{
    struct fixture *fixture = *state;
    struct ring_header *ring;
    struct recording_reader *reader;
    add_path(fixture, PATH_ROOT, 17);
    pass(fixture);
    add_path(fixture, 3, 18);
    assert_int_equal(recording_flush(fixture->drain.writer), CLEW_OK);
    process_free(fixture->process);
    assert_int_equal(segment_adopt(fixture->segment, &options, &ring), CLEW_OK);
    assert_int_equal(process_new(ring, watch_of_nobody, (struct text){0}, &fixture->process), CLEW_OK);
    fixture->process->next_cpu_ns = UINT64_MAX;
    assert_int_equal(recording_open_reader(path, &reader), CLEW_OK);
    assert_int_equal(process_resume(fixture->process, &fixture->drain, reader), CLEW_OK);
    recording_close_reader(reader);
    pass(fixture);
    expect_paths(fixture, "3:1,17 T 3:1,17 4:3,18 T ");
}

static void links_lost_for_want_of_room_are_in_the_process_s_record(void **state)
{
    struct fixture *fixture = *state;
    struct recording_record record;
    atomic_store(&fixture->program->unlinked, 77);
    end_process(fixture);
    struct recording_reader *reader = read_recording(fixture);
    (void)count_records(reader, RECORDING_PROCESS, &record);
    assert_int_equal(record.process.unlinked, 77);
    recording_close_reader(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(paths_come_once_before_the_tree_that_has_them, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_path_that_is_not_complete_holds_back_those_after_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_end_leaves_out_paths_that_were_never_completed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_end_writes_paths_without_a_tree, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_broken_table_has_no_paths_below_later_ones, set_up, tear_down),
        cmocka_unit_test_setup_teardown(more_paths_than_there_can_be_are_not_looked_at, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_collector_that_takes_over_writes_all_paths_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(links_lost_for_want_of_room_are_in_the_process_s_record, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
