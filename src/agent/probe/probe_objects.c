// The number of an object, found by its address in a shadow of the heap (shadow.h).
//
// For an object that was seen before this takes two loads. At first sight, the thread writes an OBJECT event to its own
// stream and then stores the number in the shadow, so that every number is defined before it is used. If two threads
// see an object first at the same time, one number stays unused. If there is no room for the OBJECT event, the event at
// hand gets a number that is not stored. If a collection left it uncertain whether an object is still the one that had
// a number, the object gets a new number, and its OBJECT event names the old one.
//
// The program can write to a box, so the content of a box is recorded again for each event that refers to it. Boxes are
// marked in the shadow, so that other objects cost nothing for this.
//
// A variable may contain bits that refer to no object, for instance if code reinterprets memory. At first sight,
// therefore, nothing is read that might not be readable: the kernel is asked once about each page of the heap, and
// about a supposed method table that was not seen before, which must also lead to System.Object. Bits that refer to no
// object get no number. A known object needs one check only: its address is a multiple of 8.
//
// The layout of objects and method tables is CoreCLR's, unchanged from version 8 to 10 (object.h, methodtable.h);
// test/sample/objects compares the results with those of the runtime.
#include "agent/probe/probe_objects.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "agent/arch/arch.h"
#include "agent/probe/bounded.h"
#include "agent/probe/probe_classes.h"
#include "agent/probe/probe_memory.h"
#include "agent/probe/probe_stream.h"
#include "agent/probe/shadow.h"
#include "agent/session/pages.h"
#include "trace/site.h"

struct shadow shadow;

// -- The shadow -------------------------------------------------------------------------------------------------------

struct shadow_leaf *shadow_leaf_for(uintptr_t address)
{
    if (address >> SHADOW_ADDRESS_BITS) {
        return NULL;
    }
    struct shadow_leaf *_Atomic *entry = &shadow.leaves[address >> SHADOW_LEAF_BITS];
    struct shadow_leaf *leaf = atomic_load_explicit(entry, memory_order_acquire);
    if (leaf) {
        return leaf;
    }
    void *fresh = pages_new(sizeof *leaf);
    if (!fresh) {
        return NULL;
    }
    if (!atomic_compare_exchange_strong_explicit(entry, &leaf, fresh, memory_order_acq_rel, memory_order_acquire)) {
        (void)syscall(SYS_munmap, fresh, sizeof *leaf); // cannot fail: it is ours
        return leaf;
    }
    uint32_t index = atomic_fetch_add_explicit(&shadow.made_count, 1, memory_order_relaxed);
    CLEW_ASSERT(index < SHADOW_LEAVES && "each leaf is made once");
    shadow.made[index] = (uint32_t)(address >> SHADOW_LEAF_BITS); // read while no probe runs
    return fresh;
}

// The next object number. Once there are no more it is OBJECT_NUMBER_MAX, which no OBJECT event defines.
static uint32_t take_number(void)
{
    uint32_t newest;
    bool taken = bounded_take(&shadow.newest_number, 1, VALUE_OBJECT_INVALID - 1, &newest);
    return taken ? newest + 1 : OBJECT_NUMBER_MAX;
}

// -- First sight ------------------------------------------------------------------------------------------------------

enum {
    SHAPE_RANK_MAX = 4,                               // dimensions; items of arrays with more are not recorded
    SHAPE_UNITS = SHAPE_RANK_MAX * (10 + 1 + 11 + 1), // a length, a colon, a lower bound, a comma
};

// The properties of an object at first sight.
struct sight {
    const void *class;
    uint32_t class_number;
    bool page_known; // the kernel has reported its page as readable before
    uint64_t size;
    const uint16_t *text;        // NULL: neither a string nor an array with several dimensions
    uint64_t length;             // UTF-16 units of a string; of an array RING_OBJECT_SHAPE | units of its shape
    uint32_t recorded;           // UTF-16 units of `text`
    uint16_t shape[SHAPE_UNITS]; // `text` of such an array
};

static const void *class_of(uintptr_t object)
{
    return (const void *)(*(const uintptr_t *)object & ~(uintptr_t)7); // the garbage collector uses the lowest bits
}

enum {
    HEADER_SIZE = 8, // the object header precedes the address of an object, and is part of its size
    BOX_SIZE_MAX = 2 * HEADER_SIZE + STRUCT_SIZE_MAX,
};

static _Atomic uint8_t *page_of(struct shadow_leaf *leaf, uintptr_t address)
{
    CLEW_ASSERT(leaf && address >> SHADOW_ADDRESS_BITS == 0);
    return &leaf->pages[(address & ((1u << SHADOW_LEAF_BITS) - 1)) >> SHADOW_PAGE_BITS];
}

static bool page_is_known(uintptr_t address)
{
    struct shadow_leaf *leaf = atomic_load_explicit(&shadow.leaves[address >> SHADOW_LEAF_BITS], memory_order_acquire);
    return leaf && atomic_load_explicit(page_of(leaf, address), memory_order_relaxed) & SHADOW_PAGE_READ;
}

bool objects_can_read(uintptr_t from, uintptr_t end)
{
    enum { PAGE = 4096, WORD = 8 }; // of memory
    if (from >> SHADOW_ADDRESS_BITS || end >> SHADOW_ADDRESS_BITS) {
        return false;
    }
    for (; from < end; from = (from | (PAGE - 1)) + 1) {
        if (!page_is_known(from) && !memory_readable(from & ~(uintptr_t)(WORD - 1))) {
            return false;
        }
    }
    return true;
}

// The bits that a page gets when the first of its objects gets a number.
static uint8_t page_bits(uintptr_t object)
{
    enum { SIZE = 1 << SHADOW_PAGE_BITS };
    uintptr_t page = object & ~(uintptr_t)(SIZE - 1);
    return objects_can_read(page, page + SIZE) ? SHADOW_PAGE_USED | SHADOW_PAGE_READ : SHADOW_PAGE_USED;
}

// Finds the class of an object and its number. False: no object begins at this address.
static bool find_class(uintptr_t object, struct sight *sight)
{
    enum { ALIGNMENT = 8, SMALLEST = 16, PAGE_MASK = (1 << SHADOW_PAGE_BITS) - 1 };
    if (object % ALIGNMENT || object >> SHADOW_ADDRESS_BITS) {
        return false;
    }
    sight->page_known = page_is_known(object);
    bool within = sight->page_known && (object & PAGE_MASK) <= PAGE_MASK + 1 - SMALLEST;
    if (!within && !objects_can_read(object, object + SMALLEST)) {
        return false;
    }
    sight->class = class_of(object);
    sight->class_number = class_number_known(sight->class);
    if (!sight->class_number && !class_is_table(sight->class)) {
        return false;
    }
    sight->class_number = sight->class_number ? sight->class_number : class_number(sight->class);
    return true;
}

static void put_unit(struct sight *sight, uint16_t unit)
{
    CLEW_ASSERT(sight->recorded < SHAPE_UNITS);
    sight->shape[sight->recorded++] = unit;
}

static void put_decimal(struct sight *sight, int32_t number)
{
    uint32_t left = number < 0 ? -(uint32_t)number : (uint32_t)number, power = 1;
    if (number < 0) {
        put_unit(sight, '-');
    }
    while (left / power >= 10) {
        power *= 10;
    }
    for (; power > 0; power /= 10) {
        put_unit(sight, (uint16_t)('0' + left / power % 10));
    }
}

// The shape of an array with several dimensions, `3,4` or, with lower bounds other than 0, `2:5,2:6`: with it, readers find
// the indices of an item from its position. Its layout: see site_item_index().
static bool look_at_shape(uintptr_t object, uint32_t rank, struct sight *sight)
{
    enum { LENGTHS_AT = 16 };
    const int32_t *lengths = (const int32_t *)(object + LENGTHS_AT), *lower = lengths + rank;
    if (!objects_can_read(object, object + LENGTHS_AT + 2 * rank * sizeof *lengths)) {
        return false;
    }
    sight->recorded = 0;
    for (uint32_t i = 0; i < rank; i++) {
        if (i > 0) {
            put_unit(sight, ',');
        }
        put_decimal(sight, lengths[i]);
        if (lower[i]) {
            put_unit(sight, ':');
            put_decimal(sight, lower[i]);
        }
    }
    sight->text = sight->shape;
    sight->length = RING_OBJECT_SHAPE | sight->recorded;
    return true;
}

// Finds out everything that an OBJECT event reports. False: no object begins at this address.
static bool look_at(uintptr_t object, struct sight *sight)
{
    enum { COUNTED = 1u << 31, ITEM_SIZE = 0xFFFF, STRING_SIZE = 22, ARRAY_SIZE = 24, COUNT_AT = 8, TEXT_AT = 12 };
    if (!find_class(object, sight)) {
        return false;
    }
    uint32_t flags = class_fact(sight->class, CLASS_FLAGS_AT), size = class_fact(sight->class, CLASS_BASE_SIZE_AT);
    sight->size = size;
    if (flags & COUNTED) {
        uint32_t count = *(const uint32_t *)(object + COUNT_AT);
        sight->size += (uint64_t)(flags & ITEM_SIZE) * count;
        uint32_t rank = size > ARRAY_SIZE ? (size - ARRAY_SIZE) / (2 * sizeof(int32_t)) : 0;
        if (rank > 0 && rank <= SHAPE_RANK_MAX) {
            return look_at_shape(object, rank, sight);
        }
        if (size == STRING_SIZE) { // less than an array's base size
            sight->text = (const uint16_t *)(object + TEXT_AT);
            sight->length = count;
            sight->recorded = count < shadow.string_max ? count : shadow.string_max;
            return objects_can_read(object, object + TEXT_AT + sight->recorded * sizeof *sight->text);
        }
    }
    uint32_t part = size < BOX_SIZE_MAX ? size : BOX_SIZE_MAX;
    return !class_is_value(sight->class) || objects_can_read(object, object + part - HEADER_SIZE);
}

static void copy_text(uint32_t *cells, const uint16_t *text, uint32_t units)
{
    if (units % 4) {
        ring_set_word(cells + units / 4 * 2, 0);
    }
    arch_copy(cells, text, (uint64_t)units * sizeof *text);
}

// Writes the OBJECT event. `uncertain`: the number of the object that was at this address before a collection, and may
// be this one; 0: none. False: there is no room.
static bool define_object(struct ring_thread *thread, uint32_t number, uint32_t uncertain, const struct sight *sight)
{
    uint32_t words = (sight->text ? 3 + (sight->recorded + 3) / 4 : 2) + (uncertain != 0);
    CLEW_ASSERT(number <= OBJECT_NUMBER_MAX && uncertain <= OBJECT_NUMBER_MAX && number != uncertain);
    CLEW_ASSERT(sight->text == sight->shape || sight->recorded <= sight->length);
    uint32_t *cells = stream_reserve_definition(thread, 8 * (1 + words));
    if (!cells) {
        return false;
    }
    ring_set_word(cells, RING_EVENT(RING_EVENT_EXTENDED, RING_EXTENDED_OBJECT | words << 8, thread->last_clock));
    ring_set_word(cells + 2, number | (uncertain ? RING_OBJECT_UNCERTAIN : 0) | (uint64_t)sight->class_number << 32);
    ring_set_word(cells + 4, sight->size);
    if (sight->text) {
        ring_set_word(cells + 6, sight->length);
        copy_text(cells + 8, sight->text, sight->recorded);
    }
    if (uncertain) {
        ring_set_word(cells + 2 * words, uncertain);
    }
    stream_commit(thread, 8 * (1 + words));
    return true;
}

void objects_rehearse(struct ring_thread *context, uint32_t units)
{
    static const uint16_t text[16];
    CLEW_ASSERT(units <= sizeof text / sizeof *text);
    struct sight sight;
    sight.class_number = 1;
    sight.size = 0;
    sight.text = units ? text : NULL;
    sight.length = units;
    sight.recorded = units < shadow.string_max ? units : 0;
    (void)define_object(context, 1, 0, &sight);
}

// Numbers an object that has no valid number yet. Returns its cell, or, if there is no room to define it, a number that
// the shadow does not contain.
static __attribute__((noinline, cold)) uint32_t first_sight(struct ring_thread *thread, uintptr_t object)
{
    struct sight sight; // its shape is not cleared
    sight.text = NULL;
    sight.length = sight.recorded = 0;
    if (!look_at(object, &sight)) {
        return VALUE_OBJECT_INVALID;
    }
    uint32_t number = take_number();
    struct shadow_leaf *leaf = shadow_leaf_for(object);
    _Atomic uint32_t *cell = leaf ? shadow_cell(leaf, object) : NULL;
    uint32_t before = cell ? atomic_load_explicit(cell, memory_order_relaxed) : 0;
    uint32_t uncertain = before & SHADOW_UNCERTAIN ? before & OBJECT_NUMBER_MAX : 0;
    if (number == OBJECT_NUMBER_MAX || !define_object(thread, number, uncertain, &sight) || !cell) {
        return number;
    }
    uint32_t fresh = class_is_value(sight.class) ? number | SHADOW_BOX : number;
    while (!before || before & SHADOW_UNCERTAIN) {
        if (atomic_compare_exchange_weak_explicit(cell, &before, fresh, memory_order_relaxed, memory_order_relaxed)) {
            if (!sight.page_known) {
                atomic_fetch_or_explicit(page_of(leaf, object), page_bits(object), memory_order_relaxed);
            }
            return fresh;
        }
    }
    return before; // another thread's
}

// -- Boxes ------------------------------------------------------------------------------------------------------------

// Writes the content of a box as a BOX event; of boxes within it, `boxes` - 1 levels. False: there is no room.
static bool write_box(struct ring_thread *thread, uint32_t number, uintptr_t object, unsigned boxes)
{
    enum { HEADS = 16, VALUE_AT = 8 }; // object header and method table; the value follows the latter
    const void *class = class_of(object);
    uint32_t size = class_fact(class, CLASS_BASE_SIZE_AT) - HEADS, words;
    struct struct_value value;
    CLEW_ASSERT(boxes > 0);
    size = size <= STRUCT_SIZE_MAX ? size : 0;
    words = 1 + (size + 7) / 8;
    struct_look(thread, class, (const char *)object + VALUE_AT, size, boxes - 1, &value);
    uint32_t *cells = stream_reserve_definition(thread, 8 * (1 + words));
    if (!cells) {
        return false;
    }
    ring_set_word(cells, RING_EVENT(RING_EVENT_EXTENDED, RING_EXTENDED_BOX | words << 8, thread->last_clock));
    ring_set_word(cells + 2, number | (uint64_t)size << 32);
    struct_copy(&value, cells + 4);
    stream_commit(thread, 8 * (1 + words));
    return true;
}

// The number of an object whose cell needs attention: unknown, uncertain, or a box. If there is no room for the BOX
// event, a reader would believe that the box still has its old content, so the event at hand then gets a number that is
// not defined.
static __attribute__((noinline)) uint32_t object_number_slow(struct ring_thread *thread, uintptr_t object,
                                                             uint32_t cell, unsigned boxes)
{
    if ((int32_t)cell <= 0) { // 0 or uncertain
        cell = first_sight(thread, object);
    }
    uint32_t number = cell & OBJECT_NUMBER_MAX;
    CLEW_ASSERT(number != 0 && "0 stands for null");
    bool known = !(cell & SHADOW_BOX) || boxes == 0 || write_box(thread, number, object, boxes);
    return known ? number : take_number();
}

uint32_t object_number_within(struct ring_thread *thread, const uintptr_t *location, unsigned boxes)
{
    uintptr_t object = *location;
    if (!object) {
        return 0;
    }
    // An address that is not a multiple of 8 is rotated to an index beyond the table.
    uintptr_t index = (object >> 3 | object << 61) >> (SHADOW_LEAF_BITS - 3);
    struct shadow_leaf *leaf =
        index < SHADOW_LEAVES ? atomic_load_explicit(&shadow.leaves[index], memory_order_acquire) : NULL;
    uint32_t cell = leaf ? atomic_load_explicit(shadow_cell(leaf, object), memory_order_relaxed) : 0;
    // One comparison for the common case: neither 0, nor uncertain, nor a box.
    return __builtin_expect(cell - 1 < OBJECT_NUMBER_MAX, 1) ? cell : object_number_slow(thread, object, cell, boxes);
}

uint32_t object_number(struct ring_thread *thread, const uintptr_t *location)
{
    return object_number_within(thread, location, BOX_NESTING_MAX);
}

// -- References of structs --------------------------------------------------------------------------------------------

// The garbage collector's description of a class precedes its method table (gcdesc.h): next to the table the number of
// series, then for each series, going backwards, the offset of its first reference and its length minus the object's
// size.
void struct_find_references(const void *table, uint32_t size, struct struct_references *out)
{
    enum { WORD = 8, SERIES = 2 }; // words
    const intptr_t *end = table;
    intptr_t count = class_has_references(table) ? end[-1] : 0;
    out->count = 0;
    for (intptr_t i = 0; i < count; i++) {
        const intptr_t *series = end - 1 - SERIES * (i + 1);
        intptr_t bytes = series[0] + (intptr_t)class_fact(table, CLASS_BASE_SIZE_AT);
        for (intptr_t at = series[1] - WORD; bytes > 0; bytes -= WORD, at += WORD) {
            if (out->count < STRUCT_REFERENCES_MAX && at >= 0 && at + WORD <= (intptr_t)size) {
                out->offsets[out->count++] = (uint32_t)at;
            }
        }
    }
}

void struct_look(struct ring_thread *thread, const void *table, const char *address, uint32_t size, unsigned boxes,
                 struct struct_value *out)
{
    CLEW_ASSERT(size <= STRUCT_SIZE_MAX);
    out->address = address;
    out->size = size;
    out->mask = size ? class_mask(table) : NULL;
    out->references.count = 0;
    if (size) {
        struct_find_references(table, size, &out->references);
    }
    for (uint32_t i = 0; i < out->references.count; i++) {
        bool redacted = out->mask && class_mask_has(out->mask, out->references.offsets[i]);
        const void *reference = address + out->references.offsets[i];
        out->objects[i] = redacted ? 0 : object_number_within(thread, reference, boxes);
    }
}
