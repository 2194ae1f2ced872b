// Values of structs as probes copy them: their bytes, with numbers of objects in place of references, and without what their
// fields' names leave out.
#ifndef CLEW_AGENT_PROBE_STRUCTS_H
#define CLEW_AGENT_PROBE_STRUCTS_H

#include "agent/probe/probe_thread.h"
#include "trace/site.h"

enum { STRUCT_REFERENCES_MAX = STRUCT_SIZE_MAX / 8 };

struct struct_references {
    uint32_t offsets[STRUCT_REFERENCES_MAX];
    uint32_t count;
};

// A value that is about to be copied.
struct struct_value {
    const char *address;
    uint32_t size;        // bytes
    const uint64_t *mask; // of those that are left out; NULL: none are
    struct struct_references references;
    uint32_t objects[STRUCT_REFERENCES_MAX]; // the number of each
};

#pragma GCC visibility push(hidden)

// Copies it into as many cells as it fills, the last of them padded with zeros, like what is left out.
void struct_copy(const struct struct_value *value, uint32_t *cells);

// Bytes as they lie in memory, padded likewise.
void struct_copy_bytes(uint32_t *cells, const void *from, uint32_t size);

#pragma GCC visibility pop

#endif
