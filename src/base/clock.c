#include "base/clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/assert.h"

static const char *const names[] = {
#define X(code, value, name) [value] = name,
    CLOCKS(X)
#undef X
};
static_assert(sizeof names / sizeof *names == CLOCK_KIND_NONE + 1, "each clock has a name");

const char *clock_name(enum clock_kind kind)
{
    return (size_t)kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}

bool clock_from_name(const char *name, enum clock_kind *out)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            *out = (enum clock_kind)i;
            return true;
        }
    }
    return false;
}

static uint64_t clock_ns(clockid_t id)
{
    struct timespec now;
    (void)clock_gettime(id, &now); // cannot fail for these ids
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t clock_monotonic_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

uint64_t clock_realtime_ns(void)
{
    return clock_ns(CLOCK_REALTIME);
}

// The kernel checks the counter against other clocks at run time, and removes it from the list when it is unreliable.
static bool kernel_trusts_tsc(void)
{
    char line[128] = "";
    FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/available_clocksource", "re");
    if (!file) {
        return true; // without /sys only the processor can be asked
    }
    bool read = fgets(line, sizeof line, file) != NULL;
    (void)fclose(file); // only read from
    return read && strstr(line, "tsc") != NULL;
}

bool clock_tsc_usable(void)
{
    return clock_tsc_promised() && kernel_trusts_tsc();
}

struct clock_pair clock_pair_now(void)
{
    // The best of five tries is the one with the shortest gap: an interrupt between the readings would skew the rate.
    struct clock_pair best = {0};
    uint64_t best_gap = UINT64_MAX;
    for (int i = 0; i < 5; i++) {
        uint64_t before = clock_tsc();
        uint64_t ns = clock_monotonic_ns();
        uint64_t after = clock_tsc();
        if (after - before < best_gap) {
            best_gap = after - before;
            best = (struct clock_pair){.tsc = before + (after - before) / 2, .ns = ns};
        }
    }
    return best;
}

double clock_rate_hz(struct clock_pair from, struct clock_pair to)
{
    return to.ns > from.ns ? (double)(to.tsc - from.tsc) * 1e9 / (double)(to.ns - from.ns) : 0;
}
