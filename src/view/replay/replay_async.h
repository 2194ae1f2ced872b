// What a replay knows of the async activations that wait: where, since when, and by which number. Steps of one activation come
// from several threads. What was before the first step, or was lost, is not known, and never guessed.
#ifndef CLEW_VIEW_REPLAY_ASYNC_H
#define CLEW_VIEW_REPLAY_ASYNC_H

#include "base/map.h"
#include "model/events/step.h"

// An async activation that has waited, and is not complete.
struct replay_activation {
    uint64_t serial;
    uint32_t process;
    uint32_t thread;      // on which it began to wait last
    uint32_t body, state; // where
    uint64_t clock;       // when
    uint64_t call;        // number of its first run; 0: not known
    uint64_t run;         // number of the run that began to wait last; 0: not known
    bool waits;           // no run has continued it since
    uint32_t next_free;   // of an unused entry: the next one + 1
};

// Zero-initialise; replay_async_free() releases it.
struct replay_async {
    struct map indices; // + 1, by process and serial
    struct replay_activation *all;
    uint32_t count;
    size_t room;
    uint32_t free; // the first unused entry + 1; 0: none
};

// The activation of a RESUME, SUSPEND or COMPLETE step. NULL: nothing is known of it. Lives until the next replay_async_note().
const struct replay_activation *replay_async_find(const struct replay_async *async, const struct event_step *step);
// Whether the wait that a RESUME step ends is the one that is known of the activation.
bool replay_async_ends_wait(const struct replay_activation *activation, const struct event_step *step);
// Notes what any step says: before a SUSPEND is shown, and after others are. False: memory ran out.
bool replay_async_note(struct replay_async *async, const struct event_step *step);
void replay_async_free(struct replay_async *async);

#endif
