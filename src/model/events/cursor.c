// See cursor.h. Each thread has a walk of its own (event_walk.h). A heap of the threads yields the next event of all in the
// direction that the cursor moves in, and is made anew when it turns.
#include "model/events/cursor.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "base/heap.h"
#include "model/events/event_walk.h"

// A thread with an event in the direction of the heap.
struct entry {
    struct walk *walk;
    struct walk_key key;
    bool known; // the key is the event's own; otherwise it has none that is nearer
};

struct cursor {
    struct recording *recording;
    struct cursor_options options;
    struct walk_reading reading;
    struct walk **walks;
    uint32_t walk_count;
    size_t walk_room;
    uint32_t listed;    // threads of the list that were looked at
    struct entry *heap; // the next event in the direction first
    size_t heap_count, heap_room;
    bool made, backwards; // the heap is valid, for this direction
};

// -- Threads ----------------------------------------------------------------------------------------------------------

static bool is_chosen(const struct cursor_options *options, uint32_t process, uint32_t thread)
{
    return (!options->process || process == options->process) && (!options->thread || thread == options->thread) &&
           model_threads_have(&options->threads, process, thread);
}

static bool wants(void *context, const struct recording_block *block)
{
    const struct cursor_options *options = context;
    return is_chosen(options, block->process, block->thread) &&
           (!options->wants || options->wants(options->context, block));
}

// Lists the blocks that were not listed yet, and makes a walk for each thread that is new.
static enum clew_error list(struct cursor *cursor)
{
    struct event_blocks *blocks = &cursor->reading.blocks;
    cursor->made = false;
    CLEW_TRY(event_blocks_list(blocks, cursor->recording, wants, &cursor->options));
    for (; cursor->listed < blocks->thread_count; cursor->listed++) {
        const struct thread_blocks *thread = &blocks->threads[cursor->listed];
        if (!is_chosen(&cursor->options, thread->process, thread->thread)) {
            continue;
        }
        if (!array_grow(&cursor->walks, cursor->walk_count, &cursor->walk_room, sizeof(struct walk *))) {
            return CLEW_NO_MEMORY;
        }
        struct walk *walk = walk_new(&cursor->reading, cursor->listed);
        if (!walk) {
            return CLEW_NO_MEMORY;
        }
        cursor->walks[cursor->walk_count++] = walk;
    }
    cursor->reading.memory.threads = cursor->walk_count;
    return CLEW_OK;
}

uint32_t cursor_thread_count(const struct cursor *cursor)
{
    return cursor->walk_count;
}

enum clew_error cursor_thread(struct cursor *cursor, uint32_t index, struct event_thread **out)
{
    CLEW_ASSERT(index < cursor->walk_count);
    *out = &cursor->walks[index]->thread;
    return walk_restore(cursor->walks[index]);
}

void cursor_thread_changed(struct cursor *cursor, uint32_t index)
{
    CLEW_ASSERT(index < cursor->walk_count);
    cursor->walks[index]->known = false;
}

uint64_t cursor_thread_offset(const struct cursor *cursor, uint32_t index)
{
    const struct walk *walk = cursor->walks[index];
    const struct thread_blocks *blocks = walk_blocks(walk);
    uint32_t before = walk->block - (walk->unit == 0 && walk->block > 0);
    return before < blocks->count ? blocks->blocks[before].offset : 0;
}

uint64_t cursor_ordinal(const struct cursor *cursor, uint32_t index)
{
    return walk_ordinal(cursor->walks[index]);
}

uint64_t cursor_event_count(const struct cursor *cursor, uint32_t index)
{
    return walk_blocks(cursor->walks[index])->events;
}

uint64_t cursor_block_before(const struct cursor *cursor, uint32_t index, uint64_t ordinal)
{
    const struct thread_blocks *blocks = walk_blocks(cursor->walks[index]);
    CLEW_ASSERT(ordinal > 0);
    size_t block = thread_blocks_at_ordinal(blocks, ordinal - 1);
    return block < blocks->count ? blocks->blocks[block].ordinal : ordinal - 1;
}

// -- The heap of threads ----------------------------------------------------------------------------------------------

// Whether `a` is nearer than `b` in the direction of the heap.
static bool is_nearer(const void *context, const void *a, const void *b)
{
    const struct cursor *cursor = context;
    int order = walk_compare(&((const struct entry *)a)->key, &((const struct entry *)b)->key);
    return cursor->backwards ? order > 0 : order < 0;
}

static const struct heap_kind nearest_first = {.size = sizeof(struct entry), .before = is_nearer};

static struct heap heap_of(struct cursor *cursor)
{
    return (struct heap){.items = cursor->heap, .count = cursor->heap_count, .context = cursor};
}

// The next event of the thread in the direction of the heap. False: there is none.
static bool set_entry(const struct cursor *cursor, struct walk *walk, struct entry *out)
{
    out->walk = walk;
    return cursor->backwards ? walk_key_before(walk, &out->key, &out->known)
                             : walk_key_after(walk, &out->key, &out->known);
}

static enum clew_error make_heap(struct cursor *cursor, bool backwards)
{
    cursor->made = false;
    cursor->backwards = backwards;
    cursor->heap_count = 0;
    for (uint32_t i = 0; i < cursor->walk_count; i++) {
        if (!array_grow(&cursor->heap, cursor->heap_count, &cursor->heap_room, sizeof *cursor->heap)) {
            return CLEW_NO_MEMORY;
        }
        cursor->heap_count += set_entry(cursor, cursor->walks[i], &cursor->heap[cursor->heap_count]);
    }
    struct heap heap = heap_of(cursor);
    heap_make(&nearest_first, &heap);
    cursor->made = true;
    return CLEW_OK;
}

// The first entry's thread has another next event, or none. In the same block only the clock changes.
static void renew_first(struct cursor *cursor)
{
    uint64_t clock;
    if (!cursor->backwards && walk_clock_within(cursor->heap[0].walk, &clock)) {
        cursor->heap[0].key.clock = clock;
        cursor->heap[0].known = true;
    } else if (!set_entry(cursor, cursor->heap[0].walk, &cursor->heap[0])) {
        cursor->heap[0] = cursor->heap[--cursor->heap_count];
    }
    struct heap heap = heap_of(cursor);
    heap_sink(&nearest_first, &heap, 0);
}

// Loads parts of blocks until the first entry of the heap is certain. NOT_FOUND: there is no event in this direction.
static enum clew_error settle_first(struct cursor *cursor, bool backwards)
{
    if (cursor->made && cursor->backwards == backwards && cursor->heap_count > 0 && cursor->heap[0].known) {
        return CLEW_OK;
    }
    if (!cursor->made || cursor->backwards != backwards) {
        CLEW_TRY(make_heap(cursor, backwards));
    }
    while (cursor->heap_count > 0 && !cursor->heap[0].known) {
        enum clew_error error = walk_load(cursor->heap[0].walk, backwards);
        if (error != CLEW_OK && error != CLEW_DAMAGED) {
            return error;
        }
        renew_first(cursor);
    }
    return cursor->heap_count > 0 ? CLEW_OK : CLEW_NOT_FOUND;
}

// Settles the next event. NOT_FOUND: there is none, or it is beyond `limit`.
static enum clew_error find_next(struct cursor *cursor, bool backwards, uint64_t limit, struct walk **out)
{
    CLEW_TRY(settle_first(cursor, backwards));
    uint64_t clock = cursor->heap[0].key.clock;
    *out = cursor->heap[0].walk;
    return (backwards ? clock < limit : clock > limit) ? CLEW_NOT_FOUND : CLEW_OK;
}

// Moves over the next event. Goes on if its block turns out to be damaged.
static enum clew_error move(struct cursor *cursor, bool backwards, uint64_t limit, step_visit *visit, void *context)
{
    enum clew_error error;
    do {
        struct walk *walk;
        CLEW_TRY(find_next(cursor, backwards, limit, &walk));
        error = (backwards ? walk_previous : walk_next)(walk, visit, context);
        renew_first(cursor);
    } while (error == CLEW_DAMAGED);
    return error;
}

// The lowest clock of a thread that is not the first; at most `most`.
static uint64_t clock_of_others(const struct cursor *cursor, uint64_t most)
{
    for (size_t i = 1; i < 3 && i < cursor->heap_count; i++) {
        most = cursor->heap[i].key.clock < most ? cursor->heap[i].key.clock : most;
    }
    return most;
}

enum clew_error cursor_run(struct cursor *cursor, uint64_t to, step_visit *visit, void *context)
{
    enum clew_error error;
    do {
        struct walk *walk;
        error = find_next(cursor, false, to, &walk);
        if (error == CLEW_OK) {
            error = walk_run(walk, clock_of_others(cursor, to), visit, context);
            renew_first(cursor);
        }
    } while (error == CLEW_OK || error == CLEW_DAMAGED);
    return error == CLEW_NOT_FOUND ? CLEW_OK : error;
}

enum clew_error cursor_next(struct cursor *cursor, uint64_t to, step_visit *visit, void *context)
{
    return move(cursor, false, to, visit, context);
}

enum clew_error cursor_previous(struct cursor *cursor, uint64_t from, step_visit *visit, void *context)
{
    return move(cursor, true, from, visit, context);
}

enum clew_error cursor_clock(struct cursor *cursor, bool backwards, uint64_t *clock)
{
    CLEW_TRY(settle_first(cursor, backwards));
    *clock = cursor->heap[0].key.clock;
    return CLEW_OK;
}

// -- Places -----------------------------------------------------------------------------------------------------------

// Places all threads but one before their first event above the key.
static enum clew_error seek_others(struct cursor *cursor, const struct walk_key *key, const struct walk *but)
{
    cursor->made = false;
    for (uint32_t i = 0; i < cursor->walk_count; i++) {
        if (cursor->walks[i] != but) {
            CLEW_TRY(walk_seek(cursor->walks[i], key));
        }
    }
    return CLEW_OK;
}

enum clew_error cursor_seek_time(struct cursor *cursor, uint64_t clock)
{
    return seek_others(cursor, &(struct walk_key){.clock = clock}, NULL); // no block begins at offset 0
}

void cursor_seek_end(struct cursor *cursor)
{
    cursor->made = false;
    for (uint32_t i = 0; i < cursor->walk_count; i++) {
        walk_seek_end(cursor->walks[i]);
    }
}

static struct walk *find_walk(const struct cursor *cursor, const struct cursor_position *at)
{
    for (uint32_t i = 0; i < cursor->walk_count; i++) {
        const struct event_thread *thread = &cursor->walks[i]->thread;
        if (thread->process == at->process && thread->thread == at->thread) {
            return cursor->walks[i];
        }
    }
    return NULL;
}

enum clew_error cursor_seek_event(struct cursor *cursor, const struct cursor_position *at)
{
    struct walk *walk = find_walk(cursor, at);
    struct walk_key key;
    if (!walk) {
        return CLEW_NOT_FOUND;
    }
    CLEW_TRY(walk_seek_ordinal(walk, at->ordinal, &key));
    return seek_others(cursor, &key, walk);
}

enum clew_error cursor_seek_near(struct cursor *cursor, const struct cursor_position *at)
{
    const struct walk *walk = find_walk(cursor, at);
    const struct thread_blocks *blocks = walk ? walk_blocks(walk) : NULL;
    struct cursor_position near = *at;
    while (blocks) {
        enum clew_error error = cursor_seek_event(cursor, &near);
        size_t block = thread_blocks_at_ordinal(blocks, near.ordinal);
        if (error != CLEW_NOT_FOUND) {
            return error;
        }
        if (block == blocks->count) {
            break;
        }
        near.ordinal = blocks->blocks[block].ordinal + blocks->blocks[block].count;
    }
    cursor_seek_end(cursor);
    return CLEW_OK;
}

// -- Opening ----------------------------------------------------------------------------------------------------------

static enum clew_error start(struct cursor *cursor)
{
    CLEW_TRY(list(cursor));
    return cursor->walk_count > 0 ? CLEW_OK : CLEW_NOTHING_RECORDED;
}

enum clew_error cursor_open(struct recording *recording, const struct cursor_options *options, struct cursor **out)
{
    struct cursor *cursor = calloc(1, sizeof *cursor);
    if (!cursor) {
        return CLEW_NO_MEMORY;
    }
    cursor->recording = recording;
    cursor->options = *options;
    cursor->reading.memory.wanted = options->loaded_wanted;
    cursor->reading.states_anew = options->states_anew;
    cursor->reading.async = options->async;
    cursor->reading.throws = options->throws;
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
    for (uint32_t i = 0; i < cursor->walk_count; i++) {
        walk_free(cursor->walks[i]);
    }
    event_blocks_free(&cursor->reading.blocks);
    free(cursor->walks);
    free(cursor->heap);
    free(cursor);
}

enum clew_error cursor_follow(struct cursor *cursor)
{
    CLEW_TRY(recording_follow(cursor->recording));
    cursor->reading.last_offset = 0;
    return list(cursor);
}

struct recording_health cursor_health(const struct cursor *cursor)
{
    return cursor->reading.health;
}
