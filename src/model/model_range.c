// Builds the call trees of a range of time from streams. Each thread is replayed alone: from its first block that ends in the
// range or later, since a block begins with the activations that run at its beginning, to its last block that begins in the
// range. So the cost depends on the range, not on the recording.
#include "base/assert.h"
#include "model/events/event_blocks.h"
#include "model/model_load.h"
#include "model/model_replay.h"

struct range {
    struct model_load *load;
    struct model *model;
    uint64_t from, to;
    struct event_blocks list;   // all blocks of the selected threads
    struct map newest;          // by process: the clock of its newest event
    size_t blocks, blocks_read; // that overlap the range
    struct replay replay;
    // The thread whose turn it is:
    uint32_t index; // in the catalog
    struct stream stream;
    uint64_t lost, events, gaps; // of the stream, before the range
    bool goes_on;                // the thread has events behind the range
};

// -- Blocks -----------------------------------------------------------------------------------------------------------

static bool wants(void *context, const struct recording_block *block)
{
    return model_takes_thread(context, block->process, block->thread);
}

// Looks at the headers of all blocks.
static enum clew_error look_at_blocks(struct range *range)
{
    for (size_t i = 0; i < range->list.count; i++) {
        const struct event_block *block = event_blocks_get(&range->list, &range->list.order[i]);
        const struct thread_blocks *thread = &range->list.threads[range->list.order[i].thread];
        range->blocks += block->last >= range->from && block->first_clock < range->to;
        uint64_t before = 0;
        (void)map_get(&range->newest, thread->process, &before); // stays 0 for the first
        if (block->last > before && !map_put(&range->newest, thread->process, block->last)) {
            return CLEW_NO_MEMORY;
        }
    }
    return CLEW_OK;
}

// The thread's first block that ends in the range or later. Without one its last block, which has the activations that went
// on running.
static size_t first_block(const struct range *range, const struct thread_blocks *thread)
{
    size_t block = thread_blocks_at_clock(thread, range->from);
    return block < thread->count ? block : thread->count - 1;
}

// -- One thread -------------------------------------------------------------------------------------------------------

// From here on events count.
static enum clew_error begin_range(struct range *range)
{
    range->lost = range->stream.lost;
    range->events = range->stream.events;
    range->gaps = range->stream.gaps;
    return replay_begin_range(&range->replay, &range->stream, range->from);
}

// Replays the part of a block that lies in the range.
static enum clew_error replay_block(struct range *range, const struct recording_events *block)
{
    struct replay *replay = &range->replay;
    const uint32_t *stacks = block->stacks;
    uint32_t at = 0;
    replay->counted_before = !range->stream.begun && range->model->session.part > 1;
    CLEW_TRY(replay_open_block(replay, &range->stream, block));
    if (replay->before_range) {
        if (range->from > 0) {
            CLEW_TRY(replay_events(replay, &range->stream, block, range->from - 1, &at, &stacks));
        }
        CLEW_TRY(begin_range(range));
    }
    replay->counted_before = false;
    CLEW_TRY(replay_events(replay, &range->stream, block, range->to - 1, &at, &stacks));
    range->goes_on = at < block->count;
    return CLEW_OK;
}

static void report_progress(struct range *range)
{
    const struct model_options *options = &range->model->options;
    range->blocks_read += range->blocks_read < range->blocks;
    if (options->progress && range->blocks > 0) {
        options->progress(options->context, (double)range->blocks_read / (double)range->blocks);
    }
}

// Replays the blocks from `block` on. A damaged one counts as missing.
static enum clew_error replay_blocks(struct range *range, const struct thread_blocks *thread, size_t block)
{
    do {
        struct recording_record record;
        enum clew_error error =
            recording_read(range->load->reader, thread->blocks[block].offset, RECORDING_EVENTS, &record);
        if (error == CLEW_DAMAGED) {
            range->model->health.damaged++;
        } else {
            CLEW_TRY(error);
            CLEW_TRY(replay_block(range, &record.events));
        }
        report_progress(range);
        block++;
    } while (block < thread->count && thread->blocks[block].first_clock < range->to);
    range->goes_on = range->goes_on || block < thread->count;
    return CLEW_OK;
}

// Adds what runs at the end of the range, and the sums of the thread.
static void finish_thread(struct range *range)
{
    struct catalog_thread *thread = &range->model->catalog.threads[range->index];
    const struct stream *stream = &range->stream;
    uint64_t last = catalog_last_moment(&range->model->catalog, thread->record.process, thread->record.thread, 0);
    if (last == 0) {
        (void)map_get(&range->newest, thread->record.process, &last);
    }
    last = last > stream->last_clock ? last : stream->last_clock;
    last = range->goes_on || last > range->to ? range->to : last;
    if (last >= range->from) {
        replay_add_open(&range->replay, &range->stream, last);
    }
    thread->events = stream->events - range->events;
    thread->lost = stream->lost - range->lost;
    thread->last_clock = last;
    range->model->gaps += stream->gaps - range->gaps;
}

static enum clew_error replay_thread(struct range *range, const struct thread_blocks *of)
{
    struct model *model = range->model;
    range->index = model_thread_seen(model, of->process, of->thread, 0);
    if (range->index == CATALOG_NONE) {
        return CLEW_NO_MEMORY;
    }
    CLEW_TRY(model_fill_tree(range->load, of->process, of->thread, MODEL_STREAM_NODES_MAX, &range->replay.tree));
    range->replay.thread = &model->catalog.threads[range->index];
    range->replay.types = (struct exception_types){&model->exception_types, of->process};
    range->replay.before_range = true;
    range->goes_on = false;
    CLEW_TRY(replay_blocks(range, of, first_block(range, of)));
    if (!range->replay.before_range) { // else no block was readable
        finish_thread(range);
    }
    return CLEW_OK;
}

// -- All threads ------------------------------------------------------------------------------------------------------

static enum clew_error replay_threads(struct range *range)
{
    CLEW_TRY(event_blocks_list(&range->list, recording_of(range->load->reader), wants, range->model));
    CLEW_TRY(look_at_blocks(range));
    for (uint32_t i = 0; i < range->list.thread_count; i++) {
        const struct thread_blocks *thread = &range->list.threads[i];
        enum clew_error error = thread->count ? replay_thread(range, thread) : CLEW_OK;
        stream_fini(&range->stream);
        CLEW_TRY(error);
    }
    return CLEW_OK;
}

enum clew_error model_read_range(struct model_load *load)
{
    struct model *model = load->model;
    uint64_t from = model->options.from_ns, to = model->options.to_ns;
    struct range range = {.load = load, .model = model};
    range.from = from > 0 ? model_clock_at(model, from) : 0;
    range.to = to > 0 ? model_clock_at(model, to) : UINT64_MAX;
    range.to += range.to == 0; // a damaged rate can give the clock 0, which no event comes before
    CLEW_ASSERT(model_has_range(model) && range.to > 0);
    enum clew_error error = replay_threads(&range);
    for (uint32_t i = 0; i < model->catalog.thread_count; i++) {
        model->catalog.threads[i].tree_offset = 0; // its tree is not of the range
    }
    event_blocks_free(&range.list);
    map_free(&range.newest);
    return error;
}
