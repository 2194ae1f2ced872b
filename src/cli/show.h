// What the verbs that show a recording share: opening it, the stream to write to, arguments with units.
#ifndef CLEW_CLI_SHOW_H
#define CLEW_CLI_SHOW_H

#include "view/view.h"

// Loads a recording; else says why not and returns the exit status. 0 when *out is set.
int cli_load(const char *path, const struct model_options *options, struct model **out);
// Exit status for a shown recording: says what is wrong with it, if anything.
int cli_verdict(const char *path, const struct model *model);

// A view on a stream: width and colours where it is a terminal.
struct view cli_view(FILE *out);

// An output file that appears whole or not at all; path NULL or "-" is stdout.
struct cli_output {
    FILE *file;
    const char *path;
    char *temporary; // NULL: nothing to rename
};
bool cli_output_open(struct cli_output *output, const char *path);
// `keep` false throws away what was written. Says what went wrong and returns the exit status.
int cli_output_close(struct cli_output *output, bool keep);

// "1.5s", "200ms", "10us", "5ns", "2m", "1h", "0".
bool cli_duration(const char *text, uint64_t *ns);
// A whole number above 0.
bool cli_number(const char *text, uint32_t *out);

#endif
