// What in the environment keeps the runtime from loading the agent.
#ifndef CLEW_COLLECTOR_ENVIRONMENT_H
#define CLEW_COLLECTOR_ENVIRONMENT_H

#include <stdbool.h>

#include "base/bytes.h"

// One sentence without full stop, cause and cure, into `why`; false (and nothing) when nothing is in the way.
bool environment_obstacle(struct buffer *why);

// The agent's absolute path: beside this executable, or in ../lib/clew. NULL when it is not there, or when others may
// write to it; then one sentence into `why`. The caller frees it.
char *environment_agent(struct buffer *why);

#endif
