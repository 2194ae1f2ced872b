// Interprets one thread's stream as a stack of running activations. These are the only rules by which events begin and
// end activations; both users, the call trees (model_streams.c) and the order of events (timeline.c), get every
// beginning and end from here.
#ifndef CLEW_MODEL_STREAM_H
#define CLEW_MODEL_STREAM_H

#include "recording/recording.h"

#define STREAM_NO_FRAME UINT32_MAX

// A frame: a running activation, or an exception filter.
struct stream_frame {
    uint64_t started; // clock at the beginning
    uint64_t waited;  // ticks since then spent in filters below, which are not its own time
    uint64_t number;  // for the user: a node of the tree, a mark
    uint64_t call;    // its number in the process (doc/recording.md, "EVENTS"); 0: not known
    uint64_t
        serial; // of the async activation whose run it is up to its next wait; 0: of none with a serial, or not known
    uint64_t caught; // the number of the exception that it has caught last; 0: none, or not known
    uint32_t method;
    uint32_t level; // number of activations below it
    bool filter;    // an exception filter of `owner` runs; frames above it are its callees
    bool joined;    // it was already running when the stream began or restarted
    bool restated;  // a STACK event has stated it: what it was before is not certain
    uint32_t owner; // index of a frame; STREAM_NO_FRAME: its owner is below all frames
};

enum stream_end { STREAM_LEFT, STREAM_UNWOUND, STREAM_UNSEEN };

// An exception on its way from a throw to its catch.
struct stream_throw {
    uint64_t exception; // its number
    uint32_t depth;     // frames up to the one that it has reached
};

// The state of one thread's stream. Zero-initialise; stream_fini() releases it.
struct stream {
    struct stream_frame *frames;
    uint32_t depth;    // number of frames
    size_t room;       // allocated frames
    uint32_t filters;  // how many frames are filters
    uint64_t sequence; // expected number of the next block
    uint64_t last_clock;
    uint64_t next_call; // number of the next activation that begins in the block; 0: the block has no numbers
    uint64_t events;    // entries and exits
    uint64_t lost;      // events known to be missing
    uint64_t gaps;      // how often blocks were missing
    // The newest last: the others wait for a `finally` in which it was thrown.
    struct stream_throw *throws;
    uint32_t throw_count;
    size_t throw_room;
    bool begun;
    bool lost_since; // events are missing, and no STACK has stated yet what runs
};

// Bounds the work that a few bytes of a damaged file can cause, for all streams of a user together. Beyond the bound,
// stated activations without a name are left out, and filters no longer reduce the time of others.
struct stream_work {
    uint64_t unnamed; // unnamed activations so far
    uint64_t passed;  // frames that filters' times were subtracted from so far
};

// Callbacks for the beginning and the end of an activation. `frame` is on the stack during both. An error ends the
// replay and is passed on.
struct stream_user {
    enum clew_error (*begin)(void *context, struct stream *stream, struct stream_frame *frame);
    enum clew_error (*end)(void *context, struct stream *stream, struct stream_frame *frame, uint64_t clock,
                           enum stream_end how);
    void *context;
    struct stream_work *work;
};

// Call this for each block of the thread, in order, before its events. If blocks are missing, the stack is restored
// from the list of activations that each block opens with.
enum clew_error stream_open_block(struct stream *stream, const struct recording_events *block,
                                  const struct stream_user *user);
// Processes one event. `stack`: its entries of the block's `stacks`.
enum clew_error stream_step(struct stream *stream, const struct recording_event *event, const uint32_t *stack,
                            const struct stream_user *user);
// The number of activations on the stack, without filters.
static inline uint32_t stream_activations(const struct stream *stream)
{
    return stream->depth - stream->filters;
}
// The number of the exception that ends the activation at the top if it is unwound now; 0: not known.
static inline uint64_t stream_exception(const struct stream *stream)
{
    const struct stream_throw *newest = stream->throw_count ? &stream->throws[stream->throw_count - 1] : NULL;
    return newest && newest->depth == stream->depth ? newest->exception : 0;
}
// How long an activation has run at `clock`, without the time that it waited for filters.
static inline uint64_t stream_time(const struct stream_frame *frame, uint64_t clock)
{
    uint64_t since = clock > frame->started ? clock - frame->started : 0;
    return since > frame->waited ? since - frame->waited : 0;
}
// Subtracts a filter's time from the frames between it and its owner: they wait while it runs.
void stream_pass_over(struct stream *stream, const struct stream_frame *filter, uint64_t clock,
                      struct stream_work *work);
// The frame that called `frame`: the one below, or the owner if that one is a filter. NULL: the caller is not in the
// stream. With frames + depth: the frame that runs now.
struct stream_frame *stream_caller(const struct stream *stream, const struct stream_frame *frame);

// Makes *to, which may be zero or a stream in use, a copy of another one. After NO_MEMORY it is as it was.
enum clew_error stream_copy(struct stream *to, const struct stream *from);
void stream_fini(struct stream *stream);

#endif
