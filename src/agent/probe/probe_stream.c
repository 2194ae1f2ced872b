// The slow paths of streams: taking chunks, losses, and waiting for the collector.
//
// Each chunk has spare room behind its limit, for the events that woven code writes between two checks and for those
// that probes write meanwhile. A thread that passes the limit while the pool is empty is asked to wait. Woven code
// waits in a call with GC transition (stream_wait), so that garbage collections can proceed. Where only probes and
// hooks run, they wait once the spare room is used up, in cooperative mode, and stop garbage collections meanwhile.
//
// A thread that has waited in vain continues without room, and waits again once it has lost as many events as a chunk
// holds; after each further wait in vain, twice as many. So a program that overwrote the number of full chunks does not
// wait for ever.
//
// If no room comes, or the thread may not wait, its stream stalls at its current position. Woven code still needs
// somewhere to write, so it overwrites the same spare room behind that position; the agent counts these events as lost
// whenever woven code asks for room. The collector reads no further than the position at which a stream is stalled.
#include "agent/probe/probe_stream.h"

#include "agent/probe/probe_chunks.h"
#include "agent/probe/probe_links.h"
#include "base/clock.h"

enum {
    WAITS_COUNTED = 32,
    SPARE = 64,                        // bytes for one more extended event
    BEHIND_LIMIT = 4 * RING_SITE_ROOM, // bytes from the limit to the chunk's end: see fits()
    CHUNK_EVENTS = (RING_CHUNK_SIZE - sizeof(struct ring_chunk) - BEHIND_LIMIT) / 8, // entries and exits
    STACK_MAX = CHUNK_EVENTS - SPARE / 8,                                            // methods in one STACK event
    LOSSES_SIZE = (2 + 2 + STACK_MAX) * 8,                                           // of a LOST with the longest STACK
};
static_assert(sizeof(struct ring_chunk) + LOSSES_SIZE < RING_CHUNK_SIZE - BEHIND_LIMIT,
              "LOST and STACK fit a fresh chunk, and an event after them");
static_assert(BEHIND_LIMIT >= 2 * RING_SITE_ROOM + SPARE, "a probe may write behind the limit");

bool stream_lossy;
uint32_t stream_depth_limit = UINT32_MAX;

// -- Chunks -----------------------------------------------------------------------------------------------------------

// The chunk that the calling thread writes to; NULL: none yet.
static struct ring_chunk *current_chunk(void)
{
    uint64_t number = thread_self_private->chunk;
    return number ? ring_chunk_at(probe_ring, number - 1) : NULL;
}

static uint64_t limit_of(const struct ring_chunk *chunk)
{
    return (uintptr_t)chunk + RING_CHUNK_SIZE - BEHIND_LIMIT;
}

// After a broken program overwrote the position: the thread continues at the start of its chunk, which the collector will
// find damaged. Returns the position; 0: the thread has no chunk yet.
static uint64_t return_to_chunk(struct ring_thread *thread)
{
    struct ring_chunk *chunk = current_chunk();
    uint64_t at = chunk ? (uintptr_t)(chunk + 1) : 0;
    thread->limit = chunk ? limit_of(chunk) : 0;
    atomic_store_explicit(&thread->stalled, 0, memory_order_relaxed);
    atomic_store_explicit(&thread->at, at, memory_order_release);
    return at;
}

// Where the thread, which has a chunk, may write so many bytes. Whoever writes takes the position from here and reads it once,
// since a broken program may overwrite it at any moment.
static uint64_t position(struct ring_thread *thread, uint64_t size)
{
    uint64_t at = atomic_load_explicit(&thread->at, memory_order_relaxed);
    return __builtin_expect(stream_in_chunk(at, size), 1) ? at : return_to_chunk(thread);
}

// Moves to chunk `number` - 1. The caller has discarded the events behind the position of a stalled stream.
static void move_to(struct ring_thread *thread, uint64_t number, uint64_t clock)
{
    CLEW_ASSERT(number >= 1 && number <= RING_CHUNKS_MAX);
    struct ring_chunk *old = current_chunk();
    struct ring_chunk *fresh = ring_chunk_at(probe_ring, number - 1);
    CLEW_ASSERT(old != fresh && "a taken chunk had no owner");
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
        old->closed_tsc = tsc;
        // Pairs with the collector's acquire load of `next`: once it is set, `used` is final.
        atomic_store_explicit(&old->next, number, memory_order_release);
    } else {
        thread->first_chunk = number;
    }
    thread->limit = limit_of(fresh);
    thread_self_private->chunk = number;
    // After `next`: a reader that still sees the old cursor and a stream that is not stalled finds the old chunk's end.
    atomic_store_explicit(&thread->stalled, 0, memory_order_release);
    atomic_store_explicit(&thread->at, (uintptr_t)(fresh + 1), memory_order_release);
}

// -- Losses -----------------------------------------------------------------------------------------------------------

// Counts events as lost: in the slot for the collector, and for the next LOST event.
static void count_lost(struct ring_thread *thread, uint64_t events)
{
    atomic_fetch_add_explicit(&thread->lost, events, memory_order_relaxed);
    thread_self_private->lost_unreported += events;
    CLEW_ASSERT(thread_self_private->lost_unreported <= atomic_load_explicit(&thread->lost, memory_order_relaxed));
}

// If the stream is stalled, discards the events behind its position, which count as lost, and returns true.
static bool discard_behind_stall(struct ring_thread *thread)
{
    uint64_t at = atomic_load_explicit(&thread->at, memory_order_relaxed);
    uint64_t stalled = atomic_load_explicit(&thread->stalled, memory_order_relaxed);
    if (!stalled) {
        return false;
    }
    const struct ring_header *ring = probe_ring;
    if (!stream_in_chunk(stalled, at - stalled)) { // woven code stays in the chunk: a broken program wrote this
        (void)return_to_chunk(thread);
        return false;
    }
    count_lost(thread, ring_count_events(ring, stalled - (uintptr_t)ring, at - (uintptr_t)ring));
    atomic_store_explicit(&thread->at, stalled, memory_order_release);
    return true;
}

// Stalls the stream at its current position, or discards what was written behind it since. Without a chunk, nothing.
static void stall(struct ring_thread *thread)
{
    if (discard_behind_stall(thread)) {
        return;
    }
    uint64_t at = atomic_load_explicit(&thread->at, memory_order_relaxed);
    if (at) {
        // Pairs with the collector's acquire load: `stalled` is set before the cursor moves beyond it.
        atomic_store_explicit(&thread->stalled, at, memory_order_release);
        thread->limit = 0; // so that every writer asks for room
    }
}

// -- Room -------------------------------------------------------------------------------------------------------------

// Whether an event of so many bytes would pass the limit.
static bool past_limit(const struct ring_thread *thread, uint32_t size)
{
    return atomic_load_explicit(&thread->at, memory_order_relaxed) + size >= thread->limit;
}

// Whether a probe may write so many bytes behind the limit. Two times RING_SITE_ROOM must be left after them: woven
// code may write one before its next check, and if the stream stalls there, overwrites the other repeatedly.
static bool fits(const struct ring_thread *thread, uint32_t size)
{
    uint64_t in_chunks = atomic_load_explicit(&thread->at, memory_order_relaxed) - probe_chunks;
    return in_chunks % RING_CHUNK_SIZE + size + SPARE + 2 * RING_SITE_ROOM <= RING_CHUNK_SIZE;
}

// Whether the thread may wait for a chunk: not in a lossy session, without a collector, or soon after a wait in vain.
static bool may_wait(const struct ring_thread *thread)
{
    return !stream_lossy && !atomic_load_explicit(&probe_ring->collector_gone, memory_order_acquire) &&
           atomic_load_explicit(&thread->lost, memory_order_relaxed) >= thread_self_private->wait_again_at;
}

static uint64_t wait_for_chunk(struct ring_thread *thread)
{
    uint64_t chunk = chunks_wait(thread);
    if (!chunk) {
        struct thread_private *own = thread_self_private;
        uint64_t more = (uint64_t)CHUNK_EVENTS << own->waits_in_vain;
        own->wait_again_at = atomic_load_explicit(&thread->lost, memory_order_relaxed) + more;
        own->waits_in_vain += own->waits_in_vain < WAITS_COUNTED;
    }
    return chunk;
}

// -- Events -----------------------------------------------------------------------------------------------------------

// Writes one word. Pairs with the collector's acquire load of the cursor, as every store to `at` here: the words are in
// the chunk before the cursor passes them.
static void put(struct ring_thread *thread, uint64_t word)
{
    uint64_t at = position(thread, sizeof word);
    ring_set_word((void *)(uintptr_t)at, word);
    atomic_store_explicit(&thread->at, at + sizeof word, memory_order_release);
}

static uint64_t extended(enum ring_extended kind, uint32_t further, uint64_t clock)
{
    return RING_EVENT(RING_EVENT_EXTENDED, (uint32_t)kind | further << 8, clock);
}

// Writes words that must appear together: the cursor moves once, over all.
static void put_extended(struct ring_thread *thread, enum ring_extended kind, uint64_t clock, const uint64_t *further,
                         uint32_t count)
{
    uint64_t size = (1 + (uint64_t)count) * sizeof *further, at = position(thread, size);
    struct ring_word *words = (struct ring_word *)(uintptr_t)at;
    words[0].value = extended(kind, count, clock);
    for (uint32_t i = 0; i < count; i++) {
        words[1 + i].value = further[i];
    }
    atomic_store_explicit(&thread->at, at + size, memory_order_release);
}

static void add_activation(struct ring_word *words, uint32_t method, uint64_t *depth, uint64_t *listed)
{
    if (!stream_has(method)) {
        return;
    }
    ++*depth;
    if (*listed < STACK_MAX) {
        words[(*listed)++].value = links_method(method);
    }
}

// Behind a STACK of so many activations: which of those that have nodes are runs of async activations. Uses at most so many words.
static void write_runs(struct ring_thread *thread, uint64_t number, uint64_t words, uint64_t clock)
{
    enum { SIZE = 3 }; // words of each
    uint32_t node = thread->current, above = METHOD_ROOT;
    for (uint32_t left = probe_ring->nodes_max; left > 0 && node && words >= SIZE; left--) {
        uint64_t serial = above == METHOD_AFTER_WAIT ? 0 : links_serial_of_run(node);
        above = node_at(node)->method;
        if (stream_has(above)) {
            if (serial) {
                put_extended(thread, RING_EXTENDED_RUN, clock, (const uint64_t[]){serial, number}, 2);
                words -= SIZE;
            }
            number--;
        }
        node = node_at(node)->parent;
    }
}

// Writes the running activations as a STACK event. After losses a reader cannot know them otherwise.
static void write_stack(struct ring_thread *thread, uint64_t clock)
{
    uint64_t at = position(thread, 0);
    struct ring_word *words = (struct ring_word *)(uintptr_t)at;
    struct thread_private *own = thread_self_private;
    uint64_t depth = 0, listed = 0;
    for (uint32_t i = own->overflow_depth; i-- > 0;) {
        add_activation(words + 2, node_at(own->overflow[i].node)->method, &depth, &listed);
    }
    uint64_t over_cap = depth;
    uint32_t node = thread->current;
    for (uint32_t left = probe_ring->nodes_max; left > 0 && node;
         left--) { // `left`: the program may have made a circle
        add_activation(words + 2, node_at(node)->method, &depth, &listed);
        node = node_at(node)->parent;
    }
    for (uint64_t i = 0; i < listed / 2; i++) { // outermost first
        struct ring_word swap = words[2 + i];
        words[2 + i] = words[2 + listed - 1 - i];
        words[2 + listed - 1 - i] = swap;
    }
    CLEW_ASSERT(listed <= depth && listed <= STACK_MAX);
    words[0].value = extended(RING_EXTENDED_STACK, (uint32_t)(1 + listed), clock);
    words[1].value = depth;
    atomic_store_explicit(&thread->at, at + (2 + listed) * sizeof(uint64_t), memory_order_release);
    write_runs(thread, depth - over_cap, STACK_MAX - listed, clock);
}

// After losses, writes LOST and STACK, and returns true. `with_event`: the caller is about to write an event that
// changes which activations run. The STACK snapshot already reflects that event, so it counts as lost and must not be
// written.
static bool write_losses(struct ring_thread *thread, uint64_t clock, bool with_event)
{
    struct thread_private *own = thread_self_private;
    if (!own->lost_unreported) {
        return false;
    }
    if (with_event) {
        count_lost(thread, 1);
    }
    CLEW_ASSERT(!atomic_load_explicit(&thread->stalled, memory_order_relaxed) &&
                "a stalled stream is not read beyond its position");
    put_extended(thread, RING_EXTENDED_LOST, clock, &own->lost_unreported, 1);
    own->lost_unreported = 0;
    write_stack(thread, clock);
    return true;
}

// -- Making room ------------------------------------------------------------------------------------------------------

// Moves to a chunk that this thread has taken; a stalled stream continues there.
static void begin_chunk(struct ring_thread *thread, uint64_t number, uint64_t clock)
{
    (void)discard_behind_stall(thread);
    thread_self_private->waits_in_vain = 0;
    move_to(thread, number, clock);
}

struct room {
    bool found;     // the event may be written
    bool wait_soon; // the thread should call stream_wait() before long
};

// Room for an event of so many bytes: in this chunk, in the next one, or behind the limit while the thread may still
// wait. None where the stream is stalled, or stalls now.
//
// A thread whose running activations write to the discard context, since they began when there was no first chunk for
// it, gets no chunk while they run: their callees would write to the chunk, and no longer rewind the discard context.
static struct room find_room(struct ring_thread *thread, uint32_t size, uint64_t clock)
{
    uint64_t at = atomic_load_explicit(&thread->at, memory_order_relaxed);
    if (__builtin_expect(at != 0 && stream_strayed(at), 0)) {
        (void)return_to_chunk(thread);
    }
    bool first = thread_self_private->chunk == 0;
    if (!past_limit(thread, size) && !first) {
        return (struct room){.found = true};
    }
    if (first && thread_self_private->discards) {
        thread_rewind_own();
        return (struct room){0};
    }
    uint64_t chunk = first ? chunks_take_first() : chunks_take();
    bool patient = !chunk && !first && may_wait(thread);
    if (patient && fits(thread, size)) {
        return (struct room){.found = !discard_behind_stall(thread), .wait_soon = true};
    }
    chunk = patient ? wait_for_chunk(thread) : chunk;
    if (!chunk) {
        stall(thread);
        return (struct room){0};
    }
    begin_chunk(thread, chunk, clock);
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

// The clock that an event may carry. A clock that steps back (another processor's counter) is replaced by the last one;
// before a step of more than 32 bits, a TIME event is written.
static uint64_t advance_clock(struct ring_thread *thread, uint64_t clock)
{
    if ((int64_t)(clock - thread->last_clock) < 0) {
        return thread->last_clock;
    }
    if ((clock - thread->last_clock) >> 32) {
        put_extended(thread, RING_EXTENDED_TIME, clock, &clock, 1);
    }
    return clock;
}

bool stream_write_slow(struct ring_thread *thread, uint64_t word, uint64_t clock)
{
    if (RING_EVENT_KIND(word) == RING_EVENT_ENTER && thread->depth == 1) {
        thread_self_private->discards = false; // the activations that wrote to the discard context have ended
    }
    struct room room = room_for_event(thread, sizeof word, clock);
    if (room.found && !write_losses(thread, clock, true)) {
        clock = advance_clock(thread, clock);
        put(thread, word | clock << 32);
        thread->last_clock = clock;
    }
    return room.wait_soon;
}

void stream_extended(struct ring_thread *thread, enum ring_extended kind, const uint64_t *further, uint32_t count,
                     uint64_t clock)
{
    CLEW_ASSERT(count <= 2 && "it fits the spare room");
    struct room room = room_for_event(thread, 3 * sizeof *further, clock); // wait_soon: the next probe asks again
    if (room.found && !write_losses(thread, clock, true)) {
        clock = advance_clock(thread, clock);
        put_extended(thread, kind, clock, further, count);
        thread->last_clock = clock;
    }
}

// Events of sites have no clock of their own, so a TIME goes before them.
void stream_moment(struct ring_thread *thread, uint64_t clock)
{
    if ((int64_t)(clock - thread->last_clock) > 0 && stream_reserve_definition(thread, 2 * sizeof clock)) {
        put_extended(thread, RING_EXTENDED_TIME, clock, &clock, 1);
        thread->last_clock = clock;
    }
}

// -- For woven code ---------------------------------------------------------------------------------------------------

void stream_check_slow(struct ring_thread *thread)
{
    if (find_room(thread, 0, thread->last_clock).found) {
        (void)write_losses(thread, thread->last_clock, false);
    }
}

static uint32_t *next_cells(struct ring_thread *thread, uint32_t size)
{
    return (uint32_t *)(uintptr_t)position(thread, size);
}

uint32_t *stream_reserve_slow(struct ring_thread *thread, uint32_t size)
{
    if (!room_for_event(thread, size, thread->last_clock).found) { // wait_soon: the next check asks again
        return NULL;
    }
    (void)write_losses(thread, thread->last_clock, false);
    return next_cells(thread, size);
}

// Loops, since a definition may be long and writing the losses may take the room that it needs.
uint32_t *stream_reserve_definition_slow(struct ring_thread *thread, uint32_t size)
{
    do {
        if (!find_room(thread, size, thread->last_clock).found) {
            return NULL;
        }
    } while (write_losses(thread, thread->last_clock, false));
    return next_cells(thread, size);
}

static void begin_or_stall(struct ring_thread *thread, uint64_t chunk)
{
    if (chunk) {
        begin_chunk(thread, chunk, thread->last_clock);
        (void)write_losses(thread, thread->last_clock, false);
    } else {
        stall(thread);
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
    begin_or_stall(thread, chunk);
    return false;
}

void stream_wait(void)
{
    struct ring_thread *thread = thread_self;
    if (thread && thread_self_private->chunk && past_limit(thread, 0)) {
        begin_or_stall(thread, may_wait(thread) ? wait_for_chunk(thread) : chunks_take());
    }
}
