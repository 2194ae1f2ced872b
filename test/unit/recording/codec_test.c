// Bodies of small records: written fields come back, missing ones read as nothing, later ones are passed over, and numbers
// that mean nothing here become what is safe.
#include "payload.h"

#include <math.h>

static struct buffer body;

static int clear(void **state)
{
    (void)state;
    buffer_free(&body);
    return 0;
}

static struct bytes whole(void)
{
    return bytes_of(body.data, body.size);
}

static void a_body_may_end_after_any_field(void **state)
{
    (void)state;
    struct recording_record record;
    struct recording_method method = {1, 16, 2, 0x06000001, 3, {"App.Main()", 10}, 0, 0};
    codec_encode_method(&body, &method);
    size_t without = body.size;
    assert_true(codec_decode_definition(RECORDING_METHOD, bytes_of(body.data, 2), &record));
    assert_int_equal(record.method.process, 1);
    assert_int_equal(record.method.method, 16);
    assert_int_equal(record.method.module, 0);
    assert_int_equal(record.method.name.size, 0);
    assert_false(codec_decode_definition(RECORDING_METHOD, bytes_of(body.data, body.size - 1), &record)); // in a text
    assert_true(codec_decode_definition(RECORDING_METHOD, whole(), &record));
    assert_int_equal(record.method.flags, 0);
    method.flags = 300;
    buffer_clear(&body);
    codec_encode_method(&body, &method);
    assert_int_equal(body.size, without + 2);
    assert_true(codec_decode_definition(RECORDING_METHOD, whole(), &record));
    assert_int_equal(record.method.flags, 300);
    assert_int_equal(record.method.started_by, 0);
    method.started_by = 20;
    buffer_clear(&body);
    codec_encode_method(&body, &method);
    assert_int_equal(body.size, without + 3);
    buffer_text(&body, "what a newer writer adds");
    assert_true(codec_decode_definition(RECORDING_METHOD, whole(), &record));
    assert_int_equal(record.method.kind, 3);
    assert_memory_equal(record.method.name.at, "App.Main()", 10);
    assert_int_equal(record.method.flags, 300);
    assert_int_equal(record.method.started_by, 20);
    method.flags = 0;
    buffer_clear(&body);
    codec_encode_method(&body, &method);
    assert_true(codec_decode_definition(RECORDING_METHOD, whole(), &record));
    assert_int_equal(record.method.flags, 0);
    assert_int_equal(record.method.started_by, 20);
}

static void flags_and_roles_are_behind_what_older_readers_know(void **state)
{
    (void)state;
    struct recording_record record;
    struct recording_sites sites = {.process = 1, .method = 16, .first = 9, .blob = bytes_of("abc", 3)};
    codec_encode_sites(&body, &sites);
    size_t without = body.size;
    assert_true(codec_decode_definition(RECORDING_SITES, whole(), &record));
    assert_int_equal(bytes_left(&record.sites.roles), 0);
    sites.roles = bytes_of("\4\0\1", 3);
    buffer_clear(&body);
    codec_encode_sites(&body, &sites);
    assert_true(codec_decode_definition(RECORDING_SITES, whole(), &record));
    assert_int_equal(bytes_left(&record.sites.roles), 3);
    assert_memory_equal(record.sites.roles.at, "\4\0\1", 3);
    assert_true(codec_decode_definition(RECORDING_SITES, bytes_of(body.data, without), &record));
    assert_false(codec_decode_definition(RECORDING_SITES, bytes_of(body.data, body.size - 1), &record));
    const struct recording_value_type type = {1, 7, 2, 0x02000002, bytes_of("def", 3), 17};
    buffer_clear(&body);
    codec_encode_type(&body, &type);
    assert_true(codec_decode_definition(RECORDING_TYPE, whole(), &record));
    assert_int_equal(record.value_type.flags, 17);
    assert_true(codec_decode_definition(RECORDING_TYPE, bytes_of(body.data, body.size - 1), &record));
    assert_int_equal(record.value_type.flags, 0);
}

static void a_number_that_is_too_large_is_malformed(void **state)
{
    (void)state;
    struct recording_record record;
    buffer_varint(&body, (uint64_t)UINT32_MAX + 1);
    assert_false(codec_decode_definition(RECORDING_METHOD, whole(), &record));
    assert_false(codec_decode_definition(RECORDING_EVENTS, whole(), &record)); // no definition
}

static void unknown_states_of_newer_writers_become_safe_ones(void **state)
{
    (void)state;
    struct recording_record record;
    struct recording_process process = {.process = 1, .state = (enum process_state)99, .exit_status = -1};
    process.exit_known = (enum recording_exit_known)99;
    codec_encode_process(&body, &process);
    assert_true(codec_decode_definition(RECORDING_PROCESS, whole(), &record));
    assert_int_equal(record.process.state, PROCESS_CUT);
    assert_int_equal(record.process.exit_known, RECORDING_EXIT_UNKNOWN);
    assert_int_equal(record.process.exit_status, -1);
    struct recording_session session = {.clock = (enum clock_kind)99, .clock_hz = NAN}, read;
    buffer_clear(&body);
    codec_encode_session(&body, &session);
    assert_true(codec_decode_session(whole(), &read));
    assert_int_equal(read.clock, CLOCK_KIND_NONE);
    assert_true(read.clock_hz == 1e9); // no rate: nanoseconds
    const struct recording_source source = {.state = (enum source_state)99};
    const struct block_header header = {.process = 1, .first_clock = 2, .last_clock = 3};
    struct recording_source found;
    buffer_clear(&body);
    codec_encode_source(&body, &source);
    assert_true(codec_decode_source(&header, whole(), &found));
    assert_int_equal(found.state, SOURCE_MISSING);
    assert_int_equal(found.of.document, 3);
}

// What a newer writer appends, an older one lacks.
static void a_process_ends_with_its_newest_field(void **state)
{
    (void)state;
    struct recording_record record;
    const struct recording_process process = {
        .process = 1, .woven_ns = 5, .unhandled = 77, .failed_fast = 78, .left_out = 6};
    codec_encode_process(&body, &process);
    assert_true(codec_decode_definition(RECORDING_PROCESS, whole(), &record));
    assert_int_equal(record.process.left_out, 6);
    assert_true(codec_decode_definition(RECORDING_PROCESS, bytes_of(body.data, body.size - 1), &record));
    assert_int_equal(record.process.left_out, 0);
    assert_int_equal(record.process.failed_fast, 78);
    assert_int_equal(record.process.unhandled, 77);
    assert_int_equal(record.process.woven_ns, 5);
}

static void an_invalid_clock_rate_reads_as_unknown(void **state)
{
    (void)state;
    const double rates[] = {0, -1, INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        struct recording_record record;
        const struct recording_process process = {.clock_hz = rates[i]};
        buffer_clear(&body);
        codec_encode_process(&body, &process);
        assert_true(codec_decode_definition(RECORDING_PROCESS, whole(), &record));
        assert_true(record.process.clock_hz == 0);
    }
}

static void a_long_text_is_cut_between_characters(void **state)
{
    (void)state;
    char *long_text = malloc(RECORDING_TEXT_MAX + 8);
    assert_non_null(long_text);
    memset(long_text, 'a', RECORDING_TEXT_MAX + 8);
    assert_int_equal(codec_cut_text((struct text){long_text, RECORDING_TEXT_MAX}).size, RECORDING_TEXT_MAX);
    assert_int_equal(codec_cut_text((struct text){long_text, RECORDING_TEXT_MAX + 1}).size, RECORDING_TEXT_MAX);
    memcpy(long_text + RECORDING_TEXT_MAX - 2, "\xE2\x82\xAC", 3);
    assert_int_equal(codec_cut_text((struct text){long_text, RECORDING_TEXT_MAX + 1}).size, RECORDING_TEXT_MAX - 2);
    memset(long_text, 0x80, RECORDING_TEXT_MAX + 8); // no character at all
    assert_int_equal(codec_cut_text((struct text){long_text, RECORDING_TEXT_MAX + 1}).size, 0);
    free(long_text);
}

static void framed_definitions_carry_the_step_of_their_number(void **state)
{
    (void)state;
    static const uint64_t numbers[] = {10, 11, 5, CODEC_NUMBER_MAX};
    uint64_t expected = 10;
    for (size_t i = 0; i < 4; i++) {
        const struct codec_definition definition = {RECORDING_NOTE, numbers[i], bytes_of("body", 4)};
        codec_encode_framed(&body, &definition, expected);
        expected = numbers[i] + 1;
    }
    struct bytes left = whole();
    struct codec_definition found;
    expected = 10;
    for (size_t i = 0; i < 4; i++) {
        assert_true(codec_decode_framed(&left, expected, &found));
        assert_int_equal(found.number, numbers[i]);
        assert_int_equal(bytes_left(&found.body), 4);
        expected = found.number + 1;
    }
    assert_false(codec_decode_framed(&left, expected, &found));
    buffer_clear(&body);
    codec_encode_framed(&body, &(struct codec_definition){RECORDING_NOTE, CODEC_NUMBER_MAX + 1, bytes_of("body", 4)},
                        10);
    left = whole();
    assert_false(codec_decode_framed(&left, 10, &found)); // more than there can be
    left = bytes_of(body.data, 6);                        // the body is not all there
    assert_false(codec_decode_framed(&left, 10, &found));
    assert_true(codec_is_definition(RECORDING_TYPE));
    assert_false(codec_is_definition(RECORDING_OBJECTS));
    assert_false(codec_is_definition(RECORDING_TYPE + (UINT64_C(1) << 32)));
}

static void index_entries_count_statements_of_blocks_with_sites(void **state)
{
    (void)state;
    const struct block_header header = {.type = RECORDING_EVENTS,
                                        .flags = BLOCK_SITES,
                                        .count = 9,
                                        .thread = 2,
                                        .values = 4,
                                        .words = 20 | UINT64_C(3) << 32,
                                        .first_clock = 100,
                                        .last_clock = 50}; // clocks may go backwards
    const struct recording_block entry = codec_index_entry(&header, 1000), before = {.offset = 400, .first_clock = 700};
    struct recording_block found;
    assert_int_equal(entry.statements, 3);
    assert_int_equal(entry.values, 4);
    assert_int_equal(block_words(&header), 20);
    codec_encode_index_entry(&body, &entry, &before);
    struct bytes left = whole();
    assert_true(codec_decode_index_entry(&left, &before, true, &found));
    assert_int_equal(bytes_left(&left), 0);
    assert_memory_equal(&found, &entry, sizeof found);
    left = whole();
    left.end--;
    assert_false(codec_decode_index_entry(&left, &before, true, &found));
    left = whole(); // an index without the flag has no such fields
    assert_true(codec_decode_index_entry(&left, &before, false, &found));
    assert_int_equal(found.statements, 0);
}

static void an_end_decodes_whole_or_not_at_all(void **state)
{
    (void)state;
    const struct recording_end end = {
        .ended_clock = UINT64_MAX, .events = 2, .lost = 3, .processes = 4, .threads = 5, .complete = true};
    struct recording_end found;
    uint64_t index;
    codec_encode_end(&body, &end, 777);
    assert_int_equal(body.size, BLOCK_END_SIZE);
    assert_true(codec_decode_end(whole(), &found, &index));
    assert_int_equal(found.ended_clock, UINT64_MAX);
    assert_int_equal(found.threads, 5);
    assert_true(found.complete);
    assert_int_equal(index, 777);
    assert_false(codec_decode_end(bytes_of(body.data, 40), &found, &index));
    assert_false(found.complete);
}

static void an_array_is_never_null(void **state)
{
    (void)state;
    uint32_t *items = NULL;
    size_t room = 0;
    assert_true(CODEC_GROW(items, room, 0));
    assert_non_null(items);
    assert_false(CODEC_GROW(items, room, SIZE_MAX)); // and stays as it was
    assert_true(room >= 1 && items);
    free(items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_body_may_end_after_any_field, clear),
        cmocka_unit_test_teardown(flags_and_roles_are_behind_what_older_readers_know, clear),
        cmocka_unit_test_teardown(a_number_that_is_too_large_is_malformed, clear),
        cmocka_unit_test_teardown(unknown_states_of_newer_writers_become_safe_ones, clear),
        cmocka_unit_test_teardown(a_process_ends_with_its_newest_field, clear),
        cmocka_unit_test_teardown(an_invalid_clock_rate_reads_as_unknown, clear),
        cmocka_unit_test_teardown(a_long_text_is_cut_between_characters, clear),
        cmocka_unit_test_teardown(framed_definitions_carry_the_step_of_their_number, clear),
        cmocka_unit_test_teardown(index_entries_count_statements_of_blocks_with_sites, clear),
        cmocka_unit_test_teardown(an_end_decodes_whole_or_not_at_all, clear),
        cmocka_unit_test_teardown(an_array_is_never_null, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
