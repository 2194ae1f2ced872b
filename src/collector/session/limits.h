// Limits that the system sets to our own processes.
#ifndef CLEW_COLLECTOR_LIMITS_H
#define CLEW_COLLECTOR_LIMITS_H

#include <stdbool.h>

// As many descriptors as may be. The recorded program is started before, and keeps the limit that it was given.
void limits_more_files(void);
// Whether this descriptor may stay open for as long as it is of use: half of them remain for what comes and goes.
bool limits_may_keep(int fd);

#endif
