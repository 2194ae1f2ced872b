// Help, made from the table of verbs.
#ifndef CLEW_CLI_HELP_H
#define CLEW_CLI_HELP_H

#include <stdio.h>

#include "cli/command.h"

void help_all(FILE *out);
void help_verb(FILE *out, const struct cli_command *command);
// The verbs that someone may have meant: "clew report, clew replay"; empty when none is near.
enum { HELP_NEAREST = 128 };
void help_nearest(const char *word, char nearest[HELP_NEAREST]);

#endif
