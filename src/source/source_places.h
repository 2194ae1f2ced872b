// Where sources are that are not at the path that the symbols name.
#ifndef CLEW_SOURCE_SOURCE_PLACES_H
#define CLEW_SOURCE_SOURCE_PLACES_H

#include "base/text.h"

// A folder of this machine with the sources that the symbols name in the folder `from`.
struct source_map {
    struct text from, to;
};

// Maps come first, in their order.
struct source_places {
    const struct source_map *maps;
    unsigned map_count;
    const struct text *folders;
    unsigned folder_count;
};

#endif
