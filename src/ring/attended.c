// See attended.h.
#include "ring/attended.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/proc_stat.h"

enum { ANCESTORS_MAX = 64 };

// The name begins with a NUL. *size is that of the address; 0: there is no /proc.
static socklen_t address_of(pid_t pid, bool children, struct sockaddr_un *address)
{
    char namespace[64];
    ssize_t size = readlink("/proc/self/ns/pid", namespace, sizeof namespace - 1);
    if (size <= 0) {
        return 0;
    }
    namespace[size] = '\0';
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    int length = snprintf(address->sun_path + 1, sizeof address->sun_path - 1, "clew/%s/%d%s", namespace, (int)pid,
                          children ? "+" : "");
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

enum clew_error attended_listen(pid_t pid, bool children, int *listener)
{
    struct sockaddr_un address;
    socklen_t size = address_of(pid, children, &address);
    int fd = size ? socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) : -1;
    if (fd < 0) {
        return CLEW_IO;
    }
    if (bind(fd, (const struct sockaddr *)&address, size) != 0 || listen(fd, SOMAXCONN) != 0) {
        (void)close(fd); // the earlier error is the one to report
        return CLEW_IO;
    }
    *listener = fd;
    return CLEW_OK;
}

void attended_answer(int listener, const struct ring_started *started)
{
    int fd;
    while ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        (void)send(fd, started, sizeof *started,
                   MSG_NOSIGNAL | MSG_DONTWAIT); // a child of the program does not read it
        (void)close(fd);                         // the peer can still receive
    }
}

// A socket that is connected to the session of that process; -1: there is none.
static int session_of(pid_t pid, bool children)
{
    struct sockaddr_un address;
    struct ucred peer;
    socklen_t size = address_of(pid, children, &address), peer_size = sizeof peer;
    int fd = size ? socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) : -1;
    if (fd < 0) {
        return -1;
    }
    if (connect(fd, (const struct sockaddr *)&address, size) == 0 &&
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &peer_size) == 0 && (peer.uid == 0 || peer.uid == geteuid())) {
        return fd;
    }
    (void)close(fd); // not connected, or to somebody else's
    return -1;
}

enum attended attended_above(void)
{
    pid_t pid = getppid();
    for (int i = 0; i < ANCESTORS_MAX && pid > 0; i++) {
        for (int children = 0; children <= 1; children++) {
            int fd = session_of(pid, children);
            if (fd >= 0) {
                (void)close(fd); // that there is one is all we want to know
                return children ? ATTENDED_WITH_CHILDREN : ATTENDED_ALONE;
            }
        }
        struct proc_stat stat = {0};
        pid = proc_stat_read(pid, &stat) ? stat.parent : 0; // without permission to see it, it has no parent for us
    }
    return ATTENDED_NOT;
}

enum clew_error attended_already(uint64_t deadline_ns, struct ring_started *started)
{
    int fd = session_of(getpid(), false);
    fd = fd >= 0 ? fd : session_of(getpid(), true);
    if (fd < 0) {
        return CLEW_NOT_FOUND;
    }
    enum clew_error error = handshake_receive_started(fd, deadline_ns, started);
    (void)close(fd);
    return error;
}
