// Changes of a tree: they decode to themselves, join to the tree that they describe, and refuse another one.
#include "recording/tree_changes.h"

#include "payload.h"

static struct codec_arrays arrays;
static struct recording_tree_changes decoded;

static int release(void **state)
{
    (void)state;
    codec_arrays_free(&arrays);
    return 0;
}

static enum clew_error decode(const struct block_header *header, struct bytes payload)
{
    return codec_decode_changes(header, payload, &arrays, &decoded);
}

static const struct recording_node first[] = {
    {.parent = 0, .shortest = UINT64_MAX},
    {.parent = 0, .method = 16, .calls = 3, .total = 1000, .shortest = 100, .longest = 600, .cpu_user_ns = 7},
    {.parent = 1, .method = 17, .calls = 1, .open = 1, .total = 90, .shortest = UINT64_MAX},
};
// Node 1 has run again, node 2 has ended, with less time than it seemed to have; 3 and 4 are new.
static const struct recording_node second[] = {
    {.parent = 0, .shortest = UINT64_MAX},
    {.parent = 0, .method = 16, .calls = 4, .total = 1050, .shortest = 50, .longest = 600, .cpu_user_ns = 9},
    {.parent = 1, .method = 17, .calls = 1, .total = 80, .shortest = 80, .longest = 80, .exceptions = 1},
    {.parent = 2, .method = 18, .calls = UINT64_MAX, .total = UINT64_MAX, .longest = UINT64_MAX},
    {.parent = 3, .method = UINT32_MAX, .open = 1, .calls = 1, .shortest = UINT64_MAX},
};
enum { BEFORE = 3, AFTER = 5, CHANGED = 4 };

static struct recording_node_change changed[CHANGED];

static struct recording_tree_changes changes_of(void)
{
    const struct recording_node none = recording_node_before();
    for (uint32_t i = 0; i < CHANGED; i++) {
        changed[i].node = i + 1;
        changed[i].by = recording_node_difference(i + 1 < BEFORE ? &first[i + 1] : &none, &second[i + 1]);
    }
    return (struct recording_tree_changes){.process = 1,
                                           .thread = 2,
                                           .sequence = 8,
                                           .clock = 9,
                                           .before = BEFORE,
                                           .after = AFTER,
                                           .count = CHANGED,
                                           .changes = changed};
}

static const struct recording_tree tree = {
    .process = 1, .thread = 2, .sequence = 7, .clock = 5, .count = BEFORE, .nodes = first};
static const struct block_header header = {.process = 1, .thread = 2, .sequence = 8, .count = CHANGED, .last_clock = 9};

static struct buffer encode(const struct recording_tree_changes *changes)
{
    struct codec_splits splits = {0};
    struct buffer payload = {0};
    codec_encode_changes(&payload, changes, &splits);
    assert_int_equal(splits.at[splits.count - 1], payload.size);
    assert_true(splits.count <= sizeof splits.at / sizeof *splits.at);
    return payload;
}

static void changes_decode_and_join_to_the_tree(void **state)
{
    (void)state;
    struct recording_tree_changes changes = changes_of();
    struct recording_kept_tree kept = {0};
    struct buffer payload = encode(&changes);
    assert_int_equal(decode(&header, bytes_of(payload.data, payload.size)), CLEW_OK);
    assert_int_equal(decoded.before, BEFORE);
    assert_int_equal(decoded.after, AFTER);
    assert_int_equal(recording_tree_keep(&kept, &tree), CLEW_OK);
    assert_int_equal(recording_tree_change(&kept, &decoded), CLEW_OK);
    assert_memory_equal(kept.nodes, second, sizeof second);
    assert_int_equal(kept.tree.count, AFTER);
    assert_int_equal(kept.tree.sequence, 8);
    assert_int_equal(kept.tree.clock, 9);
    expect_exact(decode, &header, &payload);
    expect_no_harm(decode, &header, &payload);
    recording_tree_free(&kept);
    buffer_free(&payload);
}

static void expect_refused(struct recording_tree_changes changes)
{
    struct recording_kept_tree kept = {0};
    assert_int_equal(recording_tree_keep(&kept, &tree), CLEW_OK);
    assert_int_equal(recording_tree_change(&kept, &changes), CLEW_DAMAGED);
    assert_memory_equal(kept.nodes, first, sizeof first);
    assert_int_equal(kept.tree.count, BEFORE);
    recording_tree_free(&kept);
}

static void changes_of_another_tree_are_refused(void **state)
{
    (void)state;
    struct recording_tree_changes changes = changes_of();
    changes.sequence++; // a block between them is missing
    expect_refused(changes);
    changes = changes_of();
    changes.thread++;
    expect_refused(changes);
    changes = changes_of();
    changes.process++;
    expect_refused(changes);
    changes = changes_of();
    changes.before++;
    expect_refused(changes);
}

static void expect_damaged(struct recording_tree_changes changes)
{
    struct buffer payload = encode(&changes);
    struct block_header at = header;
    at.count = changes.count;
    assert_int_equal(decode(&at, bytes_of(payload.data, payload.size)), CLEW_DAMAGED);
    buffer_free(&payload);
}

static void each_new_node_is_described_behind_its_parent(void **state)
{
    (void)state;
    struct recording_tree_changes changes = changes_of();
    changes.count--; // node 4 is missing
    expect_damaged(changes);
    changes = changes_of();
    changes.after++;
    expect_damaged(changes);
    changes = changes_of();
    changed[3].by.parent = changed[3].node; // its own parent
    expect_damaged(changes);
    changes = changes_of();
    changes.before = 0; // a tree has a root
    expect_damaged(changes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_decode_and_join_to_the_tree),
        cmocka_unit_test(changes_of_another_tree_are_refused),
        cmocka_unit_test(each_new_node_is_described_behind_its_parent),
    };
    return cmocka_run_group_tests(tests, NULL, release);
}
