// Adds the activations of a thread's stream to the call tree of that thread: the number of calls, and the time between
// beginning and end. The rules are those of the agent's probes, so a stream gives the same tree that the agent would have
// recorded. Users: model_streams.c for whole streams, model_range.c for a range of time.
#ifndef CLEW_MODEL_MODEL_REPLAY_H
#define CLEW_MODEL_MODEL_REPLAY_H

#include "model/catalog.h"
#include "model/events/stream.h"
#include "model/tree.h"

// Zero-initialise. Before each block the user sets `tree`, `types`, and where calls are counted. The `number` of a stream's frame is
// its node in the tree.
struct replay {
    struct tree *tree;
    struct exception_types types;  // of the process
    struct catalog_thread *thread; // counts the calls of this thread
    bool counted_before;           // an earlier part of the recording has counted the activations that begin now
    bool before_range;             // only keep the stack: nothing is counted yet
    struct stream_work work;
};

// Replays the events of a block from index *from on up to clock `last`, and sets *from to the first later one. `stacks` has the methods of the block's STACK events and advances with *from.
enum clew_error replay_events(struct replay *replay, struct stream *stream, const struct recording_events *block,
                              uint64_t last, uint32_t *from, const uint32_t **stacks);
// Opens a block (stream_open_block()).
enum clew_error replay_open_block(struct replay *replay, struct stream *stream, const struct recording_events *block);
// Begins to count at clock `from`: ends `before_range`. Running activations get their nodes, and time from `from` on; those
// that began at `from` or later, which only a stream without the events of their beginning has, also count as calls.
enum clew_error replay_begin_range(struct replay *replay, struct stream *stream, uint64_t from);
// Counts the activations that still run, with their time up to `last`.
void replay_add_open(struct replay *replay, struct stream *stream, uint64_t last);

// Adds an activation's time up to `clock` to its node, frame->number, and to the time that its caller spent in callees. `whole`:
// its beginning and its end were both seen, so it counts for the shortest and the longest.
void replay_add_time(struct tree *tree, const struct stream *stream, const struct stream_frame *frame, uint64_t clock,
                     bool whole);

#endif
