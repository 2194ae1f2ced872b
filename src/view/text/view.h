// The options of a view. A view prints a recording to a stream that the caller opens and closes. Views do not check
// each write: the caller checks ferror() at the end.
#ifndef CLEW_VIEW_VIEW_H
#define CLEW_VIEW_VIEW_H

#include <stdio.h>

#include "model/model.h"
#include "model/table.h"

enum view_colour { VIEW_COLOUR_AUTO, VIEW_COLOUR_ALWAYS, VIEW_COLOUR_NEVER };

enum view_names {
    VIEW_NAMES_FIT,   // shortened only where the terminal is too narrow
    VIEW_NAMES_SHORT, // type and method only
    VIEW_NAMES_FULL,
};

// Zero-initialise, then set `out`. cli_view_to() sets what depends on the terminal.
struct view {
    FILE *out;
    struct recording_health *health; // receives damage that the view finds itself; may be NULL
    uint32_t width;                  // of the terminal; 0: no terminal, lines are not cut
    bool colour;
    enum view_colour when; // the user's choice; `colour` is the result
    enum view_names names; // of methods
    bool threads;          // one call tree per thread
    bool methods;          // coverage: of each method, too
    bool without_lines;    // rows of methods have no counts and times of statements, which take a pass over the streams
    bool verbose;          // headers: command lines are printed whole; stories: with the number of each call
    bool has_sort;         // otherwise each view chooses the order
    enum table_key sort;
    const char *root;     // the methods at which requests begin; NULL: those that no recorded method has called
    uint32_t top;         // maximal number of rows; 0: the view chooses
    bool has_min_time;    // otherwise the view chooses
    uint64_t min_time_ns; // shorter rows are folded
    uint32_t depth;       // maximal number of levels; 0: the view chooses
};

// Adds the damage that the view found while reading the file to view->health.
static inline void view_merge_health(const struct view *view, const struct recording_health *health)
{
    if (view->health) {
        recording_meet(view->health, health);
    }
}

// Prints the caveats of the recording, one per line, for formats that cannot contain them. They go to view->out, which
// is stderr then.
void view_caveats(const struct view *view, const struct model *model);

#endif
