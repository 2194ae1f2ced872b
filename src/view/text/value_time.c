// See value_time.h.
#include "view/text/value_time.h"

#include "base/assert.h"
#include "base/text.h"

enum { SECONDS_A_DAY = 86400 };
#define TICKS_A_SECOND UINT64_C(10000000)
#define TICKS_A_DAY (TICKS_A_SECOND * SECONDS_A_DAY)

// Converts days since 1 January of year 1 to a date of the proleptic Gregorian calendar (H. Hinnant, "chrono-Compatible
// Low-Level Date Algorithms", civil_from_days). Years begin in March there, so that the leap day comes last.
static void write_date(struct buffer *into, uint64_t ticks, bool iso)
{
    uint64_t days = ticks / TICKS_A_DAY + 306; // since 1 March of year 0
    uint64_t era = days / 146097, day_of_era = days % 146097;
    uint64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    uint64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    uint64_t month = (5 * day_of_year + 2) / 153;
    uint64_t day = day_of_year - (153 * month + 2) / 5 + 1;
    month = month < 10 ? month + 3 : month - 9;
    CLEW_ASSERT(month >= 1 && month <= 12 && day >= 1 && day <= 31);
    unsigned year = (unsigned)(year_of_era + era * 400 + (month <= 2));
    if (iso) {
        buffer_printf(into, "%04u-%02u-%02u", year, (unsigned)month, (unsigned)day);
    } else {
        buffer_printf(into, "%02u/%02u/%04u", (unsigned)month, (unsigned)day, year);
    }
}

void value_date(struct buffer *into, uint64_t ticks)
{
    write_date(into, ticks, false);
}

void value_date_iso(struct buffer *into, uint64_t ticks)
{
    write_date(into, ticks, true);
}

void value_time_of_day(struct buffer *into, uint64_t ticks)
{
    unsigned seconds = (unsigned)(ticks / TICKS_A_SECOND % SECONDS_A_DAY);
    buffer_printf(into, "%02u:%02u:%02u", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

static void write_fraction(struct buffer *into, uint64_t ticks)
{
    if (ticks % TICKS_A_SECOND) {
        buffer_printf(into, ".%07u", (unsigned)(ticks % TICKS_A_SECOND));
    }
}

void value_moment_iso(struct buffer *into, uint64_t ticks)
{
    write_date(into, ticks, true);
    buffer_u8(into, 'T');
    value_time_of_day(into, ticks);
    write_fraction(into, ticks);
}

void value_time_span(struct buffer *into, int64_t ticks)
{
    uint64_t size = ticks < 0 ? -(uint64_t)ticks : (uint64_t)ticks;
    buffer_printf(into, "%s", ticks < 0 ? "-" : "");
    if (size >= TICKS_A_DAY) {
        buffer_printf(into, "%llu.", (unsigned long long)(size / TICKS_A_DAY));
    }
    value_time_of_day(into, size);
    write_fraction(into, size);
}
