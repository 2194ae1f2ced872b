// Writes a large recording for the bench `window`: `make-window EVENTS FILE`. A server of 200 threads on 8 processors, of
// which each thread gets 3 ms at a time, calls 10,000 methods of 10 sites each: five statements, four numbers and an
// object, of a million objects. As by the collector, a block has up to 16,384 events and at most 100 ms.
#include <stdio.h>
#include <stdlib.h>

#include "making.h"
#include "recording/writer.h"
#include "trace/instrument.h"
#include "trace/site.h"

enum {
    THREADS = 200,
    PROCESSORS = 8,
    METHODS = 10000,
    METHODS_OF_DOCUMENT = 100,
    SITES_OF_METHOD = 10,
    FIRST_METHOD = 16,
    OBJECTS = 1000000,
    OBJECTS_OF_BLOCK = 4096,
    DEPTH = 20,                           // activations below those that come and go
    EVENTS_OF_CALL = SITES_OF_METHOD + 2, // entry, sites, exit
    CELLS_OF_CALL = SITES_OF_METHOD / 2,  // a cell for each value
    STEP = 400,                           // ns from event to event
    SLICE = 3 * 1000 * 1000,              // ns
    LONGEST = 100 * 1000 * 1000,          // ns that an event waits for its block
    START = 1000000,
};

struct thread {
    struct recording_event events[RECORDING_EVENTS_WANTED];
    uint32_t cells[RECORDING_EVENTS_WANTED];
    uint32_t count, cell_count;
    bool begun;
    uint64_t position, clock;
};

static struct recording_writer *writer;
static struct thread threads[THREADS];
static uint32_t open_methods[DEPTH];
static uint64_t open_clocks[DEPTH];
static uint64_t seed = 1;

// -- Definitions ------------------------------------------------------------------------------------------------------

static void define_type(struct type type)
{
    struct buffer blob = {0};
    type_encode(&blob, &type);
    must(recording_write_type(writer, &(struct recording_value_type){
                                          .process = 1, .type = type.number, .blob = bytes_of(blob.data, blob.size)}));
    buffer_free(&blob);
}

// Its sites: a statement, then the value that it gives, five times. The last value is an object.
static void define_method(uint32_t number)
{
    char name[64], variables[SITES_OF_METHOD][16];
    struct site sites[SITES_OF_METHOD];
    struct buffer blob = {0};
    uint32_t first = number * SITES_OF_METHOD + 1, line = number % METHODS_OF_DOCUMENT * 8 + 3;
    (void)snprintf(name, sizeof name, "Shop.Service%u.Method%u(int)", number / 20, number);
    must(recording_write_method(writer, &(struct recording_method){.process = 1,
                                                                   .method = FIRST_METHOD + number,
                                                                   .module = 1,
                                                                   .token = 0x06000001 + number,
                                                                   .name = text_of(name)}));
    for (uint32_t i = 0; i < SITES_OF_METHOD; i += 2, line++) {
        bool object = i == SITES_OF_METHOD - 2;
        (void)snprintf(variables[i], sizeof variables[i], "value%u", i / 2);
        sites[i] = (struct site){.il_offset = i * 8,
                                 .document = number / METHODS_OF_DOCUMENT + 1,
                                 .start_line = line,
                                 .start_column = 9,
                                 .end_line = line,
                                 .end_column = 40};
        sites[i + 1] = (struct site){.kind = SITE_DEFINITION,
                                     .place = PLACE_LOCAL,
                                     .encoding = object ? VALUE_OBJECT : VALUE_I4,
                                     .il_offset = i * 8 + 7,
                                     .index = i / 2,
                                     .type = object ? 2 : 1,
                                     .statement = first + i,
                                     .name = text_of(variables[i])};
    }
    sites_encode(&blob, sites, SITES_OF_METHOD);
    must(recording_write_sites(writer, &(struct recording_sites){.process = 1,
                                                                 .method = FIRST_METHOD + number,
                                                                 .first = first,
                                                                 .blob = bytes_of(blob.data, blob.size)}));
    buffer_free(&blob);
}

static void define_document(uint32_t number)
{
    char path[64];
    struct buffer text = {0};
    (void)snprintf(path, sizeof path, "/srv/shop/Part%u.cs", number);
    must(recording_write_document(
        writer, &(struct recording_document){.process = 1, .module = 1, .document = number, .path = text_of(path)}));
    for (uint32_t line = 1; line <= METHODS_OF_DOCUMENT * 8 + 3; line++) {
        buffer_printf(&text, "        value%u = Compute(%u, %u);\n", line % 5, number, line);
    }
    must(recording_write_source(writer, &(struct recording_source){.of = {1, 1, number},
                                                                   .state = SOURCE_VERIFIED,
                                                                   .text = {(char *)text.data, text.size}}));
    buffer_free(&text);
}

static void define_objects(void)
{
    static struct recording_object objects[OBJECTS_OF_BLOCK];
    for (uint32_t number = 1; number <= OBJECTS;) {
        uint32_t count = 0;
        for (; count < OBJECTS_OF_BLOCK && number <= OBJECTS; count++, number++) {
            objects[count] = (struct recording_object){.object = number, .type = 2, .size = 32 + number % 64};
        }
        must(recording_write_objects(writer,
                                     &(struct recording_objects){.process = 1, .count = count, .objects = objects}));
    }
}

static void define(void)
{
    must(recording_write_process(writer, &(struct recording_process){.process = 1,
                                                                     .os_id = 4711,
                                                                     .state = PROCESS_ENDED,
                                                                     .exit_known = RECORDING_EXIT_KNOWN,
                                                                     .command = text_of("dotnet shop.dll"),
                                                                     .started_clock = START}));
    must(recording_write_module(writer, &(struct recording_module){.process = 1,
                                                                   .module = 1,
                                                                   .flags = MODULE_IN_SCOPE,
                                                                   .name = text_of("shop"),
                                                                   .path = text_of("/srv/shop/shop.dll")}));
    define_type((struct type){
        .number = 1, .kind = TYPE_PRIMITIVE, .encoding = VALUE_I4, .size = 4, .name = text_of("System.Int32")});
    define_type(
        (struct type){.number = 2, .kind = TYPE_CLASS, .encoding = VALUE_OBJECT, .name = text_of("Shop.Order")});
    for (uint32_t number = 1; number <= METHODS / METHODS_OF_DOCUMENT; number++) {
        define_document(number);
    }
    for (uint32_t number = 0; number < METHODS; number++) {
        define_method(number);
    }
    for (uint32_t number = 1; number <= THREADS; number++) {
        must(recording_write_thread(writer, &(struct recording_thread){.process = 1,
                                                                       .thread = number,
                                                                       .os_id = 4711 + number,
                                                                       .name = text_of("worker"),
                                                                       .started_clock = START}));
    }
    define_objects();
}

// -- Events -----------------------------------------------------------------------------------------------------------

static void flush(uint32_t number)
{
    struct thread *thread = &threads[number];
    if (thread->count == 0) {
        return;
    }
    const struct recording_events block = {.process = 1,
                                           .thread = number + 1,
                                           .position = thread->position,
                                           .words = 2 * thread->count,
                                           .first_clock = thread->events[0].clock,
                                           .last_clock = thread->events[thread->count - 1].clock,
                                           .depth = thread->position ? DEPTH : 0,
                                           .open = open_methods,
                                           .open_clock = open_clocks,
                                           .count = thread->count,
                                           .events = thread->events,
                                           .cell_count = thread->cell_count,
                                           .cells = thread->cells};
    must(recording_write_events(writer, &block));
    thread->position += block.words;
    thread->count = thread->cell_count = 0;
}

static void add(struct thread *thread, enum recording_event_kind kind, uint32_t number)
{
    uint64_t cell = kind == RECORDING_AT_SITE ? thread->cell_count : 0;
    thread->events[thread->count++] =
        (struct recording_event){.clock = thread->clock, .kind = kind, .site = number, .cell = cell};
    thread->clock += kind == RECORDING_AT_SITE ? 0 : 5 * STEP + below(&seed, 2 * STEP);
}

static void begin(struct thread *thread)
{
    for (uint32_t i = 0; i < DEPTH && !thread->begun; i++) {
        thread->events[thread->count++] =
            (struct recording_event){.clock = START, .kind = RECORDING_ENTER, .method = open_methods[i]};
    }
    thread->begun = true;
}

// Code runs in few of its methods most of the time.
static void call(struct thread *thread)
{
    uint32_t method = below(&seed, 8) ? below(&seed, METHODS / 100) : below(&seed, METHODS);
    add(thread, RECORDING_ENTER, FIRST_METHOD + method);
    for (uint32_t i = 0; i < SITES_OF_METHOD; i++) {
        add(thread, RECORDING_AT_SITE, method * SITES_OF_METHOD + 1 + i);
        if (i % 2) {
            bool object = i == SITES_OF_METHOD - 1;
            thread->cells[thread->cell_count++] = object ? 1 + below(&seed, OBJECTS) : method + below(&seed, 100);
        }
    }
    add(thread, RECORDING_LEAVE, 0);
}

// The thread runs from `clock` on for a slice.
static void run(uint32_t number, uint64_t clock)
{
    struct thread *thread = &threads[number];
    if (thread->count && clock + SLICE - thread->events[0].clock > LONGEST) {
        flush(number);
    }
    begin(thread);
    for (thread->clock = clock; thread->clock < clock + SLICE;) {
        if (thread->count + EVENTS_OF_CALL > RECORDING_EVENTS_WANTED) {
            flush(number);
        }
        call(thread);
    }
}

int main(int count, char **words)
{
    uint64_t wanted = count == 3 ? strtoull(words[1], NULL, 10) : 0, clock = START, written = 0;
    if (wanted == 0) {
        fprintf(stderr, "usage: make-window EVENTS FILE\n");
        return 2;
    }
    const struct recording_session session = {.version = text_of("bench"),
                                              .command = text_of("dotnet shop.dll"),
                                              .folder = text_of("/srv/shop"),
                                              .host = text_of("bench"),
                                              .scope = text_of(""),
                                              .clock = CLOCK_KIND_MONOTONIC,
                                              .clock_hz = 1e9,
                                              .started_clock = START,
                                              .instruments =
                                                  INSTRUMENT_CALLS | INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES};
    must(recording_create(words[2], &session, &writer));
    for (uint32_t i = 0; i < DEPTH; i++) {
        open_methods[i] = FIRST_METHOD + i;
        open_clocks[i] = START;
    }
    define();
    for (uint32_t slot = 0; written < wanted; slot++, clock += SLICE) {
        for (uint32_t i = 0; i < PROCESSORS; i++) {
            uint32_t number = (slot * PROCESSORS + i) % THREADS;
            run(number, clock);
            written += SLICE / STEP;
        }
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        flush(i);
    }
    const struct recording_end end = {
        .ended_clock = clock, .events = written, .processes = 1, .threads = THREADS, .complete = true};
    must(recording_close(writer, &end));
    return 0;
}
