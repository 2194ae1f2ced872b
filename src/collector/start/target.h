// What kind of program a file is: asked when nothing could be recorded, to say why.
#ifndef CLEW_COLLECTOR_TARGET_H
#define CLEW_COLLECTOR_TARGET_H

#include <stdbool.h>

enum target_kind {
    TARGET_UNKNOWN,
    TARGET_MUXER,      // the dotnet command itself
    TARGET_HOST,       // an executable that starts a managed program: apphost or single file
    TARGET_NATIVE_AOT, // compiled ahead of time: there is no runtime to be asked
    TARGET_ASSEMBLY,   // a .dll: not an executable by itself
    TARGET_SCRIPT,
    TARGET_NATIVE,
};

enum target_kind target_kind_of(const char *path);

// Whether the kernel gives the program more rights than who starts it has (setuid, setgid, capabilities).
bool target_has_more_rights(const char *path);

// The subcommand of the SDK that the words (argv of dotnet) begin with, when it starts the program as a child: "run",
// "test", "build", ...; else NULL.
const char *target_sdk_verb(char *const *command);

#endif
