// How often each statement ran, and how long: from the counters of `lines`, or, where there are none, by counting the
// statements of the streams.
#ifndef CLEW_MODEL_LINES_H
#define CLEW_MODEL_LINES_H

#include "model/model.h"
#include "model/sites.h"

// One statement of the source, however many methods, loads and processes it was woven in.
struct line_row {
    const struct recording_document *document;
    const struct site *site; // its range; one of those that were added up
    uint32_t process, method;
    uint64_t count;
    uint64_t own; // ticks
};

// What a method's statements come to, those without a place in the source included.
struct line_method {
    uint64_t statements, own;
};

struct lines {
    struct line_row *rows; // by path, then line, then column
    size_t count, room;
    struct line_method *methods; // by index in catalog.methods, of the first of equal methods
    bool has_time;
    uint64_t own;                   // of all rows
    struct recording_health health; // what the pass over the file met
};

// The clock that own times of lines are of; NONE where there are none.
enum clock_kind lines_clock(const struct model *model, const struct lines *lines);

// The rows borrow from `sites`. NOTHING_RECORDED: the recording has no statements.
enum clew_error lines_load(const char *path, const struct model *model, const struct sites *sites, struct lines *out);
void lines_free(struct lines *lines);

#endif
