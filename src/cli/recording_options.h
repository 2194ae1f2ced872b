// The options of `run` and `record`.
#ifndef CLEW_CLI_RECORDING_OPTIONS_H
#define CLEW_CLI_RECORDING_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "cli/command.h"

enum { RECORDING_SYMBOLS_MAX = 32 };

struct recording_options {
    const char *output; // NULL: by the program's name
    uint32_t instruments;
    uint32_t flags;                       // enum session_flag
    struct buffer scope;                  // the lines of the configuration that say which methods, as asked for
    struct buffer configuration;          // all of them, what else the agent has to know first
    char *symbols[RECORDING_SYMBOLS_MAX]; // folders with PDBs
    unsigned symbol_count;
    bool children, quiet, verbose, json;
    bool clock_chosen;
    enum clock_kind clock;
    uint32_t depth;
    uint64_t keep_bytes, keep_ns;
    uint64_t max_bytes;   // 0: any
    const char *max_text; // as it was typed
    uint32_t parts_max;   // files of that size to keep; 0: only one, and recording stops
    char **command;       // what to start; ends with NULL
};

extern const struct cli_option recording_option_table[];

// Returns 0, or the exit status after saying what is wrong.
int recording_options_parse(const struct cli_command *command, int argc, char **argv, struct recording_options *out);
void recording_options_free(struct recording_options *options);

#endif
