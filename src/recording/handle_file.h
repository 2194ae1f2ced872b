// What the readers of a handle get from it beside its interface: the file below.
#ifndef CLEW_RECORDING_HANDLE_FILE_H
#define CLEW_RECORDING_HANDLE_FILE_H

#include "recording/block.h"
#include "recording/handle.h"

// For block_file_share(). Lives as long as the handle.
const struct block_file *recording__file(const struct recording *recording);

#endif
