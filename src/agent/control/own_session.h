// Starts a session for a program that was started without one: only the runtime's variables are set, which name the
// agent, and nobody has set CLEW_SESSION. `clew`, which lies beside the agent, then records the program as `clew record`
// would (cli/attend.h).
//
// The program notices nothing of the start: no function of pthread_atfork() runs, no SIGCHLD comes, no child of the
// program is left for it to wait for, and no descriptor stays open.
#ifndef CLEW_AGENT_OWN_SESSION_H
#define CLEW_AGENT_OWN_SESSION_H

#include <stdint.h>

#include "base/error.h"
#include "ring/handshake.h"

// Finds it, after exec(), or starts it, and waits until it answers or the deadline has passed (CLOCK_MONOTONIC). On OK
// started->socket_path is the session's socket. REFUSED without a word: this is a child of a recorded program, and
// inherited the variables. On other errors the file that CLEW_LOG names, if any, says why.
enum clew_error own_session_start(uint64_t deadline_ns, struct ring_started *started);

#endif
