// Exports: recordings in the formats of other people's viewers (the verb `export`). exports.c has the table of formats.
// Streams that can have any number of events are written while they are read, so memory does not grow with them.
#ifndef CLEW_VIEW_EXPORTS_H
#define CLEW_VIEW_EXPORTS_H

#include <stdio.h>

#include "model/model.h"
#include "view/table/report_registry.h"

// The number that collapsed stacks have behind them.
enum export_weight { EXPORT_WEIGHT_TIME, EXPORT_WEIGHT_CALLS };

// What to export.
struct export_options {
    struct model_threads threads;
    struct choices choices; // of calls
    uint64_t from, to;      // clocks, from <= moment < to; to = UINT64_MAX: up to the end
    bool ranged;            // `from` or `to` was given
    bool physical;          // trees are the stacks as they were, also where the logical ones are known
    enum export_weight weight;
    const struct report *report;                   // whose table csv, jsonl and parquet contain
    void (*progress)(void *context, double share); // called now and then during long work; may be NULL
    void *context;
};

struct export;

// One format; each is one file, with its entry.
struct export_format {
    const char *name;   // for --format
    const char *suffix; // of files, with its dot
    bool binary;        // not for standard output
    bool table;         // --by chooses what it contains
    bool coverage;      // it contains which lines ran, of the whole recording
    bool needs_calls;   // it shows calls in order; others do, too, where the recording has them
    bool needs_times;   // it has nothing to show without times
    bool threads_apart; // it shows each thread's tree
    bool logical;       // it shows the logical tree where that is known, which has no threads
    enum clew_error (*write)(struct export *export);
};

// All formats; the last is NULL.
extern const struct export_format *const export_formats[];

// Whether the trees of the model are used at all. What was chosen is chosen when the model is loaded; without trees it can be
// loaded with names_only.
bool export_wants_trees(const struct export_format *format, const struct export_options *options);
// Chooses the view of the trees, and whether they are those of each thread. Sets nothing else in `out`.
void export_choose_trees(const struct export_format *format, const struct export_options *options,
                         struct model_options *out);
// Whether the logical and the physical view differ in what it shows.
bool export_takes_physical(const struct export_format *format, const struct export_options *options);

// Writes the export to `out`, whose errors show in ferror(). Damage is added to the model's health. NOTHING_RECORDED: the
// recording lacks what the format, the table or the choice needs.
enum clew_error export_write(FILE *out, struct model *model, const struct export_format *format,
                             const struct export_options *options);

#endif
