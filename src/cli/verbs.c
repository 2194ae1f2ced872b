// The table of verbs, in the order in which help lists them.
#include "base/assert.h"
#include "cli/command.h"

const struct cli_command *const cli_commands[] = {&cli_run,    &cli_record, &cli_report, &cli_view,
                                                  &cli_replay, &cli_export, &cli_info,   &cli_repair,
                                                  &cli_exec,   &cli_doctor, NULL};

static_assert(sizeof cli_commands / sizeof *cli_commands == 11, "ten verbs and the end");
