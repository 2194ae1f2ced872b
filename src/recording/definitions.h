// The valid definitions of a recording, encoded: the writer repeats them from time to time, and at the start of a new part.
#ifndef CLEW_RECORDING_DEFINITIONS_H
#define CLEW_RECORDING_DEFINITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/map.h"
#include "recording/codec.h"

struct definition_entry {
    uint64_t type, number;
    size_t offset, size; // in definitions.bytes
};

// Zero-initialise.
struct definitions {
    struct buffer bytes;
    size_t unused; // of bytes: the bodies of replaced definitions
    struct definition_entry *entries;
    size_t count, room;
    struct map by_key; // position in entries, by type, process and number
};

// Adds a definition, or replaces the older one of the same numbers. False when memory runs out;
// then nothing has changed.
bool definitions_put(struct definitions *definitions, const struct codec_definition *definition);
struct codec_definition definitions_at(const struct definitions *definitions, size_t position);
void definitions_free(struct definitions *definitions);

#endif
