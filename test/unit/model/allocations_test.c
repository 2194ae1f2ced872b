// Objects by type and place: types are those of the objects' records, sizes are added up where they are known.
#include "model/allocations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../made_recording.h"
#include "../recording_path.h"
#include "loading.h"
#include "trace/instrument.h"

static struct model *model;
static struct sites *sites;
static struct allocations allocations;

static void read_allocations(void)
{
    model = load((struct model_options){0});
    sites = load_sites();
    assert_int_equal(allocations_load(model, sites, &allocations), CLEW_OK);
}

static void release(void)
{
    allocations_free(&allocations);
    sites_free(sites);
    model_free(model);
}

static void expect(const struct allocation *row, const char *type, uint64_t count, uint64_t bytes, uint64_t unsized)
{
    assert_true(text_equal(row->type, text_of(type)));
    assert_int_equal(row->count, count);
    assert_int_equal(row->bytes, bytes);
    assert_int_equal(row->unsized, unsized);
}

// make_allocations(): three carts with a size, one without, one of a redacted site, a boxed point and a boxed colour.
static void rows_are_sorted_by_bytes_and_count_unknown_sizes(void **state)
{
    (void)state;
    make_allocations(path);
    read_allocations();
    assert_int_equal(allocations.type_count, 3);
    expect(&allocations.types[0], "Shop.Cart", 5, 24 + 24 + 1000, 2);
    expect(&allocations.types[1], "Shop.Point", 1, 32, 0); // what the object is, where the site does not know
    expect(&allocations.types[2], "Shop.Colour", 1, 24, 0);
    assert_int_equal(allocations.site_count, 5);
    expect(&allocations.sites[0], "Shop.Cart", 2, 1000, 1);
    assert_int_equal(allocations.sites[0].site->start_line, 10);
    assert_non_null(allocations.sites[0].document);
    expect(&allocations.sites[4], "Shop.Cart", 1, 0, 1);
    assert_null(allocations.sites[4].document); // without symbols
    assert_int_equal(allocations.count, 7);
    assert_int_equal(allocations.bytes, 24 + 24 + 1000 + 32 + 24);
    assert_int_equal(allocations.unsized, 2);
    assert_int_equal(allocations.health.damaged, 0);
    release();
}

// Without the objects' block nothing has a size, and types are those that the sites say.
static void damaged_objects_have_no_size(void **state)
{
    (void)state;
    make_allocations(path);
    damage_block(RECORDING_OBJECTS, 0);
    read_allocations();
    assert_int_equal(allocations.count, 7);
    assert_int_equal(allocations.bytes, 0);
    assert_int_equal(allocations.unsized, 7);
    assert_int_equal(allocations.type_count, 2);
    expect(&allocations.types[0], "Shop.Cart", 5, 0, 5);
    expect(&allocations.types[1], "", 2, 0, 2); // a type parameter's
    assert_int_equal(allocations.health.damaged, 1);
    release();
}

// Two processes that run the same code are one row; null is no object, and has no size.
static void processes_share_a_row(void **state)
{
    (void)state;
    static const uint32_t cells[] = {0};
    const struct recording_event event = {.clock = START, .kind = RECORDING_AT_SITE, .site = 1, .cell = 0};
    const struct site site = {.kind = SITE_ALLOCATION, .encoding = VALUE_OBJECT};
    struct buffer blob = {0};
    sites_encode(&blob, &site, 1);
    create(path, INSTRUMENT_VALUES, CLOCK_KIND_NONE);
    for (uint32_t process = 1; process <= 2; process++) {
        must(recording_write_module(writer, &(struct recording_module){.process = process, .module = 1, .mvid = {1}}));
        must(recording_write_method(
            writer,
            &(struct recording_method){
                .process = process, .method = 15 + process, .module = 1, .token = 0x06000001, .name = text_of("M()")}));
        must(recording_write_sites(writer, &(struct recording_sites){.process = process,
                                                                     .method = 15 + process,
                                                                     .first = 1,
                                                                     .blob = bytes_of(blob.data, blob.size)}));
        struct recording_events block = block_of(1, &event, 1);
        block.process = process;
        block.cells = cells;
        block.cell_count = 1;
        must(recording_write_events(writer, &block));
    }
    finish(2, 0, 2, true);
    buffer_free(&blob);
    read_allocations();
    assert_int_equal(allocations.site_count, 1);
    expect(&allocations.sites[0], "", 2, 0, 2);
    release();
}

static void a_recording_without_allocations_has_no_rows(void **state)
{
    (void)state;
    make_tree(path, CLOCK_KIND_MONOTONIC, true);
    read_allocations();
    assert_int_equal(allocations.site_count + allocations.type_count + allocations.count, 0);
    release();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_sorted_by_bytes_and_count_unknown_sizes),
        cmocka_unit_test(damaged_objects_have_no_size),
        cmocka_unit_test(processes_share_a_row),
        cmocka_unit_test(a_recording_without_allocations_has_no_rows),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
