// A recorded process with one thread and no program: the test plays both sides. `program` is the segment as the program
// maps it, process->ring as the collector does. Included by one file a program.
#ifndef CLEW_TEST_ONE_PROCESS_H
#define CLEW_TEST_ONE_PROCESS_H

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/drain/process.h"
#include "collector/session/exit_status.h"
#include "ring/definition.h"
#include "ring/segment.h"

enum { METHOD = METHOD_FIRST_REAL, NOBODY = INT32_MAX, THREAD_SLOT = 0, NODES = 1 << 12 };

static const struct watch watch_of_nobody = {.pid = NOBODY, .pidfd = -1};

struct fixture {
    struct session_shared shared;
    struct session session;
    struct drain drain;
    struct process *process;
    struct ring_header *program;
    int segment;
};

// `file` is the path of the recording.
static inline struct fixture *open_process(const struct ring_options *options, const char *file)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    fixture->session = (struct session){.path = file, .shared = &fixture->shared, .calibration = clock_pair_now()};
    fixture->session.record = (struct recording_session){
        .clock = options->clock, .instruments = options->instruments, .flags = options->flags};
    fixture->drain.session = &fixture->session;
    fixture->drain.until_ns = UINT64_MAX;
    struct ring_header *ring;
    assert_int_equal(recording_create(file, &fixture->session.record, &fixture->drain.writer), CLEW_OK);
    assert_true(stream_block_init(&fixture->drain.block));
    assert_int_equal(segment_create(options, &fixture->segment, &ring), CLEW_OK);
    ring->os_pid = NOBODY;
    assert_int_equal(segment_protect(fixture->segment, ring), CLEW_OK);
    assert_int_equal(segment_map(fixture->segment, &fixture->program), CLEW_OK);
    assert_int_equal(process_new(ring, watch_of_nobody, (struct text){0}, &fixture->process), CLEW_OK);
    fixture->process->next_cpu_ns = UINT64_MAX; // there is no such thread
    return fixture;
}

static inline int close_process(struct fixture *fixture)
{
    process_free(fixture->process);
    segment_unmap(fixture->program);
    (void)close(fixture->segment);
    if (fixture->drain.writer) {
        assert_int_equal(recording_close(fixture->drain.writer, NULL), CLEW_OK);
    }
    stream_block_free(&fixture->drain.block);
    tree_copy_free(&fixture->drain.tree);
    buffer_free(&fixture->drain.definition);
    buffer_free(&fixture->drain.left);
    contents_free(&fixture->drain.contents);
    free(fixture);
    return 0;
}

// Reads the recording as it is now; nothing may be written afterwards.
static inline struct recording_reader *read_recording(struct fixture *fixture)
{
    struct recording_reader *reader;
    assert_int_equal(recording_close(fixture->drain.writer, NULL), CLEW_OK);
    fixture->drain.writer = NULL;
    assert_int_equal(recording_open_reader(fixture->session.path, &reader), CLEW_OK);
    return reader;
}

// The number of records of a type. `last` is the last of them; its texts live until the reader is closed.
static inline uint32_t count_records(struct recording_reader *reader, enum recording_type type,
                                     struct recording_record *last)
{
    struct recording_record record;
    uint32_t count = 0, at = 0;
    assert_int_equal(recording_rewind(reader, 0), CLEW_OK);
    while (recording_next(reader, 1u << type, &record) == CLEW_OK) {
        count++;
    }
    assert_int_equal(recording_rewind(reader, 0), CLEW_OK);
    while (at < count && recording_next(reader, 1u << type, last) == CLEW_OK) {
        at++;
    }
    return count;
}

// -- The program ------------------------------------------------------------------------------------------------------

static inline void define(struct ring_header *ring, const struct ring_definition *definition)
{
    struct buffer encoded = {0};
    ring_definition_encode(&encoded, definition);
    assert_true(ring_definition_write(ring, &encoded));
    buffer_free(&encoded);
}

static inline uint32_t make_node(struct ring_header *ring, uint32_t parent, uint32_t method)
{
    static uint32_t next;
    if (!parent) {
        next = atomic_fetch_add(&ring->nodes_used, RING_NODE_BLOCK);
    }
    struct ring_node *nodes = ring_nodes(ring);
    nodes[next] =
        (struct ring_node){.parent = parent, .next_sibling = nodes[parent].first_child, .method = method, .calls = 1};
    if (parent) {
        nodes[parent].first_child = next;
    }
    return next++;
}

// Takes a chunk for the thread; the chunk before it counts as full from then on.
static inline void open_chunk(struct ring_header *ring, uint64_t number, uint64_t sequence)
{
    *ring_chunk_at(ring, number - 1) =
        (struct ring_chunk){.thread = THREAD_SLOT, .sequence = sequence, .opened_clock = 1};
    atomic_fetch_and(&ring_free_chunks(ring)[(number - 1) / 64], ~(UINT64_C(1) << (number - 1) % 64));
    atomic_fetch_add(&ring->chunks_full, sequence > 0);
}

static inline bool chunk_is_free(struct ring_header *ring, uint64_t number)
{
    return atomic_load(&ring_free_chunks(ring)[(number - 1) / 64]) >> (number - 1) % 64 & 1;
}

static inline uint64_t in_chunk(const struct ring_header *ring, uint64_t number, uint64_t at)
{
    return ring->chunks_offset + (number - 1) * RING_CHUNK_SIZE + at;
}

// The offset behind so many entries in a chunk.
static inline uint64_t behind_entries(const struct ring_header *ring, uint64_t chunk, uint64_t entries)
{
    return in_chunk(ring, chunk, sizeof(struct ring_chunk) + entries * sizeof(uint64_t));
}

static inline void fill_chunk(struct ring_header *ring, uint64_t number)
{
    uint64_t *words = (uint64_t *)(void *)(ring_chunk_at(ring, number - 1) + 1);
    for (size_t i = 0; i < (RING_CHUNK_SIZE - sizeof(struct ring_chunk)) / sizeof *words; i++) {
        words[i] = RING_EVENT(RING_EVENT_ENTER, METHOD, 2 + i);
    }
}

static inline struct ring_thread *thread_of(struct fixture *fixture)
{
    return &ring_threads(fixture->program)[THREAD_SLOT];
}

static inline struct slot *slot_of(struct fixture *fixture)
{
    return &fixture->process->slots[THREAD_SLOT];
}

// Starts a thread that runs one method, with its entry committed. The rest of the chunk is full of entries,
// uncommitted.
static inline void start_thread(struct ring_header *ring)
{
    struct ring_thread *thread = &ring_threads(ring)[THREAD_SLOT];
    atomic_store(&ring->threads_used, 1);
    atomic_store(&ring->threads_started, 1);
    open_chunk(ring, 1, 0);
    fill_chunk(ring, 1);
    thread->first_chunk = 1;
    atomic_store(&thread->at, behind_entries(ring, 1, 1));
    thread->thread = 1;
    thread->root = make_node(ring, 0, METHOD_ROOT);
    thread->current = make_node(ring, thread->root, METHOD);
    thread->os_id = NOBODY;
    atomic_store(&thread->state, RING_THREAD_LIVE);
}

// A process with one thread that runs one method.
static inline struct fixture *open_running(uint32_t instruments, const char *file)
{
    const struct ring_options options = {
        .process = 1, .instruments = instruments, .clock = CLOCK_KIND_TSC, .nodes_max = NODES};
    struct fixture *fixture = open_process(&options, file);
    define(fixture->program,
           &(struct ring_definition){.type = RING_DEFINE_METHOD, .method = METHOD, .name = text_of("M")});
    start_thread(fixture->program);
    return fixture;
}

// Makes a pass in which all periodic work is due; streams are due from the second pass on.
static inline void pass(struct fixture *fixture)
{
    if (fixture->process->slot_count > THREAD_SLOT) {
        slot_of(fixture)->pending_since_ns = 1;
    }
    fixture->process->next_trees_ns = fixture->process->next_counters_ns = fixture->process->next_record_ns = 0;
    assert_int_equal(process_drain(fixture->process, &fixture->drain, clock_monotonic_ns()), CLEW_OK);
}

#endif
