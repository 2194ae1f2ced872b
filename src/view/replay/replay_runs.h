// The runs before and after a run of an async activation (`--call` shows all of them, replay_call.h), and the waits between. They
// are found where the events are: what a run says of its wait leads to where that began, and the run that continues an
// activation has the same serial. So the rest of the activation is not read.
#ifndef CLEW_VIEW_REPLAY_RUNS_H
#define CLEW_VIEW_REPLAY_RUNS_H

#include <stdatomic.h>

#include "model/events/cursor.h"

// A wait between two runs of one async activation.
struct replay_wait {
    bool known;                  // both ends were found
    uint64_t suspended, resumed; // clocks
    uint32_t body, state;        // where (waits_place())
    uint64_t call;               // number of the run at the other end; 0: not known
    struct cursor_position at;   // of the event at the other end
};

struct replay_runs {
    struct replay_wait before; // which the run continued
    struct replay_wait after;  // with which it ended
    bool resumed, waits;       // it continued a wait, it began one: if an end of that was not found, the rest is known
};

// Looks for the neighbours of the run that begins with the event `begin` (cursor_find_call()), at most so many `events` far for
// each. `cancelled` ends the search early. What was not found is not known. Errors are those of the cursor; the event must
// be there.
enum clew_error replay_runs_find(struct recording *recording, uint64_t call, const struct cursor_position *begin,
                                 uint64_t events, const atomic_bool *cancelled, struct replay_runs *out);

#endif
