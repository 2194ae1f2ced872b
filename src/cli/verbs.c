// The table of verbs: help, completion and man pages are made from it.
#include "base/assert.h"
#include "cli/command.h"

const struct cli_command *const cli_commands[] = {&cli_run,  &cli_record, &cli_report, &cli_replay,
                                                  &cli_info, &cli_repair, &cli_doctor, NULL};

static_assert(sizeof cli_commands / sizeof *cli_commands == 8, "seven verbs and the end");
