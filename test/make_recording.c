// Writes recordings with known content, for tests of readers, and for benchmarks with up to 100 million events:
//
//     make-recording [hostile] KIND FILE [NUMBER]
//
// hostile: all its texts contain bytes that could drive a terminal
//
// tree, calls    the same small program, as a call tree and as streams: two threads, exceptions, recursion, an overload
// big N          a stream of N events of one thread, up to 30 levels deep, on some 1,500 call paths
// wide N         the same with as many call paths as possible
// deep N         one thread with a recursion N levels deep, as a stream
// deep-tree N    the same as a tree
// wide-tree N    a tree of N paths up to 60 levels deep, as a test run of a parser has: few calls each, and a little CPU time
// threads N      N threads with a short stream each
// cold           a stream whose first block is missing, with lost events, and with activations that are open at the end
// trees          the calls of `calls`: of one thread as a tree with changes, of the other as a stream with its tree
// async          an async method that waits on one thread, and goes on and completes on another, as trees
// numbers        `calls` with numbers of activations
// none           the tree of `tree`, without times
// sites          statements and values with their source; boxes: values in boxes
// lines          the same source with counters; lines-tree: with a tree, too; lines-none: without times
// coverage       lines that ran, and others that did not
// awaits         async methods that wait at several places; awaits-unlinked: as recorded without links;
//                async-stream: such a program recorded as streams, without call trees
// throws         exceptions, one of which ended the process
// allocations    objects allocated on known lines, with their sizes
// empty          a session without calls
// example        the recording that doc/recording.md explains byte by byte
// unclosed       `tree` without an END
// undecodable    `calls` with a block whose checksum holds, but which has one event less than its header says
// names N        no call, no END, and N methods with names of a MiB: a small file
// overlap N      N threads with half a million calls each, at the same time: a small file that unpacks to much data
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "recording/block.h"
#include "trace/await.h"
#include "trace/instrument.h"
#include "unit/made_recording.h"

#include "unit/made_awaits.h"
#include "unit/made_coverage.h"
#include "unit/made_throws.h"

enum { BLOCK = 16384 };

// The block of a thread that is being filled, and the thread's stack.
struct run {
    struct recording_event events[BLOCK];
    uint32_t open[1 << 17];
    uint64_t open_clock[1 << 17];
    uint32_t depth, depth_at_start, count;
    uint64_t clock, words;
};

static struct run run;

static void flush_run(uint32_t thread, const uint32_t *open, const uint64_t *open_clock)
{
    struct recording_events block = {.process = 1,
                                     .thread = thread,
                                     .position = run.words,
                                     .words = run.count,
                                     .first_clock = run.events[0].clock,
                                     .last_clock = run.clock,
                                     .depth = run.depth_at_start,
                                     .open = open,
                                     .open_clock = open_clock,
                                     .count = run.count,
                                     .events = run.events};
    if (run.count) {
        must(recording_write_events(writer, &block));
    }
    run.words += run.count;
    run.count = 0;
}

static uint32_t kept_open[1 << 17];
static uint64_t kept_clock[1 << 17];

static void keep_start(void)
{
    run.depth_at_start = run.depth;
    memcpy(kept_open, run.open, run.depth * sizeof *kept_open);
    memcpy(kept_clock, run.open_clock, run.depth * sizeof *kept_clock);
}

static void emit(enum recording_event_kind kind, uint32_t method, uint64_t step)
{
    run.clock += step;
    run.events[run.count++] = (struct recording_event){.clock = run.clock, .kind = kind, .method = method};
    if (kind == RECORDING_ENTER) {
        run.open[run.depth] = method;
        run.open_clock[run.depth++] = run.clock;
    } else {
        run.depth--;
    }
    if (run.count == BLOCK) {
        flush_run(1, kept_open, kept_clock);
        keep_start();
    }
}

// Main calls SaveAsync, whose body waits. The other thread continues it, calls Add from there, and then what the completion of
// SaveAsync has released.
static const struct recording_node async_main[] = {
    {.shortest = UINT64_MAX},
    {.method = MAIN, .calls = 1, .total = 9000, .shortest = 9000, .longest = 9000},
    {.parent = 1, .method = SAVE, .calls = 1, .total = 700, .shortest = 700, .longest = 700},
    {.parent = 2, .method = SAVE_BODY, .calls = 1, .total = 500, .shortest = 500, .longest = 500},
};
static const struct recording_node async_root = {.shortest = UINT64_MAX};
enum { SAVE_WAITS = 4 }; // number of the path

static void define_async(void)
{
    const struct recording_path paths[] = {{PATH_ROOT, MAIN}, {3, SAVE_BODY}, {SAVE_WAITS, PATH_AWAIT | 0}};
    struct buffer places = {0};
    await_encode(&places, &(struct await){.state = 0, .offset = 34, .what = text_of("Stream.WriteAsync")});
    await_encode(&places, &(struct await){.state = 1, .offset = 120});
    const struct recording_async async = {
        .process = 1, .body = SAVE_BODY, .kickoff = SAVE, .awaits = bytes_of(places.data, places.size)};
    must(recording_write_async(writer, &async));
    must(recording_write_paths(writer, &(struct recording_paths){1, PATH_FIRST, 3, paths}));
    buffer_free(&places);
}

static void make_async(const char *path)
{
    const struct recording_tree trees[] = {
        {.process = 1, .thread = 1, .clock = START + 9500, .final = true, .count = 4, .nodes = async_main},
        {.process = 1, .thread = 2, .clock = START + 5000, .count = 1, .nodes = &async_root},
    };
    const struct recording_node_change fresh[] = {
        {1, {.parent = 0, .method = METHOD_RESUMED | (SAVE_WAITS + 1), .calls = 1, .total = 600, .longest = 600}},
        {2, {.parent = 1, .method = ADD, .calls = 2, .total = 300, .longest = 200}},
        {3, {.parent = 1, .method = METHOD_AFTER_END, .calls = 1, .total = 100, .longest = 100}},
        {4, {.parent = 3, .method = LATER, .calls = 1, .total = 80, .longest = 80}},
    };
    const struct recording_tree_changes changes = {
        .process = 1, .thread = 2, .clock = START + 8000, .before = 1, .after = 5, .count = 4, .changes = fresh};
    const struct recording_run figures = {.node = 1,
                                          .completed = 1,
                                          .latency = 4000,
                                          .latency_shortest = 4000,
                                          .latency_longest = 4000,
                                          .awaiting = 3000,
                                          .own_awaiting = 3000};
    create(path, INSTRUMENT_TREE, CLOCK_KIND_MONOTONIC);
    define();
    define_async();
    must(recording_write_tree(writer, &trees[1]));
    must(recording_write_tree_changes(writer, &changes));
    must(recording_write_runs(
        writer,
        &(struct recording_runs){.process = 1, .thread = 2, .clock = START + 8000, .count = 1, .runs = &figures}));
    must(recording_write_tree(writer, &trees[0]));
    finish(14, 0, 2, true);
}

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

enum { MANY = 400, MANY_FROM = 100 };

static void define_many(void)
{
    for (uint32_t i = 0; i < MANY; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "Shop.Big.M%u(int)", i);
        define_method(MANY_FROM + i, 2, 0, name);
    }
}

// A loop body calls a few methods that call a few methods, and so on: calls repeat as in real programs, with some noise.
static void make_big(const char *path, uint64_t events, uint32_t noise_depth)
{
    uint64_t seed = 88172645463325252u;
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define();
    define_many();
    run.clock = START;
    keep_start();
    emit(RECORDING_ENTER, MAIN, 10);
    for (uint64_t i = 2; i < events; i++) {
        (void)next_random(&seed);
        bool down = run.depth < 2 || (run.depth < 30 && (seed >> 20 & 255) < 128);
        uint32_t method =
            MANY_FROM + (run.depth * 12 + (uint32_t)(run.depth < noise_depth ? seed >> 32 & 1 : 0)) % MANY;
        emit(down ? RECORDING_ENTER : RECORDING_LEAVE, method, 20 + (seed & 31));
    }
    while (run.depth) {
        emit(RECORDING_LEAVE, 0, 20);
    }
    flush_run(1, kept_open, kept_clock);
    finish(events, 0, 1, true);
}

static void make_deep(const char *path, uint64_t levels)
{
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define();
    run.clock = START;
    keep_start();
    levels = levels < (1 << 17) ? levels : (1 << 17) - 1;
    for (uint64_t i = 0; i < levels; i++) {
        emit(RECORDING_ENTER, FIB, 1);
    }
    while (run.depth) {
        emit(RECORDING_LEAVE, 0, 1);
    }
    flush_run(1, kept_open, kept_clock);
    finish(2 * levels, 0, 1, true);
}

static void make_deep_tree(const char *path, uint32_t levels)
{
    struct recording_node *nodes = calloc(levels + 1, sizeof *nodes);
    if (!nodes) {
        must(CLEW_NO_MEMORY);
    }
    nodes[0] = node(0, 0, 0, 0, UINT64_MAX, 0);
    for (uint32_t i = 1; i <= levels; i++) {
        uint64_t time = 2 * (uint64_t)(levels - i) + 1;
        nodes[i] = node(i - 1, FIB, 1, time, time, time);
    }
    struct recording_tree tree = {
        .process = 1, .thread = 1, .clock = START + 10000, .final = true, .count = levels + 1, .nodes = nodes};
    create(path, INSTRUMENT_TREE, CLOCK_KIND_MONOTONIC);
    define();
    must(recording_write_tree(writer, &tree));
    finish(2 * levels, 0, 1, true);
    free(nodes);
}

// In depth-first order. Of 400 children that a node gets in turn, no two have the same method.
static void make_wide_tree(const char *path, uint32_t paths)
{
    enum { LEVELS = 60, FLOOR = 3 };
    uint32_t last[LEVELS + 1] = {0}, children[LEVELS + 1] = {0}, depth = 0; // on the current path, by level
    uint64_t seed = 88172645463325252u;
    struct recording_node *nodes = calloc(paths + 1, sizeof *nodes);
    if (!nodes) {
        must(CLEW_NO_MEMORY);
    }
    nodes[0] = node(0, 0, 0, 0, UINT64_MAX, 0);
    for (uint32_t i = 1; i <= paths; i++) {
        uint64_t random = next_random(&seed);
        uint32_t up = depth == LEVELS || random % 2 ? 1 + (uint32_t)(random >> 8) % 3 : 0;
        depth = depth < FLOOR + up ? depth : depth - up;
        uint32_t method = MANY_FROM + (7 * depth + children[depth]++) % MANY;
        uint64_t calls = random >> 16 & 3 ? 1 : 1 + (random >> 24 & 15);
        nodes[i] = node(last[depth], method, calls, calls * (100 + (random >> 32 & 0x3fff)), 0, 0);
        nodes[i].cpu_user_ns = random >> 48 & 0x7f ? 0 : 1000000;
        last[++depth] = i;
        children[depth] = 0;
    }
    for (uint32_t i = paths; i > 0; i--) { // each has the times of its callees
        nodes[i].shortest = nodes[i].longest = nodes[i].total / nodes[i].calls;
        nodes[nodes[i].parent].total += nodes[i].total;
    }
    nodes[0].total = 0;
    struct recording_tree tree = {
        .process = 1, .thread = 1, .clock = START + 10000, .final = true, .count = paths + 1, .nodes = nodes};
    create(path, INSTRUMENT_TREE, CLOCK_KIND_MONOTONIC);
    define();
    define_many();
    must(recording_write_tree(writer, &tree));
    finish(2 * (uint64_t)paths, 0, 1, true);
    free(nodes);
}

static void make_threads(const char *path, uint32_t count)
{
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define();
    for (uint32_t thread = 1; thread <= count; thread++) {
        struct recording_event events[] = {{.clock = START + 10 * thread, .kind = RECORDING_ENTER, .method = LATER},
                                           {.clock = START + 10 * thread + 5000, .kind = RECORDING_LEAVE}};
        define_thread(thread, "pool", START + 10 * thread + 5000);
        write_stream(thread, events, 2);
    }
    finish(2 * (uint64_t)count, 0, count, true);
}

static void make_undecodable(const char *path)
{
    enum { COUNT_AT = 28, SUMMED = BLOCK_HEADER_SIZE - 8, ROOM = 1 << 16 };
    static const uint8_t magic[8] = {0x9e, 'c', 'l', 'e', 'w', '\r', '\n', 0xb1};
    static uint8_t data[ROOM];
    make_calls(path);
    FILE *file = fopen(path, "r+be");
    size_t size = file ? fread(data, 1, sizeof data, file) : 0;
    uint8_t *block = data;
    do {
        block = memmem(block + 1, size - (size_t)(block + 1 - data), magic, sizeof magic);
    } while (block && block[16] != RECORDING_EVENTS);
    if (!block) {
        must(CLEW_DAMAGED);
        return;
    }
    block[COUNT_AT]++;
    uint64_t sum = block_sum(block, SUMMED);
    memcpy(block + SUMMED, &sum, sizeof sum);
    if (fseek(file, 0, SEEK_SET) != 0 || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        must(CLEW_IO);
    }
}

static void make_names(const char *path, uint32_t count)
{
    static char letters[RECORDING_TEXT_MAX];
    memset(letters, 'x', sizeof letters);
    create(path, INSTRUMENT_TREE, CLOCK_KIND_MONOTONIC);
    define();
    for (uint32_t i = 0; i < count; i++) {
        struct recording_method method = {
            .process = 1, .method = 100 + i, .module = 1, .name = {letters, sizeof letters}};
        must(recording_write_method(writer, &method));
    }
    must(recording_close(writer, NULL));
}

static void make_overlap(const char *path, uint32_t threads)
{
    static struct recording_event events[RECORDING_EVENTS_MAX];
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define();
    for (uint32_t i = 0; i < RECORDING_EVENTS_MAX; i++) {
        events[i] = (struct recording_event){
            .clock = START + i, .kind = i % 2 ? RECORDING_LEAVE : RECORDING_ENTER, .method = i % 2 ? 0 : FIB};
    }
    for (uint32_t thread = 1; thread <= threads; thread++) {
        write_stream(thread, events, RECORDING_EVENTS_MAX);
    }
    finish((uint64_t)threads * RECORDING_EVENTS_MAX, 0, threads, true);
}

static void make_example(const char *path)
{
    enum { STEP = 16 };
    static const struct site sites[] = {
        {.kind = SITE_STATEMENT},
        {.kind = SITE_DEFINITION,
         .place = PLACE_LOCAL,
         .encoding = VALUE_I4,
         .il_offset = 1,
         .statement = 1,
         .name = {"x", 1}},
    };
    static const uint32_t cells[] = {5};
    static const struct recording_event events[] = {
        {.clock = START + 100, .kind = RECORDING_ENTER, .method = STEP},
        {.clock = START + 100, .kind = RECORDING_AT_SITE, .site = 1, .cell = 0},
        {.clock = START + 100, .kind = RECORDING_AT_SITE, .site = 2, .cell = 0},
        {.clock = START + 350, .kind = RECORDING_LEAVE},
    };
    struct recording_session session = {.version = text_of("0.1.0"),
                                        .command = text_of("demo"),
                                        .clock = CLOCK_KIND_MONOTONIC,
                                        .clock_hz = 1e9,
                                        .started_clock = START,
                                        .instruments = INSTRUMENT_CALLS | INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES};
    struct recording_method step = {
        .process = 1, .method = STEP, .module = 1, .token = 0x06000001, .name = text_of("Demo.Step()")};
    struct buffer blob = {0};
    sites_encode(&blob, sites, sizeof sites / sizeof *sites);
    must(recording_create(path, &session, &writer));
    must(recording_write_method(writer, &step));
    must(recording_write_sites(
        writer,
        &(struct recording_sites){.process = 1, .method = STEP, .first = 1, .blob = bytes_of(blob.data, blob.size)}));
    must(recording_write_events(writer, &(struct recording_events){.process = 1,
                                                                   .thread = 1,
                                                                   .words = 7,
                                                                   .first_clock = events[0].clock,
                                                                   .last_clock = events[3].clock,
                                                                   .count = sizeof events / sizeof *events,
                                                                   .events = events,
                                                                   .cell_count = 1,
                                                                   .cells = cells}));
    must(recording_close(writer, NULL));
    buffer_free(&blob);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "hostile") == 0) {
        hostile = true;
        argc--;
        argv++;
    }
    if (argc < 3) {
        fprintf(stderr, "make-recording KIND FILE [NUMBER]; see the head of its source\n");
        return 2;
    }
    const char *kind = argv[1], *path = argv[2];
    uint64_t number = argc > 3 ? strtoull(argv[3], NULL, 10) : 1000;
    if (strcmp(kind, "tree") == 0) {
        make_tree(path, CLOCK_KIND_MONOTONIC, true);
    } else if (strcmp(kind, "none") == 0) {
        make_tree(path, CLOCK_KIND_NONE, true);
    } else if (strcmp(kind, "unclosed") == 0) {
        make_tree(path, CLOCK_KIND_MONOTONIC, false);
    } else if (strcmp(kind, "calls") == 0) {
        make_calls(path);
    } else if (strcmp(kind, "sites") == 0) {
        make_sites(path);
    } else if (strcmp(kind, "boxes") == 0) {
        make_boxes(path);
    } else if (strcmp(kind, "big") == 0) {
        make_big(path, number, 6);
    } else if (strcmp(kind, "wide") == 0) {
        make_big(path, number, 30);
    } else if (strcmp(kind, "deep") == 0) {
        make_deep(path, number);
    } else if (strcmp(kind, "deep-tree") == 0) {
        make_deep_tree(path, (uint32_t)number);
    } else if (strcmp(kind, "wide-tree") == 0) {
        make_wide_tree(path, (uint32_t)number);
    } else if (strcmp(kind, "threads") == 0) {
        make_threads(path, (uint32_t)number);
    } else if (strcmp(kind, "lines") == 0) {
        make_lines(path, CLOCK_KIND_TICK, 0);
    } else if (strcmp(kind, "lines-tree") == 0) {
        make_lines(path, CLOCK_KIND_MONOTONIC, INSTRUMENT_TREE);
    } else if (strcmp(kind, "lines-none") == 0) {
        make_lines(path, CLOCK_KIND_NONE, 0);
    } else if (strcmp(kind, "coverage") == 0) {
        make_coverage(path);
    } else if (strcmp(kind, "awaits") == 0) {
        make_awaits(path, MADE_ALL);
    } else if (strcmp(kind, "async-stream") == 0) {
        make_async_stream(path, 5);
    } else if (strcmp(kind, "awaits-unlinked") == 0) {
        make_awaits(path, MADE_WITHOUT_LINKS);
    } else if (strcmp(kind, "throws") == 0) {
        make_throws(path);
    } else if (strcmp(kind, "allocations") == 0) {
        make_allocations(path);
    } else if (strcmp(kind, "cold") == 0) {
        make_cold(path);
    } else if (strcmp(kind, "trees") == 0) {
        make_trees(path);
    } else if (strcmp(kind, "async") == 0) {
        make_async(path);
    } else if (strcmp(kind, "numbers") == 0) {
        make_numbers(path);
    } else if (strcmp(kind, "undecodable") == 0) {
        make_undecodable(path);
    } else if (strcmp(kind, "names") == 0) {
        make_names(path, (uint32_t)number);
    } else if (strcmp(kind, "overlap") == 0) {
        make_overlap(path, (uint32_t)number);
    } else if (strcmp(kind, "empty") == 0) {
        make_empty(path);
    } else if (strcmp(kind, "example") == 0) {
        make_example(path);
    } else {
        fprintf(stderr, "make-recording: unknown kind %s\n", kind);
        return 2;
    }
    struct rusage usage;
    if (number >= 1000000 && getrusage(RUSAGE_SELF, &usage) == 0) {
        printf("peak memory %ld MiB\n", usage.ru_maxrss / 1024);
    }
    return 0;
}
