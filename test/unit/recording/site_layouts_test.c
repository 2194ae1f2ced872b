// How a site's events are laid out, in one word, and the words of a process's sites by number.
#include "recording/site_layouts.h"

#include "payload.h"

static struct site_layouts layouts;

static int release(void **state)
{
    (void)state;
    site_layouts_free(&layouts);
    return 0;
}

static enum clew_error add(uint32_t first, const struct site *sites, uint32_t count, size_t cut)
{
    struct buffer blob = {0};
    sites_encode(&blob, sites, count);
    enum clew_error error = site_layouts_add(&layouts, first, bytes_of(blob.data, blob.size - cut));
    buffer_free(&blob);
    return error;
}

static void a_shape_says_all_of_the_layout(void **state)
{
    (void)state;
    const struct site statement = {.kind = SITE_STATEMENT};
    const struct site item = {
        .kind = SITE_ALLOCATION, .place = PLACE_ITEM, .owner = OWNER_ADDRESS, .encoding = VALUE_STRUCT, .size = 9};
    uint32_t layout = layout_of(&item);
    assert_int_equal(layout_of(&statement), 0);
    assert_int_equal(layout_encoding(layout), VALUE_STRUCT);
    assert_int_equal(layout_owner_cells(layout), 2);
    assert_true(layout_has_index(layout));
    assert_int_equal(layout_struct_size(layout), 9);
    assert_int_equal(layout_fixed_cells(layout), payload_cells(&item));
    // A field in a variable needs no owner in the event.
    const struct site field = {.place = PLACE_FIELD, .owner = OWNER_LOCAL, .encoding = VALUE_I8, .kind = SITE_USE};
    assert_int_equal(layout_owner_cells(layout_of(&field)), 0);
    assert_int_equal(layout_fixed_cells(layout_of(&field)), 2);
}

static void every_encoding_has_the_cells_of_its_site(void **state)
{
    (void)state;
    for (int encoding = VALUE_NONE; encoding < VALUE_TYPED; encoding++) {
        for (int owner = OWNER_NONE; owner <= OWNER_PARAMETER; owner++) {
            const struct site site = {.encoding = (enum site_encoding)encoding,
                                      .owner = (enum site_owner)owner,
                                      .place = PLACE_ITEM,
                                      .size = 256};
            assert_int_equal(layout_fixed_cells(layout_of(&site)), payload_cells(&site));
        }
    }
}

static void a_payload_is_no_longer_than_its_cells(void **state)
{
    (void)state;
    static const uint32_t cells[] = {7, 5, 1, 2}, huge[] = {7, UINT32_MAX, 1};
    assert_int_equal(layout_cells(VALUE_TYPED, cells, 4), 4); // type, size, 5 bytes
    assert_int_equal(layout_cells(VALUE_TYPED, cells, 3), UINT32_MAX);
    assert_int_equal(layout_cells(VALUE_TYPED, cells, 1), UINT32_MAX);
    assert_int_equal(layout_cells(VALUE_TYPED, huge, 3), UINT32_MAX);
    assert_int_equal(layout_cells(VALUE_I8, cells, 4), 2);
    assert_int_equal(layout_cells(VALUE_I8, cells, 1), UINT32_MAX);
}

static void a_struct_that_is_too_large_has_no_shape(void **state)
{
    (void)state;
    struct site site = {.encoding = VALUE_STRUCT, .size = LAYOUT_STRUCT_MAX};
    assert_int_not_equal(layout_of(&site), LAYOUT_UNKNOWN);
    site.size++;
    assert_int_equal(layout_of(&site), LAYOUT_UNKNOWN);
}

static void sites_are_found_by_number(void **state)
{
    (void)state;
    const struct site sites[] = {{.kind = SITE_STATEMENT},
                                 {.kind = SITE_USE, .place = PLACE_LOCAL, .encoding = VALUE_I4}};
    assert_int_equal(site_layouts_find(&layouts, 0), LAYOUT_UNKNOWN);
    assert_int_equal(add(5, sites, 2, 0), CLEW_OK);
    assert_int_equal(site_layouts_find(&layouts, 5), 0);
    assert_int_equal(layout_encoding(site_layouts_find(&layouts, 6)), VALUE_I4);
    assert_int_equal(site_layouts_find(&layouts, 4), LAYOUT_UNKNOWN);
    assert_int_equal(site_layouts_find(&layouts, 7), LAYOUT_UNKNOWN);
    assert_int_equal(site_layouts_find(&layouts, UINT32_MAX), LAYOUT_UNKNOWN);
    assert_int_equal(add(100000, sites, 1, 0), CLEW_OK); // what lies between is not defined
    assert_int_equal(site_layouts_find(&layouts, 99999), LAYOUT_UNKNOWN);
    assert_int_equal(site_layouts_find(&layouts, 5), 0);
}

static void those_before_what_cannot_be_read_are_taken(void **state)
{
    (void)state;
    const struct site sites[2] = {{.kind = SITE_STATEMENT}, {.kind = SITE_STATEMENT}};
    assert_int_equal(add(1, sites, 2, 1), CLEW_MALFORMED);
    assert_int_equal(site_layouts_find(&layouts, 1), 0);
    assert_int_equal(site_layouts_find(&layouts, 2), LAYOUT_UNKNOWN);
    assert_int_equal(add(LAYOUT_SITES_MAX - 1, sites, 2, 0), CLEW_MALFORMED); // the second has no number
    assert_int_equal(site_layouts_find(&layouts, LAYOUT_SITES_MAX - 1), 0);
    assert_int_equal(add(UINT32_MAX, sites, 2, 0), CLEW_MALFORMED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_shape_says_all_of_the_layout, release),
        cmocka_unit_test_teardown(every_encoding_has_the_cells_of_its_site, release),
        cmocka_unit_test_teardown(a_payload_is_no_longer_than_its_cells, release),
        cmocka_unit_test_teardown(a_struct_that_is_too_large_has_no_shape, release),
        cmocka_unit_test_teardown(sites_are_found_by_number, release),
        cmocka_unit_test_teardown(those_before_what_cannot_be_read_are_taken, release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
