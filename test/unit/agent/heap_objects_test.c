// Objects keep their numbers whatever a garbage collection does to them, or get new ones, but no object is ever taken for
// another. The tests play the garbage collector.
#include "unit/agent/object_world.h"

// Plugs slide down over each other: objects 5, 10, 15 ... (every fifth lives) go to 0, 1, 2 ...
static void sliding(void)
{
    static uintptr_t moved[400][3];
    uint32_t before[2000];
    set_region(0, CLR_GENERATION_0, 2000);
    for (uint32_t i = 0; i < 2000; i++) {
        before[i] = see_plain(at(0, i));
    }
    for (uint32_t i = 0; i < 400; i++) {
        moved[i][0] = at(0, 5 * i);
        moved[i][1] = at(0, i);
        moved[i][2] = SIZE;
    }
    heap_count = 0;
    set_region(0, CLR_GENERATION_1, 400);
    collect(0, 400, (const uintptr_t(*)[3])moved);
    for (uint32_t i = 0; i < 400; i++) {
        assert_int_equal(see_plain(at(0, i)), before[5 * i]);
    }
    for (uint32_t i = 400; i < 2000; i++) {
        assert_int_equal(see_plain(at(0, i)), 2001 + i - 400); // all new
    }
}

static void test_numbers_move_with_their_objects(void **state)
{
    (void)state;
    run_scene(&values, sliding);
}

// Whole ranges change places, upwards too, and across the border of a leaf.
static void swapping(void)
{
    uint32_t left[300], right[300];
    set_region(2, CLR_GENERATION_1, 300);
    set_region(3, CLR_GENERATION_1, 300);
    for (uint32_t i = 0; i < 300; i++) {
        left[i] = see_plain(at(2, i));
        right[i] = see_plain(at(3, i));
    }
    const uintptr_t moved[][3] = {{at(2, 0), at(3, 0), 300 * SIZE}, {at(3, 0), at(2, 0), 300 * SIZE}};
    collect(1, 2, moved);
    for (uint32_t i = 0; i < 300; i++) {
        assert_int_equal(see_plain(at(2, i)), right[i]);
        assert_int_equal(see_plain(at(3, i)), left[i]);
    }
}

static void test_ranges_may_change_places(void **state)
{
    (void)state;
    run_scene(&values, swapping);
}

// An object that lies where another one moves to is dead.
static void covering(void)
{
    set_region(0, CLR_GENERATION_2, 100);
    set_region(1, CLR_GENERATION_0, 100);
    uint32_t dead = see_plain(at(0, 7)), alive = see_plain(at(0, 50)), young = see_plain(at(1, 3));
    const uintptr_t moved[][3] = {{at(1, 2), at(0, 6), 3 * SIZE}};
    heap_count = 0;
    set_region(0, CLR_GENERATION_2, 100);
    collect(0, 1, moved);
    assert_int_equal(see_plain(at(0, 7)), young);
    assert_int_equal(see_plain(at(0, 50)), alive);
    assert_int_equal(see_plain(at(0, 6)), young + 1); // moved unseen
    assert_int_not_equal(young, dead);
}

static void test_numbers_at_the_new_address_are_forgotten(void **state)
{
    (void)state;
    run_scene(&values, covering);
}

enum { KEPT, NEW };

static void expect(uintptr_t object, uint32_t before, int kept)
{
    uint32_t now = see_plain(object);
    if (kept == KEPT) {
        assert_int_equal(now, before);
    } else {
        assert_true(now > before);
    }
}

static void staying(void)
{
    static const int32_t generations[] = {CLR_GENERATION_0, CLR_GENERATION_1, CLR_GENERATION_2, CLR_LARGE_OBJECTS,
                                          CLR_PINNED_OBJECTS};
    static const int young[] = {NEW, KEPT, KEPT, KEPT, KEPT}, all[] = {NEW, KEPT, KEPT, NEW, NEW};
    uint32_t numbers[5];
    for (uint32_t i = 0; i < 5; i++) {
        set_region(i, generations[i], 100);
        numbers[i] = see_plain(at(i, 5));
    }
    collect(0, 0, NULL);
    for (uint32_t i = 0; i < 5; i++) {
        expect(at(i, 5), numbers[i], young[i]);
        numbers[i] = see_plain(at(i, 5));
    }
    collect(2, 0, NULL);
    for (uint32_t i = 0; i < 5; i++) {
        expect(at(i, 5), numbers[i], all[i]);
    }
}

static void test_what_stays_keeps_its_number_where_nobody_else_can_be(void **state)
{
    (void)state;
    run_scene(&values, staying);
}

// An object that is reported alive keeps its number anywhere.
static void surviving(void)
{
    static const int32_t generations[] = {CLR_GENERATION_0, CLR_GENERATION_1, CLR_GENERATION_2, CLR_LARGE_OBJECTS,
                                          CLR_PINNED_OBJECTS};
    uint32_t alive[5], dead[5];
    uintptr_t ranges[5][3];
    for (uint32_t i = 0; i < 5; i++) {
        set_region(i, generations[i], 100);
        alive[i] = see_plain(at(i, 7));
        dead[i] = see_plain(at(i, 8));
        ranges[i][0] = at(i, 3);
        ranges[i][2] = 5 * SIZE;
    }
    begin(2);
    report_ranges(CLR_EVENT_SURVIVING_RANGES, (const uintptr_t(*)[3])ranges, 5);
    finish();
    for (uint32_t i = 0; i < 5; i++) {
        expect(at(i, 7), alive[i], KEPT);
        expect(at(i, 8), dead[i], i == 1 || i == 2 ? KEPT : NEW);
    }
}

static void test_reported_survivors_keep_their_number(void **state)
{
    (void)state;
    run_scene(&values, surviving);
}

// Regions of the heap come and go; memory outside the heap stays.
static void freeing(void)
{
    set_region(0, CLR_GENERATION_2, 100);
    set_region(1, CLR_GENERATION_2, 100);
    uint32_t gone = see_plain(at(1, 5)), beyond = see_plain(at(0, 90)), frozen = see_plain(at(7, 5));
    begin(2);
    heap_count = 0;
    set_region(0, CLR_GENERATION_2, 50);
    finish();
    heap_count = 0;
    set_region(0, CLR_GENERATION_2, 100);
    set_region(1, CLR_GENERATION_0, 100);
    expect(at(1, 5), gone, NEW);
    expect(at(0, 90), beyond, NEW);
    expect(at(7, 5), frozen, KEPT);
}

static void test_objects_in_released_memory_are_forgotten(void **state)
{
    (void)state;
    run_scene(&values, freeing);
}

// A background collection announces its begin, lets the program run, suspends it once more, and sweeps while it runs.
static void sweeping(void)
{
    set_region(0, CLR_GENERATION_2, 100);
    set_region(1, CLR_LARGE_OBJECTS, 100);
    uint32_t old = see_plain(at(0, 5)), large = see_plain(at(1, 5));
    begin(2);
    objects_resume();
    expect(at(0, 5), old, KEPT);
    expect(at(1, 5), large, NEW);
    large = see_plain(at(1, 5));
    collect(0, 0, NULL); // another one meanwhile
    expect(at(1, 5), large, NEW);
    large = see_plain(at(1, 5));
    objects_resume(); // after it has marked
    expect(at(1, 5), large, NEW);
    large = see_plain(at(1, 5));
    objects_collection_finished();
    objects_resume(); // for some other reason
    expect(at(1, 5), large, KEPT);
    expect(at(0, 5), old, KEPT);
}

// A background collection that begins with one of the youngest generation, whose end is announced before the program
// resumes.
static void sweeping_behind_another(void)
{
    set_region(0, CLR_LARGE_OBJECTS, 100);
    uint32_t large = see_plain(at(0, 5));
    begin(2);
    begin_another(0);
    finish();
    expect(at(0, 5), large, NEW);
    large = see_plain(at(0, 5));
    uint32_t later = see_plain(at(0, 5000)); // beyond what was in use
    objects_resume();                        // after it has marked
    expect(at(0, 5000), later, NEW);
    expect(at(0, 5), large, NEW);
    large = see_plain(at(0, 5));
    objects_collection_finished();
    objects_resume();
    expect(at(0, 5), large, KEPT);
}

// A background collection that collects the youngest generation first without a separate announcement.
static void sweeping_with_another(void)
{
    set_region(0, CLR_GENERATION_0, 100);
    set_region(1, CLR_GENERATION_1, 100);
    set_region(2, CLR_GENERATION_2, 100);
    uint32_t dead = see_plain(at(0, 5)), stays = see_plain(at(0, 6)), moves = see_plain(at(0, 7)),
             young = see_plain(at(1, 5)), old = see_plain(at(2, 5));
    const uintptr_t moved[][3] = {{at(0, 7), at(1, 7), SIZE}}, alive[][3] = {{at(0, 6), 0, SIZE}};
    begin(2);
    report_ranges(CLR_EVENT_MOVED_RANGES, moved, 1);
    report_ranges(CLR_EVENT_SURVIVING_RANGES, alive, 1);
    objects_resume();
    expect(at(0, 5), dead, NEW);
    expect(at(0, 6), stays, KEPT);
    expect(at(0, 7), moves, NEW);
    expect(at(1, 7), moves, KEPT);
    expect(at(1, 5), young, NEW);
    expect(at(2, 5), old, KEPT);
}

static void test_a_background_collection_may_hide_another(void **state)
{
    (void)state;
    run_scene(&values, sweeping_with_another);
}

static void test_a_background_collection_may_begin_with_another(void **state)
{
    (void)state;
    run_scene(&values, sweeping_behind_another);
}

static void test_a_background_collection_leaves_large_objects_in_doubt(void **state)
{
    (void)state;
    run_scene(&values, sweeping);
}

static void unknown_heap(void)
{
    set_region(0, CLR_GENERATION_2, 100);
    uint32_t number = see_plain(at(0, 5));
    collect(0, 0, NULL);
    expect(at(0, 5), number, KEPT);
    heap_unknown = true;
    collect(0, 0, NULL);
    expect(at(0, 5), number, NEW);
}

static void test_nothing_is_sure_in_an_unknown_heap(void **state)
{
    (void)state;
    run_scene(&values, unknown_heap);
}

// A full collection right after one of the young generations: the program does not run in between.
static void one_after_the_other(void)
{
    const uintptr_t first[][3] = {{at(0, 5), at(1, 5), SIZE}}, second[][3] = {{at(1, 5), at(2, 5), SIZE}};
    set_region(0, CLR_GENERATION_0, 100);
    set_region(1, CLR_GENERATION_1, 100);
    set_region(2, CLR_GENERATION_2, 100);
    set_region(3, CLR_LARGE_OBJECTS, 100);
    uint32_t number = see_plain(at(0, 5)), dead = see_plain(at(1, 5)), large = see_plain(at(3, 5));
    begin(1);
    report_ranges(CLR_EVENT_MOVED_RANGES, first, 1);
    objects_collection_finished();
    begin_another(2);
    report_ranges(CLR_EVENT_MOVED_RANGES, second, 1);
    finish();
    expect(at(2, 5), number, KEPT);
    expect(at(1, 5), dead, NEW);
    expect(at(3, 5), large, NEW);
}

static void test_a_full_collection_may_follow_a_young_one(void **state)
{
    (void)state;
    run_scene(&values, one_after_the_other);
}

static void unannounced(void)
{
    set_region(0, CLR_GENERATION_2, 100);
    uint32_t number = see_plain(at(0, 5)), frozen = see_plain(at(7, 5));
    objects_stopped();
    finish();
    expect(at(0, 5), number, NEW);
    expect(at(7, 5), frozen, KEPT);
}

static void test_nothing_is_sure_when_no_collection_says_that_it_begins(void **state)
{
    (void)state;
    run_scene(&values, unannounced);
}

static void unreported(void)
{
    events_refused = true;
    objects_listen();
    set_region(0, CLR_GENERATION_2, 100);
    uint32_t number = see_plain(at(0, 5)), frozen = see_plain(at(7, 5));
    collect(0, 0, NULL);
    expect(at(0, 5), number, NEW);
    expect(at(7, 5), frozen, KEPT);
}

static void test_nothing_is_sure_without_reports_of_moves(void **state)
{
    (void)state;
    run_scene(&values, unreported);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_move_with_their_objects),
        cmocka_unit_test(test_ranges_may_change_places),
        cmocka_unit_test(test_numbers_at_the_new_address_are_forgotten),
        cmocka_unit_test(test_what_stays_keeps_its_number_where_nobody_else_can_be),
        cmocka_unit_test(test_reported_survivors_keep_their_number),
        cmocka_unit_test(test_objects_in_released_memory_are_forgotten),
        cmocka_unit_test(test_a_background_collection_leaves_large_objects_in_doubt),
        cmocka_unit_test(test_a_background_collection_may_begin_with_another),
        cmocka_unit_test(test_a_background_collection_may_hide_another),
        cmocka_unit_test(test_nothing_is_sure_in_an_unknown_heap),
        cmocka_unit_test(test_a_full_collection_may_follow_a_young_one),
        cmocka_unit_test(test_nothing_is_sure_when_no_collection_says_that_it_begins),
        cmocka_unit_test(test_nothing_is_sure_without_reports_of_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
