// The agent's one state, in a file that depends on nothing, so that every room may use it.
#include "agent/session/agent.h"

#include "agent/session/locks.h"

struct agent agent = {.definitions = PTHREAD_MUTEX_INITIALIZER};

#ifdef CLEW_ASSERTIONS
__thread uint32_t locks_held __attribute__((tls_model("initial-exec")));
#endif
