// Builds call trees from streams: replays each thread's events and adds the time of each activation to the node of its
// path (model_replay.c).
#include <stdlib.h>

#include "model/model_load.h"
#include "model/model_replay.h"

// The streams of all threads while their blocks are replayed in the order of the file.
struct streams {
    struct model_load *load;
    struct model *model;
    struct stream *streams; // parallel to catalog.threads
    uint32_t count;
    struct replay replay;
};

// -- Blocks -----------------------------------------------------------------------------------------------------------

// Makes room for a stream for each thread known so far.
static bool grow_streams(struct streams *streams)
{
    uint32_t wanted = streams->model->catalog.thread_count;
    if (wanted <= streams->count) {
        return true;
    }
    wanted += wanted / 2 + 8;
    struct stream *grown = realloc(streams->streams, (size_t)wanted * sizeof *grown);
    if (!grown) {
        return false;
    }
    for (uint32_t i = streams->count; i < wanted; i++) {
        grown[i] = (struct stream){0};
    }
    streams->streams = grown;
    streams->count = wanted;
    return true;
}

// Whether a thread's totals come from its stream: a recorded tree has the same content, and with the instrument `tree`
// it also knows what the stream lost.
static bool has_no_tree(void *context, uint32_t process, uint32_t thread)
{
    const struct model *model = context;
    uint32_t index = catalog_find_thread(&model->catalog, process, thread);
    return model_takes_thread(model, process, thread) &&
           (index == CATALOG_NONE || model->catalog.threads[index].tree_offset == 0);
}

// Replays one block. In a later part of a recording (--rotate), the activations with which the first block opens were
// already counted in an earlier part.
static enum clew_error replay_block(struct streams *streams, const struct recording_events *block)
{
    struct model *model = streams->model;
    struct replay *replay = &streams->replay;
    uint32_t index = model_thread_seen(model, block->process, block->thread, block->last_clock), at = 0;
    if (index == CATALOG_NONE || !grow_streams(streams)) {
        return CLEW_NO_MEMORY;
    }
    CLEW_TRY(model_fill_tree(streams->load, block->process, block->thread, MODEL_STREAM_NODES_MAX, &replay->tree));
    struct stream *stream = &streams->streams[index];
    const uint32_t *stacks = block->stacks;
    replay->thread = &model->catalog.threads[index];
    replay->types = (struct exception_types){&model->exception_types, block->process};
    replay->counted_before = !stream->begun && model->session.part > 1;
    CLEW_TRY(replay_open_block(replay, stream, block));
    replay->counted_before = false;
    return replay_events(replay, stream, block, UINT64_MAX, &at, &stacks);
}

static enum clew_error replay_blocks(struct streams *streams)
{
    struct recording_reader *reader = streams->load->reader;
    struct recording_record record;
    enum clew_error error;
    CLEW_TRY(streams->model->options.unchecked ? recording_rewind_listed(reader) : recording_rewind(reader, 0));
    recording_want_events(reader, has_no_tree, streams->model);
    do {
        error = recording_next(reader, 1u << RECORDING_EVENTS, &record);
        error = error == CLEW_OK ? replay_block(streams, &record.events) : error;
    } while (error == CLEW_OK);
    recording_want_events(reader, NULL, NULL);
    model_merge_health(streams->load);
    return error == CLEW_NOT_FOUND ? CLEW_OK : error;
}

// -- The end of each stream -------------------------------------------------------------------------------------------

// Finds the clock of the newest event of each process.
static enum clew_error find_newest(const struct streams *streams, struct map *newest)
{
    const struct catalog *catalog = &streams->model->catalog;
    for (uint32_t i = 0; i < catalog->thread_count && i < streams->count; i++) {
        uint64_t before = 0, process = catalog->threads[i].record.process;
        (void)map_get(newest, process, &before); // stays 0 for the first
        if (streams->streams[i].last_clock > before && !map_put(newest, process, streams->streams[i].last_clock)) {
            return CLEW_NO_MEMORY;
        }
    }
    return CLEW_OK;
}

// Adds the open activations and copies the stream's totals to its thread.
static enum clew_error finish_stream(struct streams *streams, const struct map *newest, uint32_t index)
{
    struct model *model = streams->model;
    struct stream *stream = &streams->streams[index];
    struct catalog_thread *thread = &model->catalog.threads[index];
    uint64_t last = catalog_last_moment(&model->catalog, thread->record.process, thread->record.thread, 0);
    if (last == 0) {
        (void)map_get(newest, thread->record.process, &last);
    }
    last = last > stream->last_clock ? last : stream->last_clock;
    streams->replay.thread = thread;
    CLEW_TRY(model_find_tree(streams->load, thread->record.process, thread->record.thread, &streams->replay.tree));
    replay_add_open(&streams->replay, stream, last);
    thread->events = stream->events;
    thread->lost = stream->lost;
    thread->last_clock = last;
    model->gaps += stream->gaps;
    return CLEW_OK;
}

// Closes all streams, once every thread's newest event is known.
static enum clew_error finish_streams(struct streams *streams)
{
    struct map newest = {0};
    enum clew_error error = find_newest(streams, &newest);
    for (uint32_t i = 0; error == CLEW_OK && i < streams->model->catalog.thread_count && i < streams->count; i++) {
        error = streams->streams[i].begun ? finish_stream(streams, &newest, i) : CLEW_OK;
    }
    map_free(&newest);
    return error;
}

enum clew_error model_read_streams(struct model_load *load)
{
    struct streams streams = {.load = load, .model = load->model};
    enum clew_error error = replay_blocks(&streams);
    error = error == CLEW_OK ? finish_streams(&streams) : error;
    for (uint32_t i = 0; i < streams.count; i++) {
        stream_fini(&streams.streams[i]);
    }
    free(streams.streams);
    return error;
}
