// The pool of chunks, and the queue of threads that wait for one. The pool is in the segment, since the collector
// returns chunks to it; the queue is in the agent's memory. Only the first thread in the queue watches the pool. When
// it leaves the queue it wakes the next one, so a freed chunk wakes one thread and not all.
#include "agent/probe/probe_chunks.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/probe/bounded.h"
#include "agent/probe/probe_thread.h"
#include "agent/session/give_up.h"

#define LOOK_EVERY_NS UINT64_C(10000000)

// A waiting thread's entry in the queue, on its own stack.
struct waiter {
    struct waiter *next;
    _Atomic uint32_t first; // futex word: 1 once it is the first in the queue
};

uint64_t chunks_wait_ns;

static _Atomic uint32_t queue_lock; // futex word: 0 free, 1 taken, 2 taken and another thread may sleep for it
static struct waiter *queue, **queue_end = &queue;

// -- Taking -----------------------------------------------------------------------------------------------------------

// Counts one more full chunk, if the quota has room for it and for `reserved` others. False: it has not.
static bool count_full(uint32_t reserved)
{
    uint32_t quota = probe_ring->chunk_quota, full;
    return bounded_take(&probe_ring->chunks_full, 1, quota > reserved ? quota - reserved : 0, &full);
}

// Searches the bitmap of free chunks from the front: chunks that were used before already have memory.
uint64_t chunks_take_first(void)
{
    _Atomic uint64_t *words = ring_free_chunks(probe_ring);
    for (uint32_t at = 0; at < RING_CHUNKS_MAX / 64; at++) {
        uint64_t word = atomic_load_explicit(&words[at], memory_order_relaxed);
        while (word) {
            uint64_t bit = word & -word;
            if (atomic_compare_exchange_weak_explicit(&words[at], &word, word & ~bit, memory_order_acq_rel,
                                                      memory_order_relaxed)) {
                return (uint64_t)at * 64 + (uint64_t)__builtin_ctzll(bit) + 1;
            }
        }
    }
    return 0;
}

static uint64_t take(uint32_t reserved)
{
    if (!count_full(reserved)) {
        return 0;
    }
    uint64_t chunk = chunks_take_first();
    if (!chunk) {
        uint32_t before = atomic_fetch_sub_explicit(&probe_ring->chunks_full, 1, memory_order_relaxed);
        CLEW_ASSERT(before > 0 && "this thread has counted one");
        (void)before;
    }
    return chunk;
}

uint64_t chunks_take(void)
{
    return take(atomic_load_explicit(&probe_ring->waiters, memory_order_relaxed));
}

// -- Waiting ----------------------------------------------------------------------------------------------------------

// Returns when woken, after most_ns, or at once if the word is not `seen`. The caller checks again in any case.
static void sleep_on(_Atomic uint32_t *word, uint32_t seen, uint64_t most_ns)
{
    struct timespec limit = {.tv_sec = (time_t)(most_ns / 1000000000u), .tv_nsec = (long)(most_ns % 1000000000u)};
    (void)syscall(SYS_futex, word, FUTEX_WAIT, seen, &limit, NULL, 0);
}

// A futex lock, since libc's mutex functions may use vector registers. See "Futexes Are Tricky" (Drepper), mutex 2.
static void lock_queue(void)
{
    uint32_t before = 0;
    if (atomic_compare_exchange_strong_explicit(&queue_lock, &before, 1, memory_order_acquire, memory_order_relaxed)) {
        return;
    }
    while (atomic_exchange_explicit(&queue_lock, 2, memory_order_acquire) != 0) {
        (void)syscall(SYS_futex, &queue_lock, FUTEX_WAIT, 2, NULL, NULL, 0); // the loop checks again
    }
}

static void unlock_queue(void)
{
    CLEW_ASSERT(atomic_load_explicit(&queue_lock, memory_order_relaxed) != 0);
    if (atomic_exchange_explicit(&queue_lock, 0, memory_order_release) == 2) {
        (void)syscall(SYS_futex, &queue_lock, FUTEX_WAKE, 1, NULL, NULL, 0); // wakes one thread, if one sleeps
    }
}

static void join_queue(struct waiter *self)
{
    lock_queue();
    CLEW_ASSERT(*queue_end == NULL && (queue != NULL || queue_end == &queue));
    atomic_store_explicit(&self->first, queue == NULL, memory_order_relaxed);
    *queue_end = self;
    queue_end = &self->next;
    atomic_fetch_add_explicit(&probe_ring->waiters, 1, memory_order_seq_cst);
    unlock_queue();
}

// Wakes the new first thread under the lock: its entry is on its stack, and invalid once it has left the queue.
static void leave_queue(struct waiter *self)
{
    lock_queue();
    struct waiter **link = &queue;
    while (*link != self) {
        CLEW_ASSERT(*link && "who leaves the queue is in it");
        link = &(*link)->next;
    }
    *link = self->next;
    queue_end = self->next ? queue_end : link;
    if (queue && !atomic_load_explicit(&queue->first, memory_order_relaxed)) {
        atomic_store_explicit(&queue->first, 1, memory_order_relaxed);
        (void)syscall(SYS_futex, &queue->first, FUTEX_WAKE, 1, NULL, NULL, 0); // it need not sleep yet
    }
    CLEW_ASSERT(atomic_load_explicit(&probe_ring->waiters, memory_order_relaxed) > 0);
    atomic_fetch_sub_explicit(&probe_ring->waiters, 1, memory_order_relaxed);
    unlock_queue();
}

static uint64_t wait_in_queue(struct waiter *self, const struct give_up *wait)
{
    while (!atomic_load_explicit(&probe_ring->collector_gone, memory_order_acquire)) {
        bool first = atomic_load_explicit(&self->first, memory_order_relaxed);
        uint32_t seen = atomic_load_explicit(&probe_ring->room, memory_order_acquire);
        CLEW_ASSERT(!first || queue == self);
        uint64_t chunk = first ? take(0) : 0;
        uint64_t left = chunk ? 0 : give_up_left_ns(wait);
        if (left == 0) {
            return chunk;
        }
        if (first) {
            sleep_on(&probe_ring->room, seen, left < LOOK_EVERY_NS ? left : LOOK_EVERY_NS);
        } else {
            sleep_on(&self->first, 0, left);
        }
    }
    return 0;
}

uint64_t chunks_wait(struct ring_thread *thread)
{
    struct waiter self = {0};
    struct give_up wait = give_up_after(chunks_wait_ns, &probe_ring->progress);
    atomic_fetch_add_explicit(&probe_ring->pauses, 1, memory_order_relaxed);
    join_queue(&self);
    uint64_t chunk = wait_in_queue(&self, &wait);
    leave_queue(&self);
    if (!chunk) {
        give_up_declare_gone(&wait, probe_ring);
    }
    thread->paused_ns += monotonic_ns() - wait.began_ns;
    return chunk;
}
