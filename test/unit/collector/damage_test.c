// A program that writes over its segment: its recording ends there with a note, and its threads wait for no room.
#include "one_process.h"
#include "trace/instrument.h"

#include "../recording_path.h"

static const struct ring_options options = {.process = 1,
                                            .instruments = INSTRUMENT_TREE | INSTRUMENT_CALLS | INSTRUMENT_LINES,
                                            .clock = CLOCK_KIND_TSC,
                                            .nodes_max = NODES};

static void define_kind(struct ring_header *ring, enum ring_definition_type type)
{
    define(ring, &(struct ring_definition){.type = type, .method = METHOD, .name = text_of("M")});
}

static int set_up(void **state)
{
    struct fixture *fixture = open_process(&options, path);
    define_kind(fixture->program, RING_DEFINE_METHOD);
    start_thread(fixture->program);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    return close_process(*state);
}

static void expect_damage(struct fixture *fixture)
{
    pass(fixture);
    assert_true(fixture->process->damaged);
    assert_int_equal(atomic_load(&fixture->program->collector_gone), 1); // nobody waits
    pass(fixture);
    assert_int_equal(atomic_load(&fixture->program->collector_gone), 1);
    bool done;
    process_begin_end(fixture->process, PROCESS_ENDED, EXIT_STATUS_UNKNOWN);
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

// Counts records in the file.
static uint64_t events(struct fixture *fixture)
{
    return slot_of(fixture)->position.events;
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
    define_kind(fixture->program, RING_DEFINE_METHOD);
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
    define_kind(fixture->program, (enum ring_definition_type)200);
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

static void layout_before_a_takeover(void **state)
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

static void position_is_the_collectors(void **state)
{
    struct fixture *fixture = *state;
    expect_no_damage(fixture);
    uint64_t before = events(fixture);
    thread_of(fixture)->drained[0] = thread_of(fixture)->drained[1] = (struct ring_drained){.chunk = 1, .at = 64};
    expect_no_damage(fixture);
    assert_int_equal(events(fixture), before); // what an heir would go by is not read
}

// The offset would make all memory in front of the chunk count as events.
static void position_before_a_takeover(void **state)
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

// A walk without a bound would visit each node as often as there are nodes, for each thread.
static void trees_of_all_others(void **state)
{
    struct fixture *fixture = *state;
    expect_no_damage(fixture);
    struct ring_node *nodes = ring_nodes(fixture->program);
    nodes[thread_of(fixture)->current].first_child = thread_of(fixture)->root;
    expect_damage(fixture);
}

// -- Counters ---------------------------------------------------------------------------------------------------------

// A sum over four million blocks of sixteen million sites each would take hours.
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
        ring_event_lengths(ring)[i] = event_length(0, false, true);
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
        TEST(layout_before_a_takeover),
        TEST(position_is_the_collectors),
        TEST(position_before_a_takeover),
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
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
