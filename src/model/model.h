// What a recording says happened, for every view: who is who, call trees, totals. Reads the file in a few passes, a block
// at a time; what stays in memory grows with the number of paths and methods, not with the number of events.
#ifndef CLEW_MODEL_MODEL_H
#define CLEW_MODEL_MODEL_H

#include "model/catalog.h"
#include "model/counts.h"
#include "model/tree.h"
#include "recording/reader.h"

struct model_tree {
    uint32_t process;
    uint32_t thread; // 0: all threads of the process, merged by path
    struct tree tree;
};

struct model_options {
    bool threads_apart; // a tree a thread instead of one a process
    bool adjust;        // take the probes' cost out of the times
    bool names_only;    // definitions and headers: no trees, no streams; totals are those of the END block, without
                        // one the events that headers and newest trees tell of
    bool unchecked;     // names_only: what is not read is taken for whole
    bool verify;        // names_only: all is decoded, to see whether it is whole
};

struct model {
    struct recording_session session;
    struct catalog catalog;
    struct model_tree *trees;
    uint32_t tree_count;
    size_t tree_room;
    struct model_options options;
    bool adjusted;    // options.adjust, and a cost was known
    bool has_session; // a SESSION was whole; else its instruments are those of which there is something
    bool has_end;     // the session was closed in order; else `end` is zero
    bool repaired;    // it was not, and the file was repaired
    bool has_stream;  // at least one block of events
    bool has_tree;    // at least one recorded call tree
    bool complete;    // nothing is cut, lost, dormant, or damaged
    struct recording_end end;
    struct recording_health health;
    uint64_t file_size;
    struct counts counts;
    uint64_t events; // entries and exits represented, and those of sites
    uint64_t lost;   // in the same unit
    uint64_t calls;
    uint64_t open;        // activations that ran at the last moment seen
    uint64_t gaps;        // times that blocks of a stream were missing
    uint64_t ended_clock; // the end, or the last moment seen
    bool over_cap;        // some call paths were folded in the program
    bool folded;          // ... in a tree that was made here, of a stream that has them all
};

// Reads all of it. A damaged recording loads as far as it is whole: see health. Errors: those of recording_open().
enum clew_error model_load(const char *path, const struct model_options *options, struct model **out);
void model_free(struct model *model);

// False under clock `none`: all times are unknown.
static inline bool model_has_times(const struct model *model)
{
    return model->session.clock != CLOCK_KIND_NONE;
}
uint64_t model_ns(const struct model *model, uint64_t ticks);
uint64_t model_ticks(const struct model *model, uint64_t ns);
// Of a moment, since the session's start; 0 for moments before it.
uint64_t model_since_start_ns(const struct model *model, uint64_t clock);
// Whether something in the file did not hold. One that was cut is not damaged.
bool model_damaged(const struct model *model);

#endif
