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

// The duration that stands for those of a bucket: exact below 16 ticks, else within 6 % of each, unless it is the last bucket.
uint64_t histogram_middle(uint32_t bucket);

#endif
