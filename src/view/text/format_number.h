// Prints numbers with their units.
#ifndef CLEW_VIEW_FORMAT_NUMBER_H
#define CLEW_VIEW_FORMAT_NUMBER_H

#include "model/model.h"
#include "model/table.h"

// The size of the buffers that callers provide; format_lost() needs the larger one.
enum { FORMAT_CELL = 32, FORMAT_LOST = 64 };

// Unless stated otherwise these functions write to `room` and return it, or return a string constant.

// A duration: "1.234 ms".
const char *format_ns(char room[FORMAT_CELL], uint64_t ns);
// A duration in ticks of the session's clock; "-" if the session has no times.
const char *format_ticks(char room[FORMAT_CELL], const struct model *model, uint64_t ticks);
// A duration measured by `clock`. Below the resolution of the tick word it is "< 100 us".
const char *format_by_clock(char room[FORMAT_CELL], enum clock_kind clock, uint64_t ns);
// A duration that is known to some percent, in two digits: "1.2 ms", "120 us".
const char *format_rough(char room[FORMAT_CELL], enum clock_kind clock, uint64_t ns);
// The shortest or longest time of ended activations; "-" if `known` is false, since none has ended.
const char *format_extreme(char room[FORMAT_CELL], const struct model *model, uint64_t ticks, bool known);
// The mean time of a method's activations; "-" if it has no calls.
const char *format_mean(char room[FORMAT_CELL], const struct model *model, const struct table_method *row);
// A count: "12,345".
const char *format_count(char room[FORMAT_CELL], uint64_t count);
// A share: "56.8 %"; "-" if the whole is 0.
const char *format_share(char room[FORMAT_CELL], uint64_t part, uint64_t whole);
// A size: "1.5 MiB".
const char *format_size(char room[FORMAT_CELL], uint64_t bytes);
// Losses: "7 lost". If the session was not closed in order, losses at its end are unknown, and the text says so.
const char *format_lost(char room[FORMAT_LOST], const struct model *model);
// The ending of a plural noun: "" for 1, else "s".
const char *format_plural(uint64_t count);

// Nanoseconds from the session's start to its end, or to the last known moment.
uint64_t format_elapsed_ns(const struct model *model);

#endif
