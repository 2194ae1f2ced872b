#include "collector/start/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "ring/handshake.h"

#define PREFIX "clew-"
#define SOCKET "socket"

// -- Folders of killed sessions ---------------------------------------------------------------------------------------

// A session's folder belongs to this user, is closed to others, and has a socket in it. Anything else with such a name
// may be somebody's data.
static bool is_session(int folder)
{
    struct stat about, inside;
    return fstat(folder, &about) == 0 && about.st_uid == geteuid() && (about.st_mode & 0777) == 0700 &&
           fstatat(folder, SOCKET, &inside, AT_SYMLINK_NOFOLLOW) == 0 && S_ISSOCK(inside.st_mode);
}

// A session without a lock still listens: one of an older clew, or on a file system without locks.
static bool is_deserted(int folder)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/" SOCKET, folder);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool refused =
        fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof address) != 0 && errno == ECONNREFUSED;
    if (fd >= 0) {
        (void)close(fd); // a socket without unsent data
    }
    return refused;
}

// A session takes the lock before it makes the socket, and keeps it. So if we get the lock of a folder with a socket,
// its session is dead, and no other process will remove the folder meanwhile.
static void sweep(int parent, const char *name)
{
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) {
        return;
    }
    if (is_session(folder) && flock(folder, LOCK_EX | LOCK_NB) == 0 && is_session(folder) && is_deserted(folder)) {
        (void)unlinkat(folder, SOCKET, 0); // on failure the next session tries again
        (void)unlinkat(parent, name, AT_REMOVEDIR);
    }
    (void)close(folder); // releases the lock
}

static void sweep_all(const char *path)
{
    DIR *parent = opendir(path);
    const struct dirent *entry;
    while (parent && (entry = readdir(parent))) {
        size_t size = strlen(entry->d_name);
        if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) == 0 && size == strlen(PREFIX "XXXXXX")) {
            sweep(dirfd(parent), entry->d_name);
        }
    }
    if (parent) {
        (void)closedir(parent); // only read from
    }
}

// -- This session's ---------------------------------------------------------------------------------------------------

static void lock(struct folder *folder)
{
    folder->lock = open(folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder->lock >= 0) {
        (void)flock(folder->lock, LOCK_EX); // on failure other sessions rely on the listener
    }
}

static bool make(struct folder *folder, const char *parent, int *listener)
{
    int size = snprintf(folder->path, sizeof folder->path, "%s/" PREFIX "XXXXXX", parent);
    if (size < 0 || (size_t)size >= sizeof folder->path || !mkdtemp(folder->path)) {
        return false;
    }
    (void)chmod(folder->path, 0700); // independent of the umask
    lock(folder);
    size = snprintf(folder->socket_path, sizeof folder->socket_path, "%s/" SOCKET, folder->path);
    if ((size_t)size >= sizeof folder->socket_path || handshake_listen(folder->socket_path, listener) != CLEW_OK) {
        folder_close(folder);
        return false;
    }
    return true;
}

// In an unsafe folder another user could replace our folder by theirs.
static bool is_safe(const char *parent)
{
    struct stat about;
    return stat(parent, &about) == 0 && (about.st_uid == 0 || about.st_uid == geteuid()) &&
           (!(about.st_mode & (S_IWGRP | S_IWOTH)) || about.st_mode & S_ISVTX);
}

// Safe parents first. In an unsafe one another user can disturb the session, but not record or be
// recorded by it, since both sides of the handshake check the user of the other.
bool folder_open(struct folder *folder, int *listener)
{
    const char *const parents[] = {getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"), "/tmp"};
    enum { PARENTS = sizeof parents / sizeof *parents };
    bool made = false;
    for (size_t i = 0; i < (size_t)2 * PARENTS; i++) {
        const char *parent = parents[i % PARENTS];
        if (parent && parent[0] == '/' && is_safe(parent) == (i < PARENTS)) {
            sweep_all(parent);
            made = made || make(folder, parent, listener);
        }
    }
    return made;
}

void folder_close(struct folder *folder)
{
    (void)unlink(folder->socket_path); // fails if it does not exist yet
    (void)rmdir(folder->path);
    if (folder->lock >= 0) {
        (void)close(folder->lock); // a folder
    }
}
