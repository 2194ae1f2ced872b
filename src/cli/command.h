// The table of verbs: help, completion and man pages are made from it. One verb, one file, one entry.
#ifndef CLEW_CLI_COMMAND_H
#define CLEW_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

// Exit codes beside the recorded program's own.
enum cli_status {
    CLI_OK = 0,
    CLI_FAILED = 1,
    CLI_USAGE = 2,
    CLI_GATE = 3,
    CLI_NOTHING_RECORDED = 4,
    CLI_DAMAGED = 5,
    CLI_CANNOT_EXECUTE = 126,
    CLI_NOT_FOUND = 127
};

struct cli_option {
    const char *name;     // "output" for --output
    char letter;          // 'o', or 0
    const char *argument; // "FILE", or NULL for a switch
    const char *help;     // one line
};

struct cli_example {
    const char *command; // a whole line to type
    const char *says;    // what it does
};

struct cli_command {
    const char *name;
    const char *usage;                  // after the name: "FILE [--by tree|hot|...]"
    const char *summary;                // one line
    const char *text;                   // paragraphs for the man page
    const struct cli_option *options;   // ends with name NULL
    const struct cli_example *examples; // ends with command NULL; shown first in --help
    int (*run)(int argc, char **argv);  // argv[0] is the verb; returns the exit status
};

extern const struct cli_command cli_run, cli_record, cli_report, cli_replay, cli_info, cli_repair, cli_doctor;

// All verbs, ends with NULL.
extern const struct cli_command *const cli_commands[];

// What is done with an option found; `argument` is NULL for switches. False after saying what is wrong with it.
typedef bool cli_take(void *context, const struct cli_option *option, const char *argument);

// Options by the table: calls `take` for every option found and returns the index in argv of the first operand, with
// everything after "--" left as operands; or -1 after saying on stderr what is wrong.
// `stop_at_operand`: options end at the first operand (for verbs that take a command to start).
int cli_options(const struct cli_command *command, int argc, char **argv, bool stop_at_operand, cli_take *take,
                void *context);

// "clew: sentence" on stderr, without anything in it that a terminal would obey (base/foreign.h).
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
