// Clocks of a session as nanoseconds, and back (model.h).
#include "model/model.h"

uint64_t model_ns(const struct model *model, uint64_t ticks)
{
    double hz = model->session.clock_hz, ns = hz > 0 ? (double)ticks * 1e9 / hz : 0;
    return ns < 1.8e19 ? (uint64_t)(ns + 0.5) : UINT64_MAX; // a damaged file can have a rate near 0
}

uint64_t model_ticks(const struct model *model, uint64_t ns)
{
    double ticks = (double)ns * model->session.clock_hz / 1e9;
    return ticks < 1.8e19 ? (uint64_t)(ticks + 0.5) : UINT64_MAX;
}

uint64_t model_since_start_ns(const struct model *model, uint64_t clock)
{
    return clock > model->session.started_clock ? model_ns(model, clock - model->session.started_clock) : 0;
}

uint64_t model_clock_at(const struct model *model, uint64_t ns)
{
    uint64_t ticks = model_ticks(model, ns), start = model->session.started_clock;
    return ticks < UINT64_MAX - start ? start + ticks : UINT64_MAX;
}
