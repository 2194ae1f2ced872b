// Every output of a recording: one format, one file. A view writes to a stream that the caller gives and owns; writing
// errors show in ferror() there.
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
    const char *path;             // of the recording: what is not in the model is read when it is shown...
    struct recording_health *met; // ...and the damage met in that is taken into this; NULL: nobody asks
    uint32_t width;               // of the terminal; 0: not a terminal, lines are as long as they need
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

// Text.
enum clew_error view_overview(const struct view *view, struct model *model); // what `run` prints
enum clew_error view_tree(const struct view *view, struct model *model);
enum clew_error view_hot(const struct view *view, struct model *model);
enum clew_error view_methods(const struct view *view, struct model *model);
enum clew_error view_modules(const struct view *view, struct model *model);
enum clew_error view_threads(const struct view *view, struct model *model);
enum clew_error view_log(const struct view *view, struct model *model);     // the call stack in call order, with counts
enum clew_error view_summary(const struct view *view, struct model *model); // a line a function
enum clew_error view_lines(const struct view *view, struct model *model);   // source with counts; NOTHING_RECORDED
enum clew_error view_allocations(const struct view *view, struct model *model);
enum clew_error view_info(const struct view *view, struct model *model);
// Takes what a pass of the view's own has met into view->met.
static inline void view_meet(const struct view *view, const struct recording_health *health)
{
    if (view->met) {
        recording_meet(view->met, health);
    }
}

// What a reader has to know about the recording, a line each, for formats that have no place for it.
void view_caveats(const struct view *view, const struct model *model);

// JSON, as doc/json.md states it.
enum view_json {
    VIEW_JSON_ALL,
    VIEW_JSON_TREE,
    VIEW_JSON_HOT,
    VIEW_JSON_METHODS,
    VIEW_JSON_MODULES,
    VIEW_JSON_THREADS,
    VIEW_JSON_LOG,
    VIEW_JSON_SUMMARY,
    VIEW_JSON_LINES,
    VIEW_JSON_ALLOCATIONS
};
enum clew_error view_json(const struct view *view, struct model *model, enum view_json what);
enum clew_error view_info_json(const struct view *view, struct model *model);

#endif
