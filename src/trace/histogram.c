#include "trace/histogram.h"

uint64_t histogram_total(const uint64_t *counts)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        total += counts[i];
    }
    return total;
}

// The duration that differs from the first and the last one of the bucket by the same share of them.
static uint64_t middle(uint32_t bucket)
{
    double from = (double)histogram_from(bucket), last = (double)histogram_from(bucket + 1) - 1;
    return from == last ? (uint64_t)from : (uint64_t)(2 * from * last / (from + last) + 0.5);
}

uint64_t histogram_quantile(const uint64_t *counts, double part)
{
    double wanted = part * (double)histogram_total(counts);
    uint64_t before = 0;
    uint32_t last = 0;
    for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        if (counts[i] == 0) {
            continue;
        }
        before += counts[i];
        last = i;
        if ((double)before >= wanted) {
            break;
        }
    }
    return before ? middle(last) : 0;
}
