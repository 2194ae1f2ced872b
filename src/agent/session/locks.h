// The agent's locks, in the order in which a thread may take them. A thread that holds one takes only locks further
// down the list, and holds at most one of each kind; where assertions are on, lock_take() checks that.
//
// Probes take none of them. A forked child takes none either: the thread that held one may not exist in it.
#ifndef CLEW_AGENT_LOCKS_H
#define CLEW_AGENT_LOCKS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/assert.h"

enum lock_rank {
    LOCK_THREADS,     // loaded/runtime_threads.c: names of threads, in the order in which the program gave them
    LOCK_MODULE,      // struct module.lock: a module's names, and what is added to its metadata
    LOCK_CLASSES,     // types/class_dependencies.h: classes that are examined, and which have been reported
    LOCK_TYPES,       // types/type_table.c: numbers of types; held while a type is defined to the collector
    LOCK_LOADS,       // types/loaded_classes.c: value types that the runtime has loaded
    LOCK_SITES,       // rewrite/site_definitions.c: numbers of sites
    LOCK_REGISTRY,    // loaded/modules.c: changes of the table of modules
    LOCK_MOVES,       // heap/heap_objects.c: moves that several threads of a server's collector report
    LOCK_DEFINITIONS, // session/report.c: the writer of the definition ring; may be held for seconds (report.c)
    LOCK_RANKS,
};

static_assert(LOCK_RANKS <= 32, "locks_held has a bit for each rank");

#ifdef CLEW_ASSERTIONS

// A bit for each rank of which this thread holds a lock.
extern __thread uint32_t locks_held __attribute__((visibility("hidden"), tls_model("initial-exec")));

static inline void locks_note(enum lock_rank rank, bool held)
{
    locks_held = held ? locks_held | 1u << rank : locks_held & ~(1u << rank);
}

// For assertions: whether this thread holds no lock of this rank, nor one further down the list.
static inline bool locks_none_from(enum lock_rank rank)
{
    return locks_held >> rank == 0;
}

#else

static inline void locks_note(enum lock_rank rank, bool held)
{
    (void)rank;
    (void)held;
}

static inline bool locks_none_from(enum lock_rank rank)
{
    (void)rank;
    return true;
}

#endif

// For assertions: whether this thread holds no lock at all. The runtime calls back only on such threads.
static inline bool locks_none_held(void)
{
    return locks_none_from(LOCK_THREADS);
}

static inline void lock_take(pthread_mutex_t *lock, enum lock_rank rank)
{
    CLEW_ASSERT(locks_none_from(rank) && "locks are taken in the order of enum lock_rank");
    (void)pthread_mutex_lock(lock); // fails only for a lock that this thread holds
    locks_note(rank, true);
}

static inline void lock_release(pthread_mutex_t *lock, enum lock_rank rank)
{
    CLEW_ASSERT(!locks_none_from(rank));
    locks_note(rank, false);
    (void)pthread_mutex_unlock(lock);
}

#endif
