// What was in boxes, as bytes and back: events in order, bytes padded to whole cells.
#include "payload.h"

enum { EVENTS = 5 };

static struct codec_arrays arrays;
static struct recording_events decoded;

static enum clew_error decode(const struct block_header *header, struct bytes payload)
{
    (void)header;
    decoded = (struct recording_events){.count = EVENTS};
    enum clew_error error = codec_decode_boxes(&payload, &arrays, &decoded);
    return error == CLEW_OK && bytes_left(&payload) > 0 ? CLEW_DAMAGED : error; // columns follow in a block
}

static int free_arrays(void **state)
{
    (void)state;
    codec_arrays_free(&arrays);
    return 0;
}

static enum clew_error encode(struct buffer *into, const struct recording_box *boxes, uint32_t count)
{
    static const uint32_t cells[] = {0x04030201, 0xFFFFFF05, 0x0B0A0908};
    const struct recording_events events = {
        .count = EVENTS, .box_count = count, .boxes = boxes, .box_cell_count = 3, .box_cells = cells};
    buffer_clear(into);
    return codec_encode_boxes(into, &events);
}

static void boxes_decode_with_padding_of_zeros(void **state)
{
    (void)state;
    const struct recording_box boxes[] = {
        {0, UINT32_MAX, 5, 0}, {0, 1, 0, 3}, {4, 7, 4, 2}, // 0 bytes: they were too many, wherever they begin
    };
    struct buffer payload = {0};
    assert_int_equal(encode(&payload, boxes, 3), CLEW_OK);
    assert_int_equal(decode(NULL, bytes_of(payload.data, payload.size)), CLEW_OK);
    assert_int_equal(decoded.box_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(decoded.boxes[i].event, boxes[i].event);
        assert_int_equal(decoded.boxes[i].object, boxes[i].object);
        assert_int_equal(decoded.boxes[i].size, boxes[i].size);
    }
    assert_int_equal(decoded.box_cell_count, 3);
    assert_int_equal(decoded.box_cells[0], 0x04030201);
    assert_int_equal(decoded.box_cells[1], 0x05);
    assert_int_equal(decoded.box_cells[decoded.boxes[2].at], 0x0B0A0908);
    expect_exact(decode, NULL, &payload);
    expect_no_harm(decode, NULL, &payload);
    buffer_free(&payload);
}

static void boxes_of_events_outside_the_block_are_refused(void **state)
{
    (void)state;
    static const struct recording_box backwards[] = {{3, 1, 4, 0}, {2, 2, 4, 0}};
    static const struct recording_box beyond = {EVENTS, 1, 4, 0}, too_long = {0, 1, 13, 0}, too_late = {0, 1, 5, 2};
    static const struct recording_box huge = {0, 1, UINT32_MAX, 0}, wild = {0, 1, 4, UINT32_MAX};
    struct buffer payload = {0};
    assert_int_equal(encode(&payload, backwards, 2), CLEW_MALFORMED);
    assert_int_equal(encode(&payload, &beyond, 1), CLEW_MALFORMED);
    assert_int_equal(encode(&payload, &too_long, 1), CLEW_MALFORMED);
    assert_int_equal(encode(&payload, &too_late, 1), CLEW_MALFORMED);
    assert_int_equal(encode(&payload, &huge, 1), CLEW_MALFORMED);
    assert_int_equal(encode(&payload, &wild, 1), CLEW_MALFORMED);
    static const uint8_t of_no_event[] = {1, EVENTS, 2, 0}, of_the_last[] = {1, EVENTS - 1, 2, 0};
    assert_int_equal(decode(NULL, bytes_of(of_the_last, 4)), CLEW_OK);
    assert_int_equal(decode(NULL, bytes_of(of_no_event, 4)), CLEW_DAMAGED);
    buffer_free(&payload);
}

static void a_count_is_checked_against_the_bytes_left(void **state)
{
    (void)state;
    struct buffer payload = {0};
    buffer_varint(&payload, UINT32_MAX);
    assert_int_equal(decode(NULL, bytes_of(payload.data, payload.size)), CLEW_DAMAGED);
    assert_int_equal(arrays.boxes_room, 0); // nothing was asked for
    buffer_free(&payload);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(boxes_decode_with_padding_of_zeros, free_arrays),
        cmocka_unit_test_teardown(boxes_of_events_outside_the_block_are_refused, free_arrays),
        cmocka_unit_test_teardown(a_count_is_checked_against_the_bytes_left, free_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
