// Events of sites that woven code does not write itself: integers with an owner or index, floats, structs, references.
// These functions run in the middle of managed code, like all probes. No garbage collection can begin meanwhile, so
// addresses of objects stay valid.
#include "agent/probe/probe_sites.h"

#include "agent/probe/probe_awaits.h"
#include "agent/probe/probe_classes.h"
#include "agent/probe/probe_clock.h"
#include "agent/probe/probe_objects.h"
#include "agent/probe/probe_stream.h"
#include "agent/probe/probe_structs.h"

// An event that is about to be written.
struct site_event {
    uint32_t site;
    uintptr_t owner;
    uint32_t index;
};

static_assert(STRUCT_SIZE_MAX % 4 == 0 && 4 * (1 + 2 + 1 + 2) + STRUCT_SIZE_MAX <= RING_SITE_ROOM,
              "the largest event of a site fits RING_SITE_ROOM: head, owner, index, type, size and a struct");

struct site_layout *site_layouts;

// Whether the context is a discard context. Woven code relies on free room after each site function, so this rewinds
// it.
static bool discards(struct ring_thread *context)
{
    if (__builtin_expect(!thread_is_discard(context), 1)) {
        return false;
    }
    thread_rewind((struct discard *)context);
    return true;
}

bool site_room(struct ring_thread *context)
{
    return !discards(context) && stream_room(context);
}

void site_check(struct ring_thread *context)
{
    if (!discards(context)) {
        stream_check(context);
    }
}

// The tick word has changed since this thread was last here. So at most one TIME is written in each tick.
static __attribute__((noinline)) void move_on(struct ring_thread *context, uint64_t tick)
{
    context->tick = tick;
    if (!discards(context) && probe_ring->clock != CLOCK_KIND_NONE) {
        stream_moment(context, probe_clock((enum clock_kind)probe_ring->clock));
    }
}

void site_moment(struct ring_thread *context)
{
    uint64_t tick = atomic_load_explicit(&probe_ring->tick_ns, memory_order_relaxed);
    if (__builtin_expect(tick != context->tick, 0)) {
        move_on(context, tick);
    }
}

// Begins an event: reserves room and writes head, owner and index. Returns the address for the value; NULL: the event
// is not recorded.
static uint32_t *begin(struct ring_thread *context, uint32_t site, uintptr_t owner, uint32_t index,
                       uint32_t value_cells)
{
    const struct site_layout *layout = &site_layouts[site];
    CLEW_ASSERT(site < RING_SITES_MAX && layout->head_cells > 0 && "a site is defined before its method runs");
    if (discards(context)) {
        return NULL;
    }
    uint32_t object = layout->owner == OWNER_OBJECT ? object_number(context, (const uintptr_t *)owner) : 0;
    uint32_t *cells = stream_reserve(context, (layout->head_cells + value_cells) * (uint32_t)sizeof *cells);
    if (!cells) {
        return NULL;
    }
    const uint32_t *first = cells;
    (void)first;
    *cells++ = site << 2 | RING_EVENT_SITE;
    if (layout->owner == OWNER_OBJECT) {
        *cells++ = object;
    } else if (layout->owner == OWNER_ADDRESS) {
        ring_set_word(cells, owner);
        cells += 2;
    }
    if (layout->item) {
        *cells++ = index;
    }
    CLEW_ASSERT(cells - first == layout->head_cells);
    return cells;
}

static void end(struct ring_thread *context, uint32_t site, uint32_t value_cells)
{
    stream_commit(context, (site_layouts[site].head_cells + value_cells) * (uint32_t)sizeof(uint32_t));
}

void site_bits(struct ring_thread *context, uint32_t site, uintptr_t owner, uint32_t index, uint64_t bits)
{
    uint32_t encoding = site_layouts[site].encoding;
    uint32_t size = encoding == VALUE_NONE ? 0 : payload_is_wide(encoding) ? 2 : 1;
    CLEW_ASSERT(encoding != VALUE_STRUCT && encoding != VALUE_TYPED && encoding != VALUE_OBJECT);
    awaits_settle(context);
    uint32_t *value = begin(context, site, owner, index, size);
    if (!value) {
        return;
    }
    if (size == 2) {
        ring_set_word(value, bits);
    } else if (size == 1) {
        *value = (uint32_t)bits;
    }
    end(context, site, size);
}

static void write_struct(struct ring_thread *context, const struct site_event *event, uint32_t type, const void *table,
                         const char *address, uint32_t size)
{
    uint32_t bytes = size <= STRUCT_SIZE_MAX ? size : 0, value_cells = 2 + (bytes + 3) / 4;
    struct struct_value value;
    // Must come before begin(), since it may write events of its own.
    struct_look(context, table, address, bytes, BOX_NESTING_MAX, &value);
    uint32_t *into = begin(context, event->site, event->owner, event->index, value_cells);
    if (!into) {
        return;
    }
    into[0] = type;
    into[1] = bytes;
    struct_copy(&value, into + 2);
    end(context, event->site, value_cells);
}

static void write_typed_object(struct ring_thread *context, const struct site_event *event, const void *table,
                               const void *address)
{
    uint32_t type = class_number(table), object = object_number(context, address);
    uint32_t *into = begin(context, event->site, event->owner, event->index, 3);
    if (into) {
        into[0] = type;
        into[1] = sizeof object;
        into[2] = object;
        end(context, event->site, 3);
    }
}

void site_typed(struct ring_thread *context, uint32_t site, uintptr_t owner, uint32_t index,
                const struct site_typed_reference *value, uint32_t size)
{
    const struct site_event event = {site, owner, index};
    awaits_settle(context);
    if (discards(context)) {
        return;
    }
    if (class_is_value(value->type)) {
        write_struct(context, &event, class_number(value->type), value->type, value->address, size);
    } else {
        write_typed_object(context, &event, value->type, value->address);
    }
}

// The class is loaded before this code runs. Where the agent has not found it, the value is recorded without its bytes.
void site_sized(struct ring_thread *context, uint32_t site, uintptr_t owner, uint32_t index, const void *value,
                uint32_t size)
{
    const struct site_event event = {site, owner, index};
    uint32_t type = site_layouts[site].type;
    const void *table = class_tables ? atomic_load_explicit(&class_tables[type], memory_order_acquire) : NULL;
    awaits_settle(context);
    if (!discards(context)) {
        uint32_t number = class_number(table); // reports the layout of a class that is new
        write_struct(context, &event, number ? number : type, table, value, table ? size : 0);
    }
}

void site_at(struct ring_thread *context, uint32_t site, uintptr_t owner, uint32_t index, const void *value)
{
    const struct site_layout *layout = &site_layouts[site];
    bool is_object = layout->encoding == VALUE_OBJECT;
    awaits_settle(context);
    uint32_t bytes = layout->encoding == VALUE_STRUCT ? layout->size : payload_is_wide(layout->encoding) ? 8 : 4;
    uint32_t object = is_object && !thread_is_discard(context) ? object_number(context, value) : 0;
    uint32_t *into = begin(context, site, owner, index, (bytes + 3) / 4);
    if (!into) {
        return;
    }
    if (is_object) {
        *into = object;
    } else {
        struct_copy_bytes(into, value, bytes);
    }
    end(context, site, (bytes + 3) / 4);
}

// Whether the struct behind a reference that is not trusted can be read. Most are on the stack of the thread: its page that was
// read last is still there.
static bool can_read(const void *struct_at, uint32_t size)
{
    enum { PAGE_BITS = 12, STACK_MAX = 8 << 20 };
    struct thread_private *mine = thread_self_private;
    uintptr_t from = (uintptr_t)struct_at, here = (uintptr_t)__builtin_frame_address(0);
    bool on_stack = from > here && from - here < STACK_MAX && mine;
    bool one_page = size > 0 && from >> PAGE_BITS == (from + size - 1) >> PAGE_BITS;
    if (on_stack && one_page && from >> PAGE_BITS == mine->stack_page) {
        return true;
    }
    if (!objects_can_read(from, from + size)) {
        return false;
    }
    if (on_stack && one_page) {
        mine->stack_page = from >> PAGE_BITS;
    }
    return true;
}

void site_behind(struct ring_thread *context, uint32_t site, uintptr_t owner, uint32_t index,
                 const void *const *location, uint32_t size)
{
    const struct site_layout *layout = &site_layouts[site];
    bool typed = layout->encoding == VALUE_TYPED;
    if (!*location || (layout->checked && !can_read(*location, typed ? size : layout->size))) {
        return;
    }
    if (typed) {
        site_sized(context, site, owner, index, *location, size);
    } else {
        site_at(context, site, owner, index, *location);
    }
}

// Folds one more index of an array with several dimensions into a linear one. Layout of such an array (CoreCLR,
// object.h): method table, count, then a length for each dimension, then a lower bound for each, 32 bits each. The rank
// follows from the size without items, which the method table has at offset 4.
void site_item_index(const uintptr_t *array, int32_t *position, int32_t dimension, int32_t index)
{
    enum { BASE_SIZE_AT = 4, SIZE_WITHOUT_BOUNDS = 24, BOUNDS_AT = 16 };
    uintptr_t object = *array;
    uint32_t before = dimension == 0 || !object ? 0 : (uint32_t)*position;
    *position = 0;
    if (!object) {
        return;
    }
    const char *table = *(const char *const *)object;
    uint32_t rank = (*(const uint32_t *)(table + BASE_SIZE_AT) - SIZE_WITHOUT_BOUNDS) / (2 * sizeof(int32_t));
    const int32_t *lengths = (const int32_t *)(object + BOUNDS_AT), *lower = lengths + rank;
    bool fits = (uint32_t)dimension < rank;
    *position =
        fits ? (int32_t)(before * (uint32_t)lengths[dimension] + (uint32_t)index - (uint32_t)lower[dimension]) : index;
}

// These collections are their items' array, which is their only reference and thereby their first field, and numbers. The
// array has its length behind its method table.
void site_newest_index(const uintptr_t *collection, int32_t *position, int32_t count_at, int32_t zero)
{
    enum { ITEMS_AT = 8, LENGTH_AT = 8 };
    uintptr_t object = *collection, items = object ? *(const uintptr_t *)(object + ITEMS_AT) : 0;
    int32_t count = items ? *(const int32_t *)(object + (uint32_t)count_at) : 0;
    bool fits = count > 0 && (uint32_t)count <= *(const uint32_t *)(items + LENGTH_AT);
    (void)zero;
    *position = fits ? count - 1 : ITEM_UNKNOWN;
}

void site_key(struct ring_thread *context, uint32_t zero, const uintptr_t *key, uint32_t index, uint32_t *number)
{
    (void)zero;
    (void)index;
    awaits_settle(context);
    *number = thread_is_discard(context) ? 0 : object_number(context, key);
}
