// Logical paths: places in the logical call tree (struct ring_path), and the table by which they are found. All threads share them.
// Lock-free; a broken program may overwrite the segment, so each number is bounded where it is used.
#ifndef CLEW_AGENT_PROBE_LOGICAL_PATHS_H
#define CLEW_AGENT_PROBE_LOGICAL_PATHS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/probe/probe_thread.h"

#pragma GCC visibility push(hidden)

// Makes the private table. Called once, before any probe runs. False: no memory.
bool paths_setup(void);
bool paths_are_there(void);
// The path of `method` below `parent`, which is made if necessary. PATH_NONE: there is no room, or no parent.
uint32_t path_intern(uint32_t parent, uint32_t method);
uint32_t path_method(uint32_t path);
uint32_t path_parent(uint32_t path);

#pragma GCC visibility pop

#endif
