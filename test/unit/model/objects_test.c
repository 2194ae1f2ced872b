// Objects by number, out of blocks whose ranges overlap, also where some are damaged; and which earlier object one may be.
#include "model/objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../made_recording.h"
#include "../recording_path.h"
#include "loading.h"
#include "trace/instrument.h"

static struct objects *open_objects(void)
{
    struct objects *objects = NULL;
    assert_int_equal(objects_open(opened(path), &objects), CLEW_OK);
    return objects;
}

static void write_objects(uint32_t process, const struct recording_object *objects, uint32_t count)
{
    must(recording_write_objects(writer,
                                 &(struct recording_objects){.process = process, .count = count, .objects = objects}));
}

static void expect_size(struct objects *objects, uint32_t process, uint32_t object, uint64_t size)
{
    const struct recording_object *found = objects_find(objects, process, object);
    assert_non_null(found);
    assert_int_equal(found->object, object);
    assert_int_equal(found->size, size);
}

// Two threads met objects at the same time: 1 to 100 in one block, 50 and 51 in another, and 200 in a third.
static void make_overlapping(void)
{
    const struct recording_object wide[] = {{.object = 100, .size = 1100}, {.object = 1, .size = 1001}};
    const struct recording_object narrow[] = {{.object = 50, .size = 1050}, {.object = 51, .size = 1051}};
    const struct recording_object last = {.object = 200, .size = 1200}, others = {.object = 50, .size = 2050};
    create(path, INSTRUMENT_VALUES, CLOCK_KIND_NONE);
    write_objects(1, wide, 2);
    write_objects(1, narrow, 2);
    write_objects(2, &others, 1);
    write_objects(1, &last, 1);
    finish(0, 0, 1, true);
}

static void an_object_is_found_in_whatever_block_has_it(void **state)
{
    (void)state;
    make_overlapping();
    struct objects *objects = open_objects();
    expect_size(objects, 1, 100, 1100); // behind the narrow block, whose numbers begin later
    expect_size(objects, 1, 50, 1050);
    expect_size(objects, 1, 1, 1001);
    expect_size(objects, 1, 200, 1200);
    expect_size(objects, 2, 50, 2050); // numbers are the process's
    static const uint32_t unknown[] = {0, 2, 52, 99, 101, 199, 201, UINT32_MAX};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        assert_null(objects_find(objects, 1, unknown[i]));
    }
    assert_null(objects_find(objects, 2, 1));
    assert_null(objects_find(objects, 3, 50));
    assert_int_equal(objects_health(objects).damaged, 0);
    assert_false(objects_ran_out(objects));
    objects_close(objects);
}

static void a_damaged_block_costs_its_objects_alone(void **state)
{
    (void)state;
    make_overlapping();
    damage_block(RECORDING_OBJECTS, 1);
    struct objects *objects = open_objects();
    expect_size(objects, 1, 100, 1100);
    assert_int_equal(objects_health(objects).damaged, 0); // it was not asked for
    assert_null(objects_find(objects, 1, 50));
    assert_null(objects_find(objects, 1, 51));
    assert_int_equal(objects_health(objects).damaged, 1); // once, however often it is asked for
    expect_size(objects, 1, 1, 1001);
    objects_close(objects);
}

// More blocks than are kept decoded, forwards and backwards.
static void the_cache_of_blocks_is_limited(void **state)
{
    (void)state;
    enum { BLOCKS = 200 };
    create(path, INSTRUMENT_VALUES, CLOCK_KIND_NONE);
    for (uint32_t i = 1; i <= BLOCKS; i++) {
        write_objects(1, &(struct recording_object){.object = i, .size = 1000 + i}, 1);
    }
    finish(0, 0, 1, true);
    struct objects *objects = open_objects();
    for (uint32_t i = 1; i <= 2 * BLOCKS; i++) {
        uint32_t number = i <= BLOCKS ? i : 2 * BLOCKS + 1 - i;
        expect_size(objects, 1, number, 1000 + number);
    }
    objects_close(objects);
}

static void a_recording_without_objects_has_none(void **state)
{
    (void)state;
    make_calls(path);
    struct objects *objects = open_objects();
    assert_null(objects_find(objects, 1, 1));
    assert_int_equal(objects_uncertain(objects, 1, 1), 0);
    objects_close(objects);
    objects_close(NULL);
}

// The link is kept only where type, size, length and text are those of the earlier object (write_uncertain_objects()).
static void objects_that_differ_are_not_linked(void **state)
{
    (void)state;
    static const struct {
        uint32_t object, perhaps;
    } expected[] = {
        {12, 2}, {13, 0}, {14, 1}, {15, 0},  {16, 0}, {17, 4},
        {20, 0}, {21, 0}, {22, 0}, {23, 12}, {24, 6}, {1, 0}, // no link
        {99, 0},
    };
    make_uncertain(path);
    struct objects *objects = open_objects();
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_int_equal(objects_uncertain(objects, 1, expected[i].object), expected[i].perhaps);
    }
    objects_close(objects);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_object_is_found_in_whatever_block_has_it),
        cmocka_unit_test(a_damaged_block_costs_its_objects_alone),
        cmocka_unit_test(the_cache_of_blocks_is_limited),
        cmocka_unit_test(a_recording_without_objects_has_none),
        cmocka_unit_test(objects_that_differ_are_not_linked),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
