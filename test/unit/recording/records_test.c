// What a writer takes and refuses, and how much it puts into one block.
#include "place.h"

// The blocks of a type in the finished file. Freed by the caller.
static struct recording_block *blocks_of(enum recording_type type, size_t *count)
{
    const struct recording_block *blocks;
    size_t all;
    struct recording_reader *reader = open_recording();
    assert_ok(recording_index(recording_of(reader), &blocks, &all));
    struct recording_block *found = calloc(all + 1, sizeof *found);
    *count = 0;
    for (size_t i = 0; i < all; i++) {
        if (blocks[i].type == (uint32_t)type) {
            found[(*count)++] = blocks[i];
        }
    }
    recording_close_reader(reader);
    return found;
}

static void a_tree_whose_parents_come_late_is_refused(void **state)
{
    (void)state;
    struct recording_node nodes[] = {{.parent = 0}, {.parent = 0}, {.parent = 1}};
    struct recording_tree tree = {.process = 1, .thread = 1, .count = 3, .nodes = nodes};
    struct recording_writer *writer = create();
    nodes[1].parent = 1; // its own
    assert_int_equal(recording_write_tree(writer, &tree), CLEW_UNSUPPORTED);
    nodes[1].parent = 2; // a later one
    assert_int_equal(recording_write_tree(writer, &tree), CLEW_UNSUPPORTED);
    nodes[1].parent = 0;
    nodes[0].parent = 1;
    assert_int_equal(recording_write_tree(writer, &tree), CLEW_UNSUPPORTED);
    nodes[0].parent = 0;
    assert_ok(recording_write_tree(writer, &tree));
    tree.count = 0; // a thread that was seen before it did anything
    assert_ok(recording_write_tree(writer, &tree));
    assert_ok(recording_close(writer, &sample_end));
    size_t count;
    free(blocks_of(RECORDING_TREE_NODES, &count));
    assert_int_equal(count, 2);
}

static void streams_of_threads_are_numbered_separately(void **state)
{
    (void)state;
    struct recording_writer *writer = create();
    struct recording_events events = {.process = 1, .thread = 1, .position = 5, .words = 7};
    uint64_t position, sequence;
    assert_int_equal(recording_stream_position(writer, 1, 1, &position, &sequence), CLEW_NOT_FOUND);
    assert_ok(recording_write_events(writer, &events));
    events.thread = 2;
    events.position = 0;
    assert_ok(recording_write_events(writer, &events));
    events.thread = 1;
    events.position = 12;
    events.sequence = 99; // is not read
    assert_ok(recording_write_events(writer, &events));
    assert_ok(recording_stream_position(writer, 1, 1, &position, &sequence));
    assert_int_equal(position, 19);
    assert_int_equal(sequence, 2);
    assert_ok(recording_stream_position(writer, 1, 2, &position, &sequence));
    assert_int_equal(position, 7);
    assert_int_equal(sequence, 1);
    assert_int_equal(recording_stream_position(writer, 2, 1, &position, &sequence), CLEW_NOT_FOUND);
    assert_ok(recording_close(writer, NULL));
}

static void a_refused_block_leaves_the_stream_as_it_was(void **state)
{
    (void)state;
    static const struct recording_event event = {.kind = RECORDING_AT_SITE, .method = 9};
    struct recording_writer *writer = create();
    struct recording_events events = {.process = 1, .thread = 1, .words = 2, .count = 1, .events = &event};
    uint64_t position, sequence;
    assert_int_equal(recording_write_events(writer, &events), CLEW_MALFORMED); // site 9 is not defined
    assert_int_equal(recording_stream_position(writer, 1, 1, &position, &sequence), CLEW_NOT_FOUND);
    assert_ok(recording_close(writer, NULL));
    struct lines lines = read_file(path, &(struct recording_health){0});
    assert_int_equal(lines.count, 0);
    lines_free(&lines);
}

// The index finds an object by the range of its block.
static void blocks_of_objects_have_their_range(void **state)
{
    (void)state;
    enum { COUNT = 40000 };
    static struct recording_object objects[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        objects[i].object = i % 2 ? 900 + i : 1000 + i; // roughly in order
    }
    struct recording_writer *writer = create();
    assert_ok(
        recording_write_objects(writer, &(struct recording_objects){.process = 1, .count = COUNT, .objects = objects}));
    assert_ok(recording_write_objects(writer, &(struct recording_objects){.process = 1}));
    assert_ok(recording_close(writer, &sample_end));
    size_t count;
    struct recording_block *blocks = blocks_of(RECORDING_OBJECTS, &count);
    uint32_t at = 0;
    assert_true(count > 1);
    for (size_t i = 0; i < count; i++) {
        for (uint32_t last = at + blocks[i].count; at < last; at++) {
            assert_true(objects[at].object >= blocks[i].first_clock && objects[at].object <= blocks[i].last_clock);
        }
    }
    assert_int_equal(at, COUNT);
    assert_int_equal(blocks[0].first_clock, 901);
    free(blocks);
}

static void counters_must_ascend(void **state)
{
    (void)state;
    struct recording_counter counters[] = {{3, 1, 1}, {3, 1, 1}};
    const struct recording_counters record = {.process = 1, .count = 2, .counters = counters};
    struct recording_writer *writer = create();
    assert_int_equal(recording_write_counters(writer, &record), CLEW_UNSUPPORTED);
    counters[1].site = 2;
    assert_int_equal(recording_write_counters(writer, &record), CLEW_UNSUPPORTED);
    counters[1].site = 4;
    assert_ok(recording_write_counters(writer, &record));
    assert_ok(recording_close(writer, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_tree_whose_parents_come_late_is_refused, make_place, remove_place),
        cmocka_unit_test_setup_teardown(streams_of_threads_are_numbered_separately, make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_refused_block_leaves_the_stream_as_it_was, make_place, remove_place),
        cmocka_unit_test_setup_teardown(blocks_of_objects_have_their_range, make_place, remove_place),
        cmocka_unit_test_setup_teardown(counters_must_ascend, make_place, remove_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
