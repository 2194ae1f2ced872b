// What can be switched on, by the names that the command line and the configuration lines use; their bits are those of the
// segment and of the file.
#ifndef CLEW_TRACE_INSTRUMENT_H
#define CLEW_TRACE_INSTRUMENT_H

#include <stdint.h>

#include "base/text.h"

// STATEMENTS and VALUES are streams and bring CALLS with them; USES goes with VALUES.
enum instrument {
    INSTRUMENT_TREE = 1u << 0,
    INSTRUMENT_CALLS = 1u << 1,
    INSTRUMENT_LINES = 1u << 2,
    INSTRUMENT_STATEMENTS = 1u << 3,
    INSTRUMENT_VALUES = 1u << 4,
    INSTRUMENT_USES = 1u << 5,
    // Those that have a name of their own.
    INSTRUMENTS = INSTRUMENT_TREE | INSTRUMENT_CALLS | INSTRUMENT_LINES | INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES,
    // Those that write streams, in which the calls of their methods are, too.
    INSTRUMENT_STREAMS = INSTRUMENT_CALLS | INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES,
    // Those whose probes are at sites.
    INSTRUMENT_AT_SITES = INSTRUMENT_LINES | INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES,
};

// An enum instrument; 0 when there is none of that name.
uint32_t instrument_named(struct text name);
// Of one instrument; NULL for a bit that is none.
const char *instrument_name(uint32_t instrument);

#endif
