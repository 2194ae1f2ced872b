// Async activations: paths and figures of runs decode to themselves, follow their tree, and refuse what no writer stores.
#include "payload.h"
#include "place.h"
#include "trace/await.h"

static struct codec_arrays arrays;
static struct recording_paths paths;
static struct recording_runs decoded;

static int release(void **state)
{
    (void)state;
    codec_arrays_free(&arrays);
    return 0;
}

// -- Paths ------------------------------------------------------------------------------------------------------------

static const struct recording_path path_list[] = {
    {PATH_ROOT, 17}, {3, PATH_AWAIT | 1}, {0, 0}, {PATH_UNKNOWN, 18}, {3, UINT32_MAX},
};
static const struct recording_paths five_paths = {1, PATH_FIRST, 5, path_list};

static enum clew_error decode_paths(const struct block_header *header, struct bytes body)
{
    (void)header;
    return codec_decode_paths(body, &arrays, &paths);
}

static struct buffer encode_paths(uint32_t first, uint32_t count, const struct recording_path *list)
{
    struct buffer body = {0};
    codec_encode_paths(&body, &(struct recording_paths){1, first, count, list});
    return body;
}

static void paths_decode_to_themselves(void **state)
{
    (void)state;
    struct buffer body = encode_paths(PATH_FIRST, 5, path_list);
    assert_int_equal(decode_copy(decode_paths, NULL, body.data, body.size), CLEW_OK);
    assert_int_equal(paths.process, 1);
    assert_int_equal(paths.first, PATH_FIRST);
    assert_int_equal(paths.count, 5);
    assert_memory_equal(paths.paths, path_list, sizeof path_list);
    expect_no_harm(decode_paths, NULL, &body);
    buffer_free(&body);
}

static void expect_damaged_paths(struct buffer body)
{
    assert_int_equal(decode_copy(decode_paths, NULL, body.data, body.size), CLEW_DAMAGED);
    buffer_free(&body);
}

static void a_path_is_below_one_with_a_lower_number(void **state)
{
    (void)state;
    static const struct recording_path itself[] = {{1, 17}, {4, 17}}, later[] = {{4, 17}, {1, 17}};
    expect_damaged_paths(encode_paths(PATH_FIRST, 2, itself));
    expect_damaged_paths(encode_paths(PATH_FIRST, 2, later));
}

static void paths_have_numbers_within_their_bounds(void **state)
{
    (void)state;
    struct buffer last = encode_paths(RECORDING_PATHS_MAX - 1, 1, path_list);
    assert_int_equal(decode_copy(decode_paths, NULL, last.data, last.size), CLEW_OK);
    assert_int_equal(paths.count, 1);
    buffer_free(&last);
    expect_damaged_paths(encode_paths(RECORDING_PATHS_MAX - 1, 2, path_list));
    expect_damaged_paths(encode_paths(RECORDING_PATHS_MAX, 1, path_list));
    expect_damaged_paths(encode_paths(UINT32_MAX, 1, path_list));
    expect_damaged_paths(encode_paths(PATH_UNKNOWN, 1, path_list)); // readers know this one
}

static void a_record_ends_with_a_whole_path(void **state)
{
    (void)state;
    struct buffer body = encode_paths(PATH_FIRST, 5, path_list);
    assert_int_equal(decode_copy(decode_paths, NULL, body.data, body.size - 1), CLEW_DAMAGED); // 5 bytes, as of 4
    buffer_u8(&body, 1);
    expect_damaged_paths(body);
}

// -- Runs -------------------------------------------------------------------------------------------------------------

static const struct recording_latency latencies[] = {{0, 1}, {8, 2}, {HISTOGRAM_BUCKETS - 1, UINT64_MAX}};
static const struct recording_run runs[] = {
    {.node = 0, .latency_shortest = UINT64_MAX, .awaiting = 500, .own_awaiting = 400},
    {.node = 7, .latency_count = 3, .completed = 3, .latency = 90, .latency_shortest = 20, .latency_longest = 40},
    {.node = 8,
     .first_latency = 3,
     .completed = UINT64_MAX,
     .faulted = UINT32_MAX,
     .cancelled = 1,
     .latency = UINT64_MAX,
     .latency_longest = UINT64_MAX,
     .awaiting = UINT64_MAX,
     .own_awaiting = UINT64_MAX},
    {.node = RECORDING_NODES_MAX - 1,
     .first_latency = 3,
     .cancelled = 1,
     .latency = 5,
     .latency_shortest = 5,
     .latency_longest = 5},
};
enum { RUNS = sizeof runs / sizeof *runs };

static enum clew_error decode_runs(const struct block_header *header, struct bytes payload)
{
    decoded = (struct recording_runs){0};
    return codec_decode_runs(header, payload, &arrays, &decoded);
}

static void expect_latencies(const struct recording_latency *found, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(found[i].bucket, latencies[i].bucket);
        assert_int_equal(found[i].count, latencies[i].count);
    }
}

static struct buffer encode_runs(const struct recording_run *first, uint32_t count)
{
    struct codec_splits splits = {0};
    struct buffer payload = {0};
    codec_encode_runs(&payload, &(struct recording_runs){.runs = first, .latencies = latencies}, 0, count, &splits);
    assert_int_equal(splits.at[splits.count - 1], payload.size);
    assert_true(splits.count <= sizeof splits.at / sizeof *splits.at);
    return payload;
}

static void runs_decode_to_themselves(void **state)
{
    (void)state;
    const struct block_header header = {.process = 1, .thread = 2, .sequence = 8, .count = RUNS, .last_clock = 9};
    struct buffer payload = encode_runs(runs, RUNS);
    assert_int_equal(decode_copy(decode_runs, &header, payload.data, payload.size), CLEW_OK);
    assert_int_equal(decoded.process, 1);
    assert_int_equal(decoded.thread, 2);
    assert_int_equal(decoded.sequence, 8);
    assert_int_equal(decoded.clock, 9);
    assert_int_equal(decoded.count, RUNS);
    assert_memory_equal(decoded.runs, runs, sizeof runs);
    assert_int_equal(decoded.latency_count, 3);
    expect_latencies(decoded.latencies, 3);
    expect_exact(decode_runs, &header, &payload);
    expect_no_harm(decode_runs, &header, &payload);
    buffer_free(&payload);
}

// What no activation has ended in takes a byte a figure.
static void figures_without_an_end_are_small(void **state)
{
    (void)state;
    const struct recording_run awaiting = {.latency_shortest = UINT64_MAX, .awaiting = 1};
    struct buffer payload = encode_runs(&awaiting, 1);
    assert_int_equal(payload.size, 1 + 8 + 1);
    buffer_free(&payload);
}

static void nodes_ascend_below_the_largest_tree(void **state)
{
    (void)state;
    const struct block_header two = {.count = 2}, one = {.count = 1};
    struct buffer payload = encode_runs(runs + 2, 2);
    assert_int_equal(decode_runs(&two, bytes_of(payload.data, payload.size)), CLEW_OK);
    payload.data[0]++; // and with it the next, which is the last that a tree can have
    assert_int_equal(decode_runs(&two, bytes_of(payload.data, payload.size)), CLEW_DAMAGED);
    buffer_free(&payload);
    payload = encode_runs(runs, 1);
    assert_int_equal(decode_runs(&one, bytes_of(payload.data, payload.size)), CLEW_OK);
    assert_int_equal(codec_decode_runs(&one, bytes_of(payload.data, payload.size), &arrays, &decoded), CLEW_DAMAGED);
    buffer_free(&payload); // a later part with a node that an earlier one has
}

static void a_count_is_checked_against_the_bytes_left(void **state)
{
    (void)state;
    const struct block_header many = {.count = RECORDING_NODES_MAX}, more = {.count = UINT32_MAX};
    struct buffer payload = encode_runs(runs, RUNS);
    assert_int_equal(decode_runs(&many, bytes_of(payload.data, payload.size)), CLEW_DAMAGED);
    assert_int_equal(decode_runs(&more, bytes_of(payload.data, payload.size)), CLEW_DAMAGED);
    assert_int_equal(arrays.runs_room, 0);
    buffer_free(&payload);
}

// Decodes a run with these bytes as its latencies.
static enum clew_error decode_latencies(const uint8_t *bytes, size_t size)
{
    const struct block_header one = {.count = 1};
    const struct recording_run none = {.latency_shortest = UINT64_MAX};
    struct buffer payload = encode_runs(&none, 1);
    payload.size--; // the number of its latencies
    buffer_append(&payload, bytes, size);
    enum clew_error error = decode_runs(&one, bytes_of(payload.data, payload.size));
    buffer_free(&payload);
    return error;
}

static void latencies_ascend_below_the_last_bucket(void **state)
{
    (void)state;
    static const uint8_t sound[] = {2, 0, 0, 5, 1}, zero[] = {2, 0, 0, 5, 0}, cut[] = {2, 0, 0, 5},
                         more[] = {1, 0, 5, 1};
    static const uint8_t highest[] = {1, 0xdf, 0x02, 1}, beyond[] = {1, 0xe0, 0x02, 1},
                         second[] = {2, 0xdf, 0x02, 0, 1, 1};
    assert_int_equal(decode_latencies(sound, sizeof sound), CLEW_OK);
    assert_int_equal(decoded.latencies[1].bucket, 1);
    assert_int_equal(decode_latencies(zero, sizeof zero), CLEW_DAMAGED);
    assert_int_equal(decode_latencies(cut, sizeof cut), CLEW_DAMAGED);
    assert_int_equal(decode_latencies(more, sizeof more), CLEW_DAMAGED);
    assert_int_equal(decode_latencies(highest, sizeof highest), CLEW_OK);
    assert_int_equal(decoded.latencies[0].bucket, HISTOGRAM_BUCKETS - 1);
    assert_int_equal(decode_latencies(beyond, sizeof beyond), CLEW_DAMAGED);
    assert_int_equal(decode_latencies(second, sizeof second), CLEW_DAMAGED);
}

// -- Files ------------------------------------------------------------------------------------------------------------

static const struct recording_node nodes[] = {
    {.shortest = UINT64_MAX},
    {.method = 17, .calls = 1},
};
static const struct recording_tree physical = {.process = 1, .thread = 2, .count = 2, .nodes = nodes};
static const struct recording_runs two_runs = {
    .process = 1, .thread = 2, .clock = 9, .count = 2, .runs = runs, .latency_count = 3, .latencies = latencies};

static void what_is_known_of_a_body_reads_as_written(void **state)
{
    (void)state;
    struct buffer places = {0};
    await_encode(&places, &(struct await){.state = 1, .offset = 70, .what = text_of("Repo.LoadAsync")});
    const struct recording_async async = {
        .process = 1, .body = 17, .kickoff = 16, .awaits = bytes_of(places.data, places.size)};
    struct recording_async with_line = async;
    with_line.lines = bytes_of("\2\14", 2);
    struct recording_writer *writer = create();
    assert_ok(recording_write_async(writer, &async));
    assert_ok(recording_write_async(writer, &with_line));
    assert_ok(recording_write_paths(writer, &five_paths));
    assert_ok(recording_close(writer, NULL));
    struct recording_reader *reader = open_recording();
    struct recording_record record;
    struct await await;
    struct await_line line;
    assert_ok(recording_next(reader, 1u << RECORDING_ASYNC | 1u << RECORDING_PATHS, &record));
    assert_int_equal(record.type, RECORDING_ASYNC);
    assert_int_equal(record.async.process, 1);
    assert_int_equal(record.async.body, 17);
    assert_int_equal(record.async.kickoff, 16);
    assert_true(await_decode(&record.async.awaits, &await));
    assert_int_equal(await.offset, 70);
    assert_true(text_equal(await.what, text_of("Repo.LoadAsync")));
    assert_int_equal(bytes_left(&record.async.lines), 0);
    assert_ok(recording_next(reader, 1u << RECORDING_ASYNC, &record));
    assert_int_equal(record.async.flags, 0);
    assert_true(await_line_decode(&record.async.lines, &line));
    assert_true(line.document == 2 && line.line == 12);
    assert_int_equal(bytes_left(&record.async.lines), 0);
    assert_ok(recording_next(reader, 1u << RECORDING_ASYNC | 1u << RECORDING_PATHS, &record));
    assert_int_equal(record.type, RECORDING_PATHS);
    assert_memory_equal(record.paths.paths, path_list, sizeof path_list);
    recording_close_reader(reader);
    buffer_free(&places);
}

static void no_path_is_written_that_readers_refuse(void **state)
{
    (void)state;
    static const struct recording_path itself[] = {{PATH_FIRST, 17}};
    struct recording_writer *writer = create();
    const struct recording_paths wrong[] = {
        {1, PATH_FIRST, 1, itself},
        {1, PATH_UNKNOWN, 1, path_list},
        {1, RECORDING_PATHS_MAX - 1, 2, path_list},
        {1, UINT32_MAX, 1, path_list},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(recording_write_paths(writer, &wrong[i]), CLEW_UNSUPPORTED);
    }
    assert_ok(recording_close(writer, NULL));
}

// The flags of the only block of the type, of those that the index lists.
static uint32_t flags_of(struct recording_reader *reader, enum recording_type type)
{
    const struct recording_block *blocks;
    size_t count;
    uint32_t flags = 0, found = 0;
    assert_ok(recording_index(recording_of(reader), &blocks, &count));
    for (size_t i = 0; i < count; i++) {
        if (blocks[i].type == (uint32_t)type) {
            flags = blocks[i].flags;
            found++;
        }
    }
    assert_int_equal(found, 1);
    return flags;
}

static void runs_belong_to_the_tree_before_them(void **state)
{
    (void)state;
    struct recording_writer *writer = create();
    assert_ok(recording_write_tree(writer, &physical));
    assert_ok(recording_write_tree(writer, &physical));
    assert_ok(recording_write_runs(writer, &two_runs));
    assert_ok(recording_close(writer, NULL));
    struct recording_reader *reader = open_recording();
    struct recording_record tree, record;
    assert_ok(recording_next(reader, 1u << RECORDING_TREE_NODES, &tree));
    assert_ok(recording_next(reader, 1u << RECORDING_TREE_NODES, &tree));
    assert_ok(recording_next(reader, 1u << RECORDING_RUNS, &record));
    assert_int_equal(record.runs.sequence, tree.tree.sequence);
    assert_int_equal(record.runs.clock, 9);
    assert_int_equal(record.runs.count, 2);
    assert_memory_equal(record.runs.runs, runs, 2 * sizeof *runs);
    expect_latencies(record.runs.latencies, 3);
    assert_ok(recording_read(reader, record.offset, RECORDING_RUNS, &record));
    assert_memory_equal(record.runs.runs, runs, 2 * sizeof *runs);
    recording_close_reader(reader);
}

enum { MANY = 2 * 65536 + 1 }; // three blocks

static void write_many_runs(struct recording_writer *writer)
{
    struct recording_run *many = calloc(MANY, sizeof *many);
    for (uint32_t i = 0; i < MANY; i++) {
        many[i] = (struct recording_run){.node = 3 * i, .latency_count = i % 4, .completed = i + 1};
    }
    assert_ok(recording_write_tree(writer, &physical));
    assert_ok(recording_write_runs(
        writer,
        &(struct recording_runs){.process = 1, .thread = 2, .count = MANY, .runs = many, .latencies = latencies}));
    free(many);
}

static void runs_of_several_blocks_are_joined(void **state)
{
    (void)state;
    struct recording_writer *writer = create();
    write_many_runs(writer);
    assert_ok(recording_write_runs(writer, &two_runs));
    assert_ok(recording_close(writer, NULL));
    struct recording_reader *reader = open_recording();
    struct recording_record record;
    const struct recording_block *blocks;
    size_t count;
    assert_ok(recording_next(reader, 1u << RECORDING_RUNS, &record));
    assert_int_equal(record.runs.count, MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        assert_int_equal(record.runs.runs[i].node, 3 * i);
        assert_int_equal(record.runs.runs[i].completed, i + 1);
        expect_latencies(record.runs.latencies + record.runs.runs[i].first_latency, i % 4);
    }
    assert_ok(recording_next(reader, 1u << RECORDING_RUNS, &record));
    assert_int_equal(record.runs.count, 2);
    assert_int_equal(recording_next(reader, 1u << RECORDING_RUNS, &record), CLEW_NOT_FOUND);
    assert_int_equal(recording_health(reader).damaged, 0);
    assert_ok(recording_index(recording_of(reader), &blocks, &count));
    assert_int_equal(blocks[count - 2].type, RECORDING_RUNS);
    assert_int_equal(blocks[count - 2].part, 2);
    assert_int_equal(recording_read(reader, blocks[count - 2].offset, RECORDING_RUNS, &record), CLEW_DAMAGED);
    recording_close_reader(reader);
}

// Runs whose last part is missing are not shown; a writer that continues the file cuts them off, and keeps their tree.
static void half_of_the_runs_are_cut_off(void **state)
{
    (void)state;
    struct recording_writer *writer = create();
    write_many_runs(writer);
    uint64_t size = recording_size(writer);
    assert_ok(recording_close(writer, NULL));
    assert_int_equal(truncate(path, (off_t)size - 1), 0);
    struct recording_reader *reader = open_recording();
    struct recording_record record;
    assert_int_equal(recording_next(reader, 1u << RECORDING_RUNS, &record), CLEW_NOT_FOUND);
    assert_int_equal(recording_health(reader).damaged, 0);
    uint64_t cut = recording_health(reader).cut_bytes;
    recording_close_reader(reader);
    assert_ok(recording_resume(path, &writer));
    assert_int_equal(recording_size(writer), size - 1 - cut);
    assert_ok(recording_write_runs(writer, &two_runs));
    assert_ok(recording_close(writer, NULL));
    reader = open_recording();
    assert_ok(recording_next(reader, 1u << RECORDING_TREE_NODES, &record));
    assert_ok(recording_next(reader, 1u << RECORDING_RUNS, &record));
    assert_int_equal(record.runs.sequence, 0);
    assert_int_equal(record.runs.count, 2);
    recording_close_reader(reader);
}

static void runs_of_no_tree_are_not_written(void **state)
{
    (void)state;
    static const struct recording_run falling[] = {{.node = 2}, {.node = 1}},
                                      beyond[] = {{.node = RECORDING_NODES_MAX}};
    struct recording_writer *writer = create();
    assert_int_equal(recording_write_runs(writer, &two_runs), CLEW_UNSUPPORTED);
    assert_ok(recording_write_tree(writer, &physical));
    struct recording_runs wrong = two_runs;
    wrong.runs = falling;
    assert_int_equal(recording_write_runs(writer, &wrong), CLEW_UNSUPPORTED);
    wrong.runs = beyond;
    wrong.count = 1;
    assert_int_equal(recording_write_runs(writer, &wrong), CLEW_UNSUPPORTED);
    assert_ok(recording_close(writer, NULL));
}

// Readers that do not know the numbers skip the whole tree: all of its parts have the flag.
static void numbers_of_paths_have_a_flag(void **state)
{
    (void)state;
    static const uint32_t numbers[] = {METHOD_RESUMED | 4, METHOD_CONTINUED | 17, METHOD_AFTER_WAIT, METHOD_AFTER_END};
    static const uint32_t plain[] = {METHOD_ROOT, METHOD_FILTER, METHOD_OVER_CAP, 17, METHOD_NUMBERS_MAX - 1};
    struct recording_node changed_node = {.shortest = UINT64_MAX};
    struct recording_tree tree = {.process = 1, .thread = 2, .count = 1, .nodes = &changed_node};
    for (size_t i = 0; i < 9; i++) {
        bool flagged = i < 4;
        struct recording_node two[] = {{.shortest = UINT64_MAX}, {.method = flagged ? numbers[i] : plain[i - 4]}};
        const struct recording_node_change change = {.node = 1, .by = two[1]};
        const struct recording_tree_changes changes = {
            .process = 1, .thread = 2, .before = 1, .after = 2, .count = 1, .changes = &change};
        struct recording_writer *writer = create();
        assert_ok(recording_write_tree(writer, &tree));
        assert_ok(recording_write_tree_changes(writer, &changes));
        assert_ok(recording_close(writer, NULL));
        struct recording_reader *reader = open_recording();
        assert_int_equal(flags_of(reader, RECORDING_TREE_NODES) & BLOCK_PATHS, 0);
        assert_int_equal(flags_of(reader, RECORDING_TREE_CHANGES) & BLOCK_PATHS, flagged ? BLOCK_PATHS : 0);
        recording_close_reader(reader);
        writer = create();
        assert_ok(recording_write_tree(writer, &(struct recording_tree){.process = 1, .count = 2, .nodes = two}));
        assert_ok(recording_close(writer, NULL));
        reader = open_recording();
        assert_int_equal(flags_of(reader, RECORDING_TREE_NODES) & BLOCK_PATHS, flagged ? BLOCK_PATHS : 0);
        recording_close_reader(reader);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(paths_decode_to_themselves, release),
        cmocka_unit_test_teardown(a_path_is_below_one_with_a_lower_number, release),
        cmocka_unit_test_teardown(paths_have_numbers_within_their_bounds, release),
        cmocka_unit_test_teardown(a_record_ends_with_a_whole_path, release),
        cmocka_unit_test_teardown(runs_decode_to_themselves, release),
        cmocka_unit_test_teardown(figures_without_an_end_are_small, release),
        cmocka_unit_test_teardown(nodes_ascend_below_the_largest_tree, release),
        cmocka_unit_test_teardown(a_count_is_checked_against_the_bytes_left, release),
        cmocka_unit_test_teardown(latencies_ascend_below_the_last_bucket, release),
        cmocka_unit_test_setup_teardown(what_is_known_of_a_body_reads_as_written, make_place, remove_place),
        cmocka_unit_test_setup_teardown(no_path_is_written_that_readers_refuse, make_place, remove_place),
        cmocka_unit_test_setup_teardown(runs_belong_to_the_tree_before_them, make_place, remove_place),
        cmocka_unit_test_setup_teardown(runs_of_several_blocks_are_joined, make_place, remove_place),
        cmocka_unit_test_setup_teardown(half_of_the_runs_are_cut_off, make_place, remove_place),
        cmocka_unit_test_setup_teardown(runs_of_no_tree_are_not_written, make_place, remove_place),
        cmocka_unit_test_setup_teardown(numbers_of_paths_have_a_flag, make_place, remove_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
