// Numbers with their units.
#ifndef CLEW_VIEW_FORMAT_NUMBER_H
#define CLEW_VIEW_FORMAT_NUMBER_H

#include "model/model.h"
#include "model/table.h"

enum { FORMAT_CELL = 32, FORMAT_LOST = 64 };

// All return `room`, or a text that lives for ever.

// "1.234 ms"
const char *format_ns(char room[FORMAT_CELL], uint64_t ns);
// The same; "-" where times are unknown.
const char *format_ticks(char room[FORMAT_CELL], const struct model *model, uint64_t ticks);
// By the clock that took the time: what is below the tick word's resolution reads "< 100 us".
const char *format_by_clock(char room[FORMAT_CELL], enum clock_kind clock, uint64_t ns);
// Of an ended activation's extreme: "-" while none has ended.
const char *format_extreme(char room[FORMAT_CELL], const struct model *model, uint64_t ticks, bool known);
const char *format_mean(char room[FORMAT_CELL], const struct model *model, const struct table_method *row);
// "12,345"
const char *format_count(char room[FORMAT_CELL], uint64_t count);
// "56.8 %"; "-" of nothing
const char *format_share(char room[FORMAT_CELL], uint64_t part, uint64_t whole);
// "1.5 MiB"
const char *format_size(char room[FORMAT_CELL], uint64_t bytes);
// "7 lost"; where the session was not closed in order, losses at its end are not known.
const char *format_lost(char room[FORMAT_LOST], const struct model *model);
// "" or "s", behind a noun.
const char *format_plural(uint64_t count);

// From the session's start to the last moment seen.
uint64_t format_elapsed_ns(const struct model *model);

#endif
