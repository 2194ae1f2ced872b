// Which activations the runs on a thread's stack are of, and where those belong: the part of stream_runs.c that looks at the stack. No
// other file includes this.
#ifndef CLEW_MODEL_STREAM_RUNS_RECORDS_H
#define CLEW_MODEL_STREAM_RUNS_RECORDS_H

#include "model/stream_runs.h"

// The number of a method as nodes have it. Others than methods are in damaged files only, or stand for a lost method.
static inline uint32_t runs_plain_number(uint32_t method)
{
    return method >= METHOD_FIRST_STREAMED && method < METHOD_NUMBERS_MAX ? method : METHOD_MISSING;
}

static inline uint32_t runs_index(const struct stream *stream, const struct stream_frame *frame)
{
    return (uint32_t)(frame - stream->frames);
}

// The run of a frame, among the first `count` runs. NULL: the frame is no run.
struct run *runs_at(const struct runs_thread *thread, uint32_t frame, uint32_t count);
// The frame that has called the first run at a frame: 1 + the kick-off, or 1 + the frame itself if the body has no kick-off
// with events. 0: not known.
uint32_t runs_call(const struct runs *runs, const struct runs_thread *thread, uint32_t frame);
// When the activation of a first run began; 0: not known.
uint64_t runs_started(const struct runs_thread *thread, const struct run *run);
// Gives a run and those around it records, the outermost first: a path begins with that of the caller.
void runs_need_record(struct runs *runs, struct runs_thread *thread, struct run *run);
// The activation that a run of it names: a new one, whose caller is not known, if no event has named it before.
struct activation_ref runs_named(struct runs *runs, uint64_t serial, uint32_t body);

// How a run begins.
struct run_beginning {
    uint32_t number; // of its node
    struct activation_ref activation;
    struct run_mark mark; // of the activation
    bool resumed, unknown;
    uint64_t awaited, own_awaited; // ticks
};
// What begins with the frame of a body. `event`: the RESUME that says it; NULL: there is none.
struct run_beginning runs_begin_body(struct runs *runs, const struct stream_frame *frame, uint32_t body,
                                     const struct recording_event *event, uint64_t number);

#endif
