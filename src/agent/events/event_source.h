// Keeps the runtime's managed event source out of the agent's event session, because it would allocate in the program's heap.
#ifndef CLEW_AGENT_EVENT_SOURCE_H
#define CLEW_AGENT_EVENT_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "clr/profiling.h"
#include "metadata/tables/metadata.h"

#pragma GCC visibility push(hidden)

// The filter string that identifies the agent's own session; for info_start_events().
const clr_char *event_source_filter(void);
// The MethodDef in the core library by which native code calls managed event sources; 0: it has no method of the known name
// and signature.
uint32_t event_source_callback(const struct metadata *core);
// Whether this is that method and still unpatched. Its precompiled code must not run then.
bool event_source_is_callback(clr_id function);
// JITCompilationStarted: inserts the check if this is that method. True: it did, and nothing else may change the method.
bool event_source_compile(clr_id function);

#pragma GCC visibility pop

#endif
