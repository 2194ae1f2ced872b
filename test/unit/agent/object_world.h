// A heap made by hand for the tests of object numbers: regions, objects with method tables, and collections that the test
// plays as the runtime would report them.
#ifndef CLEW_UNIT_AGENT_OBJECT_WORLD_H
#define CLEW_UNIT_AGENT_OBJECT_WORLD_H

#include "agent/heap/heap_objects.h"
#include "agent/probe/probe_classes.h"
#include "agent/probe/probe_objects.h"
#include "agent/probe/probe_stream.h"
#include "agent/probe/probe_thread.h"
#include "agent/probe/shadow.h"
#include "agent/session/agent.h"
#include "trace/instrument.h"
#include "unit/agent/probing.h"

#include <sys/mman.h>

enum { MAIN = 16, REGION = 1 << 20, REGIONS = 8, SIZE = 24 };

static const struct ring_options values = {.clock = CLOCK_KIND_TSC,
                                           .instruments = INSTRUMENT_CALLS | INSTRUMENT_VALUES};

// -- The runtime ------------------------------------------------------------------------------------------------------

static struct clr_heap_range heap[REGIONS];
static uint32_t heap_count;
static bool heap_unknown;

static inline clr_result get_heap(void *info, uint32_t size, uint32_t *count, struct clr_heap_range *ranges)
{
    (void)info;
    *count = heap_count;
    for (uint32_t i = 0; i < heap_count && i < size; i++) {
        ranges[i] = heap[i];
    }
    return heap_unknown ? CLR_NO_INTERFACE : CLR_OK;
}

static bool events_refused;

static inline clr_result query(void *info, const struct clr_guid *id, void **out)
{
    (void)id;
    *out = info;
    return CLR_OK;
}

static inline clr_result start_events(void *info, uint32_t count, const struct clr_event_source *source,
                                      int32_t rundown, uint64_t *session)
{
    (void)info;
    (void)session;
    assert_int_equal(count, 1);
    assert_int_equal(source->keywords, 0x400001);
    assert_int_equal(rundown, 0);
    return events_refused ? CLR_NO_INTERFACE : CLR_OK;
}

static void (*info_table[115])(void);
static void (**info_object)(void) = info_table;

static uint8_t *memory; // REGIONS of them

static inline uintptr_t at(uint32_t region, uint32_t object)
{
    return (uintptr_t)memory + (uintptr_t)region * REGION + (uintptr_t)object * SIZE;
}

// Region `region` is all of a generation's; those that are set are the heap.
static inline void set_region(uint32_t region, int32_t generation, uint32_t objects)
{
    heap[heap_count++] = (struct clr_heap_range){generation, at(region, 0), (uintptr_t)objects * SIZE, REGION};
}

static inline void make_world(void)
{
    memory = mmap(NULL, (size_t)REGIONS * REGION, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    info_table[0] = (void (*)(void))query;
    info_table[54] = (void (*)(void))get_heap;
    info_table[101] = (void (*)(void))start_events;
    agent.info = &info_object;
    agent.settings.string_max = 10;
    heap_count = 0;
    heap_unknown = events_refused = false;
    shadow = (struct shadow){0};
    assert_true(objects_start());
    objects_listen();
    class_slots = calloc(CLASS_SLOTS, sizeof *class_slots);
    class_pending = calloc(1 << CLASS_NUMBER_BITS, sizeof *class_pending);
    assert_true(class_slots && class_pending);
}

// A method table: flags with the size of an item, and the size of an object without items.
static const _Alignas(64) uint32_t class_plain[16] = {0, 24}, class_string[16] = {1u << 31 | 2, 22},
                                   class_array[16] = {1u << 31 | 8, 24};

static inline void make(uintptr_t object, const uint32_t *class, uint32_t count)
{
    *(const uint32_t **)object = class;
    *(uint32_t *)(object + 8) = count;
}

static struct ring_thread *context;

static inline uint32_t see(uintptr_t object)
{
    return object_number(context, &object);
}

// Overwrites memory that is no longer part of the heap.
static inline uint32_t see_plain(uintptr_t object)
{
    make(object, class_plain, 0);
    return see(object);
}

static void (*scene)(void);

static inline void play(void)
{
    agent.ring = probe_ring;
    context = (struct ring_thread *)probes->enter_context(MAIN, NULL);
    scene();
    (void)probes->leave(MAIN);
}

static inline void run_scene(const struct ring_options *options, void (*body)(void))
{
    make_world();
    scene = body;
    run(options, play);
}

// The program is already suspended.
static inline void begin_another(uint32_t generation)
{
    struct buffer data = {0};
    buffer_u32(&data, 1); // the collection's number
    buffer_u32(&data, generation);
    buffer_u64(&data, 0); // reason and kind
    objects_event(CLR_EVENT_COLLECTION_START, bytes_of(data.data, data.size));
    buffer_free(&data);
}

static inline void begin(uint32_t generation)
{
    objects_stopped();
    begin_another(generation);
}

static inline void finish(void)
{
    objects_collection_finished();
    objects_resume();
}

// An event of the runtime: ranges (from, to, size), without `to` for survivors that do not move.
static inline void report_ranges(uint32_t id, const uintptr_t (*ranges)[3], uint32_t count)
{
    struct buffer data = {0};
    buffer_u32(&data, 0);
    buffer_u32(&data, count);
    buffer_u16(&data, 0);
    for (uint32_t i = 0; i < count; i++) {
        buffer_u64(&data, ranges[i][0]);
        if (id == CLR_EVENT_MOVED_RANGES) {
            buffer_u64(&data, ranges[i][1]);
        }
        buffer_u64(&data, ranges[i][2]);
    }
    objects_event(id, bytes_of(data.data, data.size));
    buffer_free(&data);
}

static inline void collect(uint32_t generation, uint32_t moves, const uintptr_t (*moved)[3])
{
    begin(generation);
    for (uint32_t i = 0; i < moves; i += 100) {
        report_ranges(CLR_EVENT_MOVED_RANGES, moved + i, moves - i < 100 ? moves - i : 100);
    }
    finish();
}

#endif
