// Limits that the system sets to our own processes.
#ifndef CLEW_COLLECTOR_LIMITS_H
#define CLEW_COLLECTOR_LIMITS_H

// As many descriptors as may be. The recorded program is started before, and keeps the limit that it was given.
void limits_more_files(void);

#endif
