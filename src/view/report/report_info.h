// What both forms of `info` say in words.
#ifndef CLEW_VIEW_REPORT_INFO_H
#define CLEW_VIEW_REPORT_INFO_H

#include "model/model.h"

const char *info_state(enum process_state state);
// Whether it came to an end by itself or by a signal, so that it has an exit status, which may be unknown.
bool info_ended(const struct recording_process *process);
// The worst of all processes, in ns a call; 0 when not calibrated.
double info_overhead_ns(const struct model *model);

enum { INFO_INSTRUMENTS = 6 };
// The name of an instrument where the session had it, else NULL; i below INFO_INSTRUMENTS.
const char *info_instrument(const struct model *model, unsigned i);

#endif
