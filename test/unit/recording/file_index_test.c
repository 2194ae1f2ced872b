// The list of a file's blocks: a small file has one INDEX block, a large one has several. Whatever of them is damaged or
// missing, the list is the same, and a repair writes them again.
#include "place.h"
#include "recording/file_index.h"
#include "recording/internal.h"

enum { MANY = 95000, SIZE_MOST = 1 << 20 };

static void write_blocks(struct recording_writer *writer, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++) {
        const struct recording_event event = {.clock = 1000 + i, .kind = RECORDING_LOST, .lost = i};
        const struct recording_events events = {.process = 1 + i % 3,
                                                .thread = 1 + i % 700,
                                                .first_clock = 1000 + (uint64_t)i * 1000003,
                                                .last_clock = 1000 + (uint64_t)i * 1000003,
                                                .count = 1,
                                                .events = &event};
        assert_ok(recording_write_events(writer, &events));
    }
}

static void make_large(void)
{
    struct recording_writer *writer = create();
    write_blocks(writer, 0, MANY);
    assert_ok(recording_close(writer, &sample_end));
}

// The list of blocks, as bytes.
static struct buffer list(void)
{
    struct recording_reader *reader = open_recording();
    const struct recording_block *blocks;
    size_t count;
    struct buffer all = {0};
    assert_ok(recording_index(recording_of(reader), &blocks, &count));
    buffer_append(&all, blocks, count * sizeof *blocks);
    recording_close_reader(reader);
    return all;
}

static void expect_list(const struct buffer *expected)
{
    struct buffer found = list();
    assert_int_equal(found.size, expected->size);
    assert_memory_equal(found.data, expected->data, expected->size);
    buffer_free(&found);
}

// Where the blocks that the file ends with begin, INDEX blocks and END; returns how many INDEX blocks there are.
static size_t find_indexes(uint64_t *offsets, size_t room)
{
    struct block_file file;
    struct block_header header;
    size_t count = 0;
    assert_ok(block_file_open(open(path, O_RDONLY | O_CLOEXEC), &file));
    uint64_t offset = file.start;
    for (; block_look(&file, offset, &header) == BLOCK_VALID; offset = block_end(offset, &header)) {
        if (header.type == RECORDING_INDEX || header.type == RECORDING_END) {
            assert_true(count < room);
            offsets[count++] = offset;
        } else {
            assert_int_equal(count, 0); // all of them are at the end
        }
    }
    assert_int_equal(offset, file.size);
    block_file_close(&file);
    return count - 1;
}

static void change_byte(uint64_t at)
{
    uint8_t byte;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    assert_int_equal(pread(fd, &byte, 1, (off_t)at), 1);
    byte ^= 0x40;
    assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
    close(fd);
}

// Repairs the file. False: it was whole.
static bool repair(void)
{
    struct recording_repair repair;
    assert_ok(recording_repair(path, &repair));
    if (repair.whole) {
        return false;
    }
    assert_ok(recording_repair_close(&repair, &sample_end));
    return true;
}

static void a_small_file_has_one_block(void **state)
{
    (void)state;
    uint64_t offsets[8];
    make_sample();
    assert_int_equal(find_indexes(offsets, 8), 1);
}

static void a_large_file_has_several(void **state)
{
    (void)state;
    uint64_t offsets[16];
    make_large();
    size_t count = find_indexes(offsets, 16);
    assert_in_range(count, 3, 8); // parts, and the list of them
    struct block_file file;
    struct block_header header;
    assert_ok(block_file_open(open(path, O_RDONLY | O_CLOEXEC), &file));
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(block_look(&file, offsets[i], &header), BLOCK_VALID);
        assert_in_range(header.raw, 1, SIZE_MOST + 100);
        assert_int_equal(!!(header.flags & BLOCK_PARTS), i + 1 == count);
    }
    assert_int_equal(header.position, offsets[0]);
    assert_true(file_index_holds(&file, offsets[count - 1], offsets[count]));
    assert_false(file_index_holds(&file, offsets[0], offsets[1] + 1));
    block_file_close(&file);
    struct buffer from_index = list();
    assert_int_equal(from_index.size / sizeof(struct recording_block), MANY + 1);
    assert_int_equal(truncate(path, (off_t)offsets[count] + 10), 0); // without END the list comes from the headers
    expect_list(&from_index);
    buffer_free(&from_index);
    assert_true(repair());
}

// Damage in the header or the payload of any INDEX block.
static void a_damaged_index_is_not_believed(void **state)
{
    (void)state;
    uint64_t offsets[16], again[16];
    make_large();
    size_t count = find_indexes(offsets, 16);
    struct buffer right = list(), content = load_file(path);
    for (size_t i = 0; i < 2 * count; i++) {
        store_file(path, content.data, content.size);
        change_byte(offsets[i / 2] + (i % 2 ? 40 : 110));
        expect_list(&right);
        assert_true(repair());
        expect_list(&right);
        assert_int_equal(find_indexes(again, 16), count);
        assert_memory_equal(again, offsets, count * sizeof *again); // nothing of the damaged one is left
        assert_false(repair());
    }
    buffer_free(&right);
    buffer_free(&content);
}

// A file that was cut within its INDEX blocks goes on behind its last other block.
static void a_cut_index_is_written_again(void **state)
{
    (void)state;
    uint64_t offsets[16];
    make_large();
    size_t count = find_indexes(offsets, 16);
    struct buffer content = load_file(path);
    for (size_t i = 0; i < count; i++) {
        struct recording_writer *writer;
        store_file(path, content.data, offsets[i] + (i % 2 ? 50 : 0));
        assert_ok(recording_resume(path, &writer));
        assert_int_equal(recording_size(writer), offsets[0]);
        write_blocks(writer, MANY, 10);
        assert_ok(recording_close(writer, &sample_end));
        struct buffer from_index = list();
        assert_int_equal(from_index.size / sizeof(struct recording_block), MANY + 11);
        struct stat status;
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(truncate(path, status.st_size - 1), 0);
        expect_list(&from_index);
        buffer_free(&from_index);
    }
    buffer_free(&content);
}

// Lists of parts that a broken writer made, with correct checksums.
static void a_wrong_list_of_parts_is_refused(void **state)
{
    (void)state;
    uint64_t offsets[16];
    make_large();
    size_t count = find_indexes(offsets, 16);
    struct buffer right = list(), content = load_file(path), payload = {0};
    struct block_file file;
    struct block_header header;
    struct bytes old;
    assert_ok(block_file_open(open(path, O_RDONLY | O_CLOEXEC), &file));
    assert_int_equal(block_look(&file, offsets[count - 1], &header), BLOCK_VALID);
    assert_ok(block_load(&file, offsets[count - 1], &header, &old));
    buffer_append(&payload, old.at, bytes_left(&old));
    header.flags &= (uint16_t)~BLOCK_ZSTD;
    header.stored = header.raw = (uint32_t)payload.size;
    for (unsigned i = 0; i < 4; i++) {
        struct block_header wrong = header;
        uint64_t position[] = {offsets[0] - 1, offsets[1], UINT64_MAX, offsets[0]};
        uint32_t counts[] = {header.count, header.count, header.count, UINT32_MAX};
        wrong.position = position[i];
        wrong.count = counts[i];
        wrong.payload_sum = block_sum(payload.data, payload.size);
        struct buffer changed = {0};
        buffer_append(&changed, content.data, offsets[count - 1]);
        block_encode_header(buffer_extend(&changed, BLOCK_HEADER_SIZE), &wrong, file.salt);
        buffer_append(&changed, payload.data, payload.size);
        buffer_append(&changed, content.data + offsets[count], content.size - offsets[count]);
        store_file(path, changed.data, changed.size);
        buffer_free(&changed);
        expect_list(&right);
        assert_true(repair());
        expect_list(&right);
    }
    block_file_close(&file);
    buffer_free(&right);
    buffer_free(&content);
    buffer_free(&payload);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_small_file_has_one_block, make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_large_file_has_several, make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_damaged_index_is_not_believed, make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_cut_index_is_written_again, make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_wrong_list_of_parts_is_refused, make_place, remove_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
