// Lets `run` print the report.
#ifndef CLEW_CLI_VERB_REPORT_H
#define CLEW_CLI_VERB_REPORT_H

// Prints the overview of the recording at `path` to stderr, since stdout belongs to the program. Returns a cli_status:
// CLI_NOTHING_RECORDED if it has no events, CLI_DAMAGED, or the status of an error.
int cli_report_path(const char *path);

#endif
