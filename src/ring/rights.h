// One message over a unix socket, with at most one file descriptor beside it (SCM_RIGHTS, see unix(7)). The handshake
// and the channel between CLI and collector both pass a segment's memfd this way. libc only: the agent links it.
#ifndef CLEW_RING_RIGHTS_H
#define CLEW_RING_RIGHTS_H

#include <stddef.h>
#include <sys/types.h>

// As send(): the bytes sent, or -1 with errno. `descriptor` -1 sends none; the caller still owns it afterwards.
ssize_t rights_send(int socket, const void *message, size_t size, int descriptor, int flags);

// As recv(): the bytes received, or -1 with errno. *descriptor is close-on-exec and the caller's; -1 when the message
// came without one, or this process had no free descriptor for it.
ssize_t rights_receive(int socket, void *message, size_t size, int *descriptor);

#endif
