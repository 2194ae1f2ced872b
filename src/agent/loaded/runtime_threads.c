// Names of threads. The program may name a thread before the OS thread exists, so a name waits here until both are known.
#include "agent/loaded/runtime_threads.h"

#include <pthread.h>
#include <stdlib.h>

#include "agent/probe/probe_activation_slots.h"
#include "agent/probe/probe_awaits.h"
#include "agent/probe/probe_thread.h"
#include "agent/session/locks.h"
#include "agent/session/report.h"
#include "base/locked.h"

struct known_thread {
    struct known_thread *next;
    clr_id id;
    uint32_t os_id;     // 0: no OS thread yet
    struct buffer name; // empty: none
};

enum { BUCKETS = 4096 }; // a power of two

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct known_thread *known[BUCKETS]; // by hash of the id

// The pointer that leads to the thread, or the one that ends its bucket. Needs the lock.
static struct known_thread **link_of(clr_id id)
{
    CLEW_ASSERT_LOCKED(&lock);
    struct known_thread **link = &known[id * UINT64_C(0x9E3779B97F4A7C15) >> 32 & (BUCKETS - 1)];
    while (*link && (*link)->id != id) {
        link = &(*link)->next;
    }
    return link;
}

// Adds the thread if it is new. NULL when memory runs out. Needs the lock.
static struct known_thread *find(clr_id id)
{
    struct known_thread **link = link_of(id);
    if (!*link && (*link = calloc(1, sizeof **link))) {
        (*link)->id = id;
    }
    return *link;
}

// Reports an empty name as well: the OS gives the id of a dead thread to a new one, which must not inherit the name.
static void report(const struct known_thread *thread)
{
    CLEW_ASSERT_LOCKED(&lock); // so that names are reported in the order in which they were given
    if (thread->os_id && !thread->name.failed) {
        (void)report_definition(&(struct ring_definition){
            .type = RING_DEFINE_THREAD,
            .os_id = thread->os_id,
            .name = {(const char *)thread->name.data, thread->name.size},
        });
    }
}

void threads_assigned(clr_id id, uint32_t os_id)
{
    lock_take(&lock, LOCK_THREADS);
    struct known_thread *thread = find(id);
    if (thread) {
        thread->os_id = os_id;
        report(thread);
    }
    lock_release(&lock, LOCK_THREADS);
}

// The runtime usually calls this on the thread that ends. Then thread_end() frees its slot at once; otherwise the collector
// frees the slot when it finds that the thread is gone.
void threads_destroyed(clr_id id)
{
    uint32_t os_id = 0;
    lock_take(&lock, LOCK_THREADS);
    struct known_thread **link = link_of(id), *gone = *link;
    if (gone) {
        os_id = gone->os_id;
        *link = gone->next;
        buffer_free(&gone->name);
        free(gone);
    }
    lock_release(&lock, LOCK_THREADS);
    if (thread_self_private && thread_self_private->os_id == os_id) {
        awaits_settle(thread_self);
    }
    slots_thread_ends(os_id);
    thread_end(os_id);
}

void threads_named(clr_id id, const clr_char *name, uint32_t length)
{
    lock_take(&lock, LOCK_THREADS);
    struct known_thread *thread = find(id);
    if (thread) {
        buffer_clear(&thread->name);
        buffer_utf16(&thread->name, name, length);
        report(thread);
    }
    lock_release(&lock, LOCK_THREADS);
}
