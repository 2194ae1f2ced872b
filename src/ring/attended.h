// Which programs are recorded by a session that their agent has started (agent/control/own_session.h). Such a session
// listens at an abstract socket (unix(7)) whose name has the program's process id and its pid namespace. Two kinds of
// agents look for it: one in a child of the program, which leaves the child alone, and one in the program itself after
// exec(), which asks where the session is.
//
// Anybody in the network namespace can take such a name, so it counts only if root or this user listens there.
#ifndef CLEW_RING_ATTENDED_H
#define CLEW_RING_ATTENDED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "ring/handshake.h"

// `children`: those of the program start sessions of their own. The caller closes *listener. IO: the name is taken, or
// there is no /proc.
enum clew_error attended_listen(pid_t pid, bool children, int *listener);
// Answers whoever asks now. Does not block.
void attended_answer(int listener, const struct ring_started *started);

// The agent's side, with libc alone.

enum attended {
    ATTENDED_NOT,
    ATTENDED_ALONE, // by a session that wants no children
    ATTENDED_WITH_CHILDREN,
};

// How the nearest ancestor of this process that is recorded is recorded.
enum attended attended_above(void);
// Asks for the session of this very process. NOT_FOUND: there is none; otherwise as handshake_receive_started().
enum clew_error attended_already(uint64_t deadline_ns, struct ring_started *started);

#endif
