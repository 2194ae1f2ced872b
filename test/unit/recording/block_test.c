// Headers of blocks: what is written is read, anything else is no header; and the search for the next one.
#include "recording/block.h"

#include "place.h"

enum { SALT = 0x1234 };

static const struct block_header example = {
    .type = RECORDING_EVENTS,
    .flags = UINT16_MAX,
    .count = 3,
    .process = 1,
    .thread = UINT32_MAX,
    .part = 5,
    .depth = 6,
    .sequence = UINT64_MAX,
    .position = 8,
    .words = 9,
    .first_clock = 10,
    .last_clock = UINT64_MAX,
};

// A file header and blocks of one payload.
static struct buffer content;

static void add_header(uint64_t salt)
{
    buffer_clear(&content);
    block_encode_file_header(&content, salt);
    assert_int_equal(content.size, BLOCK_FILE_HEADER_SIZE);
}

static uint64_t add_block(const char *payload, uint64_t salt)
{
    uint64_t offset = content.size;
    struct block_header header = example;
    header.flags = 0;
    header.stored = header.raw = (uint32_t)strlen(payload);
    header.payload_sum = block_sum(payload, strlen(payload));
    block_encode_header(buffer_extend(&content, BLOCK_HEADER_SIZE), &header, salt);
    buffer_append(&content, payload, strlen(payload));
    return offset;
}

static struct block_file open_file(void)
{
    struct block_file file;
    store_file(path, content.data, content.size);
    assert_ok(block_file_open(open(path, O_RDONLY | O_CLOEXEC), &file));
    return file;
}

static int remove_all(void **state)
{
    buffer_free(&content);
    return remove_place(state);
}

static void a_header_decodes_to_itself(void **state)
{
    (void)state;
    struct block_header header;
    add_header(SALT);
    block_encode_header(buffer_extend(&content, BLOCK_HEADER_SIZE), &example, SALT);
    struct block_file file = open_file();
    assert_int_equal(block_look(&file, BLOCK_FILE_HEADER_SIZE, &header), BLOCK_VALID);
    assert_memory_equal(&header, &example, sizeof header);
    assert_int_equal(block_end(64, &header), 64 + BLOCK_HEADER_SIZE);
    block_file_close(&file);
}

static void a_header_with_a_changed_byte_is_invalid(void **state)
{
    (void)state;
    struct block_header header;
    add_header(SALT);
    uint64_t offset = add_block("payload", SALT);
    for (size_t i = 0; i < BLOCK_HEADER_SIZE; i++) {
        content.data[offset + i] ^= 1;
        struct block_file file = open_file();
        assert_int_equal(block_look(&file, offset, &header), BLOCK_DAMAGED);
        block_file_close(&file);
        content.data[offset + i] ^= 1;
    }
}

static void a_block_may_be_cut_anywhere(void **state)
{
    (void)state;
    struct block_header header;
    struct bytes payload;
    add_header(SALT);
    uint64_t offset = add_block("payload", SALT);
    size_t whole = content.size;
    for (content.size = offset; content.size <= whole; content.size++) {
        struct block_file file = open_file();
        enum block_state expected = content.size == whole   ? BLOCK_VALID
                                    : content.size > offset ? BLOCK_CUT
                                                            : BLOCK_NONE;
        assert_int_equal(block_look(&file, offset, &header), expected);
        assert_int_equal(block_look(&file, UINT64_MAX, &header), BLOCK_NONE);
        block_file_close(&file);
    }
    content.size = whole;
    struct block_file file = open_file();
    assert_int_equal(block_look(&file, offset, &header), BLOCK_VALID);
    assert_ok(block_load(&file, offset, &header, &payload));
    assert_memory_equal(payload.at, "payload", 7);
    header.payload_sum++;
    assert_int_equal(block_load(&file, offset, &header, &payload), CLEW_DAMAGED);
    block_file_close(&file);
}

// What does not belong to the recording is not its block, though it be valid in itself.
static void a_block_with_another_salt_is_invalid(void **state)
{
    (void)state;
    struct block_header header;
    add_header(SALT);
    uint64_t mine = add_block("mine", SALT), others = add_block("others", SALT + 1);
    struct block_file file = open_file();
    assert_int_equal(block_look(&file, mine, &header), BLOCK_VALID);
    assert_int_equal(block_look(&file, others, &header), BLOCK_DAMAGED);
    assert_int_equal(block_search(&file, mine), content.size);
    block_file_close(&file);
    content.data[20] ^= 1; // where the file's own header is damaged, its first block says the salt
    file = open_file();
    assert_true(file.header_damaged);
    assert_int_equal(block_look(&file, mine, &header), BLOCK_VALID);
    assert_int_equal(block_look(&file, others, &header), BLOCK_DAMAGED);
    block_file_close(&file);
}

// The magic may lie anywhere, across the end of what is searched at a time too; one alone is no block.
static void the_next_block_is_found_wherever_it_lies(void **state)
{
    (void)state;
    enum { WINDOW = 16 << 10 };
    for (size_t gap = WINDOW - 30; gap < WINDOW + 10; gap++) {
        add_header(SALT);
        uint64_t first = add_block("x", SALT);
        buffer_append(&content,
                      "\x9e"
                      "clew\r\n\xb1",
                      8);
        memset(buffer_extend(&content, gap), 0x9e, gap);
        uint64_t next = add_block("y", SALT);
        struct block_file file = open_file();
        assert_int_equal(block_search(&file, first), next);
        assert_int_equal(block_search(&file, next), content.size);
        block_file_close(&file);
    }
}

static void only_the_magic_makes_a_recording(void **state)
{
    (void)state;
    struct block_file file;
    add_header(SALT);
    assert_true(block_begins_file(content.data));
    content.data[7] ^= 1;
    assert_false(block_begins_file(content.data));
    store_file(path, "hello", 5);
    assert_int_equal(block_file_open(open(path, O_RDONLY | O_CLOEXEC), &file), CLEW_NOT_RECORDING);
    store_file(path, "", 0);
    assert_int_equal(block_file_open(open(path, O_RDONLY | O_CLOEXEC), &file), CLEW_NOT_RECORDING);
    assert_int_equal(file.fd, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_header_decodes_to_itself, make_place, remove_all),
        cmocka_unit_test_setup_teardown(a_header_with_a_changed_byte_is_invalid, make_place, remove_all),
        cmocka_unit_test_setup_teardown(a_block_may_be_cut_anywhere, make_place, remove_all),
        cmocka_unit_test_setup_teardown(a_block_with_another_salt_is_invalid, make_place, remove_all),
        cmocka_unit_test_setup_teardown(the_next_block_is_found_wherever_it_lies, make_place, remove_all),
        cmocka_unit_test_setup_teardown(only_the_magic_makes_a_recording, make_place, remove_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
