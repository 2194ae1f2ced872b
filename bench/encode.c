// Measures recorded calls in the file: encodes and decodes the streams of a synthetic program, and prints ns and bytes per
// event, one line each. `encode [EVENTS] [FILE]`
//
// The program is a random but fixed tree of methods. Each method has a body of calls, loops and conditions, and its own
// duration, so the stream repeats itself as those of real programs do. Clocks are like a TSC: a duration and some noise.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "recording/reader.h"
#include "recording/writer.h"

enum { METHODS = 600, CALLS_MAX = 6, FIRST_METHOD = 16, DEPTH_MAX = 200 };

struct method {
    uint32_t callees[CALLS_MAX];
    uint32_t loops[CALLS_MAX]; // how often the call is made; 0: only sometimes
    uint32_t calls;
    uint32_t cost;
};

struct program {
    struct method methods[METHODS];
    uint64_t seed;
    uint64_t clock, left, position;
    uint32_t depth;
    uint32_t open[DEPTH_MAX];
    uint64_t open_clock[DEPTH_MAX];
    struct recording_event *events;
    uint32_t count;
    struct recording_events block;
    struct recording_writer *writer;
    uint64_t written;
    uint64_t encode_ns;
};

static uint64_t next_random(struct program *program)
{
    program->seed = program->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return program->seed >> 33;
}

static void stop(const char *what, enum clew_error error)
{
    fprintf(stderr, "%s: %s\n", what, clew_error_sentence(error));
    exit(1);
}

static void begin_block(struct program *program)
{
    program->block.depth = program->depth;
    program->block.first_clock = program->clock;
    memcpy((void *)program->block.open, program->open, program->depth * sizeof *program->open);
    memcpy((void *)program->block.open_clock, program->open_clock, program->depth * sizeof *program->open_clock);
    program->count = 0;
}

static void end_block(struct program *program)
{
    struct recording_events *block = &program->block;
    block->count = program->count;
    block->events = program->events;
    block->last_clock = program->clock;
    block->position = program->position;
    block->words = program->count;
    program->position += program->count;
    program->written += program->count;
    uint64_t before = clock_monotonic_ns();
    enum clew_error error = recording_write_events(program->writer, block);
    program->encode_ns += clock_monotonic_ns() - before;
    if (error != CLEW_OK) {
        stop("writing", error);
    }
    begin_block(program);
}

static void add_event(struct program *program, enum recording_event_kind kind, uint32_t method)
{
    program->events[program->count++] =
        (struct recording_event){.clock = program->clock, .kind = kind, .method = method};
    program->left--;
    if (program->count == RECORDING_EVENTS_WANTED) {
        end_block(program);
    }
}

// Like a processor's counter: the duration, off by a step of 2 at most, and rarely a cache miss or an interrupt.
static void pass_time(struct program *program, uint32_t cost)
{
    uint64_t noise = next_random(program);
    uint64_t ticks = cost + (noise & 3) + (noise % 61 == 0 ? noise % 400 : 0) + (noise % 4999 == 0 ? noise % 90000 : 0);
    program->clock += ticks & ~UINT64_C(1);
}

static void run(struct program *program, uint32_t number)
{
    const struct method *method = &program->methods[number];
    if (program->depth == DEPTH_MAX || program->left < DEPTH_MAX) {
        return;
    }
    add_event(program, RECORDING_ENTER, FIRST_METHOD + number);
    program->open[program->depth] = FIRST_METHOD + number;
    program->open_clock[program->depth++] = program->clock;
    for (uint32_t i = 0; i < method->calls; i++) {
        uint32_t times = method->loops[i] ? method->loops[i] : next_random(program) % 8 == 0;
        for (uint32_t k = 0; k < times; k++) {
            pass_time(program, method->cost);
            run(program, method->callees[i]);
        }
    }
    pass_time(program, method->cost);
    program->depth--;
    add_event(program, RECORDING_LEAVE, 0);
}

static void make_program(struct program *program)
{
    program->seed = 42;
    for (uint32_t i = 0; i < METHODS; i++) {
        struct method *method = &program->methods[i];
        method->cost = 24 + (uint32_t)(next_random(program) % 80);
        method->calls = i > METHODS / 2 ? 0 : (uint32_t)(next_random(program) % (CALLS_MAX + 1));
        for (uint32_t k = 0; k < method->calls; k++) {
            method->callees[k] = i + 1 + (uint32_t)(next_random(program) % (METHODS - i - 1));
            method->loops[k] = (uint32_t)(next_random(program) % 4);
        }
    }
    program->methods[0].calls = CALLS_MAX;
}

static void write_stream(struct program *program, const char *path, uint64_t events)
{
    struct recording_session session = {.version = text_of("bench"), .clock = CLOCK_KIND_TSC, .clock_hz = 2e9};
    enum clew_error error = recording_create(path, &session, &program->writer);
    if (error != CLEW_OK) {
        stop(path, error);
    }
    program->events = malloc(RECORDING_EVENTS_WANTED * sizeof *program->events);
    program->block = (struct recording_events){.process = 1, .thread = 1};
    program->block.open = malloc(sizeof program->open);
    program->block.open_clock = malloc(sizeof program->open_clock);
    program->clock = UINT64_C(1) << 50;
    program->left = events;
    begin_block(program);
    while (program->left > DEPTH_MAX * 2) {
        run(program, (uint32_t)(next_random(program) % 16));
    }
    end_block(program);
    struct recording_end end = {.ended_clock = program->clock, .events = program->written, .complete = true};
    error = recording_close(program->writer, &end);
    if (error != CLEW_OK) {
        stop(path, error);
    }
}

static uint64_t read_stream(const char *path, uint64_t *bytes, uint64_t *calls)
{
    struct recording_reader *reader;
    struct recording_record record;
    uint64_t events = 0;
    enum clew_error error = recording_open_reader(path, &reader);
    if (error != CLEW_OK) {
        stop(path, error);
    }
    while (recording_next(reader, 1u << RECORDING_EVENTS, &record) == CLEW_OK) {
        events += record.events.count;
        for (uint32_t i = 0; i < record.events.count; i++) {
            *calls += record.events.events[i].kind == RECORDING_ENTER;
        }
    }
    *bytes = recording_file_size(recording_of(reader));
    recording_close_reader(reader);
    return events;
}

int main(int count, char **arguments)
{
    uint64_t events = count > 1 ? strtoull(arguments[1], NULL, 10) : 20000000;
    const char *path = count > 2 ? arguments[2] : "/tmp/clew-bench-encode.clew";
    struct program *program = calloc(1, sizeof *program);
    uint64_t bytes, calls = 0;
    if (!program) {
        stop("starting", CLEW_NO_MEMORY);
    }
    make_program(program);
    write_stream(program, path, events);
    uint64_t before = clock_monotonic_ns();
    uint64_t got = read_stream(path, &bytes, &calls);
    uint64_t decode_ns = clock_monotonic_ns() - before;
    if (got != program->written) {
        stop("reading back", CLEW_DAMAGED);
    }
    printf("encode %.2f ns/event\n", (double)program->encode_ns / (double)got);
    printf("size %.3f B/event\n", (double)bytes / (double)got);
    printf("decode %.2f ns/event\n", (double)decode_ns / (double)got);
    printf("events %lu, calls %lu\n", got, calls);
    unlink(path);
    free((void *)program->block.open);
    free((void *)program->block.open_clock);
    free(program->events);
    free(program);
    return 0;
}
