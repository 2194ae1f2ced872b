// The runs of runtime async that a thread has left behind in their awaits. The agent ends them at the thread's next event
// (agent/probe/probe_awaits.h). A thread that never has one ends here, once it is gone: in its tree, and in its stream as far as its
// newest chunk has room for the events.
#include "collector/drain/process_parts.h"
#include "ring/publish.h"
#include "ring/walk.h"

enum { EVENTS_SIZE = 4 * sizeof(uint64_t) }; // of a SUSPEND and a LEAVE

// The await that is current on the thread, and the node of its run; NULL: none is.
static struct ring_await *current_await(const struct process *process, const struct ring_thread *thread, uint32_t *run)
{
    struct ring_header *ring = process->ring;
    uint32_t place = RING_READ_ONCE(thread->current);
    if (place >= ring->nodes_max || RING_READ_ONCE(ring_nodes(ring)[place].method) != METHOD_AWAITING) {
        return NULL;
    }
    *run = RING_READ_ONCE(ring_nodes(ring)[place].parent);
    bool runs = *run < ring->nodes_max && RING_READ_ONCE(ring_nodes(ring)[*run].method) & RING_METHOD_RUNS;
    return runs ? (struct ring_await *)(void *)&ring_node_runs(ring)[place] : NULL;
}

// Whether activations of the method have events at the thread's depth.
static bool is_streamed(const struct ring_header *ring, const struct ring_thread *thread, uint32_t method)
{
    return ring_instruments(ring) & INSTRUMENT_STREAMS && !(method & RING_METHOD_NOT_IN_CALLS) &&
           (!ring->depth_max || thread->depth <= ring->depth_max);
}

// The words where the thread's next event goes; NULL: there is no room for two.
static uint64_t *room(const struct process *process, uint32_t index)
{
    struct ring_header *ring = process->ring;
    const struct ring_thread *thread = process__thread(process, index);
    uint64_t cursor, within;
    bool known = chunk_cursor(process, index, &cursor) == CLEW_OK && cursor != 0;
    within = known ? (cursor - ring->chunks_offset) % RING_CHUNK_SIZE : 0;
    bool stalled = atomic_load_explicit(&thread->stalled, memory_order_relaxed);
    bool fits = within >= sizeof(struct ring_chunk) && within + EVENTS_SIZE <= RING_CHUNK_SIZE;
    return known && !stalled && fits ? (uint64_t *)(void *)((char *)ring + cursor) : NULL;
}

static bool write_events(struct process *process, uint32_t index, const struct ring_await *await, uint64_t at)
{
    struct ring_thread *thread = process__thread(process, index);
    uint64_t *words = room(process, index);
    if (!words || (at - thread->last_clock) >> 32) {
        return false;
    }
    ring_set_word(words, RING_EVENT(RING_EVENT_EXTENDED, RING_EXTENDED_SUSPEND | 2 << 8, at));
    ring_set_word(words + 1, await->serial);
    ring_set_word(words + 2, await->await);
    ring_set_word(words + 3, RING_EVENT(RING_EVENT_LEAVE, 0, at));
    thread->last_clock = at;
    atomic_fetch_add_explicit(&thread->at, EVENTS_SIZE, memory_order_release);
    return true;
}

static void end_run(struct ring_header *ring, struct ring_node *node, uint64_t at)
{
    uint64_t ticks = ring->clock != CLOCK_KIND_NONE && at > node->started ? at - node->started : 0;
    node->started = 0;
    if (ring->clock != CLOCK_KIND_NONE) {
        node->total += ticks;
        node->shortest = ticks < node->shortest ? ticks : node->shortest;
        node->longest = ticks > node->longest ? ticks : node->longest;
    }
}

void process__end_awaits(struct process *process, uint32_t index)
{
    struct ring_thread *thread = process__thread(process, index);
    struct ring_header *ring = process->ring;
    const struct ring_await *await;
    uint32_t run;
    for (uint32_t left = ring->nodes_max; left > 0 && (await = current_await(process, thread, &run)); left--) {
        struct ring_node *node = &ring_nodes(ring)[run];
        uint64_t at = await->since > thread->last_clock ? await->since : thread->last_clock;
        if (is_streamed(ring, thread, node->method) && !write_events(process, index, await, at)) {
            return;
        }
        thread->last_clock = at;
        thread->depth -= ring_instruments(ring) & INSTRUMENT_STREAMS && !(node->method & RING_METHOD_NOT_IN_CALLS);
        end_run(ring, node, at);
        thread->current = node->parent;
    }
}
