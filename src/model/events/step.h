// What happens in a stream, step by step: what walks over events (event_walk.h, cursor.h, timeline.h) report to their receivers.
#ifndef CLEW_MODEL_STEP_H
#define CLEW_MODEL_STEP_H

#include "model/events/boxes.h"
#include "model/events/stream.h"

enum step_kind {
    STEP_BEGIN, // an activation begins
    STEP_END,
    STEP_OPEN, // of a timeline alone: the activation still runs at its end
    STEP_LOST, // events are missing here
    STEP_SITE, // a statement or a value
    // With cursor_options.async alone. `frame` is a run of an async activation:
    STEP_RESUME,   // that has waited, and continues
    STEP_SUSPEND,  // that begins to wait
    STEP_COMPLETE, // that has waited, and is complete
    // With cursor_options.throws alone. `frame` is the activation in which, or below which, something was thrown or caught, or NULL:
    STEP_THROWN,
    STEP_CAUGHT,
};

// A thread with its stack as of the current step. Its address does not change.
struct event_thread {
    uint32_t process, thread;
    struct stream stream;
    uint32_t user, left_out; // for the receiver, per thread; initially 0
};

// One event can make many steps. Valid until the receiver returns.
struct event_step {
    enum step_kind kind;
    uint64_t clock;
    uint64_t ordinal; // of the event; not of OPEN
    struct event_thread *thread;
    struct stream_frame *frame; // all but LOST; frame->number is the receiver's, and 0 at BEGIN
    uint32_t level;             // of the frame: number of activations below
    enum stream_end how;        // END
    uint64_t lost;              // LOST
    uint32_t site;              // SITE: number of the site. `frame` is the activation it belongs to, or NULL
    uint64_t serial;            // RESUME, SUSPEND, COMPLETE: of the activation in its process; 0: not known.
                                // THROWN, CAUGHT: number of the exception; 0: not known
    uint64_t number;            // RESUME: ticks since it began to wait; SUSPEND: its state; COMPLETE: enum run_end.
                                // THROWN, CAUGHT: enum throw_flag
    const uint32_t *cells;      // SITE: see sites_take()
    uint32_t cells_left;
    const struct boxes *boxes; // SITE: contents of boxes at this event; valid until the next step
    // BEGIN: the thread's next event, if it is in the same block.
    bool next_known;
    bool leaf;    // the activation ends next, without recorded callees
    bool resumes; // a RESUME of it comes next, whose serial is `serial`
    uint64_t leaf_clock;
    enum stream_end leaf_how;
};

// Receives a step. An error ends the walk and is returned.
typedef enum clew_error step_visit(void *context, const struct event_step *step);

#endif
