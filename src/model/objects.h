// Looks up objects by number. A recording can have many millions, so blocks are read from the file on demand.
#ifndef CLEW_MODEL_OBJECTS_H
#define CLEW_MODEL_OBJECTS_H

#include "recording/reader.h"

// A reader of objects. Opaque: decoded blocks move in and out of a cache.
struct objects;

// The handle must outlive the reader. The caller calls objects_close().
enum clew_error objects_open(struct recording *recording, struct objects **out);
void objects_close(struct objects *objects);

// NULL: not recorded, its block is damaged, or memory ran out. The result is valid until the next call.
const struct recording_object *objects_find(struct objects *objects, uint32_t process, uint32_t object);
// Some objects have an uncertain identity: after a garbage collection the agent could not determine whether an address still
// holds the same object, and gave it a new number with a link to the earlier one. Returns the earlier number; 0 if
// there is none, or if types, sizes or texts differ, so that the two cannot be one object.
uint32_t objects_uncertain(struct objects *objects, uint32_t process, uint32_t object);
// Whether memory ran out in any call so far. If so, an object that was not found may still be in the recording.
bool objects_ran_out(const struct objects *objects);
// Whether the identity of some object is uncertain.
bool objects_some_uncertain(const struct objects *objects);
// The damage in the blocks that were read so far.
struct recording_health objects_health(const struct objects *objects);

#endif
