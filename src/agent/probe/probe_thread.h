// Threads of the program as the probes see them: the slot in the shared segment, and what only the agent needs of it.
#ifndef CLEW_AGENT_PROBE_THREAD_H
#define CLEW_AGENT_PROBE_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "ring/ring.h"
#include "weave/weave_sites.h"

enum {
    THREAD_CHILD_CACHE = 1024, // entries, a power of two
    THREAD_PENDING_MAX = 256,  // frames being unwound at once on one thread; more are healed by the catcher
    THREAD_FILTERS_MAX = 64,
    THREAD_OVERFLOW_MAX = 1 << 20, // activations over the cap that can be told apart
    THREAD_METHODS_MAX = 1 << 20,  // method numbers that can be counted over the cap
};

static_assert((THREAD_CHILD_CACHE & (THREAD_CHILD_CACHE - 1)) == 0, "an entry of the cache follows from a hash");
static_assert(THREAD_METHODS_MAX <= RING_METHOD_NUMBER + 1, "methods are counted by their numbers without marks");

// A frame that an exception is passing through.
struct pending_unwind {
    uint32_t node;     // the activation; 0 when the method is not recorded, or runs over the cap
    uint32_t overflow; // its place (+ 1) in thread_private.over; 0: it is not there
    bool in_finally;
    bool again; // entered a second time while its finally ran
};

// A method that is about to call itself last: its activation has ended.
struct departure {
    uint32_t method;       // 0: nobody is
    uint32_t ended_frames; // of the activation, as ring_node.ended_frames
    uintptr_t stack;       // where the probe ran: the same for every probe that runs in one frame
};

struct overflow_activation {
    uint32_t node;         // the method's flat one
    uint32_t ended_frames; // as ring_node.ended_frames
};

// What a filter interrupted.
struct running_filter {
    uint32_t before; // the node that was current; 0 when the filter has no node of its own
    uint32_t pending_count;
};

// A context whose events are discarded, for activations that are not streamed. Its limit is 0 and it has no chunk. Woven
// code writes up to RING_SITE_ROOM bytes between two native probes; each of these rewinds the context, because the
// activations of a thread share it: what a callee wrote must not count against the room of its caller.
struct discard {
    struct ring_thread context;
    uint8_t scratch[RING_SITE_ROOM];
};

// The agent's own part of a thread, in private memory. It belongs to the slot and is used again with it.
struct thread_private {
    struct ring_thread *shared;
    uint32_t children[THREAD_CHILD_CACHE]; // node by hash of (parent, method): a guess, checked before use
    struct pending_unwind pending[THREAD_PENDING_MAX];
    uint32_t pending_count;
    struct departure departure;
    uint32_t ended_method; // whose activation an exception has ended...
    uint32_t ended_frames; // ...and how many of the frames that are unwound next go with it
    bool made_call;        // the frame unwound last made a `tail.` call for the one that is unwound next
    struct running_filter filters[THREAD_FILTERS_MAX];
    uint32_t filter_count;                // may be more than there is room for
    uint32_t overflow_depth;              // activations over the cap of nodes, running now
    uint32_t overflow_unrecorded;         // of them, those beyond what `over` holds
    struct overflow_activation *overflow; // innermost last; THREAD_OVERFLOW_MAX long, made on first need
    uint32_t *overflow_nodes;             // flat node by method, 0: not yet; THREAD_METHODS_MAX long, made with `over`
    uint32_t overflow_root;               // the thread's `(over the cap)`
    uint32_t
        overflow_sentinel; // what is current while calls over the cap run: stands for it, and has no children to be found
    uint64_t lost_unreported; // lost events that the stream has not told yet
    uint64_t wait_again_at;   // once the thread has lost so many events; it waited in vain before
    struct discard *discard;  // the thread's; NULL: not made yet. It stays with the slot
    bool discards;            // activations write there that began while the thread had no chunk
    struct weave_lines line_state;
    struct weave_line **lines; // counters by method, NULL: none yet; THREAD_METHODS_MAX long, made on first need. They
                               // are the slot's: the next thread counts on
};

#pragma GCC visibility push(hidden) // reached without a detour through the global offset table

// Of the calling thread; NULL before its first event. Initial-exec: 24 bytes of static TLS, no call.
extern __thread struct ring_thread *thread_self __attribute__((tls_model("initial-exec")));
extern __thread struct thread_private *thread_self_private __attribute__((tls_model("initial-exec")));
// NULL before the first activation that needs one.
extern __thread struct discard *thread_self_discard __attribute__((tls_model("initial-exec")));

// Where all probes look; set once before the first of them can run.
extern struct ring_header *probe_ring;
extern struct ring_node *probe_nodes;

// Gives the calling thread a slot, or returns NULL when there is none. May be called in cooperative mode: no locks, a
// few system calls.
struct ring_thread *thread_enlist(uint64_t clock);

// The calling thread runs no more managed code: gives its slot up, if it has one and this is its OS id. If it runs some
// after all, it is a new thread.
void thread_end(uint32_t os_id);

// The calling thread's discard context, rewound. Never NULL, also for a thread without a slot.
struct ring_thread *thread_discard(void);
static inline bool thread_is_discard(const struct ring_thread *context)
{
    return context->first_chunk == 0;
}
// Makes all of its room free again.
static inline void thread_rewind(struct discard *discard)
{
    atomic_store_explicit(&discard->context.at, (uintptr_t)discard->scratch, memory_order_relaxed);
}
// The same for the calling thread's, if it has one. Probes after which woven code counts on RING_SITE_ROOM call it.
static inline void thread_rewind_own(void)
{
    if (__builtin_expect(thread_self_discard != NULL, 0)) {
        thread_rewind(thread_self_discard);
    }
}

// A node for `method` under `parent`, found or made; 0 when the cap is reached.
uint32_t node_child(struct ring_thread *thread, uint32_t parent, uint32_t method);
// The thread's `(over the cap)`, a child of its root, and the node of a method under it. They may use a reserve that
// node_child() leaves; 0 when that is used up too.
uint32_t node_overflow_root(struct ring_thread *thread);
uint32_t node_overflow_method(struct ring_thread *thread, uint32_t method);

#pragma GCC visibility pop

#endif
