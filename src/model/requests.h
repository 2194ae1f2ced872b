// What a program does on request: the methods at which its logical call tree begins, how long their activations took, and what
// they waited for.
#ifndef CLEW_MODEL_REQUESTS_H
#define CLEW_MODEL_REQUESTS_H

#include "model/waits.h"

// The activations of one method that were requests. Times are ticks.
struct request_row {
    uint32_t method;     // index in catalog.methods, canonical
    bool unknown_caller; // something has called the method, and it is not known what
    uint64_t calls;
    uint64_t failures;  // activations that an exception ended,
    uint64_t cancelled; // and, of async methods, that OperationCanceledException ended
    uint64_t open;      // those that run at the last known moment,
    uint64_t pending;   // and those that wait
    uint64_t running;   // time of its own code and all that it called, on all threads
    uint64_t awaiting;  // time in which it or something that it called waited
    uint64_t measured;  // activations that have ended, and whose latency is among `latencies`
    uint64_t p50, p90,
        p99; // latencies that so many percent of them do not exceed, within 6 %; unknown if `measured` is 0
    uint64_t shortest, longest;                // exact; UINT64_MAX and 0: not known
    const struct recording_latency *latencies; // of the measured activations; by bucket, ascending
    uint32_t latency_count;
    struct wait *waits; // of struct requests: in it and in all that it called, most time first
    uint32_t wait_count;
    struct text
        reason; // what is awaited where they waited longest while nothing that they had called did; empty: not known
    uint64_t longest_wait; // ticks of waiting there
};

struct requests {
    struct request_row *rows; // most time first
    uint32_t count;
    struct recording_latency *latencies; // of which the rows borrow,
    struct wait *waits;                  // as of these
    uint64_t started;                    // activations that were left out, since the program has started them itself
};

// Whether the program hands the method over to be run elsewhere, as to Task.Run, a timer or a thread, and nothing that is not
// recorded can call it otherwise. *by: the name of the method that hands it over; empty: several do, or it is not known.
bool requests_starts(const struct model *model, uint32_t process, uint32_t method, struct text *by);
// Whether the activations of a node of one of the model's trees are what the program has started itself so: they begin in such
// a method that nothing recorded has called. *by as above.
bool requests_is_started(const struct model *model, const struct model_tree *tree, uint32_t node, struct text *by);

// Whether a method that nothing recorded has called begins a request there: it is of the source, and the program has not started
// it itself. `unknown_caller`: something has called it, and it is not known what.
bool requests_begin(const struct model *model, uint32_t process, uint32_t method, bool unknown_caller);

// Whether there are logical call trees, or recorded ones of a program without async methods.
bool requests_known(const struct model *model);
// `root` chooses the methods: outermost activations of those that it means (model/pattern.h). Without it (empty) they are
// those that no recorded method has called, except for the first ones of threads that are not workers of the thread pool
// (`Main`, entry methods of threads), static constructors, and what was started. NO_MEMORY; NOTHING_RECORDED: they are not known.
// requests_free() releases *out after success.
enum clew_error requests_load(const struct model *model, struct text root, struct requests *out);
void requests_free(struct requests *requests);

#endif
