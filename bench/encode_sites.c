// Measures recorded statements and values in the file: encodes and decodes the streams of synthetic programs, and prints
// user CPU ns and bytes, one line each. `encode_sites [EVENTS] [FILE]`, built like bench/encode.c.
//
//     loops     multiplies matrices: three nested loops with equal rounds
//     branches  a random but fixed program of 600 methods: statements, unpredictable conditions, loops, calls
//               (both: as statements alone, then with the values that they define)
//     others    a loop with one statement that defines a value of that kind
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "recording/reader.h"
#include "recording/writer.h"
#include "trace/payload.h"

enum {
    METHODS = 600,
    FIRST_METHOD = 16,
    ITEMS_MAX = 12,
    DEPTH_MAX = 40,
    NESTING_MAX = 3,
    SITES_MAX = 1 << 18,
    CELLS_MAX = 8 * RECORDING_EVENTS_WANTED,
};

enum item_kind { ITEM_PLAIN, ITEM_LOOP, ITEM_BRANCH, ITEM_CALL };

// A piece of a method: a statement, its definition, and the pieces inside it.
struct item {
    enum item_kind kind;
    uint32_t statement, definition; // sites; definition 0: none
    uint32_t times;                 // rounds of a loop; of a branch, how often in 256 it is taken
    uint32_t callee;
    struct item *inner;
    uint32_t inner_count;
};

struct method {
    struct item *items;
    uint32_t count;
};

struct program {
    struct method methods[METHODS];
    struct site sites[SITES_MAX];
    uint8_t changes[SITES_MAX]; // enum change
    uint64_t held[SITES_MAX];   // value of a definition's variable
    uint32_t site_count;
    bool values;
    uint64_t seed, clock, left, position, written, written_values;
    uint32_t depth;
    uint32_t open[DEPTH_MAX];
    uint64_t open_clock[DEPTH_MAX];
    struct recording_event events[RECORDING_EVENTS_WANTED];
    uint32_t cells[CELLS_MAX];
    uint32_t open_before[DEPTH_MAX];
    uint64_t open_clock_before[DEPTH_MAX];
    struct recording_events block;
    struct recording_writer *writer;
    uint32_t objects;
    uint64_t encode_ns;
};

static uint64_t cpu_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now); // cannot fail on Linux
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void must(enum clew_error error)
{
    if (error != CLEW_OK) {
        fprintf(stderr, "%s\n", clew_error_sentence(error));
        exit(1);
    }
}

static uint64_t next_random(struct program *program)
{
    program->seed = program->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return program->seed >> 33;
}

// -- Programs ---------------------------------------------------------------------------------------------------------

static uint32_t add_site(struct program *program, struct site site)
{
    site.il_offset = program->site_count * 4;
    program->sites[++program->site_count] = site;
    return program->site_count;
}

static uint32_t add_statement(struct program *program)
{
    uint32_t line = program->site_count;
    return add_site(program, (struct site){.document = 1, .start_line = line, .end_line = line, .end_column = 40});
}

// How a variable changes.
enum change { COUNTS, ADDS_LITTLE, ADDS_MUCH, ANY_OF_FEW, REAL_STEPS, REAL_AVERAGE, SAME_OR_NEW, TEXT };

struct kind {
    const char *name;
    uint32_t weight; // frequency in everyday code
    enum change change;
    struct site site;
};

#define LOCAL .kind = SITE_DEFINITION, .place = PLACE_LOCAL
static const struct kind kinds[] = {
    {"counter", 5, COUNTS, {LOCAL, .encoding = VALUE_I4}},
    {"sum", 3, ADDS_LITTLE, {LOCAL, .encoding = VALUE_I4}},
    {"noise", 1, ADDS_MUCH, {LOCAL, .encoding = VALUE_I4}},
    {"long sum", 1, ADDS_MUCH, {LOCAL, .encoding = VALUE_I8}},
    {"condition", 3, ANY_OF_FEW, {LOCAL, .encoding = VALUE_BOOLEAN}},
    {"text", 1, TEXT, {LOCAL, .encoding = VALUE_CHAR}},
    {"object", 4, SAME_OR_NEW, {LOCAL, .encoding = VALUE_OBJECT}},
    {"own field", 2, SAME_OR_NEW, {.place = PLACE_FIELD, .owner = OWNER_THIS, .encoding = VALUE_OBJECT}},
    {"field", 2, ADDS_LITTLE, {.place = PLACE_FIELD, .owner = OWNER_OBJECT, .encoding = VALUE_I4}},
    {"item", 2, ADDS_LITTLE, {.place = PLACE_ITEM, .owner = OWNER_OBJECT, .encoding = VALUE_I4}},
    {"real step", 1, REAL_STEPS, {LOCAL, .encoding = VALUE_R8}},
    {"average", 1, REAL_AVERAGE, {LOCAL, .encoding = VALUE_R8}},
    {"struct", 1, ADDS_LITTLE, {LOCAL, .encoding = VALUE_STRUCT, .size = 16}},
};
#undef LOCAL
enum { KINDS = sizeof kinds / sizeof *kinds, WEIGHTS = 27 };

static uint32_t add_definition(struct program *program)
{
    uint64_t chance = next_random(program) % WEIGHTS;
    uint32_t kind = 0;
    while (chance >= kinds[kind].weight) {
        chance -= kinds[kind++].weight;
    }
    uint32_t site = add_site(program, kinds[kind].site);
    program->changes[site] = kinds[kind].change;
    return site;
}

static struct item *make_items(struct program *program, uint32_t method, uint32_t nesting, uint32_t *count)
{
    *count = 2 + (uint32_t)(next_random(program) % (ITEMS_MAX - 2));
    struct item *items = calloc(*count, sizeof *items);
    for (uint32_t i = 0; i < *count; i++) {
        struct item *item = &items[i];
        uint64_t kind = next_random(program) % 10;
        item->statement = add_statement(program);
        item->definition = next_random(program) % 4 ? add_definition(program) : 0;
        item->kind = kind < 5 ? ITEM_PLAIN : kind < 6 ? ITEM_LOOP : kind < 9 ? ITEM_BRANCH : ITEM_CALL;
        item->callee = method + 1 + (uint32_t)(next_random(program) % (METHODS - method));
        if (item->kind == ITEM_CALL && item->callee >= METHODS) {
            item->kind = ITEM_PLAIN;
        }
        if ((item->kind == ITEM_LOOP || item->kind == ITEM_BRANCH) && nesting < NESTING_MAX) {
            uint64_t chance = next_random(program) % 4; // most conditions nearly always have the same result
            item->times = item->kind == ITEM_LOOP ? 2 + (uint32_t)(next_random(program) % 12)
                                                  : (uint32_t[]){8, 250, 250, 100}[chance];
            item->inner = make_items(program, method, nesting + 1, &item->inner_count);
        }
    }
    return items;
}

static void make_branches(struct program *program)
{
    for (uint32_t i = 0; i < METHODS; i++) {
        program->methods[i].items = make_items(program, i, 0, &program->methods[i].count);
    }
}

// for (i...) for (j...) { sum = 0; for (k...) { sum += a[i, k] * b[k, j]; } c[i, j] = sum; }
static void make_loops(struct program *program)
{
    struct item *items = calloc(8, sizeof *items);
    struct site counter = {.kind = SITE_DEFINITION, .place = PLACE_LOCAL, .encoding = VALUE_I4};
    struct site stored = {.kind = SITE_DEFINITION, .place = PLACE_ITEM, .owner = OWNER_OBJECT, .encoding = VALUE_I8};
    for (uint32_t i = 0; i < 7; i++) {
        items[i].statement = add_statement(program);
        items[i].definition = add_site(program, i == 6 ? stored : counter);
        program->changes[items[i].definition] = i % 2 ? ADDS_MUCH : COUNTS;
    }
    items[0] = (struct item){ITEM_LOOP, items[0].statement, items[0].definition, 100, 0, &items[1], 1};
    items[1] = (struct item){ITEM_LOOP, items[1].statement, items[1].definition, 100, 0, &items[2], 3};
    items[3] = (struct item){ITEM_LOOP, items[3].statement, items[3].definition, 100, 0, &items[5], 2};
    items[4] = items[6];
    for (uint32_t i = 0; i < METHODS; i++) {
        program->methods[i] = (struct method){items, 1};
    }
}

static uint32_t only_kind; // of make_kind()

static void make_kind(struct program *program)
{
    struct item *items = calloc(2, sizeof *items);
    items[0] = (struct item){ITEM_LOOP, add_statement(program), 0, 1000, 0, &items[1], 1};
    items[1].statement = add_statement(program);
    items[1].definition = add_site(program, kinds[only_kind].site);
    program->changes[items[1].definition] = kinds[only_kind].change;
    for (uint32_t i = 0; i < METHODS; i++) {
        program->methods[i] = (struct method){items, 1};
    }
}

static void define_sites(struct program *program)
{
    struct buffer blob = {0};
    sites_encode(&blob, program->sites + 1, program->site_count);
    must(recording_write_sites(program->writer, &(struct recording_sites){.process = 1,
                                                                          .method = FIRST_METHOD,
                                                                          .first = 1,
                                                                          .blob = bytes_of(blob.data, blob.size)}));
    buffer_free(&blob);
}

// -- Running ----------------------------------------------------------------------------------------------------------

static void begin_block(struct program *program)
{
    memcpy(program->open_before, program->open, sizeof program->open);
    memcpy(program->open_clock_before, program->open_clock, sizeof program->open_clock);
    program->block = (struct recording_events){.process = 1,
                                               .thread = 1,
                                               .position = program->position,
                                               .first_clock = program->clock,
                                               .depth = program->depth,
                                               .open = program->open_before,
                                               .open_clock = program->open_clock_before,
                                               .events = program->events,
                                               .cells = program->cells};
}

static void end_block(struct program *program)
{
    program->block.last_clock = program->clock;
    program->block.words = program->block.count;
    program->position += program->block.count;
    program->written += program->block.count;
    uint64_t before = cpu_ns();
    must(recording_write_events(program->writer, &program->block));
    program->encode_ns += cpu_ns() - before;
    begin_block(program);
}

static void add_event(struct program *program, enum recording_event_kind kind, uint32_t number)
{
    struct recording_events *block = &program->block;
    program->events[block->count++] =
        (struct recording_event){.clock = program->clock,
                                 .kind = kind,
                                 .site = number,
                                 .cell = kind == RECORDING_AT_SITE ? block->cell_count : 0};
    program->left -= program->left > 0;
}

static void put_cells(struct program *program, uint64_t value, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        program->cells[program->block.cell_count++] = i < 2 ? (uint32_t)(value >> 32 * i) : 7;
    }
}

static uint64_t next_value(struct program *program, uint32_t site, uint32_t index)
{
    uint64_t *held = &program->held[site];
    double real;
    memcpy(&real, held, sizeof real);
    switch ((enum change)program->changes[site]) {
    case COUNTS:
        *held = index;
        break;
    case ADDS_LITTLE:
        *held += next_random(program) % 3;
        break;
    case ADDS_MUCH:
        *held += next_random(program) % 2000;
        break;
    case ANY_OF_FEW:
        *held = next_random(program) % 8 == 0;
        break;
    case TEXT:
        *held = (uint8_t) "it is a truth universally acknowledged, that a single man "[next_random(program) % 58];
        break;
    case SAME_OR_NEW:
        *held = next_random(program) % 4 == 0 ? ++program->objects : *held;
        break;
    case REAL_STEPS:
        real += 0.25;
        memcpy(held, &real, sizeof real);
        break;
    case REAL_AVERAGE:
        real = real * 0.75 + (double)(next_random(program) % 16);
        memcpy(held, &real, sizeof real);
        break;
    }
    return *held;
}

static void at_statement(struct program *program, const struct item *item, uint32_t index)
{
    add_event(program, RECORDING_AT_SITE, item->statement);
    if (item->definition && program->values) {
        const struct site *site = &program->sites[item->definition];
        add_event(program, RECORDING_AT_SITE, item->definition);
        program->written_values++;
        if (site->owner == OWNER_OBJECT) {
            put_cells(program, program->objects / 16, 1);
        }
        if (site->place == PLACE_ITEM) {
            put_cells(program, index, 1);
        }
        struct site value = {.encoding = site->encoding, .size = site->size};
        put_cells(program, next_value(program, item->definition, index), payload_cells(&value));
    }
    if (program->block.count > RECORDING_EVENTS_WANTED - 3) {
        end_block(program);
    }
}

static void run(struct program *program, uint32_t number);

static void run_items(struct program *program, const struct item *items, uint32_t count, uint32_t index)
{
    for (uint32_t i = 0; i < count && program->left > 0; i++) {
        const struct item *item = &items[i];
        at_statement(program, item, index);
        if (item->kind == ITEM_CALL) {
            run(program, item->callee);
        } else if (item->kind == ITEM_BRANCH && next_random(program) % 256 < item->times) {
            run_items(program, item->inner, item->inner_count, index);
        }
        for (uint32_t k = 0; item->kind == ITEM_LOOP && k < item->times && program->left > 0; k++) {
            run_items(program, item->inner, item->inner_count, k);
            at_statement(program, item, k);
        }
    }
}

static void run(struct program *program, uint32_t number)
{
    if (program->depth == DEPTH_MAX) {
        return;
    }
    program->clock += 40 + next_random(program) % 64;
    add_event(program, RECORDING_ENTER, FIRST_METHOD + number);
    program->open[program->depth] = FIRST_METHOD + number;
    program->open_clock[program->depth++] = program->clock;
    run_items(program, program->methods[number].items, program->methods[number].count, 0);
    program->clock += 40 + next_random(program) % 64;
    program->depth--;
    add_event(program, RECORDING_LEAVE, 0);
}

static uint64_t read_back(const char *path, uint64_t *bytes)
{
    struct recording_reader *reader;
    struct recording_record record;
    uint64_t events = 0;
    must(recording_open_reader(path, &reader));
    while (recording_next(reader, 1u << RECORDING_EVENTS, &record) == CLEW_OK) {
        events += record.events.count;
    }
    *bytes = recording_file_size(recording_of(reader));
    recording_close_reader(reader);
    return events;
}

static void measure(const char *name, void (*make)(struct program *), bool values, uint64_t events, const char *path)
{
    struct recording_session session = {.version = text_of("bench"), .clock = CLOCK_KIND_TSC, .clock_hz = 2e9};
    struct program *program = calloc(1, sizeof *program);
    uint64_t bytes;
    program->seed = 42;
    program->values = values;
    program->left = events;
    program->clock = UINT64_C(1) << 50;
    make(program);
    must(recording_create(path, &session, &program->writer));
    define_sites(program);
    must(recording_flush(program->writer));
    uint64_t definitions = recording_size(program->writer);
    begin_block(program);
    while (program->left > 0) {
        run(program, (uint32_t)(next_random(program) % 16));
    }
    end_block(program);
    must(recording_close(program->writer, NULL));
    uint64_t before = cpu_ns();
    if (read_back(path, &bytes) != program->written) {
        must(CLEW_DAMAGED);
    }
    double count = (double)program->written;
    printf("%-9s %-10s %5.1f M events, %4.1f M values: encode %5.2f ns, decode %5.2f ns, %6.3f B an event, %6.3f B a "
           "value\n",
           name, values ? "values" : "statements", count / 1e6, (double)program->written_values / 1e6,
           (double)program->encode_ns / count, (double)(cpu_ns() - before) / count,
           (double)(bytes - definitions) / count,
           values ? (double)(bytes - definitions) / (double)program->written_values : 0);
    unlink(path);
    free(program); // the items are freed at exit
}

int main(int count, char **arguments)
{
    uint64_t events = count > 1 ? strtoull(arguments[1], NULL, 10) : 20000000;
    const char *path = count > 2 ? arguments[2] : "/dev/shm/clew-bench-encode.clew";
    for (int values = 0; values < 2; values++) {
        measure("loops", make_loops, values, events, path);
        measure("branches", make_branches, values, events, path);
    }
    for (only_kind = 0; only_kind < KINDS; only_kind++) {
        measure(kinds[only_kind].name, make_kind, true, events / 4, path);
    }
    return 0;
}
