// What can be switched on, by the names that the command line and the configuration lines use.
#ifndef CLEW_RING_INSTRUMENT_H
#define CLEW_RING_INSTRUMENT_H

#include <stdint.h>

#include "base/text.h"
#include "ring/ring.h"

enum {
    // Those that the agent has; the others are names that are known and refused.
    RING_INSTRUMENTS = RING_TREE | RING_CALLS | RING_LINES | RING_STATEMENTS | RING_VALUES,
    // Those that write streams, in which the calls of their methods stand too.
    RING_STREAMS = RING_CALLS | RING_STATEMENTS | RING_VALUES,
    // Those whose probes stand at sites.
    RING_AT_SITES = RING_LINES | RING_STATEMENTS | RING_VALUES,
};

// An enum ring_instrument; 0 when there is none of that name.
uint32_t ring_instrument_named(struct text name);
// Of one instrument; NULL for a bit that is none.
const char *ring_instrument_name(uint32_t instrument);

#endif
