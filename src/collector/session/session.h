// What one session is: settled by the command line before anything starts, then read by the collector and by whoever
// takes its place.
#ifndef CLEW_COLLECTOR_SESSION_H
#define CLEW_COLLECTOR_SESSION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"
#include "recording/recording.h"

enum { SESSION_TEXT_MAX = 256 };

// Sums over the processes that are done with.
struct session_totals {
    uint64_t events, lost;
    uint32_t threads;
    uint32_t processes; // how many they are
    uint32_t process;   // the newest of these processes, by clew's number
    bool incomplete;    // one of them was not recorded to its end
};

// Lives in memory that the CLI and the collector share: what the CLI tells the user, and what outlives the collector.
struct session_shared {
    _Atomic uint64_t heartbeat;        // grows with every pass of the collector
    _Atomic uint64_t events;           // recorded so far, for the progress line
    _Atomic uint64_t bytes;            // written so far
    _Atomic uint32_t error;            // enum clew_error of the write that stopped the recording; CLEW_OK else
    _Atomic int error_number;          // its errno
    _Atomic uint32_t processes;        // numbers given to processes so far
    _Atomic uint32_t refused_children; // other .NET processes that wanted to be recorded
    _Atomic uint32_t other_version;    // agents of another clew
    _Atomic uint32_t segment_error;    // enum clew_error of a segment that could not be made
    _Atomic int segment_number;        // its errno; 0: not known
    _Atomic uint32_t no_room;          // processes whose addresses are too few for the segment
    _Atomic uint32_t other_user;       // 1 + the user as whom the started process ended; 0: as the one who started it
    _Atomic uint32_t part;             // number of the file under way, where there are several
    // Events and losses in the files before one of an even number, and before one of an odd number.
    _Atomic uint64_t part_events[2], part_lost[2];
    _Atomic uint32_t full;           // the recording reached session.max_bytes and is closed
    _Atomic uint32_t late_processes; // that asked to be recorded after that
    _Atomic uint32_t overwritten;    // processes that wrote over the memory they share
    _Atomic uint32_t missing;        // processes whose segment the CLI did not hold when the collector died
    struct session_totals totals[2]; // session_totals() reads the one that totals_epoch names
    _Atomic uint32_t totals_epoch;
    char child[SESSION_TEXT_MAX]; // command line of the first refused child
    char build[SESSION_TEXT_MAX]; // version of the first agent of another clew
};

struct session {
    const char *path;                // of the recording
    const char *socket_path;         // what CLEW_SESSION holds
    struct recording_session record; // its texts are borrowed for the whole session
    const struct text *symbols;      // folders in which PDBs are looked for, too
    unsigned symbol_count;
    bool children;                 // record every .NET descendant, not the started process alone
    pid_t program;                 // the started process
    int program_fd;                // its pidfd, which no other process can get; -1: the kernel has none
    uint64_t keep_bytes;           // SESSION_KEEP_LAST: how much of the streams; 0: any
    uint64_t keep_ns;              // SESSION_KEEP_LAST: how long; 0: any
    uint64_t max_bytes;            // of the file, after which recording stops; 0: any
    const char *max_text;          // the same as the user wrote it
    uint32_t parts_max;            // of the recording, each of max_bytes; the oldest goes. 0: it stops instead
    uint32_t nodes_max;            // cap of call trees, in nodes; 0: the default
    struct clock_pair calibration; // taken at the start
    struct session_shared *shared;
};

// Zeroed memory that stays shared after fork(); NULL when there is none.
struct session_shared *session_shared_new(void);

struct session_totals session_totals(const struct session_shared *shared);
// Replaces them at once: a collector that is killed meanwhile leaves the old ones or the new ones.
void session_set_totals(struct session_shared *shared, struct session_totals totals);

// How many chunks of each process a flight recorder keeps.
uint32_t session_keep_chunks(const struct session *session);

// The session's clock now; 0 for CLOCK_KIND_NONE.
uint64_t session_clock(const struct session *session);
// Ticks of the clock a second, as far as is known now.
double session_clock_hz(const struct session *session);

#endif
