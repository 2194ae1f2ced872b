// Linear probing in a table that is at most half full, so a search looks at two slots on average.
#include "base/map.h"

#include <stdlib.h>

#include "base/assert.h"

// The slot where the search for a key begins.
static size_t home_of(const struct map *map, uint64_t key)
{
    CLEW_ASSERT((map->capacity & (map->capacity - 1)) == 0);
    // Fibonacci hashing, with the high bits folded in; see Knuth, TAOCP 3, 6.4.
    uint64_t hash = (key ^ key >> 32) * 0x9E3779B97F4A7C15u;
    return (size_t)(hash >> 20) & (map->capacity - 1);
}

// The slot of the key, or the free slot where the search for it ends.
static size_t slot_of(const struct map *map, uint64_t key)
{
    CLEW_ASSERT(map->count < map->capacity && "a free slot ends each search");
    size_t slot = home_of(map, key);
    while (map->slots[slot].used && map->slots[slot].key != key) {
        slot = (slot + 1) & (map->capacity - 1);
    }
    return slot;
}

bool map_get(const struct map *map, uint64_t key, uint64_t *value)
{
    if (map->capacity == 0) {
        return false;
    }
    const struct map_slot *slot = &map->slots[slot_of(map, key)];
    if (!slot->used) {
        return false;
    }
    *value = slot->value;
    return true;
}

// Doubles the capacity and inserts all keys anew.
static bool grow(struct map *map)
{
    struct map larger = {.capacity = map->capacity ? map->capacity * 2 : 16, .count = map->count};
    larger.slots = calloc(larger.capacity, sizeof *larger.slots);
    if (!larger.slots) {
        return false;
    }
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->slots[i].used) {
            larger.slots[slot_of(&larger, map->slots[i].key)] = map->slots[i];
        }
    }
    free(map->slots);
    *map = larger;
    return true;
}

bool map_put(struct map *map, uint64_t key, uint64_t value)
{
    if (map->count * 2 >= map->capacity && !grow(map)) {
        return false;
    }
    struct map_slot *slot = &map->slots[slot_of(map, key)];
    map->count += !slot->used;
    CLEW_ASSERT(map->count * 2 <= map->capacity);
    *slot = (struct map_slot){.key = key, .value = value, .used = true};
    return true;
}

void map_remove(struct map *map, uint64_t key)
{
    if (map->capacity == 0) {
        return;
    }
    size_t last = map->capacity - 1, hole = slot_of(map, key);
    if (!map->slots[hole].used) {
        return;
    }
    map->count--;
    // A search ends at a free slot, so the removed slot must not interrupt the search for a later key: each later key moves
    // into the hole, unless its search begins behind the hole (Knuth, algorithm R).
    for (size_t at = (hole + 1) & last; map->slots[at].used; at = (at + 1) & last) {
        size_t home = home_of(map, map->slots[at].key);
        if (((at - home) & last) >= ((at - hole) & last)) {
            map->slots[hole] = map->slots[at];
            hole = at;
        }
    }
    map->slots[hole] = (struct map_slot){0};
}

void map_free(struct map *map)
{
    free(map->slots);
    *map = (struct map){0};
}

uint64_t map_hash_text(const void *text, size_t size)
{
    // FNV-1a, 64 bits.
    const unsigned char *at = text;
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ at[i]) * 0x100000001B3u;
    }
    return hash;
}
