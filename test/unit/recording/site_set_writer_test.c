// Which sites occur in EVENTS blocks: what the writer states is read again, and a set takes no more than its share.
#include "payload.h"

#include "recording/site_set_writer.h"

static struct site_set_writer writer;
static struct codec_arrays arrays;
static struct recording_site_sets found;
static struct block_header header;

enum { AT = 1 << 20 }; // where the SITE_SETS block is

static int release(void **state)
{
    (void)state;
    site_set_writer_free(&writer);
    codec_arrays_free(&arrays);
    return 0;
}

static enum clew_error decode(const struct block_header *of, struct bytes bytes)
{
    return codec_decode_site_sets(of, AT, bytes, &arrays, &found);
}

static void add(uint64_t offset, uint32_t size, const uint32_t *sites, uint32_t count)
{
    const struct site_set_block block = {offset, size, 3};
    site_set_writer_add(&writer, &block, sites, count);
}

static void read_sets(void)
{
    header = site_set_writer_header(&writer, AT);
    assert_int_equal(decode(&header, bytes_of(writer.sets.data, writer.sets.size)), CLEW_OK);
    assert_int_equal(found.count, writer.count);
}

static bool has(const struct recording_site_set *set, uint32_t site)
{
    for (uint32_t i = 0; i < set->count; i++) {
        if (set->groups[i] == site >> set->shift) {
            return true;
        }
    }
    return false;
}

static void sets_decode_to_themselves(void **state)
{
    (void)state;
    static const uint32_t first[] = {900, 3, 64, 63, 0, 4000000}, second[] = {5};
    static const uint32_t sorted[] = {0, 3, 63, 64, 900, 4000000};
    add(200, 10000, first, 6);
    add(900, 10000, second, 1);
    add(5000, 10000, first, 6); // nothing is left of the sets before
    read_sets();
    assert_int_equal(found.count, 3);
    assert_int_equal(found.sets[0].block, 200);
    assert_int_equal(found.sets[1].block, 900);
    assert_int_equal(found.sets[2].block, 5000);
    for (uint32_t i = 0; i < 3; i += 2) {
        assert_int_equal(found.sets[i].process, 3);
        assert_int_equal(found.sets[i].shift, 0);
        assert_int_equal(found.sets[i].count, 6);
        assert_memory_equal(found.sets[i].groups, sorted, sizeof sorted);
    }
    assert_int_equal(found.sets[1].count, 1);
    assert_int_equal(found.sets[1].groups[0], 5);
    struct buffer payload = {0};
    buffer_append(&payload, writer.sets.data, writer.sets.size);
    expect_no_harm(decode, &header, &payload);
    buffer_free(&payload);
    site_set_writer_clear(&writer);
    add(6000, 10000, second, 1);
    read_sets();
    assert_int_equal(found.count, 1);
    assert_int_equal(found.sets[0].block, 6000);
}

// A block with many sites states groups; every site is in one, and the set keeps to its share.
static void a_set_takes_no_more_than_its_share(void **state)
{
    (void)state;
    static uint32_t sites[SITE_SET_SITES_MAX + 1];
    for (uint32_t i = 0; i <= SITE_SET_SITES_MAX; i++) {
        sites[i] = 10000 + i * 3 % 5000 + i / 5000;
    }
    for (uint32_t count = 1; count <= SITE_SET_SITES_MAX; count += count / 2 + 1) {
        for (uint32_t size = 600; size < 200000; size *= 3) {
            size_t before = writer.sets.size;
            uint32_t sets = writer.count;
            add(1000 + sets, size, sites, count);
            assert_true(writer.sets.size - before <= size / SITE_SET_SHARE);
            if (writer.count == sets) {
                assert_true(count > 100); // so few sites always fit: groups of 4096 of them take two bytes
                continue;
            }
            read_sets();
            const struct recording_site_set *set = &found.sets[sets];
            for (uint32_t i = 0; i < count; i++) {
                assert_true(has(set, sites[i]));
            }
            assert_false(has(set, 500000));
        }
    }
    uint32_t sets = writer.count;
    assert_in_range(sets, 20, 500);
    add(900000, UINT32_MAX, sites, SITE_SET_SITES_MAX + 1); // too many
    const uint32_t high[] = {1, SITE_SET_NUMBER_MAX};
    add(900000, UINT32_MAX, high, 2);
    add(900000, 300, sites, 1); // a small block
    add(900000, UINT32_MAX, sites, 0);
    assert_int_equal(writer.count, sets);
}

static void wrong_sets_are_damaged(void **state)
{
    (void)state;
    static const uint8_t payloads[][5] = {
        {0, 1, 13, 1, 1}, // shift
        {0, 1, 0, 2, 1},  // fewer groups than announced
        {0, 1, 0, 0},     // none: no harm
        {0, 1, 0, 1},
    };
    static const enum clew_error expected[] = {CLEW_DAMAGED, CLEW_DAMAGED, CLEW_OK, CLEW_DAMAGED};
    static const size_t sizes[] = {5, 5, 4, 4};
    for (size_t i = 0; i < 4; i++) {
        header = (struct block_header){.type = RECORDING_SITE_SETS, .count = 1, .position = 100};
        assert_int_equal(decode(&header, bytes_of(payloads[i], sizes[i])), expected[i]);
    }
    static const uint8_t equal[] = {0, 1, 0, 2, 1, 0}, behind[] = {200, 1, 1, 0, 1, 1},
                         wide[] = {0, 1, 12, 1, 255, 255, 127};
    assert_int_equal(decode(&header, bytes_of(equal, sizeof equal)), CLEW_DAMAGED);   // groups ascend
    assert_int_equal(decode(&header, bytes_of(behind, sizeof behind)), CLEW_DAMAGED); // a block after this one
    assert_int_equal(decode(&header, bytes_of(wide, sizeof wide)), CLEW_DAMAGED);     // sites above 32 bits
    header.position = AT + 1;
    assert_int_equal(decode(&header, bytes_of(payloads[2], 4)), CLEW_DAMAGED);
    header.count = UINT32_MAX;
    assert_int_equal(decode(&header, bytes_of(payloads[2], 4)), CLEW_DAMAGED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(sets_decode_to_themselves, release),
        cmocka_unit_test_teardown(a_set_takes_no_more_than_its_share, release),
        cmocka_unit_test_teardown(wrong_sets_are_damaged, release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
