// The hash table from method tables to type numbers. It never grows, and each entry is one word, so that probes can
// search and extend it without locks in the middle of managed code. Collisions go to the next slot (linear probing).
#include "agent/probe/probe_classes.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/probe/bounded.h"
#include "agent/probe/probe_memory.h"

enum { NUMBERS = 1 << CLASS_NUMBER_BITS };

_Atomic uint64_t *class_slots;
_Atomic uint64_t *class_pending;
_Atomic(const void *) *class_tables;
_Atomic uint32_t class_pending_count;
_Atomic uint32_t class_resolver;
_Atomic uintptr_t class_root;
struct class_mask *class_masks;
_Atomic uint32_t class_mask_count;
static _Atomic uint32_t next_number = 1;

uint32_t class_take_number(void)
{
    uint32_t number;
    return bounded_take(&next_number, 1, NUMBERS, &number) ? number : 0;
}

// Neighbouring method tables have neighbouring slots, so that few pages are touched. A method table is larger than 32
// bytes.
static uint32_t first_slot(const void *table)
{
    return (uint32_t)((uintptr_t)table >> 5) & (CLASS_SLOTS - 1);
}

static uint32_t slot_after(uint32_t slot)
{
    return (slot + 1) & (CLASS_SLOTS - 1);
}

static bool is_of(uint64_t word, const void *table)
{
    return CLASS_WORD_TABLE(word) == (uintptr_t)table && table;
}

_Atomic uint64_t *class_slot(const void *table)
{
    uint32_t slot = first_slot(table);
    for (uint32_t tried = 0; tried < CLASS_SLOTS; tried++, slot = slot_after(slot)) {
        uint64_t word = atomic_load_explicit(&class_slots[slot], memory_order_acquire);
        if (is_of(word, table)) {
            return &class_slots[slot];
        }
        if (!word) {
            break;
        }
    }
    return NULL;
}

uint32_t class_number_known(const void *table)
{
    if (!class_slots || !table || (uintptr_t)table & 7) {
        return 0;
    }
    uint32_t slot = first_slot(table);
    for (uint32_t tried = 0; tried < CLASS_SLOTS; tried++, slot = slot_after(slot)) {
        uint64_t word = atomic_load_explicit(&class_slots[slot], memory_order_relaxed);
        if (is_of(word, table) || !word) {
            return CLASS_WORD_NUMBER(word);
        }
    }
    return 0;
}

bool class_is_table(const void *table)
{
    enum { BASES_MAX = 1000, BASE_SIZE_MIN = 22 }; // a string's
    uintptr_t at = (uintptr_t)table, root = atomic_load_explicit(&class_root, memory_order_relaxed);
    for (unsigned bases = 0; bases < BASES_MAX; bases++) {
        if (!at) {
            return bases > 0 && !root;
        }
        if (at == root) {
            return true;
        }
        if (at & 7 || !memory_readable(at) || !memory_readable(at + CLASS_PARENT_AT) ||
            class_fact((const void *)at, CLASS_BASE_SIZE_AT) < BASE_SIZE_MIN) {
            return false;
        }
        at = *(const uintptr_t *)(at + CLASS_PARENT_AT);
    }
    return false;
}

// Appends a new class to the list of pending ones, and wakes the resolver thread if it sleeps.
static void hand_to_resolver(uint64_t word)
{
    uint32_t place = atomic_fetch_add_explicit(&class_pending_count, 1, memory_order_relaxed);
    CLEW_ASSERT(place < NUMBERS && "there are no more numbers than places");
    if (place >= NUMBERS) {
        return;
    }
    // Sequentially consistent: the resolver stores its flag and then looks for words, this thread stores a word and
    // then looks for the flag, so at least one of them sees the other's store.
    atomic_store_explicit(&class_pending[place], word, memory_order_seq_cst);
    if (atomic_load_explicit(&class_resolver, memory_order_seq_cst) &&
        atomic_exchange_explicit(&class_resolver, 0, memory_order_relaxed)) {
        (void)syscall(SYS_futex, &class_resolver, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
}

// Numbers a class that was not seen before.
static __attribute__((noinline, cold)) uint32_t number_slow(const void *table)
{
    uint32_t number = class_take_number(), slot = first_slot(table);
    for (uint32_t tried = 0; number && tried < CLASS_SLOTS; tried++, slot = slot_after(slot)) {
        uint64_t word = atomic_load_explicit(&class_slots[slot], memory_order_acquire);
        uint64_t fresh = CLASS_WORD(table, number);
        CLEW_ASSERT(CLASS_WORD_TABLE(fresh) == (uintptr_t)table && CLASS_WORD_NUMBER(fresh) == number);
        bool free = !word || word == CLASS_WORD_GONE;
        if (free && atomic_compare_exchange_strong_explicit(&class_slots[slot], &word, fresh, memory_order_acq_rel,
                                                            memory_order_acquire)) {
            hand_to_resolver(fresh);
            return number;
        }
        if (is_of(word, table)) { // another thread was faster; this number stays unused
            return CLASS_WORD_NUMBER(word);
        }
    }
    return 0;
}

uint32_t class_number(const void *table)
{
    if (!class_slots || !table || (uintptr_t)table & 7) {
        return 0;
    }
    uint32_t slot = first_slot(table);
    for (;;) {
        uint64_t word = atomic_load_explicit(&class_slots[slot], memory_order_relaxed);
        if (is_of(word, table)) {
            return CLASS_WORD_NUMBER(word);
        }
        if (!word) {
            return number_slow(table);
        }
        slot = slot_after(slot);
    }
}

// -- Redacted bytes ---------------------------------------------------------------------------------------------------
// A second hash table with linear probing.

static const uint64_t everything[CLASS_MASK_BYTES / 64] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};

static_assert(sizeof everything * 8 == CLASS_MASK_BYTES, "a bit a byte");

static struct class_mask *mask_at(const void *table, uint32_t tried)
{
    return &class_masks[((uint32_t)((uintptr_t)table >> 5) + tried) & (CLASS_MASKS - 1)];
}

const uint64_t *class_mask(const void *table)
{
    uint32_t count = atomic_load_explicit(&class_mask_count, memory_order_acquire);
    for (uint32_t tried = 0; count > 0 && tried < CLASS_MASKS; tried++) {
        const struct class_mask *mask = mask_at(table, tried);
        uintptr_t of = atomic_load_explicit(&mask->table, memory_order_acquire);
        if (of == (uintptr_t)table) {
            return mask->bytes;
        }
        if (!of) {
            return NULL;
        }
    }
    return count > 0 ? everything : NULL; // the table is full, and may have lacked room for this type's mask
}

void class_set_mask(const void *table, const uint64_t bytes[CLASS_MASK_BYTES / 64])
{
    atomic_fetch_add_explicit(&class_mask_count, 1, memory_order_relaxed);
    for (uint32_t tried = 0; tried < CLASS_MASKS; tried++) {
        struct class_mask *mask = mask_at(table, tried);
        uintptr_t of = atomic_load_explicit(&mask->table, memory_order_relaxed);
        if (of == 0 || of == 1) {
            for (unsigned i = 0; i < sizeof mask->bytes / sizeof *mask->bytes; i++) {
                mask->bytes[i] = bytes[i];
            }
            atomic_store_explicit(&mask->table, (uintptr_t)table, memory_order_release);
            return;
        }
    }
}

void class_drop_mask(const void *table)
{
    for (uint32_t tried = 0; tried < CLASS_MASKS; tried++) {
        struct class_mask *mask = mask_at(table, tried);
        uintptr_t of = atomic_load_explicit(&mask->table, memory_order_relaxed);
        if (of == (uintptr_t)table) {
            atomic_store_explicit(&mask->table, 1, memory_order_release);
        } else if (!of) {
            return;
        }
    }
}
