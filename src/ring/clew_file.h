// Where the program `clew` lies, seen from the agent: the agent starts it, and doctor and the printed variables say beforehand
// whether it will.
#ifndef CLEW_RING_CLEW_FILE_H
#define CLEW_RING_CLEW_FILE_H

#include <stdbool.h>
#include <stddef.h>

// Beside the agent's file, or in ../../bin where that is installed in lib/clew. False: there is none that can be executed.
bool clew_file_of(const char *agent, char *path, size_t size);

#endif
