// How often each statement of the source ran, and for how long. The counters of the instrument `lines` have both;
// without them the statements in the streams are counted, which have no times.
#ifndef CLEW_MODEL_LINES_H
#define CLEW_MODEL_LINES_H

#include "model/model.h"
#include "model/sites.h"

// One statement of the source. Sites in different methods, loads and processes are added up.
struct line_row {
    const struct recording_document *document;
    const struct site *site; // its range; one of the sites that were added up
    uint32_t process, method;
    uint64_t count;
    uint64_t own; // ticks from the statement's beginning to the thread's next statement
};

// The sums of a method's statements, including those without a position in the source.
struct line_method {
    uint64_t statements, own;
};

// The statements of all recorded code. `has_time`: the rows have own times.
struct lines {
    struct line_row *rows; // ordered by path, line, column
    size_t count, room;
    struct line_method *methods; // by index in catalog.methods; only canonical methods have sums
    bool has_time;
    uint64_t own;                   // the sum over all rows
    struct recording_health health; // damage found while reading the file
};

// The clock that measured the lines' own times; NONE if there are no times. It can differ from the session's clock,
// because reading the tick word costs less than reading a clock for each statement.
enum clock_kind lines_clock(const struct model *model, const struct lines *lines);

// Counts statements block by block, for callers that cannot wait for a whole recording. Not thread-safe; the recording and
// the sites must outlive it.
struct line_counts;

enum clew_error line_counts_new(struct recording *recording, const struct sites *sites, struct line_counts **out);
void line_counts_free(struct line_counts *counts);
// Counts the next block. NOT_FOUND: all are counted. After another error only line_counts_free() may follow.
enum clew_error line_counts_advance(struct line_counts *counts);
// The share of the file that is read, 0 to 1.
double line_counts_done(const struct line_counts *counts);
// Makes lines of what is counted so far; the rest as lines_load().
enum clew_error lines_of(struct line_counts *counts, const struct model *model, struct lines *out);

// Reads the recording in one or two passes. The rows borrow from `sites`, which must outlive them.
// NOTHING_RECORDED: the recording has no statements. The caller calls lines_free() also after an error.
enum clew_error lines_load(const struct model *model, const struct sites *sites, struct lines *out);
void lines_free(struct lines *lines);

#endif
