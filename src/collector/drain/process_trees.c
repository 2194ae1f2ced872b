// Copies the call trees of a process into the file: those that have changed once a second, and each one at its thread's
// end.
#include "collector/drain/process_parts.h"
#include "trace/instrument.h"

enum clew_error process__tree(struct process *process, struct drain *drain, uint32_t index, uint64_t *others,
                              bool final)
{
    struct ring_thread *thread = process__thread(process, index);
    struct slot *slot = &process->slots[index];
    if (!(process->ring->instruments & INSTRUMENT_TREE)) {
        return CLEW_OK;
    }
    uint64_t now = session_clock(drain->session);
    CLEW_TRY(tree_copy(&drain->tree, process->ring, thread->root, *others, now));
    CLEW_ASSERT(drain->tree.count > 0 && drain->tree.count <= drain->tree.visited && "a tree has its root");
    *others += drain->tree.visited;
    slot->entries = drain->tree.entries;
    slot->copied = true;
    slot->copied_cpu_ns = thread->cpu_ns;
    struct recording_tree tree = {
        .process = process->number,
        .thread = slot->thread,
        .clock = now,
        .final = final,
        .count = drain->tree.count,
        .nodes = (const struct recording_node *)(const void *)drain->tree.nodes.data,
    };
    CLEW_TRY(process__definitions(process, drain));
    return recording_write_tree(drain->writer, &tree);
}

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
