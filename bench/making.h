// What the programs that make recordings for the bench share.
#ifndef CLEW_BENCH_MAKING_H
#define CLEW_BENCH_MAKING_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

// Ends the program on an error.
static inline void must(enum clew_error error)
{
    if (error != CLEW_OK) {
        fprintf(stderr, "%s: %s\n", program_invocation_short_name, clew_error_sentence(error));
        exit(1);
    }
}

// A random number below the limit; the same ones in each run.
static inline uint32_t below(uint64_t *seed, uint32_t limit)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(((*seed >> 32) * limit) >> 32);
}

#endif
