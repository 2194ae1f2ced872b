// Slots and nodes: the slow paths of the probes. Runs in the middle of managed code, like the probes, so memory comes
// from mmap() and counters are lock-free. A broken program may overwrite the segment: every number that is read back
// from it is checked before it is used as an index, and every walk has a limit.
#include "agent/probe/probe_thread.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/probe/bounded.h"
#include "agent/session/pages.h"
#include "base/clock.h"
#include "ring/publish.h"

__thread struct ring_thread *thread_self __attribute__((tls_model("initial-exec")));
__thread struct thread_private *thread_self_private __attribute__((tls_model("initial-exec")));
__thread struct discard *thread_self_discard __attribute__((tls_model("initial-exec")));
struct ring_header *probe_ring;
struct ring_node *probe_nodes;
struct ring_run *probe_runs;
uint32_t *probe_node_histograms;
struct ring_histogram *probe_histograms;
struct ring_exception *probe_exceptions;
struct ring_throw *probe_throws;
uint32_t *probe_node_throws;
uint32_t probe_nodes_max;
uintptr_t probe_chunks, probe_slots;

static struct thread_private *privates[RING_THREADS_MAX];
static __thread bool was_refused
    __attribute__((tls_model("initial-exec"))); // there was no slot for this thread, so it does not ask again

enum { EXCHANGES_MAX = 1 << 20 }; // compare-exchanges that may fail, in case a broken program writes to their word

void thread_use_segment(struct ring_header *ring)
{
    probe_ring = ring;
    probe_nodes = ring_nodes(ring);
    probe_runs = ring_node_runs(ring);
    probe_node_histograms = ring_node_histograms(ring);
    probe_histograms = ring_histograms(ring);
    probe_exceptions = ring_exceptions(ring);
    probe_throws = ring_throws(ring);
    probe_node_throws = ring_node_throws(ring);
    probe_nodes_max = ring->nodes_max;
    probe_chunks = (uintptr_t)ring_chunk_at(ring, 0);
    probe_slots = (uintptr_t)ring_threads(ring);
}

// -- Node blocks ------------------------------------------------------------------------------------------------------

// Not for the thread sanitizer: a thread that is about to lose the exchange may read a link that the winner already
// changes. The value is not used then, since the tag no longer matches.
__attribute__((noinline, no_sanitize("thread"))) static uint32_t link_of(uint32_t block)
{
    return node_at(block)->next_sibling;
}

// Whether it is the first node of a block. 0 means none; any other number was written by a broken program.
static bool is_block(uint32_t number)
{
    return number != 0 && number % RING_NODE_BLOCK == 0 && number < probe_ring->nodes_max;
}

// Pops a block from the stack of returned ones; 0: there is none.
static uint32_t returned_block(void)
{
    uint64_t top = atomic_load_explicit(&probe_ring->free_node_blocks, memory_order_acquire);
    for (uint32_t left = EXCHANGES_MAX; left > 0 && is_block((uint32_t)top); left--) {
        // The tag in the upper half changes with every exchange: a block that came back meanwhile does not match.
        uint64_t fresh = ((top >> 32) + 1) << 32 | link_of((uint32_t)top);
        if (atomic_compare_exchange_weak_explicit(&probe_ring->free_node_blocks, &top, fresh, memory_order_acq_rel,
                                                  memory_order_acquire)) {
            node_at((uint32_t)top)->next_sibling = 0;
            return (uint32_t)top;
        }
    }
    return 0;
}

// The use of a new node. Each use has its own limit on the nodes taken: paths leave a reserve for `(over the cap)`, and
// that use leaves a part of the reserve for the roots of new threads.
enum node_use { FOR_PATHS, FOR_OVER_CAP, FOR_ROOTS };

static uint32_t limit_of(enum node_use use)
{
    uint32_t reserve = probe_ring->nodes_max / 16;
    CLEW_ASSERT(probe_nodes && "the segment is mapped before any thread starts");
    return probe_ring->nodes_max - (use == FOR_PATHS ? reserve : use == FOR_OVER_CAP ? reserve / 4 : 0);
}

static uint32_t fresh_block(uint32_t limit)
{
    uint32_t first;
    return bounded_take(&probe_ring->nodes_used, RING_NODE_BLOCK, limit, &first) ? first : 0;
}

// The next node of the thread's block, or of a new one; 0: the limit is reached.
static uint32_t take_node(struct ring_thread *thread, uint32_t limit)
{
    CLEW_ASSERT(thread->free_nodes_left <= RING_NODE_BLOCK);
    CLEW_ASSERT((thread->free_node + thread->free_nodes_left) % RING_NODE_BLOCK == 0 && "a thread uses blocks up");
    if (thread->free_nodes_left == 0) {
        uint32_t block = returned_block();
        block = block ? block : fresh_block(limit);
        if (!block) {
            return 0;
        }
        CLEW_ASSERT(is_block(block) && "nodes are handed out by the block");
        thread->free_node = block;
        thread->free_nodes_left = RING_NODE_BLOCK;
    }
    if (thread->free_node >= limit) {
        return 0; // the block is in the reserve, which another use has begun
    }
    thread->free_nodes_left--;
    return thread->free_node++;
}

// Where the list of what is called in a node begins: of a node with METHOD_AWAITING, behind itself in its parent's.
static uint32_t *first_below(uint32_t parent)
{
    struct ring_node *node = node_at(parent);
    return node->method == METHOD_AWAITING ? &node->next_sibling : &node->first_child;
}

static uint32_t make_node(struct ring_thread *thread, uint32_t parent, uint32_t method, enum node_use use)
{
    uint32_t number = take_node(thread, limit_of(use));
    if (!number) {
        return 0;
    }
    CLEW_ASSERT(number < probe_ring->nodes_max && parent < probe_ring->nodes_max && number != parent);
    *node_at(number) = (struct ring_node){
        .parent = parent, .next_sibling = *first_below(parent), .method = method, .shortest = UINT64_MAX};
    if (method == METHOD_AWAITING) {
        *await_at(number) = (struct ring_await){0};
    }
    if (parent) {
        // Pairs with the collector's load of the link: the node is whole before a reader can reach it.
        RING_PUBLISH(*first_below(parent), number);
    }
    return number;
}

// The child of `parent` for `method`; 0: none. If a broken program overwrote the links with a circle or an invalid
// number, the list of children is dropped and starts anew.
static uint32_t find_child(uint32_t parent, uint32_t method)
{
    uint32_t child = *first_below(parent), left = probe_ring->nodes_max;
    while (child && child < probe_ring->nodes_max && left > 0 &&
           (node_at(child)->method != method || node_at(child)->parent != parent)) {
        child = node_at(child)->next_sibling;
        left--;
    }
    if (__builtin_expect(child >= probe_ring->nodes_max || left == 0, 0)) {
        *first_below(parent) = 0;
        return 0;
    }
    return child;
}

uint32_t node_child(struct ring_thread *thread, uint32_t parent, uint32_t method)
{
    uint32_t child = find_child(parent, method);
    return child ? child : make_node(thread, parent, method, FOR_PATHS);
}

static uint32_t flat_root(struct ring_thread *thread, struct flat_nodes *flat, uint32_t method)
{
    flat->root = flat->root ? flat->root : make_node(thread, thread->root, method, FOR_OVER_CAP);
    return flat->root;
}

static uint32_t flat_node(struct ring_thread *thread, struct flat_nodes *flat, uint32_t method)
{
    uint32_t number = method & RING_METHOD_NUMBER;
    flat->nodes = flat->nodes ? flat->nodes : pages_new(THREAD_METHODS_MAX * sizeof *flat->nodes);
    if (!flat->nodes || number >= THREAD_METHODS_MAX) {
        return 0;
    }
    if (!flat->nodes[number]) {
        flat->nodes[number] = make_node(thread, flat->root, method, FOR_OVER_CAP);
    }
    return flat->nodes[number];
}

uint32_t node_overflow_root(struct ring_thread *thread)
{
    struct thread_private *own = thread_self_private;
    if (!own->overflow_sentinel) {
        own->overflow_sentinel = make_node(thread, 0, METHOD_OVER_CAP, FOR_OVER_CAP);
    }
    return own->overflow_sentinel ? flat_root(thread, &own->flat, METHOD_OVER_CAP) : 0;
}

uint32_t node_overflow_method(struct ring_thread *thread, uint32_t method)
{
    CLEW_ASSERT(thread_self_private->flat.root && "methods over the cap are its children");
    return flat_node(thread, &thread_self_private->flat, method);
}

uint32_t node_counted_method(struct ring_thread *thread, uint32_t method)
{
    struct flat_nodes *counted = &thread_self_private->counted;
    return flat_root(thread, counted, METHOD_COUNTED) ? flat_node(thread, counted, method) : 0;
}

// -- Slots ------------------------------------------------------------------------------------------------------------

// Whether a thread that has not given up the slot still exists. Then a broken program wrote that the slot is free. Another
// thread may have got the number of one that died in silence: that costs a slot.
static bool is_held(uint32_t slot)
{
    const struct thread_private *own = privates[slot];
    return own && own->os_id && syscall(SYS_tgkill, syscall(SYS_getpid), own->os_id, 0) == 0;
}

static bool claim(uint32_t slot)
{
    uint32_t expected = RING_THREAD_FREE;
    return atomic_compare_exchange_strong_explicit(&ring_threads(probe_ring)[slot].state, &expected, RING_THREAD_LIVE,
                                                   memory_order_acq_rel, memory_order_relaxed) &&
           !is_held(slot);
}

// Claims a slot: one of up to 64 used ones, if a thread has left it; else one that was never used; else any. The first
// search starts at a different slot for each thread, so that threads which start together do not compete for the same
// slots.
static uint32_t claim_any(void)
{
    uint32_t used = atomic_load_explicit(&probe_ring->threads_used, memory_order_relaxed);
    used = used < RING_THREADS_MAX ? used : RING_THREADS_MAX; // a broken program may have written any number
    uint32_t start = atomic_load_explicit(&probe_ring->threads_started, memory_order_relaxed);
    uint32_t tries = used < 64 ? used : 64;
    for (uint32_t i = 0; i < tries; i++) {
        uint32_t slot = (start * 61 + i) % used;
        if (claim(slot)) {
            return slot;
        }
    }
    uint32_t fresh;
    while (bounded_take(&probe_ring->threads_used, 1, RING_THREADS_MAX, &fresh)) {
        if (claim(fresh)) {
            return fresh;
        }
    }
    for (uint32_t slot = 0; slot < RING_THREADS_MAX; slot++) {
        if (claim(slot)) {
            return slot;
        }
    }
    return RING_THREADS_MAX;
}

static void clear_flat(uint32_t *nodes)
{
    if (nodes) {
        (void)madvise(nodes, THREAD_METHODS_MAX * sizeof *nodes, MADV_DONTNEED); // reads as zeroes again
    }
}

// The private part of a slot, cleared, with the large tables of the slot's last thread cleared or kept. NULL: no
// memory.
static struct thread_private *private_of(uint32_t slot)
{
    struct thread_private *own = privates[slot];
    if (!own) {
        own = pages_new(sizeof *own);
        privates[slot] = own;
        return own;
    }
    struct overflow_activation *over = own->overflow;
    uint32_t *flat = own->flat.nodes, *counted = own->counted.nodes;
    struct weave_line **lines = own->lines;
    struct discard *discard = own->discard;
    clear_flat(flat);
    clear_flat(counted);
    (void)madvise(own, sizeof *own, MADV_DONTNEED); // an assignment might become a call of memset
    CLEW_ASSERT(!own->shared && !own->pending_count && !own->overflow_depth && "nothing of its last thread is left");
    own->overflow = over;
    own->flat.nodes = flat;
    own->counted.nodes = counted;
    own->lines = lines;
    own->discard = discard;
    return own;
}

// Gives back a claimed slot (RING_THREADS_MAX: none) and counts the thread as not recorded. Returns NULL for its
// caller.
static struct ring_thread *refuse_slot(uint32_t slot)
{
    was_refused = true;
    if (slot < RING_THREADS_MAX) {
        atomic_store_explicit(&ring_threads(probe_ring)[slot].state, RING_THREAD_ENDED, memory_order_release);
    }
    atomic_fetch_add_explicit(&probe_ring->threads_refused, 1, memory_order_relaxed);
    return NULL;
}

struct ring_thread *thread_enlist(uint64_t clock)
{
    if (was_refused) {
        return NULL;
    }
    CLEW_ASSERT(!thread_self && "a thread has one slot");
    uint32_t slot = claim_any();
    struct thread_private *own = slot < RING_THREADS_MAX ? private_of(slot) : NULL;
    if (!own) {
        return refuse_slot(slot);
    }
    struct ring_thread *thread = &ring_threads(probe_ring)[slot];
    own->shared = thread;
    thread->thread = atomic_fetch_add_explicit(&probe_ring->threads_started, 1, memory_order_relaxed) + 1;
    thread->started = clock;
    thread->started_tsc = clock_tsc();
    thread->root = make_node(thread, 0, METHOD_ROOT, FOR_ROOTS);
    if (!thread->root) {
        return refuse_slot(slot);
    }
    node_at(thread->root)->calls = 1;
    node_at(thread->root)->started = clock;
    thread->current = thread->root;
    own->os_id = (uint32_t)syscall(SYS_gettid);
    // Last: the collector ignores a slot until it has an OS thread.
    RING_PUBLISH(thread->os_id, own->os_id);
    thread_self_private = own;
    thread_self = thread;
    return thread;
}

// The discard context stays with the slot, and serves its next thread.
void thread_end(uint32_t os_id)
{
    struct ring_thread *thread = thread_self;
    struct thread_private *own = thread_self_private;
    CLEW_ASSERT(!thread || own->shared == thread);
    if (!thread || own->os_id != os_id) {
        return;
    }
    CLEW_ASSERT(atomic_load_explicit(&thread->state, memory_order_relaxed) == RING_THREAD_LIVE);
    own->os_id = 0;
    thread_self = NULL;
    thread_self_private = NULL;
    thread_self_discard = NULL;
    thread->ended_tsc = clock_tsc();
    // Pairs with the collector's acquire load: everything that the thread wrote is visible before its end.
    atomic_store_explicit(&thread->state, RING_THREAD_ENDED, memory_order_release);
}

// -- Discard contexts -------------------------------------------------------------------------------------------------

// The scratch buffer ends at the end of a page. The page behind it is never touched, so that tests can protect it.
static struct discard *new_discard(void)
{
    enum { PAGE = 4096 };
    static_assert(sizeof(struct discard) <= PAGE, "a discard context fits in a page");
    static_assert(offsetof(struct discard, scratch) + RING_SITE_ROOM == sizeof(struct discard), "the scratch is last");
    char *pages = pages_new((size_t)2 * PAGE);
    return pages ? (struct discard *)(void *)(pages + PAGE - sizeof(struct discard)) : NULL;
}

// When memory has run out, threads share a few contexts, chosen by the address of their stacks. Several threads may
// write to one before the next of them rewinds it, so each has room for many events.
static struct discard *shared_discard(void)
{
    enum { SHARED = 64, WRITERS = 128 };
    static struct {
        struct discard discard;
        uint8_t more[WRITERS * RING_SITE_ROOM];
    } shared[SHARED];
    uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
    return &shared[(stack >> 20 ^ stack >> 26) % SHARED].discard;
}

struct ring_thread *thread_discard(void)
{
    struct thread_private *own = thread_self_private;
    if (!thread_self_discard) {
        struct discard *made = own && own->discard ? own->discard : new_discard();
        thread_self_discard = made ? made : shared_discard();
        if (own) {
            own->discard = made;
        }
    }
    thread_rewind(thread_self_discard);
    CLEW_ASSERT(thread_is_discard(&thread_self_discard->context));
    return &thread_self_discard->context;
}
