// A damaged recording gives what is whole, and nothing else.
#include "place.h"

static char *hurt;
static struct buffer whole; // the sample's bytes
static struct lines original;

static int set_up(void **state)
{
    int made = make_place(state);
    hurt = in_folder(folder, "hurt.clew");
    make_sample();
    whole = load_file(path);
    original = read_file(path, NULL);
    return made;
}

static int tear_down(void **state)
{
    buffer_free(&whole);
    lines_free(&original);
    free(hurt);
    return remove_place(state);
}

// Where the blocks of the sample begin; the last entry is the file's size.
static size_t block_starts(uint64_t *starts, size_t max)
{
    size_t count = 0;
    uint64_t at = 64;
    while (at < whole.size) {
        assert_true(count + 1 < max);
        starts[count++] = at;
        at += 104 + read_u32(whole.data + at + 20);
    }
    assert_int_equal(at, whole.size);
    starts[count] = at;
    return count;
}

static void a_cut_file_gives_the_whole_blocks_before(void **state)
{
    (void)state;
    uint64_t starts[64];
    size_t blocks = block_starts(starts, 64);
    assert_true(blocks > 8);
    for (size_t size = 0; size < whole.size; size++) {
        store_file(hurt, whole.data, size);
        struct recording_reader *reader;
        enum clew_error error = recording_open_reader(hurt, &reader);
        if (size < 64) {
            assert_int_equal(error, size == 0 ? CLEW_NOT_RECORDING : CLEW_DAMAGED);
            continue;
        }
        assert_ok(error);
        uint64_t whole_until = 64;
        for (size_t i = 1; i <= blocks && starts[i] <= size; i++) {
            whole_until = starts[i];
        }
        struct lines lines = read_lines(reader, (uint32_t)ALL_TYPES);
        struct recording_health health = recording_health(reader);
        size_t expected = 0;
        while (expected < original.count && original.offset[expected] < whole_until) {
            expected++;
        }
        assert_int_equal(lines.count, expected);
        for (size_t i = 0; i < expected; i++) {
            assert_string_equal(lines.line[i], original.line[i]);
        }
        assert_false(health.ended);
        assert_int_equal(health.damaged, 0);
        assert_int_equal(health.cut_bytes, size - whole_until);
        lines_free(&lines);
        recording_close_reader(reader);
    }
}

// Every line of `lines` stands in the original, in the same order.
static void assert_nothing_invented(const struct lines *lines)
{
    size_t at = 0;
    for (size_t i = 0; i < lines->count; i++, at++) {
        while (at < original.count && strcmp(lines->line[i], original.line[at]) != 0) {
            at++;
        }
        assert_true(at < original.count);
    }
}

static size_t count_in_block(uint64_t start, uint64_t end)
{
    size_t count = 0;
    for (size_t i = 0; i < original.count; i++) {
        count += original.offset[i] >= start && original.offset[i] < end;
    }
    return count;
}

// Without any payload decoded.
static void expect_found(void)
{
    struct recording_reader *reader;
    assert_ok(recording_open_reader(hurt, &reader));
    assert_ok(recording_check(reader));
    assert_int_equal(recording_health(reader).damaged, 1);
    assert_true(recording_health(reader).damaged_bytes > 0);
    recording_close_reader(reader);
}

static void flip(size_t at, uint8_t bits)
{
    uint64_t starts[64];
    size_t blocks = block_starts(starts, 64);
    whole.data[at] ^= bits;
    store_file(hurt, whole.data, whole.size);
    whole.data[at] ^= bits;
    struct recording_health health;
    struct lines lines = read_file(hurt, &health);
    assert_nothing_invented(&lines);
    size_t lost = 0;
    for (size_t i = 0; i < blocks; i++) {
        lost += at >= starts[i] && at < starts[i + 1] ? count_in_block(starts[i], starts[i + 1]) : 0;
    }
    assert_int_equal(lines.count, original.count - lost); // all of the other blocks, none of the one that was hit
    bool session = at >= starts[0] && at < starts[1];     // and those that are not handed out
    bool index = at >= starts[blocks - 2] && at < starts[blocks - 1];
    bool header = session || index ? false : lost == 0;
    if (lost > 0 || header) {
        assert_int_equal(health.damaged, 1);
        assert_true(health.damaged_bytes > 0);
    }
    lines_free(&lines);
    expect_found();
}

static void a_flipped_byte_costs_one_block(void **state)
{
    (void)state;
    for (size_t at = 0; at < whole.size; at++) {
        flip(at, 0xff);
        flip(at, (uint8_t)(1u << at % 8));
    }
}

static void a_hole_costs_what_it_covers(void **state)
{
    (void)state;
    uint64_t starts[64];
    size_t blocks = block_starts(starts, 64);
    // From the middle of one block to the middle of another.
    for (size_t i = 1; i + 3 < blocks; i++) {
        struct buffer content = {0};
        size_t from = starts[i] + 50, to = starts[i + 1] + 60;
        buffer_append(&content, whole.data, whole.size);
        memset(content.data + from, 0, to - from);
        store_file(hurt, content.data, content.size);
        struct recording_health health;
        struct lines lines = read_file(hurt, &health);
        assert_nothing_invented(&lines);
        assert_int_equal(lines.count, original.count - count_in_block(starts[i], starts[i + 2]));
        assert_int_equal(health.damaged, 1);
        assert_int_equal(health.damaged_bytes, starts[i + 2] - starts[i]);
        assert_true(health.ended);
        lines_free(&lines);
        buffer_free(&content);
    }
}

// The search reads windows of 64 KiB; a block may begin anywhere in one, or across two.
static void a_long_hole_is_searched_whole(void **state)
{
    (void)state;
    uint64_t starts[64];
    block_starts(starts, 64);
    for (size_t size = 65536 - 120; size < 65536 + 20; size++) {
        struct buffer content = {0};
        buffer_append(&content, whole.data, starts[1]);
        uint8_t *hole = buffer_extend(&content, size);
        memset(hole, 0x9e, size); // the first byte of a block's magic
        buffer_append(&content, whole.data + starts[1], whole.size - starts[1]);
        store_file(hurt, content.data, content.size);
        struct recording_health health;
        struct lines lines = read_file(hurt, &health);
        assert_int_equal(lines.count, original.count);
        assert_int_equal(health.damaged, 1);
        assert_int_equal(health.damaged_bytes, size);
        lines_free(&lines);
        buffer_free(&content);
    }
}

static void a_block_of_another_recording_is_not_taken(void **state)
{
    (void)state;
    uint64_t starts[64];
    block_starts(starts, 64);
    struct recording_writer *writer;
    struct recording_session session = sample_session();
    struct buffer content = {0};
    assert_ok(recording_create(hurt, &session, &writer));
    assert_ok(recording_close(writer, NULL));
    struct buffer other = load_file(hurt);
    buffer_append(&content, other.data, other.size);
    buffer_append(&content, whole.data + 64, whole.size - 64);
    store_file(hurt, content.data, content.size);
    struct recording_health health;
    struct lines lines = read_file(hurt, &health);
    assert_int_equal(lines.count, 0);
    assert_int_equal(health.damaged_bytes, whole.size - 64);
    lines_free(&lines);
    buffer_free(&other);
    buffer_free(&content);
}

static void files_that_are_not_recordings_are_refused(void **state)
{
    (void)state;
    struct recording_reader *reader;
    char text[4096];
    memset(text, 'x', sizeof text);
    store_file(hurt, text, sizeof text);
    assert_int_equal(recording_open_reader(hurt, &reader), CLEW_NOT_RECORDING);
    store_file(hurt, text, 3);
    assert_int_equal(recording_open_reader(hurt, &reader), CLEW_NOT_RECORDING);
    assert_int_equal(recording_open_reader(folder, &reader), CLEW_NOT_RECORDING);
    assert_int_equal(recording_open_reader("/dev/null", &reader), CLEW_NOT_RECORDING);
    assert_int_equal(recording_open_reader("/nowhere/a.clew", &reader), CLEW_NOT_FOUND);
}

// The file shrinks while it is read: what is gone reads as cut, without a signal.
static void a_file_may_shrink_under_the_reader(void **state)
{
    (void)state;
    struct recording_record record;
    struct recording_reader *reader = open_recording();
    assert_ok(recording_next(reader, (uint32_t)ALL_TYPES, &record));
    assert_int_equal(truncate(path, 200), 0);
    struct lines lines = read_lines(reader, 1u << RECORDING_EVENTS);
    assert_int_equal(lines.count, 0);
    lines_free(&lines);
    recording_close_reader(reader);
}

static void a_file_may_grow_under_the_reader(void **state)
{
    (void)state;
    struct recording_writer *writer;
    struct recording_session session = sample_session();
    struct recording_reader *reader;
    assert_ok(recording_create(hurt, &session, &writer));
    assert_ok(recording_open_reader(hurt, &reader));
    struct lines lines = read_lines(reader, (uint32_t)ALL_TYPES);
    assert_int_equal(lines.count, 0);
    lines_free(&lines);
    write_sample(writer);
    assert_ok(recording_rewind(reader, 0));
    lines = read_lines(reader, (uint32_t)ALL_TYPES);
    assert_int_equal(lines.count, original.count - 1); // there is no END yet
    lines_free(&lines);
    recording_close_reader(reader);
    assert_ok(recording_close(writer, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_cut_file_gives_the_whole_blocks_before, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_flipped_byte_costs_one_block, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_hole_costs_what_it_covers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_long_hole_is_searched_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_block_of_another_recording_is_not_taken, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_that_are_not_recordings_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_may_shrink_under_the_reader, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_may_grow_under_the_reader, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
