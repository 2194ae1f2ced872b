// Copies the call trees of a process into the file: those that have changed once a second, and each one at its thread's
// end.
#include "collector/drain/process_parts.h"
#include "trace/instrument.h"

// -- Figures of runs --------------------------------------------------------------------------------------------------

// Changes with each figure, since a sum and a largest value only grow, and a smallest one only falls.
static uint64_t sum_of_runs(const struct recording_runs *runs)
{
    uint64_t sum = 0;
#define MOVED_SUM(value) (value)
#define MOVED_MAX(value) (value)
#define MOVED_MIN(value) (UINT64_MAX - (value))
#define ADD(name, type, adds, kind, key) sum += MOVED_##adds(runs->runs[i].name);
    for (uint32_t i = 0; i < runs->count; i++) {
        FIGURES_OF_RUNS(ADD)
    }
    for (uint32_t i = 0; i < runs->latency_count; i++) {
        sum += runs->latencies[i].count;
    }
#undef ADD
#undef MOVED_SUM
#undef MOVED_MAX
#undef MOVED_MIN
    return sum;
}

// The figures of runs of the copy at hand.
static struct recording_runs runs_of(const struct process *process, const struct drain *drain, const struct slot *slot,
                                     uint64_t clock)
{
    return (struct recording_runs){
        .process = process->number,
        .thread = slot->thread,
        .clock = clock,
        .count = (uint32_t)(drain->tree.runs.size / sizeof(struct recording_run)),
        .runs = (const struct recording_run *)(const void *)drain->tree.runs.data,
        .latency_count = (uint32_t)(drain->tree.latencies.size / sizeof(struct recording_latency)),
        .latencies = (const struct recording_latency *)(const void *)drain->tree.latencies.data,
    };
}

// After a whole tree.
static enum clew_error write_runs(const struct process *process, struct drain *drain, struct slot *slot, uint64_t clock)
{
    const struct recording_runs runs = runs_of(process, drain, slot, clock);
    slot->runs_written = sum_of_runs(&runs);
    return runs.count > 0 ? recording_write_runs(drain->writer, &runs) : CLEW_OK;
}

// After changes, if a figure has changed as well.
static enum clew_error write_changed_runs(struct process *process, struct drain *drain, struct slot *slot,
                                          uint64_t clock)
{
    const struct recording_runs runs = runs_of(process, drain, slot, clock);
    if (sum_of_runs(&runs) == slot->runs_written) {
        return CLEW_OK;
    }
    tree_chain_number_runs(&process->chains, &drain->tree);
    return write_runs(process, drain, slot, clock);
}

// -- Trees ------------------------------------------------------------------------------------------------------------

static enum clew_error write_whole(struct process *process, struct drain *drain, uint32_t index, uint64_t now,
                                   bool final)
{
    struct slot *slot = &process->slots[index];
    const struct recording_tree tree = {
        .process = process->number,
        .thread = slot->thread,
        .clock = now,
        .final = final,
        .count = drain->tree.count,
        .nodes = (const struct recording_node *)(const void *)drain->tree.nodes.data,
    };
    CLEW_TRY(recording_write_tree(drain->writer, &tree));
    CLEW_TRY(write_runs(process, drain, slot, now));
    CLEW_TRY(process__throws(process, drain, index, now, THROWS_BY_COPY));
    if (final) {
        tree_chain_end(&process->chains, &slot->chain);
    } else {
        tree_chain_begin(&process->chains, &slot->chain, &drain->tree, process->ring->nodes_max);
    }
    return CLEW_OK;
}

static enum clew_error write_changes(struct process *process, struct drain *drain, uint32_t index,
                                     struct recording_tree_changes *changes, uint64_t now)
{
    struct slot *slot = &process->slots[index];
    changes->process = process->number;
    changes->thread = slot->thread;
    changes->clock = now;
    CLEW_TRY(changes->count > 0 ? recording_write_tree_changes(drain->writer, changes) : CLEW_OK);
    CLEW_TRY(write_changed_runs(process, drain, slot, now));
    return process__throws(process, drain, index, now, THROWS_BY_CHAIN);
}

enum clew_error process__tree(struct process *process, struct drain *drain, uint32_t index, uint64_t *others,
                              bool final)
{
    struct ring_thread *thread = process__thread(process, index);
    struct slot *slot = &process->slots[index];
    if (!(ring_instruments(process->ring) & INSTRUMENT_TREE)) {
        return CLEW_OK;
    }
    uint64_t now = session_clock(drain->session);
    CLEW_TRY(tree_copy(&drain->tree, process->ring, thread->root, *others, now));
    CLEW_ASSERT(drain->tree.count > 0 && drain->tree.count <= drain->tree.visited && "a tree has its root");
    *others += drain->tree.visited;
    slot->entries = drain->tree.entries;
    slot->copied = true;
    slot->copied_cpu_ns = thread->cpu_ns;
    CLEW_TRY(process__definitions(process, drain));
    CLEW_TRY(process__paths(process, drain));
    CLEW_TRY(process__exceptions(process, drain));
    struct recording_tree_changes changes;
    if (!final && tree_chain_continue(&process->chains, &slot->chain, &drain->tree, &changes)) {
        return write_changes(process, drain, index, &changes, now);
    }
    return write_whole(process, drain, index, now, final);
}

// -- Trees of streams -------------------------------------------------------------------------------------------------
//
// Probes keep a call tree for streams as well, since a node is where an activation's start is. So the tree of a stream
// costs nothing until its thread ends.

enum {
    TREES_LEAST = 32 << 10, // bytes of a file that trees of streams may take, however short the file is
    TREES_PART = 50,        // of a longer file they may take one part in this many
    NODE_BYTES = 7,         // estimate of a node in the file, compressed,
    RUN_BYTES = 14,         // of the figures of its runs,
    LATENCY_BYTES = 2,      // and of a bucket of their latencies
};

static uint64_t estimated_bytes(const struct tree_copy *tree)
{
    return (uint64_t)NODE_BYTES * tree->count + RUN_BYTES * (tree->runs.size / sizeof(struct recording_run)) +
           LATENCY_BYTES * (tree->latencies.size / sizeof(struct recording_latency));
}

static bool has_room(const struct drain *drain)
{
    uint64_t part = recording_size(drain->writer) / TREES_PART;
    return drain->tree_bytes + estimated_bytes(&drain->tree) <= (part > TREES_LEAST ? part : TREES_LEAST);
}

// Whether the thread's tree can count exactly what its stream in the file has. A thread that still runs changes its tree
// while we copy it. A flight recorder's stream and that of a later part lack a beginning that the tree counts.
static bool may_have_stream_tree(const struct process *process, const struct drain *drain, uint32_t index)
{
    const struct slot *slot = &process->slots[index];
    const struct ring_header *ring = process->ring;
    bool gone = process__is_gone(process, index);
    bool whole = slot->followed && !(ring->flags & SESSION_KEEP_LAST) && drain->session->parts_max == 0;
    return !(ring_instruments(ring) & INSTRUMENT_TREE) && gone && whole && slot->stream.passages > 0;
}

// A tree has more entries, exits or exceptions than its stream if events were lost or left out, if calls went over the
// cap of nodes, or if the program was killed inside a probe, which changes the tree before it writes the event.
static bool counts_the_stream(const struct tree_copy *tree, const struct stream_state *stream)
{
    return tree->passages == stream->passages && tree->unwinds == stream->unwinds;
}

enum clew_error process__stream_tree(struct process *process, struct drain *drain, uint32_t index, uint64_t clock,
                                     bool *written)
{
    struct slot *slot = &process->slots[index];
    *written = false;
    if (!may_have_stream_tree(process, drain, index)) {
        return CLEW_OK;
    }
    enum clew_error error = tree_copy(&drain->tree, process->ring, process__thread(process, index)->root, 0, clock);
    if (error == CLEW_MALFORMED) {
        return CLEW_OK; // the stream is in the file, and does not need the tree
    }
    CLEW_TRY(error);
    if (!counts_the_stream(&drain->tree, &slot->stream) || !has_room(drain)) {
        return CLEW_OK;
    }
    const struct recording_tree tree = {
        .process = process->number,
        .thread = slot->thread,
        .clock = clock,
        .final = true,
        .of_stream = true,
        .position = slot->position.cells,
        .count = drain->tree.count,
        .nodes = (const struct recording_node *)(const void *)drain->tree.nodes.data,
    };
    CLEW_TRY(process__definitions(process, drain));
    CLEW_TRY(process__paths(process, drain));
    CLEW_TRY(process__exceptions(process, drain));
    CLEW_TRY(recording_write_tree(drain->writer, &tree));
    CLEW_TRY(write_runs(process, drain, slot, clock));
    CLEW_TRY(process__throws(process, drain, index, clock, THROWS_BY_COPY));
    *written = true;
    drain->tree_bytes += estimated_bytes(&drain->tree);
    return CLEW_OK;
}

// -- Copies while the thread runs -------------------------------------------------------------------------------------

// A thread that has used no CPU time since the last copy has an unchanged tree. 0 means that its CPU time is not known.
static bool has_changed(const struct process *process, uint32_t index)
{
    const struct slot *slot = &process->slots[index];
    uint64_t cpu_ns = process__thread(process, index)->cpu_ns;
    return !slot->copied || cpu_ns == 0 || cpu_ns != slot->copied_cpu_ns;
}

enum clew_error process__trees(struct process *process, struct drain *drain, uint64_t now_ns)
{
    uint64_t others = 0;
    for (uint32_t i = 0; i < process->slot_count; i++) {
        if (process->slots[i].thread && has_changed(process, i)) {
            CLEW_TRY(process__tree(process, drain, i, &others, false));
        }
    }
    process->next_trees_ns = process__due_after(now_ns, clock_monotonic_ns() - now_ns, PROCESS_TREES_EVERY_NS);
    return CLEW_OK;
}
