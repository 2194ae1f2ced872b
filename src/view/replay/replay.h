// Events in order, as text and JSON.
#ifndef CLEW_VIEW_REPLAY_H
#define CLEW_VIEW_REPLAY_H

#include "base/text.h"
#include "view/text/view.h"

enum view_replay_format {
    VIEW_REPLAY_STORY,
    VIEW_REPLAY_LOG,
    VIEW_REPLAY_JSON,
    VIEW_REPLAY_LINES,
    VIEW_REPLAY_VARIABLE
};

struct view_replay {
    enum view_replay_format format;
    uint32_t thread;      // 0: all
    uint64_t from, to;    // ns since the session's start; to UINT64_MAX: to the end
    struct text variable; // VARIABLE: its source name
    struct text method;   // VARIABLE: which methods (model/pattern.h); empty: all
    uint64_t *found;      // VARIABLE: counts the values shown, from what it is; may be NULL
};

// view->depth and view->min_time_ns limit what is shown. Errors: those of timeline_run().
enum clew_error view_replay(const struct view *view, struct model *model, const char *path,
                            const struct view_replay *replay);

#endif
