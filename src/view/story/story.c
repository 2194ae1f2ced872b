// The story: prints events as nested calls. An activation has a line at its beginning and one at its end with the
// duration; if nothing is shown within it, a single line. Lines are in the order of time over all threads. With
// --min-time or --depth a line waits until it is known to be shown, so lines of different threads can be out of order.
// This file decides which line comes when; story_print.c and story_print_site.c print them.
#include "view/story/story.h"

#include <stdlib.h>

#include "base/assert.h"
#include "view/replay/replay_format.h"
#include "view/story/story_accessor.h"
#include "view/text/format_header.h"

// -- In the order of time ---------------------------------------------------------------------------------------------

static bool is_throw(const struct event_step *step)
{
    return step->kind == STEP_THROWN || step->kind == STEP_CAUGHT;
}

// What happens within an activation, besides its statements.
static bool is_within(const struct event_step *step)
{
    return step->kind == STEP_RESUME || step->kind == STEP_SUSPEND || step->kind == STEP_COMPLETE || is_throw(step);
}

static void print_within(struct replay_context *context, const struct event_step *step)
{
    if (is_throw(step)) {
        story_print_throw(context, step);
    } else {
        story_print_async(context, step);
    }
}

// Prints the waiting beginning. The thread's stack may have been reallocated since, so its frame is looked up by index.
static void flush_waiting(struct replay_context *context)
{
    struct story *story = story_of(context);
    if (story->waiting) {
        struct event_thread *thread = story->waiting;
        CLEW_ASSERT(story->waiting_frame < thread->stream.depth && "its end would have taken the line");
        struct stream_frame *frame = &thread->stream.frames[story->waiting_frame];
        struct event_step step = {.thread = thread, .frame = frame, .level = story->waiting_level};
        story->waiting = NULL;
        story_print_begin(context, &step);
    }
}

// The timeline knows whether the activation ends with the next event, unless that is in another block.
static void begin_in_order(struct replay_context *context, const struct event_step *step)
{
    struct story *story = story_of(context);
    if (step->leaf && !step->frame->joined) {
        story_print_whole(context, step, step->leaf_clock, step->leaf_how);
    } else if (step->next_known || step->frame->joined) {
        story_print_begin(context, step);
    } else {
        story->waiting = step->thread;
        story->waiting_frame = story_frame(step);
        story->waiting_level = step->level;
    }
}

// Without limits everything is shown at once, in the order of time. Only if a block ends right after a beginning, the
// line waits for the next step, which shows whether the activation ends there.
static void step_in_order(struct replay_context *context, const struct event_step *step)
{
    struct story *story = story_of(context);
    if (step->kind == STEP_END && step->thread == story->waiting) {
        story->waiting = NULL;
        story_print_whole(context, step, step->clock, step->how);
        return;
    }
    flush_waiting(context);
    if (step->kind == STEP_BEGIN) {
        begin_in_order(context, step);
    } else if (step->kind == STEP_OPEN || (step->kind == STEP_END && step->frame->number != STORY_WHOLE)) {
        story_print_end(context, step);
    } else if (step->kind == STEP_SITE) {
        story_print_site(context, step);
    } else if (is_within(step)) {
        print_within(context, step);
    }
}

// -- Once it is known what is shown -----------------------------------------------------------------------------------

static bool lasts(const struct replay_context *context, const struct stream_frame *frame, uint64_t clock)
{
    return stream_time(frame, clock) >= context->min_time;
}

// Filters and compiler-generated frames do not indent what they call.
static bool has_no_level(const struct stream_frame *frame)
{
    return frame->filter || frame->number == STORY_LEFT_OUT;
}

// The level of the first frame that is not printed yet.
static uint32_t level_done(const struct event_thread *thread)
{
    const struct stream *stream = &thread->stream;
    uint32_t level = thread->user;
    CLEW_ASSERT(thread->user <= stream->depth);
    bool all_have_levels = !stream->filters && !thread->left_out;
    for (uint32_t i = 0; !all_have_levels && i < thread->user; i++) {
        level -= has_no_level(&stream->frames[i]);
    }
    return level;
}

// Prints those beginnings below frame `end` on this thread's stack that are now known to be shown: activations that
// have lasted at least the minimum. The last shown level is excluded, because its activations always take a single
// line. thread->user is the number of frames that are done, since beginnings are printed outermost first.
static void show_begun(struct replay_context *context, const struct event_step *step, uint32_t end)
{
    struct event_thread *thread = step->thread;
    uint32_t level = level_done(thread), depth = context->view->depth;
    CLEW_ASSERT(end <= thread->stream.depth);
    for (; thread->user < end; thread->user++) {
        struct stream_frame *frame = &thread->stream.frames[thread->user];
        if (has_no_level(frame)) {
            continue;
        }
        bool last = depth && level + 1 >= depth;
        if (last || !lasts(context, frame, step->clock)) {
            return;
        }
        struct event_step shown = {.thread = thread, .frame = frame, .level = level++};
        story_print_begin(context, &shown);
    }
}

// An activation whose beginning was not printed takes one line, if it lasted long enough.
static void end_when_known(struct replay_context *context, const struct event_step *step)
{
    uint32_t index = story_frame(step);
    bool begun = index < step->thread->user;
    step->thread->user = begun ? index : step->thread->user;
    if (begun && step->frame->number == STORY_BEGUN) {
        story_print_end(context, step);
    } else if (lasts(context, step->frame, step->clock)) {
        show_begun(context, step, index);
        story_print_whole(context, step, step->clock, step->how);
    }
}

// A statement is one level below its activation, and so is what an async activation does. They have no duration to compare
// with --min-time.
static void within_when_known(struct replay_context *context, const struct event_step *step)
{
    uint32_t depth = context->view->depth;
    if (context->min_time || (depth && step->level + 1 >= depth)) {
        return;
    }
    if (step->frame) {
        show_begun(context, step, story_frame(step) + 1);
    }
    if (step->kind == STEP_SITE) {
        story_print_site(context, step);
    } else {
        print_within(context, step);
    }
}

// With --min-time or --depth: prints lines once it is known that they are shown.
static void step_when_known(struct replay_context *context, const struct event_step *step)
{
    if (step->frame && replay_too_deep(context, step)) {
        return;
    }
    if (step->kind == STEP_BEGIN) {
        show_begun(context, step, story_frame(step));
    } else if (step->kind == STEP_END) {
        end_when_known(context, step);
    } else if (step->kind == STEP_OPEN && lasts(context, step->frame, step->clock)) {
        show_begun(context, step, story_frame(step));
        story_print_end(context, step);
    } else if (step->kind == STEP_SITE || is_within(step)) {
        within_when_known(context, step);
    }
}

// -- Accessors --------------------------------------------------------------------------------------------------------

static bool is_limited(const struct replay_context *context)
{
    return context->min_time || context->view->depth;
}

static void begin_kept(struct replay_context *context, const struct event_step *step)
{
    if (is_limited(context)) {
        show_begun(context, step, story_frame(step) + 1);
    } else {
        flush_waiting(context);
        story_print_begin(context, step);
    }
}

static void end_kept(struct replay_context *context, const struct event_step *step)
{
    if (is_limited(context)) {
        end_when_known(context, step);
    } else {
        flush_waiting(context);
        story_print_whole(context, step, step->clock, step->how);
    }
}

static const struct story_printer printer = {.begin = begin_kept, .whole = end_kept};

// -- Compiler-generated frames ----------------------------------------------------------------------------------------

// Whether the step is in a compiler-generated frame, or does not belong to what is shown. For other steps, reduces the level by the number of such frames
// below.
static bool leaves_out_frame(const struct replay_context *context, struct event_step *step)
{
    struct event_thread *thread = step->thread;
    bool left_out = context->hidden || story_methods_generated(&story_of(context)->methods, context, step);
    if (step->kind == STEP_BEGIN && step->frame->number == STORY_LEFT_OUT) { // it is not, after all
        step->frame->number = STORY_NOT_PRINTED;
        thread->left_out--;
        thread->user = thread->user < story_frame(step) ? thread->user : story_frame(step);
    }
    if (left_out && step->kind == STEP_BEGIN) {
        step->frame->number = STORY_LEFT_OUT;
        thread->left_out++;
    } else if (left_out && (step->kind == STEP_END || step->kind == STEP_OPEN) &&
               step->frame->number == STORY_LEFT_OUT) {
        CLEW_ASSERT(thread->left_out > 0 && "its beginning was counted");
        thread->left_out--;
        thread->user = thread->user < story_frame(step) ? thread->user : story_frame(step);
    }
    step->level -= thread->left_out < step->level ? thread->left_out : step->level;
    return left_out;
}

// -- All --------------------------------------------------------------------------------------------------------------

// Prints pending values that this step does not consume on lines of their own.
static void flush_pending(struct replay_context *context, const struct event_step *step)
{
    struct story *story = story_of(context);
    if (story->result.words.size && !story_returns(story, step)) {
        story_flush_result(context);
    }
    if (story->early.words.size && (step->kind != STEP_SITE || step->thread != story->early.thread)) {
        story_flush_early(context);
    }
}

// Receives the steps of the timeline. Steps in compiler-generated frames are dropped first, so that the rest of the
// story does not know about them.
static enum clew_error step_story(struct replay_context *context, const struct event_step *any)
{
    struct event_step shown = *any, *step = &shown;
    if (step->frame && leaves_out_frame(context, step)) {
        return CLEW_OK;
    }
    flush_pending(context, step);
    if (story_accessor_takes(context, step, &printer)) {
        return ferror(context->view->out) ? CLEW_IO : CLEW_OK;
    }
    if (step->kind == STEP_LOST) {
        flush_waiting(context);
        story_print_lost(context, step);
    } else if (is_limited(context)) {
        step_when_known(context, step);
    } else {
        step_in_order(context, step);
    }
    return ferror(context->view->out) ? CLEW_IO : CLEW_OK;
}

static enum clew_error start(struct replay_context *context, const struct timeline_options *options)
{
    struct story *story = calloc(1, sizeof *story);
    (void)options;
    context->own = story;
    if (!story) {
        return CLEW_NO_MEMORY;
    }
    story->line.view = context->view;
    story->line.model = context->model;
    return context->sites ? story_methods_load(context, &story->methods) : CLEW_OK;
}

static void head(struct replay_context *context)
{
    const struct view *view = context->view;
    format_header(view, context->model);
    (void)fprintf(view->out, "\n%s%16s %8s %12s | Call%s\n", format_style(view, FORMAT_BOLD), "Time", "Thread",
                  "Duration", format_style(view, FORMAT_PLAIN));
}

// Prints everything that still waits for a next step.
static void end(struct replay_context *context)
{
    struct story *story = story_of(context);
    flush_waiting(context);
    story_accessor_flush(context, &printer);
    if (story->early.words.size) {
        story_flush_early(context);
    }
    if (story->result.words.size) {
        story_flush_result(context);
    }
    story_line_end(&story->line);
    if (context->options->found) {
        *context->options->found += story->line.any;
    }
}

static void finish(struct replay_context *context)
{
    struct story *story = story_of(context);
    if (story) {
        story_methods_free(&story->methods);
        story_accessor_free(&story->accessors);
        buffer_free(&story->result.words);
        buffer_free(&story->early.words);
        free(story);
    }
}

const struct replay_format replay_story = {
    .async = true, .throws = true, .start = start, .head = head, .step = step_story, .end = end, .finish = finish};
