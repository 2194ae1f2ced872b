// Keeps the numbers of objects right when the garbage collector moves objects: updates the shadow of the heap
// (probe/shadow.h) in the collector's callbacks. Used in sessions with `values` only.
#ifndef CLEW_AGENT_HEAP_OBJECTS_H
#define CLEW_AGENT_HEAP_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

// Makes the shadow. False: no memory.
bool objects_start(void);
// In Initialize: starts the event session that reports collections and moves.
void objects_listen(void);
// GarbageCollectionStarted: the program has been stopped for collections.
void objects_stopped(void);
// EventPipeEventDelivered: an event of the session, on the thread where it happens. `data` is its payload.
void objects_event(uint32_t id, struct bytes data);
// GarbageCollectionFinished; for the end of a background collection the program is running.
void objects_collection_finished(void);
// RuntimeResumeStarted: the program is about to run again.
void objects_resume(void);

#endif
