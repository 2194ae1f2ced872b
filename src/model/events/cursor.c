// See cursor.h. Each thread has a place of its own (cursor_thread.h). A heap of the threads yields the next event of all in
// the direction that the cursor moves in, and is made anew when it turns. A block is decoded when one of its events may be
// the next.
#include "model/events/cursor.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "model/events/cursor_thread.h"

// All decoded blocks together; one that is larger is kept alone. Hostile files can have many threads with large blocks.
enum { LOADED_MAX = 256 << 20 };

// A thread with an event in the direction of the heap.
struct entry {
    uint32_t thread; // index
    uint32_t block, event;
    struct cursor_key key;
    bool known; // the key is the event's own: its block was decoded
};

struct cursor {
    struct recording *recording;
    struct cursor_options options;
    struct cursor_reading reading;
    struct cursor_thread *threads; // parallel to reading.blocks.threads
    uint32_t thread_count;
    size_t thread_room;
    struct entry *heap; // the next event in the direction first
    size_t heap_count, heap_room;
    bool made, backwards; // the heap is valid, for this direction
    size_t loaded;        // bytes of all decoded blocks
};

// -- Threads ----------------------------------------------------------------------------------------------------------

static struct cursor_thread *find_thread(const struct cursor *cursor, uint32_t process, uint32_t thread)
{
    const struct thread_blocks *found = event_blocks_thread(&cursor->reading.blocks, process, thread);
    return found ? &cursor->threads[found - cursor->reading.blocks.threads] : NULL;
}

static bool wants(void *context, const struct recording_block *block)
{
    const struct cursor_options *options = context;
    return (!options->process || block->process == options->process) &&
           (!options->thread || block->thread == options->thread);
}

// Lists the blocks that were not listed yet.
static enum clew_error list(struct cursor *cursor)
{
    CLEW_TRY(event_blocks_list(&cursor->reading.blocks, cursor->recording, wants, &cursor->options));
    for (uint32_t i = 0; i < cursor->reading.blocks.thread_count; i++) {
        if (i == cursor->thread_count) {
            if (!array_grow(&cursor->threads, i, &cursor->thread_room, sizeof *cursor->threads)) {
                return CLEW_NO_MEMORY;
            }
            cursor->threads[cursor->thread_count++] = (struct cursor_thread){0};
        }
        cursor->threads[i].of = &cursor->reading.blocks.threads[i]; // it may have moved
    }
    return CLEW_OK;
}

// -- Blocks -----------------------------------------------------------------------------------------------------------

// The threads have their places; what was decoded can be decoded again.
static void unload_others(struct cursor *cursor, const struct cursor_thread *but)
{
    for (uint32_t i = 0; i < cursor->thread_count; i++) {
        if (&cursor->threads[i] != but) {
            cursor_thread_unload(&cursor->threads[i]);
        }
    }
    cursor->loaded = but->loaded.bytes;
}

// Counts what the thread has decoded now; it had `before` bytes.
static void settle_loaded(struct cursor *cursor, const struct cursor_thread *thread, size_t before)
{
    CLEW_ASSERT(cursor->loaded >= before);
    cursor->loaded += thread->loaded.bytes - before;
    if (cursor->loaded > LOADED_MAX) {
        unload_others(cursor, thread);
    }
}

static enum clew_error load(struct cursor *cursor, struct cursor_thread *thread, uint32_t block)
{
    size_t before = thread->loaded.bytes;
    enum clew_error error = cursor_thread_load(thread, &cursor->reading, block);
    settle_loaded(cursor, thread, before);
    return error;
}

// -- The heap of threads ----------------------------------------------------------------------------------------------

// Whether `a` is nearer than `b` in the direction of the heap.
static bool nearer(const struct cursor *cursor, const struct entry *a, const struct entry *b)
{
    int order = cursor_compare(&a->key, &b->key);
    return cursor->backwards ? order > 0 : order < 0;
}

static void sift_down(struct cursor *cursor, size_t at)
{
    struct entry *heap = cursor->heap;
    for (size_t child; (child = 2 * at + 1) < cursor->heap_count; at = child) {
        child += child + 1 < cursor->heap_count && nearer(cursor, &heap[child + 1], &heap[child]);
        if (!nearer(cursor, &heap[child], &heap[at])) {
            return;
        }
        struct entry moved = heap[at];
        heap[at] = heap[child];
        heap[child] = moved;
    }
}

// The next event of the thread in the direction of the heap. False: there is none.
static bool entry_of(const struct cursor *cursor, uint32_t index, struct entry *out)
{
    const struct cursor_thread *thread = &cursor->threads[index];
    uint32_t block, event;
    bool any =
        cursor->backwards ? cursor_thread_behind(thread, &block, &event) : cursor_thread_ahead(thread, &block, &event);
    if (!any) {
        return false;
    }
    *out = (struct entry){.thread = index,
                          .block = block,
                          .event = event,
                          .key = cursor_thread_key(thread, block, event, cursor->backwards),
                          .known = cursor_thread_is_loaded(thread, block)};
    return true;
}

static enum clew_error make_heap(struct cursor *cursor, bool backwards)
{
    if (cursor->made && cursor->backwards == backwards) {
        return CLEW_OK;
    }
    cursor->made = false;
    cursor->backwards = backwards;
    cursor->heap_count = 0;
    for (uint32_t i = 0; i < cursor->thread_count; i++) {
        if (!array_grow(&cursor->heap, cursor->heap_count, &cursor->heap_room, sizeof *cursor->heap)) {
            return CLEW_NO_MEMORY;
        }
        cursor->heap_count += entry_of(cursor, i, &cursor->heap[cursor->heap_count]);
    }
    for (size_t i = cursor->heap_count / 2; i-- > 0;) {
        sift_down(cursor, i);
    }
    cursor->made = true;
    return CLEW_OK;
}

// The first entry's thread has another next event, or none.
static void renew_first(struct cursor *cursor)
{
    if (!entry_of(cursor, cursor->heap[0].thread, &cursor->heap[0])) {
        cursor->heap[0] = cursor->heap[--cursor->heap_count];
    }
    sift_down(cursor, 0);
}

// -- Steps ------------------------------------------------------------------------------------------------------------

// Where the methods of a STACK event begin. Steps from the last event that was asked for, which is near if the cursor moves
// event by event.
static const uint32_t *stack_of(struct cursor_events *loaded, uint32_t event)
{
    while (loaded->stack_event < event) {
        loaded->stack_at += recording_stated(&loaded->events[loaded->stack_event++]);
    }
    while (loaded->stack_event > event) {
        loaded->stack_at -= recording_stated(&loaded->events[--loaded->stack_event]);
    }
    return loaded->stacks + loaded->stack_at;
}

static void describe(struct cursor_thread *thread, uint32_t event, struct cursor_event *out)
{
    struct cursor_events *loaded = &thread->loaded;
    *out = (struct cursor_event){
        .at = {thread->of->process, thread->of->thread, thread->of->blocks[loaded->block].ordinal + event},
        .event = loaded->events[event]};
    if (out->event.kind == RECORDING_STACK) {
        out->stack = stack_of(loaded, event);
    } else if (out->event.kind == RECORDING_AT_SITE) {
        CLEW_ASSERT(out->event.cell <= loaded->cell_count);
        out->cells = loaded->cells + out->event.cell;
        out->cells_left = loaded->cell_count - (uint32_t)out->event.cell;
        out->event.cell = 0;
    }
}

// Decodes blocks until the first entry of the heap is certain. NOT_FOUND: there is no event in this direction.
static enum clew_error settle_first(struct cursor *cursor)
{
    while (cursor->heap_count > 0) {
        const struct entry *first = &cursor->heap[0];
        enum clew_error error = load(cursor, &cursor->threads[first->thread], first->block);
        if (error != CLEW_DAMAGED && (error != CLEW_OK || first->known)) {
            return error;
        }
        renew_first(cursor); // its key is known now, or the thread's next event is in another block
    }
    return CLEW_NOT_FOUND;
}

static enum clew_error step(struct cursor *cursor, bool backwards, struct cursor_event *out)
{
    CLEW_TRY(make_heap(cursor, backwards));
    CLEW_TRY(settle_first(cursor));
    const struct entry first = cursor->heap[0];
    struct cursor_thread *thread = &cursor->threads[first.thread];
    thread->block = first.block;
    thread->event = first.event + !backwards;
    describe(thread, first.event, out);
    renew_first(cursor);
    return CLEW_OK;
}

enum clew_error cursor_next(struct cursor *cursor, struct cursor_event *out)
{
    return step(cursor, false, out);
}

enum clew_error cursor_previous(struct cursor *cursor, struct cursor_event *out)
{
    return step(cursor, true, out);
}

// -- Places -----------------------------------------------------------------------------------------------------------

// Places all threads before their first event above the key.
static enum clew_error seek_all(struct cursor *cursor, const struct cursor_key *key)
{
    cursor->made = false;
    for (uint32_t i = 0; i < cursor->thread_count; i++) {
        struct cursor_thread *thread = &cursor->threads[i];
        size_t before = thread->loaded.bytes;
        enum clew_error error = cursor_thread_seek(thread, &cursor->reading, key);
        settle_loaded(cursor, thread, before);
        CLEW_TRY(error);
    }
    return CLEW_OK;
}

enum clew_error cursor_seek_time(struct cursor *cursor, uint64_t clock)
{
    return seek_all(cursor, &(struct cursor_key){.clock = clock}); // no block begins at offset 0
}

enum clew_error cursor_seek_end(struct cursor *cursor)
{
    cursor->made = false;
    for (uint32_t i = 0; i < cursor->thread_count; i++) {
        cursor->threads[i].block = (uint32_t)cursor->threads[i].of->count;
        cursor->threads[i].event = 0;
    }
    return CLEW_OK;
}

// Finds an event and decodes its block.
static enum clew_error reach(struct cursor *cursor, const struct cursor_position *at, struct cursor_thread **thread,
                             uint32_t *block, uint32_t *event)
{
    *thread = find_thread(cursor, at->process, at->thread);
    if (!*thread || !cursor_thread_find(*thread, at->ordinal, block, event)) {
        return CLEW_NOT_FOUND;
    }
    enum clew_error error = load(cursor, *thread, *block);
    return error == CLEW_DAMAGED ? CLEW_NOT_FOUND : error;
}

enum clew_error cursor_seek_event(struct cursor *cursor, const struct cursor_position *at)
{
    struct cursor_thread *thread;
    uint32_t block, event;
    CLEW_TRY(reach(cursor, at, &thread, &block, &event));
    const struct cursor_key key = cursor_thread_key(thread, block, event, false);
    CLEW_TRY(seek_all(cursor, &key));
    thread->block = block;
    thread->event = event;
    return CLEW_OK;
}

// -- Activations ------------------------------------------------------------------------------------------------------

static enum clew_error no_begin(void *context, struct stream *stream, struct stream_frame *frame)
{
    (void)context;
    (void)stream;
    (void)frame;
    return CLEW_OK;
}

static enum clew_error no_end(void *context, struct stream *stream, struct stream_frame *frame, uint64_t clock,
                              enum stream_end how)
{
    (void)clock;
    (void)how;
    return no_begin(context, stream, frame);
}

enum clew_error cursor_stack(struct cursor *cursor, const struct cursor_position *at, struct stream *out)
{
    struct cursor_thread *thread;
    struct recording_events events;
    struct stream_work work = {0};
    uint32_t block, event;
    CLEW_TRY(reach(cursor, at, &thread, &block, &event));
    CLEW_TRY(event_blocks_read(&cursor->reading.blocks, thread->of, &thread->of->blocks[block], &events));
    const struct stream_user user = {no_begin, no_end, NULL, &work};
    const uint32_t *stack = events.stacks;
    CLEW_TRY(stream_open_block(out, &events, &user));
    for (uint32_t i = 0; i < event; i++) {
        const struct recording_event *passed = &events.events[i];
        CLEW_TRY(stream_step(out, passed, stack, &user));
        stack += recording_stated(passed);
    }
    return CLEW_OK;
}

// -- Opening ----------------------------------------------------------------------------------------------------------

static enum clew_error start(struct cursor *cursor)
{
    CLEW_TRY(list(cursor));
    return cursor->reading.blocks.count ? CLEW_OK : CLEW_NOTHING_RECORDED;
}

enum clew_error cursor_open(struct recording *recording, const struct cursor_options *options, struct cursor **out)
{
    struct cursor *cursor = calloc(1, sizeof *cursor);
    if (!cursor) {
        return CLEW_NO_MEMORY;
    }
    cursor->recording = recording;
    cursor->options = *options;
    enum clew_error error = start(cursor);
    if (error != CLEW_OK) {
        cursor_close(cursor);
        return error;
    }
    *out = cursor;
    return CLEW_OK;
}

void cursor_close(struct cursor *cursor)
{
    if (!cursor) {
        return;
    }
    for (uint32_t i = 0; i < cursor->thread_count; i++) {
        cursor_thread_unload(&cursor->threads[i]);
    }
    event_blocks_free(&cursor->reading.blocks);
    free(cursor->threads);
    free(cursor->heap);
    free(cursor);
}

enum clew_error cursor_follow(struct cursor *cursor)
{
    cursor->made = false;
    CLEW_TRY(recording_follow(cursor->recording));
    return list(cursor);
}

struct recording_health cursor_health(const struct cursor *cursor)
{
    return cursor->reading.health;
}
