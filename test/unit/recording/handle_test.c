// An open recording: its index follows the file, and readers of one handle do not disturb each other.
#include "place.h"

static struct recording *open_handle(void)
{
    struct recording *recording = NULL;
    assert_ok(recording_open(path, &recording));
    return recording;
}

static size_t count_blocks(struct recording *recording, const struct recording_block **blocks)
{
    size_t count;
    assert_ok(recording_index(recording, blocks, &count));
    return count;
}

// A fresh handle on the same file lists the same blocks.
static void expect_true_index(struct recording *recording)
{
    struct recording *fresh = open_handle();
    const struct recording_block *blocks, *expected;
    size_t count = count_blocks(fresh, &expected);
    assert_int_equal(count_blocks(recording, &blocks), count);
    for (size_t i = 0; i < count; i++) {
        assert_memory_equal(&blocks[i], &expected[i], sizeof *blocks);
    }
    recording_free(fresh);
}

static void the_index_follows_a_file_that_grows(void **state)
{
    (void)state;
    struct recording_writer *writer = create();
    struct recording *recording = open_handle();
    const struct recording_block *blocks;
    size_t before = count_blocks(recording, &blocks);
    for (uint32_t i = 0; i < 20; i++) {
        write_sample(writer);
        uint64_t size = recording_file_size(recording);
        assert_int_equal(count_blocks(recording, &blocks), before); // as it was when it was followed last
        assert_ok(recording_follow(recording));
        assert_true(recording_file_size(recording) > size);
        size_t now = count_blocks(recording, &blocks);
        assert_true(now > before);
        before = now;
        expect_true_index(recording);
    }
    assert_ok(recording_close(writer, &sample_end));
    assert_ok(recording_follow(recording));
    expect_true_index(recording); // with an INDEX block and END behind
    recording_free(recording);
    recording_free(NULL);
}

// At any size: the last block is cut, then whole.
static void a_block_that_is_half_written_is_listed_once_it_is_whole(void **state)
{
    (void)state;
    make_sample();
    struct buffer content = load_file(path);
    store_file(path, content.data, 64 + 104);
    struct recording *recording = open_handle();
    for (size_t size = 64 + 104; size <= content.size; size += 37) {
        store_file(path, content.data, size);
        assert_ok(recording_follow(recording));
        if (size % 5 == 0) {
            expect_true_index(recording);
        }
    }
    store_file(path, content.data, content.size);
    assert_ok(recording_follow(recording));
    expect_true_index(recording);
    store_file(path, content.data, content.size / 2); // a writer that continues cut it, or another file has its name
    assert_ok(recording_follow(recording));
    expect_true_index(recording);
    recording_free(recording);
    buffer_free(&content);
}

// A pass, and between any two of its records single blocks through the same and through another reader.
static void reading_a_block_does_not_disturb_a_pass(void **state)
{
    (void)state;
    make_sample();
    struct recording_health health;
    struct lines expected = read_file(path, &health);
    struct recording *recording = open_handle();
    struct recording_reader *pass, *other;
    assert_ok(recording_new_reader(recording, &pass));
    assert_ok(recording_new_reader(recording, &other));
    const struct recording_block *blocks;
    size_t count = count_blocks(recording, &blocks), number = 0;
    struct recording_record record, single;
    struct buffer text = {0};
    while (recording_next(pass, (uint32_t)ALL_TYPES, &record) == CLEW_OK) {
        const struct recording_block *block = &blocks[number * 7 % count];
        if (block->type != RECORDING_DEFINITIONS && block->type != RECORDING_SESSION && block->part == 0) {
            assert_ok(
                recording_read(number % 2 ? pass : other, block->offset, (enum recording_type)block->type, &single));
        }
        buffer_clear(&text);
        describe_record(&text, &record);
        assert_true(number < expected.count);
        assert_string_equal((const char *)text.data, expected.line[number]);
        number++;
    }
    struct recording_health now = recording_health(pass);
    assert_int_equal(number, expected.count);
    assert_memory_equal(&now, &health, sizeof now);
    assert_ptr_equal(recording_of(pass), recording);
    recording_close_reader(pass);
    recording_close_reader(other);
    recording_free(recording);
    lines_free(&expected);
    buffer_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_index_follows_a_file_that_grows, make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_block_that_is_half_written_is_listed_once_it_is_whole, make_place,
                                        remove_place),
        cmocka_unit_test_setup_teardown(reading_a_block_does_not_disturb_a_pass, make_place, remove_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
