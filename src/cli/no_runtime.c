#include "cli/no_runtime.h"

#include "base/text.h"
#include "collector/start/target.h"

void no_runtime_reason(struct buffer *into, const char *path, char *const *command, const char *loads,
                       const struct program_words *words)
{
    switch (target_kind_of(path)) {
    case TARGET_NATIVE_AOT:
        buffer_printf(
            into,
            "%s is compiled ahead of time (NativeAOT) and has no runtime that could load %s; publish it without "
            "PublishAot",
            path, loads);
        return;
    case TARGET_SCRIPT:
        buffer_printf(into, "%s is a script and started no .NET program; %s the program itself", path, words->verb);
        return;
    case TARGET_NATIVE:
    case TARGET_UNKNOWN:
        buffer_printf(into, "%s is a native program, not a .NET one; %s dotnet app.dll or its apphost", path,
                      words->verb);
        return;
    case TARGET_ASSEMBLY:
        buffer_printf(into, "%s is an assembly; start it with dotnet: %s dotnet %s", path, words->start, path);
        return;
    case TARGET_MUXER:
    case TARGET_HOST:
        buffer_printf(into, "no runtime started that loads %s%s; clew doctor shows why", loads,
                      command[1] ? "" : " (dotnet without an app?)");
        return;
    }
}
