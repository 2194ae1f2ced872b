// See model_replay.h.
#include "model/model_replay.h"

#include "base/assert.h"

// Finds the node of an activation: the child of its caller's node. TREE_NONE: memory ran out.
static uint32_t node_of(const struct replay *replay, const struct stream *stream, const struct stream_frame *frame)
{
    const struct stream_frame *caller = stream_caller(stream, frame);
    CLEW_ASSERT(!caller || caller->number < replay->tree->count);
    return tree_child(replay->tree, caller ? (uint32_t)caller->number : TREE_ROOT, frame->method);
}

// Called by the stream at each beginning: counts the call.
static enum clew_error begin(void *context, struct stream *stream, struct stream_frame *frame)
{
    struct replay *replay = context;
    if (replay->before_range) {
        return CLEW_OK;
    }
    uint32_t node = node_of(replay, stream, frame);
    if (node == TREE_NONE) {
        return CLEW_NO_MEMORY;
    }
    frame->number = node;
    if (replay->counted_before) { // nor does this part count the time that passed before
        frame->started = frame->started < stream->last_clock ? stream->last_clock : frame->started;
        return CLEW_OK;
    }
    replay->tree->nodes[node].calls++;
    replay->thread->calls += !method_is_no_call(frame->method);
    return CLEW_OK;
}

void replay_add_time(struct tree *tree, const struct stream *stream, const struct stream_frame *frame, uint64_t clock,
                     bool whole)
{
    CLEW_ASSERT(frame->number < tree->count);
    struct tree_node *node = &tree->nodes[frame->number];
    uint64_t time = stream_time(frame, clock);
    const struct stream_frame *caller = stream_caller(stream, frame);
    node->total += time;
    tree->nodes[caller ? caller->number : TREE_ROOT].inside += time;
    if (!caller) {
        tree->nodes[TREE_ROOT].total += time;
    }
    if (whole) {
        node->shortest = time < node->shortest ? time : node->shortest;
        node->longest = time > node->longest ? time : node->longest;
    }
}

// Called by the stream at each end. An activation that was already running when the stream or the range began counts for the
// total, but not for the shortest and longest times.
static enum clew_error end(void *context, struct stream *stream, struct stream_frame *frame, uint64_t clock,
                           enum stream_end how)
{
    struct replay *replay = context;
    if (replay->before_range) {
        return CLEW_OK;
    }
    replay_add_time(replay->tree, stream, frame, clock, !frame->joined);
    if (how != STREAM_UNWOUND) {
        return CLEW_OK;
    }
    replay->tree->nodes[frame->number].exceptions++;
    return tree_thrown_end(&replay->tree->thrown, (uint32_t)frame->number, replay->types, stream_exception(stream));
}

static struct stream_user user_of(struct replay *replay)
{
    return (struct stream_user){begin, end, replay, &replay->work};
}

enum clew_error replay_open_block(struct replay *replay, struct stream *stream, const struct recording_events *block)
{
    struct stream_user user = user_of(replay);
    return stream_open_block(stream, block, &user);
}

enum clew_error replay_events(struct replay *replay, struct stream *stream, const struct recording_events *block,
                              uint64_t last, uint32_t *from, const uint32_t **stacks)
{
    struct stream_user user = user_of(replay);
    CLEW_ASSERT(*from <= block->count);
    for (; *from < block->count && block->events[*from].clock <= last; ++*from) {
        const struct recording_event *event = &block->events[*from];
        CLEW_TRY(stream_step(stream, event, *stacks, &user));
        *stacks += recording_stated(event);
    }
    return CLEW_OK;
}

enum clew_error replay_begin_range(struct replay *replay, struct stream *stream, uint64_t from)
{
    CLEW_ASSERT(replay->before_range);
    replay->before_range = false;
    for (uint32_t i = 0; i < stream->depth; i++) {
        struct stream_frame *frame = &stream->frames[i];
        bool began = frame->started >= from;
        if (!frame->filter) {
            uint32_t node = node_of(replay, stream, frame);
            if (node == TREE_NONE) {
                return CLEW_NO_MEMORY;
            }
            frame->number = node;
            replay->tree->nodes[node].calls += began && !replay->counted_before;
            replay->thread->calls += began && !replay->counted_before && !method_is_no_call(frame->method);
        }
        frame->started = began ? frame->started : from;
        frame->waited = 0;
        frame->joined = true;
    }
    return CLEW_OK;
}

void replay_add_open(struct replay *replay, struct stream *stream, uint64_t last)
{
    for (uint32_t i = stream->depth; i-- > 0;) {
        if (stream->frames[i].filter) {
            stream_pass_over(stream, &stream->frames[i], last, &replay->work);
            continue;
        }
        replay_add_time(replay->tree, stream, &stream->frames[i], last, false);
        replay->tree->nodes[stream->frames[i].number].open++;
        replay->thread->open += !method_is_no_call(stream->frames[i].method);
    }
}
