#include "agent/session/agent.h"

struct agent agent = {.definitions = PTHREAD_MUTEX_INITIALIZER};
