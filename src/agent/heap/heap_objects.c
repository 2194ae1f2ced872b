// Moves the numbers of objects when the garbage collector moves the objects.
//
// Probes find an object's number by its address, in a shadow of the heap (probe/shadow.h). While the program is stopped for a
// collection, the runtime reports which ranges of objects it moved and which survived in place, and the numbers follow.
// About some objects it reports nothing, although they may be alive. For an address that no range covers:
//
// - In a generation that was not collected, nothing has changed.
// - In generations 1 and 2 only the collector places objects, and it reports that. An object seen there at an address with
//   a number is the object that had the number before.
// - In generation 0, and among large and pinned objects, the program allocates in memory that became free. A number there
//   becomes uncertain: at next sight the object gets a new one with a link to the old one. Better new than wrong.
// - A number outside of the heap is forgotten.
//
// A background collection starts while the program is stopped, stops it again after marking, and sweeps while it runs; it
// gives memory of generation 2 back at the start of the next collection. Young generations are collected meanwhile, and not
// each of these collections is reported. So whenever the program resumes before the background collection is over, each
// number becomes uncertain that is not in generation 2 and was not reported to survive.
//
// The runtime calls GarbageCollectionStarted once when it has stopped the program, and GarbageCollectionFinished for each
// collection. A background collection may begin with one of the young generations, and a young one may be followed by a full
// one; for these only the end is called back. So starts are counted by the event GCStart, which every collection has.
//
// Moves arrive as the runtime events GCBulkMovedObjectRanges and GCBulkSurvivingObjectRanges. The callback for moves
// (MovedReferences2, by COR_PRF_HIGH_MONITOR_GC_MOVED_OBJECTS) cannot be used: in runtimes 8 to 10 it requires
// COR_PRF_MONITOR_GC, which walks the whole heap and disables background collections.
#include "agent/heap/heap_objects.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <uchar.h>

#include "agent/events/event_source.h"
#include "agent/probe/shadow.h"
#include "agent/session/agent.h"
#include "agent/session/locks.h"
#include "agent/session/pages.h"
#include "agent/session/report.h"

enum { PAGE = 1 << SHADOW_PAGE_BITS, LEAF_MASK = (1 << SHADOW_LEAF_BITS) - 1 };

struct move {
    uint64_t from, to, size;
};

struct numbered {
    uintptr_t address;
    uint32_t number;
};

// Written by one thread at a time, except for the moves: a server collector reports them from several threads.
static struct {
    pthread_mutex_t lock;
    struct buffer moves;           // struct move; `to` equals `from` for a range that survived in place
    struct buffer taken;           // struct numbered: numbers on their way to a new address
    struct clr_heap_range *ranges; // of the heap, sorted by address
    uint32_t range_count, range_room;
    uint32_t collected;      // bit for each generation collected since the program was stopped
    uint32_t unfinished;     // collections that have started and not finished
    bool reported;           // the event session runs, so collections and moves are reported
    bool awaiting_start;     // the program is stopped for collections, and none has started yet
    _Atomic bool background; // the program was resumed before a collection was over
} collection = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool objects_start(void)
{
    shadow.made = pages_new(SHADOW_LEAVES * sizeof *shadow.made);
    shadow.string_max = agent.settings.string_max;
    shadow.leaves = pages_new(SHADOW_LEAVES * sizeof *shadow.leaves);
    return shadow.made && shadow.leaves;
}

// -- Ranges of the heap -----------------------------------------------------------------------------------------------

static int compare_ranges(const void *left, const void *right)
{
    const struct clr_heap_range *a = left, *b = right;
    return (a->start > b->start) - (a->start < b->start);
}

// Reads the ranges of the heap. False: the runtime refused, or memory ran out, and the heap is not known.
static bool read_heap(void)
{
    uint32_t count = 0;
    collection.range_count = 0;
    while (!clr_failed(info_get_heap(agent.info, collection.range_room, &count, collection.ranges))) {
        if (count <= collection.range_room) {
            collection.range_count = count;
            qsort(collection.ranges, count, sizeof *collection.ranges, compare_ranges);
            return true;
        }
        struct clr_heap_range *grown = realloc(collection.ranges, 2 * (size_t)count * sizeof *grown);
        if (!grown) {
            return false;
        }
        collection.ranges = grown;
        collection.range_room = 2 * count;
    }
    return false;
}

// How many ranges start below the address.
static uint32_t ranges_below(uintptr_t address)
{
    uint32_t low = 0, high = collection.range_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (collection.ranges[middle].start < address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// The first range that ends above the address; NULL: none does.
static const struct clr_heap_range *range_from(uintptr_t address)
{
    uint32_t next = ranges_below(address + 1);
    const struct clr_heap_range *range = next > 0 ? &collection.ranges[next - 1] : NULL;
    if (range && range->start + range->length > address) {
        return range;
    }
    CLEW_ASSERT(next <= collection.range_count && collection.range_count <= collection.range_room);
    return next < collection.range_count ? &collection.ranges[next] : NULL;
}

// -- Cells ------------------------------------------------------------------------------------------------------------

// What happens to a number that no reported range covers.
enum fate { UNCHANGED, MAKE_UNCERTAIN, FORGET };

static enum fate fate_in(const struct clr_heap_range *range)
{
    CLEW_ASSERT(range >= collection.ranges && range < collection.ranges + collection.range_count);
    bool program_allocates = range->generation != CLR_GENERATION_1 && range->generation != CLR_GENERATION_2;
    bool collected = collection.collected >> range->generation & 1;
    return program_allocates && collected ? MAKE_UNCERTAIN : UNCHANGED;
}

static enum fate fate_at(uintptr_t address)
{
    const struct clr_heap_range *range = range_from(address);
    return range && range->start <= address ? fate_in(range) : FORGET;
}

// A number that was uncertain before and has not been seen since is forgotten.
static uint32_t after(uint32_t number, enum fate fate)
{
    bool forgotten = fate == FORGET || (fate == MAKE_UNCERTAIN && number & SHADOW_UNCERTAIN);
    return forgotten ? 0 : fate == MAKE_UNCERTAIN ? number | SHADOW_UNCERTAIN : number;
}

static uint32_t cell_value(struct shadow_leaf *leaf, uint32_t cell)
{
    return atomic_load_explicit(&leaf->cells[cell], memory_order_relaxed);
}

static void set_cell(struct shadow_leaf *leaf, uint32_t cell, uint32_t number)
{
    atomic_store_explicit(&leaf->cells[cell], number, memory_order_relaxed);
}

static uint8_t page_bits(struct shadow_leaf *leaf, uint32_t page)
{
    return atomic_load_explicit(&leaf->pages[page], memory_order_relaxed);
}

static void set_page(struct shadow_leaf *leaf, uint32_t page, uint8_t bits)
{
    atomic_store_explicit(&leaf->pages[page], bits, memory_order_relaxed);
}

// -- Moves ------------------------------------------------------------------------------------------------------------

// Clears the cells from `start` to `end`, which lie in one page, and appends their numbers to `into` at addresses that are
// `distance` higher. `into` NULL: the numbers are dropped.
static void take_page(struct shadow_leaf *leaf, uintptr_t start, uintptr_t end, uintptr_t distance, struct buffer *into)
{
    uint32_t first = (uint32_t)(start & LEAF_MASK) >> 3, count = (uint32_t)(end - start) >> 3;
    CLEW_ASSERT(start < end && start / PAGE == (end - 1) / PAGE && first + count <= SHADOW_CELLS);
    for (uint32_t i = first; i < first + count; i++) {
        uint32_t number = cell_value(leaf, i);
        if (number) {
            set_cell(leaf, i, 0);
            if (into) {
                struct numbered numbered = {start + ((uintptr_t)(i - first) << 3) + distance, number};
                buffer_append(into, &numbered, sizeof numbered);
            }
        }
    }
}

static void take(uintptr_t start, size_t size, uintptr_t distance, struct buffer *into)
{
    uintptr_t end = start + size;
    while (start < end && end >> SHADOW_ADDRESS_BITS == 0) {
        struct shadow_leaf *leaf =
            atomic_load_explicit(&shadow.leaves[start >> SHADOW_LEAF_BITS], memory_order_relaxed);
        uintptr_t next = leaf ? (start | (PAGE - 1)) + 1 : (start | LEAF_MASK) + 1;
        next = next < end ? next : end;
        if (leaf && page_bits(leaf, (uint32_t)(start & LEAF_MASK) >> SHADOW_PAGE_BITS) & SHADOW_PAGE_USED) {
            take_page(leaf, start, next, distance, into);
        }
        start = next;
    }
}

static void put(const struct numbered *numbered)
{
    struct shadow_leaf *leaf = shadow_leaf_for(numbered->address);
    if (leaf) {
        *shadow_cell(leaf, numbered->address) = numbered->number;
        set_page(leaf, (uint32_t)(numbered->address & LEAF_MASK) >> SHADOW_PAGE_BITS,
                 SHADOW_PAGE_USED | SHADOW_PAGE_HEAP);
    }
}

// -- Pages ------------------------------------------------------------------------------------------------------------

typedef void page_work(struct shadow_leaf *leaf, uint32_t page, uintptr_t address);

static void for_used_pages(page_work *work)
{
    uint32_t count = atomic_load_explicit(&shadow.made_count, memory_order_relaxed);
    for (uint32_t i = 0; i < count; i++) {
        struct shadow_leaf *leaf = atomic_load_explicit(&shadow.leaves[shadow.made[i]], memory_order_relaxed);
        uintptr_t address = (uintptr_t)shadow.made[i] << SHADOW_LEAF_BITS;
        for (uint32_t page = 0; page < SHADOW_PAGES; page += 8) {
            uint64_t eight;
            memcpy(&eight, (const void *)&leaf->pages[page], sizeof eight);
            for (uint32_t j = 0; eight && j < 8; j++) {
                if (page_bits(leaf, page + j) & SHADOW_PAGE_USED) {
                    work(leaf, page + j, address + (uintptr_t)(page + j) * PAGE);
                }
            }
        }
    }
}

// The range that the page lies in, including the part that is reserved but not used yet; NULL: none.
static const struct clr_heap_range *range_of_page(uintptr_t address)
{
    uint32_t below = ranges_below(address + PAGE);
    const struct clr_heap_range *range = below > 0 ? &collection.ranges[below - 1] : NULL;
    return range && range->start + range->reserved > address ? range : NULL;
}

// Marks pages inside the heap. Pages without the mark hold frozen objects; the collector never moves or frees these.
static void mark_heap(struct shadow_leaf *leaf, uint32_t page, uintptr_t address)
{
    if (range_of_page(address)) {
        set_page(leaf, page, page_bits(leaf, page) | SHADOW_PAGE_HEAP);
    }
}

// Drops all numbers of a page. If the heap has given the memory back, the memory of its cells is given back as well.
static void forget_page(struct shadow_leaf *leaf, uint32_t page, uintptr_t address)
{
    _Atomic uint32_t *cells = &leaf->cells[(size_t)page * SHADOW_PAGE_CELLS];
    set_page(leaf, page, 0);
    if (range_of_page(address) || madvise((void *)cells, SHADOW_PAGE_CELLS * sizeof *cells, MADV_DONTNEED) != 0) {
        memset((void *)cells, 0, SHADOW_PAGE_CELLS * sizeof *cells);
    }
}

static void settle_cells(struct shadow_leaf *leaf, uint32_t page, uintptr_t address, bool one_fate, enum fate fate)
{
    CLEW_ASSERT(page < SHADOW_PAGES && address % PAGE == 0);
    uint32_t remaining = 0;
    for (uint32_t i = 0; i < SHADOW_PAGE_CELLS; i++) {
        uint32_t cell = page * SHADOW_PAGE_CELLS + i, number = cell_value(leaf, cell);
        if (number) {
            number = after(number, one_fate ? fate : fate_at(address + ((uintptr_t)i << 3)));
            set_cell(leaf, cell, number);
            remaining |= number;
        }
    }
    if (!remaining) {
        set_page(leaf, page, 0);
    }
}

static void settle_page(struct shadow_leaf *leaf, uint32_t page, uintptr_t address)
{
    const struct clr_heap_range *range = range_from(address);
    bool outside = !range || range->start >= address + PAGE;
    bool inside = !outside && range->start <= address && range->start + range->length >= address + PAGE;
    if (!(page_bits(leaf, page) & SHADOW_PAGE_HEAP)) {
        return;
    }
    if (!inside) { // the collector may unmap the part of the page that holds no objects
        set_page(leaf, page, page_bits(leaf, page) & (uint8_t)~SHADOW_PAGE_READ);
    }
    if (outside) {
        forget_page(leaf, page, address);
    } else if (!inside || fate_in(range) != UNCHANGED) {
        settle_cells(leaf, page, address, inside, fate_in(range));
    }
}

static void make_uncertain(struct shadow_leaf *leaf, uint32_t page)
{
    set_page(leaf, page, page_bits(leaf, page) & (uint8_t)~SHADOW_PAGE_READ);
    for (uint32_t i = 0; i < SHADOW_PAGE_CELLS; i++) {
        uint32_t cell = page * SHADOW_PAGE_CELLS + i, number = cell_value(leaf, cell);
        if (number) {
            set_cell(leaf, cell, number | SHADOW_UNCERTAIN);
        }
    }
}

static void make_young_uncertain(struct shadow_leaf *leaf, uint32_t page, uintptr_t address)
{
    const struct clr_heap_range *range = range_of_page(address);
    if (range ? range->generation != CLR_GENERATION_2 : page_bits(leaf, page) & SHADOW_PAGE_HEAP) {
        make_uncertain(leaf, page);
    }
}

static void make_heap_uncertain(struct shadow_leaf *leaf, uint32_t page, uintptr_t address)
{
    (void)address;
    if (page_bits(leaf, page) & SHADOW_PAGE_HEAP) {
        make_uncertain(leaf, page);
    }
}

// -- A flight recorder ------------------------------------------------------------------------------------------------
// A flight recorder keeps the last part of a recording, so it drops the descriptions of objects that were described long
// ago. Such an object must be described again when it is next seen: its number becomes uncertain, so that it gets a new one
// with a link to the old one.

static uint32_t renew_below; // objects with lower numbers become uncertain

static void renew_page(struct shadow_leaf *leaf, uint32_t page, uintptr_t address)
{
    (void)address;
    for (uint32_t i = 0; i < SHADOW_PAGE_CELLS; i++) {
        uint32_t cell = page * SHADOW_PAGE_CELLS + i, number = cell_value(leaf, cell);
        if (number && (number & OBJECT_NUMBER_MAX) < renew_below) {
            set_cell(leaf, cell, number | SHADOW_UNCERTAIN);
        }
    }
}

// Runs while the program is stopped: no probe is between reading an object's number and storing the event that names it.
static void renew(void)
{
    uint32_t from = atomic_load_explicit(&agent.ring->objects_from, memory_order_acquire);
    if (from > atomic_load_explicit(&agent.ring->objects_renewed, memory_order_relaxed)) {
        renew_below = from;
        for_used_pages(renew_page);
        // Pairs with the collector's acquire load: by then all events that name a lower number are in the chunks.
        atomic_store_explicit(&agent.ring->objects_renewed, from, memory_order_release);
    }
}

// -- A collection's end -----------------------------------------------------------------------------------------------

static bool is_unchanged(const struct move *move)
{
    const struct clr_heap_range *range = range_from(move->from);
    return move->from == move->to && range && range->start <= move->from && fate_in(range) == UNCHANGED;
}

// Applies the reported moves. Ranges slide over each other, so all numbers are taken out before the first is put back. In
// between, the shadow holds only the numbers that no range covers, and `unreported_work` treats those. False: memory ran out,
// and numbers were lost.
static bool settle(page_work *unreported_work)
{
    const struct move *moves = (const void *)collection.moves.data;
    size_t count = collection.moves.size / sizeof *moves;
    for (size_t i = 0; i < count; i++) {
        if (unreported_work != settle_page || !is_unchanged(&moves[i])) {
            take(moves[i].from, moves[i].size, moves[i].to - moves[i].from, &collection.taken);
        }
    }
    for_used_pages(unreported_work);
    for (size_t i = 0; i < count; i++) {
        if (moves[i].from != moves[i].to) {
            take(moves[i].to, moves[i].size, 0, NULL); // an object that was at the destination is dead
        }
    }
    const struct numbered *taken = (const void *)collection.taken.data;
    for (size_t i = 0; i < collection.taken.size / sizeof *taken; i++) {
        put(&taken[i]);
    }
    return !collection.moves.failed && !collection.taken.failed;
}

// -- Callbacks --------------------------------------------------------------------------------------------------------

static void forget_moves(void)
{
    buffer_clear(&collection.moves);
    buffer_clear(&collection.taken);
}

void objects_listen(void)
{
    enum { VERBOSE = 5 };
    static const char16_t runtime[] = u"Microsoft-Windows-DotNETRuntime";
    const struct clr_event_source source = {.name = (const clr_char *)runtime,
                                            .keywords = CLR_EVENTS_COLLECTIONS | CLR_EVENTS_SURVIVAL_AND_MOVEMENT,
                                            .level = VERBOSE,
                                            .filter = event_source_filter()};
    void *info;
    uint64_t session;
    collection.reported = !clr_failed(clr_query(agent.info, &clr_iid_info12, &info)) &&
                          !clr_failed(info_start_events(info, &source, &session));
    if (!collection.reported) {
        report_note(
            "the runtime does not report which objects it moves: objects get new numbers after each collection");
    }
}

void objects_stopped(void)
{
    forget_moves(); // a background collection may have reported some while the program ran
    collection.awaiting_start = true;
    if (read_heap()) {
        for_used_pages(mark_heap);
    }
}

static void begin_collection(uint32_t generation)
{
    enum { ALL = UINT32_MAX };
    collection.awaiting_start = false;
    collection.unfinished++; // two at once: a young collection at the start of a background one
    collection.collected |= generation < CLR_GENERATION_2 ? (2u << generation) - 1 : ALL;
}

static void add_moves(bool moved, struct bytes data)
{
    struct move move;
    lock_take(&collection.lock, LOCK_MOVES);
    while (bytes_u64(&data, &move.from) && (!moved || bytes_u64(&data, &move.to)) && bytes_u64(&data, &move.size)) {
        move.to = moved ? move.to : move.from;
        buffer_append(&collection.moves, &move, sizeof move);
    }
    lock_release(&collection.lock, LOCK_MOVES);
}

// GCAllocationTick_V3 and later: 32-bit amount and kind, 16-bit ClrInstanceID, 64-bit amount.
static void add_allocated(struct bytes data)
{
    enum { TICK_HEAD = 10 };
    uint64_t amount;
    if (bytes_skip(&data, TICK_HEAD) && bytes_u64(&data, &amount)) {
        atomic_fetch_add_explicit(&agent.ring->allocated, amount, memory_order_relaxed);
    }
}

void objects_event(uint32_t id, struct bytes data)
{
    enum { RANGES_HEAD = 10 }; // 32-bit index and count, 16-bit ClrInstanceID
    uint32_t count, generation;
    if (id == CLR_EVENT_COLLECTION_START && bytes_u32(&data, &count) && bytes_u32(&data, &generation)) {
        begin_collection(generation);
    } else if ((id == CLR_EVENT_MOVED_RANGES || id == CLR_EVENT_SURVIVING_RANGES) && bytes_skip(&data, RANGES_HEAD)) {
        add_moves(id == CLR_EVENT_MOVED_RANGES, data);
    } else if (id == CLR_EVENT_ALLOCATION_TICK) {
        add_allocated(data);
    }
}

void objects_collection_finished(void)
{
    if (!collection.unfinished) {
        // A background collection ends while the program runs.
        atomic_store_explicit(&collection.background, false, memory_order_relaxed);
        return;
    }
    collection.unfinished--;
    CLEW_ASSERT(collection.collected && !collection.awaiting_start && "a collection that ends has started");
    if (!read_heap() || !settle(settle_page)) {
        for_used_pages(make_heap_uncertain);
    }
    forget_moves();
}

void objects_resume(void)
{
    if (collection.unfinished) {
        atomic_store_explicit(&collection.background, true, memory_order_relaxed);
    }
    collection.unfinished = 0;
    collection.collected = 0;
    if (collection.awaiting_start || !collection.reported) {
        for_used_pages(make_heap_uncertain);
    } else if (atomic_load_explicit(&collection.background, memory_order_relaxed)) {
        if (!settle(make_young_uncertain)) {
            for_used_pages(make_heap_uncertain);
        }
        forget_moves();
    }
    collection.awaiting_start = false;
    renew();
}
