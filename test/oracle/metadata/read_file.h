// Reads a whole file into memory, for the dumps.
#ifndef CLEW_TEST_ORACLE_METADATA_READ_FILE_H
#define CLEW_TEST_ORACLE_METADATA_READ_FILE_H

#include <stdio.h>

#include "base/bytes.h"

static inline bool read_file(const char *path, struct buffer *out)
{
    enum { STEP = 1 << 20 };
    FILE *file = fopen(path, "rb");
    uint8_t *room;
    size_t size = 0;
    *out = (struct buffer){0};
    while (file && (room = buffer_extend(out, STEP)) && (size = fread(room, 1, STEP, file)) == STEP) {
    }
    bool good = file && !out->failed && !ferror(file);
    out->size -= good ? STEP - size : 0;
    if (file) {
        (void)fclose(file); // a file that was only read
    }
    return good;
}

#endif
