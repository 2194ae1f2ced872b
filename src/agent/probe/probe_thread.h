// Threads of the program as the probes see them. Each has a slot in the shared segment (struct ring_thread), which the
// collector reads, and a private part (struct thread_private), which only the agent needs. Only the thread itself uses
// its private part, so nothing in it is atomic.
#ifndef CLEW_AGENT_PROBE_THREAD_H
#define CLEW_AGENT_PROBE_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "ring/ring.h"
#include "weave/operations/probes.h"

#define PROBE_HOT static inline __attribute__((always_inline))
#define PROBE_COLD static __attribute__((noinline, cold))

enum {
    THREAD_CHILD_CACHE = 1024, // entries, a power of two
    THREAD_PENDING_MAX = 256,  // pending frames; the probe of the catching frame ends any more
    THREAD_FILTERS_MAX = 64,
    THREAD_FLIGHTS_MAX = 64, // exceptions in flight at once
    THREAD_CHAIN_MAX = 1024,
    THREAD_OVERFLOW_MAX = 1 << 23, // activations on a thread's overflow stack; of more, only calls are counted
    THREAD_METHODS_MAX = 1 << 20,  // method numbers that can be counted over the cap
};

static_assert((THREAD_CHILD_CACHE & (THREAD_CHILD_CACHE - 1)) == 0, "an entry of the cache follows from a hash");
static_assert(THREAD_METHODS_MAX <= RING_METHOD_NUMBER + 1, "methods are counted by their numbers without marks");

// An exception between its throw and its catch.
struct in_flight {
    uintptr_t at;       // stack address of its announcement
    uint32_t node;      // where it was thrown
    uint32_t exception; // struct ring_exception
    uint32_t type;
    uint32_t flags; // enum throw_flag
    bool placed;    // whether it is known which frame threw it, and it is counted
};

enum unwind_state {
    UNWIND_LEAVING, // the frame's end comes next
    UNWIND_FINALLY, // a finally or fault handler of the frame runs
    UNWIND_CATCH,   // a catch handler of the frame runs
};

// Tells frames of a method apart in which it calls a probe right before it calls itself, and first of all.
struct frame_mark {
    uintptr_t stack;      // frame address of the probe, which is the same for all probes that one frame calls
    uintptr_t returns_to; // where the code that calls the probe returns to; 0: not known
};

// A frame that an exception is passing through, or that handles one.
struct pending_unwind {
    uint64_t function; // the runtime's FunctionID
    uintptr_t
        thrown_at;     // UNWIND_CATCH: stack address of the first throw in the handler that the handler has not caught
    uint32_t node;     // of its activation; 0: the method is not recorded, or runs beyond the cap of nodes
    uint32_t overflow; // position + 1 of its activation on the overflow stack; 0: it is not there
    enum unwind_state state;
    bool again; // the runtime announced the frame a second time while its finally ran
};

// A call of a method to itself in last position, between depart() and arrive().
struct departure {
    uint32_t method; // 0: none
    struct frame_mark from;
};

// An activation on the overflow stack.
struct overflow_activation {
    uint32_t node;      // its method's flat node
    uint32_t continues; // as ring_node.continues
};

// The state to return to when a filter ends.
struct running_filter {
    uint32_t before; // the node that was current; 0: the filter got no node of its own
    uint32_t pending_count;
    uint32_t flight_count;
};

// A discard context: woven code of activations that are not in the stream writes its events here. Its limit is 0 and it
// has no chunk. Woven code may write RING_SITE_ROOM bytes between two native probes. The activations of a thread share
// the context, so each native probe rewinds it: the events of a callee must not use up the room of its caller.
struct discard {
    struct ring_thread context;
    uint8_t scratch[RING_SITE_ROOM];
};

// Nodes by method without a path, all below one node.
struct flat_nodes {
    uint32_t root; // 0: none yet
    uint32_t *
        nodes; // by number of a method, 0: none yet; THREAD_METHODS_MAX entries, made on first need. They stay with the slot
};

// The private part of a thread. It belongs to the slot, and the next thread of the slot uses it again.
struct thread_private {
    struct ring_thread *shared;
    uint32_t os_id; // 0: the thread has given up the slot
    uint32_t
        children[THREAD_CHILD_CACHE]; // node by hash of (parent, method); may be another pair's, so checked before use

    // Exceptions (unwind/exceptions.c).
    struct pending_unwind pending[THREAD_PENDING_MAX]; // innermost last
    uint32_t pending_count;
    struct departure departure;
    bool made_call; // the frame unwound last made a `tail.` call for the one that is unwound next
    struct running_filter filters[THREAD_FILTERS_MAX];
    uint32_t filter_count;                        // may exceed THREAD_FILTERS_MAX
    struct in_flight flights[THREAD_FLIGHTS_MAX]; // the newest last (unwind/throws.c)
    uint32_t flight_count;

    // Async (probe_links.h).
    uint32_t run;              // the node of the innermost run of an async body; 0: none. May be one that has ended
    uint32_t completed;        // the node of the run that was completed at once, and ends next; 0: none
    uint64_t completed_at;     // at which clock
    uint32_t free_activations; // slots of this thread's own
    uint32_t free_activation_count;
    struct {
        uint32_t slot, generation;
    } failing;                        // the activation that awaits one which has just failed (probe_awaits.c); 0: none
    bool cancelled;                   // the newest exception that was thrown is an OperationCanceledException
    uint32_t chain[THREAD_CHAIN_MAX]; // scratch: synchronous activations between a run and the one around it

    struct flat_nodes counted; // calls that are only counted

    // Activations beyond the cap of nodes (probe_overflow.h). The table is made on first need.
    uint32_t overflow_depth;      // how many are on the stack `overflow`
    uint32_t overflow_unrecorded; // how many more run that are not on it, since it is full or there was no memory
    struct overflow_activation *overflow; // innermost last; THREAD_OVERFLOW_MAX entries
    struct flat_nodes flat;               // below the thread's `(over the cap)`
    uint32_t overflow_sentinel;           // the current node while they run; it has no children

    // Values.
    uintptr_t stack_page; // of the stack, which a probe has found to be readable: its address / 4096

    // Streams.
    uint64_t chunk;           // number + 1 of the chunk that the thread writes to; 0: none yet
    uint64_t lost_unreported; // lost events that no LOST event has reported yet
    uint64_t wait_again_at;   // after a wait in vain: the thread waits again once it has lost so many events
    uint32_t waits_in_vain;   // since the thread got its chunk
    struct discard *discard;  // NULL: not made yet; stays with the slot
    bool discards;            // activations run that began without a first chunk, and write to the discard context

    // `lines`.
    struct weave_lines line_state;
    struct weave_line *
        *lines; // counters by method, NULL: none yet; THREAD_METHODS_MAX entries, made on first need. They
                // stay with the slot, whose next thread continues to count
};

#pragma GCC visibility push(hidden) // so that probes reach them without the global offset table

// Of the calling thread; NULL before its first event. Initial-exec: 24 bytes of static TLS, no call.
extern __thread struct ring_thread *thread_self __attribute__((tls_model("initial-exec")));
extern __thread struct thread_private *thread_self_private __attribute__((tls_model("initial-exec")));
// NULL before the first activation that needs one.
extern __thread struct discard *thread_self_discard __attribute__((tls_model("initial-exec")));

// The segment, its nodes, chunks and slots. Set once by thread_use_segment(), before the first probe can run.
extern struct ring_header *probe_ring;
extern struct ring_node *probe_nodes;
extern struct ring_run *probe_runs;
extern uint32_t *probe_node_histograms; // by node
extern struct ring_histogram *probe_histograms;
extern struct ring_exception *probe_exceptions;
extern struct ring_throw *probe_throws;
extern uint32_t *probe_node_throws; // by node
extern uint32_t probe_nodes_max;
extern uintptr_t probe_chunks, probe_slots;
void thread_use_segment(struct ring_header *ring);

// The node of any number; the first one, which means none, where there is no such node. All numbers of nodes are in the
// segment, where a broken program may overwrite them. A branch, since a mask or a conditional move would lengthen the way
// from one node to the next by a cycle each.
PROBE_HOT struct ring_node *node_at(uint32_t number)
{
    if (__builtin_expect(number >= probe_nodes_max, 0)) {
        __asm__ volatile(""); // keeps the compiler from a conditional move
        return probe_nodes;
    }
    return &probe_nodes[number];
}

// The figures of runs of any node. They are used of nodes with RING_METHOD_RUNS alone.
PROBE_HOT struct ring_run *run_at(uint32_t node)
{
    return &probe_runs[node < probe_nodes_max ? node : 0];
}

// In their place, of a node with METHOD_AWAITING.
PROBE_HOT struct ring_await *await_at(uint32_t node)
{
    return (struct ring_await *)(void *)run_at(node);
}

// Gives the calling thread a slot and sets thread_self. NULL: there is none, and the thread will not be recorded. May
// be called in cooperative mode: takes no lock, and makes a few system calls.
struct ring_thread *thread_enlist(uint64_t clock);

// Gives up the slot of the calling thread, which will run no more managed code, if it has one and os_id is its own. If
// it does run managed code again, it counts as a new thread.
void thread_end(uint32_t os_id);

// The calling thread's discard context, rewound. Never NULL, even for a thread without a slot.
struct ring_thread *thread_discard(void);
// Decided by the address, since a broken program may overwrite the content of a slot.
static inline bool thread_is_discard(const struct ring_thread *context)
{
    return (uintptr_t)context - probe_slots >= RING_THREADS_MAX * sizeof *context;
}
// Frees all room of the context.
static inline void thread_rewind(struct discard *discard)
{
    atomic_store_explicit(&discard->context.at, (uintptr_t)discard->scratch, memory_order_relaxed);
}
// Rewinds the calling thread's discard context, if it has one. Called by each probe after which woven code relies on
// RING_SITE_ROOM free bytes.
static inline void thread_rewind_own(void)
{
    if (__builtin_expect(thread_self_discard != NULL, 0)) {
        thread_rewind(thread_self_discard);
    }
}

// The node for `method` under `parent`, which is made if necessary. Below a node with METHOD_AWAITING see struct ring_await. 0:
// the cap is reached.
uint32_t node_child(struct ring_thread *thread, uint32_t parent, uint32_t method);
// The thread's `(over the cap)`, a child of its root, and the node of a method under it. They may use a reserve of
// nodes that node_child() leaves. 0: the reserve is used up, too.
uint32_t node_overflow_root(struct ring_thread *thread);
uint32_t node_overflow_method(struct ring_thread *thread, uint32_t method);
// The node that counts the calls of a method without activations, likewise.
uint32_t node_counted_method(struct ring_thread *thread, uint32_t method);

#pragma GCC visibility pop

#endif
