// Names of threads: the program may name a thread before the OS has made it.
#include "agent/agent.h"

#include <stdlib.h>

struct known_thread {
    struct known_thread *next;
    clr_id id;
    uint32_t os_id;     // 0: not yet
    struct buffer name; // empty: none
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct known_thread *known;

// The caller holds the lock. NULL when memory runs out.
static struct known_thread *find(clr_id id)
{
    struct known_thread *thread = known;
    while (thread && thread->id != id) {
        thread = thread->next;
    }
    if (!thread && (thread = calloc(1, sizeof *thread))) {
        thread->id = id;
        thread->next = known;
        known = thread;
    }
    return thread;
}

// An empty name as well: the OS gives a dead thread's id to a new one.
static void tell(const struct known_thread *thread)
{
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
    (void)pthread_mutex_lock(&lock);
    struct known_thread *thread = find(id);
    if (thread) {
        thread->os_id = os_id;
        tell(thread);
    }
    (void)pthread_mutex_unlock(&lock);
}

void threads_destroyed(clr_id id)
{
    (void)pthread_mutex_lock(&lock);
    struct known_thread **link = &known;
    while (*link && (*link)->id != id) {
        link = &(*link)->next;
    }
    struct known_thread *gone = *link;
    if (gone) {
        *link = gone->next;
        buffer_free(&gone->name);
        free(gone);
    }
    (void)pthread_mutex_unlock(&lock);
}

void threads_named(clr_id id, const clr_char *name, uint32_t length)
{
    (void)pthread_mutex_lock(&lock);
    struct known_thread *thread = find(id);
    if (thread) {
        buffer_clear(&thread->name);
        buffer_utf16(&thread->name, name, length);
        tell(thread);
    }
    (void)pthread_mutex_unlock(&lock);
}
