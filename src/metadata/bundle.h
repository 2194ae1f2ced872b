// The NAME.deps.json inside a single-file program, which has no such file beside it.
#ifndef CLEW_METADATA_BUNDLE_H
#define CLEW_METADATA_BUNDLE_H

#include <stdbool.h>

#include "base/bytes.h"

// Reads it from the program's file into `content` (cleared first). False: the file is no single-file program, has none, or cannot
// be read.
bool bundle_packages(const char *program, struct buffer *content);

#endif
