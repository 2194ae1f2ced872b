// See progress.h. The numbers come from the memory that the CLI shares with its collector, so drawing the line costs
// the recorded program nothing.
#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/assert.h"

#define SILENT_NS UINT64_C(1000000000) // a short run needs no line

bool progress_wanted(void)
{
    return isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO);
}

void progress_show(void *context)
{
    struct progress *progress = context;
    const struct session_shared *shared = progress->session->shared;
    uint64_t now = clock_monotonic_ns();
    progress->started_ns = progress->started_ns ? progress->started_ns : now;
    CLEW_ASSERT(now >= progress->started_ns && "CLOCK_MONOTONIC does not go back");
    if (now - progress->started_ns < SILENT_NS) {
        return;
    }
    progress->shown = true;
    (void)fprintf(stderr, "\r\033[Kclew: %.0f s, %.3f million events, %.1f MiB",
                  (double)(now - progress->started_ns) / 1e9, (double)atomic_load(&shared->events) / 1e6,
                  (double)atomic_load(&shared->bytes) / 1048576);
}

void progress_end(struct progress *progress)
{
    if (progress->shown) {
        (void)fputs("\r\033[K", stderr); // if stderr fails there is nowhere to report it
    }
}
