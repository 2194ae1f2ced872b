// Keeps the agent's event session from the runtime's managed event source, which would allocate in the program's heap.
#ifndef CLEW_AGENT_EVENT_SOURCE_H
#define CLEW_AGENT_EVENT_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "clr/profiling.h"
#include "metadata/tables/metadata.h"

#pragma GCC visibility push(hidden)

// The filter by which the agent's own session is known.
const clr_char *event_source_filter(void);
// The method of the core library by which sessions reach managed event sources; 0: it has none that is known.
uint32_t event_source_callback(const struct metadata *core);
// Whether it is that method, which still has to be compiled with the check in front.
bool event_source_is_callback(clr_id function);
// Of a method that is about to be compiled: puts the check in front if it is that one. True: it did.
bool event_source_compile(clr_id function);

#pragma GCC visibility pop

#endif
