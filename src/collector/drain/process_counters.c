// The counters of the instrument `lines`: the blocks of all threads are summed up every second and at the process's
// end, and written when a sum has changed.
#include <stdio.h>
#include <stdlib.h>

#include "collector/drain/process_parts.h"
#include "ring/ring_lines.h"
#include "trace/instrument.h"

#define COUNTERS_EVERY_NS UINT64_C(1000000000)

// An own time in ticks of the session's clock, as the recording has it. The tick word counts ns whatever that clock is.
static uint64_t ticks_of(const struct drain *drain, uint64_t own)
{
    const struct recording_session *record = &drain->session->record;
    bool other = record->clock == CLOCK_KIND_TSC && !(record->flags & SESSION_LINES_BY_CLOCK);
    return other ? (uint64_t)((double)own * session_clock_hz(drain->session) / 1e9) : own;
}

// Packs the counters of sites that were reached, in order of their numbers; *all is their sum.
static uint32_t pack(const struct drain *drain, const struct ring_line *sums, uint32_t end,
                     struct recording_counter *counters, uint64_t *all)
{
    uint32_t count = 0;
    CLEW_ASSERT(end <= RING_SITES_MAX);
    *all = 0;
    for (uint32_t site = 0; site < end; site++) {
        if (sums[site].count) {
            CLEW_ASSERT(count <= site);
            counters[count++] = (struct recording_counter){site, sums[site].count, ticks_of(drain, sums[site].own)};
            *all += sums[site].count;
        }
    }
    return count;
}

static enum clew_error write_counters(struct process *process, struct drain *drain, uint32_t end)
{
    struct ring_line *sums = calloc(end, sizeof *sums);
    struct recording_counter *counters = calloc(end, sizeof *counters);
    enum clew_error error = sums && counters ? CLEW_OK : CLEW_NO_MEMORY;
    if (error == CLEW_OK) {
        error = ring_lines_sum(process->ring, sums, end);
    }
    if (error == CLEW_OK) {
        uint64_t all;
        uint32_t count = pack(drain, sums, end, counters, &all);
        if (all != process->lines_counted) {
            process->lines_counted = all;
            error = process__definitions(process, drain);
            error = error ? error
                          : recording_write_counters(drain->writer, &(struct recording_counters){
                                                                        .process = process->number,
                                                                        .clock = session_clock(drain->session),
                                                                        .count = count,
                                                                        .counters = counters,
                                                                    });
        }
    }
    free(sums);
    free(counters);
    return error;
}

enum clew_error process__counters(struct process *process, struct drain *drain, uint64_t now_ns)
{
    uint32_t end = 0;
    CLEW_TRY(ring_instruments(process->ring) & INSTRUMENT_LINES ? ring_lines_end(process->ring, &end) : CLEW_OK);
    if (end > 0) {
        CLEW_TRY(write_counters(process, drain, end));
    }
    process->next_counters_ns = process__due_after(now_ns, clock_monotonic_ns() - now_ns, COUNTERS_EVERY_NS);
    return CLEW_OK;
}

enum clew_error process__note_missed_lines(struct process *process, struct drain *drain)
{
    uint64_t missed = atomic_load_explicit(&process->ring->lines_missed, memory_order_relaxed);
    char text[128];
    if (missed == 0) {
        return CLEW_OK;
    }
    (void)snprintf(text, sizeof text, "there was no room to count the lines of %llu calls", (unsigned long long)missed);
    return recording_write_note(drain->writer,
                                &(struct recording_note){.process = process->number, .text = text_of(text)});
}
