// What is written is read again, to the last bit: every kind of record, and random streams and trees.
#include "place.h"
#include "random.h"

static void every_record_reads_as_written(void **state)
{
    (void)state;
    make_sample();
    static const char *const expected[] = {
        "process 1 4711 1 -3 'dotnet app.dll' 'CoreCLR 10.0.12' 5 18446744073709551615 6 7 8 9 10 11 12 1 "
        "2100000999.25",
        "module 1 2 21 010203ff000600000000000000000000 'App.dll' '/home/me/App.dll' ''",
        "method 1 16 2 100663297 1 'App.Main(string[])' flags 273",
        "thread 1 1 4712 'm\xc3\xa4in' 10 0 100 50 2",
        "events 1 1 seq 0 at 0+30 1000..9030 open 17@900 16@950 (1000 0 16 0) (1010 0 4294967295 0) (1020 1 0 0) "
        "(1500 5 0 1) (1500 0 0 0) (1510 2 0 0) (1510 6 0 0) (1600 3 0 0) (9000 4 0 18446744073709551615) "
        "(9000 7 3 5) (9000 7 0 0) (9030 7 1 1) s16 s17 s4294967295 s18",
        "not woven 1 2 100663298 'App.Odd()' 'its body is odd'",
        "note 0 'a note'",
        "compiled 1 2 100663299 1 5000000000 4 'Lib.Sum()'",
        "points 0110 1 1 2",
        "method 1 17 2 100663297 1 'App.Main(string[])' flags 273",
        "events 1 2 seq 0 at 0+30",
        "tree 1 1 777 1: (0 0 1 0 1 1000 18446744073709551615 0 0 0) (0 16 0 1 3 900 100 500 0 0) "
        "(1 17 0 0 18446744073709551615 18446744073709551615 0 18446744073709551615 4 5) "
        "(1 4294967295 0 0 1 7 7 7 0 0)",
        "runs 1 1 seq 0 778: (1 0 0 2 70 30 40 0 0) (2 0 0 0 0 18446744073709551615 0 18446744073709551615 5) "
        "(3 1 1 0 9 4 5 0 0)",
        "events 1 1 seq 1 at 30+30",
        "thread 1 1 4712 'm\xc3\xa4in' 10 9999 100 50 2",
        "sites 1 16 1 ",
        "document 1 2 1 3 '/src/App.cs' ab00cd 3",
        "type 1 7 2 33554434 0702070004000a4170702e436f6c6f75720000 flags 1",
        "events 1 3 seq 0 at 0+47 2000..2600 open (2000 8 9 0) (2010 0 16 0) (2010 8 1 5) (2010 8 2 5) (2500 8 3 6) "
        "(2500 8 4 9) (2500 8 5 12) (2500 8 6 14) (2500 4 0 3) (2500 8 7 16) (2500 8 8 17) (2500 8 10 20) (2500 8 2 "
        "20) "
        "(2500 8 5 21) (2500 8 8 23) (2500 8 9 26) (2600 1 0 0) c7 c9 c1684234849 c1751606885 c105 c4294967295 c5 c3 "
        "c255 c4294967280 c32767 c1065353216 c0 c1072693248 c3735928559 c4294967295 c6 c1 c2 c3 c1 c0 c1073741824 c1 "
        "c2 "
        "c4 c8 c4 c6",
        "objects 1 5..4294967295: (7 1 24 0 '') (5 2 30 4 't\xc3\xa4xt') "
        "(4294967295 4294967295 18446744073709551615 18446744073709551615 'a')",
        "objects 2 2..10: (10 2 30 4 't\xc3\xa4xt' perhaps 5) (9 1 24 0 '') (2 1 24 0 '' perhaps 1)",
        "source 1 2 1 0 as 0 0 0 'class App\n{\n}\n'",
        "source 1 2 2 2 as 0 0 0 ''",
        "source 2 3 4 5 as 1 2 1 ''",
        "counters 1 55: (1 1 0) (4 18446744073709551615 18446744073709551615) (4294967295 0 1)",
        "async 1 17 16 0146044c6f6164",
        "paths 1 3: (1 16) (3 1073741826) (0 0) (2 17)",
        "end 99999 1234 2 1 2 1",
    };
    struct recording_health health;
    struct lines lines = read_file(path, &health);
    assert_int_equal(lines.count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < lines.count; i++) {
        lines.line[i][strnlen(lines.line[i], strlen(expected[i]))] = 0; // some are told by their beginning
        assert_string_equal(lines.line[i], expected[i]);
    }
    assert_true(health.ended);
    assert_int_equal(health.damaged + health.damaged_bytes + health.cut_bytes + health.unknown, 0);
    lines_free(&lines);
}

static void the_session_reads_as_written(void **state)
{
    (void)state;
    assert_ok(recording_close(create(), NULL));
    struct recording_reader *reader;
    struct buffer text = {0}, expected = {0};
    struct recording_session session = sample_session();
    assert_ok(recording_open_reader(path, &reader));
    describe_session(&text, recording_session(recording_of(reader)));
    describe_session(&expected, &session);
    assert_string_equal((char *)text.data, (char *)expected.data);
    assert_false(recording_health(reader).ended);
    recording_close_reader(reader);
    buffer_free(&text);
    buffer_free(&expected);
}

static void types_choose_what_is_read(void **state)
{
    (void)state;
    make_sample();
    struct recording_reader *reader = open_recording();
    struct lines lines = read_lines(reader, 1u << RECORDING_METHOD | 1u << RECORDING_END);
    assert_int_equal(lines.count, 3);
    assert_string_equal(lines.line[1], "method 1 17 2 100663297 1 'App.Main(string[])' flags 273");
    lines_free(&lines);
    assert_ok(recording_rewind(reader, 0));
    lines = read_lines(reader, 0);
    assert_int_equal(lines.count, 0);
    assert_true(recording_health(reader).ended);
    lines_free(&lines);
    recording_close_reader(reader);
}

static void rewind_goes_to_a_block(void **state)
{
    (void)state;
    make_sample();
    struct recording_reader *reader = open_recording();
    struct lines all = read_lines(reader, 1u << RECORDING_EVENTS | 1u << RECORDING_TREE_NODES);
    for (size_t i = 0; i < all.count; i++) {
        assert_ok(recording_rewind(reader, all.offset[i]));
        struct lines rest = read_lines(reader, 1u << RECORDING_EVENTS | 1u << RECORDING_TREE_NODES);
        assert_int_equal(rest.count, all.count - i);
        assert_string_equal(rest.line[0], all.line[i]);
        assert_int_equal(recording_health(reader).damaged, 0);
        lines_free(&rest);
    }
    lines_free(&all);
    recording_close_reader(reader);
}

struct stream {
    struct recording_event *events;
    uint32_t *open, *stacks;
    uint64_t *open_clock, *open_serial;
    struct recording_events block;
};

static enum recording_event_kind random_kind(bool async)
{
    uint64_t kind = next_random() % (async ? RECORDING_COMPLETE : RECORDING_AT_SITE);
    return (enum recording_event_kind)(kind + (kind >= RECORDING_AT_SITE)); // any but AT_SITE
}

static void random_event(struct recording_event *event, uint64_t *clock, struct recording_events *block,
                         uint32_t *stacks, uint64_t unit, bool backwards)
{
    uint64_t step = random_number() % 100000 * unit;
    *clock += backwards && next_random() % 8 == 0 ? -step : step;
    *event = (struct recording_event){.clock = *clock, .kind = random_kind(block->async)};
    switch (event->kind) {
    case RECORDING_ENTER:
        event->method = (uint32_t)random_number() | METHOD_FIRST_REAL; // no pseudo-method is entered
        break;
    case RECORDING_CUT:
    case RECORDING_FILTER:
        event->remaining = random_number();
        break;
    case RECORDING_LOST:
        event->lost = random_number();
        break;
    case RECORDING_STACK:
        event->stated = (uint32_t)(next_random() % 4);
        event->depth = event->stated + random_number() % 10;
        for (uint32_t i = 0; i < event->stated; i++) {
            stacks[block->stack_count++] = (uint32_t)random_number();
        }
        break;
    case RECORDING_RUN:
    case RECORDING_RESUME:
    case RECORDING_SUSPEND:
    case RECORDING_COMPLETE:
        event->wait = recording_has_wait(event->kind) ? (uint32_t)random_number() : 0;
        event->serial = random_number();
        stacks[block->stack_count++] = (uint32_t)random_number();
        stacks[block->stack_count++] = (uint32_t)random_number();
        break;
    default:
        break;
    }
}

static struct stream random_stream(void)
{
    struct stream stream = {0};
    uint32_t count = (uint32_t)(random_number() % 3000);
    uint32_t depth = (uint32_t)(random_number() % 200);
    stream.events = calloc(count + 1, sizeof *stream.events);
    stream.stacks = calloc(4 * count + 1, sizeof *stream.stacks);
    stream.open = calloc(depth + 1, sizeof *stream.open);
    stream.open_clock = calloc(depth + 1, sizeof *stream.open_clock);
    stream.open_serial = calloc(depth + 1, sizeof *stream.open_serial);
    uint64_t clock = random_number();
    for (uint32_t i = 0; i < depth; i++) {
        stream.open[i] = (uint32_t)random_number();
        stream.open_clock[i] = clock += random_number();
        stream.open_serial[i] = random_number();
    }
    struct recording_events *block = &stream.block;
    *block = (struct recording_events){
        .process = (uint32_t)random_number(),
        .thread = (uint32_t)random_number(),
        .position = random_number(),
        .words = random_number(),
        .first_clock = clock,
        .depth = depth,
        .open = stream.open,
        .open_clock = stream.open_clock,
        .async = next_random() % 2,
        .open_serial = stream.open_serial,
        .count = count,
        .events = stream.events,
        .stacks = stream.stacks,
    };
    uint64_t unit = next_random() % 3 == 0 ? 1 : next_random() % 300; // 0: all clocks equal
    bool backwards = next_random() % 4 == 0;
    for (uint32_t i = 0; i < count; i++) {
        random_event(&stream.events[i], &clock, block, stream.stacks, unit, backwards);
    }
    block->last_clock = clock;
    return stream;
}

static void free_stream(struct stream *stream)
{
    free(stream->events);
    free(stream->stacks);
    free(stream->open);
    free(stream->open_clock);
    free(stream->open_serial);
}

static void describe(struct lines *lines, enum recording_type type, const struct recording_events *events,
                     const struct recording_tree *tree)
{
    struct buffer text = {0};
    struct recording_record record = {.type = type};
    if (events) {
        record.events = *events;
        record.events.sequence = 0; // numbered by the writer; processes and threads are random, hardly ever the same
    } else {
        record.tree = *tree;
    }
    describe_record(&text, &record);
    lines_add(lines, (char *)text.data, 0);
    buffer_free(&text);
}

static void assert_same(const struct lines *got, const struct lines *expected)
{
    assert_int_equal(got->count, expected->count);
    for (size_t i = 0; i < got->count; i++) {
        char *sequence = strstr(got->line[i], "seq ");
        if (sequence) {
            memset(sequence + 4, '0', strcspn(sequence + 4, " "));
        }
        assert_string_equal(got->line[i], expected->line[i]);
    }
}

static void random_streams_read_as_written(void **state)
{
    (void)state;
    for (seed = 1; seed < 40; seed += 1) {
        uint64_t before = seed;
        struct recording_writer *writer = create();
        struct lines expected = {0};
        for (int i = 0; i < 10; i++) {
            struct stream stream = random_stream();
            describe(&expected, RECORDING_EVENTS, &stream.block, NULL);
            assert_ok(recording_write_events(writer, &stream.block));
            free_stream(&stream);
        }
        assert_ok(recording_close(writer, &sample_end));
        struct recording_reader *reader;
        assert_ok(recording_open_reader(path, &reader));
        struct lines got = read_lines(reader, 1u << RECORDING_EVENTS);
        assert_same(&got, &expected);
        recording_close_reader(reader);
        lines_free(&got);
        lines_free(&expected);
        seed = before;
    }
}

static struct recording_node *random_nodes(uint32_t count)
{
    struct recording_node *nodes = calloc(count + 1, sizeof *nodes);
    for (uint32_t i = 0; i < count; i++) {
        nodes[i] = (struct recording_node){
            .parent = i ? (uint32_t)(next_random() % i) : 0,
            .method = (uint32_t)random_number(),
            .open = (uint32_t)(next_random() % 2),
            .exceptions = (uint32_t)random_number(),
            .calls = random_number(),
            .total = random_number(),
            .shortest = next_random() % 4 ? random_number() : UINT64_MAX,
            .longest = random_number(),
            .cpu_user_ns = random_number(),
            .cpu_kernel_ns = random_number(),
        };
    }
    return nodes;
}

// Nodes that have come part by part.
struct parts {
    struct recording_node nodes[300000];
    uint32_t count, largest;
};

static enum clew_error take_part(void *context, const struct recording_node *nodes, uint32_t count)
{
    struct parts *parts = context;
    memcpy(parts->nodes + parts->count, nodes, count * sizeof *nodes);
    parts->count += count;
    parts->largest = count > parts->largest ? count : parts->largest;
    return CLEW_OK;
}

// The next tree of the reader, part by part: no part is larger than a block's, and none is missing.
static void expect_parts(struct recording_reader *reader, const struct recording_tree *tree)
{
    static struct parts parts;
    struct recording_record record;
    parts.count = parts.largest = 0;
    recording_want_tree_parts(reader, take_part, &parts);
    assert_ok(recording_next(reader, 1u << RECORDING_TREE_NODES, &record));
    assert_int_equal(record.tree.count, tree->count);
    assert_null(record.tree.nodes);
    assert_int_equal(parts.count, tree->count);
    assert_true(parts.largest <= 65536);
    assert_memory_equal(parts.nodes, tree->nodes, tree->count * sizeof *tree->nodes);
    recording_want_tree_parts(reader, NULL, NULL);
}

// Around the sizes at which a tree takes another block.
static void trees_of_any_size_read_as_written(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {0, 1, 2, 1000, 65535, 65536, 65537, 131072, 300000};
    seed = 7;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct recording_node *nodes = random_nodes(sizes[i]);
        struct recording_tree tree = {.process = 3, .thread = 4, .clock = 5, .count = sizes[i], .nodes = nodes};
        struct recording_writer *writer = create();
        assert_ok(recording_write_tree(writer, &tree));
        assert_ok(recording_write_tree(writer, &tree));
        assert_ok(recording_close(writer, NULL));
        struct recording_reader *reader;
        struct recording_record record;
        assert_ok(recording_open_reader(path, &reader));
        for (int copy = 0; copy < 2; copy++) {
            assert_ok(recording_next(reader, 1u << RECORDING_TREE_NODES, &record));
            assert_int_equal(record.tree.count, sizes[i]);
            assert_int_equal(record.tree.thread, 4);
            assert_int_equal(record.tree.clock, 5);
            if (sizes[i] > 0) {
                assert_memory_equal(record.tree.nodes, nodes, sizes[i] * sizeof *nodes);
            }
        }
        assert_int_equal(recording_next(reader, 1u << RECORDING_TREE_NODES, &record), CLEW_NOT_FOUND);
        assert_ok(recording_rewind(reader, 0));
        expect_parts(reader, &tree);
        expect_parts(reader, &tree);
        recording_close_reader(reader);
        free(nodes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_record_reads_as_written, make_place, remove_place),
        cmocka_unit_test_setup_teardown(the_session_reads_as_written, make_place, remove_place),
        cmocka_unit_test_setup_teardown(types_choose_what_is_read, make_place, remove_place),
        cmocka_unit_test_setup_teardown(rewind_goes_to_a_block, make_place, remove_place),
        cmocka_unit_test_setup_teardown(random_streams_read_as_written, make_place, remove_place),
        cmocka_unit_test_setup_teardown(trees_of_any_size_read_as_written, make_place, remove_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
