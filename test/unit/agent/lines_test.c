// Counters of `lines`: a block for each method and thread, found again, summed up while threads come and go, and missed
// activations counted where there is no room.
#include "agent/probe/probe_lines.h"
#include "agent/probe/probe_thread.h"
#include "ring/ring_lines.h"
#include "trace/instrument.h"
#include "unit/agent/probing.h"

enum { COUNT_A = 6, COUNT_B = 3, SITE_A = 10, SITE_B = 100, END = 200 };

// Each test uses other methods, since a slot's blocks outlive the segment here.
static uint32_t first_method = 16, second_method = 17;

// Statements are every second site of the first method, and all of the second.
static void define(void)
{
    static struct line_layout forms[64];
    uint16_t *lengths = ring_event_lengths(probe_ring);
    line_layouts = forms;
    forms[first_method] = (struct line_layout){SITE_A, COUNT_A, COUNT_A / 2};
    forms[second_method] = (struct line_layout){SITE_B, COUNT_B, COUNT_B};
    for (uint32_t i = 0; i < COUNT_A; i++) {
        lengths[SITE_A + i] = event_length(i % 2, false, i % 2 == 0);
    }
    for (uint32_t i = 0; i < COUNT_B; i++) {
        lengths[SITE_B + i] = event_length(0, false, true);
    }
}

static void count_some(void)
{
    struct weave_lines *state = NULL, *again = NULL;
    probes->enter(first_method);
    struct weave_line *first = lines_enter_method(first_method | RING_METHOD_NOT_IN_TREE, &state);
    assert_non_null(state);
    assert_non_null(state->current);
    first[0].count += 1;
    first[2].count += 5;
    first[2].own += 700;
    struct weave_line *second = lines_enter_method(second_method, &again);
    assert_ptr_equal(state, again);
    assert_ptr_not_equal(first, second);
    second[COUNT_B - 1].count += 2;
    assert_ptr_equal(lines_enter_method(first_method, NULL), first);
    assert_ptr_equal(lines_enter_method(second_method, NULL), second);
    probes->leave(first_method);
}

static void run_lines(uint32_t threads, void (*body)(void))
{
    const struct ring_options options = {.clock = CLOCK_KIND_TSC, .instruments = INSTRUMENT_TREE | INSTRUMENT_LINES};
    open_segment(&options);
    first_method += 2;
    second_method += 2;
    define();
    for (uint32_t i = 0; i < threads; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, run_body, (void *)(uintptr_t)body), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
}

static void test_threads_are_summed_up(void **state)
{
    (void)state;
    struct ring_line sums[END] = {0};
    run_lines(3, count_some);
    uint32_t end;
    assert_int_equal(ring_lines_end(probe_ring, &end), CLEW_OK);
    assert_int_equal(end, SITE_B + COUNT_B);
    assert_int_equal(ring_lines_sum(probe_ring, sums, END), CLEW_OK);
    assert_int_equal(sums[SITE_A].count, 3);
    assert_int_equal(sums[SITE_A + 2].count, 0);
    assert_int_equal(sums[SITE_A + 4].count, 15);
    assert_int_equal(sums[SITE_A + 4].own, 2100);
    assert_int_equal(sums[SITE_B + 2].count, 6);
    uint64_t all = 0;
    for (uint32_t i = 0; i < END; i++) {
        all += sums[i].count;
    }
    assert_int_equal(all, 24);
    assert_int_equal(atomic_load(&probe_ring->lines_missed), 0);
    assert_int_equal(ring_lines_sum(probe_ring, sums, SITE_B), CLEW_OK); // not beyond the requested end
    assert_int_equal(sums[SITE_A].count, 6);
    assert_int_equal(sums[SITE_B + 2].count, 6);
}

// A slot that is used again continues with its counters, and takes no new block.
static void end_thread(void)
{
    count_some();
    struct ring_thread *thread = thread_self;
    memset(thread, 0, offsetof(struct ring_thread, state));
    memset(&thread->thread, 0, sizeof *thread - offsetof(struct ring_thread, thread));
    atomic_store(&thread->state, RING_THREAD_FREE);
}

static void test_a_slot_counts_on(void **state)
{
    (void)state;
    struct ring_line sums[END] = {0};
    run_lines(5, end_thread);
    assert_int_equal(atomic_load(&probe_ring->threads_used), 1);
    assert_int_equal(atomic_load(&probe_ring->lines_blocks), 2);
    assert_int_equal(ring_lines_sum(probe_ring, sums, END), CLEW_OK);
    assert_int_equal(sums[SITE_A + 4].count, 25);
}

static void count_without_room(void)
{
    probe_ring->lines_used = RING_LINES_SIZE - 64;
    probes->enter(first_method);
    struct weave_line *first = lines_enter_method(first_method, NULL); // the last that fits
    first[0].count++;
    for (uint32_t i = 0; i < 10; i++) {
        struct weave_lines *line_state;
        struct weave_line *second = lines_enter_method(second_method, &line_state);
        second[COUNT_B - 1].count++;
    }
    probes->leave(first_method);
}

static void test_what_finds_no_room_is_counted(void **state)
{
    (void)state;
    struct ring_line sums[END] = {0};
    run_lines(1, count_without_room);
    assert_int_equal(atomic_load(&probe_ring->lines_missed), 10);
    assert_int_equal(ring_lines_sum(probe_ring, sums, END), CLEW_OK);
    assert_int_equal(sums[SITE_A].count, 1);
    assert_int_equal(sums[SITE_B + 2].count, 0);
}

static void test_time_is_by_the_clock_that_was_asked_for(void **state)
{
    (void)state;
    run_lines(1, count_some);
    assert_null(lines_clock_of(probe_ring));
    probe_ring->flags |= SESSION_LINES_BY_CLOCK;
    lines_clock *clock = lines_clock_of(probe_ring);
    uint64_t before = clock_tsc(), now = 0;
    clock(&now);
    assert_true(before <= now && now <= clock_tsc());
    probe_ring->clock = CLOCK_KIND_MONOTONIC;
    clock = lines_clock_of(probe_ring);
    before = clock_monotonic_ns();
    clock(&now);
    assert_true(before <= now && now <= clock_monotonic_ns());
    probe_ring->clock = CLOCK_KIND_NONE;
    assert_null(lines_clock_of(probe_ring));
}

// A program that overwrites its blocks cannot make a reader leave the segment.
static void test_damaged_blocks_do_no_harm(void **state)
{
    (void)state;
    struct ring_line sums[END] = {0};
    run_lines(1, count_some);
    struct ring_lines_block *blocks = ring_lines_blocks(probe_ring);
    blocks[0].at = UINT64_MAX - 7;
    blocks[1].first_site = RING_SITES_MAX - 1;
    blocks[2] = (struct ring_lines_block){probe_ring->lines_offset + RING_LINES_SIZE - 16, SITE_B, 3};
    blocks[3] = (struct ring_lines_block){8, SITE_B, 3};
    blocks[4] = (struct ring_lines_block){probe_ring->lines_offset, SITE_B, UINT32_MAX};
    uint32_t end;
    atomic_store(&probe_ring->lines_used, RING_LINES_SIZE);
    atomic_store(&probe_ring->lines_blocks, 5);
    assert_int_equal(ring_lines_end(probe_ring, &end), CLEW_OK);
    assert_true(end <= RING_SITES_MAX);
    assert_int_equal(ring_lines_sum(probe_ring, sums, END), CLEW_MALFORMED);
    atomic_store(&probe_ring->lines_blocks, UINT32_MAX);
    assert_int_equal(ring_lines_end(probe_ring, &end), CLEW_MALFORMED);
    atomic_store(&probe_ring->lines_blocks, 1);
    atomic_store(&probe_ring->lines_used, 63);
    assert_int_equal(ring_lines_sum(probe_ring, sums, END), CLEW_MALFORMED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_are_summed_up),
        cmocka_unit_test(test_a_slot_counts_on),
        cmocka_unit_test(test_what_finds_no_room_is_counted),
        cmocka_unit_test(test_time_is_by_the_clock_that_was_asked_for),
        cmocka_unit_test(test_damaged_blocks_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
