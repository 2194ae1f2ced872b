// Classes as the probes see them: by the method table that an object begins with, which is also the runtime's ClassID.
#ifndef CLEW_AGENT_PROBE_CLASSES_H
#define CLEW_AGENT_PROBE_CLASSES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/assert.h"

enum {
    CLASS_NUMBER_BITS = 20, // type numbers are below 1 << this
    CLASS_SLOTS = 1 << 20,  // a power of two
    CLASS_MASKS = 1 << 14,  // likewise
};

// A method table and the number of its type, in one word: addresses have 47 bits, the lower three zero.
#define CLASS_WORD(table, number) ((uint64_t)(table) >> 3 << CLASS_NUMBER_BITS | (number))
#define CLASS_WORD_TABLE(word) ((uintptr_t)((word) >> CLASS_NUMBER_BITS) << 3)
#define CLASS_WORD_NUMBER(word) ((uint32_t)(word) & ((1u << CLASS_NUMBER_BITS) - 1))
#define CLASS_WORD_GONE \
    UINT64_C(1) // of a class that has gone: searches go on behind it, a new class may take its place

static_assert(47 - 3 + CLASS_NUMBER_BITS <= 64, "a method table and a number fit a word");
static_assert((CLASS_SLOTS & (CLASS_SLOTS - 1)) == 0 && (CLASS_MASKS & (CLASS_MASKS - 1)) == 0, "slots are by hash");

// CoreCLR keeps these facts at fixed places, since collectors of other versions read them (gcenv.object.h, gcdesc.h).
enum {
    CLASS_FLAGS_AT = 0,     // 32 bits
    CLASS_BASE_SIZE_AT = 4, // 32 bits: of an object without items, its header of 8 bytes included
    CLASS_PARENT_AT = 16,   // 64 bits: the base class; 0 for System.Object and interfaces
    CLASS_CATEGORY = 0x000C0000,
    CLASS_CATEGORY_VALUE = 0x00040000, // of the category: a value type
    CLASS_HAS_REFERENCES = 0x01000000,
};

// Which bytes of a value are not to leave the program.
enum { CLASS_MASK_BYTES = 256 };
struct class_mask {
    _Atomic uintptr_t table; // 0: free, and those behind it; 1: of a class that has gone, free as well
    uint64_t bytes[CLASS_MASK_BYTES / 64];
};

#pragma GCC visibility push(hidden)

// All NULL where nobody asks for classes; else in pages that exist once touched.
extern _Atomic uint64_t *class_slots;   // CLASS_SLOTS words
extern _Atomic uint64_t *class_pending; // words of classes in the order in which they were seen first; 1 << NUMBER_BITS
// By type number: method tables of ref structs, and of what value_classes_expect() was asked for; 1 << NUMBER_BITS.
extern _Atomic(const void *) *class_tables;
extern _Atomic uint32_t class_pending_count;
extern _Atomic uint32_t class_resolver;   // a futex: 1 while the resolver sleeps
extern struct class_mask *class_masks;    // CLASS_MASKS of them
extern _Atomic uint32_t class_mask_count; // that were ever set

// The number of the type whose method table this is; 0 for none, or when there are no more numbers. At first sight it
// gets the next one, and the resolver is woken, which tells what it is; later the number may be another one that the
// type had already.
uint32_t class_number(const void *table);

// The same, but 0 where it has not been seen yet.
uint32_t class_number_known(const void *table);

// Whether it is a method table, of which nothing is sure but that it was found in memory: its base classes lead to
// System.Object. Asks the kernel before it reads.
bool class_is_table(const void *table);
extern _Atomic uintptr_t class_root; // System.Object's method table; 0 until it is known

// The next number that nobody has; 0 when there are no more.
uint32_t class_take_number(void);

// The slot of a method table; NULL when it has none.
_Atomic uint64_t *class_slot(const void *table);

// What of a value type's bytes is left out; NULL: nothing.
const uint64_t *class_mask(const void *table);

// Before the first value of the type is there, and once its class is gone. One caller at a time.
void class_set_mask(const void *table, const uint64_t bytes[CLASS_MASK_BYTES / 64]);
void class_drop_mask(const void *table);

#pragma GCC visibility pop

static inline bool class_mask_has(const uint64_t *mask, uint32_t byte)
{
    CLEW_ASSERT(byte < CLASS_MASK_BYTES);
    return mask[byte / 64] >> byte % 64 & 1;
}

static inline uint32_t class_fact(const void *table, unsigned at)
{
    return *(const uint32_t *)(const void *)((const char *)table + at);
}

static inline bool class_is_value(const void *table)
{
    return (class_fact(table, CLASS_FLAGS_AT) & CLASS_CATEGORY) == CLASS_CATEGORY_VALUE;
}

static inline bool class_has_references(const void *table)
{
    return class_fact(table, CLASS_FLAGS_AT) & CLASS_HAS_REFERENCES;
}

#endif
