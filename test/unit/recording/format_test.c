// The format's promises over time: what a reader does with what it does not know, copies of definitions, the index, and
// recordings of older versions, which stay readable for ever.
#include "place.h"

#include <xxhash.h>

#define GOLDEN "test/golden" // tests run in the source folder

static void put_u64(uint8_t *at, uint64_t value)
{
    for (int i = 0; i < 8; i++) {
        at[i] = (uint8_t)(value >> 8 * i);
    }
}

static void seal_file_header(uint8_t *at)
{
    put_u64(at + 56, XXH3_64bits(at, 56));
}

static void seal_block(uint8_t *at)
{
    put_u64(at + 88, XXH3_64bits(at + 104, read_u32(at + 20)));
    put_u64(at + 96, XXH3_64bits(at, 96));
}

// The sample's bytes.
static struct buffer sample(void)
{
    make_sample();
    return load_file(path);
}

static void unknown_features_are_refused_if_incompatible(void **state)
{
    (void)state;
    struct buffer content = sample();
    struct recording_reader *reader;
    for (size_t bit = 0; bit < 32; bit++) {
        content.data[20 + bit / 8] = (uint8_t)(1u << bit % 8);
        seal_file_header(content.data);
        store_file(path, content.data, content.size);
        assert_int_equal(recording_open_reader(path, &reader), CLEW_NEWER_RECORDING);
        struct recording_writer *writer;
        assert_int_equal(recording_resume(path, &writer), CLEW_NEWER_RECORDING);
        content.data[20 + bit / 8] = 0;
    }
    memset(content.data + 16, 0xff, 4); // compatible features
    content.data[8] = 200;              // and a newer version
    seal_file_header(content.data);
    store_file(path, content.data, content.size);
    struct recording_health health;
    struct lines lines = read_file(path, &health);
    assert_true(health.ended);
    assert_int_equal(health.damaged, 0);
    lines_free(&lines);
    buffer_free(&content);
}

// Turns the first block of `type` into something else and counts what is missing then.
static void change_block(uint16_t type, size_t at, uint8_t value, uint64_t unknown, size_t missing)
{
    struct buffer content = sample();
    struct lines before = read_file(path, NULL);
    uint8_t *block = content.data + 64;
    while (read_u16(block + 16) != type) {
        block += 104 + read_u32(block + 20);
    }
    block[at] = value;
    seal_block(block);
    store_file(path, content.data, content.size);
    struct recording_health health;
    struct lines after = read_file(path, &health);
    assert_int_equal(after.count + missing, before.count);
    assert_int_equal(health.unknown, unknown);
    assert_int_equal(health.damaged, 0);
    lines_free(&before);
    lines_free(&after);
    buffer_free(&content);
}

static void unknown_blocks_are_skipped(void **state)
{
    (void)state;
    change_block(RECORDING_EVENTS, 16, 13, 1, 1);    // a type of the future
    change_block(RECORDING_EVENTS, 17, 0x80, 1, 1);  // a type with no bit in `types`
    change_block(RECORDING_OBJECTS, 18, 0x81, 1, 1); // a flag that must be understood
    change_block(RECORDING_OBJECTS, 18, 0x41, 1, 1); // one that other blocks have
    change_block(RECORDING_EVENTS, 19, 0x40, 0, 0);  // one that need not be
    change_block(RECORDING_DEFINITIONS, 16, 99, 1, 4);
}

// A DEFINITIONS block by hand: records of the future, and known ones with more or fewer fields than today.
static void bodies_may_grow_and_shrink(void **state)
{
    (void)state;
    static const uint8_t payload[] = {
        77, 0, 3,  'n', 'e', 'w',                        // unknown type
        4,  0, 10, 1,   16,  2,   5, 0, 1, 'M', 9, 9, 9, // METHOD with flags and two bytes more
        5,  0, 3,  1,   7,   8,                          // THREAD with three fields
        9,  0, 0,                                        // NOTE without any
    };
    struct recording_writer *writer = create();
    assert_ok(recording_close(writer, NULL));
    struct buffer content = load_file(path);
    uint8_t block[104 + sizeof payload] = {0};
    memcpy(block, content.data + 64, 16); // magic and salt
    block[16] = RECORDING_DEFINITIONS;
    block[20] = block[24] = sizeof payload;
    block[28] = 4;
    memcpy(block + 104, payload, sizeof payload);
    seal_block(block);
    buffer_append(&content, block, sizeof block);
    store_file(path, content.data, content.size);
    struct recording_health health;
    struct lines lines = read_file(path, &health);
    assert_int_equal(health.damaged, 0);
    assert_int_equal(lines.count, 3);
    assert_string_equal(lines.line[0], "method 1 16 2 5 0 'M' flags 9");
    assert_string_equal(lines.line[1], "thread 1 7 8 '' 0 0 0 0 0");
    assert_string_equal(lines.line[2], "note 0 ''");
    lines_free(&lines);
    buffer_free(&content);
}

// 20 threads, renamed again and again, with blocks between and copies often.
static struct buffer much_defined(void)
{
    struct recording_writer *writer = create();
    recording_copy_every(writer, 2000);
    for (uint32_t i = 0; i < 200; i++) {
        char name[32];
        snprintf(name, sizeof name, "name %u", i);
        struct recording_thread thread = {.process = 1, .thread = i % 20, .name = text_of(name)};
        struct recording_note note = {.process = i, .text = text_of("n")};
        struct recording_events events = sample_events(i % 20, i);
        assert_ok(recording_write_thread(writer, &thread));
        if (i % 10 == 0) {
            assert_ok(recording_write_note(writer, &note));
        }
        assert_ok(recording_write_events(writer, &events));
    }
    assert_ok(recording_close(writer, &sample_end));
    return load_file(path);
}

static size_t count_of(const struct lines *lines, const char *start)
{
    size_t count = 0;
    for (size_t i = 0; i < lines->count; i++) {
        count += strncmp(lines->line[i], start, strlen(start)) == 0;
    }
    return count;
}

static size_t copies_in(const struct buffer *content)
{
    size_t copies = 0;
    for (const uint8_t *at = content->data + 64; at < content->data + content->size; at += 104 + read_u32(at + 20)) {
        copies += (at[18] & 4) && at[16] == RECORDING_DEFINITIONS;
    }
    return copies;
}

static void copies_are_skipped_if_nothing_is_missing(void **state)
{
    (void)state;
    struct buffer content = much_defined();
    assert_true(copies_in(&content) > 3);
    struct lines lines = read_file(path, NULL);
    assert_int_equal(lines.count, 200 + 200 + 20 + 1);
    lines_free(&lines);
    buffer_free(&content);
}

// Each line once at most, and with the newest names in the end.
static void expect_definitions(const struct lines *lines, size_t notes)
{
    char line[64];
    for (size_t i = 0; i < lines->count; i++) {
        for (size_t k = i + 1; k < lines->count; k++) {
            assert_string_not_equal(lines->line[i], lines->line[k]);
        }
    }
    assert_int_equal(count_of(lines, "note"), notes);
    for (uint32_t thread = 0; thread < 20; thread++) {
        const char *newest = "";
        size_t start = (size_t)snprintf(line, sizeof line, "thread 1 %u ", thread);
        for (size_t i = 0; i < lines->count; i++) {
            newest = strncmp(lines->line[i], line, start) == 0 ? lines->line[i] : newest;
        }
        snprintf(line, sizeof line, "thread 1 %u 0 'name %u'", thread, 180 + thread);
        assert_memory_equal(newest, line, strlen(line));
    }
}

static void a_copy_replaces_a_lost_block(void **state)
{
    (void)state;
    struct buffer content = much_defined();
    uint64_t first_copy = 64;
    while (!(content.data[first_copy + 18] & 4)) {
        first_copy += 104 + read_u32(content.data + first_copy + 20);
    }
    uint64_t at = 64;
    while (at < first_copy) {
        uint64_t size = 104 + read_u32(content.data + at + 20);
        uint8_t *hit = content.data + at + (at % 2 ? 50 : size - 1); // header or payload
        *hit ^= 1;
        store_file(path, content.data, content.size);
        *hit ^= 1;
        struct lines lines = read_file(path, NULL);
        expect_definitions(&lines, 20);
        lines_free(&lines);
        at += size;
    }
    buffer_free(&content);
}

static void a_pass_from_the_middle_gets_the_copy(void **state)
{
    (void)state;
    struct buffer content = much_defined();
    struct recording_reader *reader = open_recording();
    struct lines all = read_lines(reader, (uint32_t)ALL_TYPES);
    for (size_t i = 0; i < all.count / 2; i += 7) {
        assert_ok(recording_rewind(reader, all.offset[i]));
        struct lines lines = read_lines(reader, (uint32_t)ALL_TYPES);
        expect_definitions(&lines, 20);
        lines_free(&lines);
    }
    recording_close_reader(reader);
    lines_free(&all);
    buffer_free(&content);
}

static void index_lists_every_block(void **state)
{
    (void)state;
    struct buffer content = much_defined();
    const struct recording_block *blocks;
    struct recording_block *kept;
    size_t count, again;
    struct recording_reader *reader = open_recording();
    assert_ok(recording_index(recording_of(reader), &blocks, &count));
    assert_true(count > 400);
    kept = malloc(count * sizeof *kept);
    memcpy(kept, blocks, count * sizeof *kept);
    recording_close_reader(reader);

    // Without its END the index is built from the blocks themselves, and says the same.
    store_file(path, content.data, content.size - 152);
    assert_ok(recording_open_reader(path, &reader));
    assert_ok(recording_index(recording_of(reader), &blocks, &again));
    assert_int_equal(again, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(blocks[i].offset, kept[i].offset);
        assert_int_equal(blocks[i].type, kept[i].type);
        assert_int_equal(blocks[i].flags, kept[i].flags);
        assert_int_equal(blocks[i].thread, kept[i].thread);
        assert_int_equal(blocks[i].process, kept[i].process);
        assert_int_equal(blocks[i].count, kept[i].count);
        assert_int_equal(blocks[i].part, kept[i].part);
        assert_int_equal(blocks[i].statements, kept[i].statements);
        assert_int_equal(blocks[i].values, kept[i].values);
        assert_int_equal(blocks[i].first_clock, kept[i].first_clock);
        assert_int_equal(blocks[i].last_clock, kept[i].last_clock);
    }
    recording_close_reader(reader);
    free(kept);
    buffer_free(&content);
}

static void reading_the_index_keeps_the_current_record(void **state)
{
    (void)state;
    struct buffer content = sample();
    const struct recording_block *blocks;
    struct recording_reader *reader;
    struct recording_record record;
    size_t count;
    assert_ok(recording_open_reader(path, &reader));
    assert_ok(recording_next(reader, (uint32_t)ALL_TYPES, &record));
    assert_ok(recording_index(recording_of(reader), &blocks, &count));
    assert_memory_equal(record.process.command.at, "dotnet app.dll", 14);
    struct lines rest = read_lines(reader, (uint32_t)ALL_TYPES);
    assert_int_equal(rest.count, 27);
    lines_free(&rest);
    recording_close_reader(reader);
    buffer_free(&content);
}

// Written once by that version, by the sample of its time; NAME.txt is what it holds.
static void expect_golden(const char *file, const char *text)
{
    struct recording_reader *reader;
    struct buffer got = {0};
    assert_ok(recording_open_reader(file, &reader));
    describe_session(&got, recording_session(recording_of(reader)));
    got.data[got.size - 1] = '\n';
    struct lines lines = read_lines(reader, (uint32_t)ALL_TYPES);
    for (size_t i = 0; i < lines.count; i++) {
        buffer_printf(&got, "%s\n", lines.line[i]);
    }
    struct recording_health health = recording_health(reader);
    assert_true(health.ended);
    assert_int_equal(health.damaged + health.unknown + health.cut_bytes, 0);
    struct buffer expected = load_file(text);
    assert_int_equal(got.size, expected.size);
    assert_memory_equal(got.data, expected.data, expected.size);
    recording_close_reader(reader);
    lines_free(&lines);
    buffer_free(&got);
    buffer_free(&expected);
}

static void every_version_stays_readable(void **state)
{
    (void)state;
    expect_golden(GOLDEN "/v1-sample.clew", GOLDEN "/v1-sample.txt");
    expect_golden(GOLDEN "/v2-sample.clew", GOLDEN "/v2-sample.txt");
    expect_golden(GOLDEN "/v2-numbers.clew", GOLDEN "/v2-numbers.txt");
    expect_golden(GOLDEN "/v2-trees.clew", GOLDEN "/v2-trees.txt");
    expect_golden(GOLDEN "/v2-flags.clew", GOLDEN "/v2-flags.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(unknown_features_are_refused_if_incompatible, make_place, remove_place),
        cmocka_unit_test_setup_teardown(unknown_blocks_are_skipped, make_place, remove_place),
        cmocka_unit_test_setup_teardown(bodies_may_grow_and_shrink, make_place, remove_place),
        cmocka_unit_test_setup_teardown(copies_are_skipped_if_nothing_is_missing, make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_copy_replaces_a_lost_block, make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_pass_from_the_middle_gets_the_copy, make_place, remove_place),
        cmocka_unit_test_setup_teardown(index_lists_every_block, make_place, remove_place),
        cmocka_unit_test_setup_teardown(reading_the_index_keeps_the_current_record, make_place, remove_place),
        cmocka_unit_test(every_version_stays_readable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
