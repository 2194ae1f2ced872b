// See timeline.h. event_blocks.c lists the blocks of each thread. A block is loaded (timeline_part.c), whole or in
// parts, when its first clock is reached. A heap with one cursor per thread yields the next event of all.
#include "model/events/timeline.h"

#include <stdlib.h>

#include "base/assert.h"
#include "model/events/event_blocks.h"
#include "model/events/timeline_part.h"

enum { CELLS_MAX = 1024 }; // of one event: no recorded value has as many

// The blocks of a thread that are read: first <= block < end.
struct range {
    const struct thread_blocks *of;
    uint32_t first, end;
};

// The position in one thread: before a block, or at an event of the loaded part of it.
struct cursor {
    uint32_t thread; // index in `threads`
    uint32_t block;  // of the thread's
    uint32_t at;     // index among the part's events
    uint32_t stack_at;
    struct timeline_part part;
};

// An open timeline.
struct timeline {
    struct timeline_options options;
    struct event_blocks list;
    struct timeline_thread *threads; // those with blocks between `from` and `to`
    struct range *ranges;            // parallel: their blocks
    uint32_t thread_count;
    struct timeline_memory memory;
    struct cursor *heap; // one cursor per thread; heap[0] has the next event
    size_t heap_count;
    struct stream_work work;
    struct recording_health health;
    // State of the current event:
    uint32_t thread;
    const struct cursor *cursor; // NULL while a block opens
    bool quiet;                  // the event is before `from`: track the stack without reporting
    bool over;                   // everything was reported
    bool crossed;                // `from` is reached: activations that ran there were reported, if they were to be
};

// -- Steps ------------------------------------------------------------------------------------------------------------

// A step without a frame.
static struct timeline_step step_of(const struct timeline *run, enum timeline_kind kind, uint64_t clock)
{
    return (struct timeline_step){.kind = kind, .clock = clock, .thread = &run->threads[run->thread]};
}

// A step of an activation.
static struct timeline_step step_in(const struct timeline *run, enum timeline_kind kind, uint64_t clock,
                                    struct stream_frame *frame)
{
    return (struct timeline_step){
        .kind = kind, .clock = clock, .thread = &run->threads[run->thread], .frame = frame, .level = frame->level};
}

static enum clew_error report(const struct timeline *run, const struct timeline_step *step)
{
    return run->options.step(run->options.context, step);
}

// Adds the next event of the thread to a step that begins an activation. Each part has one event more than it needs, so
// the next event is known except at the end of a block.
static void look_ahead(const struct timeline *run, struct timeline_step *step)
{
    const struct cursor *cursor = run->cursor;
    step->next_known = cursor && cursor->at + 1 < cursor->part.count;
    if (step->next_known) {
        const struct timeline_event *next = &cursor->part.events[cursor->at + 1];
        step->leaf = next->kind == RECORDING_LEAVE || next->kind == RECORDING_UNWIND;
        step->leaf_clock = next->clock;
        step->leaf_how = next->kind == RECORDING_UNWIND ? STREAM_UNWOUND : STREAM_LEFT;
    }
}

// Callbacks of the threads' streams. Before options->from they only keep the stack up to date.
static enum clew_error begin(void *context, struct stream *stream, struct stream_frame *frame)
{
    struct timeline *run = context;
    (void)stream;
    frame->number = 0;
    if (run->quiet) {
        return CLEW_OK;
    }
    struct timeline_step step = step_in(run, TIMELINE_BEGIN, frame->started, frame);
    look_ahead(run, &step);
    return report(run, &step);
}

static enum clew_error end(void *context, struct stream *stream, struct stream_frame *frame, uint64_t clock,
                           enum stream_end how)
{
    struct timeline *run = context;
    (void)stream;
    if (run->quiet) {
        return CLEW_OK;
    }
    struct timeline_step step = step_in(run, TIMELINE_END, clock, frame);
    step.how = how;
    return report(run, &step);
}

static enum clew_error report_lost(const struct timeline *run, const struct timeline_event *event)
{
    struct timeline_step step = step_of(run, TIMELINE_LOST, event->clock);
    step.lost = event->value;
    return run->quiet ? CLEW_OK : report(run, &step);
}

// Reports a statement or value. The number of cells is limited, so a damaged event cannot make a receiver read far into
// others.
static enum clew_error report_site(const struct timeline *run, const struct timeline_event *event)
{
    const struct timeline_part *part = &run->cursor->part;
    const struct stream *stream = &run->threads[run->thread].stream;
    CLEW_ASSERT(event->detail <= part->cell_count);
    if (run->quiet) {
        return CLEW_OK;
    }
    uint32_t cells_left = part->cell_count - event->detail;
    struct timeline_step step = step_of(run, TIMELINE_SITE, event->clock);
    step.frame = stream->depth ? stream_caller(stream, stream->frames + stream->depth) : NULL;
    step.level = step.frame ? step.frame->level : 0;
    step.site = event->value;
    step.cells = part->cells + event->detail;
    step.cells_left = cells_left < CELLS_MAX ? cells_left : CELLS_MAX;
    step.boxes = part->boxes;
    return report(run, &step);
}

// Reports the activations that still run at `clock`, where the thread's stream or the time asked for ends, innermost
// first.
static enum clew_error report_open(struct timeline *run, uint32_t thread, uint64_t clock)
{
    struct stream *stream = &run->threads[thread].stream;
    run->thread = thread;
    for (uint32_t i = stream->depth; i-- > 0;) {
        if (stream->frames[i].filter) {
            stream_pass_over(stream, &stream->frames[i], clock, &run->work);
            continue;
        }
        struct timeline_step step = step_in(run, TIMELINE_OPEN, clock, &stream->frames[i]);
        CLEW_TRY(report(run, &step));
    }
    return CLEW_OK;
}

// With options.borders: reports the activations that run at options.from, as far as that was not done. Their events
// were quiet, so they have had no BEGIN step.
static enum clew_error report_running(struct timeline *run)
{
    run->crossed = true;
    for (uint32_t i = 0; run->options.borders && i < run->thread_count; i++) {
        struct stream *stream = &run->threads[i].stream;
        run->thread = i;
        for (uint32_t frame = 0; frame < stream->depth; frame++) {
            if (!stream->frames[frame].filter) {
                struct timeline_step step = step_in(run, TIMELINE_BEGIN, run->options.from, &stream->frames[frame]);
                CLEW_TRY(report(run, &step));
            }
        }
    }
    return CLEW_OK;
}

// -- The heap of threads ----------------------------------------------------------------------------------------------

static const struct event_block *block_of(const struct timeline *run, const struct cursor *cursor)
{
    return &run->ranges[cursor->thread].of->blocks[cursor->block];
}

// The clock of a cursor's next event. Before a block it is the first clock in the block's header.
static uint64_t next_clock(const struct timeline *run, const struct cursor *cursor)
{
    return cursor->part.events ? cursor->part.events[cursor->at].clock : block_of(run, cursor)->first_clock;
}

// Events with equal clocks come in the order of the first clocks of their blocks, then in that of the file, so that each run
// gives the same order.
static bool before(const struct timeline *run, const struct cursor *a, const struct cursor *b)
{
    uint64_t left = next_clock(run, a), right = next_clock(run, b);
    if (left != right) {
        return left < right;
    }
    const struct event_block *first = block_of(run, a), *second = block_of(run, b);
    return first->first_clock != second->first_clock ? first->first_clock < second->first_clock
                                                     : first->offset < second->offset;
}

// Restores the heap after the entry at `at` has become later.
static void sift_down(struct timeline *run, size_t at)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= run->heap_count) {
            return;
        }
        child += child + 1 < run->heap_count && before(run, &run->heap[child + 1], &run->heap[child]);
        if (!before(run, &run->heap[child], &run->heap[at])) {
            return;
        }
        struct cursor moved = run->heap[at];
        run->heap[at] = run->heap[child];
        run->heap[child] = moved;
        at = child;
    }
}

// Places each thread's cursor before its first block.
static enum clew_error make_heap(struct timeline *run)
{
    uint32_t count = run->thread_count;
    run->heap = calloc((size_t)count + 1, sizeof *run->heap);
    if (!run->heap) {
        return CLEW_NO_MEMORY;
    }
    run->heap_count = count;
    for (uint32_t i = 0; i < count; i++) {
        run->heap[i] = (struct cursor){.thread = i, .block = run->ranges[i].first};
    }
    for (size_t i = count / 2; i-- > 0;) {
        sift_down(run, i);
    }
    return CLEW_OK;
}

// -- Blocks -----------------------------------------------------------------------------------------------------------

static enum clew_error read_block(struct timeline *run, const struct cursor *cursor, struct recording_events *out)
{
    return event_blocks_read(&run->list, run->ranges[cursor->thread].of, block_of(run, cursor), out);
}

// Moves the first cursor before the thread's next block, or removes it from the heap at the last one.
static void leave_block(struct timeline *run)
{
    struct cursor *cursor = &run->heap[0];
    timeline_part_unload(&cursor->part, &run->memory);
    if (cursor->block + 1 < run->ranges[cursor->thread].end) {
        *cursor = (struct cursor){.thread = cursor->thread, .block = cursor->block + 1};
    } else {
        *cursor = run->heap[--run->heap_count];
    }
    sift_down(run, 0);
}

// Loads a part of the cursor's block that begins with event `from`.
static enum clew_error load(struct timeline *run, struct cursor *cursor, const struct recording_events *block,
                            uint32_t from)
{
    cursor->at = cursor->stack_at = 0;
    return timeline_part_load(&cursor->part, &run->memory, block, from);
}

// The first clock of the next block is reached: opens it and loads its first part.
static enum clew_error enter_block(struct timeline *run)
{
    struct cursor *cursor = &run->heap[0];
    struct recording_events events;
    enum clew_error error = read_block(run, cursor, &events);
    if (error == CLEW_DAMAGED) {
        run->health.damaged++;
        leave_block(run);
        return CLEW_OK;
    }
    CLEW_TRY(error);
    run->thread = cursor->thread;
    run->cursor = NULL;
    run->quiet = events.first_clock < run->options.from;
    struct stream_user user = {begin, end, run, &run->work};
    CLEW_TRY(stream_open_block(&run->threads[run->thread].stream, &events, &user));
    if (events.count == 0) {
        leave_block(run);
        return CLEW_OK;
    }
    CLEW_TRY(load(run, cursor, &events, 0));
    sift_down(run, 0);
    return CLEW_OK;
}

// Loads the next part of the same block.
static enum clew_error load_next_part(struct timeline *run)
{
    struct cursor *cursor = &run->heap[0];
    struct recording_events events;
    uint32_t from = cursor->part.from + cursor->at;
    CLEW_TRY(read_block(run, cursor, &events)); // reading it succeeded before
    timeline_part_unload(&cursor->part, &run->memory);
    return load(run, cursor, &events, from);
}

// -- Events -----------------------------------------------------------------------------------------------------------

// The timeline's own part in an event, before the thread's stream takes it.
static enum clew_error report_event(struct timeline *run, const struct timeline_event *event)
{
    const struct timeline_part *part = &run->cursor->part;
    if (event->kind == RECORDING_LOST) {
        boxes_forget(part->boxes);
        return report_lost(run, event);
    }
    return event->kind == RECORDING_AT_SITE ? report_site(run, event) : CLEW_OK;
}

// Processes the event at the cursor: first what only the timeline reports, then the thread's stack, then advance the
// position of the stacks.
static enum clew_error take_event(struct timeline *run, struct cursor *cursor)
{
    const struct timeline_event *packed = &cursor->part.events[cursor->at];
    const struct recording_event event = timeline_part_event(packed);
    run->thread = cursor->thread;
    run->cursor = cursor;
    run->quiet = packed->clock < run->options.from;
    if (!boxes_reach(cursor->part.boxes, cursor->part.from + cursor->at)) {
        return CLEW_NO_MEMORY;
    }
    CLEW_TRY(report_event(run, packed));
    struct stream_user user = {begin, end, run, &run->work};
    const uint32_t *stack = cursor->part.stacks + cursor->stack_at;
    CLEW_TRY(stream_step(&run->threads[run->thread].stream, &event, stack, &user));
    cursor->stack_at += recording_stated(&event);
    cursor->at++;
    return CLEW_OK;
}

// Moves the cursor to the thread's next event: in the same part, the next part, or the next block.
static enum clew_error advance(struct timeline *run, struct cursor *cursor)
{
    const struct timeline_part *part = &cursor->part;
    if (part->from + cursor->at == part->total) {
        leave_block(run);
        return CLEW_OK;
    }
    if (cursor->at + 1 >= part->count && part->from + part->count < part->total) {
        CLEW_TRY(load_next_part(run));
    }
    sift_down(run, 0);
    return CLEW_OK;
}

// Processes the earliest event.
static enum clew_error step_once(struct timeline *run)
{
    struct cursor *cursor = &run->heap[0];
    CLEW_ASSERT(run->heap_count > 0 && cursor->part.events && cursor->at < cursor->part.count);
    CLEW_TRY(take_event(run, cursor));
    return advance(run, cursor);
}

// Whether no event is left up to options.to.
static bool is_over(const struct timeline *run)
{
    return run->heap_count == 0 || next_clock(run, &run->heap[0]) > run->options.to;
}

// Where the recording ends; at options.to, activations may still end later, so that only `borders` asks for them.
static enum clew_error report_all_open(struct timeline *run)
{
    bool ends = run->heap_count == 0;
    for (uint32_t i = 0; (ends || run->options.borders) && i < run->thread_count; i++) {
        uint64_t last = run->threads[i].stream.last_clock;
        last = last < run->options.from && run->options.borders ? run->options.from : last;
        CLEW_TRY(report_open(run, i, ends ? last : run->options.to));
    }
    return CLEW_OK;
}

// Whether the next event, if there is one, is at options.from or later.
static bool reaches_from(const struct timeline *run)
{
    return run->heap_count == 0 || next_clock(run, &run->heap[0]) >= run->options.from;
}

enum clew_error timeline_advance(struct timeline *run)
{
    if (run->over) {
        return CLEW_NOT_FOUND;
    }
    if (!run->crossed && reaches_from(run)) {
        CLEW_TRY(report_running(run));
    }
    if (!is_over(run)) {
        return run->heap[0].part.events ? step_once(run) : enter_block(run);
    }
    run->over = true;
    CLEW_TRY(report_all_open(run));
    if (run->options.done) {
        run->options.done(run->options.context);
    }
    return CLEW_OK;
}

void timeline_close(struct timeline *run)
{
    if (!run) {
        return;
    }
    for (size_t i = 0; i < run->heap_count; i++) {
        timeline_part_unload(&run->heap[i].part, &run->memory);
    }
    for (uint32_t i = 0; i < run->thread_count; i++) {
        stream_fini(&run->threads[i].stream);
    }
    if (run->options.health) {
        recording_meet(run->options.health, &run->health);
    }
    free(run->heap);
    free(run->threads);
    free(run->ranges);
    event_blocks_free(&run->list);
    free(run);
}

// -- The blocks to read -----------------------------------------------------------------------------------------------

// Those before `to`: which of them are after `from` is known once all are listed.
static bool wants(void *context, const struct recording_block *block)
{
    const struct timeline_options *options = context;
    return (!options->thread || block->thread == options->thread) && block->first_clock <= options->to &&
           (!options->wants || options->wants(options->context, block));
}

// The blocks of a thread that overlap the time. With `borders` also its last block before it: that has the activations that
// run there, even if they outlast the events of the thread.
static struct range range_of(const struct timeline *run, const struct thread_blocks *thread)
{
    size_t first = thread_blocks_at_clock(thread, run->options.from);
    if (run->options.borders && first > 0 &&
        (first == thread->count || thread->blocks[first].first >= run->options.from)) {
        first--;
    }
    return (struct range){thread, (uint32_t)first, (uint32_t)thread->count};
}

static int in_file_order(const void *left, const void *right)
{
    const struct range *a = left, *b = right;
    uint64_t first = a->of->blocks[a->first].offset, second = b->of->blocks[b->first].offset;
    return (first > second) - (first < second);
}

// Threads come in the order of their first blocks that are read. NOTHING_RECORDED: there is no such thread.
static enum clew_error choose_blocks(struct timeline *run, struct recording *recording)
{
    bool any = false;
    CLEW_TRY(event_blocks_list(&run->list, recording, wants, &run->options));
    run->threads = calloc((size_t)run->list.thread_count + 1, sizeof *run->threads);
    run->ranges = calloc((size_t)run->list.thread_count + 1, sizeof *run->ranges);
    if (!run->threads || !run->ranges) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t i = 0; i < run->list.thread_count; i++) {
        const struct thread_blocks *thread = &run->list.threads[i];
        const struct range range = range_of(run, thread);
        any = any || !run->options.thread || thread->thread == run->options.thread;
        if (range.first < range.end) {
            run->ranges[run->thread_count++] = range;
        }
    }
    qsort(run->ranges, run->thread_count, sizeof *run->ranges, in_file_order);
    for (uint32_t i = 0; i < run->thread_count; i++) {
        const struct thread_blocks *thread = run->ranges[i].of;
        run->threads[i] = (struct timeline_thread){.process = thread->process, .thread = thread->thread};
    }
    return any ? CLEW_OK : CLEW_NOTHING_RECORDED;
}

// Lists the blocks and places the cursors.
static enum clew_error start(struct timeline *run, struct recording *recording)
{
    CLEW_TRY(choose_blocks(run, recording));
    run->memory = (struct timeline_memory){.wanted = run->options.loaded_wanted, .threads = run->thread_count};
    return make_heap(run);
}

enum clew_error timeline_open(struct recording *recording, const struct timeline_options *options,
                              struct timeline **out)
{
    struct timeline *run = calloc(1, sizeof *run);
    if (!run) {
        return CLEW_NO_MEMORY;
    }
    run->options = *options;
    enum clew_error error = start(run, recording);
    if (error != CLEW_OK) {
        timeline_close(run);
        return error;
    }
    *out = run;
    return CLEW_OK;
}

enum clew_error timeline_run(struct recording *recording, const struct timeline_options *options)
{
    struct timeline *run;
    CLEW_TRY(timeline_open(recording, options, &run));
    enum clew_error error;
    do {
        error = timeline_advance(run);
    } while (error == CLEW_OK);
    timeline_close(run);
    return error == CLEW_NOT_FOUND ? CLEW_OK : error;
}
