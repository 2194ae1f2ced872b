// Reads whole files.
#ifndef CLEW_BASE_FILE_H
#define CLEW_BASE_FILE_H

#include <stdbool.h>

#include "base/bytes.h"

// Reads a regular file of at most `most` bytes into `into` (cleared first). It is read, not mapped: truncating a mapped file
// would kill this process with SIGBUS. False when there is no such file, it cannot be read, or it is larger (*large).
bool file_read(const char *path, size_t most, struct buffer *into, bool *large);

#endif
