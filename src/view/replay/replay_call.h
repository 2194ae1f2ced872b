// Which steps belong to one call (`--call`): those of the activation and of all that it calls. If it is an async method, those of
// all its runs up to its completion, on whatever thread, and of the async activations that they have called.
//
// What a run calls after it has begun to wait, or has completed its activation, is not part of it: the runtime runs others there.
#ifndef CLEW_VIEW_REPLAY_CALL_H
#define CLEW_VIEW_REPLAY_CALL_H

#include "base/map.h"
#include "model/async.h"
#include "model/events/cursor.h"

// Zero-initialised: all steps belong. replay_call_free() releases it.
struct replay_call {
    const struct async *async;
    uint32_t process;
    uint64_t number;             // of the call; 0: all steps belong
    uint64_t from;               // the clock at which it begins
    uint64_t serial;             // of its async activation; 0: it has not waited
    uint32_t body;               // of an async method: the method of its runs; 0: it is none
    uint64_t open;               // frames that belong and are on a stack
    bool begun, ended, complete; // the call's own frame, and its async activation
    struct map followed;         // serials of async activations that it has called, itself included
    struct map threads;          // index + 1 by number
    struct replay_call_thread *of_threads;
    uint32_t thread_count;
    size_t thread_room;
};

// Finds the call, and if it is a run of an async activation, the call that this began with. The model must outlive it. NOT_FOUND:
// there is no such call, or the recording has no numbers.
enum clew_error replay_call_open(struct recording *recording, const struct async *async, uint32_t process,
                                 uint64_t number, struct replay_call *out);
// Takes the steps from `from` on, with the activations that run then. The steps of a thread come in order. *shown: whether the
// step belongs to the call. *late: a frame that does, which was not known at its own beginning; NULL: there is none.
enum clew_error replay_call_take(struct replay_call *call, const struct event_step *step, bool *shown,
                                 struct stream_frame **late);
// Whether all that belongs was taken.
bool replay_call_is_done(const struct replay_call *call);
void replay_call_free(struct replay_call *call);

#endif
