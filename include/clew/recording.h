// An open recording: what was recorded, its processes, threads and methods.
//
// Structures that the library fills or reads begin with `size`, which the caller sets to sizeof: a program that was
// compiled with an older header keeps working with a newer library of the same minor version. A field that the library
// does not know stays 0.
//
// Nothing here is thread-safe: use a recording, and all that was made from it, from one thread at a time. Separate
// recordings, also of the same file, are independent.
#ifndef CLEW_PUBLIC_RECORDING_H
#define CLEW_PUBLIC_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clew/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct clew_recording;

// UTF-8, without a terminator. It may contain any bytes, NUL and control characters included: the recorded program chose
// its names. Escape them before they reach a terminal.
struct clew_text {
    const char *data;
    size_t size;
};

// Opens the recording at `path`, also one that is still being written, and reads its definitions. Damaged parts are left
// out. Damage is found where the file is read: by this function, clew_tree_load() and cursors. clew_info() includes that
// of a cursor once the cursor is freed. NOT_FOUND, NOT_RECORDING, NEWER_RECORDING, DAMAGED. *out is closed by clew_close().
CLEW_API enum clew_error clew_open(const char *path, struct clew_recording **out);
// Frees the recording. Trees and cursors made from it must have been freed before. NULL is allowed.
CLEW_API void clew_close(struct clew_recording *recording);

enum clew_clock { CLEW_CLOCK_TSC, CLEW_CLOCK_MONOTONIC, CLEW_CLOCK_TICK, CLEW_CLOCK_NONE };

enum clew_instrument {
    CLEW_INSTRUMENT_TREE = 1,
    CLEW_INSTRUMENT_CALLS = 2,
    CLEW_INSTRUMENT_LINES = 4,
    CLEW_INSTRUMENT_STATEMENTS = 8,
    CLEW_INSTRUMENT_VALUES = 16,
    CLEW_INSTRUMENT_USES = 32
};

// The session as a whole. All texts live as long as the recording.
struct clew_info {
    size_t size;
    struct clew_text version; // of the clew that recorded
    struct clew_text command;
    struct clew_text folder;
    struct clew_text host;
    enum clew_clock clock;    // NONE: all times are 0
    uint32_t instruments;     // bits of enum clew_instrument
    uint64_t started_unix_ns; // since 1970
    uint64_t duration_ns;     // until the session's end, or until the last known moment
    uint64_t events;          // entries, exits, statements and values
    uint64_t lost;            // events known to be missing
    uint64_t damaged;         // stretches of the file found unreadable so far, at least: see clew_open()
    bool ended;               // the session was closed in order
    bool complete;            // nothing is cut off, lost or, as far as the file was read, damaged
    uint32_t process_count;
    uint32_t thread_count;
};
CLEW_API void clew_info(const struct clew_recording *recording, struct clew_info *out);

// A process of the program.
struct clew_process {
    size_t size;
    uint32_t number; // clew's number, from 1
    uint64_t os_id;
    struct clew_text command;
    struct clew_text runtime;
    uint64_t started_ns, ended_ns; // since the session's start; ended 0: not known
    bool exit_known;
    int32_t exit_status; // as waitpid gives it
    uint64_t unlinked;   // async activations and runs whose caller is not known
};
// The process at `index`, below process_count. False: there is none.
CLEW_API bool clew_process(const struct clew_recording *recording, uint32_t index, struct clew_process *out);

// A thread of the program.
struct clew_thread {
    size_t size;
    uint32_t process;
    uint32_t number; // clew's number within the process, from 1
    uint64_t os_id;
    struct clew_text name;         // empty: it has none
    uint64_t started_ns, ended_ns; // since the session's start; ended 0: it still ran
    uint64_t cpu_user_ns, cpu_kernel_ns;
    uint64_t lost; // events known to be missing
};
// The thread at `index`, below thread_count. False: there is none.
CLEW_API bool clew_thread(const struct clew_recording *recording, uint32_t index, struct clew_thread *out);

// A method of a process.
struct clew_method {
    size_t size;
    uint32_t process;
    uint32_t number; // within the process
    uint32_t token;  // MethodDef (ECMA-335 II.22.26); 0: no method, but a pseudo-method such as a filter
    struct clew_text name;
    struct clew_text module; // its name; empty: not known
};
// False: the recording does not define it, and out->name is a placeholder for it or empty.
CLEW_API bool clew_method(const struct clew_recording *recording, uint32_t process, uint32_t number,
                          struct clew_method *out);

#ifdef __cplusplus
}
#endif

#endif
