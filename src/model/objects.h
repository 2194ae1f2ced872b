// Objects of a recording by number, read from the file as they are asked for: a recording may have many millions.
#ifndef CLEW_MODEL_OBJECTS_H
#define CLEW_MODEL_OBJECTS_H

#include "recording/reader.h"

struct objects;

enum clew_error objects_open(const char *path, struct objects **out);
void objects_close(struct objects *objects);

// NULL: not in the recording, or its block is damaged, or memory ran out. Lives until the next call.
const struct recording_object *objects_find(struct objects *objects, uint32_t process, uint32_t object);
// The number of an earlier object that this one perhaps is: a collection left that in doubt. 0: of none that is known, or
// their types, sizes or texts differ, so that it is another one.
uint32_t objects_uncertain(struct objects *objects, uint32_t process, uint32_t object);
// Whether memory ran out in any call so far, so that an object may be in the recording though it was not found.
bool objects_ran_out(const struct objects *objects);
// What was met in the blocks that were asked for.
struct recording_health objects_health(const struct objects *objects);

#endif
