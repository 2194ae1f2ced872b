// Walks over the nodes of a call tree, to copy them or to free them. Links in shared memory may be broken, so each one
// is checked against the number of nodes in use, and the nodes of all trees together may not exceed that number.
#include "collector/drain/tree_copy.h"

#include <string.h>

#include "ring/publish.h"
#include "trace/instrument.h"

enum { EXCHANGES_MAX = 1 << 20 }; // attempts to push a block; see push_block()

// A node that the walk has still to visit.
struct pending_node {
    uint32_t node;
    uint32_t parent; // the index of its parent in the copy
    uint32_t depth;  // levels above it
};

static bool valid(const struct ring_header *ring, uint32_t node, uint32_t used)
{
    return node >= RING_NODE_BLOCK && node < used && node < ring->nodes_max;
}

static uint32_t nodes_used(struct ring_header *ring)
{
    uint32_t used = atomic_load_explicit(&ring->nodes_used, memory_order_acquire);
    return used < ring->nodes_max ? used : ring->nodes_max;
}

// The thread may be in the middle of an exit, which changes both values: reads until two reads in a row agree.
static void copy_times(const struct ring_node *from, struct recording_node *into, uint64_t now)
{
    uint64_t total = RING_ACQUIRE(from->total), started = RING_ACQUIRE(from->started);
    for (int tries = 0; tries < 4; tries++) {
        uint64_t total_again = RING_ACQUIRE(from->total), started_again = RING_ACQUIRE(from->started);
        if (total == total_again && started == started_again) {
            break;
        }
        total = total_again;
        started = started_again;
    }
    into->open = started != 0;
    into->total =
        started > 1 && now > started ? total + (now - started) : total; // started 1: it runs, and is not timed
}

static struct recording_node *append(struct tree_copy *copy)
{
    uint8_t *place = buffer_extend(&copy->nodes, sizeof(struct recording_node));
    if (place) {
        copy->count++;
    }
    return (struct recording_node *)(void *)place;
}

static bool is_streamed(const struct ring_header *ring, uint32_t method)
{
    return ring_instruments(ring) & INSTRUMENT_STREAMS && !(method & RING_METHOD_NOT_IN_CALLS);
}

// Adds the node's histogram to the copy. Returns in how many of its buckets there are activations.
static uint32_t add_latencies(struct tree_copy *copy, struct ring_header *ring, uint32_t node)
{
    uint32_t number = RING_ACQUIRE(ring_node_histograms(ring)[node]), added = 0;
    const struct ring_histogram *histogram = &ring_histograms(ring)[number < RING_HISTOGRAMS_MAX ? number : 0];
    for (uint32_t i = 0; i < HISTOGRAM_BUCKETS && number; i++) {
        struct recording_latency latency = {.bucket = i, .count = RING_READ_ONCE(histogram->counts[i])};
        if (latency.count) {
            buffer_append(&copy->latencies, &latency, sizeof latency);
            added++;
        }
    }
    return added;
}

// Figures may change meanwhile; those of a thread that still runs may be a run apart.
static void add_run(struct tree_copy *copy, struct ring_header *ring, uint32_t node)
{
    static const struct ring_run none = {.latency_shortest = UINT64_MAX};
    bool has_runs = ring_nodes(ring)[node].method & RING_METHOD_RUNS;
    const struct ring_run *from = has_runs ? &ring_node_runs(ring)[node] : &none;
    CLEW_ASSERT(copy->count > 0 && "the node was added");
#define COPY(name, type, adds, kind, key) .name = from->name,
    struct recording_run run = {.node = copy->count - 1,
                                .first_latency = (uint32_t)(copy->latencies.size / sizeof(struct recording_latency)),
                                FIGURES_OF_RUNS(COPY)};
#undef COPY
    run.latency_count = add_latencies(copy, ring, node);
    if (run.completed || run.faulted || run.cancelled || run.awaiting || run.latency_count) {
        buffer_append(&copy->runs, &run, sizeof run);
    }
}

static const struct recording_node *copied(const struct tree_copy *copy, uint32_t index)
{
    return (const struct recording_node *)(const void *)copy->nodes.data + index;
}

static void add_node(struct tree_copy *copy, struct ring_header *ring, const struct pending_node *at, uint64_t now)
{
    CLEW_ASSERT(at->node < ring->nodes_max);
    const struct ring_node *from = &ring_nodes(ring)[at->node];
    const struct ring_node_cpu *cpu = &ring_node_cpus(ring)[at->node];
    struct recording_node *into = append(copy);
    buffer_append(&copy->sources, &at->node, sizeof at->node);
    if (!into) {
        return;
    }
    CLEW_ASSERT(at->parent < copy->count && copy->count * sizeof *into == copy->nodes.size);
    *into = (struct recording_node){.parent = at->parent,
                                    .method = from->method & RING_METHOD_NUMBER,
                                    .exceptions = from->exceptions,
                                    .calls = from->calls,
                                    .shortest = from->shortest,
                                    .longest = from->longest,
                                    .cpu_user_ns = cpu->user_ns,
                                    .cpu_kernel_ns = cpu->kernel_ns};
    copy_times(from, into, now);
    if (from->method & RING_METHOD_RUNS || ring_node_histograms(ring)[at->node]) {
        add_run(copy, ring, at->node);
    }
    bool counted = copied(copy, at->parent)->method == METHOD_COUNTED; // such calls have no entries and exits
    if (method_has_events(into->method) && into->calls && !counted) {
        uint64_t passages = 2 * into->calls - into->open;
        copy->passages += passages;
        copy->entries += is_streamed(ring, from->method) ? 0 : passages;
        copy->unwinds += into->exceptions;
    }
}

// Adds the CPU time of a node that is not copied to its nearest copied ancestor.
static void fold_node(struct tree_copy *copy, struct ring_header *ring, const struct pending_node *at)
{
    const struct ring_node_cpu *cpu = &ring_node_cpus(ring)[at->node];
    CLEW_ASSERT(at->parent < copy->count && "a parent is copied before its children");
    struct recording_node *parent = (struct recording_node *)(void *)copy->nodes.data + at->parent;
    parent->cpu_user_ns += cpu->user_ns;
    parent->cpu_kernel_ns += cpu->kernel_ns;
}

// The copy of a node above the copied node `index`, or that one itself: of the nearest node above it that is copied.
// *exact: whether the node itself is.
static uint32_t copied_above(const struct tree_copy *copy, struct ring_header *ring, uint32_t index, uint32_t node,
                             bool *exact)
{
    enum { LEVELS_MAX = 64 }; // of nodes that are not copied
    const uint32_t *sources = (const uint32_t *)(const void *)copy->sources.data;
    *exact = true;
    for (int level = 0; level < LEVELS_MAX && node < ring->nodes_max; level++) {
        uint32_t at = index;
        while (at > 0 && sources[at] != node) {
            at = copied(copy, at)->parent;
        }
        if (sources[at] == node) {
            return at;
        }
        *exact = false;
        node = RING_READ_ONCE(ring_nodes(ring)[node].parent);
    }
    return 0;
}

// The method of a path, or of the one that waits there.
static uint32_t method_of_path(struct ring_header *ring, uint32_t number)
{
    for (int left = 2; left > 0 && number >= PATH_FIRST && number < RING_PATHS_MAX; left--) {
        const struct ring_path *path = &ring_paths(ring)[number];
        uint32_t method = atomic_load_explicit(&path->method, memory_order_acquire); // pairs with the agent's release
        if (!(method & PATH_AWAIT)) {
            return method;
        }
        number = RING_READ_ONCE(path->parent);
    }
    return 0;
}

// The method that a node's number names.
static uint32_t method_named(struct ring_header *ring, uint32_t number)
{
    uint32_t method = number & METHOD_RESUMED ? method_of_path(ring, number & (METHOD_RESUMED - 1)) : number;
    return method & (METHOD_NUMBERS_MAX - 1);
}

// The method of a copied node; of a node that is no method's, of the nearest one above it. 0: there is none.
static uint32_t method_at(const struct tree_copy *copy, struct ring_header *ring, uint32_t index)
{
    while (index > 0 && copied(copy, index)->method < METHOD_FIRST_REAL) {
        index = copied(copy, index)->parent;
    }
    return method_named(ring, copied(copy, index)->method);
}

uint32_t tree_method(struct ring_header *ring, uint32_t node)
{
    uint32_t used = nodes_used(ring);
    for (uint32_t left = used; left > 0 && valid(ring, node, used); left--) {
        uint32_t number = RING_READ_ONCE(ring_nodes(ring)[node].method) & RING_METHOD_NUMBER;
        if (number >= METHOD_FIRST_REAL) {
            return method_named(ring, number);
        }
        node = RING_READ_ONCE(ring_nodes(ring)[node].parent);
    }
    return 0;
}

// Adds what was thrown in the node, whose copy is `index` unless it is not copied: then what it threw was thrown below that one.
static void add_throws(struct tree_copy *copy, struct ring_header *ring, uint32_t node, uint32_t index, bool itself)
{
    enum { ENTRIES_MAX = 1024 };
    uint32_t number = RING_ACQUIRE(ring_node_throws(ring)[node]);
    for (uint32_t left = ENTRIES_MAX; left > 0 && number && number < RING_THROWS_MAX; left--) {
        const struct ring_throw *from = &ring_throws(ring)[number];
        uint64_t count = RING_ACQUIRE(from->count);
        uint32_t flags = RING_READ_ONCE(from->flags) | (itself ? 0 : THROW_BELOW);
        struct recording_throw into = {.node = index + 1,
                                       .method = method_at(copy, ring, index),
                                       .exception = RING_READ_ONCE(from->exception),
                                       .count = count};
        if (flags & THROW_CAUGHT) {
            bool exact;
            uint32_t catcher = copied_above(copy, ring, index, RING_READ_ONCE(from->caught), &exact);
            into.caught_node = catcher + 1;
            into.caught_method = method_at(copy, ring, catcher);
            flags |= exact ? 0 : THROW_HANDLED_BELOW;
        }
        into.flags = flags;
        if (count) {
            buffer_append(&copy->throws, &into, sizeof into);
        }
        number = RING_READ_ONCE(from->next);
    }
}

static bool throws_anything(struct ring_header *ring)
{
    return atomic_load_explicit(&ring->throws_used, memory_order_relaxed) > 1;
}

static void add_pending(struct tree_copy *copy, uint32_t node, uint32_t parent, uint32_t depth)
{
    struct pending_node next = {.node = node, .parent = parent, .depth = depth};
    buffer_append(&copy->pending, &next, sizeof next);
}

static bool take_pending(struct tree_copy *copy, struct pending_node *out)
{
    if (copy->pending.size < sizeof *out) {
        return false;
    }
    CLEW_ASSERT(copy->pending.size % sizeof *out == 0);
    copy->pending.size -= sizeof *out;
    memcpy(out, copy->pending.data + copy->pending.size, sizeof *out);
    return true;
}

static void begin(struct tree_copy *copy)
{
    buffer_clear(&copy->nodes);
    buffer_clear(&copy->sources);
    buffer_clear(&copy->runs);
    buffer_clear(&copy->latencies);
    buffer_clear(&copy->throws);
    buffer_clear(&copy->pending);
    copy->count = 0;
    copy->visited = 0;
    copy->entries = 0;
    copy->passages = 0;
    copy->unwinds = 0;
}

// Whether the node exists only because the agent needs it: it is out of the scope of `tree`, or stands for an await.
static bool is_outside(struct ring_header *ring, uint32_t node)
{
    uint32_t method = ring_nodes(ring)[node].method;
    return method & RING_METHOD_NOT_IN_TREE || method == METHOD_AWAITING;
}

static uint32_t visit(struct tree_copy *copy, struct ring_header *ring, const struct pending_node *at, uint64_t now)
{
    bool too_deep = ring->depth_max && at->depth > ring->depth_max;
    if (copy->count > 0 && (too_deep || is_outside(ring, at->node))) {
        fold_node(copy, ring, at);
        if (throws_anything(ring)) {
            add_throws(copy, ring, at->node, at->parent, false);
        }
        return at->parent;
    }
    add_node(copy, ring, at, now);
    if (throws_anything(ring) && !copy->nodes.failed && !copy->sources.failed) {
        add_throws(copy, ring, at->node, copy->count - 1, true);
    }
    return copy->count - 1;
}

// Whether a child is one level deeper than its parent. What is only counted has no place in the tree, so no limit applies.
static bool has_level(struct ring_header *ring, uint32_t parent, uint32_t child)
{
    return !is_outside(ring, child) && ring_nodes(ring)[parent].method != METHOD_COUNTED;
}

// Siblings are linked from the newest to the oldest; the stack of pending nodes reverses that to the order of first
// calls. False when a broken program has made the links circular, or lets them lead to another tree or to no node.
static bool add_children(struct tree_copy *copy, struct ring_header *ring, const struct pending_node *at,
                         uint32_t index, uint64_t others)
{
    uint32_t child = RING_ACQUIRE(ring_nodes(ring)[at->node].first_child);
    while (child) {
        uint32_t used = nodes_used(ring); // loaded after the link, so it counts the linked node
        if (!valid(ring, child, used) || ++copy->visited + others > used) {
            return false;
        }
        add_pending(copy, child, index, at->depth + has_level(ring, at->node, child));
        child = RING_READ_ONCE(ring_nodes(ring)[child].next_sibling);
    }
    return true;
}

enum clew_error tree_copy(struct tree_copy *copy, struct ring_header *ring, uint32_t root, uint64_t others,
                          uint64_t now)
{
    struct pending_node at;
    begin(copy);
    if (!valid(ring, root, nodes_used(ring))) {
        return CLEW_MALFORMED;
    }
    copy->visited = 1;
    add_pending(copy, root, 0, 0);
    while (take_pending(copy, &at)) {
        uint32_t index = visit(copy, ring, &at, now);
        if (copy->nodes.failed || copy->sources.failed || copy->runs.failed || copy->latencies.failed ||
            copy->throws.failed || copy->pending.failed) {
            return CLEW_NO_MEMORY;
        }
        if (!add_children(copy, ring, &at, index, others)) {
            return CLEW_MALFORMED;
        }
    }
    return copy->pending.failed ? CLEW_NO_MEMORY : CLEW_OK;
}

void tree_copy_free(struct tree_copy *copy)
{
    buffer_free(&copy->nodes);
    buffer_free(&copy->sources);
    buffer_free(&copy->runs);
    buffer_free(&copy->latencies);
    buffer_free(&copy->throws);
    buffer_free(&copy->pending);
    *copy = (struct tree_copy){0};
}

uint32_t tree_shown_node(struct ring_header *ring, uint32_t root, uint32_t node)
{
    const struct ring_node *nodes = ring_nodes(ring);
    uint32_t used = nodes_used(ring);
    if (!valid(ring, node, used) || RING_READ_ONCE(nodes[node].method) != METHOD_OVER_CAP || !valid(ring, root, used)) {
        return node;
    }
    uint32_t child = RING_ACQUIRE(nodes[root].first_child);
    for (uint32_t left = used; left > 0 && valid(ring, child, used); left--) {
        if (RING_READ_ONCE(nodes[child].method) == METHOD_OVER_CAP) {
            return child;
        }
        child = RING_READ_ONCE(nodes[child].next_sibling);
    }
    return node;
}

// -- Recycling --------------------------------------------------------------------------------------------------------

// Gives up after many failed exchanges, since a broken program may write there all the time; the block then stays
// taken.
static void push_block(struct ring_header *ring, uint32_t block)
{
    struct ring_node *first = &ring_nodes(ring)[block];
    uint64_t top = atomic_load_explicit(&ring->free_node_blocks, memory_order_relaxed);
    for (uint32_t left = EXCHANGES_MAX; left > 0; left--) {
        // A thread that saw this block on the stack before, and was slow, may load the link now; its exchange then
        // fails.
        RING_WRITE_ONCE(first->next_sibling, (uint32_t)top);
        uint64_t fresh = ((top >> 32) + 1) << 32 | block;
        // Pairs with the acquire load of a thread that pops a block: it finds the block cleared and linked.
        if (atomic_compare_exchange_weak_explicit(&ring->free_node_blocks, &top, fresh, memory_order_acq_rel,
                                                  memory_order_relaxed)) {
            return;
        }
    }
}

// The entries stay with the node, for its next thread.
static void clear_throws(struct ring_header *ring, uint32_t node)
{
    uint32_t number = RING_READ_ONCE(ring_node_throws(ring)[node]);
    for (uint32_t left = RING_THROWS_MAX; left > 0 && number && number < RING_THROWS_MAX; left--) {
        RING_WRITE_ONCE(ring_throws(ring)[number].count, 0);
        number = RING_READ_ONCE(ring_throws(ring)[number].next);
    }
}

static void give_back(struct ring_header *ring, uint32_t block)
{
    CLEW_ASSERT(block % RING_NODE_BLOCK == 0 && block >= RING_NODE_BLOCK && block < ring->nodes_max);
    for (uint32_t node = block; node < block + RING_NODE_BLOCK; node++) {
        uint32_t method = ring_nodes(ring)[node].method;
        if (method & RING_METHOD_RUNS || method == METHOD_AWAITING) { // pages of others stay untouched
            memset(&ring_node_runs(ring)[node], 0, sizeof(struct ring_run));
        }
        uint32_t histogram = RING_READ_ONCE(ring_node_histograms(ring)[node]);
        if (histogram && histogram < RING_HISTOGRAMS_MAX) {
            memset(&ring_histograms(ring)[histogram], 0, sizeof(struct ring_histogram));
        }
        if (throws_anything(ring)) {
            clear_throws(ring, node);
        }
    }
    memset(&ring_nodes(ring)[block], 0, RING_NODE_BLOCK * sizeof(struct ring_node));
    memset(&ring_node_cpus(ring)[block], 0, RING_NODE_BLOCK * sizeof(struct ring_node_cpu));
    push_block(ring, block);
}

static void mark_block(uint8_t *blocks, uint32_t node)
{
    uint32_t block = node / RING_NODE_BLOCK;
    blocks[block / 8] |= (uint8_t)(1u << block % 8);
}

// Sets a bit in `blocks` for each block that one of the thread's nodes is in; scratch->pending.failed: not for all.
static void mark_blocks(struct tree_copy *scratch, struct ring_header *ring, const struct ring_thread *thread,
                        uint32_t used, uint8_t *blocks)
{
    uint32_t left = used;
    struct pending_node at;
    if (valid(ring, thread->root, used)) {
        add_pending(scratch, thread->root, 0, 0);
    }
    if (thread->free_nodes_left > 0 && valid(ring, thread->free_node, used)) {
        mark_block(blocks, thread->free_node);
    }
    while (left-- > 0 && take_pending(scratch, &at)) {
        mark_block(blocks, at.node);
        const struct ring_node *node = &ring_nodes(ring)[at.node];
        if (at.depth > 0 && valid(ring, node->next_sibling, used)) {
            add_pending(scratch, node->next_sibling, 0, at.depth);
        }
        if (valid(ring, node->first_child, used)) {
            add_pending(scratch, node->first_child, 0, at.depth + 1);
        }
    }
}

bool tree_recycle(struct tree_copy *scratch, struct ring_header *ring, const struct ring_thread *thread)
{
    begin(scratch);
    uint32_t used = nodes_used(ring), block_count = used / RING_NODE_BLOCK + 1;
    uint8_t *blocks = buffer_extend(&scratch->nodes, block_count / 8 + 1); // a bit each
    if (!blocks) {
        return false;
    }
    memset(blocks, 0, block_count / 8 + 1);
    mark_blocks(scratch, ring, thread, used, blocks);
    if (scratch->pending.failed) {
        return false;
    }
    for (uint32_t i = 0; i < block_count; i++) {
        if (blocks[i / 8] >> i % 8 & 1) {
            give_back(ring, i * RING_NODE_BLOCK);
        }
    }
    return true;
}
