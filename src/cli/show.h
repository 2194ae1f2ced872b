// What the verbs that show a recording share: opening it, the stream to write to, arguments with units.
#ifndef CLEW_CLI_SHOW_H
#define CLEW_CLI_SHOW_H

#include "cli/command.h"
#include "cli/nearest.h"
#include "view/text/view.h"

// The one recording that the words name, after the options have gone to `take`; NULL after saying what is wrong.
const char *cli_recording(const struct cli_command *command, int argc, char **argv, cli_take *take, void *context);

// Loads a recording; else says why not and returns the exit status. 0 when *out is set.
int cli_load(const char *path, const struct model_options *options, struct model **out);
// Before a recording is read: its reader gets 1 GiB of memory and no more, whatever the file says.
void cli_limit_memory(void);
// The user's sentence for an error of reading a recording, and the exit status: 5 for one that asks for more memory than that.
const char *cli_sentence(enum clew_error error);
int cli_status(enum clew_error error);
// Exit status of a view that went to stdout and ended with `error`: says what went wrong, if anything.
int cli_printed(const char *path, enum clew_error error);
// Exit status for a shown recording: says what is wrong with it, if anything. cli_check_recorded() also when it holds no call.
int cli_check_whole(const char *path, const struct model *model);
int cli_check_recorded(const char *path, const struct model *model);

// Sends a view to a stream: width and colours where it is a terminal.
void cli_view_to(struct view *view, FILE *out);
// What outputs that are nothing but their format have no place for, on stderr.
void cli_caveats(const struct model *model);

// An output file that appears whole or not at all; path NULL or "-" is stdout.
struct cli_output {
    FILE *file;
    const char *path;
    char *temporary; // NULL: nothing to rename
    char *target;    // the name it gets: where `path` leads
};
// Returns 0, or the exit status after saying why it cannot be written.
int cli_output_open(struct cli_output *output, const char *path);
// `keep` false throws away what was written. Says what went wrong and returns the exit status.
int cli_output_close(struct cli_output *output, bool keep);

// "1.5s", "200ms", "10us", "5ns", "2m", "1h", "0".
bool cli_duration(const char *text, uint64_t *ns);
// --color always|auto|never; says what is wrong with it.
bool cli_take_colour(const char *text, struct view *view);
// --names short|full; says what is wrong with it.
bool cli_take_names(const char *text, struct view *view);
// Names near one that was asked for and is not there, on stderr, behind `lead`.
void cli_near(const struct nearest *nearest, const char *lead);
// A whole number above 0.
bool cli_number(const char *text, uint32_t *out);
// The same as an option's argument: they say what is wrong with it.
bool cli_take_duration(const struct cli_option *option, const char *text, uint64_t *ns);
bool cli_take_number(const struct cli_option *option, const char *text, uint32_t *out);

#endif
