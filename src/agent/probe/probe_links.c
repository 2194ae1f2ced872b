#include "agent/probe/probe_links.h"

#include "agent/probe/probe_activation_slots.h"
#include "agent/probe/probe_link_parts.h"
#include "agent/probe/probe_logical_paths.h"
#include "agent/session/pages.h"
#include "ring/publish.h"
#include "weave/operations/run_shape.h"

enum {
    KICKOFF_ABOVE = 4, // frames between a body and its kick-off: a custom builder's own methods
    WALK_MAX = 1 << 16,
    SUSPENDED = 1 << 30, // a method of runtime async, which is its own body: | the marks of its nodes >> MARKS_SHIFT
    MARKS_SHIFT = 28,
};

static uint32_t *kickoffs; // by body: 1 + number of the kick-off, or SUSPENDED; 0: not linked

bool links_setup(void)
{
    kickoffs = pages_new(THREAD_METHODS_MAX * sizeof *kickoffs);
    return paths_setup() && kickoffs;
}

bool links_define(uint32_t body, uint32_t kickoff)
{
    if (!paths_are_there() || !kickoffs || body >= THREAD_METHODS_MAX || kickoff >= THREAD_METHODS_MAX) {
        return false;
    }
    kickoffs[body] = 1 + kickoff;
    return true;
}

bool links_define_suspended(uint32_t marked)
{
    uint32_t method = marked & RING_METHOD_NUMBER;
    bool fits = paths_are_there() && kickoffs && method < THREAD_METHODS_MAX;
    static_assert(RING_METHOD_NUMBER + 1 == 1 << MARKS_SHIFT, "the marks are above the number");
    if (fits) {
        kickoffs[method] = SUSPENDED | marked >> MARKS_SHIFT;
    }
    return fits;
}

bool links_suspends(uint32_t method)
{
    return method < THREAD_METHODS_MAX && kickoffs && kickoffs[method] & SUSPENDED;
}

static uint32_t kickoff_number(uint32_t body)
{
    uint32_t kickoff = body < THREAD_METHODS_MAX && kickoffs ? kickoffs[body] : 0;
    return kickoff && !(kickoff & SUSPENDED) ? kickoff - 1 : 0;
}

static void count_unlinked(void)
{
    atomic_fetch_add_explicit(&probe_ring->unlinked, 1, memory_order_relaxed);
}

uint32_t links_method(uint32_t node_method)
{
    uint32_t number = node_method & RING_METHOD_NUMBER;
    if (number & METHOD_RESUMED) {
        return path_method(path_parent(number & ~(uint32_t)METHOD_RESUMED));
    }
    return number & ~(uint32_t)METHOD_CONTINUED;
}

uint64_t links_serial(uint32_t slot)
{
    return slot ? RING_SERIAL(slot, generation_of(state_of(activation_at(slot)))) : 0;
}

uint64_t links_serial_of_wait(uint32_t slot)
{
    return slot ? RING_SERIAL_OF_WAIT(links_serial(slot), activation_at(slot)->waits) : 0;
}

uint32_t links_take_first(void)
{
    return paths_are_there() && kickoffs && thread_self_private ? take_slot() : 0;
}

// -- Callers ----------------------------------------------------------------------------------------------------------

static bool has_run(uint32_t node)
{
    return node_at(node)->method & RING_METHOD_RUNS;
}

uint64_t links_serial_of_run(uint32_t node)
{
    return has_run(node) && is_linked(node) ? links_serial(run_at(node)->activation) : 0;
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

// The run around `node` on its thread's stack; 0: none, or its activation is complete and calls nothing any more.
static uint32_t outer_run(uint32_t node)
{
    uint32_t outer = run_at(node)->outer;
    for (uint32_t left = WALK_MAX; left > 0 && outer && !runs_now(outer); left--) {
        outer = run_at(outer)->outer;
    }
    return runs_now(outer) && run_at(outer)->activation != RING_ACTIVATION_COMPLETE ? outer : 0;
}

// Makes the record of a run, without path and caller, in the slot that it has or in a new one.
static uint32_t new_activation(uint32_t node)
{
    uint32_t slot = run_at(node)->activation;
    slot = slot ? slot : take_slot();
    if (!slot || slot == RING_ACTIVATION_COMPLETE) {
        return 0;
    }
    struct ring_activation *activation = activation_at(slot);
    bool first = !(node_at(node)->method & METHOD_RESUMED);
    activation->started = first ? links_started(node) : 0;
    activation->caller = 0;
    activation->waits = 0;
    activation->resumed = false;
    activation->path = first ? PATH_ROOT : PATH_UNKNOWN;
    activation->next = 0;
    run_at(node)->activation = slot;
    return slot;
}

// Pairs with the caller's own exchange in links_resume(): without pending ones it finds when the last was complete.
static void uncount_pending(struct ring_activation *caller, uint32_t generation)
{
    uint64_t state = state_of(caller);
    while ((state & RING_ACTIVATION_PENDING) && generation_of(state) == generation &&
           !atomic_compare_exchange_weak_explicit(&caller->state, &state, state - 1, memory_order_acq_rel,
                                                  memory_order_acquire)) {
    }
}

static bool is_uncounted(uint64_t state, uint32_t generation)
{
    return !(state & RING_ACTIVATION_COUNTED) && generation_of(state) == generation;
}

// Counts the activation as pending in its caller, unless either has ended or another thread does it.
static void count_pending(struct ring_activation *activation, uint32_t generation)
{
    struct ring_activation *caller = activation_at(activation->caller);
    uint64_t state = state_of(activation), called = activation->caller ? state_of(caller) : 0;
    bool counted = false;
    while (!counted && activation->caller && is_uncounted(state, generation) &&
           generation_of(called) == activation->caller_generation) {
        counted = atomic_compare_exchange_weak_explicit(&caller->state, &called, called + 1, memory_order_acq_rel,
                                                        memory_order_acquire);
    }
    while (counted && is_uncounted(state, generation)) {
        if (atomic_compare_exchange_weak_explicit(&activation->state, &state, state | RING_ACTIVATION_COUNTED,
                                                  memory_order_acq_rel, memory_order_acquire)) {
            return;
        }
    }
    if (counted) { // it is complete, or the other thread was faster
        uncount_pending(caller, generation_of(called));
    }
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
        if (!links_suspends(links_method(node_at(node)->method))) { // those are counted once they are suspended
            count_pending(activation, generation_of(state_of(activation)));
        }
    }
    return activation->path;
}

// The activation has a record, and each run around it up to the first that had one: upwards the records, then downwards
// their paths.
static uint32_t activation_of(uint32_t node)
{
    uint32_t top = node, left = WALK_MAX;
    if (is_linked(node)) {
        return run_at(node)->activation;
    }
    if (!paths_are_there() || !kickoffs || !new_activation(node)) {
        return 0;
    }
    for (uint32_t outer = outer_run(top); left > 0 && outer && !is_linked(outer); outer = outer_run(top)) {
        if (!new_activation(outer)) {
            break;
        }
        activation_at(run_at(outer)->activation)->next = top; // the node below, until its path is known
        top = outer;
        left--;
    }
    uint32_t outer = outer_run(top);
    outer = outer && is_linked(outer) ? outer : 0;
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
    uint64_t generation = generation_of(state_of(activation)) + UINT64_C(1);
    atomic_store_explicit(&activation->await, 0, memory_order_relaxed);
    // From here on no other thread counts it: pairs with the exchange in count_pending().
    uint64_t state = atomic_exchange_explicit(&activation->state, generation << 32, memory_order_acq_rel);
    bool counted = state & RING_ACTIVATION_COUNTED && activation->caller &&
                   generation_of(state_of(caller)) == activation->caller_generation;
    uint64_t idle = counted ? atomic_load_explicit(&caller->idle_from, memory_order_relaxed) : UINT64_MAX;
    while (idle < now && !atomic_compare_exchange_weak_explicit(&caller->idle_from, &idle, now, memory_order_release,
                                                                memory_order_relaxed)) {
    }
    if (counted) {
        uncount_pending(caller, activation->caller_generation);
    }
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

static bool waits(const struct ring_activation *activation, uint64_t state)
{
    return state & RING_ACTIVATION_WAITS || atomic_load_explicit(&activation->await, memory_order_relaxed);
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
        uint64_t began = atomic_load_explicit(&caller->waits_from, memory_order_acquire);
        if (!waits(caller, state) || generation_of(state) != generation ||
            generation_of(state_of(caller)) != generation || began < from) {
            break;
        }
        newest = began;
        from = began;
        activation = caller;
    }
    return newest;
}

static uint64_t ticks_between(uint64_t from, uint64_t to)
{
    return (int64_t)(to - from) > 0 ? to - from : 0;
}

// A run of `body` whose activation is not known.
static uint32_t resume_lost(uint32_t body, struct links_wait *wait)
{
    uint32_t marks = body & ~(uint32_t)RING_METHOD_NUMBER, number = body & RING_METHOD_NUMBER;
    *wait = (struct links_wait){0};
    count_unlinked();
    uint32_t lost = paths_are_there() ? path_intern(path_intern(PATH_UNKNOWN, number), PATH_AWAIT) : PATH_NONE;
    return lost ? marks | METHOD_RESUMED | lost : body;
}

// `state` is that of the activation, in which nothing counts as pending any more if it has waited for itself alone.
static void measure_wait(const struct ring_activation *activation, uint64_t state, uint64_t now,
                         struct links_wait *wait)
{
    wait->ticks = ticks_between(atomic_load_explicit(&activation->waits_from, memory_order_relaxed), now);
    if (!(state & RING_ACTIVATION_PENDING)) {
        uint64_t idle = atomic_load_explicit(&activation->idle_from, memory_order_relaxed);
        uint64_t quiet = quiet_from(activation);
        wait->own_ticks = ticks_between(idle > quiet ? idle : quiet, now);
    }
}

uint32_t links_resume(uint32_t body, uint64_t now, struct links_wait *wait)
{
    struct ring_activation *activation = activation_at(wait->slot);
    uint64_t state =
        wait->slot ? atomic_fetch_and_explicit(&activation->state, ~RING_ACTIVATION_WAITS, memory_order_acq_rel) : 0;
    if (!(state & RING_ACTIVATION_WAITS) || !paths_are_there()) {
        return resume_lost(body, wait);
    }
    measure_wait(activation, state, now, wait);
    return (body & ~(uint32_t)RING_METHOD_NUMBER) | METHOD_RESUMED | activation->place;
}

// -- Runtime async ----------------------------------------------------------------------------------------------------

// As link_again(), where it has to be found out.
bool links_link(uint32_t node)
{
    bool linked = activation_of(node);
    if (!linked) {
        count_unlinked();
    }
    return linked;
}

bool links_awaits(uint32_t slot)
{
    return slot && atomic_load_explicit(&activation_at(slot)->await, memory_order_relaxed);
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return (int64_t)(b - a) > 0 ? b : a;
}

uint64_t links_left_at(const struct ring_thread *thread, const struct ring_await *await)
{
    return later(await->since, RING_READ_ONCE(thread->last_clock));
}

// The newest wait began no earlier. One that began meanwhile did so later, and stays as it is. Returns when it began as far as it
// was known.
static uint64_t raise_wait(struct ring_activation *activation, uint64_t at)
{
    uint64_t from = atomic_load_explicit(&activation->waits_from, memory_order_acquire);
    while (from < at && !atomic_compare_exchange_weak_explicit(&activation->waits_from, &from, at, memory_order_acq_rel,
                                                               memory_order_acquire)) {
    }
    return from;
}

// When the activation was suspended in the await that it was in, on a thread that has had no event since and so has not said it.
static uint64_t left_behind_at(const struct ring_activation *activation, uint32_t slot)
{
    const struct ring_thread *thread = &ring_threads(probe_ring)[activation->thread % RING_THREADS_MAX];
    const struct ring_await *await = await_at(activation->place);
    uint64_t at = links_left_at(thread, await);
    bool same = RING_ACQUIRE(thread->current) == activation->place && await->serial == links_serial_of_wait(slot);
    return same ? at : atomic_load_explicit(&activation->waits_from, memory_order_relaxed);
}

// The activation was suspended no earlier, and with its first run those that had called it: they were in their awaits then.
static void suspended_at(struct ring_activation *activation, uint64_t at)
{
    (void)raise_wait(activation, at);
    for (uint32_t left = WALK_MAX; left > 0 && activation->caller && !activation->resumed; left--) {
        uint32_t slot = activation->caller, generation = activation->caller_generation;
        activation = activation_at(slot);
        if (!atomic_load_explicit(&activation->await, memory_order_acquire) ||
            generation_of(state_of(activation)) != generation) {
            return;
        }
        at = later(at, left_behind_at(activation, slot)); // it may have run on since its callee was suspended
        if (raise_wait(activation, at) >= at) {
            return;
        }
    }
}

void links_suspended(uint64_t serial, uint64_t at)
{
    struct ring_activation *activation = activation_at((uint32_t)serial & (RING_ACTIVATIONS_MAX - 1));
    uint32_t generation = (uint32_t)(serial >> 20);
    if (serial && generation_of(state_of(activation)) == generation) {
        count_pending(activation, generation);
        (void)raise_wait(activation, at);
    }
}

uint32_t links_go_on(uint32_t method, uint64_t now, struct links_wait *wait)
{
    struct ring_activation *activation = activation_at(wait->slot);
    uint32_t await = wait->slot ? atomic_exchange_explicit(&activation->await, 0, memory_order_acq_rel) : 0;
    if (await) {
        suspended_at(activation, left_behind_at(activation, wait->slot));
    }
    uint32_t place =
        await ? path_intern(activation->path, PATH_AWAIT | ((await & ~(uint32_t)RUN_AWAIT_TRIED) - 1)) : PATH_NONE;
    if (!place) {
        if (await) {
            release(wait->slot, now);
        }
        return resume_lost(method, wait);
    }
    activation->place = place;
    activation->resumed = true;
    uint64_t state = state_of(activation);
    count_pending(activation, generation_of(state));
    measure_wait(activation, state, now, wait);
    return (method & ~(uint32_t)RING_METHOD_NUMBER) | METHOD_RESUMED | activation->place;
}

struct links_activation links_activation(uint32_t slot)
{
    return (struct links_activation){slot, generation_of(state_of(activation_at(slot)))};
}

uint32_t links_awaited_by(uint32_t slot)
{
    uint32_t awaited = activation_at(slot)->next;
    const struct ring_activation *activation = activation_at(awaited);
    bool same = awaited && activation->path && activation->direct && activation->caller == slot &&
                activation->caller_generation == generation_of(state_of(activation_at(slot)));
    return same && links_awaits(awaited) ? awaited : 0;
}

struct links_activation links_awaiter(uint32_t slot)
{
    const struct ring_activation *activation = activation_at(slot);
    bool awaited = slot && activation->direct && activation->caller;
    return awaited ? (struct links_activation){activation->caller, activation->caller_generation}
                   : (struct links_activation){0};
}

bool links_still_awaits(struct links_activation activation, bool *tried)
{
    const struct ring_activation *known = activation_at(activation.slot);
    uint32_t await = atomic_load_explicit(&known->await, memory_order_acquire);
    *tried = await & RUN_AWAIT_TRIED;
    return activation.slot && await && generation_of(state_of(known)) == activation.generation;
}

uint32_t links_marked(struct links_activation activation)
{
    uint32_t method = path_method(activation_at(activation.slot)->path);
    return method < THREAD_METHODS_MAX ? method | (kickoffs[method] & ~(uint32_t)SUSPENDED) << MARKS_SHIFT : 0;
}

uint64_t links_complete(uint32_t slot, uint64_t now)
{
    uint64_t started = activation_at(slot)->started;
    release(slot, now);
    return started;
}
