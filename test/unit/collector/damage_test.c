// A program that writes over the memory it shares: its recording ends there, says so, and nobody waits for it any more.
// Both sides are this process: `program` is how the program has the segment mapped, process->ring how the collector has.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/drain/process.h"
#include "collector/session/exit_status.h"
#include "ring/definition.h"
#include "ring/segment.h"

enum { METHOD = RING_METHOD_FIRST_REAL, NOBODY = INT32_MAX, THREAD_SLOT = 0, NODES = 1 << 12 };

static const struct watch watch_of_nobody = {.pid = NOBODY, .pidfd = -1};

struct fixture {
    struct session_shared shared;
    struct session session;
    struct drain drain;
    struct process *process;
    struct ring_header *program;
    int segment;
};

static const struct ring_options options = {
    .process = 1, .instruments = RING_TREE | RING_CALLS | RING_LINES, .clock = CLOCK_KIND_TSC, .nodes_max = NODES};

static uint32_t make_node(struct ring_header *ring, uint32_t parent, uint32_t method)
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

static void open_chunk(struct ring_header *ring, uint64_t number, uint64_t sequence)
{
    *ring_chunk_at(ring, number - 1) =
        (struct ring_chunk){.thread = THREAD_SLOT, .sequence = sequence, .opened_clock = 1};
    atomic_fetch_add(&ring->chunks_full, sequence > 0); // the one before it
}

static uint64_t in_chunk(const struct ring_header *ring, uint64_t number, uint64_t at)
{
    return ring->chunks_offset + (number - 1) * RING_CHUNK_SIZE + at;
}

// One thread, in one method, whose entry is in its stream; every other cell of the chunk is an entry, too.
static void start_thread(struct ring_header *ring)
{
    struct ring_thread *thread = &ring_threads(ring)[THREAD_SLOT];
    atomic_store(&ring->threads_used, 1);
    atomic_store(&ring->threads_started, 1);
    open_chunk(ring, 1, 0);
    uint64_t *words = (uint64_t *)(void *)(ring_chunk_at(ring, 0) + 1);
    for (size_t i = 0; i < (RING_CHUNK_SIZE - sizeof(struct ring_chunk)) / sizeof *words; i++) {
        words[i] = RING_EVENT(RING_EVENT_ENTER, METHOD, 2 + i);
    }
    thread->first_chunk = 1;
    atomic_store(&thread->at, in_chunk(ring, 1, sizeof(struct ring_chunk) + sizeof *words));
    thread->thread = 1;
    thread->root = make_node(ring, 0, RING_METHOD_ROOT);
    thread->current = make_node(ring, thread->root, METHOD);
    thread->os_id = NOBODY;
    atomic_store(&thread->state, RING_THREAD_LIVE);
}

static void define(struct ring_header *ring, enum ring_definition_type type)
{
    struct buffer encoded = {0};
    ring_definition_encode(&encoded, &(struct ring_definition){.type = type, .method = METHOD, .name = text_of("M")});
    assert_true(ring_definition_write(ring, &encoded));
    buffer_free(&encoded);
}

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    fixture->session = (struct session){.shared = &fixture->shared, .calibration = clock_pair_now()};
    fixture->session.record = (struct recording_session){.clock = CLOCK_KIND_TSC, .instruments = options.instruments};
    fixture->drain.session = &fixture->session;
    fixture->drain.until_ns = UINT64_MAX;
    struct ring_header *ring;
    assert_int_equal(recording_create("/dev/null", &fixture->session.record, &fixture->drain.writer), CLEW_OK);
    assert_true(stream_block_init(&fixture->drain.block));
    assert_int_equal(segment_create(&options, &fixture->segment, &ring), CLEW_OK);
    ring->os_pid = NOBODY;
    assert_int_equal(segment_protect(fixture->segment, ring), CLEW_OK);
    assert_int_equal(segment_map(fixture->segment, &fixture->program), CLEW_OK);
    assert_int_equal(process_new(ring, watch_of_nobody, (struct text){0}, &fixture->process), CLEW_OK);
    fixture->process->next_cpu_ns = UINT64_MAX; // there is no such thread
    define(fixture->program, RING_DEFINE_METHOD);
    start_thread(fixture->program);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    process_free(fixture->process);
    segment_unmap(fixture->program);
    (void)close(fixture->segment);
    assert_int_equal(recording_close(fixture->drain.writer, NULL), CLEW_OK);
    stream_block_free(&fixture->drain.block);
    tree_copy_free(&fixture->drain.tree);
    buffer_free(&fixture->drain.definition);
    contents_free(&fixture->drain.contents);
    free(fixture);
    return 0;
}

// A pass with everything that can be due. Streams are only from the second one on.
static void pass(struct fixture *fixture)
{
    if (fixture->process->slot_count > THREAD_SLOT) {
        fixture->process->slots[THREAD_SLOT].pending_since_ns = 1;
    }
    fixture->process->next_trees_ns = fixture->process->next_counters_ns = fixture->process->next_record_ns = 0;
    assert_int_equal(process_drain(fixture->process, &fixture->drain, clock_monotonic_ns()), CLEW_OK);
}

static void expect_damage(struct fixture *fixture)
{
    pass(fixture);
    assert_true(fixture->process->damaged);
    assert_int_equal(atomic_load(&fixture->program->collector_gone), 1); // nobody waits
    pass(fixture);
    assert_int_equal(atomic_load(&fixture->program->collector_gone), 1);
    bool done;
    process_begin_end(fixture->process, RECORDING_PROCESS_ENDED, EXIT_STATUS_UNKNOWN);
    assert_int_equal(process_finish(fixture->process, &fixture->drain, &done), CLEW_OK);
    assert_true(done);
}

static void expect_no_damage(struct fixture *fixture)
{
    pass(fixture);
    pass(fixture);
    assert_false(fixture->process->damaged);
    assert_int_equal(atomic_load(&fixture->program->collector_gone), 0);
}

// In the file.
static uint64_t events(const struct fixture *fixture)
{
    return fixture->process->slots[THREAD_SLOT].place.events;
}

static struct ring_thread *thread_of(struct fixture *fixture)
{
    return &ring_threads(fixture->program)[THREAD_SLOT];
}

// -- Definitions ------------------------------------------------------------------------------------------------------

static void write_cursor(void **state)
{
    struct fixture *fixture = *state;
    expect_no_damage(fixture);
    atomic_fetch_add(&fixture->program->definitions_written, UINT64_C(1) << 40);
    expect_damage(fixture);
}

static void write_cursor_goes_back(void **state)
{
    struct fixture *fixture = *state;
    expect_no_damage(fixture);
    atomic_fetch_sub(&fixture->program->definitions_written, 8);
    expect_damage(fixture);
}

static void write_cursor_in_the_middle(void **state)
{
    struct fixture *fixture = *state;
    atomic_fetch_sub(&fixture->program->definitions_written, 1);
    expect_damage(fixture);
}

static void read_cursor(void **state)
{
    struct fixture *fixture = *state;
    expect_no_damage(fixture);
    define(fixture->program, RING_DEFINE_METHOD);
    atomic_store(&fixture->program->definitions_read, 0);
    expect_damage(fixture);
}

static void size_of_a_definition(void **state)
{
    struct fixture *fixture = *state;
    memset((char *)fixture->program + fixture->program->definitions_offset, 0x40, sizeof(uint32_t));
    expect_damage(fixture);
}

static void content_of_a_definition(void **state)
{
    struct fixture *fixture = *state;
    memset((char *)fixture->program + fixture->program->definitions_offset + sizeof(uint32_t), 0xff, 10);
    expect_damage(fixture);
}

static void kind_of_a_definition(void **state)
{
    struct fixture *fixture = *state;
    define(fixture->program, (enum ring_definition_type)200);
    expect_damage(fixture);
}

// -- The header -------------------------------------------------------------------------------------------------------

static void layout(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t chunks = fixture->process->ring->chunks_offset;
    expect_no_damage(fixture);
    fixture->program->chunks_offset = UINT64_C(1) << 50;
    assert_int_equal(fixture->process->ring->chunks_offset, chunks); // whoever is in the middle of a pass
    expect_damage(fixture);
}

static void heir_adopts(struct fixture *fixture)
{
    struct ring_header *ring;
    process_free(fixture->process);
    assert_int_equal(segment_adopt(fixture->segment, &options, &ring), CLEW_OK);
    assert_int_equal(process_new(ring, watch_of_nobody, (struct text){0}, &fixture->process), CLEW_OK);
    fixture->process->next_cpu_ns = UINT64_MAX;
}

static void layout_before_an_heir(void **state)
{
    struct fixture *fixture = *state;
    const uint64_t chunks = fixture->process->ring->chunks_offset;
    memset(&fixture->program->segment_size, 0xff, sizeof(uint64_t));
    memset(&fixture->program->threads_offset, 0x77,
           offsetof(struct ring_header, nodes_max) - offsetof(struct ring_header, threads_offset));
    struct ring_header *ring;
    process_free(fixture->process);
    assert_int_equal(segment_adopt(fixture->segment, &options, &ring), CLEW_OK);
    assert_int_equal(ring->chunks_offset, chunks);
    assert_false(segment_intact(ring));
    assert_int_equal(process_new(ring, watch_of_nobody, (struct text){0}, &fixture->process), CLEW_OK);
    expect_damage(fixture);
    fixture->program->segment_size = ring->segment_size; // for segment_unmap()
}

// -- Streams ----------------------------------------------------------------------------------------------------------

static void place_is_the_collectors(void **state)
{
    struct fixture *fixture = *state;
    expect_no_damage(fixture);
    uint64_t before = events(fixture);
    thread_of(fixture)->drained[0] = thread_of(fixture)->drained[1] = (struct ring_drained){.chunk = 1, .at = 64};
    expect_no_damage(fixture);
    assert_int_equal(events(fixture), before); // what an heir would go by is not read
}

// Everything below the chunk would be taken for events.
static void place_of_an_heir(void **state)
{
    struct fixture *fixture = *state;
    expect_no_damage(fixture);
    thread_of(fixture)->drained[0] = thread_of(fixture)->drained[1] = (struct ring_drained){.chunk = 1, .at = 64};
    heir_adopts(fixture);
    fixture->process->definitions_read = atomic_load(&fixture->program->definitions_read);
    expect_damage(fixture);
    assert_true(events(fixture) < 10);
}

static void cursor_is_elsewhere(void **state)
{
    struct fixture *fixture = *state;
    expect_no_damage(fixture);
    atomic_store(&thread_of(fixture)->at, UINT64_C(1) << 60);
    expect_damage(fixture);
}

static void cursor_goes_back(void **state)
{
    struct fixture *fixture = *state;
    expect_no_damage(fixture);
    atomic_store(&thread_of(fixture)->at, in_chunk(fixture->program, 1, 8));
    expect_damage(fixture);
}

static void leave_chunk(struct fixture *fixture, uint64_t next, uint64_t used)
{
    struct ring_chunk *chunk = ring_chunk_at(fixture->program, 0);
    chunk->used = used;
    atomic_store(&chunk->next, next);
}

static void chain_bites_its_tail(void **state)
{
    struct fixture *fixture = *state;
    expect_no_damage(fixture);
    leave_chunk(fixture, 1, RING_CHUNK_SIZE);
    expect_damage(fixture);
}

static void chunk_of_another(void **state)
{
    struct fixture *fixture = *state;
    open_chunk(fixture->program, 2, 1);
    ring_chunk_at(fixture->program, 1)->thread = THREAD_SLOT + 1;
    leave_chunk(fixture, 2, RING_CHUNK_SIZE);
    expect_damage(fixture);
}

static void chunk_that_is_too_full(void **state)
{
    struct fixture *fixture = *state;
    open_chunk(fixture->program, 2, 1);
    leave_chunk(fixture, 2, RING_CHUNK_SIZE + 4);
    expect_damage(fixture);
}

static void words_that_are_no_events(void **state)
{
    struct fixture *fixture = *state;
    expect_no_damage(fixture);
    uint64_t before = events(fixture);
    uint64_t *words = (uint64_t *)(void *)(ring_chunk_at(fixture->program, 0) + 1);
    words[2] = RING_EVENT(RING_EVENT_SITE, 5, 0); // nobody defined it
    atomic_fetch_add(&thread_of(fixture)->at, 2 * sizeof *words);
    expect_damage(fixture);
    assert_int_equal(events(fixture), before + 1); // what came before is kept
}

// -- Threads ----------------------------------------------------------------------------------------------------------

static void number_of_a_thread(void **state)
{
    struct fixture *fixture = *state;
    expect_no_damage(fixture);
    thread_of(fixture)->thread = 7;
    expect_damage(fixture);
}

static void state_of_a_thread(void **state)
{
    struct fixture *fixture = *state;
    expect_no_damage(fixture);
    atomic_store(&thread_of(fixture)->state, RING_THREAD_FREE);
    expect_damage(fixture);
}

// Each is passed as often as there are nodes, for each thread.
static void trees_of_all_others(void **state)
{
    struct fixture *fixture = *state;
    expect_no_damage(fixture);
    struct ring_node *nodes = ring_nodes(fixture->program);
    nodes[thread_of(fixture)->current].first_child = thread_of(fixture)->root;
    expect_damage(fixture);
}

// -- Counters ---------------------------------------------------------------------------------------------------------

// Four million blocks of sixteen million sites each would take hours.
static void counters_overlap(void **state)
{
    struct fixture *fixture = *state;
    struct ring_header *ring = fixture->program;
    expect_no_damage(fixture);
    struct ring_lines_block *blocks = ring_lines_blocks(ring);
    for (uint32_t i = 0; i < 1000; i++) {
        blocks[i] = (struct ring_lines_block){ring->lines_offset, 1 + i, RING_SITES_MAX - 2000};
    }
    atomic_store(&ring->lines_used, RING_LINES_SIZE);
    atomic_store(&ring->lines_blocks, 1000);
    expect_damage(fixture);
}

static void counters_in_many_blocks(void **state)
{
    enum { SITES = 1 << 16, BLOCKS = 2000 };
    struct fixture *fixture = *state;
    struct ring_header *ring = fixture->program;
    expect_no_damage(fixture);
    for (uint32_t i = 1; i <= SITES; i++) {
        ring_site_shapes(ring)[i] = ring_site_shape_of(0, false, true);
    }
    for (uint32_t i = 0; i < BLOCKS; i++) { // more counters than there is room for
        ring_lines_blocks(ring)[i] = (struct ring_lines_block){ring->lines_offset, 1, SITES};
    }
    atomic_store(&ring->lines_used, RING_LINES_SIZE);
    atomic_store(&ring->lines_blocks, BLOCKS);
    expect_damage(fixture);
}

// -- The definitions ring by itself -----------------------------------------------------------------------------------

static void no_definition_is_longer_than_the_ring(void **state)
{
    struct fixture *fixture = *state;
    struct buffer encoded = {0};
    assert_true(ring_definition_fits(RING_DEFINITIONS_SIZE - sizeof(uint32_t)));
    assert_false(ring_definition_fits(RING_DEFINITIONS_SIZE - sizeof(uint32_t) + 1));
    assert_false(ring_definition_fits(SIZE_MAX));
    assert_non_null(buffer_extend(&encoded, RING_DEFINITIONS_SIZE));
    expect_no_damage(fixture);
    assert_false(ring_definition_write(fixture->program, &encoded));
    encoded.size -= sizeof(uint32_t);
    assert_true(ring_definition_write(fixture->program, &encoded));
    assert_false(ring_definition_write(fixture->program, &encoded));
    buffer_free(&encoded);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(write_cursor),
        TEST(write_cursor_goes_back),
        TEST(write_cursor_in_the_middle),
        TEST(read_cursor),
        TEST(size_of_a_definition),
        TEST(content_of_a_definition),
        TEST(kind_of_a_definition),
        TEST(layout),
        TEST(layout_before_an_heir),
        TEST(place_is_the_collectors),
        TEST(place_of_an_heir),
        TEST(cursor_is_elsewhere),
        TEST(cursor_goes_back),
        TEST(chain_bites_its_tail),
        TEST(chunk_of_another),
        TEST(chunk_that_is_too_full),
        TEST(words_that_are_no_events),
        TEST(number_of_a_thread),
        TEST(state_of_a_thread),
        TEST(trees_of_all_others),
        TEST(counters_overlap),
        TEST(counters_in_many_blocks),
        TEST(no_definition_is_longer_than_the_ring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
