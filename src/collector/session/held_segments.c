#include "collector/session/held_segments.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/assert.h"
#include "collector/session/limits.h"

static void close_segment(const struct held_segment *held)
{
    if (held->segment >= 0) {
        (void)close(held->segment); // a memfd: nothing to flush
    }
}

void held_segments_add(struct held_segments *segments, struct held_segment held)
{
    if (held.segment >= 0 && !limits_may_keep(held.segment)) {
        close_segment(&held); // a takeover needs free descriptors to open the file
        held.segment = -1;
    }
    if (!array_grow(&segments->of, segments->count, &segments->room, sizeof *segments->of)) {
        close_segment(&held); // a takeover counts it as missing
        return;
    }
    CLEW_ASSERT(segments->count == 0 || segments->of[segments->count - 1].process < held.process);
    segments->of[segments->count++] = held;
}

void held_segments_remove(struct held_segments *segments, uint32_t process)
{
    for (size_t i = 0; i < segments->count; i++) {
        if (segments->of[i].process == process) {
            close_segment(&segments->of[i]);
            segments->count--;
            memmove(&segments->of[i], &segments->of[i + 1], (segments->count - i) * sizeof *segments->of);
            return;
        }
    }
}

void held_segments_free(struct held_segments *segments)
{
    for (size_t i = 0; i < segments->count; i++) {
        close_segment(&segments->of[i]);
    }
    free(segments->of);
    *segments = (struct held_segments){0};
}
