// Prints events in order, as text or JSON (the verb `replay`).
#ifndef CLEW_VIEW_REPLAY_H
#define CLEW_VIEW_REPLAY_H

#include "base/text.h"
#include "view/text/view.h"

// All but VARIABLE can be chosen with --format; VARIABLE is chosen with --var.
enum view_replay_format {
    VIEW_REPLAY_STORY,
    VIEW_REPLAY_LOG,
    VIEW_REPLAY_JSON,
    VIEW_REPLAY_LINES,
    VIEW_REPLAY_VARIABLE
};

// Which events to print, and how.
struct view_replay {
    enum view_replay_format format;
    struct model_threads threads;
    uint32_t process;  // of the call; 0: all calls
    uint64_t call;     // STORY, JSON: only this activation, by its number in the process, with all that belongs to it
    uint64_t from, to; // ns since the session's start; to = UINT64_MAX: up to the end
    const struct question *question; // VARIABLE: what is asked about values (story/question.h)
    bool answers_json;               // VARIABLE: as JSON
    struct choices choices;          // VARIABLE: of methods alone, which gave it a value, without what they called
    uint64_t *found;                 // above 0 afterwards: something was printed after the head; may be NULL
};

// Prints the events of the recording of `model`. view->depth and view->min_time_ns limit
// the output. Errors are those of timeline_run(), NOT_FOUND if there is no such call, and IO if writing fails.
enum clew_error view_replay(const struct view *view, struct model *model, const struct view_replay *replay);

#endif
