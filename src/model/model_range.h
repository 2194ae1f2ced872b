// Call trees of a part of a recording: counted from the events of some threads between two moments. Tables, modules and
// reports then work as with the trees of the whole.
#ifndef CLEW_MODEL_MODEL_RANGE_H
#define CLEW_MODEL_MODEL_RANGE_H

#include "model/model.h"

// Which part.
struct model_range {
    uint32_t thread;   // 0: all
    uint64_t from, to; // clocks, both included; to = UINT64_MAX: up to the end
    bool threads_apart;
    // Called now and then with the share of the range that was read, 0 to 1; may be NULL.
    void (*progress)(void *context, double share);
    void *context;
};

// Fills in the trees, and the calls and open activations of threads and of all together, of a model that was loaded with
// names_only. Activations that began before the range count for times and not for calls; `open` counts those that run at
// its end, and shortest and longest are of those that it has from begin to end. NOTHING_RECORDED: there is no stream, or
// none of the thread. After an error only model_free() may follow.
enum clew_error model_count_range(struct model *model, const struct model_range *range);

// Removes the trees of all threads but the ones with this number from a model that was loaded with threads_apart, and
// adds up calls and open activations anew.
void model_keep_thread(struct model *model, uint32_t thread);

// The last moment at which a thread is known to have run: its own end, or else its process's; never before `seen`, the
// clock of its last event.
uint64_t model_last_moment(const struct model *model, uint32_t process, uint32_t thread, uint64_t seen);

#endif
