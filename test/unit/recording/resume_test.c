// Taking up a recording that another writer left: what it knew is known again, and what it ended with is not in the way.
#include "place.h"
#include "recording/internal.h"

static struct recording_writer *resume(void)
{
    struct recording_writer *writer;
    assert_ok(recording_resume(path, &writer));
    return writer;
}

static void other_files_cannot_be_resumed(void **state)
{
    (void)state;
    struct recording_writer *writer;
    assert_int_equal(recording_resume(path, &writer), CLEW_NOT_FOUND);
    store_file(path, "hello", 5);
    assert_int_equal(recording_resume(path, &writer), CLEW_NOT_RECORDING);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("elsewhere", path), 0);
    assert_int_equal(recording_resume(path, &writer), CLEW_IO); // links are not followed
    assert_int_equal(unlink(path), 0);
    make_sample();
    struct buffer content = load_file(path);
    content.data[64 + 104] ^= 0xff; // the session's payload
    store_file(path, content.data, content.size);
    buffer_free(&content);
    assert_int_equal(recording_resume(path, &writer), CLEW_DAMAGED);
}

// The end and the index of the first writer are cut off: the second writes its own.
static void an_ended_recording_can_be_resumed(void **state)
{
    (void)state;
    make_sample();
    struct recording_health health;
    struct lines before = read_file(path, &health);
    struct recording_writer *writer = resume();
    assert_ok(recording_write_note(writer, &(struct recording_note){.text = text_of("went on")}));
    assert_ok(recording_close(writer, &sample_end));
    struct lines after = read_file(path, &health);
    assert_true(health.ended);
    assert_int_equal(health.damaged, 0);
    assert_int_equal(after.count, before.count + 1);
    for (size_t i = 0; i + 1 < before.count; i++) {
        assert_string_equal(after.line[i], before.line[i]);
    }
    assert_string_equal(after.line[before.count - 1], "note 0 'went on'");
    assert_string_equal(after.line[before.count], before.line[before.count - 1]); // one end, the last
    lines_free(&before);
    lines_free(&after);
}

static void a_resumed_writer_knows_streams_and_sites(void **state)
{
    (void)state;
    struct recording_writer *writer = create();
    write_sample(writer);
    uint64_t position, sequence, then, next;
    assert_ok(recording_stream_position(writer, 1, 1, &position, &sequence));
    assert_ok(recording_close(writer, NULL));
    writer = resume();
    assert_ok(recording_stream_position(writer, 1, 1, &then, &next));
    assert_int_equal(then, position);
    assert_int_equal(next, sequence);
    assert_int_equal(recording_stream_position(writer, 7, 7, &then, &next), CLEW_NOT_FOUND);
    assert_ok(recording_stream_position(writer, 1, 3, &then, &next));
    struct recording_events more = sample_statements(then); // of sites that the first writer was given
    assert_ok(recording_write_events(writer, &more));
    assert_ok(recording_close(writer, NULL));
}

// Copies of the definitions have those of the writer before, and their numbers go on.
static void a_resumed_writer_numbers_trees_behind_changes(void **state)
{
    (void)state;
    const struct recording_node_change change = {.node = 0, .by = {.calls = 1}};
    const struct recording_tree_changes changes = {
        .process = 1, .thread = 9, .before = 1, .after = 1, .count = 1, .changes = &change};
    const struct recording_node root = {.shortest = UINT64_MAX};
    const struct recording_tree tree = {.process = 1, .thread = 9, .count = 1, .nodes = &root};
    struct recording_writer *writer = create();
    assert_ok(recording_write_tree(writer, &tree));
    assert_ok(recording_write_tree_changes(writer, &changes));
    assert_ok(recording_close(writer, NULL));
    writer = resume();
    assert_ok(recording_write_tree(writer, &tree));
    assert_ok(recording_close(writer, NULL));
    struct recording_reader *reader;
    struct recording_record record;
    assert_ok(recording_open_reader(path, &reader));
    assert_ok(recording_next(reader, 1u << RECORDING_TREE_NODES, &record));
    assert_int_equal(record.tree.sequence, 0);
    assert_ok(recording_next(reader, 1u << RECORDING_TREE_NODES, &record));
    assert_int_equal(record.tree.sequence, 2);
    recording_close_reader(reader);
}

static void definitions_are_repeated_as_if_there_were_one_writer(void **state)
{
    (void)state;
    make_sample();
    struct recording_writer *writer = resume();
    assert_ok(
        recording_write_method(writer, &(struct recording_method){.process = 1, .method = 99, .name = text_of("M")}));
    recording_copy_every(writer, 1);
    uint64_t here = recording_size(writer);
    assert_ok(recording_write_events(writer, &(struct recording_events){.process = 9, .thread = 9}));
    assert_ok(recording_close(writer, NULL));
    struct recording_reader *reader = open_recording();
    struct lines all = read_lines(reader, 1u << RECORDING_METHOD);
    assert_ok(recording_rewind(reader, here));
    struct lines copied = read_lines(reader, 1u << RECORDING_METHOD);
    assert_int_equal(all.count, 3); // none twice
    assert_int_equal(copied.count, 3);
    assert_int_equal(recording_health(reader).damaged, 0);
    lines_free(&all);
    lines_free(&copied);
    recording_close_reader(reader);
}

// A hostile file has a definition of almost the highest number: those that follow do not begin at 0 again.
static void numbers_of_definitions_do_not_wrap(void **state)
{
    (void)state;
    make_sample();
    struct recording_writer *writer = resume();
    uint64_t next = writer->numbered;
    writer->numbered = UINT64_MAX - 5;
    assert_ok(
        recording_write_method(writer, &(struct recording_method){.process = 1, .method = 98, .name = text_of("W")}));
    assert_ok(recording_close(writer, NULL));
    writer = resume();
    assert_in_range(writer->numbered, next, next + 100);
    assert_ok(recording_close(writer, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(other_files_cannot_be_resumed, make_place, remove_place),
        cmocka_unit_test_setup_teardown(an_ended_recording_can_be_resumed, make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_resumed_writer_knows_streams_and_sites, make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_resumed_writer_numbers_trees_behind_changes, make_place, remove_place),
        cmocka_unit_test_setup_teardown(definitions_are_repeated_as_if_there_were_one_writer, make_place, remove_place),
        cmocka_unit_test_setup_teardown(numbers_of_definitions_do_not_wrap, make_place, remove_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
