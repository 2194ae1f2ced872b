// Definitions that still hold: one for each number of a process, all notes, and bytes of replaced ones given back.
#include "recording/definitions.h"

#include "payload.h"

static struct definitions definitions;

static int release(void **state)
{
    (void)state;
    definitions_free(&definitions);
    return 0;
}

// A body of a process and a number, with more bytes behind.
static void put(enum recording_type type, uint64_t number, uint32_t process, uint32_t of, size_t more)
{
    struct buffer body = {0};
    buffer_varint(&body, process);
    buffer_varint(&body, of);
    if (more > 0) {
        memset(buffer_extend(&body, more), (int)(number & 0x7f), more);
    }
    const struct codec_definition definition = {type, number, bytes_of(body.data, body.size)};
    assert_true(definitions_put(&definitions, &definition));
    buffer_free(&body);
}

static void a_later_definition_of_a_number_replaces_the_earlier(void **state)
{
    (void)state;
    put(RECORDING_METHOD, 1, 1, 16, 3);
    put(RECORDING_METHOD, 2, 1, 17, 3);
    put(RECORDING_METHOD, 3, 2, 16, 3); // of another process
    put(RECORDING_MODULE, 4, 1, 16, 3); // of another type
    put(RECORDING_METHOD, 5, 1, 16, 9);
    put(RECORDING_METHOD, 1, 1, 16, 3); // an old copy: the newer stays
    assert_int_equal(definitions.count, 4);
    struct codec_definition first = definitions_at(&definitions, 0);
    assert_int_equal(first.number, 5);
    assert_int_equal(bytes_left(&first.body), 2 + 9);
    assert_int_equal(definitions_at(&definitions, 3).type, RECORDING_MODULE);
}

static void a_process_goes_by_its_own_number_alone(void **state)
{
    (void)state;
    put(RECORDING_PROCESS, 1, 1, 4711, 0);
    put(RECORDING_PROCESS, 2, 1, 4712, 0);
    put(RECORDING_PROCESS, 3, 2, 4711, 0);
    assert_int_equal(definitions.count, 2);
}

static void notes_and_documents_never_replace_each_other(void **state)
{
    (void)state;
    static const enum recording_type types[] = {RECORDING_NOTE, RECORDING_NOT_WOVEN, RECORDING_DOCUMENT,
                                                RECORDING_COMPILED, RECORDING_POINTS};
    for (uint64_t i = 0; i < 5; i++) {
        put(types[i], 2 * i, 1, 1, 5);
        put(types[i], 2 * i + 1, 1, 1, 5);
        put(types[i], 2 * i + 1, 1, 1, 5); // the same one again
    }
    assert_int_equal(definitions.count, 10);
}

// Paths go by their process and the first number, async methods by their process and the body's. Types above 15 are not those
// that have the same lower bits: a note here.
static void each_type_has_numbers_of_its_own(void **state)
{
    (void)state;
    put(RECORDING_NOTE, 5, 1, 1, 0);
    put(RECORDING_PATHS, 6, 0, 5, 3);
    put(RECORDING_PATHS, 7, 1, 5, 3);
    put(RECORDING_PATHS, 8, 1, 6, 3);
    put(RECORDING_ASYNC, 9, 1, 5, 3);
    assert_int_equal(definitions.count, 5);
    put(RECORDING_PATHS, 10, 1, 5, 9);
    put(RECORDING_ASYNC, 11, 1, 5, 9);
    assert_int_equal(definitions.count, 5);
    assert_int_equal(definitions_at(&definitions, 2).number, 10);
    assert_int_equal(definitions_at(&definitions, 4).number, 11);
}

static void an_empty_body_is_kept(void **state)
{
    (void)state;
    const struct codec_definition definition = {RECORDING_NOTE, 7, {0}};
    assert_true(definitions_put(&definitions, &definition));
    assert_int_equal(definitions_at(&definitions, 0).number, 7);
    struct bytes body = definitions_at(&definitions, 0).body;
    assert_int_equal(bytes_left(&body), 0);
}

// A thread's definition comes again every second: memory is bounded by those that hold.
static void replaced_bytes_are_given_back(void **state)
{
    (void)state;
    enum { SIZE = 10000, TIMES = 1000 };
    put(RECORDING_NOTE, 0, 0, 0, 100);
    for (uint64_t i = 1; i <= TIMES; i++) {
        put(RECORDING_THREAD, i, 1, (uint32_t)(i % 3), SIZE);
    }
    put(RECORDING_NOTE, TIMES + 1, 0, 0, 100);
    for (uint64_t i = TIMES + 2; i <= 2 * TIMES; i++) {
        put(RECORDING_THREAD, i, 1, (uint32_t)(i % 3), SIZE);
    }
    assert_int_equal(definitions.count, 5);
    assert_true(definitions.bytes.size < 3 << 20);
    for (size_t i = 1; i < 4; i++) {
        struct codec_definition thread = definitions_at(&definitions, i);
        assert_true(thread.number > 2 * TIMES - 3);
        assert_int_equal(bytes_left(&thread.body), 2 + SIZE);
        assert_int_equal(thread.body.at[2], thread.number & 0x7f);
        assert_int_equal(thread.body.end[-1], thread.number & 0x7f);
    }
    struct codec_definition note = definitions_at(&definitions, 4);
    assert_int_equal(note.number, TIMES + 1);
    assert_int_equal(note.body.at[2], (TIMES + 1) & 0x7f);
    assert_int_equal(note.body.end[-1], (TIMES + 1) & 0x7f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_later_definition_of_a_number_replaces_the_earlier, release),
        cmocka_unit_test_teardown(a_process_goes_by_its_own_number_alone, release),
        cmocka_unit_test_teardown(notes_and_documents_never_replace_each_other, release),
        cmocka_unit_test_teardown(each_type_has_numbers_of_its_own, release),
        cmocka_unit_test_teardown(an_empty_body_is_kept, release),
        cmocka_unit_test_teardown(replaced_bytes_are_given_back, release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
