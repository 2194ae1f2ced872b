// One recorded process: its segment, and everything of it that goes into the recording.
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
#include "collector/drain/tree_copy.h"
#include "collector/session/session.h"
#include "collector/session/watch.h"
#include "collector/sources/documents.h"
#include "recording/reader.h"
#include "recording/writer.h"
#include "ring/ring.h"

// What the collector keeps about a thread slot beside the slot itself.
struct slot {
    uint32_t thread; // clew's number of the thread that this is about; 0: none
    uint32_t os_id;  // as first seen
    bool written;    // its THREAD record is in the file
    struct stream_state stream;
    struct ring_drained position; // how far its stream is in the file; a copy is in ring_thread.drained
    struct cpu_watch cpu;
    uint64_t pending_since_ns; // committed words wait since then; 0: none do
    uint64_t copied_cpu_ns;    // CPU time at the last copy of the tree
    bool copied;
    uint64_t entries; // that the last copy stands for
    bool settled;     // as the process ends: all of it is in the file and in the sums
};

// Memory that all processes of a collector take turns with.
struct drain {
    const struct session *session;
    struct recording_writer *writer;
    // CLOCK_MONOTONIC; after that the process at hand gives way to the others, once it has got on a step.
    uint64_t until_ns;
    struct stream_block block;
    struct tree_copy tree;
    struct buffer definition;
    struct contents contents; // of documents
    struct buffer left;       // chunks that a flight recorder may discard
    uint64_t head_bytes;      // of the part under way: what it began with
    bool held_back;           // events were left out, since the recording has its full size
};

// Whether the recording has the size at which it is to stop, or to go on in another part. Each part has room for something new,
// however much it begins with.
static inline bool drain_full(const struct drain *drain)
{
    uint64_t most = drain->session->max_bytes, size = recording_size(drain->writer);
    return most > 0 && size >= most && size >= drain->head_bytes + most / 2;
}

struct process {
    struct process *next; // of the collector's list
    bool seen;            // by a pass of the collector
    uint32_t number;
    struct watch watch;
    struct ring_header *ring;
    bool damaged;              // the program wrote over the segment; nothing of it is read any more
    uint64_t definitions_read; // what ring_header.definitions_read holds for an heir
    uint64_t events, lost;     // as last known
    struct slot *slots;
    uint32_t slot_count;
    struct arena texts;
    bool own_numbers;        // of threads: cpu_has_own_numbers()
    struct map thread_names; // OS id -> NUL-terminated text in texts
    struct map thread_slots; // OS id -> index of the slot that had it last
    struct documents documents;
    char *command;
    char *runtime;
    uint64_t next_trees_ns; // when the trees are copied again, CLOCK_MONOTONIC
    uint64_t next_cpu_ns;
    uint64_t slowest_sample_ns; // CPU time that a sample of all threads took
    uint64_t next_counters_ns;
    uint64_t lines_counted; // statements in the newest counters
    uint64_t next_record_ns;
    struct kept_objects kept_objects; // of a flight recorder
    bool busy;                        // streams moved in the last pass
    bool cut_short;                   // the last pass ended before its work, for want of time...
    uint32_t next_thread;             // ...at this slot, where the next one goes on
    struct process_end {
        bool begun;
        bool discarded;           // what a flight recorder does not keep is gone
        bool described;           // the objects that were told there, and that the rest names, are in the file
        bool drained;             // what is in the segment is in the file
        enum process_state state; // that the last record gets, and
        int exit_status;          // as waitpid gives it, or EXIT_STATUS_UNKNOWN
    } end;
};

// Takes over the mapping and the watch, not on failure. `configuration` of the session says what of the command line is
// left out.
enum clew_error process_new(struct ring_header *ring, struct watch watch, struct text configuration,
                            struct process **out);
void process_free(struct process *process);

// One pass: definitions, streams, ended threads, and what else is due. `now_ns` is CLOCK_MONOTONIC.
enum clew_error process_drain(struct process *process, struct drain *drain, uint64_t now_ns);
// From now on process_finish() takes the place of process_drain(). `exit_status` as waitpid gives it, or
// EXIT_STATUS_UNKNOWN.
void process_begin_end(struct process *process, enum process_state state, int exit_status);
// One of the last passes, which write everything that was committed, final trees, the end of all threads, and the process's
// last record. *done: it was the last.
enum clew_error process_finish(struct process *process, struct drain *drain, bool *done);

// For a collector that takes another's place: goes on where the dead one stood, by what the file has of the threads.
enum clew_error process_resume(struct process *process, struct drain *drain, struct recording_reader *reader);

// For a part that ends: the process as it is now, and the sources that its events may refer to.
enum clew_error process_end_part(struct process *process, struct drain *drain);
// For a part that begins: where the stream of each thread stands.
enum clew_error process_begin_part(struct process *process, struct drain *drain);

// Streamed events so far, and the entries, exits and statements that only the newest trees and counters stand for; and
// what was lost.
void process_totals(struct process *process, uint64_t *events, uint64_t *lost);

// Nobody drains any more: the program goes on without waiting.
void process_abandon(struct process *process);

#endif
