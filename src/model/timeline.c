// See timeline.h. The index lists the blocks of events. A thread's are read one after the other, each when the time that its
// header says has come, and a heap of the threads gives the next event. Of blocks that would take too much memory together
// a part is loaded at a time: how much that is does not depend on what a file says.
#include "model/timeline.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"

// Bytes of loaded events, and what goes with them. Blocks are loaded whole while they take less than a half of it; then a
// thread has its share of the other half, and decodes its block again for each part. Beyond HARD nothing is loaded.
enum { LOADED_WANTED = 256 << 20, LOADED_MAX = 512 << 20, EVENTS_LEAST = 64 };

enum { CELLS_MAX = 1024 }; // of one event: no value that is recorded has as many

struct block {
    uint64_t offset, first;
    uint64_t order; // among all blocks, by first clock; of equal ones the earlier in the file is first
    uint32_t thread;
    uint32_t next; // of the same thread, in the file's order; NO_BLOCK: none
};

#define NO_BLOCK UINT32_MAX

// An event of a loaded block, in 16 bytes: many threads may be active at one time.
struct packed {
    uint64_t clock;
    uint32_t value;      // method, site, number of activations, events lost; numbers that do not fit saturate
    uint32_t kind : 4;   // enum recording_event_kind
    uint32_t named : 28; // STACK: methods named; AT_SITE: where its cells begin
};

static_assert(sizeof(struct packed) == 16 && RECORDING_AT_SITE < 1 << 4, "a kind has four bits of 16 bytes");

// Where one thread is: in a block, of which the events from..from + count are loaded; or in front of it.
struct cursor {
    uint32_t block;
    bool loaded;
    struct packed *events;
    uint32_t *stacks, *cells;
    struct boxes *boxes;
    uint32_t from, count, total; // total: events of the block
    uint32_t at;                 // among those loaded
    uint32_t stack_at, cell_count;
    size_t bytes;
};

struct run {
    const struct timeline_options *options;
    struct recording_reader *reader;
    struct timeline_thread *threads;
    uint32_t thread_count;
    size_t thread_room;
    struct map thread_map;
    struct block *blocks; // in the file's order
    size_t block_count, block_room;
    struct cursor *heap; // a thread each
    size_t heap_count;
    size_t loaded; // bytes, of all
    struct stream_work work;
    struct recording_health health;
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

static int compare_blocks(const void *left, const void *right, void *context)
{
    const struct block *blocks = context;
    const struct block *a = &blocks[*(const uint32_t *)left], *b = &blocks[*(const uint32_t *)right];
    if (a->first != b->first) {
        return a->first < b->first ? -1 : 1;
    }
    return (a->offset > b->offset) - (a->offset < b->offset);
}

static enum clew_error order_blocks(struct run *run)
{
    uint32_t *sorted = malloc((run->block_count + 1) * sizeof *sorted);
    if (!sorted) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t i = 0; i < run->block_count; i++) {
        sorted[i] = i;
    }
    qsort_r(sorted, run->block_count, sizeof *sorted, compare_blocks, run->blocks);
    for (uint32_t i = 0; i < run->block_count; i++) {
        run->blocks[sorted[i]].order = i;
    }
    free(sorted);
    return CLEW_OK;
}

static bool add_block(struct run *run, const struct recording_block *block)
{
    uint32_t thread = thread_of(run, block->process, block->thread);
    if (thread == UINT32_MAX || run->block_count == NO_BLOCK ||
        !array_grow(&run->blocks, run->block_count, &run->block_room, sizeof *run->blocks)) {
        return false;
    }
    run->blocks[run->block_count++] =
        (struct block){.offset = block->offset, .first = block->first_clock, .thread = thread, .next = NO_BLOCK};
    return true;
}

static enum clew_error list_blocks(struct run *run)
{
    const struct recording_block *blocks;
    size_t count;
    bool any = false;
    CLEW_TRY(recording_index(run->reader, &blocks, &count));
    for (size_t i = 0; i < count; i++) {
        if (blocks[i].type != RECORDING_EVENTS || (run->options->thread && blocks[i].thread != run->options->thread)) {
            continue;
        }
        any = true;
        bool inside = blocks[i].last_clock >= run->options->from && blocks[i].first_clock <= run->options->to;
        if (inside && !add_block(run, &blocks[i])) {
            return CLEW_NO_MEMORY;
        }
    }
    CLEW_TRY(order_blocks(run));
    return any ? CLEW_OK : CLEW_NOTHING_RECORDED;
}

// -- Steps ------------------------------------------------------------------------------------------------------------

static void look_ahead(const struct run *run, struct timeline_step *step)
{
    const struct cursor *cursor = run->cursor;
    step->next_known = cursor && cursor->at + 1 < cursor->count; // a part has an event more than it needs
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
    (void)stream;
    frame->number = 0;
    if (run->quiet) {
        return CLEW_OK;
    }
    struct timeline_step step = {.kind = TIMELINE_BEGIN,
                                 .clock = frame->started,
                                 .thread = &run->threads[run->thread],
                                 .frame = frame,
                                 .level = frame->level};
    look_ahead(run, &step);
    return run->options->step(run->options->context, &step);
}

static enum clew_error end(void *context, struct stream *stream, struct stream_frame *frame, uint64_t clock,
                           enum stream_end how)
{
    struct run *run = context;
    (void)stream;
    if (run->quiet) {
        return CLEW_OK;
    }
    struct timeline_step step = {.kind = TIMELINE_END,
                                 .clock = clock,
                                 .thread = &run->threads[run->thread],
                                 .frame = frame,
                                 .level = frame->level,
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
    CLEW_ASSERT(event->named <= cursor->cell_count);
    uint32_t cells_left = cursor->cell_count - event->named;
    struct timeline_step step = {.kind = TIMELINE_SITE,
                                 .clock = event->clock,
                                 .thread = &run->threads[run->thread],
                                 .frame = stream->depth ? stream_caller(stream, stream->frames + stream->depth) : NULL,
                                 .site = event->value,
                                 .cells = cursor->cells + event->named,
                                 .cells_left = cells_left < CELLS_MAX ? cells_left : CELLS_MAX,
                                 .boxes = cursor->boxes};
    step.level = step.frame ? step.frame->level : 0;
    return run->quiet ? CLEW_OK : run->options->step(run->options->context, &step);
}

// -- The heap of threads ----------------------------------------------------------------------------------------------

static uint64_t next_clock(const struct run *run, const struct cursor *cursor)
{
    return cursor->loaded ? cursor->events[cursor->at].clock : run->blocks[cursor->block].first;
}

static bool before(const struct run *run, const struct cursor *a, const struct cursor *b)
{
    uint64_t left = next_clock(run, a), right = next_clock(run, b);
    return left != right ? left < right : run->blocks[a->block].order < run->blocks[b->block].order;
}

static void sift_down(struct run *run, size_t at)
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

// Puts each thread in front of its first block.
static enum clew_error make_heap(struct run *run)
{
    uint32_t *newest = malloc(((size_t)run->thread_count + 1) * sizeof *newest); // block, by thread
    run->heap = calloc((size_t)run->thread_count + 1, sizeof *run->heap);
    for (uint32_t i = 0; newest && i < run->thread_count; i++) {
        newest[i] = NO_BLOCK;
    }
    for (uint32_t i = 0; newest && run->heap && i < run->block_count; i++) {
        uint32_t *last = &newest[run->blocks[i].thread];
        if (*last == NO_BLOCK) {
            run->heap[run->heap_count++] = (struct cursor){.block = i};
        } else {
            run->blocks[*last].next = i;
        }
        *last = i;
    }
    for (size_t i = run->heap_count / 2; i-- > 0;) {
        sift_down(run, i);
    }
    bool made = newest && run->heap;
    free(newest);
    return made ? CLEW_OK : CLEW_NO_MEMORY;
}

// -- Loading ----------------------------------------------------------------------------------------------------------

static void unload(struct run *run, struct cursor *cursor)
{
    CLEW_ASSERT(run->loaded >= cursor->bytes);
    free(cursor->events);
    free(cursor->stacks);
    free(cursor->cells);
    boxes_free(cursor->boxes);
    run->loaded -= cursor->bytes;
    *cursor = (struct cursor){.block = cursor->block};
}

static struct packed pack(const struct recording_event *event, uint64_t cells_from)
{
    bool named = event->kind == RECORDING_STACK, at_site = event->kind == RECORDING_AT_SITE;
    uint64_t value = event->kind == RECORDING_ENTER || at_site ? event->method : event->number;
    uint64_t place = at_site ? event->number - cells_from : named ? event->method : 0;
    return (struct packed){.clock = event->clock,
                           .value = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX,
                           .kind = (uint32_t)event->kind & 0xF,
                           .named = (uint32_t)place & 0xFFFFFFF};
}

// A part of a block: events from..to, and where what belongs to them begins and ends.
struct part {
    uint32_t from, to;
    uint64_t stacks_from, stacks_to, cells_from, cells_to;
};

static uint64_t bytes_of_part(const struct part *part)
{
    return (uint64_t)(part->to - part->from) * sizeof(struct packed) +
           (part->stacks_to - part->stacks_from + part->cells_to - part->cells_from) * sizeof(uint32_t);
}

// Where the cells begin of the first event of a site from `event` on.
static uint32_t cells_at(const struct recording_events *block, uint32_t event)
{
    while (event < block->count && block->events[event].kind != RECORDING_AT_SITE) {
        event++;
    }
    return event < block->count ? (uint32_t)block->events[event].number : block->cell_count;
}

static uint32_t methods_of(const struct recording_event *event)
{
    return event->kind == RECORDING_STACK ? event->method : 0;
}

// As many events from `from` on as take `most` bytes, but some at least.
static struct part choose_part(const struct recording_events *block, uint32_t from, uint64_t most)
{
    struct part part = {.from = from, .to = from};
    for (uint32_t i = 0; i < from; i++) {
        part.stacks_from += methods_of(&block->events[i]);
    }
    part.stacks_to = part.stacks_from;
    part.cells_from = part.cells_to = cells_at(block, from);
    for (; part.to < block->count; part.to++) {
        const struct recording_event *event = &block->events[part.to];
        part.cells_to = event->kind == RECORDING_AT_SITE ? event->number : part.cells_to;
        if (part.to - from >= EVENTS_LEAST && bytes_of_part(&part) >= most) {
            break;
        }
        part.stacks_to += methods_of(event);
    }
    CLEW_ASSERT(part.from <= part.to && part.to <= block->count && part.stacks_from <= part.stacks_to);
    part.cells_to = cells_at(block, part.to);
    return part;
}

static bool copy_part(struct cursor *cursor, const struct recording_events *block, const struct part *part)
{
    size_t count = part->to - part->from, stacks = (size_t)(part->stacks_to - part->stacks_from);
    CLEW_ASSERT(part->cells_from <= part->cells_to && part->cells_to <= block->cell_count);
    size_t cells = (size_t)(part->cells_to - part->cells_from);
    cursor->events = malloc((count + 1) * sizeof *cursor->events);
    cursor->stacks = malloc((stacks + 1) * sizeof *cursor->stacks);
    cursor->cells = malloc((cells + 1) * sizeof *cursor->cells);
    if (!cursor->events || !cursor->stacks || !cursor->cells ||
        boxes_new(block, part->from, part->to, &cursor->boxes) != CLEW_OK) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        cursor->events[i] = pack(&block->events[part->from + i], part->cells_from);
    }
    if (stacks) {
        memcpy(cursor->stacks, block->stacks + part->stacks_from, stacks * sizeof *cursor->stacks);
    }
    if (cells) {
        memcpy(cursor->cells, block->cells + part->cells_from, cells * sizeof *cursor->cells);
    }
    cursor->loaded = true;
    cursor->from = part->from;
    cursor->count = (uint32_t)count;
    cursor->total = block->count;
    cursor->cell_count = (uint32_t)cells;
    return true;
}

// The cursor's events from `from` on, of the block that was just read.
static enum clew_error load_part(struct run *run, struct cursor *cursor, const struct recording_events *block,
                                 uint32_t from)
{
    uint64_t half = (run->options->loaded_wanted ? run->options->loaded_wanted : LOADED_WANTED) / 2;
    uint64_t share = half / ((uint64_t)run->thread_count + 1);
    uint64_t room = run->loaded < half ? half - run->loaded : 0;
    struct part part = choose_part(block, from, room > share ? room : share);
    size_t bytes = (size_t)bytes_of_part(&part) + boxes_size(block, part.from, part.to);
    if (bytes > LOADED_MAX - run->loaded) {
        return CLEW_NO_MEMORY;
    }
    bool copied = copy_part(cursor, block, &part);
    cursor->bytes = bytes;
    run->loaded += bytes;
    CLEW_ASSERT(run->loaded <= LOADED_MAX);
    if (!copied) {
        unload(run, cursor);
        return CLEW_NO_MEMORY;
    }
    return CLEW_OK;
}

// What stands at the cursor's block now; DAMAGED when that is not what the index says.
static enum clew_error read_block(struct run *run, const struct cursor *cursor, struct recording_record *out)
{
    const struct block *block = &run->blocks[cursor->block];
    const struct timeline_thread *thread = &run->threads[block->thread];
    CLEW_TRY(recording_read(run->reader, block->offset, RECORDING_EVENTS, out));
    return out->events.process == thread->process && out->events.thread == thread->thread ? CLEW_OK : CLEW_DAMAGED;
}

// Goes in front of the thread's next block, or takes it off the heap where it has none.
static void leave_block(struct run *run)
{
    struct cursor *cursor = &run->heap[0];
    uint32_t next = run->blocks[cursor->block].next;
    unload(run, cursor);
    if (next != NO_BLOCK) {
        cursor->block = next;
    } else {
        *cursor = run->heap[--run->heap_count];
    }
    sift_down(run, 0);
}

// The time of the first thread's next block has come.
static enum clew_error enter_block(struct run *run)
{
    struct cursor *cursor = &run->heap[0];
    struct recording_record record;
    enum clew_error error = read_block(run, cursor, &record);
    if (error == CLEW_DAMAGED) {
        run->health.damaged++;
        leave_block(run);
        return CLEW_OK;
    }
    CLEW_TRY(error);
    run->thread = run->blocks[cursor->block].thread;
    run->cursor = NULL;
    run->quiet = record.events.first_clock < run->options->from;
    struct stream_user user = {begin, end, run, &run->work};
    CLEW_TRY(stream_open_block(&run->threads[run->thread].stream, &record.events, &user));
    if (record.events.count == 0) {
        leave_block(run);
        return CLEW_OK;
    }
    CLEW_TRY(load_part(run, cursor, &record.events, 0));
    sift_down(run, 0);
    return CLEW_OK;
}

// The part that is loaded has come to its end, and the block goes on.
static enum clew_error load_next_part(struct run *run)
{
    struct cursor *cursor = &run->heap[0];
    struct recording_record record;
    uint32_t from = cursor->from + cursor->at;
    CLEW_TRY(read_block(run, cursor, &record)); // it was whole before
    unload(run, cursor);
    return load_part(run, cursor, &record.events, from);
}

// The first event of all.
static enum clew_error step_once(struct run *run)
{
    CLEW_ASSERT(run->heap_count > 0 && run->heap[0].loaded && run->heap[0].at < run->heap[0].count);
    struct cursor *cursor = &run->heap[0];
    const struct packed *packed = &cursor->events[cursor->at];
    struct stream_user user = {begin, end, run, &run->work};
    struct recording_event event = {.clock = packed->clock, .kind = (enum recording_event_kind)packed->kind};
    event.method = event.kind == RECORDING_STACK ? packed->named : packed->value;
    event.number = packed->value;
    run->thread = run->blocks[cursor->block].thread;
    run->cursor = cursor;
    run->quiet = packed->clock < run->options->from;
    if (!boxes_reach(cursor->boxes, cursor->from + cursor->at)) {
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
    if (cursor->from + cursor->at == cursor->total) {
        leave_block(run);
        return CLEW_OK;
    }
    if (cursor->at + 1 >= cursor->count && cursor->from + cursor->count < cursor->total) {
        CLEW_TRY(load_next_part(run));
    }
    sift_down(run, 0);
    return CLEW_OK;
}

static enum clew_error tell_open(struct run *run)
{
    for (uint32_t i = 0; i < run->thread_count; i++) {
        struct timeline_thread *thread = &run->threads[i];
        for (uint32_t frame = thread->stream.depth; frame-- > 0;) {
            if (thread->stream.frames[frame].filter) {
                stream_pass_over(&thread->stream, &thread->stream.frames[frame], thread->stream.last_clock, &run->work);
                continue;
            }
            struct timeline_step step = {.kind = TIMELINE_OPEN,
                                         .clock = thread->stream.last_clock,
                                         .thread = thread,
                                         .frame = &thread->stream.frames[frame],
                                         .level = thread->stream.frames[frame].level};
            CLEW_TRY(run->options->step(run->options->context, &step));
        }
    }
    return CLEW_OK;
}

static enum clew_error merge(struct run *run)
{
    while (run->heap_count > 0) {
        if (next_clock(run, &run->heap[0]) > run->options->to) {
            return CLEW_OK;
        }
        CLEW_TRY(run->heap[0].loaded ? step_once(run) : enter_block(run));
    }
    return tell_open(run);
}

enum clew_error timeline_run(const char *path, const struct timeline_options *options)
{
    struct run run = {.options = options};
    CLEW_TRY(recording_open(path, &run.reader));
    enum clew_error error = list_blocks(&run);
    if (error == CLEW_OK) {
        error = make_heap(&run);
    }
    if (error == CLEW_OK) {
        error = merge(&run);
    }
    if (error == CLEW_OK && options->done) {
        options->done(options->context);
    }
    for (size_t i = 0; i < run.heap_count; i++) {
        unload(&run, &run.heap[i]);
    }
    for (uint32_t i = 0; i < run.thread_count; i++) {
        stream_fini(&run.threads[i].stream);
    }
    if (options->health) {
        recording_meet(options->health, &run.health);
    }
    free(run.heap);
    free(run.blocks);
    free(run.threads);
    map_free(&run.thread_map);
    recording_close_reader(run.reader);
    return error;
}
