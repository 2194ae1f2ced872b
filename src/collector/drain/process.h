// One recorded process: drains its segment into the recording, pass by pass, until the process has ended.
//
// The collector's main thread makes passes over all processes in turn. A pass has a time limit (struct drain), so that
// one busy process does not keep the others waiting. Everything that a successor needs, should this collector die, is
// in the segment or in the file; struct process itself is only a cache of it.
#ifndef CLEW_COLLECTOR_PROCESS_H
#define CLEW_COLLECTOR_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/map.h"
#include "collector/drain/cpu.h"
#include "collector/drain/kept_objects.h"
#include "collector/drain/stream_blocks.h"
#include "collector/drain/tree_chain.h"
#include "collector/drain/tree_copy.h"
#include "collector/session/session.h"
#include "collector/session/watch.h"
#include "collector/sources/await_lines.h"
#include "collector/sources/documents.h"
#include "collector/sources/module_points.h"
#include "recording/reader.h"
#include "recording/writer.h"
#include "ring/ring.h"

// The collector's own state of a thread slot, which the program cannot write over.
struct slot {
    uint32_t thread; // clew's number of the thread; 0: no thread was seen in the slot
    uint32_t os_id;  // as first seen
    bool written;    // its THREAD record is in the file
    struct stream_state stream;
    struct ring_drained position; // how far its stream is in the file; a copy is in ring_thread.drained
    bool followed;                // `stream` has followed the stream from its first cell on
    struct cpu_watch cpu;
    uint64_t pending_since_ns; // since when committed cells wait to be written; 0: none wait
    struct tree_chain chain;
    uint64_t runs_written;   // sum_of_runs() of the newest figures of runs in the file
    uint64_t throws_written; // throws and catches of the newest ones in the file
    uint64_t copied_cpu_ns;  // CPU time at the last copy of the tree
    bool copied;
    uint64_t entries; // entries and exits in the last copy that are in no stream
    bool settled;     // the process has ended, and this thread is in the file and in the sums
};

// Memory and limits that the processes of a collector share: only one of them is drained at a time.
struct drain {
    const struct session *session;
    struct recording_writer *writer;
    // CLOCK_MONOTONIC: when the current process has used up its time. It always completes one step, even if late.
    uint64_t until_ns;
    struct stream_block block;
    struct tree_copy tree;
    struct buffer definition;
    struct contents contents; // source texts in the file
    struct points_shared points;
    struct buffer left;   // chunks that a flight recorder may discard: struct left_chunk
    uint64_t head_bytes;  // size of the current part when it began
    uint64_t ended_bytes; // size of the file when it was ended for now; 0: it was not
    bool held_back;       // events were left out because the recording has its full size
    uint64_t tree_bytes;  // of trees of streams in the file: an estimate
};

// Whether the file has reached --max-size: the recording then stops, or continues in another part. A part begins with
// copies of definitions and sources; even when those alone exceed the size, it may grow by half the size.
static inline bool drain_full(const struct drain *drain)
{
    uint64_t most = drain->session->max_bytes, size = recording_size(drain->writer);
    return most > 0 && size >= most && size >= drain->head_bytes + most / 2;
}

struct process {
    struct process *next; // of the collector's list
    bool seen;            // a pass has handled its arrival
    uint32_t number;
    struct watch watch;
    struct ring_header *ring;
    bool damaged;              // the program wrote over the segment, which is not read any more
    uint64_t definitions_read; // as ring_header.definitions_read, which the program could change
    uint64_t events, lost;     // as of the last process_totals() before any damage
    uint64_t next_number;      // of the next activation of any thread: 1, 2, ...; 0: it is not known, they get none
    struct slot *slots;
    uint32_t slot_count;
    struct arena texts;
    bool own_numbers;        // its threads have other OS ids for it than for us: cpu_has_own_numbers()
    struct map thread_names; // OS id: NUL-terminated text in texts
    struct map thread_slots; // OS id: index of the slot that had it last
    struct documents documents;
    struct await_lines await_lines;
    uint64_t next_lines_ns; // CLOCK_MONOTONIC: when these are looked up next
    struct module_points points;
    uint64_t points_from_ns; // CLOCK_MONOTONIC: not before
    struct tree_chains chains;
    uint32_t paths_written;      // paths below this number are in the file
    uint32_t exceptions_written; // likewise
    char *command;
    char *runtime;
    uint64_t next_trees_ns; // CLOCK_MONOTONIC, as the other next_*: when this work is due again
    uint64_t next_cpu_ns;
    uint64_t slowest_sample_ns; // most CPU time that one sample of all threads took
    uint64_t next_counters_ns;
    uint64_t lines_counted; // statements in the newest counters
    uint64_t next_record_ns;
    struct kept_objects kept_objects; // of a flight recorder
    bool leaving;                     // this pass began after the process had announced its end
    bool hurries;                     // this pass writes everything, however little it is
    bool busy;                        // the last pass found at least a chunk's worth of events
    bool cut_short;                   // the last pass ran out of time,
    uint32_t next_thread;             // and the next one starts at this slot
    struct process_end {
        bool begun;
        bool discarded;           // the flight recorder has discarded everything that it does not keep
        bool described;           // objects described in discarded chunks, and used in kept ones, are in the file
        bool drained;             // everything in the segment is in the file
        enum process_state state; // for the last PROCESS record, as is
        int exit_status;          // as waitpid gives it, or EXIT_STATUS_UNKNOWN
    } end;
};

// Owns the mapping and the watch from then on, except on failure. `configuration` is the session's scope, which says
// which parts of the command line are redacted.
enum clew_error process_new(struct ring_header *ring, struct watch watch, struct text configuration,
                            struct process **out);
void process_free(struct process *process);

// One pass: definitions, streams, ended threads, and periodic work that is due. `now_ns` is CLOCK_MONOTONIC. A segment
// that the program has written over is no error: the recording of this process ends with a NOTE.
enum clew_error process_drain(struct process *process, struct drain *drain, uint64_t now_ns);
// Whether the process has announced its end, so that the system may kill it and the collector at any moment, and the last
// pass has written all that it had until then. The process waits for that (ring_header.saved).
bool process_may_leave(const struct process *process);
// Marks the process as ended: call process_finish() instead of process_drain() from now on. `exit_status` is as waitpid
// gives it, or EXIT_STATUS_UNKNOWN. Only the first call counts.
void process_begin_end(struct process *process, enum process_state state, int exit_status);
// One of the last passes. Together they write all committed events, final trees, the ends of all threads, and the last
// PROCESS record. *done: this was the last pass.
enum clew_error process_finish(struct process *process, struct drain *drain, bool *done);

// After a takeover, before the first pass: continues each thread behind its last block in the file.
enum clew_error process_resume(struct process *process, struct drain *drain, struct recording_reader *reader);

// Before a part ends: writes a PROCESS record and the sources that the part's events may refer to.
enum clew_error process_end_part(struct process *process, struct drain *drain);
// When a part begins: writes an empty block for each stream, with the running activations.
enum clew_error process_begin_part(struct process *process, struct drain *drain);

// *events: streamed events so far, plus the entries, exits and statements that only the newest trees and counters
// count. *lost: events that the program dropped.
void process_totals(struct process *process, uint64_t *events, uint64_t *lost);

// Marks the segment as abandoned: the collector drains it no longer, and threads of the program stop waiting for room.
void process_abandon(struct process *process);

#endif
