// See probe_throws.h. Numbers of exceptions are found by a hash table of this side, which never shrinks: an entry is complete
// before its number is in the table. Counts are in lists by node, which are short: a method throws few types.
#include "agent/probe/probe_throws.h"

#include <stdatomic.h>

#include "agent/probe/bounded.h"
#include "agent/probe/probe_awaits.h"
#include "agent/probe/probe_stream.h"
#include "agent/probe/probe_thread.h"
#include "agent/session/pages.h"
#include "ring/publish.h"
#include "trace/kinds.h"

enum {
    INDEX_SLOTS = 2 * RING_EXCEPTIONS_MAX,
    FOLDED_FROM = RING_EXCEPTIONS_MAX / 8 * 7, // numbers that messages may take; the rest is for types alone
    ENTRIES_MAX = 256,                         // of one node
};
static_assert((INDEX_SLOTS & (INDEX_SLOTS - 1)) == 0, "slots are by hash");

static _Atomic uint32_t *by_hash; // numbers

bool throws_prepare(void)
{
    by_hash = pages_new(INDEX_SLOTS * sizeof *by_hash);
    return by_hash != NULL;
}

// -- Numbers of exceptions --------------------------------------------------------------------------------------------

static uint32_t hash_of(uint32_t type, const struct thrown_message *message)
{
    uint64_t hash = type * UINT64_C(0x9E3779B97F4A7C15) + message->flags + message->length;
    for (uint32_t i = 0; i < message->recorded; i++) {
        hash = (hash ^ message->units[i]) * UINT64_C(0x100000001B3);
    }
    hash ^= hash >> 32;
    return (uint32_t)(hash * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (INDEX_SLOTS - 1);
}

static bool is_of(uint32_t number, uint32_t type, const struct thrown_message *message)
{
    if (number >= RING_EXCEPTIONS_MAX) {
        return false;
    }
    const struct ring_exception *exception = &probe_exceptions[number];
    bool same = atomic_load_explicit(&exception->flags, memory_order_relaxed) == message->flags &&
                exception->type == type && exception->length == message->length &&
                exception->recorded == message->recorded;
    for (uint32_t i = 0; same && i < message->recorded; i++) {
        same = exception->units[i] == message->units[i];
    }
    return same;
}

// Stores a new one. 0: there is no room.
static uint32_t add(uint32_t type, const struct thrown_message *message, uint32_t limit)
{
    uint32_t number;
    if (!bounded_take(&probe_ring->exceptions_used, 1, limit, &number) || number >= RING_EXCEPTIONS_MAX) {
        return 0;
    }
    struct ring_exception *exception = &probe_exceptions[number];
    exception->type = type;
    exception->length = message->length;
    exception->recorded = message->recorded;
    for (uint32_t i = 0; i < message->recorded; i++) {
        exception->units[i] = message->units[i];
    }
    // Pairs with the collector's acquire load: it finds the rest complete.
    atomic_store_explicit(&exception->flags, message->flags, memory_order_release);
    return number;
}

static uint32_t find_or_add(uint32_t type, const struct thrown_message *message, uint32_t limit)
{
    uint32_t slot = hash_of(type, message), fresh = 0;
    for (uint32_t tried = 0; tried < INDEX_SLOTS; tried++, slot = (slot + 1) & (INDEX_SLOTS - 1)) {
        // Acquire: pairs with the exchange below, so the entry is complete.
        uint32_t number = atomic_load_explicit(&by_hash[slot], memory_order_acquire);
        if (!number && !fresh && !(fresh = add(type, message, limit))) {
            return 0;
        }
        if (!number && atomic_compare_exchange_strong_explicit(&by_hash[slot], &number, fresh, memory_order_acq_rel,
                                                               memory_order_acquire)) {
            return fresh;
        }
        if (is_of(number, type, message)) { // if another thread was faster, the fresh one stays unused
            return number;
        }
    }
    return 0;
}

uint32_t throws_number(uint32_t type, const struct thrown_message *message)
{
    CLEW_ASSERT(message->flags && message->recorded <= RING_MESSAGE_UNITS);
    if (!by_hash) {
        return 0;
    }
    uint32_t number = find_or_add(type, message, FOLDED_FROM);
    const struct thrown_message folded = {.flags = EXCEPTION_STATED | EXCEPTION_FOLDED};
    return number ? number : find_or_add(type, &folded, RING_EXCEPTIONS_MAX);
}

// -- Counts -----------------------------------------------------------------------------------------------------------

static bool counts(const struct ring_throw *entry, const struct thrown *thrown)
{
    return entry->count > 0 && entry->type == thrown->type && entry->caught == thrown->caught &&
           entry->flags == thrown->flags;
}

static void begin(struct ring_throw *entry, const struct thrown *thrown)
{
    entry->type = thrown->type;
    entry->exception = thrown->exception;
    entry->caught = thrown->caught;
    entry->flags = thrown->flags;
    RING_PUBLISH(entry->count, 1); // pairs with the collector's load
}

// A new entry before the others of the node.
static bool add_entry(const struct thrown *thrown)
{
    uint32_t number, *head = &probe_node_throws[thrown->node];
    if (!bounded_take(&probe_ring->throws_used, 1, RING_THROWS_MAX, &number) || number == 0) {
        return false;
    }
    probe_throws[number].next = *head;
    begin(&probe_throws[number], thrown);
    RING_PUBLISH(*head, number); // pairs with the collector's load
    return true;
}

void throws_count(const struct thrown *thrown)
{
    struct ring_throw *free_one = NULL;
    uint32_t number = thrown->node < probe_nodes_max ? probe_node_throws[thrown->node] : 0, tried = 0;
    for (; number && number < RING_THROWS_MAX && tried < ENTRIES_MAX; tried++) {
        struct ring_throw *entry = &probe_throws[number];
        if (counts(entry, thrown)) {
            RING_WRITE_ONCE(entry->count, entry->count + 1);
            return;
        }
        free_one = entry->count == 0 ? entry : free_one;
        number = entry->next;
    }
    if (free_one) {
        begin(free_one, thrown);
    } else if (thrown->node >= probe_nodes_max || tried == ENTRIES_MAX || !add_entry(thrown)) {
        atomic_fetch_add_explicit(&probe_ring->throws_over, 1, memory_order_relaxed);
    }
}

// -- Streams ----------------------------------------------------------------------------------------------------------

static struct probe_way session_way;

void throws_setup(struct probe_way way)
{
    session_way = way;
}

// If the stream does not have the method, it is for the stream code that is not recorded. While a run of runtime async is in an await,
// nobody knows whether its thread has left it: then it has been suspended since, and has to end in the stream before any event that
// has a later time.
void throws_event(const struct thrown *thrown)
{
    if (!session_way.stream || awaits_is_current(thread_self)) {
        return;
    }
    bool caught = thrown->flags & THROW_CAUGHT;
    uint32_t flags = thrown->flags, node = caught ? thrown->caught : thrown->node;
    flags |= stream_has(node_at(node)->method) ? 0 : caught ? THROW_HANDLED_BELOW : THROW_BELOW;
    uint64_t word = thrown->exception | (uint64_t)flags << 32;
    stream_extended(thread_self, caught ? RING_EXTENDED_CAUGHT : RING_EXTENDED_THROWN, &word, 1,
                    probe_clock(session_way.clock));
}
