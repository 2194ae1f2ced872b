// Which definitions a pass over a recording has seen, by number. The writer numbers definitions 0, 1, 2 and repeats all of
// them from time to time. A reader takes a copy only when it missed the original: because the pass began in the middle of
// the file, or the original is damaged. Almost always all numbers below some end are seen, so the exceptions are listed.
#ifndef CLEW_RECORDING_SEEN_NUMBERS_H
#define CLEW_RECORDING_SEEN_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Numbers that were not seen: from <= number < to.
struct number_gap {
    uint64_t from, to;
};

// All numbers below `end` were seen but those in gaps. Zero-initialise.
struct seen_numbers {
    uint64_t end;
    struct number_gap *gaps; // in no order; none is empty, and no two overlap
    size_t gap_count, gap_room;
};

// The original definitions from <= number < to; numbers left out before them become a gap. False when memory runs out.
bool seen_numbers_add(struct seen_numbers *seen, uint64_t from, uint64_t to);
// A copied definition. *wanted: it was not seen before. False when memory runs out.
bool seen_numbers_add_copy(struct seen_numbers *seen, uint64_t number, bool *wanted);
// Forgets all.
void seen_numbers_clear(struct seen_numbers *seen);
void seen_numbers_free(struct seen_numbers *seen);

// Whether a copy can hold a definition that was not seen.
static inline bool seen_numbers_lack(const struct seen_numbers *seen)
{
    return seen->gap_count > 0 || seen->end == 0;
}

#endif
