// What process.c and its parts share: process_records.c, process_definitions.c, process_threads.c, process_streams.c and
// process_counters.c.
//
// The program can write over everything in the segment but this side's copy of the layout (segment_protect()). What is read
// there is read once, checked and then used; every walk over it has a bound. MALFORMED from any function here means that no
// agent leaves the segment so: process.c then ends the process's recording, and says why.
#ifndef CLEW_COLLECTOR_PROCESS_PARTS_H
#define CLEW_COLLECTOR_PROCESS_PARTS_H

#include "collector/drain/process.h"

// Writes what the agent has defined so far; nothing that uses it may be written before.
enum clew_error process__definitions(struct process *process, struct drain *drain);

// One pass over all threads: new ones, events, and those that have ended.
enum clew_error process__threads(struct process *process, struct drain *drain);
// The last ones: what all of them have left. *closed: nothing any more.
enum clew_error process__finish_threads(struct process *process, struct drain *drain, bool *closed);
// CPU time of all threads, and copies of the trees that have changed; both say when they are due again.
void process__sample(struct process *process, uint64_t now_ns);
// Notes in the recording that samples came seldom, if they did.
enum clew_error process__tell_slow_samples(struct process *process, struct drain *drain);
enum clew_error process__trees(struct process *process, struct drain *drain, uint64_t now_ns);
// What `lines` has counted, where it has changed; says when it is due again.
enum clew_error process__counters(struct process *process, struct drain *drain, uint64_t now_ns);
enum clew_error process__tell_missed_lines(struct process *process, struct drain *drain);
// In another collector's place: threads go on where the file ends for them.
enum clew_error process__resume_threads(struct process *process, struct drain *drain, struct recording_reader *reader);
void process__forget_threads(struct process *process);

enum clew_error process__thread_record(struct process *process, struct drain *drain, uint32_t index,
                                       uint64_t ended_clock);
enum clew_error process__record(struct process *process, struct drain *drain, enum recording_process_state state,
                                int exit_status);

// The slot's committed events, as blocks, as far as they make good ones.
enum clew_error process__stream(struct process *process, struct drain *drain, uint32_t index);
// The same of a thread that will not run again, to the last event that is there now. *done: that was it, or
// the rest was held back.
enum clew_error process__stream_rest(struct process *process, struct drain *drain, uint32_t index, bool *done);
enum clew_error process__stream_empty(const struct process *process, uint32_t index, bool *empty);
// Wakes the program's threads that wait for room, whether there is much or little.
void process__wake(struct process *process);
// An empty block: a reader of a part learns from it what runs when the part begins, a collector that takes over where the
// stream goes on.
enum clew_error process__stream_begin_part(struct process *process, struct drain *drain, uint32_t index);
// For a slot that is seen for the first time: takes the place that the shared memory has.
void process__stream_begin(struct process *process, uint32_t index);
// Starts the slot's stream where the file ends for this thread: `last` is its newest block, NULL when it has none.
enum clew_error process__stream_resume(struct process *process, struct drain *drain, uint32_t index,
                                       const struct recording_events *last);
// Whether a flight recorder keeps the last chunk of a thread that has ended: then the quota counts it.
void process__stream_keeps_last(struct process *process, uint32_t index, bool keeps);
// Frees the last chunk of a thread that is drained and gone.
void process__stream_end(struct process *process, uint32_t index);
// Discards what is older or more than a flight recorder keeps.
enum clew_error process__discard(struct process *process, struct drain *drain);
// Writes what discarded chunks told of objects that kept ones name.
enum clew_error process__describe_kept(struct process *process, struct drain *drain);

enum { PROCESS_TREES_EVERY_NS = 1000000000 };

// Whether the process at hand has to give way to the others.
static inline bool process__time_is_up(const struct drain *drain)
{
    return clock_monotonic_ns() >= drain->until_ns;
}

static inline uint64_t process__lost(const struct ring_thread *thread)
{
    return atomic_load_explicit(&thread->lost, memory_order_relaxed);
}

static inline struct ring_thread *process__thread(const struct process *process, uint32_t index)
{
    CLEW_ASSERT(index < RING_THREADS_MAX);
    return &ring_threads(process->ring)[index];
}

#endif
