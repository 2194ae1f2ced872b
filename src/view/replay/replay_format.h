// The formats of events in order: each is a receiver of the timeline's steps. One format, one file, which ends with its entry.
#ifndef CLEW_VIEW_REPLAY_FORMAT_H
#define CLEW_VIEW_REPLAY_FORMAT_H

#include "view/replay/replay_context.h"

// All but `step` may be NULL.
struct replay_format {
    // Before the first step, once the recording's definitions are loaded. Makes context->own.
    enum clew_error (*start)(struct replay_context *context, const struct timeline_options *options);
    void (*head)(struct replay_context *context); // before the first step, or the end where there is none
    enum clew_error (*step)(struct replay_context *context, const struct timeline_step *step);
    void (*end)(struct replay_context *context);    // after the last step
    void (*finish)(struct replay_context *context); // frees context->own, which is NULL where start() failed early
};

extern const struct replay_format replay_story, replay_log, replay_json, replay_lines, replay_variable;

#endif
