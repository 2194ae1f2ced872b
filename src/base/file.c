// O_NONBLOCK and O_NOCTTY: opening a FIFO or a terminal of this name must neither block nor take over the terminal.
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

// False when the file ends early, as one that is being truncated does.
static bool read_whole(int fd, size_t size, struct buffer *into)
{
    uint8_t *at = buffer_extend(into, size);
    size_t done = 0;
    while (at && done < size) {
        ssize_t got = read(fd, at + done, size - done);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        done += (size_t)got;
    }
    return at != NULL;
}

bool file_read(const char *path, size_t most, struct buffer *into, bool *large)
{
    struct stat status;
    *large = false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        return false;
    }
    bool regular = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    *large = regular && (uint64_t)status.st_size > most;
    buffer_clear(into);
    bool whole = regular && !*large && read_whole(fd, (size_t)status.st_size, into);
    (void)close(fd); // only read from
    return whole;
}
