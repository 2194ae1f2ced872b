// The report as other verbs show it.
#ifndef CLEW_CLI_VERB_REPORT_H
#define CLEW_CLI_VERB_REPORT_H

// Prints the default report of a file just recorded to stderr (stdout belongs to the program that ran). Returns a
// cli_status: CLI_NOTHING_RECORDED when it holds no call, CLI_DAMAGED, or what the error ends with.
int cli_report_path(const char *path);

#endif
