#include "agent/probe/probe_links.h"

#include "agent/probe/bounded.h"
#include "agent/session/pages.h"

enum {
    SLOTS = RING_PATHS_MAX * 2,           // of the hash table of paths
    PROBES_MAX = 64,                      // slots that one look-up tries
    KICKOFF_ABOVE = 4,                    // frames between a body and its kick-off: a custom builder's own methods
    LIST_MAX = 2 * RING_ACTIVATION_BLOCK, // free slots that a thread keeps
    WALK_MAX = 1 << 16,
    EXCHANGES_MAX = 1 << 20, // compare-exchanges that may fail, in case a broken program writes to their word
};

static _Atomic uint32_t *path_slots; // number of a path by hash; 0: free
static uint32_t *kickoffs;           // by body: 1 + number of the kick-off; 0: not linked

bool links_setup(void)
{
    path_slots = pages_new(SLOTS * sizeof *path_slots);
    kickoffs = pages_new(THREAD_METHODS_MAX * sizeof *kickoffs);
    return path_slots && kickoffs;
}

bool links_define(uint32_t body, uint32_t kickoff)
{
    if (!path_slots || !kickoffs || body >= THREAD_METHODS_MAX || kickoff >= THREAD_METHODS_MAX) {
        return false;
    }
    kickoffs[body] = 1 + kickoff;
    return true;
}

static uint32_t kickoff_number(uint32_t body)
{
    return body < THREAD_METHODS_MAX && kickoffs && kickoffs[body] ? kickoffs[body] - 1 : 0;
}

static void count_unlinked(void)
{
    atomic_fetch_add_explicit(&probe_ring->unlinked, 1, memory_order_relaxed);
}

// -- Paths ------------------------------------------------------------------------------------------------------------

static struct ring_path *path_at(uint32_t path)
{
    return &ring_paths(probe_ring)[path < RING_PATHS_MAX ? path : 0];
}

static uint32_t path_method(uint32_t path)
{
    // Pairs with the release store in new_path().
    return atomic_load_explicit(&path_at(path)->method, memory_order_acquire);
}

// 0: there is no room.
static uint32_t new_path(uint32_t parent, uint32_t method)
{
    uint32_t path;
    if (!bounded_take(&probe_ring->paths_used, 1, RING_PATHS_MAX, &path)) {
        return PATH_NONE;
    }
    path_at(path)->parent = parent;
    // Pairs with the acquire loads here and in the collector: who finds a method finds the parent, and all paths above.
    atomic_store_explicit(&path_at(path)->method, method, memory_order_release);
    return path;
}

// The path of `method` below `parent`. If two threads add the same one, that of the loser stays unused: nothing refers to it.
static uint32_t path_intern(uint32_t parent, uint32_t method)
{
    uint32_t hash = (parent * 0x9E3779B1u ^ method * 0x85EBCA77u) * 0xC2B2AE3Du, fresh = PATH_NONE;
    for (uint32_t i = 0; parent && i < PROBES_MAX; i++) {
        _Atomic uint32_t *slot = &path_slots[((hash >> 8) + i) % SLOTS];
        uint32_t path = atomic_load_explicit(slot, memory_order_acquire);
        if (path == PATH_NONE) {
            fresh = fresh ? fresh : new_path(parent, method);
            if (!fresh || atomic_compare_exchange_strong_explicit(slot, &path, fresh, memory_order_acq_rel,
                                                                  memory_order_acquire)) {
                return fresh;
            }
        }
        if (path_method(path) == method && path_at(path)->parent == parent) {
            return path;
        }
    }
    return PATH_NONE;
}

uint32_t links_method(uint32_t node_method)
{
    uint32_t number = node_method & RING_METHOD_NUMBER;
    if (number & METHOD_RESUMED) {
        return path_method(path_at(number & ~(uint32_t)METHOD_RESUMED)->parent);
    }
    return number & ~(uint32_t)METHOD_CONTINUED;
}

// -- Slots of activations ---------------------------------------------------------------------------------------------

static struct ring_activation *activation_at(uint32_t slot)
{
    return &ring_activations(probe_ring)[slot < RING_ACTIVATIONS_MAX ? slot : 0];
}

static uint32_t generation_of(uint64_t state)
{
    return (uint32_t)(state >> 32);
}

static uint64_t state_of(const struct ring_activation *activation)
{
    return atomic_load_explicit(&activation->state, memory_order_acquire);
}

uint64_t links_serial(uint32_t slot)
{
    return slot ? RING_SERIAL(slot, generation_of(state_of(activation_at(slot)))) : 0;
}

uint64_t links_serial_of_wait(uint32_t slot)
{
    return slot ? RING_SERIAL_OF_WAIT(links_serial(slot), activation_at(slot)->waits) : 0;
}

// Not for the thread sanitizer: a thread that is about to lose the exchange may read a link that the winner changes.
__attribute__((noinline, no_sanitize("thread"))) static uint32_t next_list(uint32_t slot)
{
    return activation_at(slot)->next_list;
}

// Takes a list of slots that another thread has returned; 0: there is none.
static uint32_t returned_list(void)
{
    uint64_t top = atomic_load_explicit(&probe_ring->free_activations, memory_order_acquire);
    for (uint32_t left = EXCHANGES_MAX; left > 0 && (uint32_t)top && (uint32_t)top < RING_ACTIVATIONS_MAX; left--) {
        // The tag in the upper half changes with every exchange: a list that came back meanwhile does not match.
        uint64_t rest = ((top >> 32) + 1) << 32 | next_list((uint32_t)top);
        if (atomic_compare_exchange_weak_explicit(&probe_ring->free_activations, &top, rest, memory_order_acq_rel,
                                                  memory_order_acquire)) {
            return (uint32_t)top;
        }
    }
    return 0;
}

static void return_list(uint32_t slot)
{
    uint64_t top = atomic_load_explicit(&probe_ring->free_activations, memory_order_relaxed);
    for (uint32_t left = EXCHANGES_MAX; left > 0; left--) {
        activation_at(slot)->next_list = (uint32_t)top;
        uint64_t fresh = ((top >> 32) + 1) << 32 | slot;
        // Pairs with the acquire load of a thread that takes the list: it finds it linked.
        if (atomic_compare_exchange_weak_explicit(&probe_ring->free_activations, &top, fresh, memory_order_acq_rel,
                                                  memory_order_relaxed)) {
            return;
        }
    }
}

static uint32_t fresh_list(void)
{
    uint32_t first;
    if (!bounded_take(&probe_ring->activations_used, RING_ACTIVATION_BLOCK, RING_ACTIVATIONS_MAX, &first)) {
        return 0;
    }
    for (uint32_t i = 0; i + 1 < RING_ACTIVATION_BLOCK; i++) {
        activation_at(first + i)->next = first + i + 1;
    }
    return first;
}

static uint32_t list_length(uint32_t slot)
{
    uint32_t length = 0;
    for (; slot && length < LIST_MAX; length++) {
        slot = activation_at(slot)->next;
    }
    return length;
}

static uint32_t take_slot(void)
{
    struct thread_private *own = thread_self_private;
    if (!own->free_activations) {
        uint32_t list = returned_list();
        own->free_activations = list ? list : fresh_list();
        own->free_activation_count = list_length(own->free_activations);
    }
    uint32_t slot = own->free_activations;
    if (slot) {
        own->free_activations = activation_at(slot)->next;
        own->free_activation_count--;
    }
    return slot < RING_ACTIVATIONS_MAX ? slot : 0;
}

// Splits the thread's list, and returns the part behind its first block.
static void shorten_list(struct thread_private *own)
{
    uint32_t last = own->free_activations;
    for (uint32_t i = 1; i < RING_ACTIVATION_BLOCK && last; i++) {
        last = activation_at(last)->next;
    }
    if (last && activation_at(last)->next) {
        return_list(activation_at(last)->next);
        activation_at(last)->next = 0;
    }
    own->free_activation_count = RING_ACTIVATION_BLOCK;
}

static void give_slot(uint32_t slot)
{
    struct thread_private *own = thread_self_private;
    activation_at(slot)->next = own->free_activations;
    own->free_activations = slot;
    if (++own->free_activation_count >= LIST_MAX) {
        shorten_list(own);
    }
}

void links_thread_ends(uint32_t os_id)
{
    struct thread_private *own = thread_self_private;
    if (own && own->os_id == os_id && own->free_activations) {
        return_list(own->free_activations);
        own->free_activations = 0;
    }
}

// -- Callers ----------------------------------------------------------------------------------------------------------

static bool has_run(uint32_t node)
{
    return node_at(node)->method & RING_METHOD_RUNS;
}

uint64_t links_serial_of_run(uint32_t node)
{
    uint32_t slot = has_run(node) ? run_at(node)->activation : 0;
    return slot < RING_ACTIVATIONS_MAX ? links_serial(slot) : 0;
}

// The kick-off of a first run, among the nodes right above it; 0: something else has started it.
static uint32_t kickoff_of(uint32_t node)
{
    uint32_t kickoff = kickoff_number(node_at(node)->method & RING_METHOD_NUMBER);
    for (uint32_t i = 0; kickoff && i < KICKOFF_ABOVE; i++) {
        node = node_at(node)->parent;
        if (!node || has_run(node)) {
            return 0;
        }
        if ((node_at(node)->method & RING_METHOD_NUMBER) == kickoff) {
            return node;
        }
    }
    return 0;
}

// What the caller has called: the kick-off of a first run, or the run itself. 0: not known.
static uint32_t call_of(uint32_t node)
{
    return kickoff_number(links_method(node_at(node)->method)) ? kickoff_of(node) : node;
}

uint64_t links_started(uint32_t node)
{
    uint32_t kickoff = kickoff_of(node);
    return node_at(kickoff ? kickoff : node)->started;
}

// The path of a run whose caller's path is `path` and whose caller's node is `outer` (0: none), by the synchronous activations
// in between. A task that is completed runs what waits for it, so what lies in such a completion has another caller.
static uint32_t path_of_run(uint32_t node, uint32_t outer, uint32_t path)
{
    uint32_t *chain = thread_self_private->chain, count = 0, at = call_of(node);
    uint32_t method = links_method(node_at(node)->method);
    bool known = at != 0;
    for (at = node_at(at)->parent; known && at && at != outer && node_at(at)->parent; at = node_at(at)->parent) {
        uint32_t number = node_at(at)->method & RING_METHOD_NUMBER;
        known = number != METHOD_AFTER_END && !has_run(at) && count < THREAD_CHAIN_MAX;
        if (known && number >= METHOD_FIRST_REAL) {
            chain[count++] = number;
        }
    }
    path = known ? path : PATH_UNKNOWN;
    while (known && count > 0) {
        path = path_intern(path, chain[--count]);
    }
    if (!known) {
        count_unlinked();
    }
    return path_intern(path, method);
}

// -- Activations ------------------------------------------------------------------------------------------------------

static bool runs_now(uint32_t node)
{
    return node && node_at(node)->started != 0;
}

// The run around `node` on its thread's stack; 0: none, or its activation is complete and calls nothing any more.
static uint32_t outer_run(uint32_t node)
{
    uint32_t outer = run_at(node)->outer;
    for (uint32_t left = WALK_MAX; left > 0 && outer && !runs_now(outer); left--) {
        outer = run_at(outer)->outer;
    }
    return runs_now(outer) && run_at(outer)->activation != RING_ACTIVATION_COMPLETE ? outer : 0;
}

// Makes the record of a run that has none, without path and caller.
static uint32_t new_activation(uint32_t node)
{
    uint32_t slot = take_slot();
    if (!slot) {
        return 0;
    }
    struct ring_activation *activation = activation_at(slot);
    bool first = !(node_at(node)->method & METHOD_RESUMED);
    activation->started = first ? links_started(node) : 0;
    activation->caller = 0;
    activation->waits = 0;
    activation->path = first ? PATH_ROOT : PATH_UNKNOWN;
    activation->next = 0;
    run_at(node)->activation = slot;
    return slot;
}

// Gives the activation that runs in `node` its caller, which runs in `outer`, and its path. False: there is no room.
static bool link_to_caller(uint32_t node, uint32_t outer)
{
    struct ring_activation *activation = activation_at(run_at(node)->activation);
    if (node_at(node)->method & METHOD_RESUMED) { // one whose link was lost before
        activation->path = path_intern(PATH_UNKNOWN, links_method(node_at(node)->method));
        return activation->path;
    }
    struct ring_activation *caller = outer ? activation_at(run_at(outer)->activation) : NULL;
    activation->path = path_of_run(node, outer, caller ? caller->path : PATH_ROOT);
    bool called = caller && activation->path && call_of(node);
    if (called) {
        activation->caller = run_at(outer)->activation;
        activation->caller_generation = generation_of(state_of(caller));
        atomic_fetch_add_explicit(&caller->state, 1, memory_order_relaxed);
    }
    return activation->path;
}

// The activation has a record, and each run around it up to the first that had one: upwards the records, then downwards
// their paths.
static uint32_t activation_of(uint32_t node)
{
    uint32_t top = node, left = WALK_MAX;
    if (run_at(node)->activation) {
        return run_at(node)->activation;
    }
    if (!path_slots || !kickoffs || !new_activation(node)) {
        return 0;
    }
    for (uint32_t outer = outer_run(top); left > 0 && outer && !run_at(outer)->activation; outer = outer_run(top)) {
        if (!new_activation(outer)) {
            break;
        }
        activation_at(run_at(outer)->activation)->next = top; // the node below, until its path is known
        top = outer;
        left--;
    }
    uint32_t outer = outer_run(top);
    outer = outer && run_at(outer)->activation ? outer : 0;
    for (bool linked = true; linked;) {
        struct ring_activation *activation = activation_at(run_at(top)->activation);
        uint32_t below = activation->next;
        activation->next = 0;
        linked = link_to_caller(top, outer) && top != node;
        outer = top;
        top = top == node ? top : below;
    }
    return activation_at(run_at(node)->activation)->path ? run_at(node)->activation : 0;
}

// Tells the caller that the activation is complete, and frees its record.
static void release(uint32_t slot, uint64_t now)
{
    struct ring_activation *activation = activation_at(slot);
    struct ring_activation *caller = activation_at(activation->caller);
    uint64_t state = activation->caller ? state_of(caller) : 0;
    bool called = activation->caller && generation_of(state) == activation->caller_generation;
    uint64_t idle = called ? atomic_load_explicit(&caller->idle_from, memory_order_relaxed) : UINT64_MAX;
    while (idle < now && !atomic_compare_exchange_weak_explicit(&caller->idle_from, &idle, now, memory_order_release,
                                                                memory_order_relaxed)) {
    }
    // Pairs with the caller's own exchange in links_resume(): without pending ones it finds when the last was complete.
    while (called && (state & RING_ACTIVATION_PENDING) && generation_of(state) == activation->caller_generation &&
           !atomic_compare_exchange_weak_explicit(&caller->state, &state, state - 1, memory_order_acq_rel,
                                                  memory_order_acquire)) {
    }
    uint64_t generation = generation_of(state_of(activation)) + UINT64_C(1);
    atomic_store_explicit(&activation->state, generation << 32, memory_order_release);
    give_slot(slot);
}

uint32_t links_wait(uint32_t node, uint32_t state, uint64_t now, uint32_t slots)
{
    uint32_t slot = activation_of(node);
    struct ring_activation *activation = activation_at(slot);
    uint32_t place = slot && slot < slots ? path_intern(activation->path, PATH_AWAIT | state) : PATH_NONE;
    if (!place) {
        count_unlinked();
        if (run_at(node)->activation && run_at(node)->activation != RING_ACTIVATION_COMPLETE) {
            release(run_at(node)->activation, now);
            run_at(node)->activation = 0;
        }
        return 0;
    }
    activation->place = place;
    activation->waits++;
    atomic_store_explicit(&activation->waits_from, now, memory_order_relaxed);
    atomic_store_explicit(&activation->idle_from, now, memory_order_relaxed);
    // Pairs with the acquire loads of others: an activation that waits has its place and its clocks.
    atomic_fetch_or_explicit(&activation->state, RING_ACTIVATION_WAITS, memory_order_release);
    return slot;
}

// When the newest of the activation and its waiting callers began to wait: as long as one of them ran, that was no wait. Goes
// on to a caller only if that has not begun to wait before, so each wait is looked at once for each activation below it; of
// those that began at the same tick the last is not known.
static uint64_t quiet_from(const struct ring_activation *activation)
{
    uint64_t from = atomic_load_explicit(&activation->waits_from, memory_order_relaxed), newest = from;
    for (uint32_t left = WALK_MAX; left > 0 && activation->caller; left--) {
        const struct ring_activation *caller = activation_at(activation->caller);
        uint32_t generation = activation->caller_generation;
        uint64_t state = state_of(caller);
        uint64_t waits = atomic_load_explicit(&caller->waits_from, memory_order_acquire);
        if (!(state & RING_ACTIVATION_WAITS) || generation_of(state) != generation ||
            generation_of(state_of(caller)) != generation || waits < from) {
            break;
        }
        newest = waits;
        from = waits;
        activation = caller;
    }
    return newest;
}

static uint64_t ticks_between(uint64_t from, uint64_t to)
{
    return (int64_t)(to - from) > 0 ? to - from : 0;
}

uint32_t links_resume(uint32_t body, uint32_t *slot, uint64_t now, uint64_t *waited, uint64_t *own_waited)
{
    uint32_t marks = body & ~(uint32_t)RING_METHOD_NUMBER, number = body & RING_METHOD_NUMBER;
    struct ring_activation *activation = activation_at(*slot);
    uint64_t state =
        *slot ? atomic_fetch_and_explicit(&activation->state, ~RING_ACTIVATION_WAITS, memory_order_acq_rel) : 0;
    *waited = *own_waited = 0;
    if (!(state & RING_ACTIVATION_WAITS) || !path_slots) {
        *slot = 0;
        count_unlinked();
        uint32_t lost = path_slots ? path_intern(path_intern(PATH_UNKNOWN, number), PATH_AWAIT) : PATH_NONE;
        return lost ? marks | METHOD_RESUMED | lost : body;
    }
    *waited = ticks_between(atomic_load_explicit(&activation->waits_from, memory_order_relaxed), now);
    if (!(state & RING_ACTIVATION_PENDING)) {
        uint64_t idle = atomic_load_explicit(&activation->idle_from, memory_order_relaxed);
        uint64_t quiet = quiet_from(activation);
        *own_waited = ticks_between(idle > quiet ? idle : quiet, now);
    }
    return marks | METHOD_RESUMED | activation->place;
}

uint64_t links_complete(uint32_t slot, uint64_t now)
{
    uint64_t started = activation_at(slot)->started;
    release(slot, now);
    return started;
}
