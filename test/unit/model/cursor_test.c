// A cursor moves over the same events in the same order wherever it begins and in whichever direction it goes.
#include "model/events/cursor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../made_recording.h"
#include "../recording_path.h"
#include "loading.h"
#include "model/events/timeline.h"

enum { EVENTS_MAX = 20000, THREADS = 7, BLOCK_MAX = 40 };

// An event as the test wrote it, in the order of all.
struct expected {
    uint32_t thread, depth;                    // depth: activations before it
    uint64_t ordinal, clock, first, block, at; // `at`: index in its block
    enum recording_event_kind kind;
    uint32_t value; // method or site
    uint32_t cell;
};

static struct expected all[EVENTS_MAX];
static uint32_t count;
static uint64_t seed;

static uint32_t below(uint32_t limit)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(((seed >> 32) * limit) >> 32);
}

// -- Writing ----------------------------------------------------------------------------------------------------------

struct made_thread {
    uint64_t clock, ordinal, started[8];
    uint32_t depth, open[8];
};

static struct made_thread made[THREADS + 1];
static uint64_t written; // blocks

static enum recording_event_kind random_kind(const struct made_thread *thread)
{
    switch (below(4)) {
    case 0:
        return thread->depth < 8 ? RECORDING_ENTER : RECORDING_LEAVE;
    case 1:
        return thread->depth > 0 ? RECORDING_LEAVE : RECORDING_ENTER;
    default:
        return RECORDING_AT_SITE;
    }
}

// Adds an event to the thread's block, and to the list of all.
static void make_event(struct made_thread *thread, uint32_t number, struct recording_events *block,
                       struct recording_event *events, uint32_t *cells)
{
    enum recording_event_kind kind = random_kind(thread);
    uint32_t value = kind == RECORDING_LEAVE ? 0 : kind == RECORDING_ENTER ? MAIN + below(4) : 1 + below(2);
    thread->clock += kind == RECORDING_AT_SITE ? 0 : below(3);
    bool cell = kind == RECORDING_AT_SITE && value == 2;
    events[block->count] = (struct recording_event){
        .clock = thread->clock, .kind = kind, .site = value, .cell = kind == RECORDING_AT_SITE ? block->cell_count : 0};
    assert_true(count < EVENTS_MAX);
    all[count] = (struct expected){.thread = number,
                                   .depth = thread->depth,
                                   .ordinal = thread->ordinal++,
                                   .clock = thread->clock,
                                   .block = written,
                                   .at = block->count,
                                   .kind = kind,
                                   .value = value,
                                   .cell = cell ? count : 0};
    cells[block->cell_count] = count++;
    block->cell_count += cell;
    block->count++;
    if (kind == RECORDING_ENTER) {
        thread->open[thread->depth] = value;
        thread->started[thread->depth++] = thread->clock;
    }
    thread->depth -= kind == RECORDING_LEAVE;
}

static void make_block(uint32_t number, uint32_t size)
{
    struct made_thread *thread = &made[number], before = *thread;
    struct recording_event events[BLOCK_MAX];
    uint32_t cells[BLOCK_MAX + 1], from = count;
    struct recording_events block = {.process = 1 + number % 2,
                                     .thread = number,
                                     .depth = before.depth,
                                     .open = before.open,
                                     .open_clock = before.started,
                                     .words = 2 * size,
                                     .events = events,
                                     .cells = cells};
    for (uint32_t i = 0; i < size; i++) {
        make_event(thread, number, &block, events, cells);
    }
    block.first_clock = size ? events[0].clock : thread->clock;
    block.last_clock = thread->clock;
    for (uint32_t i = from; i < count; i++) {
        all[i].first = block.first_clock;
    }
    must(recording_write_events(writer, &block));
    written++;
}

static void define_sites_of_process(uint32_t process)
{
    static const struct site sites[] = {{.kind = SITE_STATEMENT, .start_line = 3},
                                        {.kind = SITE_DEFINITION, .place = PLACE_LOCAL, .encoding = VALUE_I4}};
    struct buffer blob = {0};
    sites_encode(&blob, sites, 2);
    must(recording_write_sites(
        writer, &(struct recording_sites){
                    .process = process, .method = MAIN, .first = 1, .blob = bytes_of(blob.data, blob.size)}));
    buffer_free(&blob);
}

static void begin(uint64_t number)
{
    seed = number + 1;
    count = 0;
    written = 0;
    create(path, INSTRUMENT_CALLS | INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES, CLOCK_KIND_MONOTONIC);
    define_sites_of_process(1);
    define_sites_of_process(2);
    for (uint32_t i = 1; i <= THREADS; i++) {
        made[i] = (struct made_thread){.clock = START + below(50)};
    }
}

static int compare(const void *left, const void *right)
{
    const struct expected *a = left, *b = right;
    const uint64_t keys[][2] = {{a->clock, b->clock}, {a->first, b->first}, {a->block, b->block}, {a->at, b->at}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (keys[i][0] != keys[i][1]) {
            return keys[i][0] < keys[i][1] ? -1 : 1;
        }
    }
    return 0;
}

static void sort(void)
{
    qsort(all, count, sizeof *all, compare);
}

// Threads and sizes of blocks by chance; some blocks have no events.
static void write_blocks(uint32_t blocks)
{
    for (uint32_t i = 0; i < blocks; i++) {
        uint32_t thread = 1 + below(THREADS);
        make_block(thread, below(6) ? below(BLOCK_MAX) : 0);
    }
}

static void make(uint64_t number)
{
    begin(number);
    write_blocks(60);
    finish(count, 0, THREADS, true);
    sort();
}

// -- Reading ----------------------------------------------------------------------------------------------------------

static struct cursor *open_cursor(uint32_t process, uint32_t thread)
{
    struct cursor *cursor = NULL;
    const struct cursor_options options = {process, thread};
    assert_int_equal(cursor_open(opened(path), &options, &cursor), CLEW_OK);
    return cursor;
}

static void expect_event(const struct expected *expected, const struct cursor_event *event)
{
    assert_int_equal(event->at.thread, expected->thread);
    assert_int_equal(event->at.process, 1 + expected->thread % 2);
    assert_int_equal(event->at.ordinal, expected->ordinal);
    assert_int_equal(event->event.clock, expected->clock);
    assert_int_equal(event->event.kind, expected->kind);
    assert_int_equal(event->event.method, expected->value);
    if (expected->kind == RECORDING_AT_SITE && expected->value == 2) {
        assert_true(event->cells_left > 0);
        assert_int_equal(event->cells[0], expected->cell);
    }
}

static void expect_next(struct cursor *cursor, uint32_t number)
{
    struct cursor_event event;
    assert_int_equal(cursor_next(cursor, &event), number < count ? CLEW_OK : CLEW_NOT_FOUND);
    if (number < count) {
        expect_event(&all[number], &event);
    }
}

static void expect_previous(struct cursor *cursor, uint32_t number)
{
    struct cursor_event event;
    assert_int_equal(cursor_previous(cursor, &event), number > 0 ? CLEW_OK : CLEW_NOT_FOUND);
    if (number > 0) {
        expect_event(&all[number - 1], &event);
    }
}

static void backwards_is_the_reverse_of_forwards(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < 20; number++) {
        make(number);
        struct cursor *cursor = open_cursor(0, 0);
        for (uint32_t round = 0; round < 2; round++) {
            for (uint32_t i = 0; i <= count; i++) {
                expect_next(cursor, i);
            }
            for (uint32_t i = count + 1; i-- > 0;) {
                expect_previous(cursor, i);
            }
        }
        assert_int_equal(cursor_seek_end(cursor), CLEW_OK);
        expect_next(cursor, count);
        expect_previous(cursor, count);
        cursor_close(cursor);
    }
    cursor_close(NULL);
}

// Turns at random, in the middle of blocks and at their ends.
static void a_cursor_may_turn_anywhere(void **state)
{
    (void)state;
    make(77);
    struct cursor *cursor = open_cursor(0, 0);
    uint32_t at = 0;
    for (uint32_t i = 0; i < 3000; i++) {
        bool back = below(2);
        for (uint32_t steps = below(30); steps-- > 0;) {
            back ? expect_previous(cursor, at) : expect_next(cursor, at);
            at = back ? at - (at > 0) : at + (at < count);
        }
    }
    cursor_close(cursor);
}

static void it_goes_to_any_event_and_any_time(void **state)
{
    (void)state;
    make(5);
    struct cursor *cursor = open_cursor(0, 0);
    for (uint32_t i = 0; i < 2000; i++) {
        uint32_t number = below(count);
        const struct cursor_position at = {1 + all[number].thread % 2, all[number].thread, all[number].ordinal};
        assert_int_equal(cursor_seek_event(cursor, &at), CLEW_OK);
        below(2) ? expect_next(cursor, number) : expect_previous(cursor, number);
        uint64_t clock = START + below((uint32_t)(all[count - 1].clock - START) + 2);
        for (number = 0; number < count && all[number].clock < clock; number++) {
        }
        assert_int_equal(cursor_seek_time(cursor, clock), CLEW_OK);
        below(2) ? expect_next(cursor, number) : expect_previous(cursor, number);
    }
    assert_int_equal(cursor_seek_time(cursor, 0), CLEW_OK);
    expect_previous(cursor, 0);
    assert_int_equal(cursor_seek_time(cursor, UINT64_MAX), CLEW_OK);
    expect_next(cursor, count);
    const struct cursor_position wrong[] = {{1, 1, 0}, {2, 1, UINT64_MAX}, {2, 9, 0}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(cursor_seek_event(cursor, &wrong[i]), CLEW_NOT_FOUND);
        expect_next(cursor, count); // it stays
    }
    cursor_close(cursor);
}

static void one_thread_or_process_has_its_own_events(void **state)
{
    (void)state;
    make(9);
    for (uint32_t thread = 0; thread <= THREADS; thread++) {
        make(9);
        uint32_t kept = 0, process = thread ? 0 : 2;
        for (uint32_t i = 0; i < count; i++) {
            bool its = thread ? all[i].thread == thread : all[i].thread % 2 == 1;
            all[kept] = all[i];
            kept += its;
        }
        count = kept;
        struct cursor *cursor = open_cursor(process, thread);
        for (uint32_t i = 0; i <= count; i++) {
            expect_next(cursor, i);
        }
        for (uint32_t i = count + 1; i-- > 0;) {
            expect_previous(cursor, i);
        }
        cursor_close(cursor);
    }
    struct cursor *cursor = NULL;
    const struct cursor_options nobody = {.thread = 99};
    assert_int_equal(cursor_open(opened(path), &nobody, &cursor), CLEW_NOTHING_RECORDED);
    assert_null(cursor);
}

static void the_stack_is_that_before_the_event(void **state)
{
    (void)state;
    make(3);
    struct cursor *cursor = open_cursor(0, 0);
    for (uint32_t i = 0; i < count; i++) {
        const struct cursor_position at = {1 + all[i].thread % 2, all[i].thread, all[i].ordinal};
        struct stream stream = {0};
        assert_int_equal(cursor_stack(cursor, &at, &stream), CLEW_OK);
        assert_int_equal(stream_activations(&stream), all[i].depth);
        stream_fini(&stream);
        expect_next(cursor, i); // the place stays
    }
    cursor_close(cursor);
}

// Events of one thread that state the stack, of one and then two methods.
static void make_stacks(void)
{
    static const uint32_t stacks[] = {MAIN, MAIN, ADD, FIB};
    static const struct recording_event events[] = {
        {.clock = START + 1, .kind = RECORDING_STACK, .stated = 1, .depth = 1},
        {.clock = START + 2, .kind = RECORDING_LEAVE},
        {.clock = START + 3, .kind = RECORDING_STACK, .stated = 2, .depth = 2},
        {.clock = START + 4, .kind = RECORDING_LEAVE},
        {.clock = START + 5, .kind = RECORDING_STACK, .stated = 1, .depth = 1},
    };
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define();
    struct recording_events block = block_of(1, events, sizeof events / sizeof *events);
    block.stacks = stacks;
    block.stack_count = sizeof stacks / sizeof *stacks;
    must(recording_write_events(writer, &block));
    finish(5, 0, 1, true);
}

static void stacks_are_found_from_wherever_the_cursor_is(void **state)
{
    (void)state;
    static const uint32_t order[] = {0, 2, 4, 0, 4, 2, 0, 2}, topmost[] = {MAIN, 0, ADD, 0, FIB};
    make_stacks();
    struct cursor *cursor = open_cursor(0, 0);
    struct cursor_event event;
    for (uint32_t i = 0; i < sizeof order / sizeof *order; i++) {
        const struct cursor_position at = {1, 1, order[i]};
        assert_int_equal(cursor_seek_event(cursor, &at), CLEW_OK);
        for (uint32_t back = 0; back < 2; back++) {
            assert_int_equal(back ? cursor_previous(cursor, &event) : cursor_next(cursor, &event), CLEW_OK);
            assert_int_equal(event.event.kind, RECORDING_STACK);
            assert_int_equal(event.stack[event.event.stated - 1], topmost[order[i]]);
        }
    }
    cursor_close(cursor);
}

// -- The timeline -----------------------------------------------------------------------------------------------------

static enum clew_error step(void *context, const struct timeline_step *step)
{
    uint32_t *number = context;
    if (step->kind == TIMELINE_OPEN) {
        return CLEW_OK;
    }
    static const enum timeline_kind kinds[] = {
        [RECORDING_ENTER] = TIMELINE_BEGIN, [RECORDING_LEAVE] = TIMELINE_END, [RECORDING_AT_SITE] = TIMELINE_SITE};
    const struct expected *expected = &all[(*number)++];
    assert_int_equal(step->thread->thread, expected->thread);
    assert_int_equal(step->clock, expected->clock);
    assert_int_equal(step->kind, kinds[expected->kind]);
    return CLEW_OK;
}

static void the_timeline_has_the_same_order(void **state)
{
    (void)state;
    for (uint64_t number = 100; number < 110; number++) {
        uint32_t met = 0;
        make(number);
        const struct timeline_options options = {.to = UINT64_MAX, .step = step, .context = &met};
        assert_int_equal(timeline_run(opened(path), &options), CLEW_OK);
        assert_int_equal(met, count);
    }
}

// -- Files that are not as they should be -----------------------------------------------------------------------------

// Notes what comes from the front, and expects the same from behind and from any event.
static uint32_t expect_reversible(struct cursor *cursor)
{
    static struct cursor_position met[EVENTS_MAX];
    struct cursor_event event;
    uint32_t found = 0;
    for (; cursor_next(cursor, &event) == CLEW_OK; found++) {
        assert_true(found < EVENTS_MAX);
        met[found] = event.at;
    }
    for (uint32_t i = found; i-- > 0;) {
        assert_int_equal(cursor_previous(cursor, &event), CLEW_OK);
        assert_memory_equal(&event.at, &met[i], sizeof *met);
    }
    assert_int_equal(cursor_previous(cursor, &event), CLEW_NOT_FOUND);
    for (uint32_t i = 0; i < 500 && found > 1; i++) {
        uint32_t number = 1 + below(found - 1);
        assert_int_equal(cursor_seek_event(cursor, &met[number]), CLEW_OK);
        bool back = below(2);
        assert_int_equal(back ? cursor_previous(cursor, &event) : cursor_next(cursor, &event), CLEW_OK);
        assert_memory_equal(&event.at, &met[number - back], sizeof *met);
    }
    return found;
}

static void clocks_that_go_backwards_do_not_break_the_order(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < 20; number++) {
        begin(number);
        for (uint32_t i = 0; i < 60; i++) {
            uint32_t thread = 1 + below(THREADS);
            made[thread].clock -= below(3) ? 0 : below(60);
            make_block(thread, below(BLOCK_MAX));
        }
        finish(count, 0, THREADS, true);
        struct cursor *cursor = open_cursor(0, 0);
        assert_int_equal(expect_reversible(cursor), count);
        cursor_close(cursor);
    }
}

static void damaged_blocks_are_left_out(void **state)
{
    (void)state;
    make(11);
    damage_block(RECORDING_EVENTS, 3);
    damage_block(RECORDING_EVENTS, 20);
    damage_block(RECORDING_EVENTS, 59);
    struct cursor *cursor = open_cursor(0, 0);
    uint32_t found = expect_reversible(cursor), left = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool damaged = all[i].block == 3 || all[i].block == 20 || all[i].block == 59;
        const struct cursor_position at = {1 + all[i].thread % 2, all[i].thread, all[i].ordinal};
        assert_int_equal(cursor_seek_event(cursor, &at), damaged ? CLEW_NOT_FOUND : CLEW_OK);
        left += damaged;
    }
    assert_true(left > 0);
    assert_int_equal(found, count - left);
    assert_in_range(cursor_health(cursor).damaged, 1, 3); // one that has no events is not read
    cursor_close(cursor);
}

static void events_that_are_appended_are_followed(void **state)
{
    (void)state;
    begin(21);
    for (uint32_t i = 1; i <= THREADS; i++) {
        make_block(i, 10);
    }
    must(recording_flush(writer));
    struct cursor *cursor = open_cursor(0, 0);
    for (uint32_t round = 0; round < 20; round++) {
        uint32_t before = count;
        sort();
        assert_int_equal(cursor_seek_end(cursor), CLEW_OK);
        expect_previous(cursor, before);
        write_blocks(5);
        must(recording_flush(writer));
        assert_int_equal(cursor_follow(cursor), CLEW_OK);
        assert_int_equal(cursor_seek_end(cursor), CLEW_OK);
        sort();
        for (uint32_t i = count + 1; i-- > 0;) {
            expect_previous(cursor, i);
        }
    }
    finish(count, 0, THREADS, true);
    assert_int_equal(cursor_follow(cursor), CLEW_OK);
    for (uint32_t i = 0; i <= count; i++) {
        expect_next(cursor, i);
    }
    cursor_close(cursor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(backwards_is_the_reverse_of_forwards),
        cmocka_unit_test(a_cursor_may_turn_anywhere),
        cmocka_unit_test(it_goes_to_any_event_and_any_time),
        cmocka_unit_test(one_thread_or_process_has_its_own_events),
        cmocka_unit_test(the_stack_is_that_before_the_event),
        cmocka_unit_test(stacks_are_found_from_wherever_the_cursor_is),
        cmocka_unit_test(the_timeline_has_the_same_order),
        cmocka_unit_test(clocks_that_go_backwards_do_not_break_the_order),
        cmocka_unit_test(damaged_blocks_are_left_out),
        cmocka_unit_test(events_that_are_appended_are_followed),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
