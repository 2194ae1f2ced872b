// Walking over the cells of a stream: the collector does while it drains, the agent when it counts the events that it
// drops. Inline, since probes call nothing that may use vector registers.
#ifndef CLEW_RING_WALK_H
#define CLEW_RING_WALK_H

#include "ring/publish.h"
#include "ring/ring.h"

enum { RING_EVENT_CELLS_MAX = RING_CHUNK_SIZE / sizeof(uint32_t) };

// A 64-bit word of a stream. It begins at any cell, so it is aligned to 4 bytes only.
struct ring_word {
    uint64_t value;
} __attribute__((packed, aligned(4), may_alias));

static inline uint64_t ring_word_at(const void *cell)
{
    return ((const struct ring_word *)cell)->value;
}

static inline void ring_set_word(void *cell, uint64_t value)
{
    ((struct ring_word *)cell)->value = value;
}

// The number of cells of the event at `cells`, head included; 0: malformed, or longer than the `count` > 0 cells there
// are. The caller passes cells[0] as `head`: the collector reads it exactly once, since a broken program may change any
// cell at any time.
static inline size_t ring_event_cells(const uint16_t *lengths, uint32_t head, const uint32_t *cells, size_t count)
{
    size_t size = 2;
    uint32_t payload = head >> 2;
    if ((head & 3) == RING_EVENT_EXTENDED) {
        size = 2 + 2 * (size_t)(payload >> 8);
    } else if ((head & 3) == RING_EVENT_SITE) {
        uint32_t length = payload < RING_SITES_MAX ? RING_READ_ONCE(lengths[payload]) : EVENT_LENGTH_UNKNOWN;
        size = event_length_cells(length, cells, count);
    }
    return size <= count && size <= RING_EVENT_CELLS_MAX ? size : 0;
}

// Counts the recorded events between two offsets in the segment, both in one chunk: the events that a thread with a
// stalled stream has written and lost. Stops early at a malformed event.
static inline uint64_t ring_count_events(const struct ring_header *ring, uint64_t from, uint64_t to)
{
    const uint32_t *cells = (const uint32_t *)(const void *)((const char *)ring + from);
    size_t left = to > from ? (size_t)(to - from) / sizeof *cells : 0, size;
    uint64_t events = 0;
    while (left > 0 && (size = ring_event_cells(ring_event_lengths(ring), cells[0], cells, left)) > 0) {
        uint32_t extended = cells[0] >> 2 & 0xFF;
        events += (cells[0] & 3) != RING_EVENT_EXTENDED || extended == RING_EXTENDED_FILTER ||
                  extended == RING_EXTENDED_FILTER_END ||
                  (extended >= RING_EXTENDED_RESUME && extended <= RING_EXTENDED_COMPLETE);
        cells += size;
        left -= size;
    }
    return events;
}

#endif
