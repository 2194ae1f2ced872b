// Call trees of ranges of time. The main test cuts random recordings into ranges: together they must give the tree of the
// whole, which the model builds in another way, in one pass over the file.
#include "model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../made_recording.h"
#include "../recording_path.h"
#include "loading.h"

enum { THREADS = 5, BLOCKS = 40, EVENTS = 30, DEPTH = 8 };

static uint64_t seed;

static uint32_t below(uint32_t limit)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(((seed >> 32) * limit) >> 32);
}

// -- Random streams ---------------------------------------------------------------------------------------------------

struct made_thread {
    uint64_t clock, started[DEPTH];
    uint32_t depth, open[DEPTH];
};

static struct recording_event random_event(struct made_thread *thread)
{
    thread->clock += below(4) * below(4);
    if (thread->depth < DEPTH && below(2 + thread->depth) < 2) {
        uint32_t method = MAIN + below(4);
        thread->open[thread->depth] = method;
        thread->started[thread->depth++] = thread->clock;
        return (struct recording_event){.clock = thread->clock, .kind = RECORDING_ENTER, .method = method};
    }
    if (thread->depth > 2 && below(8) == 0) {
        thread->depth -= 2;
        return (struct recording_event){.clock = thread->clock, .kind = RECORDING_CUT, .remaining = thread->depth};
    }
    thread->depth -= thread->depth > 0;
    return (struct recording_event){.clock = thread->clock, .kind = below(5) ? RECORDING_LEAVE : RECORDING_UNWIND};
}

// An exception filter with a callee, while two activations at least run; or other events.
static uint32_t make_events(struct made_thread *thread, struct recording_event *out)
{
    if (thread->depth < 2 || below(6)) {
        *out = random_event(thread);
        return 1;
    }
    out[0] = (struct recording_event){
        .clock = thread->clock + 3, .kind = RECORDING_FILTER, .remaining = 1 + below(thread->depth)};
    out[1] = (struct recording_event){.clock = thread->clock + 5, .kind = RECORDING_ENTER, .method = FIB};
    out[2] = (struct recording_event){.clock = thread->clock + 9, .kind = RECORDING_LEAVE};
    out[3] = (struct recording_event){.clock = thread->clock + 11, .kind = RECORDING_FILTER_END};
    thread->clock += 11;
    return 4;
}

static void write_block(uint32_t number, struct made_thread *thread)
{
    struct made_thread before = *thread;
    struct recording_event events[EVENTS + 4];
    struct recording_events block = {.process = 1 + number % 2,
                                     .thread = number,
                                     .depth = before.depth,
                                     .open = before.open,
                                     .open_clock = before.started,
                                     .events = events};
    for (uint32_t wanted = 1 + below(EVENTS); block.count < wanted;) {
        block.count += make_events(thread, events + block.count);
    }
    block.words = block.count;
    block.first_clock = events[0].clock;
    block.last_clock = thread->clock;
    must(recording_write_events(writer, &block));
}

// Returns the clock of the newest event.
static uint64_t write_random(uint64_t number)
{
    struct made_thread threads[THREADS + 1] = {0};
    uint64_t newest = START;
    seed = number + 1;
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    for (uint32_t i = 1; i <= THREADS; i++) {
        threads[i].clock = START + below(300);
    }
    for (uint32_t i = 0; i < BLOCKS; i++) {
        uint32_t thread = 1 + below(THREADS);
        threads[thread].clock += below(4) ? 0 : below(2000); // sometimes it waits for long
        write_block(thread, &threads[thread]);
        newest = threads[thread].clock > newest ? threads[thread].clock : newest;
    }
    must(recording_close(writer, NULL));
    return newest;
}

// -- Comparison -------------------------------------------------------------------------------------------------------

// Adds the tree of a process to `sum`, path by path.
static void add_tree(struct tree *sum, const struct tree *tree)
{
    uint32_t *node_of = calloc(tree->count, sizeof *node_of);
    assert_non_null(node_of);
    for (uint32_t i = 1; i < tree->count; i++) {
        const struct tree_node *node = &tree->nodes[i];
        node_of[i] = tree_child(sum, node_of[node->parent], node->method);
        struct tree_node *to = &sum->nodes[node_of[i]];
        to->calls += node->calls;
        to->exceptions += node->exceptions;
        to->total += node->total;
        to->inside += node->inside;
    }
    free(node_of);
}

// Ranges may have nodes that the whole has not: none; and the whole none that no range has.
static void expect_equal(const struct tree *sum, struct tree *whole)
{
    uint32_t count = whole->count, *node_of = calloc(sum->count, sizeof *node_of);
    assert_non_null(node_of);
    for (uint32_t i = 1; i < sum->count; i++) {
        const struct tree_node *node = &sum->nodes[i];
        node_of[i] = tree_child(whole, node_of[node->parent], node->method);
        const struct tree_node *expected = &whole->nodes[node_of[i]];
        assert_int_equal(node->calls, expected->calls);
        assert_int_equal(node->exceptions, expected->exceptions);
        assert_int_equal(node->total, expected->total);
        assert_int_equal(node->inside, expected->inside);
    }
    assert_int_equal(whole->count, count);
    assert_int_equal(sum->count, count);
    free(node_of);
}

static void ranges_add_up_to_the_whole(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < 60; number++) {
        uint64_t newest = write_random(number), from = START, calls = 0, events = 0;
        struct tree sums[2];
        assert_int_equal(tree_init(&sums[0], UINT32_MAX), CLEW_OK);
        assert_int_equal(tree_init(&sums[1], UINT32_MAX), CLEW_OK);
        while (from <= newest) {
            uint64_t to = from + 1 + below((uint32_t)(newest - START) / 3);
            struct model *model = load((struct model_options){.from_ns = from - START, .to_ns = to - START});
            for (uint32_t i = 0; i < model->tree_count; i++) {
                add_tree(&sums[model->trees[i].process - 1], &model->trees[i].tree);
            }
            calls += model->calls;
            events += model->events;
            model_free(model);
            from = to;
        }
        struct model *whole = load((struct model_options){0});
        for (uint32_t i = 0; i < whole->tree_count; i++) {
            expect_equal(&sums[whole->trees[i].process - 1], &whole->trees[i].tree);
        }
        assert_int_equal(calls, whole->calls);
        assert_int_equal(events, whole->events);
        model_free(whole);
        tree_fini(&sums[0]);
        tree_fini(&sums[1]);
    }
}

static void a_range_of_everything_has_what_still_runs(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < 20; number++) {
        uint64_t newest = write_random(number);
        struct model *whole = load((struct model_options){0});
        struct model *range = load((struct model_options){.to_ns = newest + 1 - START});
        assert_int_equal(range->open, whole->open);
        assert_int_equal(range->calls, whole->calls);
        model_free(range);
        model_free(whole);
    }
}

static void threads_add_up_to_the_whole(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < 20; number++) {
        (void)write_random(number);
        struct model *whole = load((struct model_options){0});
        uint64_t calls = 0, events = 0;
        for (uint32_t thread = 1; thread <= THREADS; thread++) {
            struct model_thread only = {.thread = thread};
            struct model *model = load((struct model_options){.threads = {&only, 1}});
            calls += model->calls;
            events += model->events;
            assert_true(model->tree_count <= 1);
            model_free(model);
        }
        assert_int_equal(calls, whole->calls);
        assert_int_equal(events, whole->events);
        model_free(whole);
    }
}

// -- By hand ----------------------------------------------------------------------------------------------------------

static const struct tree_node *node_named(const struct model *model, uint32_t method)
{
    for (uint32_t i = 1; model->tree_count > 0 && i < model->trees[0].tree.count; i++) {
        if (model->trees[0].tree.nodes[i].method == method) {
            return &model->trees[0].tree.nodes[i];
        }
    }
    return NULL;
}

static void an_activation_counts_with_its_part_of_the_range(void **state)
{
    (void)state;
    const struct recording_event events[] = {E(100, MAIN), E(200, ADD), L(700), E(800, FIB), L(850), L(900)};
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define();
    write_stream(1, events, 6);
    must(recording_close(writer, NULL));
    struct model *model = load((struct model_options){.from_ns = 300, .to_ns = 820});
    const struct tree_node *main = node_named(model, MAIN), *add = node_named(model, ADD),
                           *fib = node_named(model, FIB);
    assert_int_equal(main->calls, 0);
    assert_int_equal(main->total, 520);
    assert_int_equal(tree_own(main), 520 - 400 - 20);
    assert_int_equal(main->open, 1);
    assert_int_equal(add->calls, 0);
    assert_int_equal(add->total, 400);
    assert_int_equal(add->shortest, UINT64_MAX); // its beginning is not in the range
    assert_int_equal(fib->calls, 1);
    assert_int_equal(fib->total, 20);
    assert_int_equal(model->calls, 1);
    assert_int_equal(model->open, 2);
    model_free(model);
}

// The thread's last event is before the range, and its next one after it: it is in MAIN all the time.
static void a_thread_that_waits_is_in_its_activation(void **state)
{
    (void)state;
    static const uint32_t open[] = {MAIN};
    static const uint64_t open_clock[] = {START + 100};
    const struct recording_event first[] = {E(100, MAIN), E(150, ADD), L(200)}, second[] = {L(5000)};
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define();
    write_stream(1, first, 3);
    struct recording_events block = block_of(1, second, 1);
    block.depth = 1;
    block.open = open;
    block.open_clock = open_clock;
    must(recording_write_events(writer, &block));
    must(recording_close(writer, NULL));
    struct model *model = load((struct model_options){.from_ns = 1000, .to_ns = 1999});
    assert_int_equal(node_named(model, MAIN)->total, 999);
    assert_null(node_named(model, ADD));
    assert_int_equal(model->events, 0);
    model_free(model);
    damage_block(RECORDING_EVENTS, 1);
    model = load((struct model_options){.from_ns = 1000, .to_ns = 1999});
    assert_true(model_damaged(model));
    model_free(model);
}

static void a_range_needs_a_stream(void **state)
{
    (void)state;
    create(path, INSTRUMENT_TREE, CLOCK_KIND_MONOTONIC);
    define();
    must(recording_close(writer, NULL));
    struct model *model = load((struct model_options){.to_ns = 5});
    assert_false(model->has_stream);
    assert_int_equal(model->tree_count, 0);
    model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_add_up_to_the_whole),
        cmocka_unit_test(a_range_of_everything_has_what_still_runs),
        cmocka_unit_test(threads_add_up_to_the_whole),
        cmocka_unit_test(an_activation_counts_with_its_part_of_the_range),
        cmocka_unit_test(a_thread_that_waits_is_in_its_activation),
        cmocka_unit_test(a_range_needs_a_stream),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
