// The session's folder, which holds the socket that agents connect to. It is locked for as long as one of the session's
// processes lives, so that another session can tell one that both have left behind by a kill.
#ifndef CLEW_COLLECTOR_FOLDER_H
#define CLEW_COLLECTOR_FOLDER_H

#include <stdbool.h>

enum { FOLDER_PATH_SIZE = 108 }; // of a unix socket

struct folder {
    char path[FOLDER_PATH_SIZE], socket_path[FOLDER_PATH_SIZE];
    int lock; // of the folder; child processes hold it too until they run another program
};

// Makes it, mode 0700, in the first place that takes one: XDG_RUNTIME_DIR, TMPDIR, /tmp; and *listener in it. Removes what
// dead sessions of this user left in those places.
bool folder_open(struct folder *folder, int *listener);
void folder_close(struct folder *folder);

#endif
