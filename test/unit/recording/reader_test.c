// What a reader promises beside passing over damage: single blocks, checking and verifying, and what passes met.
#include "place.h"

static uint64_t offset_of(struct recording_reader *reader, enum recording_type type)
{
    const struct recording_block *blocks;
    size_t count;
    assert_ok(recording_index(recording_of(reader), &blocks, &count));
    for (size_t i = 0; i < count; i++) {
        if (blocks[i].type == (uint32_t)type) {
            return blocks[i].offset;
        }
    }
    fail();
    return 0;
}

static void a_block_is_read_where_the_index_has_it(void **state)
{
    (void)state;
    make_sample();
    struct recording_reader *reader = open_recording();
    struct recording_record record;
    uint64_t events = offset_of(reader, RECORDING_EVENTS), objects = offset_of(reader, RECORDING_OBJECTS);
    assert_ok(recording_read(reader, events, RECORDING_EVENTS, &record));
    assert_int_equal(record.offset, events);
    assert_int_equal(record.events.thread, 1);
    assert_ok(recording_read(reader, objects, RECORDING_OBJECTS, &record));
    assert_int_equal(record.objects.count, 3);
    assert_int_equal(recording_read(reader, events, RECORDING_OBJECTS, &record), CLEW_DAMAGED); // another type
    assert_int_equal(recording_read(reader, events + 1, RECORDING_EVENTS, &record), CLEW_DAMAGED);
    assert_int_equal(recording_read(reader, UINT64_MAX, RECORDING_EVENTS, &record), CLEW_DAMAGED);
    assert_ok(recording_read(reader, recording_file_size(recording_of(reader)) - 104 - 48, RECORDING_END, &record));
    assert_int_equal(record.end.threads, sample_end.threads);
    assert_false(recording_health(reader).ended); // what passes meet, alone
    assert_int_equal(recording_health(reader).damaged, 0);
    recording_close_reader(reader);
}

// Changes a byte of the first block of the type at `place` from its start.
static void hurt(enum recording_type type, uint64_t place)
{
    struct recording_reader *reader = open_recording();
    uint64_t offset = offset_of(reader, type);
    recording_close_reader(reader);
    struct buffer content = load_file(path);
    content.data[offset + place] ^= 0xff;
    store_file(path, content.data, content.size);
    buffer_free(&content);
}

static void a_payload_is_checked_when_it_is_read(void **state)
{
    (void)state;
    make_sample();
    hurt(RECORDING_OBJECTS, 104);
    struct recording_reader *reader = open_recording();
    struct lines lines = read_lines(reader, 1u << RECORDING_EVENTS);
    assert_int_equal(recording_health(reader).damaged, 0);
    lines_free(&lines);
    assert_ok(recording_check(reader));
    assert_int_equal(recording_health(reader).damaged, 1);
    assert_ok(recording_verify(reader));
    assert_int_equal(recording_health(reader).damaged, 1);
    assert_true(recording_health(reader).damaged_bytes > 104);
    assert_true(recording_health(reader).ended);
    recording_close_reader(reader);
}

static void the_index_is_the_same_with_and_without_its_block(void **state)
{
    (void)state;
    make_sample();
    struct recording_reader *reader = open_recording();
    const struct recording_block *blocks;
    size_t count, again;
    assert_ok(recording_index(recording_of(reader), &blocks, &count));
    struct recording_block *kept = malloc(count * sizeof *kept);
    memcpy(kept, blocks, count * sizeof *kept);
    recording_close_reader(reader);
    struct buffer content = load_file(path);
    store_file(path, content.data, content.size - 1); // END is cut
    buffer_free(&content);
    reader = open_recording();
    assert_ok(recording_index(recording_of(reader), &blocks, &again));
    assert_int_equal(again, count);
    for (size_t i = 0; i < count; i++) {
        assert_memory_equal(&blocks[i], &kept[i], sizeof *kept);
    }
    free(kept);
    recording_close_reader(reader);
}

enum { METHODS = 1u << RECORDING_METHOD, TREES = 1u << RECORDING_TREE_NODES, ENDS = 1u << RECORDING_END };

// What a pass over the blocks that the index lists hands out, and what it says of the file.
static struct lines read_listed(uint32_t types, struct recording_health *health)
{
    struct recording_reader *reader = open_recording();
    assert_ok(recording_rewind_listed(reader));
    struct lines lines = read_lines(reader, types);
    *health = recording_health(reader);
    recording_close_reader(reader);
    return lines;
}

// A pass through the index hands out the same as one over the whole file.
static void expect_listed(uint32_t types)
{
    struct recording_health health;
    struct recording_reader *reader = open_recording();
    struct lines expected = read_lines(reader, types), lines = read_listed(types, &health);
    recording_close_reader(reader);
    assert_int_equal(lines.count, expected.count);
    for (size_t i = 0; i < lines.count; i++) {
        assert_string_equal(lines.line[i], expected.line[i]);
        assert_int_equal(lines.offset[i], expected.offset[i]);
    }
    assert_int_equal(health.damaged, 0);
    lines_free(&expected);
    lines_free(&lines);
}

static bool of_no_thread(void *context, uint32_t process, uint32_t thread)
{
    (void)context;
    (void)process;
    (void)thread;
    return false;
}

static void a_pass_through_the_index_looks_at_wanted_events_alone(void **state)
{
    (void)state;
    const struct recording_block *blocks;
    size_t count, at = 0;
    make_sample();
    struct recording_reader *reader = open_recording();
    assert_ok(recording_index(recording_of(reader), &blocks, &count));
    while (blocks[at].type != RECORDING_EVENTS) {
        at++;
    }
    uint64_t header = blocks[at].offset;
    recording_close_reader(reader);
    struct buffer content = load_file(path);
    content.data[header] ^= 0xff;
    store_file(path, content.data, content.size);
    buffer_free(&content);
    reader = open_recording();
    assert_ok(recording_rewind_listed(reader));
    recording_want_events(reader, of_no_thread, NULL);
    struct lines none = read_lines(reader, 1u << RECORDING_EVENTS);
    assert_int_equal(none.count, 0);
    assert_int_equal(recording_health(reader).damaged, 0);
    lines_free(&none);
    recording_want_events(reader, NULL, NULL);
    assert_ok(recording_rewind_listed(reader));
    struct lines all = read_lines(reader, 1u << RECORDING_EVENTS);
    assert_int_equal(recording_health(reader).damaged, 1);
    lines_free(&all);
    recording_close_reader(reader);
}

static void a_pass_through_the_index_is_the_same(void **state)
{
    (void)state;
    static const uint32_t wanted[] = {
        METHODS, TREES, ENDS, METHODS | ENDS, 1u << RECORDING_SITES, 1u << RECORDING_SOURCE, (uint32_t)ALL_TYPES};
    make_sample();
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        expect_listed(wanted[i]);
    }
    struct buffer content = load_file(path);
    store_file(path, content.data, content.size - 1); // END is cut
    buffer_free(&content);
    expect_listed(METHODS);
    expect_listed(TREES | ENDS);
}

static void a_pass_through_the_index_knows_only_of_its_own_damage(void **state)
{
    (void)state;
    static const struct {
        enum recording_type type;
        uint64_t place;
        uint64_t damaged;
    } cases[] = {{RECORDING_EVENTS, 104, 0},  {RECORDING_EVENTS, 20, 0},      {RECORDING_TREE_NODES, 104, 0},
                 {RECORDING_OBJECTS, 104, 0}, {RECORDING_DEFINITIONS, 20, 1}, {RECORDING_DEFINITIONS, 104, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct recording_health health;
        make_sample();
        hurt(cases[i].type, cases[i].place);
        struct lines lines = read_listed(METHODS | ENDS, &health);
        assert_int_equal(health.damaged, cases[i].damaged);
        assert_true(health.ended);
        lines_free(&lines);
    }
}

// Without an INDEX block: the damage before the blocks, and the damage between them.
static void damage_of_header_and_blocks_adds_up(void **state)
{
    (void)state;
    struct recording_health health;
    make_sample();
    hurt(RECORDING_OBJECTS, 20);
    struct buffer content = load_file(path);
    content.data[20] ^= 0xff;
    store_file(path, content.data, content.size - 1); // END is cut
    buffer_free(&content);
    struct recording_reader *reader = open_recording();
    assert_ok(recording_check(reader));
    struct recording_health expected = recording_health(reader);
    recording_close_reader(reader);
    struct lines lines = read_listed(METHODS, &health);
    assert_int_equal(expected.damaged, 2);
    assert_int_equal(health.damaged, 2);
    assert_int_equal(health.damaged_bytes, expected.damaged_bytes);
    assert_int_equal(health.cut_bytes, expected.cut_bytes);
    assert_true(health.cut_bytes > 0);
    lines_free(&lines);
}

// As in a pass over the whole file, a copy is read when its original is damaged, and only then.
static void a_pass_through_the_index_takes_copies_of_what_is_damaged(void **state)
{
    (void)state;
    enum { SOME = 50 };
    struct recording_writer *writer = create();
    recording_copy_every(writer, 1);
    for (uint32_t i = 0; i < SOME; i++) {
        assert_ok(recording_write_method(
            writer, &(struct recording_method){.process = 1, .method = 100 + i, .name = text_of("M")}));
        struct recording_events events = sample_events(1, i * 30);
        assert_ok(recording_write_events(writer, &events));
    }
    assert_ok(recording_close(writer, &sample_end));
    expect_listed(METHODS);
    struct recording_health health;
    hurt(RECORDING_DEFINITIONS, 104);
    struct lines lines = read_listed(METHODS, &health);
    assert_int_equal(lines.count, SOME);
    assert_int_equal(health.damaged, 1);
    lines_free(&lines);
}

static void without_a_session_there_is_an_empty_one(void **state)
{
    (void)state;
    make_sample();
    hurt(RECORDING_SESSION, 104);
    struct recording_reader *reader = open_recording();
    assert_false(recording_has_session(recording_of(reader)));
    assert_int_equal(recording_session(recording_of(reader))->clock, CLOCK_KIND_NONE);
    assert_int_equal(recording_session(recording_of(reader))->command.size, 0);
    assert_non_null(recording_session(recording_of(reader))->command.at);
    recording_close_reader(reader);
    recording_close_reader(NULL);
}

static void the_worst_of_all_passes_counts(void **state)
{
    (void)state;
    struct recording_health all = {.damaged = 1, .damaged_bytes = 500, .cut_bytes = 3};
    const struct recording_health pass = {.ended = true, .damaged = 4, .damaged_bytes = 90, .unknown = 2};
    recording_meet(&all, &pass);
    recording_meet(&all, &pass); // one that was met twice is one
    assert_true(all.ended);
    assert_int_equal(all.damaged, 4);
    assert_int_equal(all.damaged_bytes, 500);
    assert_int_equal(all.cut_bytes, 3);
    assert_int_equal(all.unknown, 2);
    assert_true(recording_is_damaged(&all));
    all.damaged = 0;
    assert_false(recording_is_damaged(&all)); // cut is not damaged
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_block_is_read_where_the_index_has_it, make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_payload_is_checked_when_it_is_read, make_place, remove_place),
        cmocka_unit_test_setup_teardown(the_index_is_the_same_with_and_without_its_block, make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_pass_through_the_index_is_the_same, make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_pass_through_the_index_looks_at_wanted_events_alone, make_place,
                                        remove_place),
        cmocka_unit_test_setup_teardown(a_pass_through_the_index_knows_only_of_its_own_damage, make_place,
                                        remove_place),
        cmocka_unit_test_setup_teardown(damage_of_header_and_blocks_adds_up, make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_pass_through_the_index_takes_copies_of_what_is_damaged, make_place,
                                        remove_place),
        cmocka_unit_test_setup_teardown(without_a_session_there_is_an_empty_one, make_place, remove_place),
        cmocka_unit_test(the_worst_of_all_passes_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
