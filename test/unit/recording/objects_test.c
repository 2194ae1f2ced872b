// Objects and counters as columns: numbers within the block's range, links down only, counters ascending.
#include "payload.h"

static struct codec_arrays arrays;
static struct recording_objects objects;
static struct recording_counters counters;
static struct buffer payload;

static int release(void **state)
{
    (void)state;
    codec_arrays_free(&arrays);
    buffer_free(&payload);
    return 0;
}

static enum clew_error decode(const struct block_header *header, struct bytes bytes)
{
    return codec_decode_objects(header, bytes, &arrays, &objects);
}

static enum clew_error decode_counters(const struct block_header *header, struct bytes bytes)
{
    return codec_decode_counters(header, bytes, &arrays, &counters);
}

static struct block_header encode(const struct recording_object *list, uint32_t count, uint32_t lowest,
                                  uint32_t highest)
{
    struct codec_splits splits = {0};
    struct block_header header = {.count = count, .first_clock = lowest, .last_clock = highest};
    buffer_clear(&payload);
    codec_encode_objects(&payload, list, &splits, &header);
    assert_int_equal(splits.at[splits.count - 1], payload.size);
    return header;
}

static void objects_in_any_order_decode_to_themselves(void **state)
{
    (void)state;
    static const struct recording_object list[] = {
        {.object = UINT32_MAX, .type = UINT32_MAX, .size = UINT64_MAX, .length = UINT64_MAX},
        {.object = 1, .type = 2, .size = 30, .length = 9, .text = {"t\xc3\xa4xt", 5}},
        {.object = 7},
    };
    struct block_header header = encode(list, 3, 1, UINT32_MAX);
    assert_int_equal(header.flags & BLOCK_LINKS, 0); // no column of links where there are none
    assert_int_equal(decode(&header, bytes_of(payload.data, payload.size)), CLEW_OK);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(objects.objects[i].object, list[i].object);
        assert_int_equal(objects.objects[i].type, list[i].type);
        assert_int_equal(objects.objects[i].size, list[i].size);
        assert_int_equal(objects.objects[i].length, list[i].length);
        assert_int_equal(objects.objects[i].perhaps, 0);
        assert_true(text_equal(objects.objects[i].text, list[i].text));
    }
    expect_exact(decode, &header, &payload);
    expect_no_harm(decode, &header, &payload);
    // The index finds objects by the range: what lies outside it would never be found.
    header.first_clock = 2;
    assert_int_equal(decode(&header, bytes_of(payload.data, payload.size)), CLEW_DAMAGED);
    header.first_clock = 1;
    header.last_clock = UINT32_MAX - 1;
    assert_int_equal(decode(&header, bytes_of(payload.data, payload.size)), CLEW_DAMAGED);
    header.last_clock = (uint64_t)UINT32_MAX + 1;
    assert_int_equal(decode(&header, bytes_of(payload.data, payload.size)), CLEW_DAMAGED);
}

static void a_link_leads_to_a_lower_number(void **state)
{
    (void)state;
    static const struct recording_object list[] = {
        {.object = 5, .perhaps = 1}, {.object = 6, .perhaps = 6}, {.object = 7, .perhaps = 9}, {.object = 8}};
    struct block_header header = encode(list, 4, 5, 8);
    assert_int_equal(header.flags & BLOCK_LINKS, BLOCK_LINKS);
    assert_int_equal(decode(&header, bytes_of(payload.data, payload.size)), CLEW_OK);
    assert_int_equal(objects.objects[0].perhaps, 1);
    for (size_t i = 1; i < 4; i++) {
        assert_int_equal(objects.objects[i].perhaps, 0);
    }
    expect_exact(decode, &header, &payload);
    expect_no_harm(decode, &header, &payload);
}

static void counters_ascend_by_site(void **state)
{
    (void)state;
    static const struct recording_counter list[] = {{0, 1, 2}, {1, UINT64_MAX, 0}, {UINT32_MAX, 0, UINT64_MAX}};
    struct codec_splits splits = {0};
    const struct block_header header = {.process = 3, .count = 3, .last_clock = 77};
    codec_encode_counters(&payload, list, 3, &splits);
    assert_int_equal(decode_counters(&header, bytes_of(payload.data, payload.size)), CLEW_OK);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(counters.counters[i].site, list[i].site);
        assert_int_equal(counters.counters[i].count, list[i].count);
        assert_int_equal(counters.counters[i].own, list[i].own);
    }
    assert_int_equal(counters.process, 3);
    assert_int_equal(counters.clock, 77);
    expect_exact(decode_counters, &header, &payload);
    expect_no_harm(decode_counters, &header, &payload);
    payload.data[1] = 0; // the second site is the first again
    assert_int_equal(decode_counters(&header, bytes_of(payload.data, payload.size)), CLEW_DAMAGED);
    payload.data[1] = 2; // and the last wraps around
    assert_int_equal(decode_counters(&header, bytes_of(payload.data, payload.size)), CLEW_DAMAGED);
}

static void counts_are_checked_against_the_bytes_left(void **state)
{
    (void)state;
    const struct block_header header = {.count = RECORDING_OBJECTS_MAX, .last_clock = UINT32_MAX};
    static const uint8_t bytes[100];
    assert_int_equal(decode(&header, bytes_of(bytes, sizeof bytes)), CLEW_DAMAGED);
    assert_int_equal(decode_counters(&header, bytes_of(bytes, sizeof bytes)), CLEW_DAMAGED);
    assert_int_equal(arrays.objects_room + arrays.counters_room, 0); // nothing was asked for
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(objects_in_any_order_decode_to_themselves, release),
        cmocka_unit_test_teardown(a_link_leads_to_a_lower_number, release),
        cmocka_unit_test_teardown(counters_ascend_by_site, release),
        cmocka_unit_test_teardown(counts_are_checked_against_the_bytes_left, release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
