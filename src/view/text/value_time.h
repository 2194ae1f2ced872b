// Writes moments and durations, most as .NET's invariant culture does. Units are .NET ticks of 100 ns; moments count from the
// start of year 1.
#ifndef CLEW_VIEW_VALUE_TIME_H
#define CLEW_VIEW_VALUE_TIME_H

#include "base/bytes.h"

// "12/31/2024"
void value_date(struct buffer *into, uint64_t ticks);
// "2024-12-31"
void value_date_iso(struct buffer *into, uint64_t ticks);
// "2024-12-31T23:59:59.1234567"; the fraction only if there is one
void value_moment_iso(struct buffer *into, uint64_t ticks);
// "23:59:59"
void value_time_of_day(struct buffer *into, uint64_t ticks);
// "-1.02:03:04.5000000"
void value_time_span(struct buffer *into, int64_t ticks);

#endif
