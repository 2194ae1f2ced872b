// Nodes of a tree, in parts: every parent comes before its child, every part continues the one before.
#include "payload.h"

static struct codec_arrays arrays;
static struct recording_tree decoded;
static uint32_t total;

static int release(void **state)
{
    (void)state;
    codec_arrays_free(&arrays);
    return 0;
}

static enum clew_error decode_part(const struct block_header *header, struct bytes payload)
{
    return codec_decode_nodes(header, payload, &arrays, 0, &decoded, &total);
}

// As a first part.
static enum clew_error decode(const struct block_header *header, struct bytes payload)
{
    decoded = (struct recording_tree){0};
    return decode_part(header, payload);
}

static const struct recording_node nodes[] = {
    {.parent = 0, .shortest = UINT64_MAX},
    {.parent = 0, .method = 16, .calls = 3, .total = 1000, .shortest = 100, .longest = 600, .cpu_kernel_ns = 7},
    {.parent = 1, .method = UINT32_MAX, .open = 1, .total = UINT64_MAX, .shortest = UINT64_MAX, .exceptions = 2},
    {.parent = 0, .method = 17, .calls = UINT64_MAX, .total = 5, .shortest = 0, .longest = UINT64_MAX},
};
static const struct recording_tree tree = {.final = true, .count = 4, .nodes = nodes};

static struct buffer encode(uint32_t first, uint32_t count)
{
    struct codec_splits splits = {0};
    struct buffer payload = {0};
    codec_encode_nodes(&payload, &tree, first, count, &splits);
    assert_int_equal(splits.at[splits.count - 1], payload.size); // the last column ends the payload
    return payload;
}

static void a_tree_decodes_to_itself(void **state)
{
    (void)state;
    const struct block_header header = {.process = 1, .thread = 2, .count = 4, .last_clock = 9};
    struct buffer payload = encode(0, 4);
    assert_int_equal(decode(&header, bytes_of(payload.data, payload.size)), CLEW_OK);
    assert_memory_equal(decoded.nodes, nodes, sizeof nodes);
    assert_int_equal(decoded.count, 4);
    assert_int_equal(total, 4);
    assert_true(decoded.final);
    assert_int_equal(decoded.clock, 9);
    expect_exact(decode, &header, &payload);
    expect_no_harm(decode, &header, &payload);
    buffer_free(&payload);
}

static void parts_continue_each_other(void **state)
{
    (void)state;
    const struct block_header three = {.count = 3}, one = {.count = 1};
    struct buffer first = encode(0, 3), last = encode(3, 1);
    assert_int_equal(decode(&three, bytes_of(first.data, first.size)), CLEW_OK);
    assert_int_equal(decoded.count, 3);
    assert_int_equal(total, 4);
    assert_int_equal(decode_part(&one, bytes_of(last.data, last.size)), CLEW_OK);
    assert_int_equal(decoded.count, 4);
    assert_memory_equal(decoded.nodes, nodes, sizeof nodes);
    assert_int_equal(decode_part(&one, bytes_of(last.data, last.size)), CLEW_DAMAGED); // the same again
    assert_int_equal(decode(&one, bytes_of(last.data, last.size)), CLEW_DAMAGED);      // without the first
    assert_int_equal(decode(&three, bytes_of(first.data, first.size)), CLEW_OK);
    total = 5; // of another tree
    assert_int_equal(decode_part(&one, bytes_of(last.data, last.size)), CLEW_DAMAGED);
    buffer_free(&first);
    buffer_free(&last);
}

static void only_the_first_node_is_its_own_parent(void **state)
{
    (void)state;
    enum { PARENTS = 3 }; // behind how many there are, whether it is final, and the first's number, a byte each
    const struct block_header header = {.count = 4};
    struct buffer payload = encode(0, 4);
    static const uint8_t wrong[] = {0, 3, 127}; // distances from node 2
    for (size_t i = 0; i < sizeof wrong; i++) {
        payload.data[PARENTS + 2] = wrong[i];
        assert_int_equal(decode(&header, bytes_of(payload.data, payload.size)), CLEW_DAMAGED);
    }
    payload.data[PARENTS + 2] = 2;
    assert_int_equal(decode(&header, bytes_of(payload.data, payload.size)), CLEW_OK);
    assert_int_equal(decoded.nodes[2].parent, 0);
    payload.data[PARENTS] = 1;
    assert_int_equal(decode(&header, bytes_of(payload.data, payload.size)), CLEW_DAMAGED);
    buffer_free(&payload);
}

static void a_count_is_checked_against_the_bytes_left(void **state)
{
    (void)state;
    struct buffer payload = {0};
    buffer_varint(&payload, RECORDING_NODES_MAX);
    buffer_varint(&payload, 0);
    buffer_varint(&payload, 0);
    const struct block_header header = {.count = RECORDING_NODES_MAX};
    assert_int_equal(decode(&header, bytes_of(payload.data, payload.size)), CLEW_DAMAGED);
    assert_int_equal(arrays.nodes_room, 0); // nothing was asked for
    buffer_free(&payload);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_tree_decodes_to_itself, release),
        cmocka_unit_test_teardown(parts_continue_each_other, release),
        cmocka_unit_test_teardown(only_the_first_node_is_its_own_parent, release),
        cmocka_unit_test_teardown(a_count_is_checked_against_the_bytes_left, release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
