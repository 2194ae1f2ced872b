// The file that CLEW_LOG names, for what has to be said where there is no terminal. The agent and the session that it starts
// append to it.
#ifndef CLEW_BASE_LOG_FILE_H
#define CLEW_BASE_LOG_FILE_H

#include <stdbool.h>

// Opens it for appending. `create`: makes it, mode 0600, if it does not exist. -1, with errno: it cannot be written. Never
// blocks, not even on a FIFO without a reader. Follows links in /dev (/dev/stderr) and no others, which another user may have
// put there.
int log_file_open(const char *path, bool create);

#endif
