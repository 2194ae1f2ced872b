// A small recording with async methods. Include it after made_recording.h. Main calls ServeAsync three times, which awaits
// LoadAsync, which reads twice: runs are continued on thread 2, where each LoadAsync that completes resumes its ServeAsync.
#ifndef CLEW_TEST_MADE_AWAITS_H
#define CLEW_TEST_MADE_AWAITS_H

#include "trace/await.h"

#include "put_events.h"

// Methods: the kick-off and the body of each async one, and a plain one.
enum { SERVE = LATER + 1, SERVE_BODY, LOAD, LOAD_BODY, PARSE };
// Paths: of each activation, and of each of its places of await.
enum { MAIN_PATH = PATH_FIRST, SERVE_PATH, SERVE_WAITS, LOAD_PATH, LOAD_WAITS, LOAD_WAITS_AGAIN };

// What a made recording of async methods has besides its definitions.
enum made_awaits { MADE_ALL, MADE_WITHOUT_LINKS, MADE_WITHOUT_RUNS, MADE_WITH_STREAM };

// Defines the async method that is compiled to `body`, with its places of await and their lines.
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

// Defines the methods of these recordings. `links`: with the paths and places of await that link runs to their callers.
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

// The latencies of the runs that write_thread() writes: six buckets and how many activations each has.
static const struct recording_latency made_latencies[] = {
    {71, 1}, {75, 1}, // 1,920 to 2,047 and 2,816 to 3,071 ns
    {75, 1}, {79, 1}, // 3,840 to 4,095
    {62, 1}, {26, 1}, // 896 to 959; 40 to 43
};

// Writes the final tree of a thread, and figures of its runs if there are any.
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

// How many activations completed, and the sum, the shortest and the longest of their latencies.
#define RUN_ENDED(count_, latency_, shortest_, longest_) \
    .completed = (count_), .latency = (latency_), .latency_shortest = (shortest_), .latency_longest = (longest_)

// A recording of call trees, with or without what `how` says.
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

// Thread 1 of these streams: Main calls ServeAsync (65), which calls LoadAsync (64), and both begin to wait. `numbered`: events
// say which wait of the activation they mean.
static inline void put_first_waits(bool numbered)
{
    put_enter(100, MAIN);
    put_enter(200, SERVE);
    put_enter(210, SERVE_BODY);
    put_enter(300, LOAD);
    put_enter(310, LOAD_BODY);
    put_suspend(400, 64, numbered, 0);
    put_leave(410);
    put_leave(420);
    put_suspend(430, 65, numbered, 0);
    put_leave(440);
    put_leave(450);
    put_leave(9000);
}

// Another thread continues LoadAsync, which calls Parse and waits once more.
static inline void put_second_wait(bool numbered)
{
    put_resume(1000, LOAD_BODY, 64, numbered, 400);
    put_enter(1010, PARSE);
    put_leave(1020);
    put_suspend(1100, 64, numbered ? 2 : 0, 1);
    put_leave(1110);
}

// LoadAsync is cancelled, which resumes ServeAsync, which ends as `how` says. The thread has left neither.
static inline void put_ends(bool numbered, enum run_end how)
{
    put_resume(2000, LOAD_BODY, 64, numbered ? 2 : 0, 1100);
    put_complete(2100, 64, RUN_CANCELLED);
    put_resume(2110, SERVE_BODY, 65, numbered, 430);
    put_complete(2200, 65, how);
}

// Waits of which the stream does not say everything.
static inline void put_incomplete_waits(void)
{
    put_resume(3000, LOAD_BODY, 70, 0, 2950); // the activation began before the recording
    put_suspend(3100, 0, 0, 1);
    put_leave(3110);
    put_resume(4000, LOAD_BODY, 0, 0, 4000); // not linked to its activation
    put_complete(4100, 71, RUN_COMPLETED);
    put_leave(4200);
    put_enter(5000, LOAD_BODY);
    put_suspend(5100, 72, 1, 0);
    put_leave(5110);
    put_lost(5200, 4); // among them the end of that wait and the beginning of another
    put_resume(6000, LOAD_BODY, 72, 2, 5700);
    put_suspend(6050, 72, 3, 7);
    put_leave(6100);
}

// A recording of streams alone: both activations wait on thread 1 and end on thread 2, where ServeAsync fails. Blocks have
// `size` events.
static inline void make_async_stream(const char *path, uint32_t size)
{
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define();
    define_async_methods(true);
    put_first_waits(false);
    put_write(1, 1, size);
    put_second_wait(false);
    put_ends(false, RUN_FAULTED);
    put_leave(2210);
    put_enter(2220, PARSE);
    put_leave(2230);
    put_leave(2300);
    put_incomplete_waits();
    put_write(2, 6, size);
    finish(44, 4, 2, true);
}

#endif
