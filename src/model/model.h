// The content of a recording, for every view: definitions, call trees, totals. The file is read in a few passes, one
// block at a time. Memory grows with the number of paths and methods, not with the number of events.
#ifndef CLEW_MODEL_MODEL_H
#define CLEW_MODEL_MODEL_H

#include "model/async.h"
#include "model/catalog.h"
#include "model/choice.h"
#include "model/counts.h"
#include "model/document_table.h"
#include "model/events/threads.h"
#include "model/tree.h"
#include "recording/reader.h"

// One of a model's call trees.
struct model_tree {
    uint32_t process;
    uint32_t thread; // 0: all threads of the process, merged by path
    bool unsampled;  // no CPU time is known of it, as of a part of a stream
    struct tree tree;
};

// Calls of a method that were counted without times and callers (METHOD_COUNTED).
struct model_counted {
    uint32_t process, method;
    uint64_t calls;
};

struct source_places; // source/source_places.h

// The events whose cost can be subtracted from times.
enum adjusted {
    ADJUSTED_CALLS = 1u << 0,
    ADJUSTED_STATEMENTS = 1u << 1,
    ADJUSTED_VALUES = 1u << 2, // and first sights of their objects
    ADJUSTED_LINES = 1u << 3,
    ADJUSTED_COMPILING = 1u << 4, // what clew has added to it
};

// What the parent of an async activation in the trees is: logical, the activation that called it; physical, whatever ran
// below it on the stack.
enum model_view {
    MODEL_LOGICAL,
    MODEL_PHYSICAL, // as the options say
    MODEL_UNLINKED, // physical: the recording does not say who called async activations,
    MODEL_PARTIAL,  // or the model is of a range, of some threads, or of each thread,
    MODEL_SHALLOW   // or a tree is built here from a stream, which has not all calls (--depth)
};

// How to load a recording. Zero-initialised: all trees and streams, one tree per process.
struct model_options {
    bool threads_apart;     // one tree per thread instead of one per process
    bool apart_if_physical; // the same, unless the trees are logical
    bool physical;          // the stacks as they were, also where the logical tree is known
    bool adjust;            // subtract the cost of the probes from the times
    bool names_only;        // read definitions and headers only: no trees, no streams.
                            // Totals come from the END block, or else from headers and newest trees
    bool unchecked;         // blocks that are not read are not looked at: damage in them goes unnoticed
    bool verify;            // with names_only: decode everything, to find damage
    // A selection: trees, calls, events and losses are those of these threads in this range of time: from <= moment < to, so
    // that the times and calls of neighbouring ranges add up. A range decodes the blocks of the streams that it touches, and
    // nothing else; a recording without streams (has_stream) has nothing in it. An activation that runs in the range counts
    // with the part of its time that lies in it, and as a call if it begins in it; `open` are those that run at its end.
    uint64_t from_ns, to_ns;      // since the session's start; to_ns 0: no end; 0 and 0: no range
    bool from_end, to_end;        // they count backwards from the end of the recording; false once it is loaded
    struct model_threads threads; // which the caller keeps as long as the model
    // The trees, and `calls` and `open`, are of these calls; all else is of all.
    struct choices choices;
    // Where sources that the recording lacks are searched when they are shown; NULL: nowhere. The caller keeps it.
    const struct source_places *sources;
    // Of a range: called after each block with the share that was read, 0 to 1. May be NULL.
    void (*progress)(void *context, double share);
    void *context;
};

// A loaded recording. Views read more of it through its handle. Views may sort its trees, and `replay` adds methods without a
// definition to its catalog.
struct model {
    struct recording *recording; // it must outlive the model, unless the model owns it
    bool owns_recording;
    struct recording_session session;
    struct catalog catalog;
    struct async async;
    struct document_table documents; // those of the places where async bodies wait, and others
    enum model_view view;            // of the trees
    struct model_tree *trees;
    uint32_t tree_count;
    size_t tree_room;
    uint64_t compiled;             // compilations that the recording lists (model/compilations.h)
    struct map exception_types;    // process << 32 | exception: the number of its type
    bool throws_missing;           // the program had no room for some throws and catches
    struct model_counted *counted; // in none of the trees; of a range or of chosen calls not known
    uint32_t counted_count;
    size_t counted_room;
    struct map counted_of; // process << 32 | method: index in `counted`
    struct map entries;    // process << 32 | method: one with which a thread began that is no worker of the thread pool
    struct model_options options;
    uint32_t adjusted; // enum adjusted: the events whose cost options.adjust has subtracted
    bool has_session;  // a SESSION block was intact; else `instruments` is derived from the blocks
    bool has_end;      // the session was closed in order; else `end` is zero
    bool repaired;     // the session was not closed in order, and `clew repair` closed the file
    bool has_stream;   // at least one block of events
    bool has_tree;     // at least one recorded call tree
    bool has_points;   // sequence points of modules (model/coverage.h)
    bool complete;     // nothing is cut off, lost, dormant or damaged
    struct recording_end end;
    struct recording_health health;
    uint64_t file_size;
    struct counts counts;
    uint64_t events; // entries and exits, statements and values
    uint64_t lost;   // events that are known to be missing
    uint64_t calls;
    uint64_t open;        // activations that ran at the last known moment
    uint64_t gaps;        // how often blocks of a stream were missing
    uint64_t ended_clock; // the end of the session, or the last known moment
    bool over_cap;        // the program had more call paths than its tree has room for
    bool folded;          // so had a tree that was built here from a stream; replay shows all
};

// Reads an open recording. A damaged one loads as far as it is intact; model->health counts the damage. NO_MEMORY or
// IO. The caller frees *out with model_free(), before the handle.
enum clew_error model_load(struct recording *recording, const struct model_options *options, struct model **out);
void model_free(struct model *model);
// The same with a recording that the model opens and owns. Errors are those of recording_open(), too.
enum clew_error model_open(const char *path, const struct model_options *options, struct model **out);
// Loads what has been appended to the file since: another model takes the place of *model, with its recording. After an error
// *model is what it was.
enum clew_error model_reload(struct model **model);

// Whether options.threads has the thread.
static inline bool model_takes_thread(const struct model *model, uint32_t process, uint32_t thread)
{
    return model_threads_have(&model->options.threads, process, thread);
}
// Whether the model is one of a range of time.
static inline bool model_has_range(const struct model *model)
{
    return model->options.from_ns > 0 || model->options.to_ns > 0;
}

// Whether it is one of a range or of some threads.
static inline bool model_is_cut(const struct model *model)
{
    return model_has_range(model) || model->options.threads.count > 0;
}

// The same, or of chosen calls.
static inline bool model_is_selection(const struct model *model)
{
    return model_is_cut(model) || model->options.choices.count > 0;
}

// False with clock `none`, under which all times are unknown and 0.
static inline bool model_has_times(const struct model *model)
{
    return model->session.clock != CLOCK_KIND_NONE;
}
// Whether a thread that is no worker of the thread pool began with the method, as recorded trees have it: `Main`, an entry
// method of a thread, or a method that the runtime calls.
bool model_begins_thread(const struct model *model, uint32_t process, uint32_t method);
// How many statements the instrument `lines` counted that are no events as well: with `statements`, all are.
uint64_t model_lines_alone(const struct model *model);
// Whether any instrument counted calls, and they were read. If not, their number is unknown, which is not the same as 0.
bool model_counted_calls(const struct model *model);
// Convert durations between ticks of the session's clock and nanoseconds. Saturate at UINT64_MAX.
uint64_t model_ns(const struct model *model, uint64_t ticks);
uint64_t model_ticks(const struct model *model, uint64_t ns);
// Nanoseconds from the session's start to the moment `clock`; 0 if it is before the start.
uint64_t model_since_start_ns(const struct model *model, uint64_t clock);
// The opposite: the moment that is `ns` after the session's start. Saturates at UINT64_MAX.
uint64_t model_clock_at(const struct model *model, uint64_t ns);
// The moment that is `ns` before the end of the recording, in ns since the session's start; 0 if that is later.
uint64_t model_before_end_ns(const struct model *model, uint64_t ns);
// Whether a checksum or a length in the file was wrong. A file that merely ends early is not damaged.
bool model_damaged(const struct model *model);
// Checks every block of the file, also those that were not read. Afterwards model_damaged() is about all of it.
enum clew_error model_check(struct model *model);

#endif
