// The path of a test program's recording; the file is created and removed around its tests. Include it in one file per
// program.
#ifndef CLEW_TEST_RECORDING_PATH_H
#define CLEW_TEST_RECORDING_PATH_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/clew-unit-XXXXXX";

static inline int make_path(void **state)
{
    (void)state;
    int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static inline int remove_path(void **state)
{
    (void)state;
    char old[sizeof path + 8];
    (void)snprintf(old, sizeof old, "%s.old", path);
    (void)unlink(old); // it may not exist
    return unlink(path);
}

#endif
