// Delivers the events of all threads in the order of their clocks, from one time to another. Views that print events are its
// receivers.
#ifndef CLEW_MODEL_TIMELINE_H
#define CLEW_MODEL_TIMELINE_H

#include "model/events/cursor.h"

// Which events to deliver, and to whom.
struct timeline_options {
    struct model_threads threads; // the caller keeps them as long as the timeline
    uint64_t from, to;            // clocks; to = UINT64_MAX: up to the end
    // Also report the activations that run at the borders: a BEGIN step at `from` for each that began earlier, outermost
    // first, also of threads without events in between; an OPEN step at `to` for each that ends later, innermost first.
    bool borders;
    bool states_anew, async, throws; // see struct cursor_options
    step_visit *step;
    // Whether to read a block; NULL: all. The others are as if they were missing: activations that run when a later block
    // begins are then stated, and have no BEGIN step of their own.
    bool (*wants)(void *context, const struct recording_block *block);
    void (*done)(void *context); // called after the last step, while threads and frames exist; may be NULL
    void *context;
    size_t loaded_wanted;            // bytes of events in memory; 0: a suitable default
    struct recording_health *health; // receives the damage that was found; may be NULL
};

// Reports the events from `from` to `to`, both included; then, unless `to` comes before the last of them, an OPEN step for each
// activation that still runs. Without `borders`, activations that began earlier are on the stack without a BEGIN step.
// NOTHING_RECORDED: the recording has no stream, or none of the thread. An error of `step` ends the run and is returned.
enum clew_error timeline_run(struct recording *recording, const struct timeline_options *options);

// The same in the caller's own time. Errors are those of timeline_run(), and after one only timeline_close() may follow.
// The options are copied; `recording` and what the options point to must outlive the timeline.
struct timeline;
enum clew_error timeline_open(struct recording *recording, const struct timeline_options *options,
                              struct timeline **out);
// Moves over the next event of all threads, or over an end of the timeline: calls `step` any number of times, also not at
// all. NOT_FOUND: everything was reported.
enum clew_error timeline_advance(struct timeline *timeline);
// The same for the event before; its steps are in the order of time. NOT_FOUND: there is none.
enum clew_error timeline_retreat(struct timeline *timeline);
// Places the timeline before the first event at `clock` or later. UINT64_MAX: after its last step.
enum clew_error timeline_seek_time(struct timeline *timeline, uint64_t clock);
// Places it before that event. NOT_FOUND: there is no such event in the timeline, which is then before its first step.
enum clew_error timeline_seek_event(struct timeline *timeline, const struct cursor_position *at);
void timeline_close(struct timeline *timeline);

#endif
