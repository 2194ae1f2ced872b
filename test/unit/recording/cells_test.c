// Payloads of sites as columns: each value is the difference to what the site said before in the block.
#include "recording/cells.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
// clang-format on

#include <string.h>

enum { ROOM = 512 };

static uint8_t columns[COLUMNS_WITH_SITES][ROOM];

static struct cell_writer begin(void)
{
    struct cell_writer writer;
    for (size_t i = 0; i < COLUMNS_WITH_SITES; i++) {
        writer.at[i] = columns[i];
    }
    return writer;
}

static struct cell_reader written(const struct cell_writer *writer)
{
    struct cell_reader reader;
    for (size_t i = 0; i < COLUMNS_WITH_SITES; i++) {
        reader.left[i] = bytes_of(columns[i], (size_t)(writer->at[i] - columns[i]));
    }
    return reader;
}

static size_t bytes_of_all(const struct cell_reader *reader)
{
    size_t size = 0;
    for (size_t i = COLUMN_VALUES; i < COLUMNS_WITH_SITES; i++) {
        size += bytes_left(&reader->left[i]);
    }
    return size;
}

// Writes two payloads of one site, reads them again, and returns how many bytes they took.
static size_t expect_back(const struct site *site, const uint32_t *cells, uint32_t each)
{
    struct cell_site out = {.layout = layout_of(site)}, in = out;
    struct cell_writer writer = begin();
    uint32_t read[32] = {0}, at = 0;
    cells_put(&writer, &out, cells, 0);
    cells_put(&writer, &out, cells, each);
    struct cell_reader reader = written(&writer);
    size_t size = bytes_of_all(&reader);
    assert_true(cells_take(&reader, &in, read, &at));
    assert_int_equal(at, each);
    assert_true(cells_take(&reader, &in, read, &at));
    assert_int_equal(at, 2 * each);
    assert_memory_equal(read, cells, 2 * each * sizeof *cells);
    assert_int_equal(bytes_of_all(&reader), 0);
    assert_false(cells_take(&reader, &in, read, &at)); // there is no third
    return size;
}

static void every_encoding_decodes_to_itself(void **state)
{
    (void)state;
    static const uint32_t extremes[] = {0, UINT32_MAX, UINT32_MAX, 1, 0x80000000, 7, 0x7FFFFFFF, 0, 1, 2, 3, 4};
    static const uint32_t one[] = {0, UINT32_MAX}, two[] = {UINT32_MAX, UINT32_MAX, 1, 0};
    for (int i = VALUE_BOOLEAN; i <= VALUE_OBJECT; i++) {
        struct site site = {.encoding = (enum site_encoding)i};
        bool wide = payload_cells(&site) == 2;
        expect_back(&site, wide ? two : one, wide ? 2 : 1);
        site.owner = OWNER_ADDRESS;
        site.place = PLACE_ITEM;
        expect_back(&site, extremes, wide ? 5 : 4);
        site.owner = OWNER_OBJECT;
        expect_back(&site, extremes, wide ? 4 : 3);
    }
    const struct site structs = {.encoding = VALUE_STRUCT, .size = 9};
    expect_back(&structs, extremes, 3);
}

static void repeated_values_take_one_byte(void **state)
{
    (void)state;
    static const uint32_t same[] = {123456789, 123456789}, reals[] = {0x40490FDB, 0x40490FDC};
    const struct site integer = {.encoding = VALUE_I4}, real = {.encoding = VALUE_R4};
    assert_int_equal(expect_back(&integer, same, 1), 4 + 1);
    assert_int_equal(expect_back(&real, reals, 1), 5 + 2); // of two neighbours only the low byte differs
}

// The type and the size come with the event, and the bytes are differences as far as both have them.
static void a_typed_value_may_change_its_size(void **state)
{
    (void)state;
    static const uint32_t cells[] = {3, 4, 0xAAAA, 4, 9, 1, 2, 3, 3, 0};
    const struct site typed = {.encoding = VALUE_TYPED};
    struct cell_site out = {.layout = layout_of(&typed)}, in = out;
    struct cell_writer writer = begin();
    uint32_t read[16] = {0}, at = 0;
    cells_put(&writer, &out, cells, 0);
    cells_put(&writer, &out, cells, 3);
    cells_put(&writer, &out, cells, 8);
    struct cell_reader reader = written(&writer);
    for (int i = 0; i < 3; i++) {
        assert_true(cells_take(&reader, &in, read, &at));
    }
    assert_int_equal(at, 10);
    assert_memory_equal(read, cells, sizeof cells);
}

static void columns_that_end_early_are_refused(void **state)
{
    (void)state;
    static const uint32_t cells[] = {300, 300, 300, 300, 300};
    static const struct site sites[] = {{.owner = OWNER_OBJECT, .encoding = VALUE_I4},
                                        {.owner = OWNER_ADDRESS, .encoding = VALUE_R8},
                                        {.place = PLACE_ITEM, .encoding = VALUE_OBJECT},
                                        {.encoding = VALUE_STRUCT, .size = 12},
                                        {.encoding = VALUE_R4}};
    for (size_t i = 0; i < sizeof sites / sizeof *sites; i++) {
        struct cell_site out = {.layout = layout_of(&sites[i])};
        struct cell_writer writer = begin();
        cells_put(&writer, &out, cells, 0);
        for (size_t column = COLUMN_VALUES; column < COLUMNS_WITH_SITES; column++) {
            struct cell_reader reader = written(&writer);
            struct cell_site in = {.layout = layout_of(&sites[i])};
            uint32_t read[8], at = 0;
            if (bytes_left(&reader.left[column]) > 0) {
                reader.left[column].end--;
                assert_false(cells_take(&reader, &in, read, &at));
            }
        }
    }
}

static void a_real_has_no_more_bytes_than_its_type(void **state)
{
    (void)state;
    static const uint8_t forms[] = {0x05, 0x14, 0x41, 0xFF}; // so many bytes, at so many from the lowest
    for (size_t i = 0; i < sizeof forms; i++) {
        struct cell_writer writer = begin();
        memset(columns[COLUMN_REALS], 1, 32);
        columns[COLUMN_REALS][0] = forms[i];
        writer.at[COLUMN_REALS] += 32;
        struct cell_reader reader = written(&writer);
        struct cell_site in = {.layout = VALUE_R4};
        uint32_t read[2], at = 0;
        assert_false(cells_take(&reader, &in, read, &at));
    }
}

static bool take_shape(const uint8_t *bytes, size_t size, uint32_t *layout)
{
    struct cell_reader reader = {.left[COLUMN_LAYOUTS] = bytes_of(bytes, size)};
    return cells_take_layout(&reader, layout);
}

static void a_shape_comes_back_without_its_kind(void **state)
{
    (void)state;
    struct site site = {.kind = SITE_USE, .owner = OWNER_OBJECT, .encoding = VALUE_STRUCT, .size = LAYOUT_STRUCT_MAX};
    struct cell_writer writer = begin();
    uint32_t found;
    cells_put_layout(&writer, layout_of(&site));
    struct cell_reader reader = written(&writer);
    assert_true(cells_take_layout(&reader, &found));
    assert_int_equal(found, layout_of_payload(layout_of(&site)));
    assert_false(take_shape((const uint8_t[]){VALUE_TYPED + 1}, 1, &found));
    assert_false(take_shape((const uint8_t[]){3 << 5}, 1, &found)); // three cells of an owner
    assert_false(take_shape((const uint8_t[]){VALUE_STRUCT}, 1, &found));
    assert_false(take_shape((const uint8_t[]){VALUE_STRUCT, 0x80, 0x80, 0x80, 1}, 5, &found)); // too large
    assert_false(take_shape(NULL, 0, &found));
}

// -- Table ------------------------------------------------------------------------------------------------------------

static void a_table_finds_what_was_added_since_it_began(void **state)
{
    (void)state;
    enum { SITES = 5000 };
    struct cell_table table = {0};
    assert_true(cell_table_begin(&table));
    for (uint32_t i = 0; i < SITES; i++) {
        assert_null(cell_table_find(&table, i * 65537));
        assert_non_null(cell_table_add(&table, i * 65537, i));
    }
    for (uint32_t i = 0; i < SITES; i++) {
        assert_int_equal(cell_table_find(&table, i * 65537)->layout, i);
    }
    assert_true(cell_table_begin(&table));
    assert_null(cell_table_find(&table, 0));
    cell_table_free(&table);
}

// After 2^32 blocks a slot of the first would look as if it were of this one.
static void a_table_s_turns_begin_anew(void **state)
{
    (void)state;
    struct cell_table table = {0};
    assert_true(cell_table_begin(&table));
    assert_non_null(cell_table_add(&table, 7, 1)); // in epoch 1
    table.epoch = UINT32_MAX;
    assert_true(cell_table_begin(&table));
    assert_null(cell_table_find(&table, 7));
    cell_table_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_encoding_decodes_to_itself),
        cmocka_unit_test(repeated_values_take_one_byte),
        cmocka_unit_test(a_typed_value_may_change_its_size),
        cmocka_unit_test(columns_that_end_early_are_refused),
        cmocka_unit_test(a_real_has_no_more_bytes_than_its_type),
        cmocka_unit_test(a_shape_comes_back_without_its_kind),
        cmocka_unit_test(a_table_finds_what_was_added_since_it_began),
        cmocka_unit_test(a_table_s_turns_begin_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
