// Numbers of objects: of the one behind a reference, and of those that a struct refers to. Runs in the middle of
// managed code, in cooperative mode, so no collection can begin and addresses stay valid.
#ifndef CLEW_AGENT_PROBE_OBJECTS_H
#define CLEW_AGENT_PROBE_OBJECTS_H

#include "agent/probe/probe_structs.h"
#include "agent/probe/probe_thread.h"

#pragma GCC visibility push(hidden)

// The number of the object to which the reference at `location` leads; 0: null; VALUE_OBJECT_INVALID: its bits lead to
// no object. May write an OBJECT event first, and writes a BOX event each time if the object is a box. The caller
// writes its own event after that.
uint32_t object_number(struct ring_thread *thread, const uintptr_t *location);
// The same, with the content of boxes within boxes up to `boxes` levels deep.
uint32_t object_number_within(struct ring_thread *thread, const uintptr_t *location, unsigned boxes);

// The offsets of the references within the first `size` bytes of a value type, by its method table.
void struct_find_references(const void *table, uint32_t size, struct struct_references *out);

// Prepares the copy of a value of at most STRUCT_SIZE_MAX bytes: numbers the objects to which it refers, which may
// write OBJECT and BOX events, the latter up to `boxes` levels deep.
void struct_look(struct ring_thread *thread, const void *table, const char *address, uint32_t size, unsigned boxes,
                 struct struct_value *out);

// Whether all memory from `from` to before `end` is readable.
bool objects_can_read(uintptr_t from, uintptr_t end);

// Writes the event of an object's first sight with a text of so many units, at most 16, for calibration.
void objects_rehearse(struct ring_thread *context, uint32_t units);

#pragma GCC visibility pop

#endif
