// Events of sites: those that woven code writes by itself, played here, and those that the site functions write; a
// thread that finds no room, with and without a collector; and nothing lost that is not counted.
#include "agent/probe/probe_classes.h"
#include "agent/probe/probe_objects.h"
#include "agent/probe/probe_sites.h"
#include "agent/probe/probe_stream.h"
#include "agent/probe/probe_structs.h"
#include "agent/probe/probe_thread.h"
#include "agent/probe/shadow.h"
#include "agent/session/pages.h"
#include "trace/instrument.h"
#include "unit/agent/probing.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>

enum { MAIN = 16, A = 17, B = 18 };
enum {
    STATEMENT = 1,
    NUMBER = 2,
    WIDE = 3,
    FIELD = 4,
    ITEM = 5,
    SINGLE = 6,
    DOUBLE = 7,
    STRUCT = 8,
    LARGE = 9,
    TYPED = 10,
    SITES,
    TYPED_NUMBER = 5
};

static const struct site sites[SITES] = {
    [STATEMENT] = {.kind = SITE_STATEMENT},
    [NUMBER] = {.kind = SITE_DEFINITION, .place = PLACE_LOCAL, .encoding = VALUE_I4},
    [WIDE] = {.kind = SITE_DEFINITION, .place = PLACE_LOCAL, .encoding = VALUE_I8},
    [FIELD] = {.kind = SITE_DEFINITION, .place = PLACE_FIELD, .owner = OWNER_ADDRESS, .encoding = VALUE_U2},
    [ITEM] = {.kind = SITE_DEFINITION, .place = PLACE_ITEM, .owner = OWNER_ADDRESS, .encoding = VALUE_U8},
    [SINGLE] = {.kind = SITE_DEFINITION, .place = PLACE_LOCAL, .encoding = VALUE_R4},
    [DOUBLE] = {.kind = SITE_DEFINITION, .place = PLACE_LOCAL, .encoding = VALUE_R8},
    [STRUCT] = {.kind = SITE_DEFINITION, .place = PLACE_LOCAL, .encoding = VALUE_STRUCT, .size = 7},
    [LARGE] = {.kind = SITE_DEFINITION, .place = PLACE_LOCAL, .encoding = VALUE_STRUCT, .size = 400},
    [TYPED] = {.kind = SITE_DEFINITION, .place = PLACE_LOCAL, .encoding = VALUE_TYPED, .type = TYPED_NUMBER},
};

static const struct ring_options statements = {.clock = CLOCK_KIND_TSC,
                                               .instruments = INSTRUMENT_CALLS | INSTRUMENT_STATEMENTS};

static void define_sites(void)
{
    static struct site_layout forms[SITES];
    site_layouts = forms;
    for (uint32_t i = 1; i < SITES; i++) {
        forms[i] = site_layout_of(&sites[i], true);
        ring_event_lengths(probe_ring)[i] = event_length_of(&sites[i]);
    }
}

// -- What woven code does ---------------------------------------------------------------------------------------------

static struct ring_thread *enter_with_sites(uint32_t method)
{
    uintptr_t node = 0;
    struct ring_thread *context = (struct ring_thread *)probes->enter_context(method, &node);
    assert_non_null(context);
    return context;
}

static void leave(uint32_t method)
{
    if (probes->leave(method)) {
        probes->wait();
    }
}

static uint32_t *place_of(struct ring_thread *context)
{
    return (uint32_t *)(uintptr_t)atomic_load_explicit(&context->at, memory_order_relaxed);
}

static void advance(struct ring_thread *context, uint32_t cells)
{
    uint64_t at = atomic_load_explicit(&context->at, memory_order_relaxed);
    atomic_store_explicit(&context->at, at + 4 * cells, memory_order_release);
}

static void statement(struct ring_thread *context)
{
    *place_of(context) = STATEMENT << 2 | RING_EVENT_SITE;
    advance(context, 1);
}

static void number(struct ring_thread *context, uint32_t value)
{
    place_of(context)[0] = NUMBER << 2 | RING_EVENT_SITE;
    place_of(context)[1] = value;
    advance(context, 2);
}

static void check(struct ring_thread *context)
{
    if (atomic_load_explicit(&context->at, memory_order_relaxed) >= context->limit && site_room(context)) {
        probes->wait();
    }
}

// -- What was written -------------------------------------------------------------------------------------------------

struct seen {
    struct tally tally;
    uint64_t sites[SITES];
    uint64_t numbers; // of NUMBER events so far, which must rise
    uint32_t last;
    bool gap; // a LOST came since the last
    const uint32_t *newest[SITES];
};

static void see(const uint32_t *cells, size_t size, void *context)
{
    struct seen *seen = context;
    uint32_t payload = RING_EVENT_PAYLOAD(cells[0]);
    tally_event(cells, size, &seen->tally);
    if (RING_EVENT_KIND(cells[0]) == RING_EVENT_EXTENDED && (payload & 0xFF) == RING_EXTENDED_LOST) {
        seen->gap = true;
    }
    if (RING_EVENT_KIND(cells[0]) != RING_EVENT_SITE) {
        return;
    }
    assert_true(payload > 0 && payload < SITES);
    seen->sites[payload]++;
    seen->newest[payload] = cells;
    if (payload == NUMBER) {
        assert_true(seen->gap ? cells[1] > seen->last : cells[1] == seen->last + 1);
        seen->last = cells[1];
        seen->gap = false;
    }
}

static struct seen see_all(void)
{
    struct seen seen = {0};
    walk_stream(see, &seen);
    return seen;
}

static uint64_t lost(void)
{
    return atomic_load(&ring_threads(probe_ring)[0].lost);
}

static uint64_t events_of(const struct seen *seen)
{
    uint64_t sum = seen->tally.enters + seen->tally.leaves + seen->tally.unwinds;
    for (uint32_t i = 0; i < SITES; i++) {
        sum += seen->sites[i];
    }
    return sum;
}

static void run_with_sites(const struct ring_options *options, void (*body)(void))
{
    open_segment(options);
    define_sites();
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_body, (void *)(uintptr_t)body), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

// -- Values whose type shows when they are there ----------------------------------------------------------------------

// A class as CoreCLR lays it out: series of references, the highest first, and their count; then the method table.
struct described {
    intptr_t series[2][2]; // length less the object's, offset in it
    intptr_t count;
    struct {
        uint32_t flags, base_size;
    } table;
};

static const struct described plain = {.table = {CLASS_CATEGORY_VALUE, 24}};
static const struct described class = {.table = {0, 24}};
// In an object of 56 bytes, method table and padding included: references at 8, 24 and 32 of the value.
static const struct described mixed = {
    .series = {{16 - 56, 8 + 24}, {8 - 56, 8 + 8}},
    .count = 2,
    .table = {CLASS_CATEGORY_VALUE | CLASS_HAS_REFERENCES, 56},
};

static void typed(struct ring_thread *context, const struct described *of, const void *value, uint32_t size)
{
    const struct site_typed_reference reference = {value, &of->table};
    site_typed(context, TYPED, 0, 0, &reference, size);
}

static void typed_forms(void)
{
    static const uint8_t five[8] = {1, 2, 3, 4, 5, 99, 99, 99};
    static const uint64_t none[5] = {0x1111111111111111, 0, 0x2222222222222222, 0, 0};
    static const uint8_t large[300];
    static const uintptr_t null = 0;
    struct ring_thread *context = enter_with_sites(MAIN);
    typed(context, &plain, five, 5);
    number(context, 1);
    typed(context, &mixed, none, sizeof none);
    number(context, 2);
    typed(context, &class, &null, sizeof null);
    number(context, 3);
    typed(context, &plain, large, sizeof large);
    number(context, 4);
    site_sized(context, TYPED, 0, 0, five, 5); // its class is unknown
    number(context, 5);
    class_tables[TYPED_NUMBER] = &mixed.table;
    site_sized(context, TYPED, 0, 0, none, sizeof none);
    const void *place = none, *nowhere = NULL;
    site_behind(context, TYPED, 0, 0, &place, sizeof none);
    site_behind(context, TYPED, 0, 0, &nowhere, sizeof none);
    const void *unreadable = (const void *)(uintptr_t)64;
    site_layouts[TYPED].checked = true;
    site_behind(context, TYPED, 0, 0, &unreadable, sizeof none);
    site_behind(context, TYPED, 0, 0, &place, sizeof none);
    site_layouts[TYPED].checked = false;
    leave(MAIN);
}

struct typed_seen {
    const uint32_t *events[8];
    uint32_t count, numbers;
};

static void see_typed(const uint32_t *cells, size_t size, void *context)
{
    struct typed_seen *seen = context;
    (void)size;
    if (cells[0] == (TYPED << 2 | RING_EVENT_SITE)) {
        seen->events[seen->count++] = cells;
    } else if (cells[0] == (NUMBER << 2 | RING_EVENT_SITE)) {
        assert_int_equal(cells[1], ++seen->numbers);
    }
}

static void test_values_say_how_large_they_are(void **state)
{
    (void)state;
    static _Atomic(const void *) tables[TYPED_NUMBER + 1];
    class_tables = tables;
    shadow.leaves = pages_new(SHADOW_LEAVES * sizeof *shadow.leaves);
    assert_non_null(shadow.leaves);
    run_with_sites(&statements, typed_forms);
    class_tables = NULL;
    struct typed_seen seen = {0};
    walk_stream(see_typed, &seen);
    assert_int_equal(seen.numbers, 5);
    assert_int_equal(seen.count, 8);
    const uint32_t five[] = {0, 5, 0x04030201, 5};
    assert_memory_equal(seen.events[0] + 1, five, sizeof five);
    const uint32_t mixed_cells[] = {0, 40, 0x11111111, 0x11111111, 0, 0, 0x22222222, 0x22222222, 0, 0, 0, 0};
    assert_memory_equal(seen.events[1] + 1, mixed_cells, sizeof mixed_cells);
    const uint32_t object[] = {0, 4, 0};
    assert_memory_equal(seen.events[2] + 1, object, sizeof object);
    const uint32_t too_large[] = {0, 0};
    assert_memory_equal(seen.events[3] + 1, too_large, sizeof too_large);
    const uint32_t unknown[] = {TYPED_NUMBER, 0};
    assert_memory_equal(seen.events[4] + 1, unknown, sizeof unknown);
    assert_int_equal(seen.events[5][1], TYPED_NUMBER);
    assert_memory_equal(seen.events[5] + 2, mixed_cells + 1, sizeof mixed_cells - 4);
    assert_memory_equal(seen.events[6], seen.events[5], sizeof mixed_cells + 4);
    assert_memory_equal(seen.events[7], seen.events[5], sizeof mixed_cells + 4); // not what cannot be read
    assert_int_equal(lost(), 0);
}

// Only references that lie within a value are replaced in its bytes.
static void references_of(const struct described *of, uint32_t size, uint32_t count, const uint32_t *offsets)
{
    struct struct_references found;
    struct_find_references(&of->table, size, &found);
    assert_int_equal(found.count, count);
    assert_memory_equal(found.offsets, offsets, count * sizeof *offsets);
}

static void test_references_are_found_in_values(void **state)
{
    (void)state;
    const uint32_t offsets[] = {8, 24, 32};
    references_of(&mixed, 48, 3, offsets);
    references_of(&mixed, 16, 1, offsets); // no more than is there
    references_of(&plain, 16, 0, offsets);
}

// -- Forms ------------------------------------------------------------------------------------------------------------

static void each_form(void)
{
    static const float single = 1.5f;
    static const double twice = -0.1;
    static const uint8_t seven[8] = {1, 2, 3, 4, 5, 6, 7, 99};
    static uint8_t large[400];
    memset(large, 0xAB, sizeof large);
    struct ring_thread *context = enter_with_sites(MAIN);
    statement(context);
    number(context, 1);
    site_bits(context, WIDE, 0, 0, UINT64_C(0x1122334455667788));
    site_bits(context, FIELD, 0x7FFF12345678, 0, 0xFFFF);
    site_bits(context, ITEM, 0x7FFF12345678, 42, UINT64_C(1) << 63);
    site_at(context, SINGLE, 0, 0, &single);
    site_at(context, DOUBLE, 0, 0, &twice);
    site_at(context, STRUCT, 0, 0, seven);
    site_at(context, LARGE, 0, 0, large);
    typed(context, &plain, seven, 7);
    number(context, 2);
    leave(MAIN);
}

static void test_events_have_the_form_of_their_site(void **state)
{
    (void)state;
    run_with_sites(&statements, each_form);
    struct seen seen = see_all();
    assert_int_equal(seen.tally.enters, 1);
    assert_int_equal(seen.tally.leaves, 1);
    for (uint32_t i = 1; i < SITES; i++) {
        assert_int_equal(seen.sites[i], i == NUMBER ? 2 : 1);
    }
    assert_true(ring_word_at(seen.newest[WIDE] + 1) == UINT64_C(0x1122334455667788));
    assert_true(ring_word_at(seen.newest[FIELD] + 1) == 0x7FFF12345678);
    assert_int_equal(seen.newest[FIELD][3], 0xFFFF);
    assert_true(ring_word_at(seen.newest[ITEM] + 1) == 0x7FFF12345678);
    assert_int_equal(seen.newest[ITEM][3], 42);
    assert_true(ring_word_at(seen.newest[ITEM] + 4) == UINT64_C(1) << 63);
    float single;
    double twice;
    memcpy(&single, seen.newest[SINGLE] + 1, sizeof single);
    memcpy(&twice, seen.newest[DOUBLE] + 1, sizeof twice);
    assert_true(single == 1.5f && twice == -0.1);
    assert_int_equal(seen.newest[STRUCT][1], 0x04030201);
    assert_int_equal(seen.newest[STRUCT][2], 0x00070605); // padded with zeros
    assert_int_equal(seen.newest[LARGE][1], 0xABABABAB);
    assert_int_equal(seen.newest[LARGE][100], 0xABABABAB);
    assert_int_equal(lost(), 0);
}

// lengths 3, 4, 5; lower bounds 0, -2, 10
static void test_items_of_several_dimensions_have_a_position(void **state)
{
    (void)state;
    struct {
        uint32_t flags, base_size;
    } table = {0, 24 + 3 * 8};
    struct {
        void *table;
        uint32_t length, padding;
        int32_t lengths[3], lower[3];
    } array = {&table, 60, 0, {3, 4, 5}, {0, -2, 10}};
    uintptr_t reference = (uintptr_t)&array;
    int32_t at = 7; // of an item before
    site_item_index(&reference, &at, 0, 2);
    site_item_index(&reference, &at, 1, 1);
    site_item_index(&reference, &at, 2, 14);
    assert_int_equal(at, (2 * 4 + 3) * 5 + 4);
    uintptr_t null = 0;
    site_item_index(&null, &at, 1, 1);
    assert_int_equal(at, 0);
}

static void test_newest_item_of_a_collection_is_within_its_array(void **state)
{
    (void)state;
    struct {
        void *table;
        uint32_t length, padding;
    } items = {NULL, 4, 0};
    struct {
        void *table, *items;
        int32_t count, version;
    } list = {NULL, &items, 4, 9};
    uintptr_t reference = (uintptr_t)&list;
    int32_t at = 7;
    site_newest_index(&reference, &at, 16, 0);
    assert_int_equal(at, 3);
    list.count = 5; // no collection has more items than room
    site_newest_index(&reference, &at, 16, 0);
    assert_int_equal(at, ITEM_UNKNOWN);
    list.count = 0;
    site_newest_index(&reference, &at, 16, 0);
    assert_int_equal(at, ITEM_UNKNOWN);
    list.items = NULL;
    site_newest_index(&reference, &at, 16, 0);
    assert_int_equal(at, ITEM_UNKNOWN);
}

// -- Room -------------------------------------------------------------------------------------------------------------

enum { ROUNDS = 30000 };

// Writes as much as woven code may between two checks, and calls site functions besides.
static void busy(void)
{
    uint32_t value = 0;
    uint8_t large[400] = {0};
    struct ring_thread *outer = enter_with_sites(MAIN);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        check(outer);
        for (uint32_t k = 0; k < i % (RING_SITE_ROOM / 8 + 1); k++) {
            number(outer, ++value);
        }
        if (i % 3 == 0) {
            site_at(outer, LARGE, 0, 0, large);
        }
        if (i % 2 == 0) {
            struct ring_thread *inner = enter_with_sites(A);
            for (uint32_t k = 0; k < i % (RING_SITE_ROOM / 8 + 1); k++) {
                number(inner, ++value);
            }
            leave(A);
        }
    }
    leave(MAIN);
}

static uint64_t busy_events(void)
{
    uint64_t sum = 2;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t numbers = i % (RING_SITE_ROOM / 8 + 1);
        sum += numbers + (i % 3 == 0) + (i % 2 == 0 ? numbers + 2 : 0);
    }
    return sum;
}

static void test_chunks_follow_each_other(void **state)
{
    (void)state;
    struct ring_options many = statements;
    many.chunk_quota = RING_CHUNKS_MAX / 4;
    run_with_sites(&many, busy);
    struct seen seen = see_all();
    assert_int_equal(events_of(&seen), busy_events());
    assert_int_equal(seen.tally.depth, 0);
    assert_int_equal(lost(), 0);
}

// The collector counts the events that are behind a stalled stream's position at the end.
static uint64_t lost_at_the_end(void)
{
    const struct ring_thread *thread = &ring_threads(probe_ring)[0];
    uint64_t held = atomic_load(&thread->stalled);
    return lost() + (held ? ring_count_events(probe_ring, held, atomic_load(&thread->at)) : 0);
}

static void test_lossy_events_are_there_or_counted(void **state)
{
    (void)state;
    struct ring_options few = statements;
    few.flags = SESSION_LOSSY;
    few.chunk_quota = 1;
    run_with_sites(&few, busy);
    struct seen seen = see_all();
    assert_true(lost() > 0);
    assert_int_equal(events_of(&seen) + lost_at_the_end(), busy_events());
    assert_int_equal(seen.tally.lost, 0); // there was no room for a LOST event
}

static void test_without_a_collector_events_are_there_or_counted(void **state)
{
    (void)state;
    struct ring_options few = statements;
    few.chunk_quota = 2;
    open_segment(&few);
    define_sites();
    atomic_store(&probe_ring->collector_gone, 1);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_body, (void *)(uintptr_t)busy), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    struct seen seen = see_all();
    assert_int_equal(events_of(&seen) + lost_at_the_end(), busy_events());
}

// Room returns now and then: losses are reported where they occurred, together with the running activations.
static void lose_and_go_on(void)
{
    uint32_t value = 0;
    struct ring_thread *outer = enter_with_sites(MAIN);
    struct ring_thread *inner = enter_with_sites(A);
    for (uint32_t i = 0; i < 20 * RING_CHUNK_SIZE; i++) {
        check(inner);
        number(inner, ++value);
        if (i % 10000 == 9999) {
            probe_ring->chunk_quota++;
        }
    }
    probe_ring->chunk_quota += 10;
    leave(A);
    check(outer);
    number(outer, ++value);
    leave(MAIN);
}

static void test_losses_are_told_where_they_are(void **state)
{
    (void)state;
    struct ring_options few = statements;
    few.flags = SESSION_LOSSY;
    few.chunk_quota = 1;
    run_with_sites(&few, lose_and_go_on);
    struct seen seen = see_all();
    assert_true(lost() > 1000);
    assert_int_equal(seen.tally.lost, lost());
    assert_int_equal(events_of(&seen) + lost(), 20 * RING_CHUNK_SIZE + 1 + 4);
    assert_int_equal(seen.tally.depth, 0);
    assert_int_equal(seen.last, 20 * RING_CHUNK_SIZE + 1);
}

// -- A collector that keeps up just so --------------------------------------------------------------------------------

static _Atomic bool over;

static struct {
    uint32_t cells[64 << 20];
    size_t count;
    uint64_t chunk, at;
} drained;

static void free_chunk(uint64_t number)
{
    atomic_fetch_or(&ring_free_chunks(probe_ring)[number / 64], UINT64_C(1) << number % 64);
    atomic_fetch_sub(&probe_ring->chunks_full, 1);
    atomic_fetch_add(&probe_ring->room, 1);
    (void)syscall(SYS_futex, &probe_ring->room, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void take(uint64_t end)
{
    size_t count = (size_t)(end - drained.at) / 4;
    assert_true(drained.count + count <= sizeof drained.cells / 4);
    memcpy(drained.cells + drained.count, (char *)probe_ring + drained.at, count * 4);
    drained.count += count;
    drained.at = end;
}

// Chunks are returned only at the end: the cursor that was read at the start must not seem to lie in a chunk that is
// used again.
static void drain_once(void)
{
    uint64_t passed[16];
    size_t count = 0;
    const struct ring_thread *thread = &ring_threads(probe_ring)[0];
    uint64_t at = atomic_load(&thread->at), held = atomic_load(&thread->stalled);
    uint64_t cursor = ring_offset_of(probe_ring, held ? held : at);
    drained.chunk = drained.chunk ? drained.chunk : *(volatile const uint64_t *)&thread->first_chunk;
    while (drained.chunk) {
        struct ring_chunk *chunk = ring_chunk_at(probe_ring, drained.chunk - 1);
        uint64_t start = (uint64_t)((char *)chunk - (char *)probe_ring), next = atomic_load(&chunk->next);
        uint64_t end = next ? start + chunk->used : cursor;
        drained.at = drained.at ? drained.at : start + sizeof *chunk;
        if (end > drained.at && end <= start + RING_CHUNK_SIZE) {
            take(end);
        }
        if (!next) {
            break;
        }
        assert_true(count < sizeof passed / sizeof *passed);
        passed[count++] = drained.chunk - 1;
        drained.chunk = next;
        drained.at = 0;
    }
    while (count > 0) {
        free_chunk(passed[--count]);
    }
}

static void *drain(void *unused)
{
    while (!atomic_load(&over)) {
        drain_once();
        atomic_fetch_add(&probe_ring->progress, 1);
        (void)usleep(200);
    }
    drain_once();
    return unused;
}

static struct seen run_drained(const struct ring_options *options)
{
    pthread_t thread, collector;
    open_segment(options);
    define_sites();
    atomic_store(&over, false);
    drained.count = drained.chunk = drained.at = 0;
    assert_int_equal(pthread_create(&collector, NULL, drain, NULL), 0);
    assert_int_equal(pthread_create(&thread, NULL, run_body, (void *)(uintptr_t)busy), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    atomic_store(&over, true);
    assert_int_equal(pthread_join(collector, NULL), 0);
    struct seen seen = {0};
    size_t size;
    for (size_t i = 0; i < drained.count; i += size) {
        size = ring_event_cells(ring_event_lengths(probe_ring), drained.cells[i], drained.cells + i, drained.count - i);
        assert_true(size > 0);
        see(drained.cells + i, size, &seen);
    }
    return seen;
}

static void test_exact_streams_wait(void **state)
{
    (void)state;
    struct ring_options few = statements;
    few.chunk_quota = 2;
    struct seen seen = run_drained(&few);
    assert_int_equal(lost(), 0);
    assert_int_equal(events_of(&seen), busy_events());
    assert_int_equal(seen.tally.depth, 0);
    assert_true(atomic_load(&probe_ring->pauses) > 0);
}

static void test_a_reader_never_sees_what_was_thrown_away(void **state)
{
    (void)state;
    struct ring_options few = statements;
    few.flags = SESSION_LOSSY;
    few.chunk_quota = 2;
    struct seen seen = run_drained(&few);
    assert_true(lost() > 0);
    assert_int_equal(events_of(&seen) + lost_at_the_end(), busy_events());
    assert_int_equal(atomic_load(&probe_ring->pauses), 0);
}

// The collector does not drain, and after a while counts as gone. Until then events have filled the chunk as far as
// they may.
static void pile_up(void)
{
    static const uint8_t large[400];
    uint32_t value = 0;
    struct ring_thread *context = enter_with_sites(MAIN);
    for (uint32_t i = 0; i < 200; i++) {
        for (uint32_t k = 0; k < 100; k++) {
            site_at(context, k % 2 ? LARGE : STRUCT, 0, 0, large);
        }
        for (uint32_t k = 0; k < RING_SITE_ROOM / 8; k++) {
            number(context, ++value);
        }
        check(context);
        for (uint32_t k = 0; k < RING_SITE_ROOM / 8; k++) {
            number(context, ++value);
        }
        (void)enter_with_sites(A);
        leave(A);
        check(context);
    }
    leave(MAIN);
}

// The same, with site functions that end at a given position in the chunk.
static uint32_t events_before;

static void pile_up_to_a_place(void)
{
    uint32_t value = 0;
    struct ring_thread *context = enter_with_sites(MAIN);
    for (uint32_t i = 0; i < events_before; i++) {
        site_bits(context, WIDE, 0, 0, i);
    }
    for (uint32_t i = 0; i < 10; i++) {
        for (uint32_t k = 0; k < RING_SITE_ROOM / 8; k++) {
            number(context, ++value);
        }
        check(context);
    }
}

static void *give_up(void *unused)
{
    while (atomic_load(&probe_ring->waiters) == 0 && !stream_lossy) {
        (void)usleep(100);
    }
    atomic_store(&probe_ring->collector_gone, 1);
    return unused;
}

static void run_given_up(uint32_t flags, void (*body)(void), uint64_t events)
{
    struct ring_options one = statements;
    one.flags = flags;
    pthread_t thread, other;
    open_segment(&one);
    probe_ring->chunk_quota = 0; // the thread's first chunk is its only one
    define_sites();
    assert_int_equal(pthread_create(&other, NULL, give_up, NULL), 0);
    assert_int_equal(pthread_create(&thread, NULL, run_body, (void *)(uintptr_t)body), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(pthread_join(other, NULL), 0);
    struct seen seen = see_all();
    assert_int_equal(events_of(&seen) + lost_at_the_end(), events);
    const uint8_t *behind = (const uint8_t *)ring_chunk_at(probe_ring, 1);
    for (uint32_t i = 0; i < RING_CHUNK_SIZE; i++) {
        assert_int_equal(behind[i], 0);
    }
    close_segment();
}

static void test_nothing_is_written_behind_a_chunk(void **state)
{
    (void)state;
    for (uint32_t flags = 0; flags <= SESSION_LOSSY; flags += SESSION_LOSSY) {
        run_given_up(flags, pile_up, 2 + 200 * (100 + RING_SITE_ROOM / 4 + 2));
        for (events_before = 1050; events_before < 1350; events_before += 5) {
            run_given_up(flags, pile_up_to_a_place, 1 + events_before + 10 * (RING_SITE_ROOM / 8));
        }
    }
}

// -- Discarded --------------------------------------------------------------------------------------------------------

static void too_deep(void)
{
    struct ring_thread *outer = enter_with_sites(MAIN);
    number(outer, 1);
    for (uint32_t i = 0; i < 1000; i++) {
        struct ring_thread *inner = enter_with_sites(A);
        assert_ptr_not_equal(inner, outer);
        for (uint32_t k = 0; k < 100; k++) {
            check(inner);
            statement(inner);
        }
        site_bits(inner, WIDE, 0, 0, 5);
        leave(A);
    }
    number(outer, 2);
    leave(MAIN);
}

static void test_events_below_the_depth_limit_are_discarded(void **state)
{
    (void)state;
    struct ring_options shallow = statements;
    shallow.depth_max = 1;
    run_with_sites(&shallow, too_deep);
    struct seen seen = see_all();
    assert_int_equal(seen.sites[NUMBER], 2);
    assert_int_equal(seen.sites[STATEMENT] + seen.sites[WIDE], 0);
    assert_int_equal(events_of(&seen), 4);
    assert_int_equal(lost(), 0);
}

static void test_a_thread_that_is_turned_away_goes_on(void **state)
{
    (void)state;
    struct ring_options none = statements;
    none.nodes_max = RING_NODE_BLOCK;
    run_with_sites(&none, busy);
    assert_int_equal(atomic_load(&probe_ring->threads_refused), 1);
    assert_true(atomic_load(&ring_free_chunks(probe_ring)[0]) == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events_have_the_form_of_their_site),
        cmocka_unit_test(test_values_say_how_large_they_are),
        cmocka_unit_test(test_references_are_found_in_values),
        cmocka_unit_test(test_items_of_several_dimensions_have_a_position),
        cmocka_unit_test(test_newest_item_of_a_collection_is_within_its_array),
        cmocka_unit_test(test_chunks_follow_each_other),
        cmocka_unit_test(test_lossy_events_are_there_or_counted),
        cmocka_unit_test(test_without_a_collector_events_are_there_or_counted),
        cmocka_unit_test(test_losses_are_told_where_they_are),
        cmocka_unit_test(test_exact_streams_wait),
        cmocka_unit_test(test_a_reader_never_sees_what_was_thrown_away),
        cmocka_unit_test(test_nothing_is_written_behind_a_chunk),
        cmocka_unit_test(test_events_below_the_depth_limit_are_discarded),
        cmocka_unit_test(test_a_thread_that_is_turned_away_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
