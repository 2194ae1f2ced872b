// The table of verbs. Each verb is one file with one entry; help, shell completion and man pages are generated from the
// entries, so a new option needs no other documentation.
#ifndef CLEW_CLI_COMMAND_H
#define CLEW_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

// Exit statuses of clew, besides those of the recorded program. They are a documented interface and never change.
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

// One option of a verb.
struct cli_option {
    const char *name;     // "output" for --output
    char letter;          // 'o', or 0
    const char *argument; // "FILE"; NULL: the option takes no argument
    const char *help;     // one line
};

// One example for --help and the man page.
struct cli_example {
    const char *command; // a complete command line
    const char *says;    // what it does
};

// One verb. All texts are static.
struct cli_command {
    const char *name;
    const char *usage;                  // the words after the verb: "FILE [--by tree|hot|...]"
    const char *summary;                // one line
    const char *text;                   // paragraphs of the man page
    const struct cli_option *options;   // the last has name NULL
    const struct cli_example *examples; // the last has command NULL; printed first by --help
    int (*run)(int argc, char **argv);  // argv[0] is the verb; returns an exit status
    void (*by)(struct buffer *into);    // appends the words that --by takes to its help; NULL: no such option
};

extern const struct cli_command cli_run, cli_record, cli_report, cli_view, cli_replay, cli_export, cli_info, cli_repair,
    cli_exec, cli_doctor;

// All verbs; the last is NULL.
extern const struct cli_command *const cli_commands[];

// Called for each option found; `argument` is NULL if the option takes none. Returns false after printing what is wrong
// with it.
typedef bool cli_take(void *context, const struct cli_option *option, const char *argument);

// Parses the options of a verb, and calls `take` for each. Reorders argv so that operands come last, and returns the
// index of the first one; words after "--" are always operands. Returns -1 after printing what is wrong. With
// `stop_at_operand`, parsing ends at the first operand, for verbs that start a command.
int cli_options(const struct cli_command *command, int argc, char **argv, bool stop_at_operand, cli_take *take,
                void *context);

// Prints "clew: sentence" to stderr, and escapes everything in it that a terminal would interpret (base/foreign.h).
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
// From now on it prints "clew[PID]: sentence", for a log that several programs write to.
void cli_say_for(int process);
// "clew", or "clew[PID]".
const char *cli_speaker(void);
// What names the file of a recording: "-o", or CLEW_OUTPUT after cli_say_for().
const char *cli_output_option(void);

#endif
