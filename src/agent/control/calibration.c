// See calibration.h. Probes at sites write to a slot and to chunks that no collector sees: the last ones, which are the last that
// threads would get.
#include "agent/control/calibration.h"

#include <string.h>
#include <sys/mman.h>

#include "agent/probe/probe.h"
#include "agent/probe/probe_lines.h"
#include "agent/probe/probe_objects.h"
#include "agent/probe/probe_sites.h"
#include "agent/probe/probe_stream.h"
#include "agent/probe/shadow.h"
#include "agent/session/agent.h"
#include "base/clock.h"
#include "trace/instrument.h"
#include "weave/operations/probes.h"

enum { ROUNDS = 5, CALLS = 2000, SITE_ROUNDS = 3, CHUNKS = 4 };

static double ps_a_tick(struct clock_pair start)
{
    return 1e12 / clock_rate_hz(start, clock_pair_now());
}

// -- Calls ------------------------------------------------------------------------------------------------------------

// An entry and exit together, in ticks of the processor's counter for CALLS of them.
static uint64_t measure_calls(const struct probe_set *used, const struct probe_set *tree)
{
    uint64_t best = UINT64_MAX;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t before = clock_tsc();
        for (int i = 0; i < CALLS; i++) {
            used->enter(METHOD_FIRST_REAL);
            used->leave(METHOD_FIRST_REAL);
        }
        uint64_t whole = clock_tsc() - before;
        best = whole < best ? whole : best;
        tree->enter(METHOD_FIRST_REAL);
        tree->leave(METHOD_FIRST_REAL);
    }
    return best;
}

static void calibrate_calls(void)
{
    const struct probe_set *tree = probe_set_for(CLOCK_KIND_TSC, false);
    const struct probe_set *used = probe_set_for((enum clock_kind)agent.ring->clock, false);
    struct clock_pair start = clock_pair_now();
    uint64_t best = measure_calls(used, tree), own = UINT64_MAX;
    struct ring_thread *thread = thread_self;
    uint32_t child = thread ? node_at(thread->root)->first_child : 0;
    if (!child) {
        return;
    }
    for (int i = 0; i < CALLS; i++) {
        node_at(child)->shortest = UINT64_MAX;
        tree->enter(METHOD_FIRST_REAL);
        tree->leave(METHOD_FIRST_REAL);
        own = node_at(child)->shortest < own ? node_at(child)->shortest : own;
    }
    double rate = ps_a_tick(start);
    agent.ring->probe_ns_x1000 = (uint64_t)((double)best / CALLS * rate);
    agent.ring->probe_own_ns_x1000 = agent.ring->clock == CLOCK_KIND_TSC ? (uint64_t)((double)own * rate) : 0;
    node_at(thread->root)->first_child = 0;
    *node_at(child) = (struct ring_node){0};
    memset(thread_self_private->children, 0, sizeof thread_self_private->children);
}

// -- Sites ------------------------------------------------------------------------------------------------------------

enum { SITE = 0 }; // no method has a site of this number

// What the probes write for.
struct bench {
    struct ring_thread *context; // a slot, since probes discard what goes elsewhere
    uint64_t chunks;             // address of CHUNKS chunks
    uintptr_t object;            // address of a word of this agent that has an object's number in the shadow
    struct weave_line lines[2];
    struct weave_lines state;
    lines_clock *lines_now; // NULL: lines use the tick word
};

typedef void probe_of_site(struct bench *bench);

// As woven code does it (weave/plan/lower_inline.c): a check for room, the cells, the new position.
static inline __attribute__((always_inline)) void write_inline(struct bench *bench, uint32_t value_cells)
{
    uint64_t at = atomic_load_explicit(&bench->context->at, memory_order_relaxed);
    if (at >= bench->context->limit) {
        site_check(bench->context); // never
    }
    uint32_t *cells = (uint32_t *)(uintptr_t)at;
    cells[0] = SITE << 2 | RING_EVENT_SITE;
    if (value_cells) {
        cells[1] = (uint32_t)at;
    }
    atomic_store_explicit(&bench->context->at, at + (1 + value_cells) * sizeof *cells, memory_order_release);
}

static void statement(struct bench *bench)
{
    write_inline(bench, 0);
}

static void scalar(struct bench *bench)
{
    write_inline(bench, 1);
}

static void reference(struct bench *bench)
{
    site_at(bench->context, SITE, 0, 0, &bench->object);
}

static void object(struct bench *bench)
{
    objects_rehearse(bench->context, 0);
}

static void text(struct bench *bench)
{
    enum { UNITS = 16 };
    objects_rehearse(bench->context, UNITS);
}

// As weave/weave_lines.c: the time since the last statement goes to that, then this one counts.
static void line(struct bench *bench)
{
    uint64_t now = atomic_load_explicit(&agent.ring->tick_ns, memory_order_relaxed);
    if (bench->lines_now) {
        bench->lines_now(&now);
    }
    bench->state.current->own += now - bench->state.last;
    bench->state.last = now;
    bench->state.current = bench->state.current == bench->lines ? bench->lines + 1 : bench->lines;
    bench->state.current->count++;
}

// In ps for one event of so many bytes. The chunks together are larger than the first cache, like a stream that moves on.
static uint64_t measure(struct bench *bench, probe_of_site *probe, uint32_t bytes, double rate)
{
    uint64_t best = UINT64_MAX;
    // So few that room never ends: the context would then get a chunk of the pool.
    uint32_t count = (RING_CHUNK_SIZE - 2 * RING_SITE_ROOM - (uint32_t)sizeof(struct ring_chunk)) / bytes;
    for (int round = 0; round < SITE_ROUNDS; round++) {
        uint64_t before = clock_tsc();
        for (uint32_t chunk = 0; chunk < CHUNKS; chunk++) {
            uint64_t start = bench->chunks + chunk * RING_CHUNK_SIZE;
            bench->context->limit = start + RING_CHUNK_SIZE - RING_SITE_ROOM;
            atomic_store_explicit(&bench->context->at, start + sizeof(struct ring_chunk), memory_order_relaxed);
            for (uint32_t i = 0; i < count; i++) {
                probe(bench);
            }
            CLEW_ASSERT(bench->context->at < bench->context->limit && "no chunk was taken");
        }
        uint64_t whole = clock_tsc() - before;
        best = whole < best ? whole : best;
    }
    return (uint64_t)((double)best / (CHUNKS * count) * rate);
}

// A word of this agent takes the place of an object that was seen before.
static bool make_object(struct bench *bench)
{
    bench->object = (uintptr_t)bench->lines;
    struct shadow_leaf *leaf = shadow_leaf_for(bench->object);
    if (leaf) {
        atomic_store_explicit(shadow_cell(leaf, bench->object), 1, memory_order_relaxed);
    }
    return leaf != NULL;
}

static void forget_object(const struct bench *bench)
{
    atomic_store_explicit(shadow_cell(shadow_leaf_for(bench->object), bench->object), 0, memory_order_relaxed);
}

static void calibrate_values(struct bench *bench, uint64_t costs[PROBE_KINDS], double rate)
{
    costs[PROBE_SCALAR] = measure(bench, scalar, 8, rate);
    costs[PROBE_OBJECT] = measure(bench, object, 24, rate);
    costs[PROBE_STRING] = measure(bench, text, 64, rate);
    if (make_object(bench)) {
        site_layouts[SITE] = (struct site_layout){.encoding = VALUE_OBJECT, .head_cells = 1};
        costs[PROBE_REFERENCE] = measure(bench, reference, 8, rate);
        site_layouts[SITE] = (struct site_layout){0};
        forget_object(bench);
    }
}

static void calibrate_sites(double rate)
{
    static struct bench bench;
    uint64_t *costs = agent.ring->site_ps;
    bench.chunks = probe_chunks + (uint64_t)(RING_CHUNKS_MAX - CHUNKS) * RING_CHUNK_SIZE;
    bench.context = ring_threads(agent.ring) + RING_THREADS_MAX - 1;
    bench.state.current = bench.lines;
    bench.lines_now = lines_clock_of(agent.ring);
    if (agent.instruments & INSTRUMENT_LINES) {
        costs[PROBE_LINE] = measure(&bench, line, 8, rate);
    }
    if (agent.instruments & (INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES)) {
        costs[PROBE_STATEMENT] = measure(&bench, statement, 4, rate);
    }
    if (agent.instruments & INSTRUMENT_VALUES) {
        calibrate_values(&bench, costs, rate);
    }
    *bench.context = (struct ring_thread){0};
    (void)madvise((void *)(uintptr_t)bench.chunks, CHUNKS * RING_CHUNK_SIZE, MADV_REMOVE); // returns the memory
}

void calibrate(void)
{
    struct clock_pair start = clock_pair_now();
    calibrate_calls();
    if (site_layouts) {
        calibrate_sites(ps_a_tick(start));
    }
}
