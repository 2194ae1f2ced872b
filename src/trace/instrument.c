#include "trace/instrument.h"

#include "base/assert.h"

static const char *const names[] = {"tree", "calls", "lines", "statements", "values"}; // by bit
static_assert(1u << (sizeof names / sizeof *names - 1) == INSTRUMENT_VALUES, "a name for each bit");

uint32_t instrument_named(struct text name)
{
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (text_equal(name, text_of(names[i]))) {
            return 1u << i;
        }
    }
    return 0;
}

uint32_t instruments_of_hooks(uint32_t instruments)
{
    uint32_t calls = instruments & INSTRUMENT_STREAMS ? INSTRUMENT_CALLS : 0;
    uint32_t tree = instruments & (INSTRUMENT_TREE | INSTRUMENT_LINES) ? INSTRUMENT_TREE : 0;
    return calls | tree;
}

const char *instrument_name(uint32_t instrument)
{
    uint32_t bit = instrument ? (uint32_t)__builtin_ctz(instrument) : UINT32_MAX;
    return bit < sizeof names / sizeof *names ? names[bit] : NULL;
}
