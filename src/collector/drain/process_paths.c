// Paths: places in the logical call tree, which nodes of call trees refer to by number. Agents store them in a table of the
// process, one after the other, and never change them.
#include "collector/drain/process_parts.h"
#include "ring/publish.h"

static_assert((int)RING_PATHS_MAX <= (int)RECORDING_PATHS_MAX, "a recording has room for all paths");

enum { PATHS_PER_RECORD = 1024 };

// An agent stores the method last. So a path with a method has its parent, and a lower number than those below it: any other
// one is a broken program's, and is written as one that was never stored.
static bool load_path(struct ring_header *ring, uint32_t number, struct recording_path *out)
{
    const struct ring_path *path = &ring_paths(ring)[number];
    uint32_t method = atomic_load_explicit(&path->method, memory_order_acquire); // pairs with the agent's release
    uint32_t parent = RING_READ_ONCE(path->parent);
    *out = method && parent < number ? (struct recording_path){parent, method} : (struct recording_path){0};
    return method != 0;
}

// Takes paths up to `end` or up to one that is not complete. No thread completes one after the end of the process.
static uint32_t load_paths(const struct process *process, uint32_t end, struct recording_path *paths)
{
    uint32_t count = 0, first = process->paths_written;
    while (count < PATHS_PER_RECORD && first + count < end &&
           (load_path(process->ring, first + count, &paths[count]) || process->end.begun)) {
        count++;
    }
    return count;
}

enum clew_error process__paths(struct process *process, struct drain *drain)
{
    struct recording_path paths[PATHS_PER_RECORD];
    uint32_t end = atomic_load_explicit(&process->ring->paths_used, memory_order_acquire), count = 1;
    end = end < RING_PATHS_MAX ? end : RING_PATHS_MAX;
    CLEW_ASSERT(process->paths_written >= PATH_FIRST);
    while (count > 0) {
        count = load_paths(process, end, paths);
        const struct recording_paths record = {process->number, process->paths_written, count, paths};
        CLEW_TRY(count > 0 ? recording_write_paths(drain->writer, &record) : CLEW_OK);
        process->paths_written += count;
    }
    return CLEW_OK;
}
