// Values of structs as events contain them: the bytes of the struct, with object numbers in place of references and
// zeros in place of redacted fields.
#ifndef CLEW_AGENT_PROBE_STRUCTS_H
#define CLEW_AGENT_PROBE_STRUCTS_H

#include "agent/probe/probe_thread.h"
#include "trace/site.h"

enum { STRUCT_REFERENCES_MAX = STRUCT_SIZE_MAX / 8 };

struct struct_references {
    uint32_t offsets[STRUCT_REFERENCES_MAX];
    uint32_t count;
};

// A value that is about to be copied. Its objects are numbered before, since that may write events.
struct struct_value {
    const char *address;
    uint32_t size;        // bytes
    const uint64_t *mask; // a bit for each redacted byte; NULL: none are redacted
    struct struct_references references;
    uint32_t objects[STRUCT_REFERENCES_MAX]; // number of the object behind each reference
};

#pragma GCC visibility push(hidden)

// Copies the value to (size + 3) / 4 cells. The padding of the last cell is zero.
void struct_copy(const struct struct_value *value, uint32_t *cells);

// Copies `size` bytes as they are, padded likewise.
void struct_copy_bytes(uint32_t *cells, const void *from, uint32_t size);

#pragma GCC visibility pop

#endif
