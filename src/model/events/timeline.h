// Delivers the events of all threads in the order of their clocks. Views that print events are its receivers. One block
// per thread is in memory at a time, at most 512 MiB together; large blocks are loaded in parts.
#ifndef CLEW_MODEL_TIMELINE_H
#define CLEW_MODEL_TIMELINE_H

#include "model/events/boxes.h"
#include "model/events/stream.h"
#include "recording/reader.h"

// The kinds of steps.
enum timeline_kind {
    TIMELINE_BEGIN, // an activation begins
    TIMELINE_END,
    TIMELINE_OPEN, // after the last event of the recording, unless `to` comes before (see `borders`): the activation
                   // still runs
    TIMELINE_LOST, // events are missing here
    TIMELINE_SITE, // a statement or a value
};

// A thread with its stack as of the current step. Its address does not change during a run.
struct timeline_thread {
    uint32_t process, thread;
    struct stream stream;
    uint32_t user, left_out; // for the receiver, per thread; initially 0
};

// What happens next. Valid until the callback returns.
struct timeline_step {
    enum timeline_kind kind;
    uint64_t clock;
    struct timeline_thread *thread;
    struct stream_frame *frame; // BEGIN, END, OPEN; frame->number is the receiver's, and 0 at BEGIN
    uint32_t level;             // BEGIN, END, OPEN: number of activations below
    enum stream_end how;        // END
    uint64_t lost;              // LOST
    uint32_t site;              // SITE: number of the site. `frame` is the activation it belongs to, or NULL
    const uint32_t *cells;      // SITE: see sites_take()
    uint32_t cells_left;
    const struct boxes *boxes; // SITE: contents of boxes at this event; valid until the next step
    // BEGIN: the thread's next event, if it is in the same block.
    bool next_known;
    bool leaf; // the activation ends next, without recorded callees
    uint64_t leaf_clock;
    enum stream_end leaf_how;
};

// Which events to deliver, and to whom.
struct timeline_options {
    uint32_t thread;   // 0: all
    uint64_t from, to; // clocks; to = UINT64_MAX: up to the end
    // Also report the activations that run at the borders: a BEGIN step at `from` for each that began earlier, outermost
    // first, also of threads without events in between; an OPEN step at `to` for each that ends later, innermost first.
    bool borders;
    enum clew_error (*step)(void *context, const struct timeline_step *step);
    // Whether to read a block; NULL: all. The others are as if they were missing: activations that run when a later block
    // begins are then stated, and have no BEGIN step of their own.
    bool (*wants)(void *context, const struct recording_block *block);
    void (*done)(void *context); // called after the last step, while threads and frames exist; may be NULL
    void *context;
    size_t loaded_wanted;            // bytes of events in memory; 0: a suitable default
    struct recording_health *health; // receives the damage that was found; may be NULL
};

// Reports the events from `from` to `to`, both included. Without `borders`, activations that began earlier are on the
// stack without a BEGIN step. NOTHING_RECORDED: the recording has no stream, or none of the thread. An error of `step` ends the run and
// is returned.
enum clew_error timeline_run(struct recording *recording, const struct timeline_options *options);

// The same in the caller's own time. Errors are those of timeline_run(), and after one only timeline_close() may follow.
// The options are copied; `recording` and what the options point to must outlive the timeline.
struct timeline;
enum clew_error timeline_open(struct recording *recording, const struct timeline_options *options,
                              struct timeline **out);
// Processes the next event of all threads, or opens a block: calls `step` any number of times, also not at all.
// NOT_FOUND: everything was reported.
enum clew_error timeline_advance(struct timeline *timeline);
void timeline_close(struct timeline *timeline);

#endif
