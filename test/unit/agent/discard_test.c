// Activations without events write to a discard context. The test plays random programs of calls, exceptions, inline
// stores and site functions as woven code would run them. The page behind the context's room is a guard page.
#include "agent/probe/probe_sites.h"
#include "agent/probe/probe_thread.h"
#include "trace/instrument.h"
#include "unit/agent/probing.h"

#include <sys/mman.h>

enum { NUMBER = 1, SITES, METHOD = 16, METHODS = 40, DEEPEST = 30, PROGRAMS = 300, PAGE = 4096 };

static uint64_t seed;

static uint32_t draw(uint32_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % below;
}

static void define_sites(void)
{
    static struct site_layout forms[SITES];
    const struct site number = {.kind = SITE_DEFINITION, .place = PLACE_LOCAL, .encoding = VALUE_I4};
    site_layouts = forms;
    forms[NUMBER] = site_layout_of(&number, true);
    ring_event_lengths(probe_ring)[NUMBER] = event_length(payload_cells(&number), false, false);
}

static void guard(const struct ring_thread *context)
{
    uintptr_t behind = ((uintptr_t)context | (PAGE - 1)) + 1;
    assert_int_equal(mprotect((void *)behind, PAGE, PROT_NONE), 0);
}

// One activation as woven code runs it: it has its context, and counts the bytes that it has written since the last
// native probe that made room.
struct frame {
    struct ring_thread *context;
    uintptr_t node;
    uint32_t used;
};

static void check(struct frame *frame)
{
    struct ring_thread *context = frame->context;
    if (atomic_load_explicit(&context->at, memory_order_relaxed) >= context->limit && site_room(context)) {
        probes->wait();
    }
    frame->used = 0;
}

static void store(struct frame *frame, uint32_t events)
{
    uint32_t bytes = events * 8;
    if (frame->used + bytes > RING_SITE_ROOM) {
        check(frame);
    }
    uint64_t at = atomic_load_explicit(&frame->context->at, memory_order_relaxed);
    uint32_t *cells = (uint32_t *)(uintptr_t)at;
    for (uint32_t i = 0; i < events; i++) {
        cells[2 * i] = NUMBER << 2 | RING_EVENT_SITE;
        cells[2 * i + 1] = i;
    }
    atomic_store_explicit(&frame->context->at, at + bytes, memory_order_release);
    frame->used += bytes;
}

// False: an exception ends it.
static bool activate(uint32_t depth)
{
    uint32_t method = METHOD + draw(METHODS);
    struct frame frame = {0};
    frame.context = (struct ring_thread *)probes->enter_context(method, &frame.node);
    if (thread_is_discard(frame.context)) {
        guard(frame.context);
    }
    for (uint32_t steps = draw(8); steps > 0; steps--) {
        switch (draw(4)) {
        case 0:
            site_bits(frame.context, NUMBER, 0, 0, steps);
            frame.used = 0;
            break;
        case 1:
            if (depth < DEEPEST && !activate(depth + 1)) {
                if (draw(3) == 0) {
                    return false;
                }
                probes->restate(frame.node);
                frame.used = 0;
            }
            break;
        default:
            store(&frame, 1 + draw(RING_SITE_ROOM / 8));
            break;
        }
    }
    if (draw(10) == 0) {
        return false;
    }
    if (probes->leave(method)) {
        probes->wait();
    }
    return true;
}

static void play(void)
{
    for (uint32_t i = 0; i < PROGRAMS; i++) {
        seed = i;
        uintptr_t outer = 0;
        (void)probes->enter_context(METHOD, &outer);
        if (!activate(1)) {
            probes->restate(outer);
        }
        (void)probes->leave(METHOD);
    }
}

static const struct ring_options lossy = {.clock = CLOCK_KIND_NONE,
                                          .instruments = INSTRUMENT_CALLS | INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES,
                                          .flags = SESSION_LOSSY};

static void run_played(const struct ring_options *options, void (*body)(void))
{
    pthread_t thread;
    open_segment(options);
    define_sites();
    assert_int_equal(pthread_create(&thread, NULL, run_body, (void *)(uintptr_t)body), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void test_deeper_than_the_limit(void **state)
{
    (void)state;
    for (uint32_t depth = 1; depth < 5; depth++) {
        struct ring_options shallow = lossy;
        shallow.depth_max = depth;
        run_played(&shallow, play);
        assert_int_equal(probe_ring->threads_refused, 0);
    }
}

static void test_without_a_slot(void **state)
{
    (void)state;
    struct ring_options none = lossy;
    none.nodes_max = RING_NODE_BLOCK;
    run_played(&none, play);
    assert_int_equal(probe_ring->threads_refused, 1);
}

// The pool has no chunk at first, and gets one while activations run that began without.
static void play_until_there_is_room(void)
{
    _Atomic uint64_t *free_chunks = ring_free_chunks(probe_ring);
    uint64_t before = atomic_load(&free_chunks[0]);
    for (uint32_t i = 0; i < RING_CHUNKS_MAX / 64; i++) {
        atomic_store(&free_chunks[i], 0);
    }
    struct frame frame = {0};
    frame.context = (struct ring_thread *)probes->enter_context(METHOD, &frame.node);
    assert_true(thread_is_discard(frame.context));
    guard(frame.context);
    atomic_store(&free_chunks[0], before);
    for (uint32_t i = 0; i < PROGRAMS; i++) {
        seed = i;
        store(&frame, 30);
        (void)activate(1);
        probes->restate(frame.node);
        frame.used = 0;
    }
    assert_int_equal(thread_self_private->chunk, 0);
    (void)probes->leave(METHOD);
    frame.context = (struct ring_thread *)probes->enter_context(METHOD, &frame.node);
    assert_false(thread_is_discard(frame.context));
    (void)probes->leave(METHOD);
}

static void test_without_a_first_chunk(void **state)
{
    (void)state;
    run_played(&lossy, play_until_there_is_room);
    assert_true(atomic_load(&ring_threads(probe_ring)[0].lost) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deeper_than_the_limit),
        cmocka_unit_test(test_without_a_slot),
        cmocka_unit_test(test_without_a_first_chunk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
