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

static void damage_before_a_block_is_skipped(void **state)
{
    (void)state;
    struct block_header header;
    add_header(SALT);
    uint64_t first = add_block("x", SALT);
    buffer_append(&content, "damage", 6);
    uint64_t second = add_block("yy", SALT);
    uint64_t end = content.size;
    buffer_append(&content, "more", 4);
    uint64_t cut = add_block("zzz", SALT);
    content.size--;
    struct block_file file = open_file();
    uint64_t offset = first;
    assert_int_equal(block_next(&file, &offset, &header), BLOCK_VALID);
    assert_int_equal(offset, first);
    offset = block_end(offset, &header);
    assert_int_equal(block_next(&file, &offset, &header), BLOCK_VALID);
    assert_int_equal(offset, second);
    assert_int_equal(header.stored, 2);
    offset = end;
    assert_int_equal(block_next(&file, &offset, &header), BLOCK_CUT);
    assert_int_equal(offset, cut);
    file.size = cut;
    offset = end;
    assert_int_equal(block_next(&file, &offset, &header), BLOCK_CUT); // fewer bytes than a header
    file.size = end;
    assert_int_equal(block_next(&file, &offset, &header), BLOCK_NONE);
    assert_int_equal(offset, end);
    block_file_close(&file);
}

// Adds an END with a payload of this size.
static uint64_t add_end(size_t size)
{
    static const uint8_t payload[BLOCK_END_SIZE];
    uint64_t offset = content.size;
    struct block_header header = {.type = RECORDING_END, .stored = (uint32_t)size, .raw = (uint32_t)size};
    header.payload_sum = block_sum(payload, size);
    block_encode_header(buffer_extend(&content, BLOCK_HEADER_SIZE), &header, SALT);
    buffer_append(&content, payload, size);
    return offset;
}

static bool has_end(uint64_t at)
{
    uint64_t offset;
    struct block_header header;
    struct block_file file = open_file();
    bool found = block_find_end(&file, &offset, &header);
    assert_true(!found || (offset == at && header.type == RECORDING_END));
    block_file_close(&file);
    return found;
}

static void an_end_is_only_at_the_end(void **state)
{
    (void)state;
    add_header(SALT);
    assert_false(has_end(0));
    uint64_t end = add_end(BLOCK_END_SIZE);
    assert_true(has_end(end));
    buffer_append(&content, "x", 1);
    assert_false(has_end(0));
    add_header(SALT);
    add_block("a payload of the size that END has: 48 bytes....", SALT);
    assert_false(has_end(0));
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
        cmocka_unit_test_setup_teardown(damage_before_a_block_is_skipped, make_place, remove_all),
        cmocka_unit_test_setup_teardown(an_end_is_only_at_the_end, make_place, remove_all),
        cmocka_unit_test_setup_teardown(only_the_magic_makes_a_recording, make_place, remove_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
