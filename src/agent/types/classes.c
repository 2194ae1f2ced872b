// The queue of classes that probes have met, and the thread that works it off.
#include "agent/types/classes.h"

#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/probe/probe_classes.h"
#include "agent/session/locks.h"
#include "agent/session/pages.h"
#include "agent/types/class_dependencies.h"
#include "agent/types/class_types.h"
#include "agent/types/type_table.h"
#include "base/locked.h"

enum { STACK_SIZE = 256 << 10 };

static uint32_t resolved; // of class_pending. Under class_lock.

// -- The queue --------------------------------------------------------------------------------------------------------

// The probe has given the class a number already. If the type had another one, the slot gets that from now on; events with
// the probe's number remain valid, since the type is reported under both.
static void resolve(uint64_t word)
{
    uint32_t given = CLASS_WORD_NUMBER(word);
    uintptr_t table = CLASS_WORD_TABLE(word);
    const struct type_report report = {.number = given};
    struct class_query *query = class_query_new(table);
    if (!query) {
        return; // the class has no name
    }
    type_table_lock();
    uint32_t number = class_type(query, table, &report);
    type_table_unlock();
    _Atomic uint64_t *slot = number && number != given ? class_slot(query->table) : NULL;
    if (slot) {
        atomic_store_explicit(slot, CLASS_WORD(table, number), memory_order_relaxed);
    }
    free(query);
}

// Takes the next class off the queue; 0 when the queue is empty. Probes never take one off, so the queue is an array that
// only grows.
static uint64_t next_pending(void)
{
    CLEW_ASSERT_LOCKED(&class_lock);
    if (resolved >= atomic_load_explicit(&class_pending_count, memory_order_seq_cst) ||
        resolved >= 1u << CLASS_NUMBER_BITS) {
        return 0;
    }
    uint64_t word;
    while (!(word = atomic_load_explicit(&class_pending[resolved], memory_order_seq_cst))) {
        (void)sched_yield(); // a probe has counted the entry and is about to store it
    }
    resolved++;
    return word;
}

static bool has_pending(void)
{
    lock_take(&class_lock, LOCK_CLASSES);
    bool pending = resolved < atomic_load_explicit(&class_pending_count, memory_order_seq_cst);
    lock_release(&class_lock, LOCK_CLASSES);
    return pending;
}

static void resolve_all(void)
{
    uint64_t word;
    while ((word = next_pending()) != 0) {
        resolve(word);
    }
}

void classes_resolve(void)
{
    if (class_slots) {
        lock_take(&class_lock, LOCK_CLASSES);
        resolve_all();
        lock_release(&class_lock, LOCK_CLASSES);
    }
}

void classes_forget(const struct module *module)
{
    if (!class_slots || !(module->flags & MODULE_COLLECTIBLE)) {
        return;
    }
    lock_take(&class_lock, LOCK_CLASSES);
    resolve_all();
    class_dependencies_drop(module);
    lock_release(&class_lock, LOCK_CLASSES);
}

// -- The thread -------------------------------------------------------------------------------------------------------

static void *run_resolver(void *context)
{
    for (;;) {
        classes_resolve();
        // Pairs with hand_to_resolver() in probe_classes.c, both seq_cst: either this thread sees the new
        // entry, or the probe sees the flag and wakes this thread.
        atomic_store_explicit(&class_resolver, 1, memory_order_seq_cst);
        if (!has_pending()) {
            (void)syscall(SYS_futex, &class_resolver, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
        }
        atomic_store_explicit(&class_resolver, 0, memory_order_relaxed);
    }
    return context;
}

// With all signals blocked: the program's handlers must not run on a thread that it does not know.
static bool start_thread(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    if (pthread_attr_init(&attributes) != 0) {
        return false;
    }
    (void)pthread_attr_setstacksize(&attributes, STACK_SIZE);
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&thread, &attributes, run_resolver, NULL) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    if (started) {
        (void)pthread_setname_np(thread, "clew");
    }
    return started;
}

bool classes_prepare(void)
{
    class_pending = pages_new(sizeof *class_pending << CLASS_NUMBER_BITS);
    class_tables = pages_new(sizeof *class_tables << CLASS_NUMBER_BITS);
    class_masks = pages_new(sizeof *class_masks * CLASS_MASKS);
    bool all = class_pending && class_tables && class_masks;
    _Atomic uint64_t *slots = all ? pages_new(CLASS_SLOTS * sizeof *slots) : NULL;
    class_slots = slots;
    return slots != NULL;
}

bool classes_start(void)
{
    static _Atomic bool asked, runs;
    if (!atomic_exchange_explicit(&asked, true, memory_order_relaxed)) {
        atomic_store_explicit(&runs, start_thread(), memory_order_relaxed);
    }
    return atomic_load_explicit(&runs, memory_order_relaxed);
}
