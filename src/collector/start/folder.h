// The session's folder, with the socket that agents connect to. The CLI and the collector hold a lock on it, which ends
// with the last of them. So another session recognises a folder whose session was killed, and removes it.
#ifndef CLEW_COLLECTOR_FOLDER_H
#define CLEW_COLLECTOR_FOLDER_H

#include <stdbool.h>

enum { FOLDER_PATH_SIZE = 108 }; // the longest path of a unix socket, see unix(7)

struct folder {
    char path[FOLDER_PATH_SIZE], socket_path[FOLDER_PATH_SIZE];
    int lock; // descriptor of the folder, close-on-exec; forked children share the lock until they exec. -1: none
};

// Makes the folder, mode 0700, in the first of XDG_RUNTIME_DIR, TMPDIR and /tmp that works, and *listener in it. Also
// removes the folders that killed sessions of this user have left there. False when no folder could be made.
bool folder_open(struct folder *folder, int *listener);
void folder_close(struct folder *folder);

#endif
