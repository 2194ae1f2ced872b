// The events of all threads in the order of their clocks, from the threads' streams. Holds what is loaded of one block of
// each thread, 512 MiB at most: of many large ones a part at a time.
#ifndef CLEW_MODEL_TIMELINE_H
#define CLEW_MODEL_TIMELINE_H

#include "model/boxes.h"
#include "model/model.h"
#include "model/stream.h"

enum timeline_kind {
    TIMELINE_BEGIN, // an activation
    TIMELINE_END,
    TIMELINE_OPEN, // at the end of all: it still runs
    TIMELINE_LOST, // events are missing here
    TIMELINE_SITE, // a statement or a value
};

struct timeline_thread {
    uint32_t process, thread;
    struct stream stream;
    uint32_t user, left_out; // whatever the receiver keeps a thread; 0 at first
};

struct timeline_step {
    enum timeline_kind kind;
    uint64_t clock;
    struct timeline_thread *thread;
    struct stream_frame *frame; // BEGIN, END, OPEN; frame->number is the receiver's, 0 at BEGIN
    uint32_t level;             // BEGIN, END, OPEN: activations below it on the stack
    enum stream_end how;        // END
    uint64_t lost;              // LOST
    uint32_t site;              // SITE: its number in the process. frame: the activation that it is in, or NULL
    const uint32_t *cells;      // SITE: see sites_take()
    uint32_t cells_left;
    const struct boxes *boxes; // SITE: what is in those that it refers to; lives until the next step
    // BEGIN: what the thread does next, as far as its block tells.
    bool next_known;
    bool leaf; // it ends next, calling nothing that is recorded...
    uint64_t leaf_clock;
    enum stream_end leaf_how;
};

struct timeline_options {
    uint32_t thread;   // 0: all
    uint64_t from, to; // clocks; to UINT64_MAX: to the end
    enum clew_error (*step)(void *context, const struct timeline_step *step);
    void (*done)(void *context); // after the last step, while threads and frames are still there; may be NULL
    void *context;
    size_t loaded_wanted;            // bytes of events to hold at a time; 0: what suits most
    struct recording_health *health; // what the run met is taken into it; may be NULL
};

// Steps from `from` to `to`, both included. Activations that began before `from` are on the stack without a BEGIN step.
// NOTHING_RECORDED: the recording has no stream (of that thread).
enum clew_error timeline_run(const char *path, const struct timeline_options *options);

#endif
