// Histograms of durations: eight buckets for each power of two, so that a quantile is known to 6 % (the layout of
// HdrHistogram, https://hdrhistogram.org, with three bits). Ticks below 16 have a bucket each.
#ifndef CLEW_TRACE_HISTOGRAM_H
#define CLEW_TRACE_HISTOGRAM_H

#include <stdint.h>

enum {
    HISTOGRAM_BITS = 3,     // buckets of an octave: 2^3
    HISTOGRAM_OCTAVES = 46, // durations from 2^46 ticks on are in the last bucket
    HISTOGRAM_BUCKETS = (HISTOGRAM_OCTAVES - HISTOGRAM_BITS + 1) << HISTOGRAM_BITS,
};

// The bucket of a duration.
static inline uint32_t histogram_bucket(uint64_t ticks)
{
    if (ticks < 1u << HISTOGRAM_BITS) {
        return (uint32_t)ticks;
    }
    unsigned shift = 63u - (unsigned)__builtin_clzll(ticks) - HISTOGRAM_BITS;
    uint32_t bucket = (shift << HISTOGRAM_BITS) + (uint32_t)(ticks >> shift);
    return bucket < HISTOGRAM_BUCKETS ? bucket : HISTOGRAM_BUCKETS - 1;
}

// The shortest duration of a bucket; of HISTOGRAM_BUCKETS, the first that is longer than all.
static inline uint64_t histogram_from(uint32_t bucket)
{
    if (bucket < 2u << HISTOGRAM_BITS) {
        return bucket;
    }
    unsigned shift = (bucket >> HISTOGRAM_BITS) - 1;
    return (uint64_t)(bucket - (shift << HISTOGRAM_BITS)) << shift;
}

// The number of durations in all buckets.
uint64_t histogram_total(const uint64_t *counts);
// The smallest duration that `part` (0 to 1) of all do not exceed: exact below 16 ticks, else within 6 %, unless it is in the
// last bucket. 0 if there are none.
uint64_t histogram_quantile(const uint64_t *counts, double part);

#endif
