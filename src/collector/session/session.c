#include "collector/session/session.h"

#include <sys/mman.h>

#include "ring/ring.h"

enum { KEEP_LEAST = 4 };
static_assert(KEEP_LEAST < RING_CHUNKS_MAX / 2, "a flight recorder leaves half of the chunks to the program");
#define KEEP_DEFAULT (UINT64_C(1) << 30) // bytes, when the user gives only a time

struct session_shared *session_shared_new(void)
{
    void *start = mmap(NULL, sizeof(struct session_shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return start == MAP_FAILED ? NULL : start;
}

struct session_totals session_totals(const struct session_shared *shared)
{
    return shared->totals[atomic_load(&shared->totals_epoch) & 1];
}

void session_set_totals(struct session_shared *shared, struct session_totals totals)
{
    CLEW_ASSERT(totals.events >= session_totals(shared).events && totals.processes >= session_totals(shared).processes);
    uint32_t epoch = atomic_load(&shared->totals_epoch) + 1;
    shared->totals[epoch & 1] = totals;
    atomic_store(&shared->totals_epoch, epoch);
}

uint32_t session_keep_chunks(const struct session *session)
{
    uint64_t bytes = session->keep_bytes ? session->keep_bytes : KEEP_DEFAULT;
    uint64_t chunks = bytes / RING_CHUNK_SIZE;
    chunks = chunks < KEEP_LEAST ? KEEP_LEAST : chunks;
    return (uint32_t)(chunks < RING_CHUNKS_MAX / 2 ? chunks : RING_CHUNKS_MAX / 2);
}

uint64_t session_clock(const struct session *session)
{
    switch (session->record.clock) {
    case CLOCK_KIND_TSC:
        return clock_tsc();
    case CLOCK_KIND_MONOTONIC:
    case CLOCK_KIND_TICK:
        return clock_monotonic_ns();
    case CLOCK_KIND_NONE:
        break;
    }
    return 0;
}

double session_clock_hz(const struct session *session)
{
    return session->record.clock == CLOCK_KIND_TSC ? clock_rate_hz(session->calibration, clock_pair_now()) : 1e9;
}
