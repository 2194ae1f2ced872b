// Makes of the streams of one process the call tree that the agent would have recorded: nodes with the numbers of
// trace/kinds.h, by which runs of async bodies say where they belong, the figures of runs, and paths (doc/recording.md, "Async
// activations"). model/tree_logical.h reads both alike.
//
// Threads are passed event by event, so that what happens to async activations comes in the order of time, whatever thread it
// happens on (model_linked.c). Where events are missing, what runs below a body is said to have an unknown caller.
#ifndef CLEW_MODEL_STREAM_RUNS_H
#define CLEW_MODEL_STREAM_RUNS_H

#include "model/activations.h"
#include "model/catalog.h"
#include "model/events/stream.h"
#include "model/paths.h"
#include "model/tree.h"

enum { RUNS_CHAIN_MAX = 1024 }; // methods between a run and the run around it, as in the agent

struct runs_thread;

// Which activations are requests, of which each can have a tree of its own (slowest.h).
struct runs_choice {
    // The number of the request that begins with a frame, which is part of none; 0: none begins. `root`: no recorded method has
    // called it, or it is not known which.
    uint32_t (*begins)(void *context, const struct runs_thread *thread, const struct stream_frame *frame, bool root);
    // A request has ended, after it began at clock `started`. May be NULL.
    void (*ends)(void *context, uint32_t request, uint64_t started, uint64_t now, enum run_end how);
    void *context;
    bool counts; // the figures of requests count; else none do
};

// Of a frame or an activation: the request that it is part of (0: none), and whether that begins with it.
struct run_mark {
    uint32_t request;
    bool begins;
};

// Figures of a node of runs.
struct run_figures {
    uint32_t node;
    FIGURES_OF_RUNS(FIGURE_MEMBER)
};

// A run on a thread's stack.
struct run {
    struct run_mark mark; // of its activation
    uint32_t frame;       // of the stream
    uint32_t node;
    uint32_t after; // the node of what runs after its wait or its end, from `after_from` on; 0: it goes on
    uint64_t after_from;
    uint64_t number; // of all runs of the process
    struct activation_ref activation;
    uint32_t kickoff; // 1 + the frame that has called it; 0: not known
    bool resumed;     // it continues an activation that has waited
    bool over;        // its activation is complete
    bool unknown;     // events are missing: whether it goes on, and for which activation, is not known
};

// One thread. Zero-initialise; runs_thread_fini() releases it. The number of a frame is its node, or that of what runs in it.
struct runs_thread {
    struct stream stream;
    struct catalog_thread *thread;
    bool counts;            // else the thread's tree is recorded, and its stream only says what becomes of activations
    bool is_worker;         // of the thread pool
    struct run_mark *marks; // of frames, with a choice of requests
    size_t mark_room;
    struct run *runs;
    uint32_t run_count;
    size_t run_room;
    uint32_t
        placed; // frames that have their nodes: those below the newest, up to the first of which more has to be known
    uint32_t kept; // frames that are no new calls
};

// A process. runs_init(), and runs_fini() to release it.
struct runs {
    const struct async *async;
    const struct runs_choice *choice; // NULL: all counts, and is one tree
    uint32_t process;
    bool has_times;
    struct map *entries; // of the model; NULL: it has them
    struct tree tree;    // of all threads that count
    uint8_t *roles;      // of its nodes
    uint32_t role_count;
    size_t role_room;
    struct run_figures *figures;
    uint32_t figure_count;
    size_t figure_room;
    struct map figures_of;        // by node: index in `figures`
    struct exception_types types; // of the process
    struct tree_thrown left;      // by node: by which exceptions activations ended
    struct tree_thrown failed;    // the same of async activations, whose bodies caught them
    struct map latencies;         // by node * HISTOGRAM_BUCKETS + bucket: how many
    struct paths paths;
    struct activations activations;
    uint64_t run_count;
    struct stream_work work;
    uint32_t chain[RUNS_CHAIN_MAX];
};

enum clew_error runs_init(struct runs *runs, struct async *async, struct exception_types types, uint32_t nodes_max);
void runs_fini(struct runs *runs);
void runs_thread_fini(struct runs_thread *thread);

// Opens a block of the thread, before its events. `counted_before`: the activations with which it opens were counted in an
// earlier part of the recording.
enum clew_error runs_open_block(struct runs *runs, struct runs_thread *thread, const struct recording_events *block,
                                bool counted_before);
// Whether the event continues a wait that has not begun yet, or never will.
static inline bool runs_are_early(const struct runs *runs, const struct recording_event *event)
{
    if (event->kind != RECORDING_RESUME || event->serial == 0) {
        return false;
    }
    const struct activation *found =
        activations_get(&runs->activations, activations_find(&runs->activations, event->serial));
    return !found || !found->waits || found->wait != event->wait;
}
// Takes the next event. `stack`: what it states.
enum clew_error runs_step(struct runs *runs, struct runs_thread *thread, const struct recording_event *event,
                          const uint32_t *stack);
// After the last event: adds what still runs, up to clock `last`.
enum clew_error runs_end(struct runs *runs, struct runs_thread *thread, uint64_t last);

// Adds all of it to a logical tree, of which it is one thread. Call it after all threads. `request`: a chosen one alone; 0: all.
enum clew_error runs_merge(struct runs *runs, uint32_t request, struct tree *into);

// The number of the node below which the nodes of a request are.
enum { RUNS_OF_REQUEST = 1 << 30 };

#endif
