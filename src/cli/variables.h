// Environment variables that record a program without `clew record`: the runtime loads the agent, and the agent starts
// clew, which reads them. The start, `clew record --print-env` and `clew doctor --env` share what is here, so that they
// decide alike.
#ifndef CLEW_CLI_VARIABLES_H
#define CLEW_CLI_VARIABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/text.h"
#include "cli/recording_options.h"
#include "ring/handshake.h" // CLEW_LOG_VARIABLE

#define CLEW_OUTPUT_VARIABLE "CLEW_OUTPUT"   // where the recording goes: a path with %p, %n, %t and %%
#define CLEW_OPTIONS_VARIABLE "CLEW_OPTIONS" // options of `clew record`, as they are typed in a shell

#define CLEW_OUTPUT_DEFAULT "%n-%p.clew"

// Splits the value of CLEW_OPTIONS into words as a shell does: blanks, tabs and line ends separate; '...', "..." and a
// backslash quote; nothing is expanded. The words come after room for `before` other ones, and *count does not include
// those. The array ends with NULL, and is one piece of memory, which the caller frees. NULL after a failure: `why` then has one
// sentence.
char **variables_split(const char *value, size_t before, size_t *count, struct buffer *why);

// Parses the value of CLEW_OPTIONS (NULL: there is none) as `clew record` parses the options for this program, which becomes
// out->command. Returns 0, or the exit status after printing what is wrong. Texts in *out are borrowed from *words. The
// caller calls recording_options_free() and then frees *words, in both cases.
int variables_options(const char *value, char **program, struct recording_options *out, char ***words);

// What the parts of a pattern stand for. What is not known yet (0, or an empty name) reads PID, NAME or TIME.
struct output_values {
    uint32_t process;
    struct text name;    // of the program, without folder and .dll
    uint64_t started_ns; // realtime
};

// The path that a pattern stands for; the caller frees it. `pattern`: the value of CLEW_OUTPUT; NULL or empty: NAME-%p.clew.
// NULL after a failure: `why` then has one sentence.
char *variables_output(const char *pattern, const struct output_values *values, struct buffer *why);

// The same, where a file can be made: the folder of the path exists and can be written. Only without a pattern, TMPDIR (else
// /tmp) stands in for the current folder. Relative paths are relative to the current folder.
char *variables_file(const char *pattern, const struct output_values *values, struct buffer *why);

// Whether files can be made in the folder of the path. If not, errno says why.
bool variables_writable(const char *path);

#endif
