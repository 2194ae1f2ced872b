#include "base/log_file.h"

#include <fcntl.h>
#include <string.h>

int log_file_open(const char *path, bool create)
{
    int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    flags |= strncmp(path, "/dev/", strlen("/dev/")) == 0 ? 0 : O_NOFOLLOW;
    return create ? open(path, flags | O_CREAT, 0600) : open(path, flags);
}
