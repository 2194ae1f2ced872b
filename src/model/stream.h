// One thread's stream as a stack of running activations: the rules by which events begin and end them. Both users of
// streams, the call tree (model.c) and the order of events (timeline.c), get every beginning and end from here.
#ifndef CLEW_MODEL_STREAM_H
#define CLEW_MODEL_STREAM_H

#include "recording/recording.h"

#define STREAM_NO_FRAME UINT32_MAX

struct stream_frame {
    uint64_t started; // clock
    uint64_t waited;  // ticks since then in which a filter ran below: not this activation's time
    uint64_t number;  // the user's: a tree node, a mark
    uint32_t method;
    uint32_t level; // frames below it that are no filters
    bool filter;    // no activation: an exception filter of `owner` runs; what is above it is called by that
    bool joined;    // was found running where the stream (re)starts: its entry was not seen
    uint32_t owner; // frame; STREAM_NO_FRAME: an activation that is not in the stream, below all that are
};

enum stream_end { STREAM_LEFT, STREAM_UNWOUND, STREAM_UNSEEN };

struct stream {
    struct stream_frame *frames;
    uint32_t depth;    // frames
    size_t room;       // for frames
    uint32_t filters;  // of them
    uint64_t sequence; // of the block expected next
    uint64_t last_clock;
    uint64_t events; // entries and exits seen
    uint64_t lost;   // events known to be missing
    uint64_t gaps;   // times that blocks were missing
    bool begun;
};

// What events of a few bytes may make others do, for all streams of a user together: a damaged file must not keep us for
// long. Where it is used up, stated activations that are not named are left out, and filters take time off nobody.
struct stream_work {
    uint64_t unnamed; // activations
    uint64_t passed;  // frames that a filter's time was taken off
};

// What the user does at the beginning and the end of an activation. `frame` is on the stack in both calls.
struct stream_user {
    enum clew_error (*begin)(void *context, struct stream *stream, struct stream_frame *frame);
    enum clew_error (*end)(void *context, struct stream *stream, struct stream_frame *frame, uint64_t clock,
                           enum stream_end how);
    void *context;
    struct stream_work *work;
};

// To be called with each block of the thread in order, before its events: blocks missing before it are bridged with the
// list of activations that it opens with.
enum clew_error stream_open_block(struct stream *stream, const struct recording_events *block,
                                  const struct stream_user *user);
// One event. `stack`: the methods of a STACK event.
enum clew_error stream_step(struct stream *stream, const struct recording_event *event, const uint32_t *stack,
                            const struct stream_user *user);
// Activations on the stack, filters not counted.
static inline uint32_t stream_activations(const struct stream *stream)
{
    return stream->depth - stream->filters;
}
// How long an activation has run by then, without what it waited for filters.
static inline uint64_t stream_time(const struct stream_frame *frame, uint64_t clock)
{
    uint64_t since = clock > frame->started ? clock - frame->started : 0;
    return since > frame->waited ? since - frame->waited : 0;
}
// What a filter took until then is its owner's time, not that of the frames between, which wait for it.
void stream_pass_over(struct stream *stream, const struct stream_frame *filter, uint64_t clock,
                      struct stream_work *work);
// The frame that called this one: the one below, or the owner when that is a filter. NULL: nobody of the stream.
// frames + depth asks for what runs now.
struct stream_frame *stream_caller(const struct stream *stream, const struct stream_frame *frame);

void stream_fini(struct stream *stream);

#endif
