// See stream_runs.h. Nodes have the numbers and figures that the agent's probes give them (agent/probe/probe_runs.c).
#include "model/stream_runs.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "model/model_replay.h"
#include "model/stream_runs_records.h"
#include "trace/await.h"
#include "trace/histogram.h"

enum role { ROLE_NEW, ROLE_PLAIN, ROLE_KICKOFF, ROLE_BODY }; // of a node, by its method

enum clew_error runs_init(struct runs *runs, struct async *async, struct exception_types types, uint32_t nodes_max)
{
    *runs = (struct runs){.async = async, .process = types.process, .types = types};
    CLEW_TRY(tree_init(&runs->tree, nodes_max));
    return paths_init(&runs->paths, async, types.process);
}

void runs_fini(struct runs *runs)
{
    tree_fini(&runs->tree);
    free(runs->roles);
    free(runs->figures);
    map_free(&runs->figures_of);
    map_free(&runs->latencies);
    tree_thrown_free(&runs->left);
    tree_thrown_free(&runs->failed);
    paths_fini(&runs->paths);
    activations_fini(&runs->activations);
    *runs = (struct runs){0};
}

void runs_thread_fini(struct runs_thread *thread)
{
    stream_fini(&thread->stream);
    free(thread->runs);
    free(thread->marks);
    thread->runs = NULL;
    thread->marks = NULL;
}

// -- Nodes ------------------------------------------------------------------------------------------------------------

static enum role role_of_method(const struct runs *runs, uint32_t method)
{
    const struct async_method *async = async_find(runs->async, runs->process, method);
    return !async ? ROLE_PLAIN : async->body == method ? ROLE_BODY : ROLE_KICKOFF;
}

// The role of the method of a new or known node. False: memory ran out.
static bool find_role(struct runs *runs, uint32_t node, enum role *out)
{
    while (runs->role_count <= node) {
        if (!array_grow(&runs->roles, runs->role_count, &runs->role_room, sizeof *runs->roles)) {
            return false;
        }
        runs->roles[runs->role_count++] = ROLE_NEW;
    }
    if (runs->roles[node] == ROLE_NEW) {
        runs->roles[node] = (uint8_t)role_of_method(runs, runs->tree.nodes[node].method);
    }
    *out = runs->roles[node];
    return true;
}

static struct run_figures *figures_of(struct runs *runs, uint32_t node)
{
    uint64_t index;
    if (map_get(&runs->figures_of, node, &index)) {
        return &runs->figures[index];
    }
    if (!array_grow(&runs->figures, runs->figure_count, &runs->figure_room, sizeof *runs->figures) ||
        !map_put(&runs->figures_of, node, runs->figure_count)) {
        return NULL;
    }
    runs->figures[runs->figure_count] = (struct run_figures){.node = node, FIGURES_OF_RUNS(FIGURE_FIRST)};
    return &runs->figures[runs->figure_count++];
}

static enum clew_error count_latency(struct runs *runs, uint32_t node, uint64_t ticks)
{
    uint64_t key = (uint64_t)node * HISTOGRAM_BUCKETS + histogram_bucket(ticks), count = 0;
    (void)map_get(&runs->latencies, key, &count); // stays 0 for the first
    return map_put(&runs->latencies, key, count + 1) ? CLEW_OK : CLEW_NO_MEMORY;
}

static struct run *newest_run(const struct runs_thread *thread)
{
    return thread->run_count ? &thread->runs[thread->run_count - 1] : NULL;
}

// Whether the figures of a frame count.
static bool counts(const struct runs *runs, const struct runs_thread *thread, uint32_t frame)
{
    return !runs->choice ? thread->counts : runs->choice->counts && thread->marks[frame].request > 0;
}

// -- Placing frames ---------------------------------------------------------------------------------------------------

// Notes a method with which a thread begins that is no worker of the thread pool.
static enum clew_error note_entry(struct runs *runs, const struct runs_thread *thread, uint32_t method)
{
    const struct async_method *async = async_find(runs->async, runs->process, method);
    uint64_t entry = (uint64_t)runs->process << 32 | (async ? async->body : method);
    return thread->is_worker || !thread->counts || !runs->entries || map_put(runs->entries, entry, 1) ? CLEW_OK
                                                                                                      : CLEW_NO_MEMORY;
}

// The run's activation waits or is complete. What the run does from now on belongs to a node of its own, `number`.
static enum clew_error begin_after(struct runs *runs, struct runs_thread *thread, struct run *run, uint32_t number,
                                   uint64_t now)
{
    uint32_t node = tree_child(&runs->tree, run->node, number);
    if (node == TREE_NONE) {
        return CLEW_NO_MEMORY;
    }
    runs->tree.nodes[node].calls += counts(runs, thread, run->frame) && run->frame >= thread->kept;
    run->after = node;
    run->after_from = now;
    thread->stream.frames[run->frame].number = node;
    return CLEW_OK;
}

static enum clew_error push_run(struct runs *runs, struct runs_thread *thread, uint32_t node,
                                const struct run_beginning *begun)
{
    if (!array_grow(&thread->runs, thread->run_count, &thread->run_room, sizeof *thread->runs)) {
        return CLEW_NO_MEMORY;
    }
    struct run *run = &thread->runs[thread->run_count];
    uint32_t frame = thread->placed;
    *run = (struct run){.frame = frame,
                        .mark = begun->mark,
                        .node = node,
                        .number = ++runs->run_count,
                        .activation = begun->activation,
                        .kickoff = begun->resumed ? 0 : runs_call(runs, thread, frame),
                        .resumed = begun->resumed,
                        .unknown = begun->unknown};
    thread->run_count++;
    if (counts(runs, thread, frame) && begun->awaited) {
        struct run_figures *figures = figures_of(runs, node);
        if (!figures) {
            return CLEW_NO_MEMORY;
        }
        figures->awaiting += begun->awaited;
        figures->own_awaiting += begun->own_awaited;
    }
    const struct stream_frame *at = &thread->stream.frames[frame];
    return run->unknown ? begin_after(runs, thread, run, METHOD_AFTER_END, at->started) : CLEW_OK;
}

static uint32_t caller_node(const struct stream *stream, const struct stream_frame *frame)
{
    const struct stream_frame *caller = stream_caller(stream, frame);
    return caller ? (uint32_t)caller->number : TREE_ROOT;
}

// The mark of a frame that continues nothing: that of its caller, or of a request that begins here.
static struct run_mark mark_called(const struct runs *runs, const struct runs_thread *thread, bool has_caller)
{
    const struct stream *stream = &thread->stream;
    const struct stream_frame *frame = &stream->frames[thread->placed], *caller = stream_caller(stream, frame);
    const struct run *outer = caller ? runs_at(thread, runs_index(stream, caller), thread->run_count) : NULL;
    bool known = has_caller && caller && !(outer && (outer->over || outer->unknown));
    struct run_mark mark = {.request = known ? thread->marks[runs_index(stream, caller)].request : 0};
    if (mark.request == 0) {
        mark.request = runs->choice->begins(runs->choice->context, thread, frame, !known);
        mark.begins = mark.request > 0;
    }
    return mark;
}

// Says which request the next frame is part of, and its activation if it is a run.
static enum clew_error mark_frame(struct runs *runs, struct runs_thread *thread, bool is_body,
                                  struct run_beginning *begun)
{
    if (!array_grow(&thread->marks, thread->placed, &thread->mark_room, sizeof *thread->marks)) {
        return CLEW_NO_MEMORY;
    }
    struct run_mark *mark = &thread->marks[thread->placed];
    *mark = (struct run_mark){0};
    if (is_body && begun->resumed) {
        const struct activation *continued = activations_get(&runs->activations, begun->activation);
        begun->mark = continued ? (struct run_mark){continued->request, continued->begins} : *mark;
        mark->request = begun->mark.request;
        return CLEW_OK;
    }
    uint32_t call = is_body ? runs_call(runs, thread, thread->placed) : 1 + thread->placed;
    bool below_kickoff = call > 0 && call <= thread->placed;
    *mark = mark_called(runs, thread, call > 0);
    begun->mark = below_kickoff ? thread->marks[call - 1] : *mark;
    return CLEW_OK;
}

// The node below which the next frame's is: its caller's, or that of its request.
static uint32_t node_above(struct runs *runs, const struct runs_thread *thread)
{
    const struct stream *stream = &thread->stream;
    const struct stream_frame *frame = &stream->frames[thread->placed], *caller = stream_caller(stream, frame);
    const struct run_mark *mark = runs->choice ? &thread->marks[thread->placed] : NULL;
    bool apart = mark && runs->choice->counts && mark->request > 0 &&
                 (mark->begins || !caller || thread->marks[runs_index(stream, caller)].request != mark->request);
    return apart ? tree_child(&runs->tree, TREE_ROOT, RUNS_OF_REQUEST | mark->request) : caller_node(stream, frame);
}

static bool role_of(struct runs *runs, uint32_t above, uint32_t method, enum role *out)
{
    uint32_t node = tree_child(&runs->tree, above, method);
    return node != TREE_NONE && find_role(runs, node, out);
}

// Gives the next frame its node, and counts its call. `event`: as in runs_begin_body().
static enum clew_error place(struct runs *runs, struct runs_thread *thread, const struct recording_event *event,
                             uint64_t number)
{
    struct stream *stream = &thread->stream;
    struct stream_frame *frame = &stream->frames[thread->placed];
    if (frame->filter) {
        thread->placed++;
        return CLEW_OK;
    }
    uint32_t above = caller_node(stream, frame), method = runs_plain_number(frame->method);
    struct run_beginning begun = {.number = method};
    enum role role;
    if (!role_of(runs, above, method, &role)) {
        return CLEW_NO_MEMORY;
    }
    if (role == ROLE_BODY) {
        begun = runs_begin_body(runs, frame, method, event, number);
    }
    if (runs->choice) {
        CLEW_TRY(mark_frame(runs, thread, role == ROLE_BODY, &begun));
        above = node_above(runs, thread);
    }
    uint32_t node = above == TREE_NONE ? TREE_NONE : tree_child(&runs->tree, above, begun.number);
    if (node == TREE_NONE || runs->paths.failed) {
        return CLEW_NO_MEMORY;
    }
    frame->number = node;
    CLEW_TRY(role == ROLE_BODY ? push_run(runs, thread, node, &begun) : CLEW_OK);
    if (counts(runs, thread, thread->placed) && thread->placed >= thread->kept) {
        runs->tree.nodes[node].calls++;
        thread->thread->calls += role != ROLE_KICKOFF && begun.number == method && !method_is_no_call(method);
    }
    thread->placed++;
    return above == TREE_ROOT && begun.number == method ? note_entry(runs, thread, method) : CLEW_OK;
}

static enum clew_error place_all(struct runs *runs, struct runs_thread *thread)
{
    while (thread->placed < thread->stream.depth) {
        CLEW_TRY(place(runs, thread, NULL, 0));
    }
    return CLEW_OK;
}

// -- Ends -------------------------------------------------------------------------------------------------------------

static uint64_t ticks_between(uint64_t from, uint64_t to)
{
    return to > from ? to - from : 0;
}

static void end_request(const struct runs *runs, struct run_mark mark, uint64_t started, uint64_t now, enum run_end how)
{
    if (mark.begins && runs->choice->ends) {
        runs->choice->ends(runs->choice->context, mark.request, started, now, how);
    }
}

// Counts the end of an activation that began at `started`; 0: not known.
static enum clew_error count_end(struct runs *runs, const struct runs_thread *thread, const struct run *run,
                                 uint64_t how, uint64_t started, uint64_t now)
{
    end_request(runs, run->mark, started, now, (enum run_end)how);
    if (!counts(runs, thread, run->frame)) {
        return CLEW_OK;
    }
    struct run_figures *figures = figures_of(runs, run->node);
    if (!figures) {
        return CLEW_NO_MEMORY;
    }
    figures->completed += how == RUN_COMPLETED;
    figures->faulted += how == RUN_FAULTED;
    figures->cancelled += how == RUN_CANCELLED;
    if (how == RUN_FAULTED) {
        uint64_t caught = thread->stream.frames[run->frame].caught;
        CLEW_TRY(tree_thrown_end(&runs->failed, run->node, runs->types, caught));
    }
    if (!runs->has_times || started == 0) {
        return CLEW_OK;
    }
    uint64_t ticks = ticks_between(started, now);
    figures->latency += ticks;
    FIGURE_ADD_MIN(figures->latency_shortest, ticks);
    FIGURE_ADD_MAX(figures->latency_longest, ticks);
    return count_latency(runs, run->node, ticks);
}

// Adds the time of what ran in a run after its wait or its end.
static void end_after(struct runs *runs, struct runs_thread *thread, struct run *run, uint64_t now)
{
    if (run->after && counts(runs, thread, run->frame)) {
        runs->tree.nodes[run->after].total += ticks_between(run->after_from, now);
    }
    run->after = 0;
    thread->stream.frames[run->frame].number = run->node;
}

// Adds the time of a frame that is not part of the request that its caller is part of, to what is elsewhere there.
static enum clew_error leave_elsewhere(struct runs *runs, struct runs_thread *thread, const struct stream_frame *frame,
                                       uint64_t now)
{
    const struct stream_frame *caller = stream_caller(&thread->stream, frame);
    uint32_t request = caller ? thread->marks[runs_index(&thread->stream, caller)].request : 0;
    if (request == 0 || !runs->choice->counts || thread->marks[runs_index(&thread->stream, frame)].request == request) {
        return CLEW_OK;
    }
    uint32_t node = tree_child(&runs->tree, (uint32_t)caller->number, METHOD_ELSEWHERE);
    if (node == TREE_NONE) {
        return CLEW_NO_MEMORY;
    }
    runs->tree.nodes[node].total += stream_time(frame, now);
    return CLEW_OK;
}

// Adds the time of a frame, which is the newest one that has a node. `whole`: it has ended, and its beginning was seen.
static enum clew_error leave(struct runs *runs, struct runs_thread *thread, struct stream_frame *frame, uint64_t now,
                             bool whole)
{
    struct run *run = newest_run(thread);
    uint32_t index = runs_index(&thread->stream, frame);
    if (run && run->frame == index) {
        end_after(runs, thread, run, now);
        thread->run_count--;
    }
    CLEW_TRY(runs->choice ? leave_elsewhere(runs, thread, frame, now) : CLEW_OK);
    if (counts(runs, thread, index)) {
        replay_add_time(&runs->tree, &thread->stream, frame, now, whole);
    }
    return CLEW_OK;
}

// A run that has announced neither a wait nor its end, and returns, completes an activation that has never waited.
static enum clew_error complete_at_once(struct runs *runs, const struct runs_thread *thread, const struct run *run,
                                        uint64_t now, enum stream_end how)
{
    bool at_once = how == STREAM_LEFT && !run->after && !run->over && !run->unknown && run->activation.slot == 0;
    return at_once ? count_end(runs, thread, run, RUN_COMPLETED, runs_started(thread, run), now) : CLEW_OK;
}

// What the callbacks of a stream get.
struct stepping {
    struct runs *runs;
    struct runs_thread *thread;
};

static enum clew_error begin(void *context, struct stream *stream, struct stream_frame *frame)
{
    const struct stepping *stepping = context;
    struct runs_thread *thread = stepping->thread;
    uint32_t index = runs_index(stream, frame);
    thread->placed = thread->placed < index ? thread->placed : index;
    thread->kept = thread->kept < index ? thread->kept : index;
    return CLEW_OK;
}

static enum clew_error end(void *context, struct stream *stream, struct stream_frame *frame, uint64_t clock,
                           enum stream_end how)
{
    const struct stepping *stepping = context;
    struct runs *runs = stepping->runs;
    struct runs_thread *thread = stepping->thread;
    if (runs_index(stream, frame) >= thread->placed) {
        return CLEW_OK;
    }
    const struct run *run = newest_run(thread);
    bool is_run = run && run->frame == runs_index(stream, frame), whole = !frame->joined;
    if (is_run) {
        CLEW_TRY(complete_at_once(runs, thread, run, clock, how));
    }
    CLEW_TRY(leave(runs, thread, frame, clock, whole));
    uint32_t node = (uint32_t)frame->number, index = runs_index(stream, frame);
    enum role role;
    if (runs->choice && !is_run && whole && find_role(runs, node, &role) && role != ROLE_KICKOFF) {
        end_request(runs, thread->marks[index], frame->started, clock,
                    how == STREAM_UNWOUND ? RUN_FAULTED : RUN_COMPLETED);
    }
    if (!counts(runs, thread, index)) {
        return CLEW_OK;
    }
    if (how == STREAM_UNWOUND) {
        runs->tree.nodes[node].exceptions++;
        CLEW_TRY(tree_thrown_end(&runs->left, node, runs->types, stream_exception(stream)));
    }
    bool root = !is_run && whole && runs->has_times && caller_node(stream, frame) == TREE_ROOT;
    return root ? count_latency(runs, node, stream_time(frame, clock)) : CLEW_OK;
}

// -- Events -----------------------------------------------------------------------------------------------------------

// The run that an event is about: the newest activation. NULL: that is none.
static struct run *current_run(struct runs_thread *thread)
{
    struct stream *stream = &thread->stream;
    const struct stream_frame *frame = stream->depth ? stream_caller(stream, stream->frames + stream->depth) : NULL;
    return frame ? runs_at(thread, runs_index(stream, frame), thread->run_count) : NULL;
}

// The run's activation begins to wait. Serial 0: what continues it will not be known.
static enum clew_error suspend(struct runs *runs, struct runs_thread *thread, const struct recording_event *event,
                               uint64_t state)
{
    struct run *run = current_run(thread);
    if (!run || run->over || (run->after && !run->unknown)) {
        return CLEW_OK;
    }
    if (event->serial && !run->unknown && !run->activation.slot) {
        runs_need_record(runs, thread, run);
    } else if (event->serial && run->unknown) {
        run->activation = runs_named(runs, event->serial, runs_plain_number(thread->stream.frames[run->frame].method));
    }
    struct activation *activation = activations_get(&runs->activations, run->activation);
    if (activation && run->unknown) {
        activation->run = run->number; // no event has said so before
    }
    if (activation && !event->serial) {
        activations_complete(&runs->activations, run->activation, event->clock);
        run->unknown = true;
    } else if (activation && activation->run == run->number &&
               activations_name(&runs->activations, run->activation, event->serial)) {
        activations_wait(&runs->activations, run->activation, event->wait,
                         state < AWAIT_STATES_MAX ? (uint32_t)state : AWAIT_STATES_MAX, event->clock);
    }
    return run->after ? CLEW_OK : begin_after(runs, thread, run, METHOD_AFTER_WAIT, event->clock);
}

// The run's activation is complete; also where an exception came out of a wait that it had announced.
static enum clew_error complete(struct runs *runs, struct runs_thread *thread, const struct recording_event *event,
                                uint64_t how)
{
    struct run *run = current_run(thread);
    if (!run || run->over) {
        return CLEW_OK;
    }
    if (!run->unknown) {
        end_after(runs, thread, run, event->clock);
    }
    struct activation_ref ref = run->unknown ? activations_find(&runs->activations, event->serial) : run->activation;
    const struct activation *activation = activations_get(&runs->activations, ref);
    uint64_t started = activation ? activation->started : ref.slot ? 0 : runs_started(thread, run);
    if (activation) {
        activations_complete(&runs->activations, ref, event->clock);
    }
    run->over = true;
    CLEW_TRY(count_end(runs, thread, run, how, started, event->clock));
    bool after = event->serial && !run->after;
    return after ? begin_after(runs, thread, run, METHOD_AFTER_END, event->clock) : CLEW_OK;
}

// Events are missing: of the frames from the outermost run upwards it is not known whether they are what they were. They get
// nodes anew, by what the stack states of runs.
static enum clew_error place_anew(struct runs *runs, struct runs_thread *thread)
{
    struct stream *stream = &thread->stream;
    uint32_t known = thread->placed, first = thread->run_count ? thread->runs[0].frame : known;
    for (uint32_t i = known; i-- > first;) {
        struct stream_frame *frame = &stream->frames[i];
        if (!frame->filter) {
            CLEW_TRY(leave(runs, thread, frame, stream->last_clock, false));
            frame->started = stream->last_clock;
            frame->waited = 0;
            frame->joined = true;
        }
    }
    thread->kept = known;
    thread->placed = first < known ? first : known;
    return CLEW_OK;
}

// Frames that have ended have no nodes.
static void forget_ended(struct runs_thread *thread)
{
    uint32_t depth = thread->stream.depth;
    thread->placed = thread->placed < depth ? thread->placed : depth;
    thread->kept = thread->kept < depth ? thread->kept : depth;
}

static enum clew_error take_async(struct runs *runs, struct runs_thread *thread, const struct recording_event *event,
                                  const uint32_t *stack)
{
    uint64_t number = recording_number(stack);
    if (event->kind == RECORDING_SUSPEND) {
        return suspend(runs, thread, event, number);
    }
    return event->kind == RECORDING_COMPLETE ? complete(runs, thread, event, number) : CLEW_OK;
}

enum clew_error runs_step(struct runs *runs, struct runs_thread *thread, const struct recording_event *event,
                          const uint32_t *stack)
{
    struct stepping stepping = {runs, thread};
    const struct stream_user user = {begin, end, &stepping, &runs->work};
    struct stream *stream = &thread->stream;
    if (thread->placed < stream->depth && event->kind != RECORDING_RUN) {
        bool says = event->kind == RECORDING_RESUME && thread->placed + 1 == stream->depth &&
                    !stream->frames[thread->placed].joined;
        CLEW_TRY(says ? place(runs, thread, event, recording_number(stack)) : place_all(runs, thread));
    }
    if (recording_is_async(event->kind)) {
        CLEW_TRY(take_async(runs, thread, event, stack));
    }
    CLEW_TRY(stream_step(stream, event, stack, &user));
    if (event->kind == RECORDING_ENTER) {
        return CLEW_OK;
    }
    forget_ended(thread);
    if (event->kind == RECORDING_LOST || event->kind == RECORDING_STACK) {
        CLEW_TRY(place_anew(runs, thread));
    }
    return runs->paths.failed ? CLEW_NO_MEMORY : CLEW_OK;
}

enum clew_error runs_open_block(struct runs *runs, struct runs_thread *thread, const struct recording_events *block,
                                bool counted_before)
{
    struct stepping stepping = {runs, thread};
    const struct stream_user user = {begin, end, &stepping, &runs->work};
    struct stream *stream = &thread->stream;
    if (stream->begun && stream->sequence == block->sequence) {
        return stream_open_block(stream, block, &user);
    }
    CLEW_TRY(place_all(runs, thread));
    CLEW_TRY(stream_open_block(stream, block, &user));
    forget_ended(thread);
    CLEW_TRY(place_anew(runs, thread));
    for (uint32_t i = 0; counted_before && i < stream->depth; i++) { // nor does this part count the time before
        struct stream_frame *frame = &stream->frames[i];
        frame->started = frame->started < stream->last_clock ? stream->last_clock : frame->started;
    }
    thread->kept = counted_before ? stream->depth : thread->kept;
    return CLEW_OK;
}

enum clew_error runs_end(struct runs *runs, struct runs_thread *thread, uint64_t last)
{
    struct stream *stream = &thread->stream;
    CLEW_TRY(place_all(runs, thread));
    for (uint32_t i = stream->depth; i-- > 0;) {
        struct stream_frame *frame = &stream->frames[i];
        if (frame->filter) {
            stream_pass_over(stream, frame, last, &runs->work);
            continue;
        }
        const struct run *run = newest_run(thread);
        bool is_run = run && run->frame == i;
        uint32_t after = is_run ? run->after : 0;
        CLEW_TRY(leave(runs, thread, frame, last, false));
        if (counts(runs, thread, i)) {
            enum role role;
            runs->tree.nodes[frame->number].open++;
            runs->tree.nodes[after].open += after > 0;
            bool kickoff = find_role(runs, (uint32_t)frame->number, &role) && role == ROLE_KICKOFF;
            thread->thread->open += !kickoff && !after;
        }
    }
    return CLEW_OK;
}
