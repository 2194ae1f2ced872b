// Which methods the JIT may suspend at an await (loaded/suspending.c says which). A frame of such a method that is gone without an exit
// is suspended, unless an exception callback has announced its end.
#ifndef CLEW_AGENT_PROBE_SUSPENDING_H
#define CLEW_AGENT_PROBE_SUSPENDING_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// `method`: clew's number, with or without marks. Methods beyond THREAD_METHODS_MAX are not known.
void probe_note_suspending(uint32_t method);
bool probe_suspends(uint32_t method);

#pragma GCC visibility pop

#endif
