// How a view shows a recording. It writes to a stream that the caller gives and owns; writing errors show in ferror() there.
#ifndef CLEW_VIEW_VIEW_H
#define CLEW_VIEW_VIEW_H

#include <stdio.h>

#include "model/model.h"
#include "model/table.h"

enum view_colour { VIEW_COLOUR_AUTO, VIEW_COLOUR_ALWAYS, VIEW_COLOUR_NEVER };

enum view_names {
    VIEW_NAMES_FIT,   // shortened on a terminal where they do not fit
    VIEW_NAMES_SHORT, // type and method
    VIEW_NAMES_FULL,
};

struct view {
    FILE *out;
    const char *path;                // of the recording: what is not in the model is read when it is shown...
    struct recording_health *health; // ...and the damage met in that is taken into this; NULL: nobody asks
    uint32_t width;                  // of the terminal; 0: not a terminal, lines are as long as they need
    bool colour;
    enum view_colour when; // what the user said about it
    enum view_names names; // of methods
    bool threads;          // trees a thread apart
    bool has_sort;         // else each view's own order
    enum table_key sort;
    uint32_t top;         // rows at most; 0: the view's own choice
    bool has_min_time;    // else the view's own choice
    uint64_t min_time_ns; // shorter ones are folded
    uint32_t depth;       // levels at most; 0: the view's own choice
};

// Takes what a pass of the view's own has met into view->health.
static inline void view_merge_health(const struct view *view, const struct recording_health *health)
{
    if (view->health) {
        recording_meet(view->health, health);
    }
}

// What a reader has to know about the recording, a line each, for formats that have no place for it.
void view_caveats(const struct view *view, const struct model *model);

#endif
