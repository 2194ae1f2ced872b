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
    uint32_t method; // or site
    uint32_t cell;
    bool known, leaf; // the block has a next event, which ends an activation
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
                                   .method = kind == RECORDING_LEAVE ? thread->open[thread->depth - 1] : value,
                                   .cell = cell ? count : 0};
    if (block->count > 0) {
        all[count - 1].known = true;
        all[count - 1].leaf = kind == RECORDING_LEAVE;
    }
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
    const struct cursor_options options = {.process = process, .thread = thread};
    assert_int_equal(cursor_open(opened(path), &options, &cursor), CLEW_OK);
    return cursor;
}

// The steps of one event.
struct seen {
    uint32_t count;
    enum step_kind kind;
    struct cursor_position at;
    uint64_t clock;
    uint32_t level, value, cell; // value: method or site
    bool has_cell, leaf, next_known;
};

static enum clew_error see(void *context, const struct event_step *step)
{
    struct seen *seen = context;
    *seen = (struct seen){.count = seen->count + 1,
                          .kind = step->kind,
                          .at = {step->thread->process, step->thread->thread, step->ordinal},
                          .clock = step->clock,
                          .level = step->level,
                          .value = step->kind == STEP_SITE ? step->site
                                   : step->frame           ? step->frame->method
                                                           : 0,
                          .has_cell = step->kind == STEP_SITE && step->site == 2 && step->cells_left > 0,
                          .leaf = step->leaf,
                          .next_known = step->next_known};
    seen->cell = seen->has_cell ? step->cells[0] : 0;
    return CLEW_OK;
}

// Moves until something is reported.
static enum clew_error move(struct cursor *cursor, bool back, struct seen *seen)
{
    enum clew_error error = CLEW_OK;
    for (seen->count = 0; error == CLEW_OK && seen->count == 0;) {
        error = back ? cursor_previous(cursor, 0, see, seen) : cursor_next(cursor, UINT64_MAX, see, seen);
    }
    return error;
}

static void expect_event(const struct expected *expected, const struct seen *seen)
{
    static const enum step_kind kinds[] = {
        [RECORDING_ENTER] = STEP_BEGIN, [RECORDING_LEAVE] = STEP_END, [RECORDING_AT_SITE] = STEP_SITE};
    bool at_site = expected->kind == RECORDING_AT_SITE;
    assert_int_equal(seen->count, 1);
    assert_int_equal(seen->kind, kinds[expected->kind]);
    assert_int_equal(seen->at.thread, expected->thread);
    assert_int_equal(seen->at.process, 1 + expected->thread % 2);
    assert_int_equal(seen->at.ordinal, expected->ordinal);
    assert_int_equal(seen->clock, expected->clock);
    assert_int_equal(seen->value, expected->method);
    assert_int_equal(seen->level, expected->kind == RECORDING_ENTER ? expected->depth
                                  : expected->depth                 ? expected->depth - 1
                                                                    : 0);
    assert_int_equal(seen->has_cell, at_site && expected->method == 2);
    assert_int_equal(seen->cell, expected->cell);
    assert_int_equal(seen->next_known, expected->kind == RECORDING_ENTER && expected->known);
    assert_int_equal(seen->leaf, seen->next_known && expected->leaf);
}

static void expect_next(struct cursor *cursor, uint32_t number)
{
    struct seen seen;
    assert_int_equal(move(cursor, false, &seen), number < count ? CLEW_OK : CLEW_NOT_FOUND);
    if (number < count) {
        expect_event(&all[number], &seen);
    }
}

static void expect_previous(struct cursor *cursor, uint32_t number)
{
    struct seen seen;
    assert_int_equal(move(cursor, true, &seen), number > 0 ? CLEW_OK : CLEW_NOT_FOUND);
    if (number > 0) {
        expect_event(&all[number - 1], &seen);
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
        cursor_seek_end(cursor);
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

// The stack of a thread at the place of the cursor, also of those that are not the next.
static void the_stack_is_that_at_the_place(void **state)
{
    (void)state;
    make(3);
    struct cursor *cursor = open_cursor(0, 0);
    for (uint32_t i = 0; i < 500; i++) {
        uint32_t number = below(count);
        const struct cursor_position at = {1 + all[number].thread % 2, all[number].thread, all[number].ordinal};
        assert_int_equal(cursor_seek_event(cursor, &at), CLEW_OK);
        for (uint32_t index = 0; index < cursor_thread_count(cursor); index++) {
            struct event_thread *thread;
            assert_int_equal(cursor_thread(cursor, index, &thread), CLEW_OK);
            uint32_t next = number;
            while (next < count && all[next].thread != thread->thread) {
                next++;
            }
            assert_int_equal(stream_activations(&thread->stream),
                             next < count ? all[next].depth : made[thread->thread].depth);
        }
        below(2) ? expect_next(cursor, number) : expect_previous(cursor, number);
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
    struct seen seen;
    for (uint32_t i = 0; i < sizeof order / sizeof *order; i++) {
        const struct cursor_position at = {1, 1, order[i]};
        assert_int_equal(cursor_seek_event(cursor, &at), CLEW_OK);
        for (uint32_t back = 0; back < 2; back++) {
            assert_int_equal(move(cursor, back, &seen), CLEW_OK);
            assert_int_equal(seen.kind, STEP_BEGIN);
            assert_int_equal(seen.value, topmost[order[i]]);
        }
    }
    cursor_close(cursor);
}

// Two runs of an activation, the second of which completes.
static void make_runs(void)
{
    static const uint32_t stacks[] = {4, 0, 6, 1, RUN_FAULTED, 0};
    static const struct recording_event events[] = {E(1, SAVE_BODY),
                                                    {.clock = START + 2, .kind = RECORDING_SUSPEND, .serial = 9},
                                                    L(3),
                                                    E(4, SAVE_BODY),
                                                    {.clock = START + 4, .kind = RECORDING_RESUME, .serial = 9},
                                                    {.clock = START + 5, .kind = RECORDING_COMPLETE, .serial = 9},
                                                    L(6)};
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define();
    struct recording_events block = block_of(1, events, sizeof events / sizeof *events);
    block.async = true;
    block.stacks = stacks;
    block.stack_count = sizeof stacks / sizeof *stacks;
    must(recording_write_events(writer, &block));
    finish(7, 0, 1, true);
}

struct async_steps {
    struct event_step of[8];
    uint32_t count;
};

static enum clew_error note_async(void *context, const struct event_step *step)
{
    struct async_steps *steps = context;
    if (step->kind >= STEP_RESUME) {
        assert_int_equal(step->frame->method, SAVE_BODY);
        assert_true(steps->count < 8);
        steps->of[steps->count++] = *step;
    }
    return CLEW_OK;
}

static void async_activations_are_reported_to_who_asks(void **state)
{
    (void)state;
    static const struct event_step expected[] = {
        {.kind = STEP_SUSPEND, .clock = START + 2, .ordinal = 1, .number = 4},
        {.kind = STEP_RESUME, .clock = START + 4, .ordinal = 4, .number = 6 + (UINT64_C(1) << 32)},
        {.kind = STEP_COMPLETE, .clock = START + 5, .ordinal = 5, .number = RUN_FAULTED}};
    make_runs();
    struct async_steps steps = {0};
    struct timeline_options options = {.to = UINT64_MAX, .step = note_async, .context = &steps};
    assert_int_equal(timeline_run(opened(path), &options), CLEW_OK);
    assert_int_equal(steps.count, 0);
    options.async = true;
    assert_int_equal(timeline_run(opened(path), &options), CLEW_OK);
    struct timeline *timeline;
    assert_int_equal(timeline_open(opened(path), &options, &timeline), CLEW_OK);
    assert_int_equal(timeline_seek_time(timeline, START + 5), CLEW_OK);
    assert_int_equal(timeline_retreat(timeline), CLEW_OK); // over RESUME
    timeline_close(timeline);
    assert_int_equal(steps.count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const struct event_step *as = &expected[i < 3 ? i : 1];
        assert_int_equal(steps.of[i].kind, as->kind);
        assert_int_equal(steps.of[i].clock, as->clock);
        assert_int_equal(steps.of[i].ordinal, as->ordinal);
        assert_int_equal(steps.of[i].number, as->number);
        assert_int_equal(steps.of[i].serial, 9);
    }
}

// -- The timeline -----------------------------------------------------------------------------------------------------

static enum clew_error step(void *context, const struct event_step *step)
{
    uint32_t *number = context;
    if (step->kind == STEP_OPEN) {
        return CLEW_OK;
    }
    static const enum step_kind kinds[] = {
        [RECORDING_ENTER] = STEP_BEGIN, [RECORDING_LEAVE] = STEP_END, [RECORDING_AT_SITE] = STEP_SITE};
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

// -- One thread -------------------------------------------------------------------------------------------------------

static void a_cursor_of_one_thread_counts_its_events(void **state)
{
    (void)state;
    make_calls(path);
    struct cursor *cursor = open_cursor(1, 1);
    struct seen seen;
    assert_int_equal(cursor_event_count(cursor, 0), 22);
    for (uint64_t from = 23; from-- > 0;) {
        uint64_t ordinal = from;
        assert_int_equal(cursor_seek_near(cursor, &(struct cursor_position){1, 1, from}), CLEW_OK);
        assert_int_equal(cursor_ordinal(cursor, 0), from);
        for (; move(cursor, false, &seen) == CLEW_OK; ordinal++) {
            assert_int_equal(seen.at.ordinal, ordinal);
            assert_int_equal(cursor_ordinal(cursor, 0), ordinal + 1);
        }
        assert_int_equal(ordinal, 22);
    }
    assert_int_equal(cursor_seek_time(cursor, START + 1000), CLEW_OK);
    assert_int_equal(cursor_ordinal(cursor, 0), 5);
    assert_int_equal(cursor_seek_time(cursor, START + 9101), CLEW_OK);
    assert_int_equal(cursor_ordinal(cursor, 0), 22);
    assert_int_equal(cursor_block_before(cursor, 0, 1), 0);
    assert_int_equal(cursor_block_before(cursor, 0, 22), 0);
    cursor_close(cursor);
}

// A stack so deep that there is no room to keep it every few events.
static void deep_stacks_go_back_too(void **state)
{
    (void)state;
    enum { DEPTH = 20000, PAIRS = 1500 };
    static uint32_t open[DEPTH];
    static uint64_t started[DEPTH];
    static struct recording_event events[2 * PAIRS];
    for (uint32_t i = 0; i < DEPTH; i++) {
        open[i] = FIB;
        started[i] = START + i;
    }
    for (uint32_t i = 0; i < PAIRS; i++) {
        events[2 * i] = (struct recording_event){.clock = START + DEPTH + i, .kind = RECORDING_ENTER, .method = ADD};
        events[2 * i + 1] = (struct recording_event){.clock = START + DEPTH + i, .kind = RECORDING_LEAVE};
    }
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define();
    struct recording_events block = block_of(1, events, 2 * PAIRS);
    block.depth = DEPTH;
    block.open = open;
    block.open_clock = started;
    must(recording_write_events(writer, &block));
    finish(2 * PAIRS, 0, 1, true);
    struct cursor *cursor = open_cursor(0, 0);
    struct seen seen;
    cursor_seek_end(cursor);
    for (uint32_t i = 2 * PAIRS; i-- > 0;) {
        assert_int_equal(move(cursor, true, &seen), CLEW_OK);
        assert_int_equal(seen.at.ordinal, i);
        assert_int_equal(seen.level, DEPTH);
        assert_int_equal(seen.kind, i % 2 == 0 ? STEP_BEGIN : STEP_END);
    }
    assert_int_equal(move(cursor, true, &seen), CLEW_OK); // what runs where the block opens
    assert_int_equal(seen.count, DEPTH);
    assert_int_equal(move(cursor, true, &seen), CLEW_NOT_FOUND);
    cursor_close(cursor);
}

// -- Files that are not as they should be -----------------------------------------------------------------------------

// Without the steps of blocks that follow a damaged one, which have the position of an event, too.
static uint32_t count_events(const struct seen *met, uint32_t found)
{
    uint32_t events = found;
    for (uint32_t i = 0; i < found; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (memcmp(&met[i].at, &met[j].at, sizeof met[i].at) == 0) {
                events--;
                break;
            }
        }
    }
    return events;
}

// Notes what comes from the front, and expects the same from behind and from any event.
static uint32_t expect_reversible(struct cursor *cursor)
{
    static struct seen met[EVENTS_MAX];
    struct seen seen;
    uint32_t found = 0;
    for (; move(cursor, false, &seen) == CLEW_OK; found++) {
        assert_true(found < EVENTS_MAX);
        met[found] = seen;
    }
    for (uint32_t i = found; i-- > 0;) {
        assert_int_equal(move(cursor, true, &seen), CLEW_OK);
        assert_memory_equal(&seen, &met[i], sizeof *met);
    }
    assert_int_equal(move(cursor, true, &seen), CLEW_NOT_FOUND);
    for (uint32_t i = 0; i < 500 && found > 1; i++) {
        uint32_t number = 1 + below(found - 1);
        assert_int_equal(cursor_seek_event(cursor, &met[number].at), CLEW_OK);
        bool back = below(2);
        assert_int_equal(move(cursor, back, &seen), CLEW_OK);
        assert_memory_equal(&seen, &met[number - back], sizeof *met);
    }
    return count_events(met, found);
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
        cursor_seek_end(cursor);
        expect_previous(cursor, before);
        write_blocks(5);
        must(recording_flush(writer));
        assert_int_equal(cursor_follow(cursor), CLEW_OK);
        cursor_seek_end(cursor);
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
        cmocka_unit_test(the_stack_is_that_at_the_place),
        cmocka_unit_test(stacks_are_found_from_wherever_the_cursor_is),
        cmocka_unit_test(async_activations_are_reported_to_who_asks),
        cmocka_unit_test(the_timeline_has_the_same_order),
        cmocka_unit_test(a_cursor_of_one_thread_counts_its_events),
        cmocka_unit_test(deep_stacks_go_back_too),
        cmocka_unit_test(clocks_that_go_backwards_do_not_break_the_order),
        cmocka_unit_test(damaged_blocks_are_left_out),
        cmocka_unit_test(events_that_are_appended_are_followed),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
