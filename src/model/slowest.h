// The requests that took longest, each with its own logical call tree, from the streams of a recording.
#ifndef CLEW_MODEL_SLOWEST_H
#define CLEW_MODEL_SLOWEST_H

#include "model/requests.h"

// A request. Times are ticks.
struct slow_request {
    uint32_t process, thread; // on which it began
    uint64_t call;            // its number in the process, for `replay --call`
    uint32_t method;          // index in catalog.methods
    uint64_t started;         // clock
    uint64_t latency;         // from the call to its completion
    enum run_end how;
    struct model_tree tree; // linked; its root's total is the time of all code
};

struct slowest {
    struct slow_request *requests; // the slowest first
    uint32_t count;
};

// Whether the recording has streams, and they say who called async methods, or there are none.
bool slowest_known(const struct model *model);
// Finds at most `most` requests in a first pass over the streams, and builds their trees in a second. `root` chooses the methods
// with which requests begin, as for requests_load(). What has not ended, or has begun before the recording, is left out, since
// its latency is not known. Damage is added to *health, which may be NULL. NO_MEMORY or IO; NOTHING_RECORDED: they are not
// known. slowest_free() releases *out after success.
enum clew_error slowest_load(struct model *model, struct text root, uint32_t most, struct recording_health *health,
                             struct slowest *out);
void slowest_free(struct slowest *slowest);

#endif
