// Which libraries a library needs that the dynamic loader does not find.
#ifndef CLEW_COLLECTOR_DEPENDENCIES_H
#define CLEW_COLLECTOR_DEPENDENCIES_H

#include <stdbool.h>

#include "base/bytes.h"

// Asks the dynamic loader `loader`, as ldd(1) does: it lists what it would load, and runs no code of it. False when a
// dependency is missing or too old; `why` then gets one sentence with cause and cure, without a full stop.
bool dependencies_found(const char *path, const char *loader, struct buffer *why);

#endif
