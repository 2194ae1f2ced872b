// Shared by the verbs that show a recording: opening it, choosing the output, arguments with units. Functions that
// print what is wrong return an exit status or false, so that verbs only pass it on.
#ifndef CLEW_CLI_SHOW_H
#define CLEW_CLI_SHOW_H

#include "cli/command.h"
#include "cli/nearest.h"
#include "view/table/report_registry.h"

// Parses the options of a verb that takes one recording, and returns the recording's path; NULL after printing what is
// wrong. `take` receives the options.
const char *cli_recording(const struct cli_command *command, int argc, char **argv, cli_take *take, void *context);

// Opens a recording and loads it into *out. Returns 0, or the exit status after printing why it cannot be loaded. The
// caller calls model_free().
int cli_load(const char *path, const struct model_options *options, struct model **out);
// The same for a recording that is open already; `path` is for messages. The caller calls model_free().
int cli_load_opened(const char *path, struct recording *recording, const struct model_options *options,
                    struct model **out);
// Says why a recording cannot be read, and what helps. Returns the exit status.
int cli_unreadable(const char *path, enum clew_error error);
// Limits the process to 1 GiB of memory before it reads a recording. A damaged or hostile file could otherwise exhaust
// the machine.
void cli_limit_memory(void);
// The message and the exit status for an error of reading a recording. If the limit of memory was exceeded, the file
// counts as damaged: status 5.
const char *cli_sentence(enum clew_error error);
int cli_status(enum clew_error error);
// The exit status of a view that printed to stdout and returned `error`. Flushes stdout, and prints what went wrong, if
// anything.
int cli_printed(const char *path, enum clew_error error);
// The exit status of a recording that was shown: prints whether it is damaged or cut off. cli_check_recorded() also
// prints whether it contains no call.
int cli_check_whole(const char *path, const struct model *model);
int cli_check_recorded(const char *path, const struct model *model);

// Prints that the recording has no `what`, and how to record it with other instruments. Returns the exit status. If the file
// is damaged, prints that instead: the damaged part may have had it.
int cli_say_lacks(const char *path, const struct model *model, const char *what, const char *instruments);

// Prints that the recording has no times, which the option would need. Returns the exit status.
int cli_say_no_times(const char *path, const char *option);

// Sets up a view for a stream: the width and the colours of a terminal.
void cli_view_to(struct view *view, FILE *out);
// Prints the recording's caveats to stderr, for formats that cannot contain them.
void cli_caveats(const struct model *model);

// The path from the root, with its links; the caller frees it. NULL without memory, or if the current folder is gone.
char *cli_absolute(const char *path);

// Says why a file cannot be written, and what helps. `number`: errno; 0: not known.
void cli_say_unwritten(const char *name, int number);

// An output file that appears whole or not at all. path NULL or "-" means stdout.
struct cli_output {
    FILE *file;
    const char *path;
    char *temporary; // NULL: written in place, nothing to rename
    char *target;    // the final name, with links resolved
};
// Whether the name is a folder's; says so.
bool cli_say_output_folder(const char *path);
// Returns 0, or the exit status after printing why the file cannot be written.
int cli_output_open(struct cli_output *output, const char *path);
// Closes the file. `keep` false discards it. Returns the exit status, after printing what went wrong.
int cli_output_close(struct cli_output *output, bool keep);

// Parses "1.5s", "200ms", "10us", "5ns", "2m", "1h", "0". False: no such duration.
bool cli_duration(const char *text, uint64_t *ns);
// Parses "64M", "1GiB", "4096k". False: no such size.
bool cli_size(const char *text, uint64_t *bytes);
// Finds the report that --by names among those of the verb; says what is wrong with it.
bool cli_take_report(const char *name, enum report_place verb, const struct report **out);
// --color always|auto|never; says what is wrong with it.
bool cli_take_colour(const char *text, struct view *view);
// --names short|full; says what is wrong with it.
bool cli_take_names(const char *text, struct view *view);
// Prints suggested names to stderr on one line that begins with `lead`. Prints nothing if there are none.
void cli_near(const struct nearest *nearest, const char *lead);
// Parses a whole number above 0.
bool cli_number(const char *text, uint32_t *out);
// The same for an option's argument; they print what is wrong with it.
bool cli_take_duration(const struct cli_option *option, const char *text, uint64_t *ns);
bool cli_take_number(const struct cli_option *option, const char *text, uint32_t *out);

#endif
