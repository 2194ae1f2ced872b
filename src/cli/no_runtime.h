// Why no runtime loaded what clew wanted it to load, as far as the file of the program shows it.
#ifndef CLEW_CLI_NO_RUNTIME_H
#define CLEW_CLI_NO_RUNTIME_H

#include "base/bytes.h"
#include "cli/program.h"

// Appends one sentence with cause and cure, without a full stop. `path` is the file of the started program, `command` its
// argv; `loads` what was to be loaded: "the agent".
void no_runtime_reason(struct buffer *into, const char *path, char *const *command, const char *loads,
                       const struct program_words *words);

#endif
