// An object's number, from its address. Seen before: two loads. At first sight the object is told of in the thread's own
// stream, and then its number put into the shadow, so that no number is without its definition; where two threads see an
// object at once, one number is told in vain. An object that there is no room to tell of gets a number, but does not keep
// it. Where a collection left in doubt whether an object is still the one that had a number, it gets a new one, told with
// the one before.
//
// A box can be written to, so what is in it is told again for each event that refers to it. Its number is marked in the
// shadow: other objects are not looked at for that.
//
// A variable may hold bits that refer to no object: code that reinterprets memory makes such. So at first sight nothing is
// read before it is certain that it can be: the kernel is asked about each page of the heap once, and about what should be
// a method table that nobody has seen before, and that one has to lead to System.Object. Bits that refer to none get no
// number. Known objects need no check, but that the address is a multiple of 8.
//
// What is read of objects and their method tables is the layout that CoreCLR has had from 8 to 10 (object.h,
// methodtable.h); test/sample/objects compares it with what the runtime says.
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
    struct shadow_leaf *_Atomic *place = &shadow.leaves[address >> SHADOW_LEAF_BITS];
    struct shadow_leaf *leaf = atomic_load_explicit(place, memory_order_acquire);
    if (leaf) {
        return leaf;
    }
    void *fresh = pages_new(sizeof *leaf);
    if (!fresh) {
        return NULL;
    }
    if (!atomic_compare_exchange_strong_explicit(place, &leaf, fresh, memory_order_acq_rel, memory_order_acquire)) {
        (void)syscall(SYS_munmap, fresh, sizeof *leaf); // cannot fail: it is ours
        return leaf;
    }
    uint32_t index = atomic_fetch_add_explicit(&shadow.made_count, 1, memory_order_relaxed);
    CLEW_ASSERT(index < SHADOW_LEAVES && "each leaf is made once");
    shadow.made[index] = (uint32_t)(address >> SHADOW_LEAF_BITS); // read while no probe runs
    return fresh;
}

// OBJECT_NUMBER_MAX once there are no more: nothing is known of that one.
static uint32_t take_number(void)
{
    uint32_t newest;
    bool taken = bounded_take(&shadow.newest_number, 1, VALUE_OBJECT_INVALID - 1, &newest);
    return taken ? newest + 1 : OBJECT_NUMBER_MAX;
}

// -- First sight ------------------------------------------------------------------------------------------------------

struct sight {
    const void *class;
    uint32_t class_number;
    bool page_known; // the kernel was asked about it before
    uint64_t size;
    const uint16_t *text;  // NULL: no string
    uint32_t length, told; // UTF-16 units
};

static const void *class_of(uintptr_t object)
{
    return (const void *)(*(const uintptr_t *)object & ~(uintptr_t)7); // the collector has the lowest bits
}

enum {
    HEADER_SIZE = 8, // of an object, in front of where references to it lead; part of its size
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

// All that lies between two addresses, the second excluded.
static bool can_read(uintptr_t from, uintptr_t end)
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

// What the page gets once an object is known in it.
static uint8_t page_bits(uintptr_t object)
{
    enum { SIZE = 1 << SHADOW_PAGE_BITS };
    uintptr_t page = object & ~(uintptr_t)(SIZE - 1);
    return can_read(page, page + SIZE) ? SHADOW_PAGE_USED | SHADOW_PAGE_READ : SHADOW_PAGE_USED;
}

// The smallest object has 16 bytes. False: it is none.
static bool find_class(uintptr_t object, struct sight *sight)
{
    enum { ALIGNMENT = 8, SMALLEST = 16, PAGE_MASK = (1 << SHADOW_PAGE_BITS) - 1 };
    if (object % ALIGNMENT || object >> SHADOW_ADDRESS_BITS) {
        return false;
    }
    sight->page_known = page_is_known(object);
    bool within = sight->page_known && (object & PAGE_MASK) <= PAGE_MASK + 1 - SMALLEST;
    if (!within && !can_read(object, object + SMALLEST)) {
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

// False: it is no object.
static bool look_at(uintptr_t object, struct sight *sight)
{
    enum { COUNTED = 1u << 31, ITEM_SIZE = 0xFFFF, STRING_SIZE = 22, COUNT_AT = 8, TEXT_AT = 12 };
    if (!find_class(object, sight)) {
        return false;
    }
    uint32_t flags = class_fact(sight->class, CLASS_FLAGS_AT), size = class_fact(sight->class, CLASS_BASE_SIZE_AT);
    sight->size = size;
    if (flags & COUNTED) {
        uint32_t count = *(const uint32_t *)(object + COUNT_AT);
        sight->size += (uint64_t)(flags & ITEM_SIZE) * count;
        if (size == STRING_SIZE) { // an array's is 24 and more
            sight->text = (const uint16_t *)(object + TEXT_AT);
            sight->length = count;
            sight->told = count < shadow.string_max ? count : shadow.string_max;
            return can_read(object, object + TEXT_AT + sight->told * sizeof *sight->text);
        }
    }
    uint32_t part = size < BOX_SIZE_MAX ? size : BOX_SIZE_MAX;
    return !class_is_value(sight->class) || can_read(object, object + part - HEADER_SIZE);
}

static void copy_text(uint32_t *cells, const uint16_t *text, uint32_t units)
{
    if (units % 4) {
        ring_set_word(cells + units / 4 * 2, 0);
    }
    arch_copy(cells, text, (uint64_t)units * sizeof *text);
}

// `doubted`: the number that the object had, if it is still the same; 0: none. False: there is no room.
static bool tell(struct ring_thread *thread, uint32_t number, uint32_t doubted, const struct sight *sight)
{
    uint32_t words = (sight->text ? 3 + (sight->told + 3) / 4 : 2) + (doubted != 0);
    CLEW_ASSERT(number <= OBJECT_NUMBER_MAX && doubted <= OBJECT_NUMBER_MAX && number != doubted);
    CLEW_ASSERT(sight->told <= sight->length && sight->told <= shadow.string_max);
    uint32_t *cells = stream_reserve_definition(thread, 8 * (1 + words));
    if (!cells) {
        return false;
    }
    ring_set_word(cells, RING_EVENT(RING_EVENT_EXTENDED, RING_EXTENDED_OBJECT | words << 8, thread->last_clock));
    ring_set_word(cells + 2, number | (doubted ? RING_OBJECT_UNCERTAIN : 0) | (uint64_t)sight->class_number << 32);
    ring_set_word(cells + 4, sight->size);
    if (sight->text) {
        ring_set_word(cells + 6, sight->length);
        copy_text(cells + 8, sight->text, sight->told);
    }
    if (doubted) {
        ring_set_word(cells + 2 * words, doubted);
    }
    stream_commit(thread, 8 * (1 + words));
    return true;
}

// The object's cell, which is not that of the shadow where there is no room to tell of it.
static __attribute__((noinline, cold)) uint32_t first_sight(struct ring_thread *thread, uintptr_t object)
{
    struct sight sight = {0};
    if (!look_at(object, &sight)) {
        return VALUE_OBJECT_INVALID;
    }
    uint32_t number = take_number();
    struct shadow_leaf *leaf = shadow_leaf_for(object);
    _Atomic uint32_t *cell = leaf ? shadow_cell(leaf, object) : NULL;
    uint32_t before = cell ? atomic_load_explicit(cell, memory_order_relaxed) : 0;
    uint32_t doubted = before & SHADOW_UNCERTAIN ? before & OBJECT_NUMBER_MAX : 0;
    if (number == OBJECT_NUMBER_MAX || !tell(thread, number, doubted, &sight) || !cell) {
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

// False: there is no room.
static bool tell_content(struct ring_thread *thread, uint32_t number, uintptr_t object, unsigned boxes)
{
    enum { HEADS = 16, VALUE_AT = 8 }; // bytes of an object that are not its value's
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

// An event that says nothing of the box would leave it with what was in it before, so where there is no room to tell that,
// the event gets a number of which nobody knows anything.
static __attribute__((noinline)) uint32_t other_number(struct ring_thread *thread, uintptr_t object, uint32_t cell,
                                                       unsigned boxes)
{
    if ((int32_t)cell <= 0) { // 0 or stale
        cell = first_sight(thread, object);
    }
    uint32_t number = cell & OBJECT_NUMBER_MAX;
    CLEW_ASSERT(number != 0 && "0 is null's");
    bool known = !(cell & SHADOW_BOX) || boxes == 0 || tell_content(thread, number, object, boxes);
    return known ? number : take_number();
}

uint32_t object_number_within(struct ring_thread *thread, const uintptr_t *place, unsigned boxes)
{
    uintptr_t object = *place;
    if (!object) {
        return 0;
    }
    // What is no multiple of 8 gets an index above all.
    uintptr_t index = (object >> 3 | object << 61) >> (SHADOW_LEAF_BITS - 3);
    struct shadow_leaf *leaf =
        index < SHADOW_LEAVES ? atomic_load_explicit(&shadow.leaves[index], memory_order_acquire) : NULL;
    uint32_t cell = leaf ? atomic_load_explicit(shadow_cell(leaf, object), memory_order_relaxed) : 0;
    // Neither 0 nor stale nor a box.
    return __builtin_expect(cell - 1 < OBJECT_NUMBER_MAX, 1) ? cell : other_number(thread, object, cell, boxes);
}

uint32_t object_number(struct ring_thread *thread, const uintptr_t *place)
{
    return object_number_within(thread, place, BOX_NESTING_MAX);
}

// -- References of structs ---------------------------------------------------------------------------------------------

// By the series in front of the method table: next to it how many they are, then each, a length less the object's and an
// offset in it.
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
        bool hidden = out->mask && class_mask_has(out->mask, out->references.offsets[i]);
        const void *reference = address + out->references.offsets[i];
        out->objects[i] = hidden ? 0 : object_number_within(thread, reference, boxes);
    }
}
