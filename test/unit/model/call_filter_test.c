// The filter excludes no block in which a chosen call runs, or one of its callers begins or ends, and excludes most others.
#include "model/call_filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../opened.h"
#include "../recording/random.h"
#include "../recording_path.h"
#include "model/model.h"
#include "recording/writer.h"

enum { THREADS = 3, BLOCKS = 100, EVENTS = 64, DEPTH = 12, CHOSEN = 16, METHODS = 20, RARE = 700, LONG = 5000 };

struct activation {
    uint32_t method;
    uint64_t started;
    uint32_t block; // where it began
    bool shown;     // it is chosen, or called by a chosen one, or has called one
};

struct thread {
    struct activation stack[DEPTH];
    uint32_t depth, block;
    uint64_t clock;
    bool must[BLOCKS]; // a story shows something of the block
};

static bool is_within(const struct thread *thread)
{
    bool within = false;
    for (uint32_t i = 0; i < thread->depth; i++) {
        within |= thread->stack[i].method == CHOSEN;
    }
    return within;
}

static struct recording_event enter(struct thread *thread)
{
    uint32_t method = next_random() % RARE == 0 ? CHOSEN : CHOSEN + 1 + (uint32_t)(next_random() % METHODS);
    thread->stack[thread->depth++] = (struct activation){method, thread->clock, thread->block, false};
    for (uint32_t i = 0; is_within(thread) && i < thread->depth; i++) {
        thread->stack[i].shown = true;
        thread->must[thread->stack[i].block] = true;
    }
    return (struct recording_event){.clock = thread->clock, .kind = RECORDING_ENTER, .method = method};
}

static struct recording_event leave(struct thread *thread)
{
    thread->must[thread->block] |= thread->stack[--thread->depth].shown;
    return (struct recording_event){.clock = thread->clock, .kind = RECORDING_LEAVE};
}

// Some activations last for many blocks: at most depths, the stack only seldom gets lower.
static struct recording_event any(struct thread *thread)
{
    bool lower = thread->depth == DEPTH || (thread->depth > DEPTH / 2 ? next_random() % 2 : next_random() % LONG == 0);
    thread->clock += next_random() % 3;
    return thread->depth > 0 && lower ? leave(thread) : enter(thread);
}

static void write_block(struct recording_writer *writer, struct thread *thread, uint32_t number)
{
    struct recording_event events[EVENTS];
    uint32_t open[DEPTH], depth = thread->depth;
    uint64_t open_clock[DEPTH], first = thread->clock;
    thread->must[thread->block] |= is_within(thread);
    for (uint32_t i = 0; i < depth; i++) {
        open[i] = thread->stack[i].method;
        open_clock[i] = thread->stack[i].started;
    }
    for (uint32_t i = 0; i < EVENTS; i++) {
        events[i] = any(thread);
    }
    const struct recording_events block = {.process = 1,
                                           .thread = number,
                                           .position = (uint64_t)thread->block * EVENTS,
                                           .words = EVENTS,
                                           .first_clock = first,
                                           .last_clock = thread->clock,
                                           .depth = depth,
                                           .open = open,
                                           .open_clock = open_clock,
                                           .count = EVENTS,
                                           .events = events};
    assert_int_equal(recording_write_events(writer, &block), CLEW_OK);
    thread->block++;
}

static void make(struct thread *threads)
{
    const struct recording_session session = {.clock_hz = 1e9};
    struct recording_writer *writer;
    (void)unlink(path);
    assert_int_equal(recording_create(path, &session, &writer), CLEW_OK);
    assert_int_equal(recording_write_process(writer, &(struct recording_process){.process = 1}), CLEW_OK);
    for (uint32_t i = CHOSEN; i <= CHOSEN + METHODS; i++) {
        const struct recording_method method = {
            .process = 1, .method = i, .name = text_of(i == CHOSEN ? "A.B()" : "C.D()")};
        assert_int_equal(recording_write_method(writer, &method), CLEW_OK);
    }
    for (uint32_t i = 0; i < THREADS * BLOCKS; i++) {
        write_block(writer, &threads[i % THREADS], 1 + i % THREADS);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        threads[i].must[BLOCKS - 1] |= threads[i].depth > 0 && threads[i].stack[0].shown; // it runs at the end
    }
    assert_int_equal(recording_close(writer, &(struct recording_end){.complete = true}), CLEW_OK);
}

// Checks that the filter keeps blocks outside the range and, with `threads`, those that a story shows something of.
static uint32_t count_excluded(const struct thread *threads, uint64_t from, uint64_t to)
{
    struct model *model;
    struct recording *recording = opened(path);
    const struct recording_block *blocks;
    size_t count;
    uint32_t excluded = 0, at[THREADS] = {0};
    struct excluded_blocks filter = {0};
    assert_int_equal(model_load(recording, &(struct model_options){.names_only = true}, &model), CLEW_OK);
    uint8_t marks[METHODS + 2] = {0};
    assert_true(model->catalog.method_count < sizeof marks);
    marks[catalog_find_method(&model->catalog, 1, CHOSEN)] = CHOICE_METHOD;
    assert_int_equal(call_filter_choose(&filter, &model->catalog, marks, recording, from, to), CLEW_OK);
    assert_int_equal(recording_index(recording, &blocks, &count), CLEW_OK);
    for (size_t i = 0; i < count; i++) {
        if (blocks[i].type == RECORDING_EVENTS) {
            bool wants = !excluded_blocks_have(&filter, &blocks[i]);
            bool within = blocks[i].last_clock >= from && blocks[i].first_clock <= to;
            uint32_t thread = blocks[i].thread - 1;
            assert_true(wants || !threads || !threads[thread].must[at[thread]]);
            at[thread]++;
            assert_true(wants || within);
            excluded += !wants;
        }
    }
    excluded_blocks_free(&filter);
    model_free(model);
    return excluded;
}

static void no_block_with_a_chosen_call_or_a_caller_of_one_is_left_out(void **state)
{
    (void)state;
    uint32_t excluded = 0, within = 0, rounds = 40;
    for (seed = 1; seed <= rounds; seed++) {
        static struct thread threads[THREADS];
        uint64_t first_seed = seed;
        memset(threads, 0, sizeof threads);
        make(threads);
        seed = first_seed;
        excluded += count_excluded(threads, 0, UINT64_MAX);
        within += count_excluded(NULL, BLOCKS * EVENTS / 4, BLOCKS * EVENTS / 2);
    }
    assert_in_range(within, rounds, excluded);
    assert_in_range(excluded, rounds * THREADS * BLOCKS / 3, rounds * THREADS * BLOCKS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_block_with_a_chosen_call_or_a_caller_of_one_is_left_out),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
