// The interface of the formats of `replay`. Each format receives the timeline's steps, and is one file that ends with
// its entry; replay_formats.c has the table.
#ifndef CLEW_VIEW_REPLAY_FORMAT_H
#define CLEW_VIEW_REPLAY_FORMAT_H

#include "view/replay/replay_context.h"

// All but `step` can be NULL.
struct replay_format {
    bool async;  // it takes the steps of async activations,
    bool throws; // and of throws and catches
    bool counts; // it counts calls that are not chosen, too
    // Called before the first step, once definitions are loaded. Creates context->own.
    enum clew_error (*start)(struct replay_context *context, const struct timeline_options *options);
    // Whether a block of events may have something to print; NULL: any may. Called between start() and the first step.
    bool (*wants)(struct replay_context *context, const struct recording_block *block);
    void (*head)(struct replay_context *context); // called before the first step, or at the end if there is none
    enum clew_error (*step)(struct replay_context *context, const struct event_step *step);
    void (*end)(struct replay_context *context);    // called after the last step
    void (*finish)(struct replay_context *context); // frees context->own, which is NULL if start() failed early
};

extern const struct replay_format replay_story, replay_log, replay_json, replay_lines, replay_variable;

#endif
