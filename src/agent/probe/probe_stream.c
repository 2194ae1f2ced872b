// The slow paths of streams: chunks, losses, and waiting for the collector.
//
// A chunk has room behind its limit: what woven code writes between two checks, and what probes write meanwhile. A thread
// that passes the limit while the pool is empty is asked to wait, which woven code does in a call with GC transition
// (stream_wait), so that collections of the program can go on. Where only probes and hooks run they wait when that room
// is used up, in cooperative mode, which stops collections meanwhile.
//
// A thread that waited in vain goes on without room, and waits again once it has lost as many events as a chunk holds.
//
// Where nobody makes room, or nobody may wait, the stream is held: woven code goes on writing behind the held place, again
// and again from there, and what it wrote is counted whenever it asks for room. Who reads stops at the held place.
#include "agent/probe/probe_stream.h"

#include "agent/probe/probe_chunks.h"
#include "base/clock.h"

enum {
    SPARE = 64,                        // bytes for an extended event more
    BEHIND_LIMIT = 4 * RING_SITE_ROOM, // bytes from the limit to the chunk's end: see fits()
    CHUNK_EVENTS = (RING_CHUNK_SIZE - sizeof(struct ring_chunk) - BEHIND_LIMIT) / 8, // entries and exits
    STACK_MAX = CHUNK_EVENTS - SPARE / 8,                                            // methods in one STACK event
    LOSSES_SIZE = (2 + 2 + STACK_MAX) * 8,                                           // of a LOST with the longest STACK
};
static_assert(sizeof(struct ring_chunk) + LOSSES_SIZE < RING_CHUNK_SIZE - BEHIND_LIMIT,
              "losses are told in a fresh chunk, and an event fits behind them");
static_assert(BEHIND_LIMIT >= 2 * RING_SITE_ROOM + SPARE, "a probe may write behind the limit");

bool stream_lossy;
uint32_t stream_depth_limit = UINT32_MAX;

// -- Chunks -----------------------------------------------------------------------------------------------------------

static uintptr_t chunks(void)
{
    return (uintptr_t)ring_chunk_at(probe_ring, 0);
}

static struct ring_chunk *current_chunk(struct ring_thread *thread)
{
    uint64_t at = atomic_load_explicit(&thread->at, memory_order_relaxed);
    CLEW_ASSERT(!at || stream_in_chunk(at, 0));
    return at ? ring_chunk_at(probe_ring, (at - chunks()) / RING_CHUNK_SIZE) : NULL;
}

// Leaves the current chunk for chunk `number` (+ 1); nothing stands behind a held place.
static void move_to(struct ring_thread *thread, uint64_t number, uint64_t clock)
{
    CLEW_ASSERT(number >= 1 && number <= RING_CHUNKS_MAX);
    struct ring_chunk *old = current_chunk(thread);
    struct ring_chunk *fresh = ring_chunk_at(probe_ring, number - 1);
    CLEW_ASSERT(old != fresh && "a chunk that is taken is nobody's");
    uint64_t tsc = clock_tsc();
    fresh->thread = (uint32_t)(thread - ring_threads(probe_ring));
    atomic_store_explicit(&fresh->next, 0, memory_order_relaxed);
    fresh->used = 0;
    fresh->sequence = old ? old->sequence + 1 : 0;
    fresh->opened_tsc = tsc;
    fresh->closed_tsc = 0;
    fresh->opened_clock = clock;
    thread->last_clock = clock;
    if (old) {
        old->used = atomic_load_explicit(&thread->at, memory_order_relaxed) - (uintptr_t)old;
        CLEW_ASSERT(old->used >= sizeof *old && old->used <= RING_CHUNK_SIZE);
        old->closed_tsc = tsc;
        // Pairs with the collector's acquire load of next: used is final before the chunk counts as left.
        atomic_store_explicit(&old->next, number, memory_order_release);
    } else {
        thread->first_chunk = number;
    }
    thread->limit = (uintptr_t)fresh + RING_CHUNK_SIZE - BEHIND_LIMIT;
    // After `next`: who still reads the old cursor, and that nothing is held, finds where the old chunk ends.
    atomic_store_explicit(&thread->stalled, 0, memory_order_release);
    atomic_store_explicit(&thread->at, (uintptr_t)(fresh + 1), memory_order_release);
}

// -- Losses -----------------------------------------------------------------------------------------------------------

static void count_lost(struct ring_thread *thread, uint64_t events)
{
    atomic_fetch_add_explicit(&thread->lost, events, memory_order_relaxed);
    thread_self_private->lost_unreported += events;
    CLEW_ASSERT(thread_self_private->lost_unreported <= atomic_load_explicit(&thread->lost, memory_order_relaxed));
}

// Holds the stream where it is, or throws away what was written since.
static void hold(struct ring_thread *thread)
{
    uint64_t at = atomic_load_explicit(&thread->at, memory_order_relaxed);
    uint64_t held = atomic_load_explicit(&thread->stalled, memory_order_relaxed);
    if (held) {
        const struct ring_header *ring = probe_ring;
        CLEW_ASSERT(stream_in_chunk(held, at - held) && "woven code stays in the chunk");
        count_lost(thread, ring_count_events(ring, ring_offset_of(ring, held), ring_offset_of(ring, at)));
        atomic_store_explicit(&thread->at, held, memory_order_release);
    } else if (at) {
        // Pairs with the collector's acquire load: it is there before the cursor passes it.
        atomic_store_explicit(&thread->stalled, at, memory_order_release);
        thread->limit = 0; // whoever wants room asks
    }
}

// -- Room -------------------------------------------------------------------------------------------------------------

static bool past_limit(const struct ring_thread *thread, uint32_t size)
{
    return atomic_load_explicit(&thread->at, memory_order_relaxed) + size >= thread->limit;
}

// Whether a probe may write so much although the limit is passed. Two times RING_SITE_ROOM are left then: woven code may
// write one of them up to its next check, and if the stream has to be held there, the other again and again.
static bool fits(const struct ring_thread *thread, uint32_t size)
{
    uint64_t in_chunks = atomic_load_explicit(&thread->at, memory_order_relaxed) - chunks();
    return in_chunks % RING_CHUNK_SIZE + size + SPARE + 2 * RING_SITE_ROOM <= RING_CHUNK_SIZE;
}

// Not in a lossy session, nor when the collector is gone, nor soon after a wait that brought no chunk.
static bool may_wait(const struct ring_thread *thread)
{
    return !stream_lossy && !atomic_load_explicit(&probe_ring->collector_gone, memory_order_acquire) &&
           atomic_load_explicit(&thread->lost, memory_order_relaxed) >= thread_self_private->wait_again_at;
}

static uint64_t wait_for_chunk(struct ring_thread *thread)
{
    uint64_t chunk = chunks_wait(thread);
    if (!chunk) {
        thread_self_private->wait_again_at = atomic_load_explicit(&thread->lost, memory_order_relaxed) + CHUNK_EVENTS;
    }
    return chunk;
}

// -- Events -----------------------------------------------------------------------------------------------------------

static void put(struct ring_thread *thread, uint64_t word)
{
    uint64_t at = atomic_load_explicit(&thread->at, memory_order_relaxed);
    CLEW_ASSERT(stream_in_chunk(at, sizeof word));
    ring_set_word((void *)(uintptr_t)at, word);
    atomic_store_explicit(&thread->at, at + sizeof word, memory_order_release);
}

// Extended events have words that must appear together: the cursor moves once, over all of them.
static void put_two(struct ring_thread *thread, uint64_t first, uint64_t second)
{
    uint64_t at = atomic_load_explicit(&thread->at, memory_order_relaxed);
    struct ring_word *words = (struct ring_word *)(uintptr_t)at;
    CLEW_ASSERT(stream_in_chunk(at, 2 * sizeof first));
    words[0].value = first;
    words[1].value = second;
    atomic_store_explicit(&thread->at, at + 2 * sizeof first, memory_order_release);
}

static uint64_t extended(enum ring_extended kind, uint32_t further, uint64_t clock)
{
    return RING_EVENT(RING_EVENT_EXTENDED, (uint32_t)kind | further << 8, clock);
}

static void tell_activation(struct ring_word *words, uint32_t method, uint64_t *depth, uint64_t *told)
{
    if (!stream_has(method)) {
        return;
    }
    ++*depth;
    if (*told < STACK_MAX) {
        words[(*told)++].value = method & RING_METHOD_NUMBER;
    }
}

// The running activations, as a STACK event: after losses nobody else could know them.
static void tell_stack(struct ring_thread *thread, uint64_t clock)
{
    uint64_t at = atomic_load_explicit(&thread->at, memory_order_relaxed);
    struct ring_word *words = (struct ring_word *)(uintptr_t)at;
    struct thread_private *own = thread_self_private;
    uint64_t depth = 0, told = 0;
    for (uint32_t i = own->overflow_depth; i-- > 0;) {
        tell_activation(words + 2, probe_nodes[own->overflow[i].node].method, &depth, &told);
    }
    uint32_t node = thread->current;
    for (uint32_t left = probe_ring->nodes_max; left > 0 && node; left--) { // else they were written over
        tell_activation(words + 2, probe_nodes[node].method, &depth, &told);
        node = probe_nodes[node].parent;
    }
    for (uint64_t i = 0; i < told / 2; i++) { // outermost first
        struct ring_word swap = words[2 + i];
        words[2 + i] = words[2 + told - 1 - i];
        words[2 + told - 1 - i] = swap;
    }
    CLEW_ASSERT(told <= depth && told <= STACK_MAX && stream_in_chunk(at, (2 + told) * sizeof(uint64_t)));
    words[0].value = extended(RING_EXTENDED_STACK, (uint32_t)(1 + told), clock);
    words[1].value = depth;
    atomic_store_explicit(&thread->at, at + (2 + told) * sizeof(uint64_t), memory_order_release);
}

// What could not be written before is told first. An event at hand that changes what runs is among the lost then, since
// the stack that is told has it done already.
static bool tell_losses(struct ring_thread *thread, uint64_t clock, bool at_hand)
{
    struct thread_private *own = thread_self_private;
    if (!own->lost_unreported) {
        return false;
    }
    if (at_hand) {
        count_lost(thread, 1);
    }
    CLEW_ASSERT(!atomic_load_explicit(&thread->stalled, memory_order_relaxed) &&
                "what is behind a held place is not read");
    put_two(thread, extended(RING_EXTENDED_LOST, 1, clock), own->lost_unreported);
    own->lost_unreported = 0;
    tell_stack(thread, clock);
    return true;
}

// -- Making room ------------------------------------------------------------------------------------------------------

// Moves to a chunk that this thread has taken; a stalled stream continues there.
static void begin_chunk(struct ring_thread *thread, uint64_t number, uint64_t clock)
{
    if (atomic_load_explicit(&thread->stalled, memory_order_relaxed)) {
        hold(thread);
    }
    move_to(thread, number, clock);
}

struct room {
    bool found;     // the event may be written
    bool wait_soon; // the thread should call stream_wait() before long
};

// Room for an event of so many bytes: in this chunk, in the next one, or behind the limit while the thread may still wait.
// None where the stream is stalled, or stalls now.
//
// A thread whose running activations write to the discard context, since they began when there was no first chunk for it,
// gets no chunk while they run: their callees would write to the chunk, and no longer rewind the discard context.
static struct room find_room(struct ring_thread *thread, uint32_t size, uint64_t clock)
{
    if (!past_limit(thread, size)) {
        return (struct room){.found = true};
    }
    bool first = thread->first_chunk == 0;
    if (first && thread_self_private->discards) {
        thread_rewind_own();
        return (struct room){0};
    }
    uint64_t chunk = first ? chunks_take_first() : chunks_take();
    bool patient = !chunk && !first && may_wait(thread);
    if (patient && fits(thread, size)) {
        bool stalled = atomic_load_explicit(&thread->stalled, memory_order_relaxed) != 0;
        if (stalled) {
            hold(thread);
        }
        return (struct room){.found = !stalled, .wait_soon = true};
    }
    chunk = patient ? wait_for_chunk(thread) : chunk;
    if (!chunk) {
        hold(thread);
        return (struct room){0};
    }
    begin_chunk(thread, chunk, clock);
    CLEW_ASSERT(!past_limit(thread, size) && "a fresh chunk has room for any event");
    return (struct room){.found = true};
}

// The same for an event that counts as lost where there is no room.
static struct room room_for_event(struct ring_thread *thread, uint32_t size, uint64_t clock)
{
    struct room room = find_room(thread, size, clock);
    if (!room.found) {
        count_lost(thread, 1);
    }
    return room;
}

// -- Writing ----------------------------------------------------------------------------------------------------------

// A clock that steps back (another processor's counter) is held; one that leaps is told in full.
static uint64_t straighten(struct ring_thread *thread, uint64_t clock)
{
    if ((int64_t)(clock - thread->last_clock) < 0) {
        return thread->last_clock;
    }
    if ((clock - thread->last_clock) >> 32) {
        put_two(thread, extended(RING_EXTENDED_TIME, 1, clock), clock);
    }
    return clock;
}

bool stream_write_slow(struct ring_thread *thread, uint64_t word, uint64_t clock)
{
    if (RING_EVENT_KIND(word) == RING_EVENT_ENTER && thread->depth == 1) {
        thread_self_private->discards = false; // those that began before are over
    }
    struct room room = room_for_event(thread, sizeof word, clock);
    if (room.found && !tell_losses(thread, clock, true)) {
        clock = straighten(thread, clock);
        put(thread, word | clock << 32);
        thread->last_clock = clock;
    }
    return room.wait_soon;
}

void stream_extended(struct ring_thread *thread, enum ring_extended kind, bool has_word, uint64_t further,
                     uint64_t clock)
{
    struct room room = room_for_event(thread, 2 * sizeof further, clock); // wait_soon: the next probe asks again
    if (room.found && !tell_losses(thread, clock, true)) {
        clock = straighten(thread, clock);
        if (has_word) {
            put_two(thread, extended(kind, 1, clock), further);
        } else {
            put(thread, extended(kind, 0, clock));
        }
        thread->last_clock = clock;
    }
}

// -- For woven code ---------------------------------------------------------------------------------------------------

void stream_check_slow(struct ring_thread *thread)
{
    if (find_room(thread, 0, thread->last_clock).found) {
        (void)tell_losses(thread, thread->last_clock, false);
    }
}

static uint32_t *next_cells(const struct ring_thread *thread)
{
    return (uint32_t *)(uintptr_t)atomic_load_explicit(&thread->at, memory_order_relaxed);
}

uint32_t *stream_reserve_slow(struct ring_thread *thread, uint32_t size)
{
    if (!room_for_event(thread, size, thread->last_clock).found) { // wait_soon: the next check asks again
        return NULL;
    }
    (void)tell_losses(thread, thread->last_clock, false);
    CLEW_ASSERT(stream_in_chunk((uintptr_t)next_cells(thread), size));
    return next_cells(thread);
}

// A definition may be long: telling losses before it may have taken its room.
uint32_t *stream_reserve_definition_slow(struct ring_thread *thread, uint32_t size)
{
    do {
        if (!find_room(thread, size, thread->last_clock).found) {
            return NULL;
        }
    } while (tell_losses(thread, thread->last_clock, false));
    CLEW_ASSERT(stream_in_chunk((uintptr_t)next_cells(thread), size));
    return next_cells(thread);
}

static void begin_or_hold(struct ring_thread *thread, uint64_t chunk)
{
    if (chunk) {
        begin_chunk(thread, chunk, thread->last_clock);
        (void)tell_losses(thread, thread->last_clock, false);
    } else {
        hold(thread);
    }
}

bool stream_room(struct ring_thread *thread)
{
    if (!past_limit(thread, 0)) {
        return false;
    }
    uint64_t chunk = chunks_take();
    if (!chunk && may_wait(thread)) {
        return true;
    }
    begin_or_hold(thread, chunk);
    return false;
}

void stream_wait(void)
{
    struct ring_thread *thread = thread_self;
    if (thread && thread->first_chunk && past_limit(thread, 0)) {
        begin_or_hold(thread, may_wait(thread) ? wait_for_chunk(thread) : chunks_take());
    }
}
