// Lets `run` print the report.
#ifndef CLEW_CLI_VERB_REPORT_H
#define CLEW_CLI_VERB_REPORT_H

struct recording;

// Prints the overview of an open recording to stderr, since stdout belongs to the program. `path` is for messages. Returns
// a cli_status: CLI_NOTHING_RECORDED if it has no events, CLI_DAMAGED, or the status of an error.
int cli_report_recording(const char *path, struct recording *recording);

#endif
