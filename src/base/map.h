// A hash map from 64-bit keys to 64-bit values, with open addressing. Zero-initialise before use. Not thread-safe.
// Keys other than numbers (pairs, texts) are reduced to 64 bits by the caller; map_hash_text() helps where a
// collision is checked for.
#ifndef CLEW_BASE_MAP_H
#define CLEW_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot {
    uint64_t key;
    uint64_t value;
    bool used;
};

struct map {
    struct map_slot *slots;
    size_t capacity; // 0 or a power of two
    size_t count;
};

bool map_get(const struct map *map, uint64_t key, uint64_t *value);
// Adds or replaces; false when memory runs out (the map is unchanged then).
bool map_put(struct map *map, uint64_t key, uint64_t value);
// Does nothing without the key. The map keeps its capacity.
void map_remove(struct map *map, uint64_t key);
void map_free(struct map *map);

// A 64-bit hash of bytes. Different texts may have equal hashes: compare the texts themselves after a hit.
uint64_t map_hash_text(const void *text, size_t size);

#endif
