// A generator of its own, so that a failure repeats. Included by one file a program.
#ifndef CLEW_TEST_RECORDING_RANDOM_H
#define CLEW_TEST_RECORDING_RANDOM_H

#include <stdint.h>

static uint64_t seed;

static inline uint64_t next_random(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t x = seed ^ seed >> 33;
    return x * UINT64_C(0xff51afd7ed558ccd) ^ x >> 29;
}

// Small numbers mostly, now and then any.
static inline uint64_t random_number(void)
{
    return next_random() >> (next_random() % 64);
}

#endif
