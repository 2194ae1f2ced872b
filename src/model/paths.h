// Adds paths to those that a recording defines for a process, for runs that say where they belong by their stream alone. A path
// that the recording defines keeps its number.
#ifndef CLEW_MODEL_PATHS_H
#define CLEW_MODEL_PATHS_H

#include "model/async.h"

struct paths {
    struct async *async;
    uint32_t process;
    uint32_t next;      // number of the next one
    struct map numbers; // parent << 32 | method: its number
    bool failed;        // memory ran out
};

// Begins with those that are defined. NO_MEMORY is the only error; the caller calls paths_fini(), also after it. `async` gets
// the new ones, and has to outlive *paths.
enum clew_error paths_init(struct paths *paths, struct async *async, uint32_t process);
// The number of the path of a method, or of a place of await (PATH_AWAIT), below `parent`. PATH_NONE: the parent is none, or
// there is no room for more paths.
uint32_t paths_below(struct paths *paths, uint32_t parent, uint32_t method);
void paths_fini(struct paths *paths);

#endif
