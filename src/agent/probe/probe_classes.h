// Classes as the probes see them: by method table. Every object begins with the address of its class's method table,
// which is also the runtime's ClassID. A probe finds the number of the type in a lock-free hash table; a class that is
// new gets a number at once, and the resolver thread (types/classes.c) later asks the runtime for its description.
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

// A slot of the hash table: a method table and the number of its type in one word. Addresses have 47 bits, of which the
// lower three are zero.
#define CLASS_WORD(table, number) ((uint64_t)(table) >> 3 << CLASS_NUMBER_BITS | (number))
#define CLASS_WORD_TABLE(word) ((uintptr_t)((word) >> CLASS_NUMBER_BITS) << 3)
#define CLASS_WORD_NUMBER(word) ((uint32_t)(word) & ((1u << CLASS_NUMBER_BITS) - 1))
// The slot of a class that was unloaded: searches continue behind it, and a new class may take the slot.
#define CLASS_WORD_GONE UINT64_C(1)

static_assert(47 - 3 + CLASS_NUMBER_BITS <= 64, "a method table and a number fit a word");
static_assert((CLASS_SLOTS & (CLASS_SLOTS - 1)) == 0 && (CLASS_MASKS & (CLASS_MASKS - 1)) == 0, "slots are by hash");

// Offsets and flags of a method table. CoreCLR keeps them stable, since a standalone garbage collector of another
// version may read them (gcenv.object.h, gcdesc.h).
enum {
    CLASS_FLAGS_AT = 0,     // 32 bits
    CLASS_BASE_SIZE_AT = 4, // 32 bits: bytes of an object without items, including its header of 8 bytes
    CLASS_PARENT_AT = 16,   // 64 bits: the base class; 0 for System.Object and interfaces
    CLASS_CATEGORY = 0x000C0000,
    CLASS_CATEGORY_VALUE = 0x00040000, // value of CLASS_CATEGORY for value types
    CLASS_HAS_REFERENCES = 0x01000000,
};

// Which bytes of a value type are redacted: they must not leave the program.
enum { CLASS_MASK_BYTES = 256 };
struct class_mask {
    _Atomic uintptr_t table;               // 0: free, and searches end here; 1: of an unloaded class, and free
    uint64_t bytes[CLASS_MASK_BYTES / 64]; // a bit for each byte; 1: redacted
};

#pragma GCC visibility push(hidden)

// The tables are NULL if the session records no values. They are in pages that exist once touched.
extern _Atomic uint64_t *class_slots;   // the hash table: CLASS_SLOTS words
extern _Atomic uint64_t *class_pending; // words of classes in the order of their first sight; 1 << CLASS_NUMBER_BITS
// Method tables by type number, of ref structs and of types passed to value_classes_expect(); 1 << CLASS_NUMBER_BITS.
extern _Atomic(const void *) *class_tables;
extern _Atomic uint32_t class_pending_count;
extern _Atomic uint32_t class_resolver;   // futex word: 1 while the resolver thread sleeps
extern struct class_mask *class_masks;    // a hash table of CLASS_MASKS entries
extern _Atomic uint32_t class_mask_count; // masks that were ever set

// The number of the type with this method table; 0: `table` is NULL or not aligned, or there are no more numbers. At
// first sight the type gets the next number, and the resolver thread is woken to describe it. If the resolver finds
// that the type had a number already, later calls return that one.
uint32_t class_number(const void *table);

// The same, but 0 for a type that was not seen before.
uint32_t class_number_known(const void *table);

// Whether an arbitrary word is the address of a method table, which is the case if its base classes lead to
// System.Object. Asks the kernel whether memory is readable before it reads.
bool class_is_table(const void *table);
extern _Atomic uintptr_t class_root; // System.Object's method table; 0 until it is known

// Takes the next free type number; 0: there are no more.
uint32_t class_take_number(void);

// The slot of a method table; NULL: it has none.
_Atomic uint64_t *class_slot(const void *table);

// The bits of the redacted bytes of a value type; NULL: none are redacted.
const uint64_t *class_mask(const void *table);

// class_set_mask() is called before the first value of the type exists, class_drop_mask() once its class is unloaded.
// The caller holds the lock of classes.
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
