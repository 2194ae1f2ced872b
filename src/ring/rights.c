#include "ring/rights.h"

#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

// Room for one descriptor, aligned as the kernel wants it.
union control {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
};

ssize_t rights_send(int socket, const void *message, size_t size, int descriptor, int flags)
{
    union control control = {0};
    struct iovec part = {(void *)(uintptr_t)message, size}; // sendmsg() only reads it
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    if (descriptor >= 0) {
        header.msg_control = control.space;
        header.msg_controllen = sizeof control.space;
        struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(sizeof descriptor);
        memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
    }
    return sendmsg(socket, &header, flags);
}

ssize_t rights_receive(int socket, void *message, size_t size, int *descriptor)
{
    union control control = {0};
    struct iovec part = {message, size};
    struct msghdr header = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.space, .msg_controllen = sizeof control.space};
    ssize_t got = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
    const struct cmsghdr *rights = got > 0 ? CMSG_FIRSTHDR(&header) : NULL;
    *descriptor = -1;
    if (rights && rights->cmsg_level == SOL_SOCKET && rights->cmsg_type == SCM_RIGHTS &&
        rights->cmsg_len == CMSG_LEN(sizeof *descriptor)) {
        memcpy(descriptor, CMSG_DATA(rights), sizeof *descriptor);
    }
    return got;
}
