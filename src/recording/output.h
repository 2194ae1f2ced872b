// Whether a recording may be written under a name: what is there may be somebody's.
#ifndef CLEW_RECORDING_OUTPUT_H
#define CLEW_RECORDING_OUTPUT_H

#include "base/error.h"

enum recording_output {
    OUTPUT_NEW,           // nothing is there, or an empty file: written in place of it
    OUTPUT_RECORDING,     // a recording, which becomes PATH.old; that is free, empty or a recording
    OUTPUT_DEVICE,        // a character device: written to as it is
    OUTPUT_SPECIAL,       // a folder, FIFO, socket, disk
    OUTPUT_FOREIGN,       // a file that is no recording, or that cannot be read
    OUTPUT_OLD_IN_THE_WAY // the same of what PATH.old is
};

// A file that begins with the magic of recordings is one.
enum recording_output recording_output_of(const char *path);

// PATH.old, the name that a recording gets when another takes its own; the caller frees it. NULL when memory runs out.
char *recording_old_name(const char *path);

// Makes room for a new file at `path`: renames what is there to PATH.old, and removes an empty file. *old is the new name,
// which the caller frees and from which it can rename it back; NULL: nothing was renamed. CLEW_IO: errno says why.
enum clew_error recording_output_set_aside(const char *path, char **old);

#endif
