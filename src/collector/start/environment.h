// Looks, before the program starts, for anything that would keep the runtime from loading the agent.
#ifndef CLEW_COLLECTOR_ENVIRONMENT_H
#define CLEW_COLLECTOR_ENVIRONMENT_H

#include <stdbool.h>

#include "base/bytes.h"

// True when an environment variable does so; `why` then gets one sentence with cause and cure, without a full stop.
bool environment_obstacle(struct buffer *why);

// The same for the variables that switch diagnostics off.
bool environment_diagnostics_off(struct buffer *why);

// Reads a number as the runtime does from its variables: hexadecimal, up to the first other character. False if the value
// begins with none; the runtime then takes its default.
bool environment_number(const char *value, unsigned long *out);

// Whether only root and this user can change the agent. If not, `why` gets one sentence.
bool environment_trusts(const char *agent, struct buffer *why);

// The absolute path of the agent, beside this executable or in ../lib/clew; the caller frees it. NULL when there is
// none, or when other users may write to it; `why` then gets one sentence. The runtime will load this file into the
// program.
char *environment_agent(struct buffer *why);

// The path of the clew that this agent starts (agent/control/own_session.h): it lies beside the agent, or in ../../bin.
// False: there is none that can be executed. The caller frees the path, which ends with NUL, in both cases.
bool environment_clew(const char *agent, struct buffer *path);

#endif
