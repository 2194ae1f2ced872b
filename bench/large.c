// Writes a large recording for the bench `view`: `make-large [--values] EVENTS FILE`. Eight threads run at once, each in 10^5
// paths of 5,000 methods, up to 30 levels deep, an event every 100 ns on average: calls, and with --values statements and
// the values that they give (large_code.h). As the collector does, it writes blocks of 16,384 events, and each thread's call
// tree after its last block.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "large_code.h"
#include "making.h"
#include "recording/writer.h"
#include "trace/instrument.h"

enum {
    THREADS = 8,
    METHODS = 5000,
    METHODS_OF_MODULE = 1000,
    MODULES = METHODS / METHODS_OF_MODULE,
    FIRST_METHOD = 16,
    DEPTH = 30,
    PATHS_OF_LEVEL = 3448,
    PATHS = 1 + DEPTH * PATHS_OF_LEVEL, // with the root, which is no path
    METHODS_OF_DOCUMENT = 20,
    EVENTS_OF_STEP = 4, // at most
    ROUNDS = 4,         // of a method's statements in one activation, at most
    START = 1000000,
};

// A path of calls. The paths of a level follow each other, and those with the same parent, too.
struct path {
    uint32_t parent, method, depth;
    uint32_t first_child, children;
};

struct thread {
    struct recording_event events[RECORDING_EVENTS_WANTED];
    struct recording_node nodes[PATHS];
    uint32_t count, at; // events of the block; the path that runs
    uint64_t position, clock, seed;
    uint64_t started[DEPTH + 1]; // by depth
    uint64_t number[DEPTH + 1];  // of the activation; while its block is not written, counted from the block's first
    bool is_new[DEPTH + 1];      // it began in the block
    uint32_t left[DEPTH + 1];    // statements to come
    uint32_t begun;              // activations, in the block
    uint64_t written;            // events
    struct recording_events opening; // what the block opens with
    uint32_t open[DEPTH];
    uint64_t open_clock[DEPTH], open_number[DEPTH];
    uint32_t cells[RECORDING_EVENTS_WANTED * LARGE_CELLS_MAX], cell_count;
    uint64_t shown; // clock of the newest entry or exit, which statements have, too
    struct large_values values;
};

static struct recording_writer *writer;
static struct path paths[PATHS];
static struct thread threads[THREADS];
static uint64_t seed = 1;
static uint64_t next_number = 1; // of an activation
static bool with_values;

// -- Definitions ------------------------------------------------------------------------------------------------------

static int compare_numbers(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

// Each level's paths have random parents in the level above, some of them many children and some none.
static void make_paths(void)
{
    static uint32_t parents[PATHS_OF_LEVEL];
    uint32_t above = 0, above_count = 1, next = 1;
    for (uint32_t depth = 1; depth <= DEPTH; depth++) {
        for (uint32_t i = 0; i < PATHS_OF_LEVEL; i++) {
            parents[i] = above + below(&seed, 1 + below(&seed, above_count));
        }
        qsort(parents, PATHS_OF_LEVEL, sizeof *parents, compare_numbers);
        for (uint32_t i = 0; i < PATHS_OF_LEVEL; i++) {
            struct path *parent = &paths[parents[i]];
            parent->first_child = parent->children++ ? parent->first_child : next + i;
            paths[next + i] = (struct path){
                .parent = parents[i], .method = FIRST_METHOD + below(&seed, 1 + below(&seed, METHODS)), .depth = depth};
        }
        above = next;
        above_count = PATHS_OF_LEVEL;
        next += PATHS_OF_LEVEL;
    }
}

static void define(void)
{
    char name[96];
    must(recording_write_process(writer, &(struct recording_process){.process = 1,
                                                                     .os_id = 4711,
                                                                     .state = PROCESS_ENDED,
                                                                     .exit_known = RECORDING_EXIT_KNOWN,
                                                                     .command = text_of("dotnet shop.dll"),
                                                                     .started_clock = START}));
    for (uint32_t module = 1; module <= MODULES; module++) {
        (void)snprintf(name, sizeof name, "Shop.Part%u", module);
        must(recording_write_module(writer, &(struct recording_module){.process = 1,
                                                                       .module = module,
                                                                       .flags = MODULE_IN_SCOPE,
                                                                       .name = text_of(name),
                                                                       .path = text_of("/srv/shop/Shop.dll")}));
    }
    for (uint32_t i = 0; i < METHODS; i++) {
        (void)snprintf(name, sizeof name, "Shop.Part%u.Service%u.Method%u(int)", i / METHODS_OF_MODULE + 1, i / 20, i);
        must(recording_write_method(writer, &(struct recording_method){.process = 1,
                                                                       .method = FIRST_METHOD + i,
                                                                       .module = i / METHODS_OF_MODULE + 1,
                                                                       .token = 0x06000001 + i % METHODS_OF_MODULE,
                                                                       .name = text_of(name)}));
    }
    for (uint32_t number = 1; number <= THREADS; number++) {
        must(recording_write_thread(writer, &(struct recording_thread){.process = 1,
                                                                       .thread = number,
                                                                       .os_id = 4711 + number,
                                                                       .name = text_of("worker"),
                                                                       .started_clock = START}));
    }
    if (with_values) {
        large_code_define(writer,
                          &(struct large_methods){FIRST_METHOD, METHODS, METHODS_OF_MODULE, METHODS_OF_DOCUMENT});
    }
}

// -- Events -----------------------------------------------------------------------------------------------------------

// Notes what runs where the thread's next block begins.
static void open_block(struct thread *thread)
{
    thread->count = thread->cell_count = thread->begun = 0;
    for (uint32_t at = thread->at; at > 0; at = paths[at].parent) {
        thread->open[paths[at].depth - 1] = paths[at].method;
        thread->open_clock[paths[at].depth - 1] = thread->started[paths[at].depth];
        thread->open_number[paths[at].depth - 1] = thread->number[paths[at].depth];
    }
    thread->opening = (struct recording_events){.depth = paths[thread->at].depth, .first_clock = thread->clock};
}

// Fixes the numbers of the activations that began in the block.
static void number_activations(struct thread *thread)
{
    for (uint32_t depth = 1; depth <= DEPTH; depth++) {
        thread->number[depth] += thread->is_new[depth] ? next_number : 0;
        thread->is_new[depth] = false;
    }
    next_number += thread->begun;
}

static void flush(uint32_t number)
{
    struct thread *thread = &threads[number];
    struct recording_events block = thread->opening;
    if (thread->count == 0) {
        return;
    }
    block.process = 1;
    block.thread = number + 1;
    block.position = thread->position;
    block.words = thread->count + thread->cell_count;
    block.first_clock = thread->events[0].clock;
    block.last_clock = thread->events[thread->count - 1].clock;
    block.open = thread->open;
    block.open_clock = thread->open_clock;
    block.count = thread->count;
    block.events = thread->events;
    block.first_number = next_number;
    block.open_number = thread->open_number;
    block.cell_count = thread->cell_count;
    block.cells = thread->cells;
    must(recording_write_events(writer, &block));
    thread->position += block.words;
    thread->written += block.count;
    number_activations(thread);
    open_block(thread);
}

static void add(struct thread *thread, enum recording_event_kind kind, uint32_t method)
{
    thread->shown = thread->clock;
    thread->events[thread->count++] = (struct recording_event){.clock = thread->clock, .kind = kind, .method = method};
    thread->clock += 50 + below(&thread->seed, 100);
}

static void add_site(struct thread *thread, uint32_t site, bool has_payload)
{
    uint32_t *cells = &thread->cells[thread->cell_count];
    thread->events[thread->count++] = (struct recording_event){
        .clock = thread->shown, .kind = RECORDING_AT_SITE, .site = site, .cell = thread->cell_count};
    thread->cell_count += has_payload ? large_payload(&thread->values, site, cells) : 0;
    thread->clock += 50 + below(&thread->seed, 100);
}

// A statement of the activation that runs, and what it sets.
static void step(struct thread *thread, uint32_t number)
{
    uint32_t site = large_statement(paths[thread->at].method - FIRST_METHOD, number);
    add_site(thread, site, false);
    add_site(thread, site + 1, true);
}

static void enter(struct thread *thread, uint32_t path)
{
    uint32_t depth = paths[path].depth;
    thread->at = path;
    thread->started[depth] = thread->clock;
    thread->number[depth] = thread->begun++;
    thread->is_new[depth] = true;
    thread->left[depth] = with_values ? LARGE_STATEMENTS * (1 + below(&thread->seed, ROUNDS)) : 0;
    add(thread, RECORDING_ENTER, paths[path].method);
    if (with_values) {
        add_site(thread, large_argument(paths[path].method - FIRST_METHOD, 0), true);
        add_site(thread, large_argument(paths[path].method - FIRST_METHOD, 1), true);
    }
}

static void leave(struct thread *thread)
{
    struct recording_node *node = &thread->nodes[thread->at];
    if (with_values) {
        step(thread, LARGE_STATEMENTS);
    }
    uint64_t time = thread->clock - thread->started[paths[thread->at].depth];
    node->calls++;
    node->total += time;
    node->shortest = time < node->shortest ? time : node->shortest;
    node->longest = time > node->longest ? time : node->longest;
    thread->is_new[paths[thread->at].depth] = false;
    thread->at = paths[thread->at].parent;
    add(thread, RECORDING_LEAVE, 0);
}

// With values, an activation runs all of its statements, and some of them call.
static bool calls_next(struct thread *thread, const struct path *path)
{
    uint32_t one_of = with_values ? 2 * LARGE_STATEMENTS : 2;
    return path->depth == 0 || (path->children > 0 && below(&thread->seed, one_of) == 0);
}

// Adds one block of random calls and statements.
static void run(uint32_t number)
{
    struct thread *thread = &threads[number];
    while (thread->count + EVENTS_OF_STEP <= RECORDING_EVENTS_WANTED) {
        const struct path *path = &paths[thread->at];
        if (calls_next(thread, path)) {
            enter(thread, path->first_child + below(&thread->seed, path->children));
        } else if (thread->left[path->depth] > 0) {
            step(thread, LARGE_STATEMENTS - 1 - --thread->left[path->depth] % LARGE_STATEMENTS);
        } else {
            leave(thread);
        }
    }
    flush(number);
}

static void finish(uint32_t number)
{
    struct thread *thread = &threads[number];
    while (thread->at > 0) {
        leave(thread);
        if (thread->count + EVENTS_OF_STEP > RECORDING_EVENTS_WANTED) {
            flush(number);
        }
    }
    flush(number);
    must(recording_write_tree(writer, &(struct recording_tree){.process = 1,
                                                               .thread = number + 1,
                                                               .clock = thread->clock,
                                                               .final = true,
                                                               .of_stream = true,
                                                               .position = thread->position,
                                                               .count = PATHS,
                                                               .nodes = thread->nodes}));
}

static void begin(uint32_t number)
{
    struct thread *thread = &threads[number];
    thread->clock = START;
    thread->seed = thread->values.seed = number + 1;
    for (uint32_t i = 0; i < PATHS; i++) {
        thread->nodes[i] =
            (struct recording_node){.parent = paths[i].parent, .method = paths[i].method, .shortest = UINT64_MAX};
    }
    open_block(thread);
}

int main(int count, char **words)
{
    with_values = count == 4 && strcmp(words[1], "--values") == 0;
    words += with_values;
    count -= with_values;
    uint64_t wanted = count == 3 ? strtoull(words[1], NULL, 10) : 0, written = 0, last = 0;
    if (wanted == 0) {
        fprintf(stderr, "usage: make-large [--values] EVENTS FILE\n");
        return 2;
    }
    const uint32_t values = with_values ? INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES : 0;
    const struct recording_session session = {.version = text_of("bench"),
                                              .command = text_of("dotnet shop.dll"),
                                              .folder = text_of("/srv/shop"),
                                              .host = text_of("bench"),
                                              .scope = text_of(""),
                                              .clock = CLOCK_KIND_MONOTONIC,
                                              .clock_hz = 1e9,
                                              .started_clock = START,
                                              .instruments = INSTRUMENT_CALLS | values};
    must(recording_create(words[2], &session, &writer));
    make_paths();
    define();
    for (uint32_t i = 0; i < THREADS; i++) {
        begin(i);
    }
    for (uint64_t blocks = 0; blocks * RECORDING_EVENTS_WANTED < wanted; blocks++) {
        run(blocks % THREADS);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        finish(i);
        written += threads[i].written;
        last = threads[i].clock > last ? threads[i].clock : last;
    }
    const struct recording_end end = {
        .ended_clock = last, .events = written, .processes = 1, .threads = THREADS, .complete = true};
    must(recording_close(writer, &end));
    return 0;
}
