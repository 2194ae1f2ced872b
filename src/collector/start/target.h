// Which kind of program a file is. Used after a session that recorded nothing, to report why.
#ifndef CLEW_COLLECTOR_TARGET_H
#define CLEW_COLLECTOR_TARGET_H

#include <stdbool.h>

enum target_kind {
    TARGET_UNKNOWN,
    TARGET_MUXER,      // the `dotnet` command
    TARGET_HOST,       // an executable that starts a managed program: an apphost or a single file
    TARGET_NATIVE_AOT, // compiled ahead of time: it has no runtime that loads profilers
    TARGET_ASSEMBLY,   // a .dll, which `dotnet` has to start
    TARGET_SCRIPT,
    TARGET_NATIVE,
};

enum target_kind target_kind_of(const char *path);

// Whether the kernel gives the program more rights than its parent has (setuid, setgid, file capabilities).
bool target_has_more_rights(const char *path);

// The SDK command in `command` (dotnet and its arguments) if it starts programs as child processes: "run", "test", "build", ...;
// else NULL.
const char *target_sdk_verb(char *const *command);

// Whether `command` is one of the SDK's that are given to run the user's code, which a child process does: run, test, watch, or
// dotnet with a C# file.
bool target_runs_in_child(char *const *command);

#endif
