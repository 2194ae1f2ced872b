// The writer's promises about the file: how it is made, taken up again after a death, and what a full disk does.
#include "place.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static char *old;

static int set_up(void **state)
{
    int made = make_place(state);
    old = in_folder(folder, "a.clew.old");
    return made;
}

static int tear_down(void **state)
{
    free(old);
    return remove_place(state);
}

static void file_is_private(void **state)
{
    (void)state;
    struct stat status;
    mode_t before = umask(0);
    struct recording_writer *writer = create();
    umask(before);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    assert_ok(recording_close(writer, NULL));
}

static void existing_file_becomes_old(void **state)
{
    (void)state;
    store_file(path, "first", 5);
    store_file(old, "zeroth", 6);
    assert_ok(recording_close(create(), NULL));
    struct buffer content = load_file(old);
    assert_int_equal(content.size, 5);
    assert_memory_equal(content.data, "first", 5);
    buffer_free(&content);
    struct lines lines = read_file(path, NULL);
    lines_free(&lines);
}

static void only_files_are_moved_away(void **state)
{
    (void)state;
    struct recording_writer *writer;
    struct recording_session session = sample_session();
    struct stat status;
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(recording_create(path, &session, &writer), CLEW_IO);
    assert_int_equal(lstat(path, &status), 0);
    assert_true(S_ISFIFO(status.st_mode));
    assert_int_equal(recording_create(folder, &session, &writer), CLEW_IO);
    assert_int_equal(recording_create("/nowhere/a.clew", &session, &writer), CLEW_IO);
    assert_int_equal(recording_resume("/nowhere/a.clew", &writer), CLEW_NOT_FOUND);
}

static void a_living_writer_keeps_others_out(void **state)
{
    (void)state;
    struct recording_writer *writer = create(), *other;
    assert_int_equal(recording_resume(path, &other), CLEW_BUSY);
    assert_ok(recording_close(writer, NULL));
    assert_ok(recording_resume(path, &other));
    assert_ok(recording_close(other, NULL));
}

static void a_writer_knows_where_a_stream_continues(void **state)
{
    (void)state;
    struct recording_writer *writer = create();
    uint64_t position, sequence;
    assert_int_equal(recording_stream_position(writer, 1, 1, &position, &sequence), CLEW_NOT_FOUND);
    write_sample(writer);
    assert_ok(recording_stream_position(writer, 1, 1, &position, &sequence));
    assert_int_equal(position, 60);
    assert_int_equal(sequence, 2);
    assert_ok(recording_stream_position(writer, 1, 2, &position, &sequence));
    assert_int_equal(position, 30);
    assert_int_equal(sequence, 1);
    assert_int_equal(recording_stream_position(writer, 2, 1, &position, &sequence), CLEW_NOT_FOUND);
    assert_ok(recording_close(writer, NULL));
}

static void an_end_for_now_gives_way_to_what_follows(void **state)
{
    (void)state;
    const struct recording_note note = {.process = 1, .text = text_of("it goes on")};
    struct recording_health health;
    struct recording_writer *writer = create();
    write_sample(writer);
    assert_ok(recording_end_for_now(writer, &sample_end));
    struct lines ended = read_file(path, &health);
    assert_true(health.ended && health.damaged == 0 && health.cut_bytes == 0);
    assert_ok(recording_write_note(writer, &note));
    assert_ok(recording_flush(writer));
    struct lines longer = read_file(path, &health);
    assert_false(health.ended);
    assert_int_equal(longer.count, ended.count); // the note is where END was
    assert_ok(recording_end_for_now(writer, &sample_end));
    assert_ok(recording_close(writer, &sample_end));
    struct lines closed = read_file(path, &health);
    assert_true(health.ended && health.damaged == 0 && health.cut_bytes == 0);
    assert_int_equal(closed.count, ended.count + 1);
    lines_free(&ended);
    lines_free(&longer);
    lines_free(&closed);
}

static void too_much_at_once_is_refused(void **state)
{
    (void)state;
    struct recording_writer *writer = create();
    struct recording_events events = sample_events(1, 0);
    uint64_t before = recording_size(writer);
    events.count = RECORDING_EVENTS_MAX + 1;
    assert_int_equal(recording_write_events(writer, &events), CLEW_UNSUPPORTED);
    struct recording_node nodes[2] = {{.parent = 0}, {.parent = 1}};
    struct recording_tree tree = {.count = 2, .nodes = nodes};
    assert_int_equal(recording_write_tree(writer, &tree), CLEW_UNSUPPORTED);
    assert_int_equal(recording_size(writer), before);
    events = sample_events(1, 0);
    assert_ok(recording_write_events(writer, &events));
    assert_ok(recording_close(writer, NULL));
}

// What a writer that takes over must find, from the file's own blocks.
static void expect_position(const struct recording_writer *writer, const struct lines *before, uint32_t thread)
{
    char start[32];
    uint64_t position, sequence, blocks = 0;
    snprintf(start, sizeof start, "events 1 %u ", thread);
    for (size_t i = 0; i < before->count; i++) {
        blocks += strncmp(before->line[i], start, strlen(start)) == 0;
    }
    enum clew_error error = recording_stream_position(writer, 1, thread, &position, &sequence);
    assert_int_equal(error, blocks ? CLEW_OK : CLEW_NOT_FOUND);
    if (blocks) {
        assert_int_equal(position, 30 * blocks);
        assert_int_equal(sequence, blocks);
    }
}

static void resume_at(const struct buffer *whole, size_t size)
{
    struct recording_writer *writer;
    struct recording_health health;
    uint64_t index_count;
    store_file(path, whole->data, size);
    enum clew_error error = recording_resume(path, &writer);
    if (error != CLEW_OK) { // not even the session is there
        assert_true(size < 64 + 104 + read_u32(whole->data + 64 + 20));
        assert_int_equal(error, size == 0 ? CLEW_NOT_RECORDING : CLEW_DAMAGED);
        return;
    }
    struct lines before = read_file(path, &health);
    assert_false(health.ended);
    assert_int_equal(health.damaged + health.cut_bytes, 0);
    expect_position(writer, &before, 1);
    expect_position(writer, &before, 2);
    recording_copy_every(writer, 0); // so that it must know all definitions
    struct recording_note note = {.process = 1, .text = text_of("taken over")};
    assert_ok(recording_write_note(writer, &note));
    assert_ok(recording_write_tree(writer, &sample_tree));
    assert_ok(recording_close(writer, &sample_end));
    struct lines after = read_file(path, &health);
    assert_true(health.ended);
    assert_int_equal(health.damaged + health.cut_bytes, 0);
    assert_int_equal(after.count, before.count + 3);
    for (size_t i = 0; i < before.count; i++) {
        assert_string_equal(after.line[i], before.line[i]);
    }
    assert_string_equal(after.line[before.count], "note 1 'taken over'");
    const struct recording_block *blocks;
    struct recording_reader *reader = open_recording();
    assert_ok(recording_index(recording_of(reader), &blocks, &index_count));
    for (size_t i = 0; i < after.count - 1; i++) { // END is not listed
        bool listed = false;
        for (size_t k = 0; k < index_count; k++) {
            listed |= blocks[k].offset == after.offset[i];
        }
        assert_true(listed);
    }
    recording_close_reader(reader);
    lines_free(&before);
    lines_free(&after);
}

static void a_cut_file_can_be_resumed(void **state)
{
    (void)state;
    make_sample();
    struct buffer whole = load_file(path);
    for (size_t size = 0; size <= whole.size; size++) {
        resume_at(&whole, size);
    }
    buffer_free(&whole);
}

// As a power cut can leave it: the header is there, the payload is not. Its stream goes on before it.
static void a_last_block_without_payload_is_cut_off(void **state)
{
    (void)state;
    uint64_t position, sequence;
    struct recording_writer *writer = create();
    struct recording_events events = sample_events(1, 0);
    assert_ok(recording_write_events(writer, &events));
    uint64_t first = recording_size(writer);
    events.position = 30;
    assert_ok(recording_write_events(writer, &events));
    uint64_t second = recording_size(writer);
    assert_ok(recording_close(writer, NULL));
    struct buffer whole = load_file(path);
    memset(whole.data + first + 104, 0, second - first - 104);
    store_file(path, whole.data, whole.size);
    assert_ok(recording_resume(path, &writer));
    assert_int_equal(recording_size(writer), first);
    assert_ok(recording_stream_position(writer, 1, 1, &position, &sequence));
    assert_int_equal(position, 30);
    assert_int_equal(sequence, 1);
    assert_ok(recording_close(writer, NULL));
    buffer_free(&whole);
}

// The INDEX block lists what the blocks themselves say.
static void expect_right_index(void)
{
    struct recording_reader *reader;
    const struct recording_block *blocks;
    size_t written, found;
    assert_ok(recording_open_reader(path, &reader));
    assert_ok(recording_index(recording_of(reader), &blocks, &written));
    uint64_t last = blocks[written - 1].offset;
    struct buffer content = load_file(path);
    uint32_t index = read_u32(content.data + content.size - 48 + 32); // where END says that it is
    assert_int_equal(read_u32(content.data + index + 28), written);
    buffer_free(&content);
    assert_int_equal(truncate(path, (off_t)recording_file_size(recording_of(reader)) - 1), 0); // END is cut now
    assert_ok(recording_rewind(reader, 0));
    assert_ok(recording_index(recording_of(reader), &blocks, &found));
    assert_int_equal(found, written);
    assert_int_equal(blocks[found - 1].offset, last);
    recording_close_reader(reader);
}

// The file, cut within `tree`, which began at `first`: what was before is read, and the tree may be written again.
static void cut_tree_at(const struct buffer *whole, uint64_t first, uint64_t size, const struct recording_tree *tree)
{
    store_file(path, whole->data, size);
    struct recording_health health;
    struct lines lines = read_file(path, &health);
    assert_int_equal(lines.count, 1);
    assert_int_equal(health.cut_bytes, size - first);
    lines_free(&lines);
    struct recording_writer *writer;
    assert_ok(recording_resume(path, &writer));
    assert_int_equal(recording_size(writer), first);
    assert_ok(recording_write_tree(writer, tree));
    assert_ok(recording_close(writer, &sample_end));
    struct recording_reader *reader;
    struct recording_record record;
    assert_ok(recording_open_reader(path, &reader));
    assert_ok(recording_next(reader, 1u << RECORDING_TREE_NODES, &record));
    assert_int_equal(record.tree.count, sample_tree.count);
    assert_ok(recording_next(reader, 1u << RECORDING_TREE_NODES, &record));
    assert_int_equal(record.tree.count, tree->count);
    assert_int_equal(recording_next(reader, 1u << RECORDING_TREE_NODES, &record), CLEW_NOT_FOUND);
    recording_close_reader(reader);
    expect_right_index();
}

// A tree of several blocks is taken up whole or not at all, wherever in a block the file ends.
static void half_a_tree_is_cut_off(void **state)
{
    (void)state;
    enum { COUNT = 2 * 65536 + 1 }; // three blocks
    struct recording_node *nodes = calloc(COUNT, sizeof *nodes);
    struct recording_tree tree = {.process = 1, .thread = 1, .count = COUNT, .nodes = nodes};
    struct recording_writer *writer = create();
    assert_ok(recording_write_tree(writer, &sample_tree));
    uint64_t first = recording_size(writer);
    assert_ok(recording_write_tree(writer, &tree));
    uint64_t second = recording_size(writer);
    assert_ok(recording_close(writer, NULL));
    struct buffer whole = load_file(path);
    int blocks = 0;
    for (uint64_t at = first; at < second; blocks++) {
        uint32_t stored = read_u32(whole.data + at + 20);
        uint64_t next = at + 104 + stored;
        const uint64_t places[] = {at, at + 1, at + 52, at + 104, at + 104 + stored / 2, next - 1};
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            cut_tree_at(&whole, first, places[i], &tree);
        }
        at = next;
    }
    assert_int_equal(blocks, 3);
    buffer_free(&whole);
    free(nodes);
}

// Returns in a child process of its own, since limits on the file size cannot be taken back by everybody.
static void fill_the_disk(rlim_t limit, bool tree)
{
    struct rlimit limits = {limit, limit};
    enum clew_error error = CLEW_OK;
    signal(SIGXFSZ, SIG_IGN);
    struct recording_writer *writer = create();
    write_sample(writer);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limits), 0);
    for (uint64_t i = 0; i < 100000 && error == CLEW_OK; i++) {
        struct recording_events events = sample_events(1, 60 + 30 * i);
        error = tree ? recording_write_tree(writer, &sample_tree) : recording_write_events(writer, &events);
    }
    assert_int_equal(error, CLEW_IO);
    uint64_t size = recording_size(writer);
    assert_int_equal(recording_write_tree(writer, &sample_tree), CLEW_IO);
    assert_int_equal(recording_write_note(writer, &sample_note), CLEW_IO);
    assert_int_equal(recording_flush(writer), CLEW_IO);
    assert_int_equal(recording_close(writer, &sample_end), CLEW_IO);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, size); // cut back to the last whole block
    assert_true(size <= limit);
}

static void a_full_disk_leaves_a_readable_file(void **state)
{
    (void)state;
    for (rlim_t limit = 20000; limit < 20300; limit += 7) {
        pid_t child = fork();
        if (child == 0) {
            fill_the_disk(limit, limit % 2);
            _exit(0);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        struct recording_health health;
        struct lines lines = read_file(path, &health);
        assert_true(lines.count > 50);
        assert_int_equal(health.damaged + health.cut_bytes, 0);
        assert_false(health.ended);
        lines_free(&lines);
    }
}

static void nothing_is_left_when_the_start_fails(void **state)
{
    (void)state;
    store_file(path, "first", 5);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limits = {80, 80};
        struct recording_writer *writer;
        struct recording_session session = sample_session();
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limits);
        _exit(recording_create(path, &session, &writer) == CLEW_IO ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    struct buffer content = load_file(path); // the old file is back
    assert_int_equal(content.size, 5);
    assert_int_equal(access(old, F_OK), -1);
    buffer_free(&content);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(file_is_private, set_up, tear_down),
        cmocka_unit_test_setup_teardown(existing_file_becomes_old, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_files_are_moved_away, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_living_writer_keeps_others_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_writer_knows_where_a_stream_continues, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_end_for_now_gives_way_to_what_follows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(too_much_at_once_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_cut_file_can_be_resumed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_last_block_without_payload_is_cut_off, set_up, tear_down),
        cmocka_unit_test_setup_teardown(half_a_tree_is_cut_off, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_full_disk_leaves_a_readable_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_is_left_when_the_start_fails, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
