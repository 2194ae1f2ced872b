// Facts that `info` states both as text and as JSON.
#ifndef CLEW_VIEW_REPORT_INFO_H
#define CLEW_VIEW_REPORT_INFO_H

#include "model/model.h"

// The word for the state of a process. doc/json.md lists them.
const char *info_state(enum process_state state);
// Whether the process ended by itself or by a signal. If so it has an exit status, though that may be unknown.
bool info_ended(const struct recording_process *process);
// The calibrated cost of a call in ns: the highest of all processes; 0 if not calibrated.
double info_overhead_ns(const struct model *model);

// What recording cost, by events: the calibrated cost of one, the highest of all processes, times their number. Of values the
// dearer of numbers and references counts, of objects that of short strings. Compiling what was woven is not in it.
struct info_cost {
    const char *event, *one; // "call", "a call"
    double each_ns;          // 0: not calibrated, or no instrument has such events
    uint64_t count;
};
enum { INFO_COSTS = 5 };
void info_costs(const struct model *model, struct info_cost out[INFO_COSTS]);

enum { INFO_INSTRUMENTS = 6 };
// The name of an instrument if the session used it, else NULL. `i` is below INFO_INSTRUMENTS.
const char *info_instrument(const struct model *model, unsigned i);

#endif
