// The limit of open files (RLIMIT_NOFILE) of the CLI and the collector.
#ifndef CLEW_COLLECTOR_LIMITS_H
#define CLEW_COLLECTOR_LIMITS_H

#include <stdbool.h>

// Raises the soft limit to the hard one. Call it after the program is started, which keeps the limit that it was given.
void limits_more_files(void);
// Whether this descriptor may stay open for long. Half of the limit stays reserved for files that are open only
// briefly.
bool limits_may_keep(int fd);

#endif
