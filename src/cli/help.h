// Prints help, generated from the table of verbs.
#ifndef CLEW_CLI_HELP_H
#define CLEW_CLI_HELP_H

#include <stdio.h>

#include "cli/command.h"
#include "cli/words.h"

// help_all() prints the overview with all verbs, help_verb() all about one.
void help_all(FILE *out);
void help_verb(FILE *out, const struct cli_command *command);
// Appends what help says about an option of a verb.
void help_option(struct buffer *into, const struct cli_command *command, const struct cli_option *option);
// The verbs that a mistyped word may mean: "clew report, clew replay".
void help_nearest(const char *word, struct words *words);

#endif
