// Checks whether a recording may be written under a name: an existing file there may be one that the user needs.
#ifndef CLEW_RECORDING_OUTPUT_H
#define CLEW_RECORDING_OUTPUT_H

#include "base/error.h"

enum recording_output {
    OUTPUT_NEW,           // nothing is there, or an empty file: written in place of it
    OUTPUT_RECORDING,     // a recording, which will be renamed to PATH.old; there is nothing there that would be lost
    OUTPUT_LIVE,          // a recording that is still being written: its writer would lose it
    OUTPUT_DEVICE,        // a character device: written to as it is
    OUTPUT_SPECIAL,       // a folder, FIFO, socket, disk
    OUTPUT_FOREIGN,       // a file that is no recording, or that cannot be read
    OUTPUT_OLD_IN_THE_WAY // a recording, but PATH.old is one of the two kinds above
};

// A file that begins with the magic bytes of recordings counts as a recording. Changes nothing.
enum recording_output recording_output_of(const char *path);

// PATH.old, the name that a recording gets when a new one is written to PATH; the caller frees it. NULL when memory
// runs out.
char *recording_old_name(const char *path);

// Makes room for a new file at `path`: renames an existing file to PATH.old, and deletes an empty one. *old: the new name,
// from which the caller can rename the file back, and which it frees; NULL: nothing was renamed. IO: errno says why.
enum clew_error recording_output_set_aside(const char *path, char **old);

#endif
