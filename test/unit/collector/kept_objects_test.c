// The objects that a flight recorder keeps: those in kept chunks, those that the program may use again, and no others.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/drain/kept_objects.h"
#include "ring/segment.h"
#include "ring/walk.h"

enum { KEEP = 1 << 20, OBJECT_CELLS = 6 };

static struct ring_header *ring;
static struct named named;

static int open_segment(void **state)
{
    const struct ring_options options = {.process = 1, .flags = SESSION_KEEP_LAST};
    int fd;
    (void)state;
    assert_int_equal(segment_create(&options, &fd, &ring), CLEW_OK);
    named.bits = calloc(NAMED_BITS / 64, sizeof *named.bits);
    assert_non_null(named.bits);
    return close(fd);
}

static int close_segment(void **state)
{
    (void)state;
    segment_unmap(ring);
    free(named.bits);
    return 0;
}

// An OBJECT event between others. perhaps 0: no earlier object.
static void tell(struct kept_objects *kept, uint32_t number, uint32_t perhaps)
{
    uint32_t cells[2 + OBJECT_CELLS + 2 + 2], words = perhaps ? 3 : 2;
    ring_set_word(cells, RING_EVENT(RING_EVENT_LEAVE, 0, 5));
    ring_set_word(cells + 2, RING_EVENT(RING_EVENT_EXTENDED, RING_EXTENDED_OBJECT | words << 8, 5));
    ring_set_word(cells + 4, number | (perhaps ? RING_OBJECT_UNCERTAIN : 0) | UINT64_C(7) << 32);
    ring_set_word(cells + 6, 24);
    ring_set_word(cells + 8, perhaps);
    kept_objects_add(kept, cells, 2 + 2 + 2 * words);
}

// Counts the kept descriptions; *has: one is of this object.
static uint32_t count(const struct kept_objects *kept, uint32_t number, bool *has)
{
    uint32_t found = 0;
    size_t left;
    const uint32_t *cells = kept_objects_cells(kept, &left);
    *has = false;
    while (left > 0) {
        size_t size = ring_event_cells(NULL, cells[0], cells, left);
        assert_true(size >= OBJECT_CELLS);
        *has |= (cells[2] & ~RING_OBJECT_UNCERTAIN) == number;
        found++;
        cells += size;
        left -= size;
    }
    return found;
}

static void name(uint32_t number)
{
    named_add(&named, &number, 1);
}

static void forget_names(void)
{
    memset(named.bits, 0, NAMED_BITS / 8);
}

static void at_the_end_only_named_objects_are_left(void **state)
{
    struct kept_objects kept;
    bool has;
    (void)state;
    kept_objects_open(&kept, ring, KEEP);
    for (uint32_t i = 1; i <= 1000; i++) {
        tell(&kept, i, 0);
    }
    assert_int_equal(count(&kept, 500, &has), 1000);
    name(500);
    name(7);
    assert_int_equal(kept_objects_sweep(&kept, &named, true), CLEW_OK);
    assert_int_equal(count(&kept, 500, &has), 2);
    assert_true(has);
    assert_int_equal(count(&kept, 8, &has), 2);
    assert_false(has);
}

// Until the agent gives new numbers, the program may use any old one again.
static void renewed_objects_go_unless_named(void **state)
{
    struct kept_objects kept;
    bool has;
    (void)state;
    kept_objects_open(&kept, ring, KEEP);
    for (uint32_t i = 1; i <= 100; i++) {
        tell(&kept, i, 0);
    }
    name(30);
    assert_int_equal(kept_objects_sweep(&kept, &named, false), CLEW_OK);
    assert_int_equal(count(&kept, 1, &has), 100);
    atomic_store(&ring->objects_renewed, 91);
    assert_int_equal(kept_objects_sweep(&kept, &named, false), CLEW_OK);
    assert_int_equal(count(&kept, 30, &has), 11);
    assert_true(has);
    forget_names(); // the chunk is gone
    assert_int_equal(kept_objects_sweep(&kept, &named, false), CLEW_OK);
    assert_int_equal(count(&kept, 30, &has), 10);
    assert_false(has);
}

// A sweep is due when enough bytes are used and the agent gives new numbers.
static void a_sweep_waits_for_new_numbers(void **state)
{
    struct kept_objects kept;
    uint32_t told = 0;
    (void)state;
    kept_objects_open(&kept, ring, KEEP);
    while (atomic_load(&ring->objects_from) == 0) {
        assert_false(kept_objects_due(&kept));
        tell(&kept, ++told, 0);
    }
    assert_in_range(kept.used, KEEP / 4, KEEP / 4 + 100);
    assert_int_equal(atomic_load(&ring->objects_from), told);
    tell(&kept, told + 1, 0);
    assert_false(kept_objects_due(&kept));
    assert_int_equal(atomic_load(&ring->objects_from), told); // one at a time
    atomic_store(&ring->objects_renewed, told);
    assert_true(kept_objects_due(&kept));
    assert_int_equal(kept_objects_sweep(&kept, &named, false), CLEW_OK);
    assert_int_equal(kept.used, 2 * OBJECT_CELLS * sizeof(uint32_t));
    assert_false(kept_objects_due(&kept));
}

static void a_possible_earlier_object_stays_with_it(void **state)
{
    struct kept_objects kept;
    bool has;
    (void)state;
    kept_objects_open(&kept, ring, KEEP);
    tell(&kept, 3, 0);
    tell(&kept, 4, 0);
    tell(&kept, 9, 4);
    name(9);
    for (int i = 0; i < 2; i++) { // it is before the other: the second sweep knows that it is named
        atomic_store(&ring->objects_renewed, 1);
        assert_int_equal(kept_objects_sweep(&kept, &named, false), CLEW_OK);
    }
    assert_int_equal(kept_objects_sweep(&kept, &named, true), CLEW_OK);
    assert_int_equal(count(&kept, 4, &has), 2);
    assert_true(has);
}

static void a_takeover_continues_with_them(void **state)
{
    struct kept_objects kept, heir;
    bool has;
    (void)state;
    kept_objects_open(&kept, ring, KEEP);
    for (uint32_t round = 0; round < 3; round++) {
        tell(&kept, 10 + round, 0);
        kept_objects_open(&heir, ring, KEEP);
        assert_int_equal(count(&heir, 10 + round, &has), round + 1);
        assert_true(has);
        name(10 + round);
        assert_int_equal(kept_objects_sweep(&kept, &named, true), CLEW_OK);
        kept_objects_open(&heir, ring, KEEP);
        assert_int_equal(count(&heir, 10, &has), round + 1);
        assert_true(has);
    }
}

// The number stays bounded by the objects that the program meets between two collections.
static void they_do_not_grow(void **state)
{
    enum { ALIVE = 500, COLLECT_EVERY = 3000 };
    struct kept_objects kept;
    uint64_t most = 0;
    (void)state;
    kept_objects_open(&kept, ring, KEEP);
    for (uint32_t i = 1; i < 2000000; i++) {
        tell(&kept, i, 0);
        if (i % COLLECT_EVERY == 0) {
            uint32_t from = atomic_load(&ring->objects_from);
            atomic_store(&ring->objects_renewed, from);
        }
        if (kept_objects_due(&kept)) {
            forget_names();
            for (uint32_t k = 0; k < ALIVE && k < i; k++) {
                name(i - k);
            }
            assert_int_equal(kept_objects_sweep(&kept, &named, false), CLEW_OK);
        }
        most = kept.used > most ? kept.used : most;
    }
    assert_true(most < KEEP);
    assert_int_equal(kept.missed, 0);
}

// The program writes over the descriptions: a sweep reports it, or finds a valid object; no walk leaves the chunks.
static void damage_is_found(void **state)
{
    struct kept_objects kept;
    size_t cells;
    (void)state;
    kept_objects_open(&kept, ring, KEEP);
    for (uint32_t i = 1; i <= 100; i++) {
        tell(&kept, i, 0);
    }
    uint32_t *first = (uint32_t *)(uintptr_t)kept_objects_cells(&kept, &cells);
    first[OBJECT_CELLS] = RING_EVENT_EXTENDED | (RING_EXTENDED_OBJECT | 0xFFFFu << 8) << 2;
    assert_int_equal(kept_objects_sweep(&kept, &named, false), CLEW_MALFORMED);
}

static void descriptions_without_room_are_counted(void **state)
{
    struct kept_objects kept;
    uint32_t room = RING_KEPT_CHUNKS / 2 * RING_CHUNK_SIZE / (OBJECT_CELLS * sizeof(uint32_t));
    (void)state;
    kept_objects_open(&kept, ring, KEEP);
    for (uint32_t i = 1; i <= room + 10; i++) {
        tell(&kept, i, 0);
    }
    assert_in_range(kept.missed, 10, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(at_the_end_only_named_objects_are_left, open_segment, close_segment),
        cmocka_unit_test_setup_teardown(renewed_objects_go_unless_named, open_segment, close_segment),
        cmocka_unit_test_setup_teardown(a_sweep_waits_for_new_numbers, open_segment, close_segment),
        cmocka_unit_test_setup_teardown(a_possible_earlier_object_stays_with_it, open_segment, close_segment),
        cmocka_unit_test_setup_teardown(a_takeover_continues_with_them, open_segment, close_segment),
        cmocka_unit_test_setup_teardown(they_do_not_grow, open_segment, close_segment),
        cmocka_unit_test_setup_teardown(damage_is_found, open_segment, close_segment),
        cmocka_unit_test_setup_teardown(descriptions_without_room_are_counted, open_segment, close_segment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
