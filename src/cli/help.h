// Help, made from the table of verbs.
#ifndef CLEW_CLI_HELP_H
#define CLEW_CLI_HELP_H

#include <stdio.h>

#include "cli/command.h"

void help_all(FILE *out);
void help_verb(FILE *out, const struct cli_command *command);
// The verb that someone may have meant; NULL when none is near.
const char *help_nearest(const char *word);

#endif
