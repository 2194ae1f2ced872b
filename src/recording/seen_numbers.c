// Gaps are searched linearly: there is one for each loss of definitions, and losses are rare.
#include "recording/seen_numbers.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"

// Empty gaps are not entered.
static bool add_gap(struct seen_numbers *seen, uint64_t from, uint64_t to)
{
    if (from >= to) {
        return true;
    }
    if (!array_grow(&seen->gaps, seen->gap_count, &seen->gap_room, sizeof *seen->gaps)) {
        return false;
    }
    seen->gaps[seen->gap_count++] = (struct number_gap){from, to};
    return true;
}

bool seen_numbers_add(struct seen_numbers *seen, uint64_t from, uint64_t to)
{
    if (from > seen->end && !add_gap(seen, seen->end, from)) {
        return false;
    }
    if (to > seen->end) {
        seen->end = to;
    }
    return true;
}

bool seen_numbers_add_copy(struct seen_numbers *seen, uint64_t number, bool *wanted)
{
    *wanted = true;
    if (number >= seen->end) {
        return seen_numbers_add(seen, number, number + 1);
    }
    for (size_t i = 0; i < seen->gap_count; i++) {
        struct number_gap *gap = &seen->gaps[i];
        if (number >= gap->from && number < gap->to) {
            CLEW_ASSERT(gap->from < gap->to && "an empty gap is none");
            uint64_t to = gap->to;
            gap->to = number;
            if (gap->from == gap->to) {
                *gap = seen->gaps[--seen->gap_count];
            }
            return add_gap(seen, number + 1, to);
        }
    }
    *wanted = false;
    return true;
}

void seen_numbers_clear(struct seen_numbers *seen)
{
    seen->end = 0;
    seen->gap_count = 0;
}

void seen_numbers_free(struct seen_numbers *seen)
{
    free(seen->gaps);
    *seen = (struct seen_numbers){0};
}
