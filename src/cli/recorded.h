// One recording, from its options to its closing lines: what `clew record` and the recording that a program starts itself
// (attend.h) have in common.
#ifndef CLEW_CLI_RECORDED_H
#define CLEW_CLI_RECORDED_H

#include <limits.h>
#include <stdbool.h>

#include "cli/recording_file.h"
#include "cli/recording_options.h"
#include "collector/session/session.h"
#include "collector/start/supervise.h"
#include "recording/writer.h"

struct model;

struct recorded {
    struct recording_options options;
    struct session session;
    struct supervised supervised;
    char *program; // path of the program's file
    char *agent;
    char *file;
    enum recording_output output; // what was under that name before
    char *command;
    char folder[PATH_MAX], host[256];
    struct text symbols[RECORDING_SYMBOLS_MAX + 1]; // --symbols and the current folder
    bool untouched;                                 // the environment keeps the agent out
    bool descends;                                  // a child of the recorded program: the user has not named it
};

// After the options are parsed and options.command is complete: settles what the agents have to know, the name of the
// file and the memory that is shared, and checks that the file may be written. Returns 0, or the exit status after
// printing what is wrong.
int recorded_settle(struct recorded *recorded);
// Creates the file; right before the session starts, since it takes the time of the start. Returns as above.
int recorded_create(struct recorded *recorded, struct recording_writer **writer);
// Removes a file in which nothing was recorded.
void recorded_take_back(const struct recorded *recorded);
// Says why nothing was recorded. `model`: of the recording, or NULL. Returns the exit status: that of the program,
// `status`, if it failed.
int recorded_nothing(const struct recorded *recorded, const struct model *model, int status);
// After the program's end: reads the recording back, and prints the report, if wanted, and the closing lines. Returns
// the exit status; `status` is that of the program.
int recorded_conclude(struct recorded *recorded, int status, bool report);
void recorded_free(struct recorded *recorded);

#endif
