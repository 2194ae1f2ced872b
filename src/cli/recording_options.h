// Parses the options of `run` and `record`.
#ifndef CLEW_CLI_RECORDING_OPTIONS_H
#define CLEW_CLI_RECORDING_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "cli/command.h"
#include "cli/source_maps.h"
#include "trace/kinds.h"

enum { RECORDING_SYMBOLS_MAX = 32 };

// What to print instead of recording (print_variables.h).
enum recording_print { PRINT_NOTHING, PRINT_ENV, PRINT_UNIT, PRINT_DOCKER };

// The parsed options. Texts of argv are borrowed.
struct recording_options {
    const char *output; // NULL: named after the program
    uint32_t instruments;
    uint32_t flags;                       // enum session_flag
    struct buffer scope;                  // lines of the configuration that choose methods, as typed
    struct buffer configuration;          // the complete configuration, as the agent reads it (agent/session)
    char *symbols[RECORDING_SYMBOLS_MAX]; // folders with PDBs, absolute
    unsigned symbol_count;
    struct source_maps source_maps;
    bool children, view, quiet, verbose, json;
    bool clock_chosen;
    enum clock_kind clock;
    uint32_t depth;
    enum tiny_methods tiny;
    uint64_t keep_bytes, keep_ns;
    uint64_t max_bytes;   // 0: unlimited
    const char *max_text; // the same as typed, for messages
    uint32_t parts_max;   // number of files of that size to keep; 0: one file, then stop
    enum recording_print print;
    struct buffer typed; // the options without -o and --print-*: words that each end with NUL; folders are absolute
    char **command;      // the program to start and its arguments; ends with NULL
};

extern const struct cli_option recording_option_table[];

// Parses the options into *out. Returns 0, or the exit status after printing what is wrong. The caller calls
// recording_options_free() in both cases.
int recording_options_parse(const struct cli_command *command, int argc, char **argv, struct recording_options *out);
// The same for words that are options alone; `program` becomes the command.
int recording_options_alone(const struct cli_command *command, int argc, char **argv, char **program,
                            struct recording_options *out);
void recording_options_free(struct recording_options *options);

#endif
