#include "trace/histogram.h"

// The duration that differs from the first and the last one of the bucket by the same share of them.
uint64_t histogram_middle(uint32_t bucket)
{
    double from = (double)histogram_from(bucket), last = (double)histogram_from(bucket + 1) - 1;
    return from == last ? (uint64_t)from : (uint64_t)(2 * from * last / (from + last) + 0.5);
}
