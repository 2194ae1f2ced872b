// What process.c and its parts share.
#ifndef CLEW_COLLECTOR_INTERNAL_H
#define CLEW_COLLECTOR_INTERNAL_H

#include "collector/process.h"

// Writes what the agent has defined so far; nothing that uses it may be written before.
enum clew_error process__definitions(struct process *process, struct drain *drain);
enum clew_error process__thread_record(struct process *process, struct drain *drain, const struct ring_thread *thread,
                                       uint64_t ended_clock);
enum clew_error process__record(struct process *process, struct drain *drain, enum recording_process_state state,
                                int exit_status);

// The slot's committed events, as blocks. `all`: also fewer than make a good block.
enum clew_error process__stream(struct process *process, struct drain *drain, uint32_t index, bool all);
bool process__stream_empty(const struct process *process, uint32_t index);
uint64_t process__stream_events(const struct ring_thread *thread); // written so far
// Starts the slot's stream where the file ends for this thread: `last` is its newest block, NULL when it has none.
enum clew_error process__stream_resume(struct process *process, struct drain *drain, uint32_t index,
                                       const struct recording_events *last);
// Frees the last chunk of a thread that is drained and gone.
void process__stream_end(struct process *process, uint32_t index);
// Discards what is older or more than a flight recorder keeps.
void process__discard(struct process *process, struct drain *drain);

static inline struct ring_thread *process__thread(const struct process *process, uint32_t index)
{
    return &ring_threads(process->ring)[index];
}

#endif
