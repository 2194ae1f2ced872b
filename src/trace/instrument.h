// Instruments: the kinds of recording that a user switches on. The command line and the segment's configuration lines use
// their names; segment and file use their bits, so a bit is never changed.
#ifndef CLEW_TRACE_INSTRUMENT_H
#define CLEW_TRACE_INSTRUMENT_H

#include <stdint.h>

#include "base/text.h"

// STATEMENTS and VALUES write streams, which include CALLS of their methods; USES extends VALUES.
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

// The enum instrument of that name; 0: there is none.
uint32_t instrument_named(struct text name);
// The instruments that the runtime's hooks record in place of these. Hooks see entries and exits alone: statements and values
// become calls, and lines become a tree.
uint32_t instruments_of_hooks(uint32_t instruments);
// The name of one instrument; NULL: the bit is not an instrument with a name.
const char *instrument_name(uint32_t instrument);

#endif
