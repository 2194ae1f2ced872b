// The definitions of a recording that are still valid, as their bytes: what the writer repeats from time to time.
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
    size_t stale; // of bytes: of entries that were replaced
    struct definition_entry *entries;
    size_t count, room;
    struct map by_key; // of what can be replaced: position in entries
};

// Adds a definition, or replaces the older one of the same numbers. False when memory runs out;
// then nothing has changed.
bool definitions_put(struct definitions *definitions, const struct codec_definition *definition);
struct codec_definition definitions_at(const struct definitions *definitions, size_t position);
void definitions_free(struct definitions *definitions);

#endif
