// The async activations of one process that run or wait at one time, as its streams name them: by serials. Whatever thread goes
// on with one finds here where it belongs and what it waited for. One that has never waited is not here, unless it called one
// that waits; one that is complete no longer is.
//
// The rules are those by which the agent links runs (agent/probe/probe_links.h), so that trees of streams have what recorded
// trees have.
#ifndef CLEW_MODEL_ACTIVATIONS_H
#define CLEW_MODEL_ACTIVATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "trace/kinds.h"

// Refers to an activation; slot 0: to none. It is out of date once the activation is complete.
struct activation_ref {
    uint32_t slot, generation;
};

struct activation {
    uint64_t serial;  // 0: not known yet
    uint64_t started; // clock; 0: not known
    uint64_t waits_from;
    uint64_t idle_from; // since when nothing that it has called is pending, while it waits
    uint64_t run;       // number of its newest run
    struct activation_ref caller;
    uint32_t path;
    uint32_t state;   // where it waits, or waited last
    uint32_t wait;    // which of its waits that is
    uint32_t pending; // activations that it has called and that are not complete
    uint32_t generation;
    uint32_t next_free;
    uint32_t request; // for the user: what it is part of,
    bool begins;      // and whether that begins with it
    bool waits, used;
};

// Zero-initialise; activations_fini() releases it.
struct activations {
    struct activation *all; // all[0] is none
    uint32_t count;
    size_t room;
    uint32_t free; // 0: none
    struct map of_serial;
};

// NULL: it refers to none, or the activation is complete. Valid until the next one is added.
struct activation *activations_get(const struct activations *activations, struct activation_ref ref);
// Slot 0: no activation has the serial.
struct activation_ref activations_find(const struct activations *activations, uint64_t serial);
// Adds one. The slot is 0 if memory runs out, or there are more than a program can have.
struct activation_ref activations_add(struct activations *activations, uint64_t started, uint32_t path);
// Names it. False: memory ran out, or another activation has the serial.
bool activations_name(struct activations *activations, struct activation_ref ref, uint64_t serial);
// Notes who called it.
void activations_link(struct activations *activations, struct activation_ref ref, struct activation_ref caller);

// It begins to wait in a state.
void activations_wait(struct activations *activations, struct activation_ref ref, uint32_t wait, uint32_t state,
                      uint64_t now);
// Run number `run` continues it. Returns the ticks up to `now` in which it waited, and nothing that it called was pending, and
// none of its callers that wait too ran.
uint64_t activations_resume(struct activations *activations, struct activation_ref ref, uint64_t run, uint64_t now);
// It is complete.
void activations_complete(struct activations *activations, struct activation_ref ref, uint64_t now);

void activations_fini(struct activations *activations);

#endif
