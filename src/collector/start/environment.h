// Looks, before the program starts, for anything that would keep the runtime from loading the agent.
#ifndef CLEW_COLLECTOR_ENVIRONMENT_H
#define CLEW_COLLECTOR_ENVIRONMENT_H

#include <stdbool.h>

#include "base/bytes.h"

// True when an environment variable does so; `why` then gets one sentence with cause and cure, without a full stop.
bool environment_obstacle(struct buffer *why);

// The absolute path of the agent, beside this executable or in ../lib/clew; the caller frees it. NULL when there is
// none, or when other users may write to it; `why` then gets one sentence. The runtime will load this file into the
// program.
char *environment_agent(struct buffer *why);

#endif
