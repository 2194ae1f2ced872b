// The list of processes that are not finished; collecting.h says which thread does what with it.
#include <unistd.h>

#include "base/assert.h"
#include "collector/collect/collecting.h"

struct process *collector__first(struct collector *collector)
{
    (void)pthread_mutex_lock(&collector->lock); // a plain mutex, never locked twice
    struct process *first = collector->first;
    (void)pthread_mutex_unlock(&collector->lock);
    return first;
}

struct process *collector__next(struct collector *collector, const struct process *process)
{
    (void)pthread_mutex_lock(&collector->lock); // a plain mutex, never locked twice
    struct process *next = process->next;
    (void)pthread_mutex_unlock(&collector->lock);
    return next;
}

enum clew_error collector__add(struct collector *collector, struct ring_header *ring, struct watch watch,
                               struct process **out)
{
    struct process *process;
    enum clew_error error = process_new(ring, watch, collector->session->record.scope, &process);
    if (error != CLEW_OK) {
        watch_end(&watch);
        atomic_store(&ring->collector_gone, 1);
        segment_unmap(ring);
        return error;
    }
    (void)pthread_mutex_lock(&collector->lock); // a plain mutex, never locked twice
    *(collector->last ? &collector->last->next : &collector->first) = process;
    collector->last = process;
    (void)pthread_mutex_unlock(&collector->lock);
    *out = process;
    return CLEW_OK;
}

void collector__unlink(struct collector *collector, const struct process *process)
{
    struct process *before = NULL;
    (void)pthread_mutex_lock(&collector->lock); // a plain mutex, never locked twice
    for (struct process *at = collector->first; at != process; at = at->next) {
        CLEW_ASSERT(at && "a process that leaves the list is in it");
        before = at;
    }
    *(before ? &before->next : &collector->first) = process->next;
    collector->last = collector->last == process ? before : collector->last;
    (void)pthread_mutex_unlock(&collector->lock);
}
