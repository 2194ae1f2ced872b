// A small recording with async methods. Include it after made_recording.h. Main calls ServeAsync three times, which awaits
// LoadAsync, which reads twice: runs are continued on thread 2, where each LoadAsync that completes resumes its ServeAsync.
#ifndef CLEW_TEST_MADE_AWAITS_H
#define CLEW_TEST_MADE_AWAITS_H

#include "trace/await.h"

enum { SERVE = LATER + 1, SERVE_BODY, LOAD, LOAD_BODY, PARSE };
enum { MAIN_PATH = PATH_FIRST, SERVE_PATH, SERVE_WAITS, LOAD_PATH, LOAD_WAITS, LOAD_WAITS_AGAIN };

// What a made recording of async methods has besides its definitions.
enum made_awaits { MADE_ALL, MADE_WITHOUT_LINKS, MADE_WITHOUT_RUNS, MADE_WITH_STREAM };

static inline void define_body(uint32_t body, uint32_t kickoff, const struct await *awaits,
                               const struct await_line *lines, uint32_t count)
{
    struct buffer encoded = {0}, encoded_lines = {0};
    for (uint32_t i = 0; i < count; i++) {
        await_encode(&encoded, &awaits[i]);
        await_line_encode(&encoded_lines, lines[i]);
    }
    must(recording_write_async(writer,
                               &(struct recording_async){.process = 1,
                                                         .body = body,
                                                         .kickoff = kickoff,
                                                         .awaits = bytes_of(encoded.data, encoded.size),
                                                         .lines = bytes_of(encoded_lines.data, encoded_lines.size)}));
    buffer_free(&encoded);
    buffer_free(&encoded_lines);
}

static inline void define_async_methods(bool links)
{
    static const struct recording_path paths[] = {{PATH_ROOT, MAIN},        {MAIN_PATH, SERVE_BODY},
                                                  {SERVE_PATH, PATH_AWAIT}, {SERVE_PATH, LOAD_BODY},
                                                  {LOAD_PATH, PATH_AWAIT},  {LOAD_PATH, PATH_AWAIT | 1}};
    const struct await serve_awaits[] = {{0, 40, text_of("Repo.LoadAsync")}};
    const struct await load_awaits[] = {{0, 20, text_of("stream.ReadAsync")}, {1, 60, {"", 0}}};
    static const struct await_line serve_lines[] = {{1, 14}}, load_lines[] = {{1, 41}, {1, 43}};
    define_method(SERVE, 1, METHOD_KIND_PLAIN, "Shop.Server.ServeAsync(int)");
    define_method(SERVE_BODY, 1, METHOD_KIND_ASYNC, "Shop.Server.ServeAsync(int) (async)");
    define_method(LOAD, 1, METHOD_KIND_PLAIN, "Shop.Repo.LoadAsync(string)");
    define_method(LOAD_BODY, 1, METHOD_KIND_ASYNC, "Shop.Repo.LoadAsync(string) (async)");
    define_method(PARSE, 1, METHOD_KIND_PLAIN, "Shop.Repo.Parse(string)");
    if (links) {
        define_body(SERVE_BODY, SERVE, serve_awaits, serve_lines, 1);
        define_body(LOAD_BODY, LOAD, load_awaits, load_lines, 2);
        must(recording_write_paths(
            writer, &(struct recording_paths){.process = 1, .first = PATH_FIRST, .count = 6, .paths = paths}));
    }
    must(recording_write_document(
        writer,
        &(struct recording_document){.process = 1, .module = 1, .document = 1, .path = text_of("/src/shop/Repo.cs")}));
}

static const struct recording_latency made_latencies[] = {
    {71, 1}, {75, 1}, // 1,920 to 2,047 and 2,816 to 3,071 ns
    {75, 1}, {79, 1}, // 3,840 to 4,095
    {62, 1}, {26, 1}, // 896 to 959; 40 to 43
};

static inline void write_thread(uint32_t thread, const struct recording_node *nodes, uint32_t count,
                                const struct recording_run *runs, uint32_t run_count)
{
    must(recording_write_tree(
        writer,
        &(struct recording_tree){
            .process = 1, .thread = thread, .clock = START + 10000, .final = true, .count = count, .nodes = nodes}));
    if (run_count > 0) {
        must(recording_write_runs(writer, &(struct recording_runs){.process = 1,
                                                                   .thread = thread,
                                                                   .clock = START + 10000,
                                                                   .count = run_count,
                                                                   .runs = runs,
                                                                   .latency_count = 6,
                                                                   .latencies = made_latencies}));
    }
}

#define RUN_ENDED(count_, latency_, shortest_, longest_) \
    .completed = (count_), .latency = (latency_), .latency_shortest = (shortest_), .latency_longest = (longest_)

static inline void make_awaits(const char *path, enum made_awaits how)
{
    static const struct recording_event main_enters[] = {
        {.clock = START + 100, .kind = RECORDING_ENTER, .method = MAIN}};
    const struct recording_node main_nodes[] = {
        node(0, 0, 0, 0, UINT64_MAX, 0),          node(0, MAIN, 1, 9000, 9000, 9000),
        node(1, SERVE, 3, 600, 100, 300),         node(2, SERVE_BODY, 3, 500, 90, 250),
        node(3, LOAD, 3, 300, 80, 120),           node(4, LOAD_BODY, 3, 250, 70, 100),
        node(3, METHOD_AFTER_WAIT, 3, 30, 5, 20),
    };
    const struct recording_node worker_nodes[] = {
        node(0, 0, 0, 0, UINT64_MAX, 0),
        node(0, METHOD_RESUMED | LOAD_WAITS, 3, 1000, 200, 500),
        node(1, PARSE, 3, 400, 100, 200),
        node(1, METHOD_AFTER_END, 2, 500, 200, 300),
        node(3, METHOD_RESUMED | SERVE_WAITS, 2, 450, 200, 250),
        node(0, METHOD_RESUMED | LOAD_WAITS_AGAIN, 1, 200, 200, 200),
        node(0, LOAD_BODY, 1, 40, 40, 40), // who called it is not known
    };
    const struct recording_node unlinked[] = {
        // as recorded without links
        node(0, 0, 0, 0, UINT64_MAX, 0),
        node(0, LOAD_BODY, 5, 1240, 40, 500),
        node(1, PARSE, 3, 400, 100, 200),
        node(1, SERVE_BODY, 2, 450, 200, 250),
    };
    const struct recording_run runs[] = {
        {.node = 1, .latency_count = 2, RUN_ENDED(2, 5000, 2000, 3000), .awaiting = 4000, .own_awaiting = 4000},
        {.node = 4,
         .latency_count = 2,
         .first_latency = 2,
         RUN_ENDED(1, 7000, 3000, 4000),
         .faulted = 1,
         .awaiting = 4500,
         .own_awaiting = 100},
        {.node = 5,
         .latency_count = 1,
         .first_latency = 4,
         RUN_ENDED(0, 900, 900, 900),
         .cancelled = 1,
         .awaiting = 600,
         .own_awaiting = 600},
        {.node = 6, .latency_count = 1, .first_latency = 5, RUN_ENDED(1, 40, 40, 40)},
    };
    create(path, INSTRUMENT_TREE, CLOCK_KIND_MONOTONIC);
    define();
    define_async_methods(how != MADE_WITHOUT_LINKS);
    if (how == MADE_WITHOUT_LINKS) {
        write_thread(1, main_nodes, 6, NULL, 0);
        write_thread(2, unlinked, 4, NULL, 0);
    } else {
        write_thread(1, main_nodes, 7, NULL, 0);
        write_thread(2, worker_nodes, 7, runs, how == MADE_WITHOUT_RUNS ? 0 : 4);
    }
    if (how == MADE_WITH_STREAM) {
        define_thread(3, "late", 0);
        write_stream(3, main_enters, 1);
    }
    finish(46, 0, 2, true);
}

// -- With a stream ----------------------------------------------------------------------------------------------------

// An event of an async activation; its number is the next of the block's `stacks`.
#define ASYNC(at, what, serial_) ASYNC_WAIT(at, what, serial_, 0)
// The same of wait number `wait_`.
#define ASYNC_WAIT(at, what, serial_, wait_)                                                  \
    {                                                                                         \
        .clock = START + (at), .kind = RECORDING_##what, .wait = (wait_), .serial = (serial_) \
    }

// Writes the events in blocks of so many. Activations have numbers from `number` on.
static inline void write_async_stream(uint32_t thread, uint64_t number, uint32_t size,
                                      const struct recording_event *events, uint32_t count, const uint32_t *stacks)
{
    uint32_t open[8] = {0};
    uint64_t clocks[8] = {0}, numbers[8] = {0}, serials[8] = {0};
    uint32_t depth = 0;
    for (uint32_t from = 0; from < count; from += size) {
        uint32_t left = count - from < size ? count - from : size, stated = 0;
        struct recording_events block = block_of(thread, events + from, left);
        for (uint32_t i = 0; i < left; i++) {
            stated += recording_stated(&events[from + i]);
        }
        block.async = true;
        block.depth = depth;
        block.open = open;
        block.open_clock = clocks;
        block.open_number = numbers;
        block.open_serial = serials;
        block.first_number = number;
        block.stacks = stacks;
        block.stack_count = stated;
        must(recording_write_events(writer, &block));
        stacks += stated;
        for (uint32_t i = 0; i < left; i++) {
            const struct recording_event *event = &events[from + i];
            if (event->kind == RECORDING_ENTER) {
                open[depth] = event->method;
                clocks[depth] = event->clock;
                numbers[depth] = number++;
                serials[depth++] = 0;
            } else if (recording_is_async(event->kind)) {
                serials[depth - 1] = recording_begins_run(event->kind) ? event->serial : 0;
            }
            depth -= event->kind == RECORDING_LEAVE;
        }
    }
}

// Thread 1 calls ServeAsync, which calls LoadAsync; both wait and are continued on thread 2, where LoadAsync waits once more, is
// cancelled, and resumes ServeAsync, which fails. Then follow waits of which something is not known. Blocks have `size` events.
static inline void make_async_stream(const char *path, uint32_t size)
{
    static const struct recording_event main_runs[] = {
        E(100, MAIN),
        E(200, SERVE),
        E(210, SERVE_BODY),
        E(300, LOAD),
        E(310, LOAD_BODY),
        ASYNC(400, SUSPEND, 64),
        L(410),
        L(420),
        ASYNC(430, SUSPEND, 65),
        L(440),
        L(450),
        L(9000),
    };
    static const uint32_t main_numbers[] = {0, 0, 0, 0};
    static const struct recording_event worker_runs[] = {
        E(1000, LOAD_BODY),
        ASYNC(1000, RESUME, 64),
        E(1010, PARSE),
        L(1020),
        ASYNC(1100, SUSPEND, 64),
        L(1110),
        E(2000, LOAD_BODY),
        ASYNC(2000, RESUME, 64),
        ASYNC(2100, COMPLETE, 64),
        E(2110, SERVE_BODY),
        ASYNC(2110, RESUME, 65),
        ASYNC(2200, COMPLETE, 65),
        L(2210),
        E(2220, PARSE),
        L(2230),
        L(2300),
        E(3000, LOAD_BODY),
        ASYNC(3000, RESUME, 70),
        ASYNC(3100, SUSPEND, 0),
        L(3110), // begun before
        E(4000, LOAD_BODY),
        ASYNC(4000, RESUME, 0),
        ASYNC(4100, COMPLETE, 71),
        L(4200), // not linked
        E(5000, LOAD_BODY),
        ASYNC_WAIT(5100, SUSPEND, 72, 1),
        L(5110), // and waited again in what is lost
        {.clock = START + 5200, .kind = RECORDING_LOST, .lost = 4},
        E(6000, LOAD_BODY),
        ASYNC_WAIT(6000, RESUME, 72, 2),
        ASYNC_WAIT(6050, SUSPEND, 72, 3),
        L(6100),
    };
    static const uint32_t worker_numbers[] = {600, 0, 1, 0, 900, 0, RUN_CANCELLED, 0, 1680, 0, RUN_FAULTED, 0,
                                              50,  0, 1, 0, 0,   0, RUN_COMPLETED, 0, 0,    0, 300,         0,
                                              7,   0};
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define();
    define_async_methods(true);
    write_async_stream(1, 1, size, main_runs, sizeof main_runs / sizeof *main_runs, main_numbers);
    write_async_stream(2, 6, size, worker_runs, sizeof worker_runs / sizeof *worker_runs, worker_numbers);
    finish(44, 4, 2, true);
}

#endif
