// See stream.h. The stack stays well-formed whatever the events say. An exit on an empty stack is ignored. An exit
// while filters are on top first ends those filters, whose end was lost. A stated stack keeps the activations that it
// confirms, counted from the outermost.
#include "model/events/stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"
#include "recording/stack_rules.h"
#include "trace/kinds.h"

// Limits for struct stream_work. Unnamed activations come only with losses, and filters only with exceptions; no real
// program reaches these numbers.
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define UNNAMED_MAX (UINT64_C(1) << 12) // a fuzzer goes through them some 60 times for each input
#else
#define UNNAMED_MAX (UINT64_C(1) << 20)
#endif
#define PASSED_MAX (UINT64_C(1) << 32)

// Adds a frame on top. Its level counts activations only, because filters do not indent the output.
static enum clew_error push(struct stream *stream, struct stream_frame frame)
{
    CLEW_ASSERT(stream->filters <= stream->depth && stream->depth <= stream->room);
    if (stream->depth == stream->room &&
        !array_grow(&stream->frames, stream->depth, &stream->room, sizeof *stream->frames)) {
        return CLEW_NO_MEMORY;
    }
    frame.level = stream->depth - stream->filters;
    stream->frames[stream->depth++] = frame;
    stream->filters += frame.filter;
    return CLEW_OK;
}

// An activation begins. The user's callback runs with the frame on the stack.
static enum clew_error begin(struct stream *stream, const struct stream_frame *frame, const struct stream_user *user)
{
    CLEW_TRY(push(stream, *frame));
    return user->begin(user->context, stream, &stream->frames[stream->depth - 1]);
}

void stream_pass_over(struct stream *stream, const struct stream_frame *filter, uint64_t clock,
                      struct stream_work *work)
{
    uint64_t ticks = clock > filter->started ? clock - filter->started : 0;
    uint32_t index = (uint32_t)(filter - stream->frames);
    CLEW_ASSERT(filter->filter && index < stream->depth);
    // Stop at an outer filter: the frames below it are passed over when that filter ends. (STREAM_NO_FRAME + 1 is 0.)
    for (uint32_t i = index; i-- > filter->owner + 1 && !stream->frames[i].filter && work->passed < PASSED_MAX;) {
        stream->frames[i].waited += ticks;
        work->passed++;
    }
}

// A filter at the top ends; it has no callback, since it is no activation.
static void end_filter(struct stream *stream, uint64_t clock, const struct stream_user *user)
{
    CLEW_ASSERT(stream->filters > 0 && stream->frames[stream->depth - 1].filter);
    stream_pass_over(stream, &stream->frames[stream->depth - 1], clock, user->work);
    stream->filters--;
    stream->depth--;
}

// Ends the frame at the top, whatever it is.
static enum clew_error pop(struct stream *stream, uint64_t clock, enum stream_end how, const struct stream_user *user)
{
    CLEW_ASSERT(stream->depth > 0);
    struct stream_frame *top = &stream->frames[stream->depth - 1];
    if (top->filter) {
        end_filter(stream, clock, user);
        return CLEW_OK;
    }
    enum clew_error error = user->end(user->context, stream, top, clock, how);
    stream->depth--;
    return error;
}

// Ends activations until `remain` are left, and the filters above them, whose own end events were lost.
static enum clew_error cut(struct stream *stream, uint64_t remain, uint64_t clock, enum stream_end how,
                           const struct stream_user *user)
{
    while (stream_activations(stream) > remain) {
        CLEW_TRY(pop(stream, clock, how, user));
    }
    return CLEW_OK;
}

// The frame of activation `number`, where 1 is the outermost; at most the newest. STREAM_NO_FRAME for number 0.
static uint32_t frame_of(const struct stream *stream, uint64_t number)
{
    if (number == 0) {
        return STREAM_NO_FRAME;
    }
    if (number >= stream_activations(stream)) {
        return stream->depth - 1;
    }
    uint32_t low = 0, high = stream->depth; // binary search by the number of activations up to a frame
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (stream->frames[middle].level + !stream->frames[middle].filter < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    CLEW_ASSERT(low < stream->depth);
    return low;
}

// An exception filter begins. It runs while frames above its owner are still on the stack, so it becomes a frame
// itself.
static enum clew_error filter(struct stream *stream, uint64_t number, uint64_t clock)
{
    if (stream->depth == 0) {
        return CLEW_OK;
    }
    uint32_t owner = frame_of(stream, number);
    owner = owner != STREAM_NO_FRAME && stream->frames[owner].filter ? stream->frames[owner].owner : owner;
    return push(stream, (struct stream_frame){.started = clock, .filter = true, .owner = owner});
}

// The newest filter ends, with every activation above it whose end was lost.
static enum clew_error filter_end(struct stream *stream, uint64_t clock, const struct stream_user *user)
{
    if (stream->filters == 0) {
        return CLEW_OK;
    }
    while (!stream->frames[stream->depth - 1].filter) {
        CLEW_TRY(pop(stream, clock, STREAM_UNSEEN, user));
    }
    return pop(stream, clock, STREAM_UNSEEN, user);
}

// A stack as a block's beginning or a STACK event states it: `depth` activations, of which the newest `known` have names.
struct stated {
    uint64_t depth;
    uint32_t known;
    const uint32_t *methods;
    // Of the named ones: when they began, their numbers, and the serials of whose runs they are. NULL: not stated.
    const uint64_t *clocks, *calls, *serials;
    uint64_t clock; // now
};

// The stated activation `i`, counted from the outermost, as a frame.
static struct stream_frame stated_frame(const struct stated *stated, uint64_t i, uint64_t unknown)
{
    if (i < unknown) {
        return (struct stream_frame){.method = METHOD_MISSING, .started = stated->clock, .joined = true};
    }
    uint64_t named = i - unknown;
    return (struct stream_frame){.method = stated->methods[named],
                                 .started = stated->clocks ? stated->clocks[named] : stated->clock,
                                 .call = stated->calls ? stated->calls[named] : 0,
                                 .serial = stated->serials ? stated->serials[named] : 0,
                                 .joined = true};
}

// How many activations the statement confirms. An activation whose beginning it states differently is another one.
static uint64_t confirmed(const struct stream *stream, const struct stated *stated, uint64_t unknown, uint32_t known)
{
    if (stream->depth == 0) {
        return 0;
    }
    uint64_t same = stack_confirmed(&stream->frames->method, sizeof *stream->frames, stream->depth, unknown,
                                    stated->methods, known);
    for (uint64_t i = unknown; stated->clocks && i < same; i++) {
        same = stream->frames[i].started == stated->clocks[i - unknown] ? same : i;
    }
    return same;
}

// -- Exceptions -------------------------------------------------------------------------------------------------------

static enum clew_error thrown(struct stream *stream, uint64_t exception)
{
    if (!array_grow(&stream->throws, stream->throw_count, &stream->throw_room, sizeof *stream->throws)) {
        return CLEW_NO_MEMORY;
    }
    stream->throws[stream->throw_count++] = (struct stream_throw){exception, stream->depth};
    return CLEW_OK;
}

// The newest activation has caught an exception. Newer ones that are still on their way were thrown while it passed, and what
// has caught them was not seen.
static void caught(struct stream *stream, uint64_t exception)
{
    struct stream_frame *frame = stream->depth ? stream_caller(stream, stream->frames + stream->depth) : NULL;
    uint32_t count = stream->throw_count;
    while (count > 0 && stream->throws[count - 1].exception != exception) {
        count--;
    }
    stream->throw_count = count > 0 ? count - 1 : 0;
    if (frame) {
        frame->caught = exception;
    }
}

// Activations have ended. An exception that was on its way in one of them is no longer: another one has replaced it, or native
// code has caught it.
static void forget_passed(struct stream *stream)
{
    while (stream->throw_count && stream->throws[stream->throw_count - 1].depth > stream->depth) {
        stream->throw_count--;
    }
}

// An exception ends activations until `remain` are left.
static enum clew_error unwind(struct stream *stream, uint64_t remain, uint64_t clock, const struct stream_user *user)
{
    uint64_t exception = stream_exception(stream);
    while (stream_activations(stream) > remain) {
        CLEW_TRY(pop(stream, clock, STREAM_UNWOUND, user));
        stream->throw_count -= exception > 0;
        forget_passed(stream);
        CLEW_TRY(exception ? thrown(stream, exception) : CLEW_OK);
    }
    return CLEW_OK;
}

// -- Statements about the stack ---------------------------------------------------------------------------------------

// Replaces the stack by the stated one.
static enum clew_error state(struct stream *stream, const struct stated *stated, const struct stream_user *user)
{
    uint64_t depth = stated->depth;
    uint32_t known = stated->known;
    depth = depth > RECORDING_DEPTH_MAX ? RECORDING_DEPTH_MAX : depth; // a larger number is damage
    known = known > depth ? (uint32_t)depth : known;
    uint64_t unknown = depth - known, left = UNNAMED_MAX - user->work->unnamed + stream->depth;
    unknown = unknown < left ? unknown : left;
    depth = unknown + known;
    while (stream->filters) {
        CLEW_TRY(filter_end(stream, stream->last_clock, user));
    }
    CLEW_ASSERT(stream->filters == 0);
    stream->throw_count = 0;
    uint64_t same = confirmed(stream, stated, unknown, known);
    CLEW_TRY(cut(stream, same, stream->last_clock, STREAM_UNSEEN, user));
    for (uint64_t i = 0; i < same; i++) {
        stream->frames[i].serial = stated->serials && i >= unknown ? stated->serials[i - unknown] : 0;
        stream->frames[i].restated |= !stated->clocks;
        stream->frames[i].call = stream->lost_since ? 0 : stream->frames[i].call; // it may be another of the method
    }
    stream->lost_since = false;
    for (uint64_t i = same; i < depth; i++) {
        const struct stream_frame frame = stated_frame(stated, i, unknown);
        user->work->unnamed += i < unknown && user->work->unnamed < UNNAMED_MAX;
        CLEW_TRY(begin(stream, &frame, user));
    }
    return CLEW_OK;
}

enum clew_error stream_open_block(struct stream *stream, const struct recording_events *block,
                                  const struct stream_user *user)
{
    bool follows = stream->begun && block->sequence == stream->sequence;
    stream->gaps += stream->begun && !follows;
    if (!stream->begun) {
        stream->last_clock = block->first_clock;
    }
    stream->begun = true;
    stream->sequence = block->sequence + 1;
    stream->next_call = block->first_number;
    const struct stated stated = {.depth = block->depth,
                                  .known = block->depth,
                                  .methods = block->open,
                                  .clocks = block->open_clock,
                                  .calls = block->first_number ? block->open_number : NULL,
                                  .serials = block->async ? block->open_serial : NULL,
                                  .clock = block->first_clock};
    return follows ? CLEW_OK : state(stream, &stated, user);
}

// An ENTER event.
static enum clew_error enter(struct stream *stream, const struct recording_event *event, const struct stream_user *user)
{
    const struct stream_frame frame = {.method = event->method, .started = event->clock, .call = stream->next_call};
    stream->next_call += stream->next_call > 0;
    return begin(stream, &frame, user);
}

// A STACK event, with its methods.
static enum clew_error restate(struct stream *stream, const struct recording_event *event, const uint32_t *stack,
                               const struct stream_user *user)
{
    const struct stated stated = {
        .depth = event->depth, .known = event->stated, .methods = stack, .clock = event->clock};
    return state(stream, &stated, user);
}

// An event of an async activation: the newest activation, or that which RUN names, is a run of it, or no longer.
static void take_async(struct stream *stream, const struct recording_event *event, const uint32_t *stack)
{
    struct stream_frame *frame = stream->depth ? stream_caller(stream, stream->frames + stream->depth) : NULL;
    if (event->kind == RECORDING_RUN) {
        uint64_t number = recording_number(stack);
        frame = number >= 1 && number <= stream_activations(stream) ? &stream->frames[frame_of(stream, number)] : NULL;
    }
    if (frame) {
        frame->serial = recording_begins_run(event->kind) ? event->serial : 0;
    }
}

static enum clew_error take(struct stream *stream, const struct recording_event *event, const uint32_t *stack,
                            const struct stream_user *user)
{
    static const enum stream_end ends[] = {[RECORDING_LEAVE] = STREAM_LEFT, [RECORDING_CUT] = STREAM_UNSEEN};
    switch (event->kind) {
    case RECORDING_ENTER:
        return enter(stream, event, user);
    case RECORDING_UNWIND:
        return unwind(stream, stack_remaining(event, stream_activations(stream)), event->clock, user);
    case RECORDING_LEAVE:
    case RECORDING_CUT:
        return cut(stream, stack_remaining(event, stream_activations(stream)), event->clock, ends[event->kind], user);
    case RECORDING_FILTER:
        return filter(stream, event->remaining, event->clock);
    case RECORDING_FILTER_END:
        return filter_end(stream, event->clock, user);
    case RECORDING_STACK:
        return restate(stream, event, stack, user);
    case RECORDING_LOST:
        stream->lost += event->lost;
        stream->lost_since = true;
        stream->throw_count = 0;
        return CLEW_OK;
    case RECORDING_RUN:
    case RECORDING_RESUME:
    case RECORDING_SUSPEND:
    case RECORDING_COMPLETE:
        take_async(stream, event, stack);
        return CLEW_OK;
    case RECORDING_THROWN:
        return thrown(stream, event->exception);
    case RECORDING_CAUGHT:
        caught(stream, event->exception);
        return CLEW_OK;
    case RECORDING_AT_SITE:
        break; // neither begins nor ends an activation
    }
    return CLEW_OK;
}

enum clew_error stream_step(struct stream *stream, const struct recording_event *event, const uint32_t *stack,
                            const struct stream_user *user)
{
    enum clew_error error = take(stream, event, stack, user);
    forget_passed(stream);
    stream->events += event->kind <= RECORDING_UNWIND;
    stream->last_clock = event->clock;
    return error;
}

struct stream_frame *stream_caller(const struct stream *stream, const struct stream_frame *frame)
{
    if (frame == stream->frames) {
        return NULL;
    }
    CLEW_ASSERT(frame > stream->frames && frame <= stream->frames + stream->depth);
    const struct stream_frame *below = frame - 1;
    if (below->filter && below->owner == STREAM_NO_FRAME) {
        return NULL;
    }
    CLEW_ASSERT((!below->filter || &stream->frames[below->owner] < below) && "a filter is above its owner");
    return below->filter ? &stream->frames[below->owner] : &stream->frames[below - stream->frames];
}

// Makes room for so many frames and throws. One more is allocated, so that there is an array even for none.
static bool reserve(struct stream *stream, uint32_t depth, uint32_t throw_count)
{
    if (depth > stream->room || !stream->frames) {
        struct stream_frame *frames = realloc(stream->frames, ((size_t)depth + 1) * sizeof *frames);
        if (!frames) {
            return false;
        }
        stream->frames = frames;
        stream->room = (size_t)depth + 1;
    }
    if (throw_count > stream->throw_room) {
        struct stream_throw *throws = realloc(stream->throws, throw_count * sizeof *throws);
        if (!throws) {
            return false;
        }
        stream->throws = throws;
        stream->throw_room = throw_count;
    }
    return true;
}

enum clew_error stream_copy(struct stream *to, const struct stream *from)
{
    if (!reserve(to, from->depth, from->throw_count)) {
        return CLEW_NO_MEMORY;
    }
    struct stream copy = *from;
    copy.frames = to->frames;
    copy.room = to->room;
    copy.throws = to->throws;
    copy.throw_room = to->throw_room;
    if (from->depth) {
        memcpy(copy.frames, from->frames, from->depth * sizeof *copy.frames);
    }
    if (from->throw_count) {
        memcpy(copy.throws, from->throws, from->throw_count * sizeof *copy.throws);
    }
    *to = copy;
    return CLEW_OK;
}

void stream_fini(struct stream *stream)
{
    free(stream->frames);
    free(stream->throws);
    *stream = (struct stream){0};
}
