// The functions of process.c and its parts (process_*.c), which only they call.
//
// The program can write over everything in the segment except this side's copy of the layout (segment_protect()). So
// each value there is read once, checked and then used, and every walk over it has a bound. MALFORMED from any function
// here means that no agent leaves the segment like this: process.c then stops recording the process, and notes why.
//
// `index` is the number of a thread slot, below process->slot_count unless stated. All of this runs on the collector's
// main thread.
#ifndef CLEW_COLLECTOR_PROCESS_PARTS_H
#define CLEW_COLLECTOR_PROCESS_PARTS_H

#include "collector/drain/process.h"
#include "collector/drain/stream_chunks.h"
#include "collector/drain/stream_position.h"

// -- process_definitions.c, process_records.c

// Writes all definitions that the agent has stored so far. Call it before writing anything that may use one.
enum clew_error process__definitions(struct process *process, struct drain *drain);
// Writes a THREAD record. `ended_clock` 0: the thread still runs.
enum clew_error process__thread_record(struct process *process, struct drain *drain, uint32_t index,
                                       uint64_t ended_clock);
// Writes a PROCESS record. `exit_status` is as waitpid gives it, or EXIT_STATUS_UNKNOWN.
enum clew_error process__record(struct process *process, struct drain *drain, enum process_state state,
                                int exit_status);

// -- process_threads.c

// One pass over all threads: sees new ones, writes events, closes ended ones and frees their slots.
enum clew_error process__threads(struct process *process, struct drain *drain);
// One of the last passes, after the process has ended. *closed: everything of all threads is in the file.
enum clew_error process__finish_threads(struct process *process, struct drain *drain, bool *closed);
// After a takeover: continues each thread where the file ends for it.
enum clew_error process__resume_threads(struct process *process, struct drain *drain, struct recording_reader *reader);
void process__forget_threads(struct process *process);

// -- process_cpu.c

// Starts to count the CPU time of a thread that was just seen.
void process__cpu_begin(struct process *process, const struct drain *drain, uint32_t index);
// Credits the CPU time that a thread used since the last sample to its current node. False when the thread is gone.
bool process__cpu_sample(struct process *process, uint32_t index);
// Samples all running threads; sets process->next_cpu_ns.
void process__sample(struct process *process, uint64_t now_ns);
// Writes a NOTE if samples took so long that they were taken less often.
enum clew_error process__note_slow_samples(struct process *process, struct drain *drain);

// -- process_paths.c, process_trees.c, process_counters.c

// Writes the paths that are new and complete. Call it before writing a tree, and after copying it: then the file has all paths
// that the tree refers to, unless another thread has not completed one with a lower number.
enum clew_error process__paths(struct process *process, struct drain *drain);

// -- process_exceptions.c

// Writes the exceptions that are new and complete. Call it after copying a tree and before writing what refers to them.
enum clew_error process__exceptions(struct process *process, struct drain *drain);
// What the numbers of nodes are: those of the copy, those of the thread's chain, or there are none.
enum throws_numbering { THROWS_BY_COPY, THROWS_BY_CHAIN, THROWS_UNNUMBERED };
// Writes the throws of the copy of a thread's tree that is at hand, if there are any, and if they or the numbers have changed.
enum clew_error process__throws(struct process *process, struct drain *drain, uint32_t index, uint64_t clock,
                                enum throws_numbering numbering);
// At the end of a thread, in a session without the instrument `tree`, whose tree is not in the file.
enum clew_error process__stream_throws(struct process *process, struct drain *drain, uint32_t index, uint64_t clock);
// At the end of the process: writes how many throws no thread's tree has. Without any, the block says that there are none.
enum clew_error process__throws_outside(struct process *process, struct drain *drain);

// -- process_trees.c

// Writes a thread's call tree, or its changes since the last time. `*others` counts the nodes of the trees copied before
// it in this pass: no node is in two trees. `final`: the thread has ended.
enum clew_error process__tree(struct process *process, struct drain *drain, uint32_t index, uint64_t *others,
                              bool final);
// At the end of a thread whose whole stream is in the file, in a session without the instrument `tree`: writes the call
// tree of the stream, so that a reader has its totals without decoding it. Writes nothing when the tree does not count
// exactly what the stream has, or would take too much of the file. `clock` is when the thread ended. *written: it and its throws are
// in the file.
enum clew_error process__stream_tree(struct process *process, struct drain *drain, uint32_t index, uint64_t clock,
                                     bool *written);
// Writes the trees that have changed; sets process->next_trees_ns.
enum clew_error process__trees(struct process *process, struct drain *drain, uint64_t now_ns);
// Writes the counters of `lines` if they have changed; sets process->next_counters_ns.
enum clew_error process__counters(struct process *process, struct drain *drain, uint64_t now_ns);
// Writes a NOTE if some calls found no room for counters.
enum clew_error process__note_missed_lines(struct process *process, struct drain *drain);

// -- process_awaits.c

// Ends the runs of runtime async that a thread which will not run again has left in their awaits. Before the rest of its stream.
void process__end_awaits(struct process *process, uint32_t index);

// -- process_streams.c

// Writes a running thread's committed events, as far as they make full blocks or have waited long enough.
enum clew_error process__stream(struct process *process, struct drain *drain, uint32_t index);
// Writes all events that a thread has committed by now; it will not run again. *done: all of them are written, or left
// out because the recording has its full size.
enum clew_error process__stream_rest(struct process *process, struct drain *drain, uint32_t index, bool *done);
enum clew_error process__stream_empty(const struct process *process, uint32_t index, bool *empty);
// Writes an empty block with the running activations. From it a reader of a part learns which methods run at its start,
// and a collector that takes over learns where the stream continues.
enum clew_error process__stream_begin_part(struct process *process, struct drain *drain, uint32_t index);
// After a takeover: continues the stream behind `last`, its newest block in the file; NULL when the file has none.
enum clew_error process__stream_resume(struct process *process, struct drain *drain, uint32_t index,
                                       const struct recording_events *last);
// Frees the last chunk of a thread whose stream is written and that is gone.
void process__stream_end(struct process *process, uint32_t index);

// -- process_flight_recorder.c

// Discards the oldest chunks: those beyond the size or the age that the flight recorder keeps.
enum clew_error process__discard(struct process *process, struct drain *drain);
// At the end: writes descriptions from discarded chunks for the objects that kept events refer to.
enum clew_error process__describe_kept(struct process *process, struct drain *drain);

// -- Shared

enum {
    PROCESS_TREES_EVERY_NS = 1000000000,
    PROCESS_PART_OF_TIME = 50, // periodic work takes at most one part in this many of the time
};

// When periodic work that began at now_ns and took cost_ns is due again: after least_ns, or later if it is slow.
static inline uint64_t process__due_after(uint64_t now_ns, uint64_t cost_ns, uint64_t least_ns)
{
    uint64_t pause_ns = cost_ns * PROCESS_PART_OF_TIME;
    return now_ns + (pause_ns > least_ns ? pause_ns : least_ns);
}

// Whether this process has used up its share of the pass.
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

// Whether the thread will not run again: it has ended, or its process has.
static inline bool process__is_gone(const struct process *process, uint32_t index)
{
    uint32_t state = atomic_load_explicit(&process__thread(process, index)->state, memory_order_acquire);
    return state == RING_THREAD_ENDED || (process->end.begun && process->end.state != PROCESS_CUT);
}

#endif
