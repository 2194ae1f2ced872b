// What threads threw and caught decodes to itself, and damaged figures do no harm.
#include "payload.h"
#include "place.h"

static struct codec_arrays arrays;
static struct recording_throws decoded;

static const struct recording_throw throws[] = {
    {.node = 3, .method = 17, .exception = 1, .count = 5},
    {3, 2, 17, 16, 1, THROW_CAUGHT | THROW_BELOW, UINT64_MAX},
    {.flags = THROW_OUTSIDE, .count = 1},
};
enum { COUNT = sizeof throws / sizeof *throws };

static enum clew_error decode(const struct block_header *header, struct bytes payload)
{
    return codec_decode_throws(header, payload, &arrays, &decoded);
}

static void figures_decode_to_themselves(void **state)
{
    (void)state;
    const struct block_header header = {.process = 1, .thread = 2, .count = COUNT, .last_clock = 9};
    const struct recording_throws record = {1, 2, 9, COUNT, throws};
    struct codec_splits splits = {0};
    struct buffer payload = {0};
    codec_encode_throws(&payload, &record, &splits);
    expect_exact(decode, &header, &payload);
    assert_int_equal(decode_copy(decode, &header, payload.data, payload.size), CLEW_OK);
    assert_int_equal(decoded.thread, 2);
    assert_int_equal(decoded.count, COUNT);
    assert_memory_equal(decoded.throws, throws, sizeof throws);
    expect_no_harm(decode, &header, &payload);
    const struct block_header many = {.count = UINT32_MAX};
    assert_int_equal(decode_copy(decode, &many, payload.data, payload.size), CLEW_DAMAGED);
    buffer_free(&payload);
    codec_arrays_free(&arrays);
}

static void a_recording_has_exceptions_and_figures(void **state)
{
    (void)state;
    const struct recording_throws record = {1, 2, 9, COUNT, throws}, none = {.process = 1};
    const struct recording_exception exception = {
        1, 7, 3, EXCEPTION_STATED | EXCEPTION_MESSAGE, 9, text_of("too long")};
    struct recording_writer *writer = create();
    assert_ok(recording_write_exception(writer, &exception));
    assert_ok(recording_write_throws(writer, &record));
    assert_ok(recording_write_throws(writer, &none));
    assert_ok(recording_close(writer, &sample_end));
    struct recording_reader *reader = open_recording();
    struct recording_record read;
    assert_ok(recording_next(reader, 1u << RECORDING_EXCEPTION | 1u << RECORDING_EXCEPTIONS, &read));
    assert_int_equal(read.type, RECORDING_EXCEPTION);
    assert_int_equal(read.exception.exception, 7);
    assert_int_equal(read.exception.type, 3);
    assert_int_equal(read.exception.length, 9);
    assert_true(text_equal(read.exception.message, text_of("too long")));
    assert_ok(recording_next(reader, 1u << RECORDING_EXCEPTION | 1u << RECORDING_EXCEPTIONS, &read));
    assert_int_equal(read.throws.count, COUNT);
    assert_memory_equal(read.throws.throws, throws, sizeof throws);
    assert_ok(recording_next(reader, 1u << RECORDING_EXCEPTION | 1u << RECORDING_EXCEPTIONS, &read));
    assert_int_equal(read.throws.count, 0);
    recording_close_reader(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_decode_to_themselves),
        cmocka_unit_test_setup_teardown(a_recording_has_exceptions_and_figures, make_place, remove_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
