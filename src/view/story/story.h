// What a story has printed last, and what it has yet to print: shared by the files that print it.
#ifndef CLEW_VIEW_STORY_H
#define CLEW_VIEW_STORY_H

#include "base/assert.h"
#include "view/replay/replay_context.h"
#include "view/story/story_line.h"
#include "view/story/story_methods.h"

// What has been printed of a frame; in frame->number.
enum story_mark {
    STORY_NOT_PRINTED = 0, // nothing (yet)
    STORY_BEGUN = 1,
    STORY_WHOLE = 2,   // on one line
    STORY_LEFT_OUT = 3 // nothing, as it is compiler-generated
};

// A value in words that is printed later than it was seen.
struct story_pending {
    struct buffer words; // empty: none
    struct timeline_thread *thread;
    uint32_t frame, level; // of its activation
};

struct story {
    struct story_line line;
    struct story_methods methods;
    struct timeline_thread *waiting; // has a beginning that is not printed yet; NULL: none has
    uint32_t waiting_frame, waiting_level;
    struct story_pending result; // of an activation that ends next
    struct story_pending early;  // belongs to the statement that comes next
};

static inline struct story *story_of(const struct replay_context *context)
{
    return context->own;
}

// The place of the step's frame on its thread's stack.
static inline uint32_t story_frame(const struct timeline_step *step)
{
    CLEW_ASSERT(step->frame >= step->thread->stream.frames &&
                step->frame < step->thread->stream.frames + step->thread->stream.depth);
    return (uint32_t)(step->frame - step->thread->stream.frames);
}

// Calls (story_print.c). The step has a frame; print_end(): END or OPEN.
void story_print_begin(struct replay_context *context, const struct timeline_step *step);
void story_print_whole(struct replay_context *context, const struct timeline_step *step, uint64_t end,
                       enum stream_end how);
void story_print_end(struct replay_context *context, const struct timeline_step *step);
void story_print_lost(struct replay_context *context, const struct timeline_step *step);

// Statements and values (story_print_site.c).

// Prints what a SITE step is, or holds it.
void story_print_site(struct replay_context *context, const struct timeline_step *step);
// Whether the held result is that of the activation that the step ends.
bool story_returns(const struct story *story, const struct timeline_step *step);
// Print a held value whose moment has passed otherwise.
void story_flush_result(struct replay_context *context);
void story_flush_early(struct replay_context *context);

#endif
