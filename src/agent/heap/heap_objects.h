// Numbers of objects follow the objects: what the garbage collector's callbacks do with the shadow of the heap.
#ifndef CLEW_AGENT_HEAP_OBJECTS_H
#define CLEW_AGENT_HEAP_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

bool objects_start(void);                           // false: no memory
void objects_listen(void);                          // asks the runtime to say what its collector moves; in Initialize
void objects_stopped(void);                         // the program, for collections: GarbageCollectionStarted
void objects_event(uint32_t id, struct bytes data); // of the runtime
void objects_collection_finished(void);
void objects_resume(void); // before the program goes on

#endif
