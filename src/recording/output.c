// Decides by the kind of the file and its first bytes. Nothing here opens a file for writing.
#include "recording/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "recording/block.h"

// A writer holds an exclusive lock on its recording (writer.c).
static enum recording_output judge_file(const char *path)
{
    uint8_t start[BLOCK_MAGIC_SIZE];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        return OUTPUT_FOREIGN;
    }
    bool is = read(fd, start, sizeof start) == (ssize_t)sizeof start && block_begins_file(start);
    bool live = is && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    (void)close(fd); // releases the lock
    return live ? OUTPUT_LIVE : is ? OUTPUT_RECORDING : OUTPUT_FOREIGN;
}

// Symbolic links are followed; a dangling one counts as a free name and is replaced.
static enum recording_output judge(const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0) {
        return errno == EACCES ? OUTPUT_FOREIGN : OUTPUT_NEW; // other errors are reported when the file is opened
    }
    if (S_ISCHR(about.st_mode) && text_starts(text_of(path), "/dev/")) {
        return OUTPUT_DEVICE;
    }
    if (!S_ISREG(about.st_mode)) {
        return OUTPUT_SPECIAL;
    }
    return about.st_size == 0 ? OUTPUT_NEW : judge_file(path);
}

char *recording_old_name(const char *path)
{
    char *old;
    return asprintf(&old, "%s.old", path) < 0 ? NULL : old;
}

enum recording_output recording_output_of(const char *path)
{
    enum recording_output output = judge(path), other;
    if (output != OUTPUT_RECORDING) {
        return output;
    }
    char *old = recording_old_name(path);
    if (!old) {
        return OUTPUT_OLD_IN_THE_WAY;
    }
    other = judge(old);
    free(old);
    return other == OUTPUT_NEW || other == OUTPUT_RECORDING || other == OUTPUT_LIVE ? OUTPUT_RECORDING
                                                                                    : OUTPUT_OLD_IN_THE_WAY;
}

enum clew_error recording_output_set_aside(const char *path, char **old)
{
    struct stat about;
    *old = NULL;
    if (lstat(path, &about) != 0) {
        return errno == ENOENT ? CLEW_OK : CLEW_IO;
    }
    // Renaming a socket or a folder would do harm.
    if (!S_ISREG(about.st_mode) && !S_ISLNK(about.st_mode)) {
        return CLEW_IO;
    }
    if (S_ISREG(about.st_mode) && about.st_size == 0) {
        return unlink(path) == 0 ? CLEW_OK : CLEW_IO; // an empty file must not replace an older recording at PATH.old
    }
    char *name = recording_old_name(path);
    if (!name) {
        return CLEW_NO_MEMORY;
    }
    if (rename(path, name) != 0) {
        int number = errno;
        free(name);
        errno = number;
        return CLEW_IO;
    }
    *old = name;
    return CLEW_OK;
}
