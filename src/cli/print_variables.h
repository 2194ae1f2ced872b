// `clew record --print-env|--print-unit|--print-docker`: prints the variables (variables.h) that record a program with the
// options that were given, for a shell, a unit of systemd, and a container file.
#ifndef CLEW_CLI_PRINT_VARIABLES_H
#define CLEW_CLI_PRINT_VARIABLES_H

#include "cli/recording_options.h"

// Returns an exit status, after printing why if it is not 0.
int print_variables(const struct recording_options *options);

#endif
