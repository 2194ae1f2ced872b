// Builds call trees from streams: replays each thread's events and adds the time of each activation to the node of its
// path. The rules are those of the agent's probes, so a stream gives the same tree that the agent would have recorded.
#include <stdlib.h>

#include "base/assert.h"
#include "model/model_load.h"

enum { NODES_MAX = 3000000 }; // limits memory: a stream can have any number of paths

// The streams of all threads while their blocks are replayed in the order of the file.
struct replay {
    struct model_load *load;
    struct model *model;
    struct stream *streams; // parallel to catalog.threads
    uint32_t count;
    struct stream_work work;
    // State of the current block:
    uint32_t thread; // index
    struct tree *tree;
    bool counted_before; // an earlier part of the recording has counted the activations that begin now
};

// -- Activations ------------------------------------------------------------------------------------------------------

// Called by the stream at each beginning: finds the child node of the caller's node and counts the call.
static enum clew_error begin(void *context, struct stream *stream, struct stream_frame *frame)
{
    struct replay *replay = context;
    struct tree *tree = replay->tree;
    const struct stream_frame *caller = stream_caller(stream, frame);
    CLEW_ASSERT(!caller || caller->number < tree->count);
    uint32_t node = tree_child(tree, caller ? (uint32_t)caller->number : TREE_ROOT, frame->method);
    if (node == TREE_NONE) {
        return CLEW_NO_MEMORY;
    }
    frame->number = node;
    if (replay->counted_before) { // nor does this part count the time that passed before
        frame->started = frame->started < stream->last_clock ? stream->last_clock : frame->started;
        return CLEW_OK;
    }
    tree->nodes[node].calls++;
    replay->model->catalog.threads[replay->thread].calls++;
    return CLEW_OK;
}

// Adds an activation's time to its node, and to the time that its caller spent in callees. `whole`: its beginning and
// its end were both seen, so it counts for the shortest and the longest.
static void add_time(struct tree *tree, const struct stream *stream, const struct stream_frame *frame, uint64_t clock,
                     bool whole)
{
    CLEW_ASSERT(frame->number < tree->count);
    struct tree_node *node = &tree->nodes[frame->number];
    uint64_t time = stream_time(frame, clock);
    const struct stream_frame *caller = stream_caller(stream, frame);
    node->total += time;
    tree->nodes[caller ? caller->number : TREE_ROOT].inside += time;
    if (!caller) {
        tree->nodes[TREE_ROOT].total += time;
    }
    if (whole) {
        node->shortest = time < node->shortest ? time : node->shortest;
        node->longest = time > node->longest ? time : node->longest;
    }
}

// Called by the stream at each end. An activation that was already running when the stream began counts for the total,
// but not for the shortest and longest times.
static enum clew_error end(void *context, struct stream *stream, struct stream_frame *frame, uint64_t clock,
                           enum stream_end how)
{
    struct replay *replay = context;
    struct tree *tree = replay->tree;
    add_time(tree, stream, frame, clock, !frame->joined);
    tree->nodes[frame->number].exceptions += how == STREAM_UNWOUND;
    return CLEW_OK;
}

// -- Blocks -----------------------------------------------------------------------------------------------------------

// Makes room for a stream for each thread known so far.
static bool grow_streams(struct replay *replay)
{
    uint32_t wanted = replay->model->catalog.thread_count;
    if (wanted <= replay->count) {
        return true;
    }
    wanted += wanted / 2 + 8;
    struct stream *streams = realloc(replay->streams, (size_t)wanted * sizeof *streams);
    if (!streams) {
        return false;
    }
    for (uint32_t i = replay->count; i < wanted; i++) {
        streams[i] = (struct stream){0};
    }
    replay->streams = streams;
    replay->count = wanted;
    return true;
}

// Replays one block. In a later part of a recording (--rotate), the activations with which the first block opens were
// already counted in an earlier part.
static enum clew_error replay_events(struct replay *replay, struct stream *stream, const struct recording_events *block)
{
    struct stream_user user = {begin, end, replay, &replay->work};
    replay->counted_before = !stream->begun && replay->model->session.part > 1;
    CLEW_TRY(stream_open_block(stream, block, &user));
    replay->counted_before = false;
    const uint32_t *stacks = block->stacks;
    for (uint32_t i = 0; i < block->count; i++) {
        const struct recording_event *event = &block->events[i];
        CLEW_TRY(stream_step(stream, event, stacks, &user));
        stacks += event->kind == RECORDING_STACK ? event->method : 0;
    }
    return CLEW_OK;
}

// Whether a thread's totals come from its stream: a recorded tree has the same content, and with the instrument `tree`
// it also knows what the stream lost.
static bool has_no_tree(void *context, uint32_t process, uint32_t thread)
{
    const struct catalog *catalog = context;
    uint32_t index = catalog_find_thread(catalog, process, thread);
    return index == CATALOG_NONE || catalog->threads[index].tree_offset == 0;
}

static enum clew_error replay_block(struct replay *replay, const struct recording_events *block)
{
    struct model *model = replay->model;
    replay->thread = model_thread_seen(model, block->process, block->thread, block->last_clock);
    if (replay->thread == CATALOG_NONE || !grow_streams(replay)) {
        return CLEW_NO_MEMORY;
    }
    CLEW_TRY(model_fill_tree(replay->load, block->process, block->thread, NODES_MAX, &replay->tree));
    return replay_events(replay, &replay->streams[replay->thread], block);
}

static enum clew_error replay_blocks(struct replay *replay)
{
    struct recording_reader *reader = replay->load->reader;
    struct recording_record record;
    enum clew_error error;
    CLEW_TRY(recording_rewind(reader, 0));
    recording_want_events(reader, has_no_tree, &replay->model->catalog);
    while ((error = recording_next(reader, 1u << RECORDING_EVENTS, &record)) == CLEW_OK) {
        CLEW_TRY(replay_block(replay, &record.events));
    }
    recording_want_events(reader, NULL, NULL);
    model_merge_health(replay->load);
    return error == CLEW_NOT_FOUND ? CLEW_OK : error;
}

// -- The end of each stream -------------------------------------------------------------------------------------------

// Finds the clock of the newest event of each process.
static enum clew_error find_newest(const struct replay *replay, struct map *newest)
{
    const struct catalog *catalog = &replay->model->catalog;
    for (uint32_t i = 0; i < catalog->thread_count && i < replay->count; i++) {
        uint64_t before = 0, process = catalog->threads[i].record.process;
        (void)map_get(newest, process, &before); // stays 0 for the first
        if (replay->streams[i].last_clock > before && !map_put(newest, process, replay->streams[i].last_clock)) {
            return CLEW_NO_MEMORY;
        }
    }
    return CLEW_OK;
}

// The last moment at which a thread is known to have run: its own end; else its process's end; else the newest event of
// the process. Never before the thread's own last event.
static uint64_t last_moment(const struct replay *replay, const struct map *newest, uint32_t index)
{
    const struct catalog *catalog = &replay->model->catalog;
    const struct recording_thread *thread = &catalog->threads[index].record;
    uint64_t last = thread->ended_clock;
    uint32_t process = catalog_find_process(catalog, thread->process);
    if (!last && process != CATALOG_NONE) {
        last = catalog->processes[process].ended_clock;
    }
    if (!last) {
        (void)map_get(newest, thread->process, &last);
    }
    return last > replay->streams[index].last_clock ? last : replay->streams[index].last_clock;
}

// Counts the activations that still run where the stream stops, with their time up to `last`.
static void add_open(struct replay *replay, struct tree *tree, uint32_t index, uint64_t last)
{
    struct stream *stream = &replay->streams[index];
    for (uint32_t i = stream->depth; i-- > 0;) {
        if (stream->frames[i].filter) {
            stream_pass_over(stream, &stream->frames[i], last, &replay->work);
            continue;
        }
        add_time(tree, stream, &stream->frames[i], last, false);
        tree->nodes[stream->frames[i].number].open++;
        replay->model->catalog.threads[index].open++;
    }
}

// Adds the open activations and copies the stream's totals to its thread.
static enum clew_error finish_stream(struct replay *replay, const struct map *newest, uint32_t index)
{
    struct model *model = replay->model;
    const struct stream *stream = &replay->streams[index];
    struct catalog_thread *thread = &model->catalog.threads[index];
    struct tree *tree;
    CLEW_TRY(model_find_tree(replay->load, thread->record.process, thread->record.thread, &tree));
    uint64_t last = last_moment(replay, newest, index);
    add_open(replay, tree, index, last);
    thread->events = stream->events;
    thread->lost = stream->lost;
    thread->last_clock = last;
    model->gaps += stream->gaps;
    return CLEW_OK;
}

// Closes all streams, once every thread's newest event is known.
static enum clew_error finish_streams(struct replay *replay)
{
    struct map newest = {0};
    enum clew_error error = find_newest(replay, &newest);
    for (uint32_t i = 0; error == CLEW_OK && i < replay->model->catalog.thread_count && i < replay->count; i++) {
        error = replay->streams[i].begun ? finish_stream(replay, &newest, i) : CLEW_OK;
    }
    map_free(&newest);
    return error;
}

enum clew_error model_read_streams(struct model_load *load)
{
    struct replay replay = {.load = load, .model = load->model};
    enum clew_error error = replay_blocks(&replay);
    error = error == CLEW_OK ? finish_streams(&replay) : error;
    for (uint32_t i = 0; i < replay.count; i++) {
        stream_fini(&replay.streams[i]);
    }
    free(replay.streams);
    return error;
}
