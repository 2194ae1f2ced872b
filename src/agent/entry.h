// What the runtime calls.
#ifndef CLEW_AGENT_ENTRY_H
#define CLEW_AGENT_ENTRY_H

// In a forked child: from now on only what exceptions and collections need is done when the runtime calls, since the rest
// takes locks, which a thread may hold that is not there.
void entry_quiet(void);

#endif
