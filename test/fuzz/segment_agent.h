// The actions of an agent in a segment that the collector reads, selected by the bytes of a fuzzer's input.
#ifndef CLEW_TEST_FUZZ_SEGMENT_AGENT_H
#define CLEW_TEST_FUZZ_SEGMENT_AGENT_H

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "collector/drain/process.h"
#include "ring/definition.h"
#include "ring/segment.h"
#include "trace/site.h"

enum {
    THREADS = 4,
    NODES = 1 << 12,
    NO_ID = INT32_MAX, // a number that no process or thread has
    SITES = 64,
    METHODS = 16,
    PATHS = 64,
};

static void require(bool promise)
{
    if (!promise) {
        abort();
    }
}

// -- Input ------------------------------------------------------------------------------------------------------------

static struct bytes input;

// The next byte of the input, 0 at its end.
static uint32_t byte(void)
{
    uint8_t value = 0;
    (void)bytes_u8(&input, &value); // 0 at the end
    return value;
}

// A number of 0 to 8 bytes, so that small and large values are both frequent.
static uint64_t number(void)
{
    uint64_t value = 0;
    uint32_t size = byte();
    for (uint32_t i = 0; i < size % 9; i++) {
        value = value << 8 | byte();
    }
    return size & 0x80 ? ~value : value;
}

// -- Both sides -------------------------------------------------------------------------------------------------------

struct made_thread {
    uint32_t slot;
    uint64_t chunk, clock, written; // chunk: number + 1; written: events
    uint32_t depth;
    uint32_t current;
    bool live;
};

static struct world {
    struct ring_header *program; // the segment as the program has it mapped
    int segment;
    struct ring_options options;
    struct session session;
    struct drain drain;
    struct process *process;
    struct made_thread threads[THREADS];
    uint32_t thread_count;
    uint32_t sites;      // defined, from number 1 on
    uint32_t handed_out; // bytes of counters
    bool honest;         // no wild pointer wrote
} world;

// The segment with the collector's private copy of the header's fixed part, which wild pointers do not reach.
static struct ring_header *segment(void)
{
    return world.process->ring;
}

// -- The agent --------------------------------------------------------------------------------------------------------

static void define(const struct ring_definition *definition)
{
    struct buffer encoded = {0};
    ring_definition_encode(&encoded, definition);
    (void)ring_definition_write(segment(), &encoded); // if there is no room, the definition is missing
    buffer_free(&encoded);
}

// A definition of any type but SITES, with fields that may make no sense together.
static void define_something(void)
{
    static const char *const texts[] = {"", "M", "/nowhere/a.dll", "/nowhere/a.cs", "CoreCLR 10.0"};
    static const uint8_t hash[32] = {1};
    struct ring_definition definition = {
        .type = (enum ring_definition_type)(1 + byte() % RING_DEFINE_ASYNC),
        .module = byte() % 4,
        .method = METHOD_FIRST_REAL + byte() % METHODS,
        .number = 1 + byte() % 4,
        .os_id = NO_ID,
        .kind = byte() % 4,
        .name = text_of(texts[byte() % 5]),
        .path = text_of(texts[byte() % 5]),
        .reason = text_of(texts[byte() % 5]),
    };
    definition.blob = definition.type == RING_DEFINE_DOCUMENT ? bytes_of(hash, sizeof hash) : bytes_of("", 0);
    if (definition.type != RING_DEFINE_SITES) {
        define(&definition);
    }
}

// Defines one site with any encoding, and its layout in the segment, as an agent does before it gives the runtime a body.
static void define_site(void)
{
    struct buffer blob = {0};
    struct site site = {.kind = byte() % 2 ? SITE_STATEMENT : SITE_DEFINITION,
                        .place = PLACE_LOCAL,
                        .encoding = (enum site_encoding)(byte() % (VALUE_TYPED + 1))};
    site.size = site.encoding == VALUE_STRUCT ? byte() : 0;
    site.encoding = site.kind == SITE_STATEMENT ? VALUE_NONE : site.encoding;
    if (world.sites == SITES || atomic_load(&segment()->definitions_written) > RING_DEFINITIONS_SIZE / 2) {
        return;
    }
    sites_encode(&blob, &site, 1);
    uint32_t first = ++world.sites;
    define(&(struct ring_definition){.type = RING_DEFINE_SITES,
                                     .method = METHOD_FIRST_REAL,
                                     .number = first,
                                     .blob = bytes_of(blob.data, blob.size)});
    ring_event_lengths(segment())[first] = event_length_of(&site);
    buffer_free(&blob);
}

// A new node of the thread's call tree, from its block of free nodes; 0 if there is none.
static uint32_t make_node(struct ring_thread *thread, uint32_t parent, uint32_t method)
{
    struct ring_node *nodes = ring_nodes(segment());
    if (thread->free_nodes_left == 0) {
        uint32_t used = atomic_load(&segment()->nodes_used);
        if (used > NODES - RING_NODE_BLOCK) {
            return 0;
        }
        atomic_store(&segment()->nodes_used, used + RING_NODE_BLOCK);
        thread->free_node = used;
        thread->free_nodes_left = RING_NODE_BLOCK;
    }
    uint32_t fresh = thread->free_node;
    if (fresh >= NODES) {
        return 0; // a wild pointer overwrote it
    }
    thread->free_node++;
    thread->free_nodes_left--;
    nodes[fresh] = (struct ring_node){.parent = parent, .method = method, .shortest = UINT64_MAX};
    if (method & RING_METHOD_RUNS) {
        ring_node_runs(segment())[fresh].latency_shortest = UINT64_MAX;
    }
    if (parent && parent < NODES) {
        nodes[fresh].next_sibling = nodes[parent].first_child;
        nodes[parent].first_child = fresh;
    }
    return fresh;
}

// Takes a free chunk from the bitmap: its number + 1; 0 if there is none.
static uint64_t take_chunk(void)
{
    _Atomic uint64_t *words = ring_free_chunks(segment());
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t word = atomic_load(&words[i]);
        if (word) {
            atomic_fetch_and(&words[i], ~(word & -word));
            return i * 64 + (uint64_t)__builtin_ctzll(word) + 1;
        }
    }
    return 0;
}

static struct ring_thread *shared_of(const struct made_thread *thread)
{
    return &ring_threads(segment())[thread->slot];
}

static uint64_t offset_in(uint64_t chunk, uint64_t at)
{
    return segment()->chunks_offset + (chunk - 1) * RING_CHUNK_SIZE + at;
}

// Continues the stream in a new chunk. The old one is final when its `next` is stored.
static bool next_chunk(struct made_thread *thread)
{
    struct ring_thread *there = shared_of(thread);
    uint64_t chunk = take_chunk();
    if (!chunk) {
        return false;
    }
    struct ring_chunk *fresh = ring_chunk_at(segment(), chunk - 1);
    *fresh = (struct ring_chunk){.thread = thread->slot, .opened_clock = thread->clock, .opened_tsc = thread->clock};
    if (thread->chunk) {
        struct ring_chunk *old = ring_chunk_at(segment(), thread->chunk - 1);
        fresh->sequence = old->sequence + 1;
        old->used = atomic_load(&there->at) - offset_in(thread->chunk, 0);
        old->closed_tsc = thread->clock;
        atomic_fetch_add(&segment()->chunks_full, 1);
        atomic_store(&old->next, chunk);
    } else {
        there->first_chunk = chunk;
    }
    thread->chunk = chunk;
    atomic_store(&there->at, offset_in(chunk, sizeof *fresh));
    return true;
}

// Where `cells` can be written. NULL: there is no room, or a wild pointer overwrote the cursor.
static uint32_t *room_for(struct made_thread *thread, size_t cells)
{
    struct ring_thread *there = shared_of(thread);
    for (int tries = 0; tries < 2; tries++) {
        uint64_t at = thread->chunk ? atomic_load(&there->at) - offset_in(thread->chunk, 0) : RING_CHUNK_SIZE;
        if (at % 4 == 0 && at >= sizeof(struct ring_chunk) && at + cells * 4 <= RING_CHUNK_SIZE) {
            return (uint32_t *)(void *)((char *)segment() + offset_in(thread->chunk, at));
        }
        if (!next_chunk(thread)) {
            return NULL;
        }
    }
    return NULL;
}

// Makes cells visible to the collector: the release store pairs with its acquire load of the cursor.
static void commit(const struct made_thread *thread, size_t cells)
{
    atomic_fetch_add_explicit(&shared_of(thread)->at, cells * sizeof(uint32_t), memory_order_release);
}

// Writes an event of two cells and `count` further words. False: there is no room.
static bool put(struct made_thread *thread, enum ring_event_kind kind, uint32_t payload, const uint64_t *words,
                uint32_t count)
{
    uint32_t *cells = room_for(thread, 2 + 2 * (size_t)count);
    if (!cells) {
        return false;
    }
    uint64_t head = RING_EVENT(kind, payload, thread->clock);
    memcpy(cells, &head, sizeof head);
    if (count) {
        memcpy(cells + 2, words, count * sizeof *words);
    }
    commit(thread, 2 + 2 * (size_t)count);
    return true;
}

static bool extended(struct made_thread *thread, enum ring_extended kind, const uint64_t *words, uint32_t count)
{
    return put(thread, RING_EVENT_EXTENDED, (uint32_t)kind | count << 8, words, count);
}

// Takes the number of a path, and stores the path, but now and then not yet.
static void make_path_of(uint32_t method, uint32_t what)
{
    uint32_t path = atomic_load(&segment()->paths_used);
    if (path >= PATH_FIRST && path < PATHS) { // else there is no room, or a wild pointer overwrote the number
        atomic_store(&segment()->paths_used, path + 1);
        ring_paths(segment())[path].parent = 1 + what % (path - 1);
        atomic_store_explicit(&ring_paths(segment())[path].method, what == UINT8_MAX ? 0 : method,
                              memory_order_release);
    }
}

// The number of the node in which a call of the method runs: the method's own, perhaps with figures of runs, or that of a
// path.
static uint32_t number_of_node(uint32_t method, uint32_t what)
{
    if (what & 0x80) {
        make_path_of(method, what);
        return METHOD_RESUMED | RING_METHOD_RUNS | (what & 0x7f);
    }
    return what & 0x40 ? method | RING_METHOD_RUNS : method;
}

static void end_run(uint32_t node)
{
    struct ring_run *run = &ring_node_runs(segment())[node];
    run->completed++;
    run->latency += node;
    run->awaiting++;
}

// Enters a method: a new node and an ENTER event. leave() does not return to the parent node, so the tree only deepens.
static void enter(struct made_thread *thread)
{
    struct ring_thread *there = shared_of(thread);
    uint32_t what = byte(), method = METHOD_FIRST_REAL + what % METHODS;
    uint32_t number_there = number_of_node(method, what), node = make_node(there, thread->current, number_there);
    if (node) {
        ring_nodes(segment())[node].calls++;
        ring_nodes(segment())[node].started = thread->clock;
        there->current = thread->current = node;
        if (number_there & RING_METHOD_RUNS) {
            end_run(node);
        }
    }
    if (put(thread, RING_EVENT_ENTER, method, NULL, 0)) {
        thread->written++;
        thread->depth++;
    }
}

static void leave(struct made_thread *thread)
{
    if (thread->depth > 0 && put(thread, RING_EVENT_LEAVE, byte() & 1, NULL, 0)) {
        thread->written++;
        thread->depth--;
    }
}

// Writes the event of a random site, with as many cells as its layout has.
static void reach_site(struct made_thread *thread)
{
    uint32_t site = world.sites ? 1 + byte() % world.sites : 0;
    uint32_t length = ring_event_lengths(segment())[site];
    size_t fixed = length & EVENT_LENGTH_CELLS, bytes = length & EVENT_LENGTH_TYPED ? byte() % 32 : 0;
    size_t size = fixed + (length & EVENT_LENGTH_TYPED ? 2 + (bytes + 3) / 4 : 0);
    uint32_t *cells = site && fixed ? room_for(thread, size) : NULL;
    if (!cells) {
        return;
    }
    for (size_t i = 1; i < size; i++) {
        cells[i] = byte() & 1;
    }
    cells[0] = RING_EVENT_SITE | site << 2;
    if (length & EVENT_LENGTH_TYPED) {
        cells[fixed] = 1;
        cells[fixed + 1] = (uint32_t)bytes;
    }
    commit(thread, size);
    thread->written++;
}

// Writes a random EXTENDED event with the words that its kind needs.
static void reach_extended(struct made_thread *thread)
{
    uint64_t words[16] = {0};
    uint32_t kind = byte() % (RING_EXTENDED_RUN + 1), count = 0;
    switch (kind) {
    case RING_EXTENDED_TIME:
        words[0] = thread->clock += number() >> 16;
        (void)extended(thread, RING_EXTENDED_TIME, words, 1);
        break;
    case RING_EXTENDED_LOST:
        words[0] = byte();
        if (extended(thread, RING_EXTENDED_LOST, words, 1)) {
            count = thread->depth < 8 ? thread->depth : 8;
            words[0] = thread->depth;
            (void)extended(thread, RING_EXTENDED_STACK, words, 1 + count);
        }
        break;
    case RING_EXTENDED_RESUME:
    case RING_EXTENDED_SUSPEND:
    case RING_EXTENDED_COMPLETE:
        words[0] = byte() % 4;
        words[1] = number();
        thread->written += extended(thread, (enum ring_extended)kind, words, 2);
        break;
    case RING_EXTENDED_RUN:
        words[0] = byte() % 4;
        words[1] = byte();
        (void)extended(thread, RING_EXTENDED_RUN, words, 2);
        break;
    case RING_EXTENDED_FILTER:
        words[0] = byte() % 3;
        thread->written += extended(thread, RING_EXTENDED_FILTER, words, 1);
        break;
    case RING_EXTENDED_FILTER_END:
        thread->written += extended(thread, RING_EXTENDED_FILTER_END, words, 0);
        break;
    case RING_EXTENDED_OBJECT:
        words[0] = (1 + byte()) | (uint64_t)(byte() % 4) << 32;
        words[1] = byte();
        words[2] = byte() % 8;
        words[3] = number();
        (void)extended(thread, RING_EXTENDED_OBJECT, words, byte() & 1 ? 2 : 5);
        break;
    case RING_EXTENDED_BOX:
        words[0] = (1 + byte() % 4) | (uint64_t)(byte() % 16) << 32;
        words[1] = number();
        (void)extended(thread, RING_EXTENDED_BOX, words, 3);
        break;
    default:
        break;
    }
}

static void begin_thread(void)
{
    if (world.thread_count == THREADS) {
        return;
    }
    struct made_thread *thread = &world.threads[world.thread_count];
    *thread = (struct made_thread){.slot = world.thread_count++, .live = true, .clock = 1};
    struct ring_thread *there = shared_of(thread);
    atomic_store(&segment()->threads_used, world.thread_count);
    atomic_store(&there->state, RING_THREAD_LIVE);
    there->thread = atomic_fetch_add(&segment()->threads_started, 1) + 1;
    there->root = thread->current = make_node(there, 0, METHOD_ROOT);
    there->current = there->root;
    if (!there->root) {
        atomic_store(&there->state, RING_THREAD_ENDED); // the agent does the same
        thread->live = false;
        return;
    }
    there->os_id = NO_ID - world.thread_count;
}

// Hands out a block of line counters and counts one line. Few blocks are enough.
static void count_lines(void)
{
    struct ring_header *ring = segment();
    uint32_t block = atomic_load(&ring->lines_blocks), lines = 0;
    for (uint32_t i = 1; i <= world.sites; i++) {
        lines += (ring_event_lengths(ring)[i] & EVENT_LENGTH_STATEMENT) != 0;
    }
    static uint32_t whole; // all blocks have the same sites
    whole = block == 0 ? world.sites : whole;
    if (!lines || world.sites != whole || block >= 8) {
        return;
    }
    uint64_t at = segment()->lines_offset + world.handed_out;
    struct ring_line *counters = (struct ring_line *)(void *)((char *)ring + at);
    world.handed_out += (lines * (uint32_t)sizeof *counters + 63) / 64 * 64;
    atomic_store(&ring->lines_used, world.handed_out);
    counters[byte() % lines].count++;
    ring_lines_blocks(ring)[block] = (struct ring_lines_block){at, 1, world.sites};
    atomic_store(&ring->lines_blocks, block + 1);
}

// Lets a thread repeat one kind of action, begin, or end.
static void run_thread(void)
{
    struct made_thread *thread = &world.threads[byte() % THREADS];
    if (!thread->live) {
        begin_thread();
        return;
    }
    uint32_t times = byte();
    thread->clock += times;
    for (uint32_t action = byte() % 8, left = times & 0x80 ? (times & 0x7f) * 16 : times % 8 + 1; left > 0; left--) {
        action < 3   ? enter(thread)
        : action < 5 ? leave(thread)
        : action < 7 ? reach_site(thread)
                     : reach_extended(thread);
    }
    if (times == 7) {
        shared_of(thread)->ended_tsc = thread->clock;
        atomic_store(&shared_of(thread)->state, RING_THREAD_ENDED);
        thread->live = false;
    }
}

#endif
