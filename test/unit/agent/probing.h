// Probes without a runtime: a segment of their own, threads that run them, and a walk over the events that they wrote.
#ifndef CLEW_UNIT_AGENT_PROBING_H
#define CLEW_UNIT_AGENT_PROBING_H

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/probe/probe.h"
#include "agent/probe/probe_thread.h"
#include "ring/segment.h"
#include "ring/walk.h"
#include "trace/instrument.h"

static const struct probe_set *probes;

// A thread that was joined may exist for a moment longer, and its slot is not given to another thread meanwhile: waits for that.
static inline void close_segment(void)
{
    uint32_t used = atomic_load(&probe_ring->threads_used);
    for (uint32_t slot = 0; slot < used && slot < RING_THREADS_MAX; slot++) {
        uint32_t thread = ring_threads(probe_ring)[slot].os_id;
        while (thread && thread != (uint32_t)gettid() && tgkill(getpid(), (pid_t)thread, 0) == 0) {
            (void)sched_yield();
        }
    }
    segment_unmap(probe_ring);
    probe_ring = NULL;
}

static inline void open_segment(const struct ring_options *options)
{
    if (probe_ring) {
        close_segment();
    }
    int fd;
    assert_int_equal(segment_create(options, &fd, &probe_ring), CLEW_OK);
    (void)close(fd);
    probe_ring->base = (uintptr_t)probe_ring;
    thread_use_segment(probe_ring);
    probe_setup(options->depth_max, options->flags & SESSION_LOSSY, false);
    probes = probe_set_for(options->clock, options->instruments & INSTRUMENT_CALLS);
}

static inline void *run_body(void *body)
{
    ((void (*)(void))(uintptr_t)body)();
    return NULL;
}

// Runs `body` on a fresh thread of a fresh segment; the segment stays for checking.
static inline void run(const struct ring_options *options, void (*body)(void))
{
    open_segment(options);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_body, (void *)(uintptr_t)body), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

struct tally {
    uint64_t enters, leaves, unwinds, lost;
    uint64_t marked; // methods with more than their number
    int64_t depth;
};

static inline void add_event(struct tally *tally, const uint32_t *cells)
{
    uint32_t payload = RING_EVENT_PAYLOAD(cells[0]);
    switch (RING_EVENT_KIND(cells[0])) {
    case RING_EVENT_ENTER:
        tally->marked += payload > RING_METHOD_NUMBER;
        tally->enters++;
        tally->depth++;
        break;
    case RING_EVENT_LEAVE:
        tally->leaves += payload == 0;
        tally->unwinds += payload == 1;
        tally->depth--;
        break;
    case RING_EVENT_SITE:
        break;
    case RING_EVENT_EXTENDED:
        if ((payload & 0xFF) == RING_EXTENDED_LOST) {
            tally->lost += ring_word_at(cells + 2);
        } else if ((payload & 0xFF) == RING_EXTENDED_STACK) {
            tally->depth = (int64_t)ring_word_at(cells + 2);
            for (uint32_t i = 1; i < payload >> 8; i++) {
                tally->marked += ring_word_at(cells + 2 + 2 * i) > RING_METHOD_NUMBER;
            }
        }
        break;
    }
}

// Walks thread 0's stream as the collector does.
static inline void walk_stream(void (*each)(const uint32_t *cells, size_t size, void *context), void *context)
{
    const struct ring_thread *thread = &ring_threads(probe_ring)[0];
    uint64_t held = atomic_load(&thread->stalled), cursor = held ? held : atomic_load(&thread->at);
    for (uint64_t number = thread->first_chunk; number;) {
        const struct ring_chunk *chunk = ring_chunk_at(probe_ring, number - 1);
        uint64_t next = atomic_load(&chunk->next);
        const char *start = (const char *)chunk;
        const uint32_t *at = (const uint32_t *)(start + sizeof *chunk);
        const uint32_t *end = (const uint32_t *)(next ? (uintptr_t)start + chunk->used : (uintptr_t)cursor);
        while (at < end) {
            size_t size = ring_event_cells(ring_event_lengths(probe_ring), at[0], at, (size_t)(end - at));
            assert_true(size > 0);
            each(at, size, context);
            at += size;
        }
        number = next;
    }
}

static inline void tally_event(const uint32_t *cells, size_t size, void *tally)
{
    (void)size;
    add_event(tally, cells);
}

static inline struct tally read_stream(void)
{
    struct tally tally = {0};
    walk_stream(tally_event, &tally);
    return tally;
}

#endif
