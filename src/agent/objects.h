// Numbers of heap objects, as events carry them.
#ifndef CLEW_AGENT_OBJECTS_H
#define CLEW_AGENT_OBJECTS_H

#include "agent/thread.h"

#pragma GCC visibility push(hidden)

// The number of the object that `place` refers to; 0 for null. Runs in the middle of managed code, where no collection can
// begin. May write an event of its own before.
uint32_t object_number(struct ring_thread *thread, const uintptr_t *place);

#pragma GCC visibility pop

#endif
