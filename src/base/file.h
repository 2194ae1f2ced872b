// Files as a whole.
#ifndef CLEW_BASE_FILE_H
#define CLEW_BASE_FILE_H

#include <stdbool.h>

#include "base/bytes.h"

// A regular file of at most `most` bytes, into `into` (cleared first): read, not mapped, since who shortens a mapped file
// takes us along. False when there is none, it cannot be read, or it has more: *large then.
bool file_read(const char *path, size_t most, struct buffer *into, bool *large);

#endif
