// See timeline.h. Pass 1 lists the blocks of events with their times; then they are loaded in the order of their first
// clocks, each no earlier than its turn, and a heap of those under way gives the next event.
#include "model/timeline.h"

#include <stdlib.h>

#include "base/array.h"

struct block {
    uint64_t offset, first, last;
    uint32_t thread; // index
};

// An event of a loaded block, in 16 bytes: many threads may be active at one time.
struct packed {
    uint64_t clock;
    uint32_t value;      // method, site, number of activations, events lost; numbers that do not fit saturate
    uint32_t kind : 4;   // enum recording_event_kind
    uint32_t named : 28; // STACK: methods named; AT_SITE: where its cells begin
};

struct cursor {
    struct packed *events;
    uint32_t *stacks, *cells;
    struct boxes *boxes;
    uint32_t count, at, stack_at, cell_count;
    uint32_t thread; // index
    uint64_t order;  // of the block in the list
};

struct run {
    const struct timeline_options *options;
    struct recording_reader *reader;
    struct timeline_thread *threads;
    uint32_t thread_count;
    size_t thread_room;
    struct map thread_map;
    struct block *blocks;
    size_t block_count, block_room, next_block;
    struct cursor *heap;
    size_t heap_count, heap_room;
    // Of the event under way:
    uint32_t thread;
    const struct cursor *cursor; // NULL while a block opens
    bool quiet;                  // before `from`
};

// The index of a thread, made when new; UINT32_MAX when memory runs out.
static uint32_t thread_of(struct run *run, uint32_t process, uint32_t thread)
{
    uint64_t key = (uint64_t)process << 32 | thread, found;
    if (map_get(&run->thread_map, key, &found)) {
        return (uint32_t)found;
    }
    if (!array_grow(&run->threads, run->thread_count, &run->thread_room, sizeof *run->threads) ||
        !map_put(&run->thread_map, key, run->thread_count)) {
        return UINT32_MAX;
    }
    run->threads[run->thread_count] = (struct timeline_thread){.process = process, .thread = thread};
    return run->thread_count++;
}

static int compare_blocks(const void *left, const void *right)
{
    const struct block *a = left, *b = right;
    if (a->first != b->first) {
        return a->first < b->first ? -1 : 1;
    }
    return (a->offset > b->offset) - (a->offset < b->offset);
}

static enum clew_error list_blocks(struct run *run)
{
    struct recording_record record;
    enum clew_error error;
    bool any = false;
    while ((error = recording_next(run->reader, 1u << RECORDING_EVENTS, &record)) == CLEW_OK) {
        const struct recording_events *events = &record.events;
        if (run->options->thread && events->thread != run->options->thread) {
            continue;
        }
        any = true;
        if (events->last_clock < run->options->from || events->first_clock > run->options->to) {
            continue;
        }
        uint32_t thread = thread_of(run, events->process, events->thread);
        if (thread == UINT32_MAX ||
            !array_grow(&run->blocks, run->block_count, &run->block_room, sizeof *run->blocks)) {
            return CLEW_NO_MEMORY;
        }
        run->blocks[run->block_count++] =
            (struct block){record.offset, events->first_clock, events->last_clock, thread};
    }
    if (error != CLEW_NOT_FOUND) {
        return error;
    }
    if (run->block_count) {
        qsort(run->blocks, run->block_count, sizeof *run->blocks, compare_blocks);
    }
    return any ? CLEW_OK : CLEW_NOTHING_RECORDED;
}

// -- Steps ------------------------------------------------------------------------------------------------------------

static uint32_t level_of(const struct stream *stream, const struct stream_frame *frame)
{
    uint32_t level = (uint32_t)(frame - stream->frames);
    for (uint32_t i = 0; stream->filters && i < (uint32_t)(frame - stream->frames); i++) {
        level -= stream->frames[i].filter;
    }
    return level;
}

static void look_ahead(const struct run *run, struct timeline_step *step)
{
    const struct cursor *cursor = run->cursor;
    step->next_known = cursor && cursor->at + 1 < cursor->count;
    if (step->next_known) {
        const struct packed *next = &cursor->events[cursor->at + 1];
        step->leaf = next->kind == RECORDING_LEAVE || next->kind == RECORDING_UNWIND;
        step->leaf_clock = next->clock;
        step->leaf_how = next->kind == RECORDING_UNWIND ? STREAM_UNWOUND : STREAM_LEFT;
    }
}

static enum clew_error begin(void *context, struct stream *stream, struct stream_frame *frame)
{
    struct run *run = context;
    frame->number = 0;
    if (run->quiet) {
        return CLEW_OK;
    }
    struct timeline_step step = {.kind = TIMELINE_BEGIN,
                                 .clock = frame->started,
                                 .thread = &run->threads[run->thread],
                                 .frame = frame,
                                 .level = level_of(stream, frame)};
    look_ahead(run, &step);
    return run->options->step(run->options->context, &step);
}

static enum clew_error end(void *context, struct stream *stream, struct stream_frame *frame, uint64_t clock,
                           enum stream_end how)
{
    struct run *run = context;
    if (run->quiet) {
        return CLEW_OK;
    }
    struct timeline_step step = {.kind = TIMELINE_END,
                                 .clock = clock,
                                 .thread = &run->threads[run->thread],
                                 .frame = frame,
                                 .level = level_of(stream, frame),
                                 .how = how};
    return run->options->step(run->options->context, &step);
}

static enum clew_error tell_lost(struct run *run, const struct packed *event)
{
    struct timeline_step step = {
        .kind = TIMELINE_LOST, .clock = event->clock, .thread = &run->threads[run->thread], .lost = event->value};
    return run->quiet ? CLEW_OK : run->options->step(run->options->context, &step);
}

static enum clew_error tell_site(struct run *run, const struct packed *event)
{
    const struct cursor *cursor = run->cursor;
    struct stream *stream = &run->threads[run->thread].stream;
    struct timeline_step step = {.kind = TIMELINE_SITE,
                                 .clock = event->clock,
                                 .thread = &run->threads[run->thread],
                                 .frame = stream_caller(stream, stream->frames + stream->depth),
                                 .site = event->value,
                                 .cells = cursor->cells + event->named,
                                 .cells_left = cursor->cell_count - event->named,
                                 .boxes = cursor->boxes};
    step.level = step.frame ? level_of(stream, step.frame) : 0;
    return run->quiet ? CLEW_OK : run->options->step(run->options->context, &step);
}

// -- The heap of loaded blocks ----------------------------------------------------------------------------------------

static bool before(const struct cursor *a, const struct cursor *b)
{
    uint64_t left = a->events[a->at].clock, right = b->events[b->at].clock;
    return left != right ? left < right : a->order < b->order;
}

static void sift_down(struct run *run)
{
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= run->heap_count) {
            return;
        }
        child += child + 1 < run->heap_count && before(&run->heap[child + 1], &run->heap[child]);
        if (!before(&run->heap[child], &run->heap[at])) {
            return;
        }
        struct cursor moved = run->heap[at];
        run->heap[at] = run->heap[child];
        run->heap[child] = moved;
        at = child;
    }
}

static void sift_up(struct run *run)
{
    size_t at = run->heap_count - 1;
    while (at > 0 && before(&run->heap[at], &run->heap[(at - 1) / 2])) {
        struct cursor moved = run->heap[at];
        run->heap[at] = run->heap[(at - 1) / 2];
        run->heap[(at - 1) / 2] = moved;
        at = (at - 1) / 2;
    }
}

static void free_cursor(struct cursor *cursor)
{
    free(cursor->events);
    free(cursor->stacks);
    free(cursor->cells);
    boxes_free(cursor->boxes);
}

static struct packed pack(const struct recording_event *event)
{
    bool named = event->kind == RECORDING_STACK, at_site = event->kind == RECORDING_AT_SITE;
    uint64_t value = event->kind == RECORDING_ENTER || at_site ? event->method : event->number;
    uint64_t place = at_site ? event->number : named ? event->method : 0;
    return (struct packed){.clock = event->clock,
                           .value = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX,
                           .kind = (uint32_t)event->kind & 0xF,
                           .named = (uint32_t)place & 0xFFFFFFF};
}

static bool copy_block(struct cursor *cursor, const struct recording_events *block)
{
    cursor->events = malloc(((size_t)block->count + 1) * sizeof *cursor->events);
    cursor->stacks = malloc(((size_t)block->stack_count + 1) * sizeof *cursor->stacks);
    cursor->cells = malloc(((size_t)block->cell_count + 1) * sizeof *cursor->cells);
    if (!cursor->events || !cursor->stacks || !cursor->cells || boxes_new(block, &cursor->boxes) != CLEW_OK) {
        free_cursor(cursor);
        return false;
    }
    for (uint32_t i = 0; i < block->count; i++) {
        cursor->events[i] = pack(&block->events[i]);
    }
    if (block->stack_count) {
        memcpy(cursor->stacks, block->stacks, block->stack_count * sizeof *cursor->stacks);
    }
    if (block->cell_count) {
        memcpy(cursor->cells, block->cells, block->cell_count * sizeof *cursor->cells);
    }
    cursor->count = block->count;
    cursor->cell_count = block->cell_count;
    return true;
}

static enum clew_error load_block(struct run *run)
{
    const struct block *block = &run->blocks[run->next_block];
    struct cursor cursor = {.thread = block->thread, .order = run->next_block};
    struct recording_record record;
    run->next_block++;
    CLEW_TRY(recording_rewind(run->reader, block->offset));
    CLEW_TRY(recording_next(run->reader, 1u << RECORDING_EVENTS, &record));
    run->thread = block->thread;
    run->cursor = NULL;
    run->quiet = block->first < run->options->from;
    struct stream_user user = {begin, end, run};
    CLEW_TRY(stream_open_block(&run->threads[block->thread].stream, &record.events, &user));
    if (record.events.count == 0) {
        return CLEW_OK;
    }
    if (!array_grow(&run->heap, run->heap_count, &run->heap_room, sizeof *run->heap) ||
        !copy_block(&cursor, &record.events)) {
        return CLEW_NO_MEMORY;
    }
    run->heap[run->heap_count++] = cursor;
    sift_up(run);
    return CLEW_OK;
}

static void drop_top(struct run *run)
{
    free_cursor(&run->heap[0]);
    run->heap[0] = run->heap[--run->heap_count];
    sift_down(run);
}

// The first event of all loaded blocks.
static enum clew_error step_once(struct run *run)
{
    struct cursor *cursor = &run->heap[0];
    const struct packed *packed = &cursor->events[cursor->at];
    struct stream_user user = {begin, end, run};
    struct recording_event event = {.clock = packed->clock, .kind = (enum recording_event_kind)packed->kind};
    event.method = event.kind == RECORDING_STACK ? packed->named : packed->value;
    event.number = packed->value;
    run->thread = cursor->thread;
    run->cursor = cursor;
    run->quiet = packed->clock < run->options->from;
    if (!boxes_reach(cursor->boxes, cursor->at)) {
        return CLEW_NO_MEMORY;
    }
    if (event.kind == RECORDING_LOST) {
        boxes_forget(cursor->boxes);
        CLEW_TRY(tell_lost(run, packed));
    }
    if (event.kind == RECORDING_AT_SITE) {
        CLEW_TRY(tell_site(run, packed));
    }
    CLEW_TRY(stream_step(&run->threads[run->thread].stream, &event, cursor->stacks + cursor->stack_at, &user));
    cursor->stack_at += event.kind == RECORDING_STACK ? packed->named : 0;
    cursor->at++;
    if (cursor->at == cursor->count) {
        drop_top(run);
    } else {
        sift_down(run);
    }
    return CLEW_OK;
}

static enum clew_error tell_open(struct run *run)
{
    for (uint32_t i = 0; i < run->thread_count; i++) {
        struct timeline_thread *thread = &run->threads[i];
        for (uint32_t frame = thread->stream.depth; frame-- > 0;) {
            if (thread->stream.frames[frame].filter) {
                stream_pass_over(&thread->stream, &thread->stream.frames[frame], thread->stream.last_clock);
                continue;
            }
            struct timeline_step step = {.kind = TIMELINE_OPEN,
                                         .clock = thread->stream.last_clock,
                                         .thread = thread,
                                         .frame = &thread->stream.frames[frame],
                                         .level = level_of(&thread->stream, &thread->stream.frames[frame])};
            CLEW_TRY(run->options->step(run->options->context, &step));
        }
    }
    return CLEW_OK;
}

static enum clew_error merge(struct run *run)
{
    for (;;) {
        // A block is loaded when its time comes; of equal clocks the earlier block goes first, which also keeps sessions
        // without a clock in the file's order.
        bool more = run->next_block < run->block_count;
        while (more && (run->heap_count == 0 ||
                        run->blocks[run->next_block].first < run->heap[0].events[run->heap[0].at].clock)) {
            CLEW_TRY(load_block(run));
            more = run->next_block < run->block_count;
        }
        if (run->heap_count == 0) {
            return tell_open(run);
        }
        if (run->heap[0].events[run->heap[0].at].clock > run->options->to) {
            return CLEW_OK;
        }
        CLEW_TRY(step_once(run));
    }
}

enum clew_error timeline_run(const char *path, const struct timeline_options *options)
{
    struct run run = {.options = options};
    CLEW_TRY(recording_open(path, &run.reader));
    enum clew_error error = list_blocks(&run);
    if (error == CLEW_OK) {
        error = merge(&run);
    }
    if (error == CLEW_OK && options->done) {
        options->done(options->context);
    }
    while (run.heap_count) {
        drop_top(&run);
    }
    for (uint32_t i = 0; i < run.thread_count; i++) {
        stream_fini(&run.threads[i].stream);
    }
    free(run.heap);
    free(run.blocks);
    free(run.threads);
    map_free(&run.thread_map);
    recording_close_reader(run.reader);
    return error;
}
