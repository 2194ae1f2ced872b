// See format_number.h. Times keep three decimals in the largest unit below 1000, so that columns of a table stay narrow
// and comparable.
#include "view/text/format_number.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/assert.h"

enum { TICK_NS = 100000 }; // the collector refreshes the tick word this often

static_assert(FORMAT_CELL > 20 + 6 && FORMAT_LOST >= FORMAT_CELL + sizeof " or more lost",
              "the largest number fits, with a comma between each three of its 20 digits");

const char *format_ns(char room[FORMAT_CELL], uint64_t ns)
{
    static const struct {
        double limit, unit;
        const char *name;
    } scales[] = {{999999.5, 1e3, "us"}, {999999500, 1e6, "ms"}, {1e300, 1e9, "s"}};
    if (ns < 1000) {
        (void)snprintf(room, FORMAT_CELL, "%u ns", (unsigned)ns);
        return room;
    }
    size_t i = 0;
    while ((double)ns >= scales[i].limit) {
        i++;
    }
    CLEW_ASSERT(i < sizeof scales / sizeof *scales && "the last unit has no limit");
    (void)snprintf(room, FORMAT_CELL, "%.3f %s", (double)ns / scales[i].unit, scales[i].name);
    return room;
}

const char *format_rough(char room[FORMAT_CELL], enum clock_kind clock, uint64_t ns)
{
    static const struct {
        double unit;
        const char *name;
    } scales[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    if (clock == CLOCK_KIND_TICK && ns < TICK_NS) {
        return format_by_clock(room, clock, ns);
    }
    char digits[FORMAT_CELL];
    (void)snprintf(digits, sizeof digits, "%.1e", (double)ns);
    double rounded = strtod(digits, NULL);
    size_t i = 0;
    while (i < 3 && rounded < scales[i].unit) {
        i++;
    }
    double value = rounded / scales[i].unit;
    (void)snprintf(room, FORMAT_CELL, "%.*f %s", value < 10 && i < 3 ? 1 : 0, value, scales[i].name);
    return room;
}

const char *format_ticks(char room[FORMAT_CELL], const struct model *model, uint64_t ticks)
{
    return format_extreme(room, model, ticks, true);
}

const char *format_extreme(char room[FORMAT_CELL], const struct model *model, uint64_t ticks, bool known)
{
    if (!known || !model_has_times(model)) {
        (void)snprintf(room, FORMAT_CELL, "-");
        return room;
    }
    return format_by_clock(room, model->session.clock, model_ns(model, ticks));
}

const char *format_by_clock(char room[FORMAT_CELL], enum clock_kind clock, uint64_t ns)
{
    if (clock == CLOCK_KIND_TICK && ns < TICK_NS) {
        (void)snprintf(room, FORMAT_CELL, "< %u us", TICK_NS / 1000);
        return room;
    }
    return format_ns(room, ns);
}

const char *format_mean(char room[FORMAT_CELL], const struct model *model, const struct table_method *row)
{
    return format_extreme(room, model, row->calls ? row->sum / row->calls : 0, row->calls > 0);
}

const char *format_count(char room[FORMAT_CELL], uint64_t count)
{
    char digits[FORMAT_CELL];
    size_t size = (size_t)snprintf(digits, sizeof digits, "%llu", (unsigned long long)count), to = 0;
    for (size_t i = 0; i < size; i++) {
        if (i > 0 && (size - i) % 3 == 0) {
            room[to++] = ',';
        }
        room[to++] = digits[i];
    }
    CLEW_ASSERT(to < FORMAT_CELL);
    room[to] = '\0';
    return room;
}

const char *format_share(char room[FORMAT_CELL], uint64_t part, uint64_t whole)
{
    if (whole == 0) {
        (void)snprintf(room, FORMAT_CELL, "-");
    } else {
        (void)snprintf(room, FORMAT_CELL, "%.1f %%", 100.0 * (double)part / (double)whole);
    }
    return room;
}

const char *format_size(char room[FORMAT_CELL], uint64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    if (bytes < 1024) {
        (void)snprintf(room, FORMAT_CELL, "%u bytes", (unsigned)bytes);
        return room;
    }
    double value = (double)bytes / 1024;
    size_t unit = 0;
    while (value >= 1024 && unit < 3) {
        value /= 1024;
        unit++;
    }
    (void)snprintf(room, FORMAT_CELL, "%.1f %s", value, units[unit]);
    return room;
}

const char *format_lost(char room[FORMAT_LOST], const struct model *model)
{
    char count[FORMAT_CELL];
    if (!model->has_end && model->lost == 0) {
        return "losses not known";
    }
    (void)snprintf(room, FORMAT_LOST, "%s%s lost", format_count(count, model->lost), model->has_end ? "" : " or more");
    return room;
}

const char *format_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

uint64_t format_elapsed_ns(const struct model *model)
{
    return model_since_start_ns(model, model->ended_clock);
}
