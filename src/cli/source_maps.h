// The option --source-map of the verbs that record or show sources.
#ifndef CLEW_CLI_SOURCE_MAPS_H
#define CLEW_CLI_SOURCE_MAPS_H

#include <stdbool.h>

#include "source/source_places.h"

enum { SOURCE_MAPS_MAX = 32 };

// The maps that were given, in order. Zero-initialise. The texts are those of the arguments.
struct source_maps {
    struct source_map maps[SOURCE_MAPS_MAX];
    unsigned count;
};

// Parses FROM=TO. False after printing what is wrong with it.
bool source_maps_take(struct source_maps *maps, const char *text);
static inline struct source_places source_maps_places(const struct source_maps *maps)
{
    return (struct source_places){.maps = maps->maps, .map_count = maps->count};
}

#endif
