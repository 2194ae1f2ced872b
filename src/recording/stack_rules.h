// The rules by which events end activations: the collector follows them to state what runs where a block begins, readers
// (model/events/stream.h) to make stacks of it again. Activations are counted from the outermost; exception filters are none.
#ifndef CLEW_RECORDING_STACK_RULES_H
#define CLEW_RECORDING_STACK_RULES_H

#include "recording/recording.h"

// How many of the activations that run before an event still run after it. ENTER then adds one; for STACK see
// stack_confirmed().
static inline uint64_t stack_remaining(const struct recording_event *event, uint64_t running)
{
    switch (event->kind) {
    case RECORDING_LEAVE:
    case RECORDING_UNWIND:
        return running - (running > 0);
    case RECORDING_CUT:
        return event->remaining < running ? event->remaining : running;
    default:
        return running;
    }
}

// A stack is stated, after losses: `unnamed` activations, and above them `named` ones with their methods. Returns how many of those
// that run are confirmed, and go on; the others end. One is confirmed if it is at the depth of an unnamed one, or has the stated
// method, and all below it are confirmed. running: where the method of the outermost is; that of the next is `stride`
// bytes further.
static inline uint64_t stack_confirmed(const uint32_t *running, size_t stride, uint64_t count, uint64_t unnamed,
                                       const uint32_t *methods, uint64_t named)
{
    uint64_t same = unnamed < count ? unnamed : count;
    if (same == unnamed) {
        const char *method = (const char *)running + same * stride;
        for (; same < count && same - unnamed < named &&
               *(const uint32_t *)(const void *)method == methods[same - unnamed];
             method += stride) {
            same++;
        }
    }
    return same;
}

#endif
