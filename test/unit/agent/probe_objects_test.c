// An object gets a number and a description at first sight, and no object is ever taken for another.
#include "unit/agent/object_world.h"

// -- Descriptions -----------------------------------------------------------------------------------------------------

struct descriptions {
    uint32_t count;
    const uint32_t *objects[4096];
};

static void add_description(const uint32_t *cells, size_t size, void *all)
{
    struct descriptions *described = all;
    (void)size;
    if (RING_EVENT_KIND(cells[0]) == RING_EVENT_EXTENDED && (cells[0] >> 2 & 0xFF) == RING_EXTENDED_OBJECT) {
        assert_true(described->count < 4096);
        described->objects[described->count++] = cells;
    }
}

static struct descriptions described;

static uint64_t word(uint32_t object, uint32_t number)
{
    return ring_word_at(described.objects[object] + 2 + 2 * number);
}

static void read_descriptions(void)
{
    described = (struct descriptions){0};
    walk_stream(add_description, &described);
}

static void first_sights(void)
{
    static const uint16_t text[] = {'s', 'e', 'v', 'e', 'n', '!', '!'},
                          longer[] = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B'};
    make(at(0, 0), class_plain, 0);
    make(at(0, 1), class_array, 7);
    make(at(0, 10), class_string, 7);
    memcpy((void *)(at(0, 10) + 12), text, sizeof text);
    make(at(0, 20), class_string, 12);
    memcpy((void *)(at(0, 20) + 12), longer, sizeof longer);
    make(at(0, 30), class_string, 0);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(see(0), 0);
        assert_int_equal(see(at(0, 0)), 1);
        assert_int_equal(see(at(0, 1)), 2);
        assert_int_equal(see(at(0, 10)), 3);
        assert_int_equal(see(at(0, 20)), 4);
        assert_int_equal(see(at(0, 30)), 5);
    }
}

static void test_an_object_is_described_once(void **state)
{
    (void)state;
    run_scene(&values, first_sights);
    read_descriptions();
    assert_int_equal(described.count, 5);
    assert_int_equal(word(0, 0), 1 | UINT64_C(1) << 32);
    assert_int_equal(word(0, 1), 24);
    assert_int_equal(word(1, 0), 2 | UINT64_C(2) << 32);
    assert_int_equal(word(1, 1), 24 + 7 * 8);
    assert_int_equal(word(2, 0), 3 | UINT64_C(3) << 32);
    assert_int_equal(word(2, 1), 22 + 7 * 2);
    assert_int_equal(word(2, 2), 7);
    assert_memory_equal(described.objects[2] + 8, u"seven!!", 16); // its NUL is the padding
    assert_int_equal(word(3, 0), 4 | UINT64_C(3) << 32);           // the same type
    assert_int_equal(word(3, 2), 12);
    assert_memory_equal(described.objects[3] + 8, u"0123456789\0\0", 24); // cut
    assert_int_equal(RING_EVENT_PAYLOAD(described.objects[3][0]) >> 8, 3 + 3);
    assert_int_equal(RING_EVENT_PAYLOAD(described.objects[4][0]) >> 8, 3);
    assert_int_equal(atomic_load(&class_pending_count), 3);
}

// -- What is no reference ---------------------------------------------------------------------------------------------

static const uint32_t *class_based_on(uint32_t *class, const void *base)
{
    class[0] = 0;
    class[1] = 24;
    memcpy((char *)class + CLASS_PARENT_AT, &base, sizeof base);
    return class;
}

static void protect(uint32_t region, int protection)
{
    assert_int_equal(mprotect((void *)at(region, 0), REGION, protection), 0);
}

static uint32_t see_of_class(const void *class)
{
    make(at(1, 0), class, 0);
    return see(at(1, 0));
}

static void garbage(void)
{
    enum { PROTECTED = 7 };
    static _Alignas(64) uint32_t root[16], derived[16], alone[16], own_base[16], lost[16], text[16];
    const uintptr_t none[] = {1,
                              8,
                              0x1000,
                              UINTPTR_MAX,
                              UINT64_C(0xDDDDDDDDDDDDDDDD),
                              UINT64_C(0x800000000000),
                              UINT64_C(0x7FFFFFFFFFF8),
                              at(PROTECTED, 0),
                              at(0, 0) + 1,
                              at(0, 0) + 4,
                              at(0, 0) + 8};
    const void *const not_classes[] = {class_based_on(alone, NULL), class_based_on(own_base, own_base),
                                       class_based_on(lost, (const void *)at(PROTECTED, 0)), (const void *)at(0, 0)};
    protect(PROTECTED, PROT_NONE);
    atomic_store(&class_root, (uintptr_t)class_based_on(root, NULL));
    class_based_on(text, root);
    memcpy(text, class_string, 2 * sizeof *text);
    make(at(0, 0), root, 0);
    assert_int_equal(see(at(0, 0)), 1);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_int_equal(see(none[i]), VALUE_OBJECT_INVALID);
        assert_int_equal(see_of_class((const void *)none[i]), VALUE_OBJECT_INVALID);
    }
    for (size_t i = 0; i < sizeof not_classes / sizeof *not_classes; i++) {
        assert_int_equal(see_of_class(not_classes[i]), VALUE_OBJECT_INVALID);
    }
    assert_int_equal(see(at(0, 1)), VALUE_OBJECT_INVALID); // a cleared one
    assert_int_equal(see_of_class(class_based_on(derived, root)), 2);
    make(at(PROTECTED, 0) - 16, text, 2); // its characters go to the end of what can be read
    assert_int_equal(see(at(PROTECTED, 0) - 16), 3);
    make(at(PROTECTED, 0) - 24, text, 7);
    assert_int_equal(see(at(PROTECTED, 0) - 24), VALUE_OBJECT_INVALID);
    atomic_store(&class_root, 0);
    assert_int_equal(see(at(0, 0)), 1);
}

static void test_bits_that_are_no_reference_are_not_followed(void **state)
{
    (void)state;
    run_scene(&values, garbage);
    read_descriptions();
    assert_int_equal(described.count, 3);
}

// The kernel is asked again about memory that a collection may have freed.
static void given_back(void)
{
    set_region(0, CLR_GENERATION_0, 100);
    set_region(1, CLR_GENERATION_0, REGION / SIZE);
    set_region(2, CLR_GENERATION_2, REGION / SIZE);
    for (uint32_t region = 0; region < 3; region++) {
        assert_int_not_equal(see_plain(at(region, 0)), VALUE_OBJECT_INVALID);
    }
    objects_stopped();
    begin_another(CLR_GENERATION_0);
    heap[1] = heap[2];
    heap_count = 2;
    finish();
    protect(0, PROT_NONE);
    protect(1, PROT_NONE);
    assert_int_equal(see(at(0, 1)), VALUE_OBJECT_INVALID);
    assert_int_equal(see(at(1, 1)), VALUE_OBJECT_INVALID);
    assert_int_not_equal(see_plain(at(2, 1)), VALUE_OBJECT_INVALID);
}

static void test_memory_that_was_given_back_is_not_read(void **state)
{
    (void)state;
    run_scene(&values, given_back);
}

// -- Boxes ------------------------------------------------------------------------------------------------------------

// A method table with the references of a value in front of it.
struct described_class {
    intptr_t series[3];
    uint32_t table[16];
};

// Of 8 bytes; of 16, the second half a reference; of more than is recorded.
static struct described_class class_number_box = {.table = {0x00040000, 24}},
                              class_pair_box = {.series = {8 - 32, 16, 1}, .table = {0x01040000, 32}},
                              class_large_box = {.table = {0x00040000, 16 + 264}};

static void make_box(uintptr_t object, const struct described_class *class, uint64_t first, uint64_t second)
{
    *(const void **)object = class->table;
    ((uint64_t *)object)[1] = first;
    ((uint64_t *)object)[2] = second;
}

struct described_boxes {
    uint32_t count;
    const uint32_t *boxes[64];
};
static struct described_boxes described_boxes;

static void add_box(const uint32_t *cells, size_t size, void *all)
{
    struct described_boxes *into = all;
    (void)size;
    if (RING_EVENT_KIND(cells[0]) == RING_EVENT_EXTENDED && (cells[0] >> 2 & 0xFF) == RING_EXTENDED_BOX) {
        assert_true(into->count < 64);
        into->boxes[into->count++] = cells;
    }
}

static void assert_box(uint32_t which, uint32_t number, uint32_t size, uint64_t first, uint64_t second)
{
    const uint32_t *cells = described_boxes.boxes[which];
    assert_true(which < described_boxes.count);
    assert_int_equal(RING_EVENT_PAYLOAD(cells[0]) >> 8, 1 + size / 8);
    assert_int_equal(ring_word_at(cells + 2), number | (uint64_t)size << 32);
    assert_true(size < 8 || ring_word_at(cells + 4) == first);
    assert_true(size < 16 || ring_word_at(cells + 6) == second);
}

static void see_boxes(void)
{
    make_box(at(0, 0), &class_number_box, 5, 0);
    make(at(0, 2), class_plain, 0);
    make_box(at(0, 4), &class_pair_box, 6, at(0, 0));
    make_box(at(0, 6), &class_pair_box, 7, at(0, 4));
    make_box(at(0, 8), &class_pair_box, 8, at(0, 6));
    make_box(at(0, 10), &class_large_box, 9, 0);
    assert_int_equal(see(at(0, 0)), 1);
    *(uint64_t *)(at(0, 0) + 8) = 50; // through an interface
    assert_int_equal(see(at(0, 0)), 1);
    assert_int_equal(see(at(0, 2)), 2);
    assert_int_equal(see(at(0, 4)), 3); // and 1, in it
    assert_int_equal(see(at(0, 6)), 4); // 3 in it, and that 1 is in that is all
    assert_int_equal(see(at(0, 8)), 5);
    assert_int_equal(see(at(0, 10)), 6);
}

static void test_the_content_of_a_box_is_recorded_each_time(void **state)
{
    (void)state;
    run_scene(&values, see_boxes);
    described_boxes.count = 0;
    walk_stream(add_box, &described_boxes);
    assert_box(0, 1, 8, 5, 0);
    assert_box(1, 1, 8, 50, 0);
    assert_box(2, 1, 8, 50, 0);
    assert_box(3, 3, 16, 6, 1);
    assert_box(4, 3, 16, 6, 1);
    assert_box(5, 4, 16, 7, 3);
    assert_box(6, 4, 16, 7, 3);
    assert_box(7, 5, 16, 8, 4);
    assert_box(8, 6, 0, 0, 0);
    assert_int_equal(described_boxes.count, 9);
    read_descriptions();
    assert_int_equal(described.count, 6);
}

static void moving_boxes(void)
{
    set_region(0, CLR_GENERATION_0, 100);
    make_box(at(0, 0), &class_number_box, 5, 0);
    uint32_t number = see(at(0, 0));
    make_box(at(0, 50), &class_number_box, 6, 0);
    const uintptr_t moved[][3] = {{at(0, 0), at(0, 50), SIZE}};
    collect(0, 1, moved);
    assert_int_equal(see(at(0, 50)), number);
}

static void test_a_moved_box_is_still_one(void **state)
{
    (void)state;
    run_scene(&values, moving_boxes);
    described_boxes.count = 0;
    walk_stream(add_box, &described_boxes);
    assert_int_equal(described_boxes.count, 2);
    assert_box(1, 1, 8, 6, 0);
}

// -- Many threads -----------------------------------------------------------------------------------------------------

enum { SEERS = 4, SEEN = 1000 };
static uint32_t seen_numbers[SEERS][SEEN];

static void *see_many(void *numbers)
{
    uint32_t *into = numbers;
    struct ring_thread *own = (struct ring_thread *)probes->enter_context(MAIN, NULL);
    for (uint32_t i = 0; i < SEEN; i++) {
        uintptr_t object = at(i % 3, i);
        into[i] = object_number(own, &object);
    }
    return NULL;
}

static void test_threads_agree(void **state)
{
    (void)state;
    pthread_t threads[SEERS];
    make_world();
    open_segment(&values);
    for (uint32_t i = 0; i < SEEN; i++) {
        make(at(i % 3, i), class_plain, 0);
    }
    for (uint32_t i = 0; i < SEERS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, see_many, seen_numbers[i]), 0);
    }
    for (uint32_t i = 0; i < SEERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    for (uint32_t i = 1; i < SEERS; i++) {
        assert_memory_equal(seen_numbers[0], seen_numbers[i], sizeof seen_numbers[0]);
    }
    for (uint32_t i = 0; i < SEEN; i++) {
        assert_true(seen_numbers[0][i] > 0 && seen_numbers[0][i] <= SEERS * SEEN);
        for (uint32_t j = 0; j < i; j++) {
            assert_int_not_equal(seen_numbers[0][i], seen_numbers[0][j]);
        }
    }
}

// -- Links ------------------------------------------------------------------------------------------------------------

enum { LINKED = 6 };
static uint32_t linked[LINKED][2]; // (number, the one before)

// Records the old and the new number of an object.
static void see_again(uint32_t which, uintptr_t object, uint32_t before)
{
    linked[which][0] = see(object);
    linked[which][1] = before;
    assert_true(linked[which][0] != before);
    assert_int_equal(see(object), linked[which][0]); // and is described once
}

// Large objects that no event mentions: a plain one, a string, a box, one that was replaced by another, and one whose
// cell is empty. The number moves about before it is seen again.
static void doubting(void)
{
    static const uint16_t text[] = {'s', 'e', 'v', 'e', 'n', '!', '!'};
    uint32_t before[LINKED];
    uintptr_t objects[LINKED];
    set_region(0, CLR_LARGE_OBJECTS, 100);
    set_region(1, CLR_GENERATION_1, 100);
    for (uint32_t i = 0; i < LINKED; i++) {
        objects[i] = at(0, 10 * i);
        make(objects[i], class_plain, 0);
    }
    make(objects[1], class_string, 7);
    memcpy((void *)(objects[1] + 12), text, sizeof text);
    make_box(objects[2], &class_number_box, 5, 0);
    for (uint32_t i = 0; i < LINKED; i++) {
        before[i] = i == 4 ? 0 : see(objects[i]);
    }
    collect(2, 0, NULL);
    make(objects[3], class_array, 7);
    const uintptr_t moved[][3] = {{objects[5], at(1, 0), SIZE}};
    make(at(1, 0), class_plain, 0);
    collect(1, 1, moved);
    objects[5] = at(1, 0);
    for (uint32_t i = 0; i < LINKED; i++) {
        see_again(i, objects[i], before[i]);
    }
}

// The uncertain identity in the OBJECT event number `which`; 0: it has none.
static uint32_t told_link(uint32_t which)
{
    uint32_t words = RING_EVENT_PAYLOAD(described.objects[which][0]) >> 8;
    return word(which, 0) & RING_OBJECT_UNCERTAIN ? (uint32_t)word(which, words - 1) : 0;
}

static void test_a_new_number_says_which_one_was_uncertain(void **state)
{
    (void)state;
    run_scene(&values, doubting);
    read_descriptions();
    assert_int_equal(described.count, 2 * LINKED - 1);
    for (uint32_t i = 0; i < LINKED - 1; i++) {
        assert_int_equal(told_link(i), 0);
    }
    for (uint32_t i = 0; i < LINKED; i++) {
        uint32_t which = LINKED - 1 + i;
        assert_int_equal((uint32_t)word(which, 0) & OBJECT_NUMBER_MAX, linked[i][0]);
        assert_int_equal(told_link(which), linked[i][1]);
    }
    uint32_t string = LINKED;
    assert_int_equal(RING_EVENT_PAYLOAD(described.objects[string][0]) >> 8, 3 + 2 + 1);
    assert_int_equal(word(string, 2), 7);
    assert_memory_equal(described.objects[string] + 8, u"seven!!", 16);
    assert_int_equal(word(LINKED - 1, 1), 24); // the size of a plain object is where it is without a link
}

// An old object and a box were described long ago, another just now.
static void renewing(void)
{
    set_region(0, CLR_GENERATION_2, 100);
    make(at(0, 0), class_plain, 0);
    make_box(at(0, 10), &class_number_box, 5, 0);
    make(at(0, 20), class_plain, 0);
    uint32_t old = see(at(0, 0)), box = see(at(0, 10)), fresh = see(at(0, 20));
    collect(0, 0, NULL);
    assert_int_equal(see(at(0, 0)), old); // not asked for yet
    atomic_store(&probe_ring->objects_from, fresh);
    assert_int_equal(see(at(0, 0)), old); // and not before a collection
    assert_int_equal(atomic_load(&probe_ring->objects_renewed), 0);
    collect(0, 0, NULL);
    assert_int_equal(atomic_load(&probe_ring->objects_renewed), fresh);
    see_again(0, at(0, 0), old);
    see_again(1, at(0, 10), box);
    assert_int_equal(see(at(0, 20)), fresh);
    collect(0, 0, NULL);
    assert_int_equal(see(at(0, 0)), linked[0][0]); // once
}

static void test_a_flight_recorder_gets_new_numbers(void **state)
{
    (void)state;
    struct ring_options keeping = values;
    keeping.flags = SESSION_KEEP_LAST;
    run_scene(&keeping, renewing);
    read_descriptions();
    assert_int_equal(described.count, 5);
    assert_int_equal(told_link(3), linked[0][1]);
    assert_int_equal(told_link(4), linked[1][1]);
}

// -- No room ----------------------------------------------------------------------------------------------------------

static uint32_t lost_sights;

// A number that could not be defined is not stored: the next sight tries again.
static void crowd(void)
{
    for (uint32_t i = 0; i < 5000; i++) {
        uint32_t number = see_plain(at(i / 2000, i % 2000));
        lost_sights += see_plain(at(i / 2000, i % 2000)) != number;
    }
}

static void test_a_number_without_its_definition_is_not_kept(void **state)
{
    (void)state;
    struct ring_options few = values;
    few.chunk_quota = 1;
    few.flags = SESSION_LOSSY;
    lost_sights = 0;
    run_scene(&few, crowd);
    read_descriptions();
    assert_true(lost_sights > 1000);
    assert_int_equal(described.count + lost_sights, 5000);
    assert_int_equal(atomic_load(&ring_threads(probe_ring)[0].lost), 1); // the exit: a definition is no event
}

static uint32_t box_numbers[5000];

static void boxes_in_a_crowd(void)
{
    make_box(at(7, 0), &class_number_box, 5, 0);
    for (uint32_t i = 0; i < 5000; i++) {
        box_numbers[i] = see(at(7, 0));
    }
}

// An event with a box's number but without a BOX event would mean that the content of the box has not changed.
static void test_a_box_without_room_is_nobody(void **state)
{
    (void)state;
    struct ring_options few = values;
    few.chunk_quota = 1;
    few.flags = SESSION_LOSSY;
    run_scene(&few, boxes_in_a_crowd);
    assert_int_equal(box_numbers[0], 1);
    assert_int_equal(box_numbers[1], 1);
    assert_true(box_numbers[4998] > 1);
    assert_true(box_numbers[4999] > box_numbers[4998]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_object_is_described_once),
        cmocka_unit_test(test_bits_that_are_no_reference_are_not_followed),
        cmocka_unit_test(test_memory_that_was_given_back_is_not_read),
        cmocka_unit_test(test_the_content_of_a_box_is_recorded_each_time),
        cmocka_unit_test(test_a_moved_box_is_still_one),
        cmocka_unit_test(test_threads_agree),
        cmocka_unit_test(test_a_new_number_says_which_one_was_uncertain),
        cmocka_unit_test(test_a_flight_recorder_gets_new_numbers),
        cmocka_unit_test(test_a_number_without_its_definition_is_not_kept),
        cmocka_unit_test(test_a_box_without_room_is_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
