// The state of a story: the line printed last, and values and beginnings still to be printed. Shared by story.c and
// story_print*.c.
#ifndef CLEW_VIEW_STORY_H
#define CLEW_VIEW_STORY_H

#include "base/assert.h"
#include "view/replay/replay_context.h"
#include "view/story/story_line.h"
#include "view/story/story_methods.h"

// What is printed of a frame so far; kept in frame->number.
enum story_mark {
    STORY_NOT_PRINTED = 0, // nothing yet
    STORY_BEGUN = 1,
    STORY_WHOLE = 2,   // beginning and end on one line
    STORY_LEFT_OUT = 3 // nothing, because the frame is compiler-generated, or does not belong to the call that is shown
};

// A value, as text, that is printed later than its event.
struct story_pending {
    struct buffer words; // empty: none
    struct event_thread *thread;
    uint32_t frame, level; // of its activation
};

// Accessors that may fit on one line (story_accessor.h).
struct story_accessors {
    struct story_accessor *of;
    uint32_t count;
    size_t room;
};

// How the beginning of a call is printed, and a call on one line, under the limits of the story.
struct story_printer {
    void (*begin)(struct replay_context *context, const struct event_step *step);
    void (*whole)(struct replay_context *context, const struct event_step *end);
};

// The state of one story; in context->own.
struct story {
    struct story_line line;
    struct story_methods methods;
    struct event_thread *waiting; // has a beginning that is not printed yet; NULL: none
    uint32_t waiting_frame, waiting_level;
    struct story_pending result; // the result of an activation that ends or completes next
    struct story_pending early;  // values that belong to the next statement
    struct story_accessors accessors;
    struct text property; // the name to print on the next line of a whole call; empty: its method's
};

static inline struct story *story_of(const struct replay_context *context)
{
    return context->own;
}

// The index of the step's frame on its thread's stack.
static inline uint32_t story_frame(const struct event_step *step)
{
    CLEW_ASSERT(step->frame >= step->thread->stream.frames &&
                step->frame < step->thread->stream.frames + step->thread->stream.depth);
    return (uint32_t)(step->frame - step->thread->stream.frames);
}

// Lines of calls (story_print.c). The step has a frame. story_print_end() takes an END or OPEN step.
void story_print_begin(struct replay_context *context, const struct event_step *step);
void story_print_whole(struct replay_context *context, const struct event_step *step, uint64_t end,
                       enum stream_end how);
void story_print_end(struct replay_context *context, const struct event_step *step);
void story_print_lost(struct replay_context *context, const struct event_step *step);

// A RESUME, SUSPEND or COMPLETE step (story_print_async.c).
void story_print_async(struct replay_context *context, const struct event_step *step);

// A THROWN or CAUGHT step (story_print_throw.c).
void story_print_throw(struct replay_context *context, const struct event_step *step);

// Statements and values (story_print_site.c).

// Prints the statement or value of a SITE step, or keeps it pending.
void story_print_site(struct replay_context *context, const struct event_step *step);
// Prints values on the open line if it has room, else on a new one. The step has their thread and level. Without words it prints
// nothing.
void story_print_words(struct replay_context *context, const struct event_step *step, struct text words);
// Whether the pending result belongs to the activation that this step ends or completes.
bool story_returns(const struct story *story, const struct event_step *step);
// Appends that it returned the pending result, which is pending no more.
void story_take_result(struct story *story, struct buffer *into);
// Print pending values on a line of their own.
void story_flush_result(struct replay_context *context);
void story_flush_early(struct replay_context *context);

#endif
