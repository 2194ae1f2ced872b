// Two halves, like a copying garbage collector: a sweep copies the descriptions to keep into the other half and then
// switches by its sequence number. A collector that is killed during a sweep leaves the old half in use.
#include "collector/drain/kept_objects.h"

#include <string.h>

#include "ring/publish.h"
#include "ring/walk.h"

// The head of each half. The half with the higher sequence number is in use.
struct half {
    _Atomic uint64_t sequence;
    _Atomic uint64_t used; // bytes of cells behind this head
    uint64_t reserved[6];
};

static_assert(sizeof(struct half) == 64, "the head of a half is one cache line");

enum { HALF_SIZE = RING_KEPT_CHUNKS / 2 * RING_CHUNK_SIZE, ROOM = HALF_SIZE - sizeof(struct half) };

static struct half *half_at(const struct kept_objects *kept, uint32_t number)
{
    char *start = (char *)ring_chunk_at(kept->ring, RING_CHUNKS_MAX - RING_KEPT_CHUNKS);
    return (struct half *)(void *)(start + (size_t)number * HALF_SIZE);
}

static uint32_t *cells_of(struct half *half)
{
    return (uint32_t *)(void *)(half + 1);
}

void kept_objects_open(struct kept_objects *kept, struct ring_header *ring, uint64_t keep_bytes)
{
    enum { LEAST = 256 << 10 };
    *kept = (struct kept_objects){.ring = ring, .sweep_min = keep_bytes / 4 > LEAST ? keep_bytes / 4 : LEAST};
    uint64_t sequences[2];
    for (uint32_t i = 0; i < 2; i++) {
        // Pairs with the release store at the end of a sweep, after which the half is complete.
        sequences[i] = atomic_load_explicit(&half_at(kept, i)->sequence, memory_order_acquire);
    }
    kept->half = sequences[1] > sequences[0];
    kept->sequence = sequences[kept->half];
    uint64_t used = atomic_load_explicit(&half_at(kept, kept->half)->used, memory_order_acquire);
    kept->used = used <= ROOM ? used / sizeof(uint32_t) * sizeof(uint32_t) : 0;
    kept->sweep_at = kept->used + kept->sweep_min;
    kept->highest = atomic_load_explicit(&ring->objects_from, memory_order_relaxed);
}

// The number of the object that an event describes; 0 when it is no OBJECT event. `size` is its cells. *perhaps is the
// number of the object that this one may be; 0: none.
static uint32_t object_in(const uint32_t *cells, uint32_t head, size_t size, uint32_t *perhaps)
{
    enum { LEAST = 2 + 2 * 2, NUMBER_AT = 2 };
    *perhaps = 0;
    if ((head & 3) != RING_EVENT_EXTENDED || (RING_EVENT_PAYLOAD(head) & 0xFF) != RING_EXTENDED_OBJECT ||
        size < LEAST) {
        return 0;
    }
    uint32_t number = cells[NUMBER_AT];
    *perhaps = number & RING_OBJECT_UNCERTAIN ? cells[size - 2] : 0;
    return number & ~RING_OBJECT_UNCERTAIN;
}

static void append(struct kept_objects *kept, const uint32_t *cells, size_t size)
{
    struct half *half = half_at(kept, kept->half);
    if (kept->used + size * sizeof *cells > ROOM) {
        kept->missed++;
        return;
    }
    CLEW_ASSERT(kept->used % sizeof *cells == 0);
    memcpy((char *)cells_of(half) + kept->used, cells, size * sizeof *cells);
    kept->used += size * sizeof *cells;
}

// For a collector that takes over.
static void publish_used(struct kept_objects *kept)
{
    atomic_store_explicit(&half_at(kept, kept->half)->used, kept->used, memory_order_release);
}

void kept_objects_add(struct kept_objects *kept, const uint32_t *cells, size_t count)
{
    const uint16_t *lengths = ring_event_lengths(kept->ring);
    size_t size;
    uint32_t perhaps;
    for (; count > 0; cells += size, count -= size) {
        uint32_t head = RING_READ_ONCE(cells[0]);
        size = ring_event_cells(lengths, head, cells, count);
        if (size == 0) {
            break; // the program has written over them; position_decode() reports it
        }
        uint32_t number = object_in(cells, head, size, &perhaps);
        if (number) {
            append(kept, cells, size);
            kept->highest = number > kept->highest ? number : kept->highest;
        }
    }
    publish_used(kept);
}

bool kept_objects_due(struct kept_objects *kept)
{
    if (kept->used >= kept->sweep_at && !kept->asked) {
        atomic_store_explicit(&kept->ring->objects_from, kept->highest + 1, memory_order_release);
        kept->asked = true;
    }
    // Pairs with the agent's release store: events read from now on refer to no lower number, except as `perhaps`.
    return kept->asked && atomic_load_explicit(&kept->ring->objects_renewed, memory_order_acquire) >=
                              atomic_load_explicit(&kept->ring->objects_from, memory_order_relaxed);
}

void named_add(struct named *named, const uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t word = words[i] & (NAMED_BITS - 1);
        named->bits[word / 64] |= UINT64_C(1) << word % 64;
    }
}

static bool is_named(const struct named *named, uint32_t number)
{
    number &= NAMED_BITS - 1;
    return named->bits[number / 64] >> number % 64 & 1;
}

// The size of the event at `cells`, in cells with its head; 0 when the program has written over it. `left` > 0.
static size_t next_event(const uint32_t *cells, size_t left, uint32_t *number, uint32_t *perhaps)
{
    uint32_t head = RING_READ_ONCE(cells[0]);
    size_t size = (head & 3) == RING_EVENT_EXTENDED ? ring_event_cells(NULL, head, cells, left) : 0;
    *number = size ? object_in(cells, head, size, perhaps) : 0;
    return *number ? size : 0;
}

enum clew_error kept_objects_sweep(struct kept_objects *kept, struct named *named, bool at_the_end)
{
    uint32_t renewed = atomic_load_explicit(&kept->ring->objects_renewed, memory_order_acquire), number, perhaps;
    const uint32_t *cells = cells_of(half_at(kept, kept->half));
    size_t left = kept->used / sizeof *cells, size;
    kept->half ^= 1;
    kept->used = 0;
    for (; left > 0; cells += size, left -= size) {
        size = next_event(cells, left, &number, &perhaps);
        if (size == 0) {
            return CLEW_MALFORMED;
        }
        if (is_named(named, number) || (!at_the_end && number >= renewed)) {
            named_add(named, &perhaps, 1); // the object may be that earlier one, which is needed too
            append(kept, cells, size);
        }
    }
    publish_used(kept);
    // Last: a collector that takes over from now on uses this half.
    atomic_store_explicit(&half_at(kept, kept->half)->sequence, ++kept->sequence, memory_order_release);
    kept->sweep_at = kept->used + kept->sweep_min;
    kept->asked = false;
    return CLEW_OK;
}

const uint32_t *kept_objects_cells(const struct kept_objects *kept, size_t *count)
{
    *count = kept->used / sizeof(uint32_t);
    return cells_of(half_at(kept, kept->half));
}
