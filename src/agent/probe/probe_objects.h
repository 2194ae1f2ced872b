// The number of the object behind a reference, and of those that a struct refers to.
#ifndef CLEW_AGENT_PROBE_OBJECTS_H
#define CLEW_AGENT_PROBE_OBJECTS_H

#include "agent/probe/probe_structs.h"
#include "agent/probe/probe_thread.h"

#pragma GCC visibility push(hidden)

// The number of the object that `place` refers to; 0 for null, VALUE_OBJECT_INVALID where its bits refer to none. Runs in
// the middle of managed code, where no collection can begin. May write an event of its own before, and tells what is in a
// box each time.
uint32_t object_number(struct ring_thread *thread, const uintptr_t *place);
// The same, with what is in boxes within boxes so many deep.
uint32_t object_number_within(struct ring_thread *thread, const uintptr_t *place, unsigned boxes);

// The offsets of references in a value of a type, by its method table, that lie in its first `size` bytes.
void struct_find_references(const void *table, uint32_t size, struct struct_references *out);

// Looks at a value of at most STRUCT_SIZE_MAX bytes. Numbers its references, which may write events; of boxes that they
// lead to, what is in them is told so many deep.
void struct_look(struct ring_thread *thread, const void *table, const char *address, uint32_t size, unsigned boxes,
                 struct struct_value *out);

#pragma GCC visibility pop

#endif
