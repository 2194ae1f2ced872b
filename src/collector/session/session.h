// One session: its options, which the command line sets before anything starts, and the state that the CLI and the
// collector share. A collector that takes over works from the same session.
#ifndef CLEW_COLLECTOR_SESSION_H
#define CLEW_COLLECTOR_SESSION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"
#include "recording/recording.h"
#include "source/source_places.h"

enum { SESSION_TEXT_MAX = 256 };

// Sums over the finished processes.
struct session_totals {
    uint64_t events, lost;
    uint32_t threads;
    uint32_t processes; // how many of them there are
    uint32_t process;   // clew's number of the one that finished last
    bool incomplete;    // one of them was not recorded to its end
};

// In memory that the CLI and the collector share across fork(): the state that the CLI reports to the user, and all
// that must outlive the collector. Fields without _Atomic are written before the number or flag that announces them.
struct session_shared {
    _Atomic uint64_t heartbeat;        // grows with every pass of the collector
    _Atomic uint64_t events;           // recorded so far; for the progress line, as `bytes`
    _Atomic uint64_t bytes;            // written so far
    _Atomic uint32_t error;            // enum clew_error of the write that stopped the recording, or CLEW_OK
    _Atomic int error_number;          // its errno
    _Atomic uint32_t processes;        // how many processes have got a number
    _Atomic uint32_t refused_children; // other .NET processes that asked to be recorded
    _Atomic uint32_t other_version;    // agents of another version of clew
    _Atomic uint32_t segment_error;    // enum clew_error of a segment that could not be created
    _Atomic int segment_number;        // its errno; 0: not known
    _Atomic uint32_t no_room;          // processes whose address space was too small for the segment
    _Atomic uint32_t other_user;       // 1 + uid of the started process at its end; 0: that of clew
    _Atomic uint32_t part;             // number of the current part, of a recording in parts
    // Events and losses in all parts before the current one; [part & 1] counts.
    _Atomic uint64_t part_events[2], part_lost[2];
    _Atomic uint32_t full;           // the recording reached session.max_bytes and is closed
    _Atomic uint32_t late_processes; // processes that asked to be recorded after that
    _Atomic uint32_t overwritten;    // processes that wrote over their segment
    _Atomic uint32_t missing;        // processes whose segment the CLI did not have when the collector died
    struct session_totals totals[2]; // [totals_epoch & 1] counts; see session_set_totals()
    _Atomic uint32_t totals_epoch;
    char child[SESSION_TEXT_MAX]; // command line of the first refused child
    char build[SESSION_TEXT_MAX]; // version of the first agent of another clew
};

struct session {
    const char *path;                // of the recording
    const char *socket_path;         // the value of CLEW_SESSION
    struct recording_session record; // its texts are borrowed for the whole session
    const struct text *symbols;      // more folders to search for PDBs
    unsigned symbol_count;
    struct source_places sources;  // maps of --source-map
    bool children;                 // record every .NET descendant, not only the started process
    pid_t program;                 // the started process
    int program_fd;                // its pidfd; -1: the kernel has none
    uint64_t keep_bytes;           // flight recorder (SESSION_KEEP_LAST): bytes of streams to keep; 0: no limit
    uint64_t keep_ns;              // flight recorder: how long to keep events; 0: no limit
    uint64_t max_bytes;            // size of the file at which the recording stops; 0: no limit
    const char *max_text;          // the same as the user wrote it
    uint32_t parts_max;            // how many parts of max_bytes to keep, without older ones; 0: no parts
    uint32_t nodes_max;            // cap of call trees, in nodes; 0: the default
    struct clock_pair calibration; // taken at the start
    struct session_shared *shared;
};

// Zeroed memory that stays shared after fork(); never freed. NULL when there is none.
struct session_shared *session_shared_new(void);

struct session_totals session_totals(const struct session_shared *shared);
// Replaces the totals in one step: a collector that is killed in here leaves the old ones or the new ones.
void session_set_totals(struct session_shared *shared, struct session_totals totals);

// How many full chunks of each process a flight recorder keeps.
uint32_t session_keep_chunks(const struct session *session);

// The session's clock now; 0 for CLOCK_KIND_NONE.
uint64_t session_clock(const struct session *session);
// The clock's rate in ticks a second, as measured from the start of the session until now.
double session_clock_hz(const struct session *session);

#endif
