// Small recordings with known content, for unit tests, golden outputs and test/make_recording.c. Include it in one file per
// program.
#ifndef CLEW_TEST_MADE_RECORDING_H
#define CLEW_TEST_MADE_RECORDING_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recording/tree_changes.h"
#include "recording/writer.h"
#include "trace/instrument.h"
#include "trace/site.h"

enum { MAIN = 16, ADD, ADD_TEXT, FIB, SAVE, SAVE_BODY, THROW, LATER };
enum { START = 1000000 };

static struct recording_writer *writer;

// With `hostile` set, every text in a recording ends with these bytes: terminal control sequences, direction marks, line ends,
// and bytes that are not UTF-8.
#define HOSTILE                                                                                                   \
    "\x1B[31m\x1B]0;title\x07 \0 \r \x7F \xC2\x9B 1m \xD8\x9C \xE2\x80\x8E\xE2\x80\x8F \xE2\x80\xA8\xE2\x80\xA9 " \
    "\xE2\x80\xAA\xE2\x80\xAE \xE2\x81\xA6\xE2\x81\xA9 \x9B \xED\xA0\x80 \xC0\xAF \xE2\x80 \\u001B \\\x1B"

static bool hostile;

// What events cost in the process that define_process() describes, in ps.
static uint64_t made_site_ps[PROBE_KINDS];

// Never freed, since these programs are short.
static inline void *keep(void *made)
{
    static void *kept[1 << 14];
    static size_t count;
    if (count < sizeof kept / sizeof *kept) {
        kept[count++] = made;
    }
    return made;
}

static inline struct text made_text(struct text text)
{
    static const char more[] = HOSTILE "\nforged line";
    char *made = hostile ? keep(malloc(text.size + sizeof more)) : NULL;
    if (!made) {
        return text;
    }
    memcpy(made, text.at, text.size);
    memcpy(made + text.size, more, sizeof more - 1);
    return (struct text){made, text.size + sizeof more - 1};
}

// Hostile bytes within the lines too, where statements are.
static inline struct text made_source(struct text text)
{
    struct buffer made = {0};
    for (size_t i = 0; hostile && i < text.size; i++) {
        buffer_u8(&made, (uint8_t)text.at[i]);
        if (text.at[i] == '=' || text.at[i] == 'u') {
            buffer_append(&made, HOSTILE, sizeof HOSTILE - 1);
        }
    }
    return hostile ? (struct text){keep(made.data), made.size} : text;
}

#define text_of(terminated) made_text(text_of(terminated))

static inline void must(enum clew_error error)
{
    if (error != CLEW_OK) {
        fprintf(stderr, "make-recording: %s\n", clew_error_sentence(error));
        exit(1);
    }
}

static inline void create(const char *path, uint32_t instruments, enum clock_kind clock)
{
    struct recording_session session = {.version = text_of("0.1.0"),
                                        .command = text_of("dotnet shop.dll --fast"),
                                        .folder = text_of("/srv/shop"),
                                        .host = text_of("box"),
                                        .scope = text_of("include [shop]*\n"),
                                        .clock = clock,
                                        .clock_hz = 1e9,
                                        .started_realtime_ns = UINT64_C(1700000000000000000),
                                        .started_clock = START,
                                        .instruments = instruments};
    must(recording_create(path, &session, &writer));
}

static inline void define_process(enum process_state state)
{
    struct recording_process process = {.process = 1,
                                        .os_id = 4711,
                                        .state = state,
                                        .exit_status = state == PROCESS_KILLED ? SIGKILL : 0,
                                        .exit_known = RECORDING_EXIT_KNOWN,
                                        .command = text_of("dotnet shop.dll --fast"),
                                        .runtime = text_of("CoreCLR 10.0.12"),
                                        .started_clock = START,
                                        .ended_clock = START + 10000,
                                        .dynamic_methods = 2,
                                        .probe_ps = 40000,
                                        .probe_own_ps = 10000};
    memcpy(process.site_ps, made_site_ps, sizeof process.site_ps);
    must(recording_write_process(writer, &process));
}

static inline void define_method(uint32_t method, uint32_t module, uint32_t kind, const char *name)
{
    struct recording_method record = {.process = 1,
                                      .method = method,
                                      .module = module,
                                      .token = 0x06000000 + method,
                                      .kind = kind,
                                      .name = text_of(name)};
    must(recording_write_method(writer, &record));
}

static inline void define_thread(uint32_t thread, const char *name, uint64_t ended)
{
    struct recording_thread record = {.process = 1,
                                      .thread = thread,
                                      .os_id = 4710 + thread,
                                      .name = text_of(name),
                                      .started_clock = START,
                                      .ended_clock = ended,
                                      .cpu_user_ns = 4000000,
                                      .cpu_kernel_ns = 1000000};
    must(recording_write_thread(writer, &record));
}

static inline void define(void)
{
    struct recording_module shop = {.process = 1,
                                    .module = 1,
                                    .flags = 1,
                                    .mvid = {1, 2, 3},
                                    .name = text_of("shop"),
                                    .path = text_of("/srv/shop/shop.dll")};
    struct recording_module lib = {.process = 1,
                                   .module = 2,
                                   .flags = 1,
                                   .mvid = {4, 5, 6},
                                   .name = text_of("lib"),
                                   .path = text_of("/srv/shop/lib.dll")};
    struct recording_not_woven left = {.process = 1,
                                       .module = 2,
                                       .token = 0x06000063,
                                       .name = text_of("Shop.Lib.Odd()"),
                                       .reason = text_of("its body is not understood")};
    define_process(PROCESS_ENDED);
    if (hostile) {
        shop.reason = text_of("a reason");
        must(recording_write_note(writer, &(struct recording_note){.process = 1, .text = text_of("a note")}));
    }
    must(recording_write_module(writer, &shop));
    must(recording_write_module(writer, &lib));
    define_method(MAIN, 1, 0, "Shop.Program.Main(string[])");
    define_method(ADD, 1, 0, "Shop.Cart.Add(int)");
    define_method(ADD_TEXT, 1, 0, "Shop.Cart.Add(string)");
    define_method(FIB, 2, 0, "Shop.Lib.Fib(int)");
    define_method(SAVE, 1, 0, "Shop.Cart.SaveAsync(System.IO.Stream)");
    define_method(SAVE_BODY, 1, 1, "Shop.Cart.SaveAsync(System.IO.Stream) (async)");
    define_method(THROW, 2, 0, "Shop.Lib.Check<T>(T)");
    define_method(LATER, 2, 4, "Shop.Lib.Work.lambda#1(object)");
    define_thread(1, "main", START + 10000);
    define_thread(2, "worker", START + 9000);
    must(recording_write_not_woven(writer, &left));
}

static inline void finish(uint64_t events, uint64_t lost, uint32_t threads, bool complete)
{
    struct recording_end end = {.ended_clock = START + 10000,
                                .events = events,
                                .lost = lost,
                                .processes = 1,
                                .threads = threads,
                                .complete = complete};
    must(recording_close(writer, &end));
}

// The small program. Thread 1: Main calls Add twice, Fib(3) with its recursion, Check<T> which throws into Main, and
// SaveAsync with its body. Thread 2 runs a lambda that calls Add(string).
#define E(at, m)                                                    \
    {                                                               \
        .clock = START + (at), .kind = RECORDING_ENTER, .method = m \
    }
#define L(at)                                          \
    {                                                  \
        .clock = START + (at), .kind = RECORDING_LEAVE \
    }
#define U(at)                                           \
    {                                                   \
        .clock = START + (at), .kind = RECORDING_UNWIND \
    }

static const struct recording_event main_events[] = {
    E(100, MAIN),   E(200, ADD),
    L(300),         E(400, ADD),
    L(800), // 100, 400
    E(1000, FIB),   E(1100, FIB),
    E(1200, FIB),   L(1300),
    E(1400, FIB),   L(1500),
    L(1600), // 100, 100; 500
    E(1700, FIB),   L(1900),
    L(2000),                 // 200; 1000
    E(3000, THROW), U(3500), // 500
    E(4000, SAVE),  E(4100, SAVE_BODY),
    L(4900),        L(5000), // 800; 1000
    L(9100),                 // 9000
};
static const struct recording_event worker_events[] = {
    E(2050, LATER), E(2500, ADD_TEXT), L(2750), L(8050), // 250; 6000
};

static inline struct recording_events block_of(uint32_t thread, const struct recording_event *events, uint32_t count)
{
    return (struct recording_events){.process = 1,
                                     .thread = thread,
                                     .words = count,
                                     .first_clock = events[0].clock,
                                     .last_clock = events[count - 1].clock,
                                     .count = count,
                                     .events = events};
}

static inline void write_stream(uint32_t thread, const struct recording_event *events, uint32_t count)
{
    struct recording_events block = block_of(thread, events, count);
    must(recording_write_events(writer, &block));
}

// A block with sites, from arrays of events and of their cells.
#define BLOCK_WITH_CELLS(events, cells) \
    block_with_cells(events, sizeof(events) / sizeof *(events), cells, sizeof(cells) / sizeof *(cells))

static inline struct recording_events block_with_cells(const struct recording_event *events, uint32_t count,
                                                       const uint32_t *cells, uint32_t cell_count)
{
    struct recording_events block = block_of(1, events, count);
    block.words += cell_count;
    block.cells = cells;
    block.cell_count = cell_count;
    return block;
}

static inline void make_calls(const char *path)
{
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define();
    write_stream(1, main_events, sizeof main_events / sizeof *main_events);
    write_stream(2, worker_events, sizeof worker_events / sizeof *worker_events);
    finish(26, 0, 2, true);
}

static inline struct recording_node node(uint32_t parent, uint32_t method, uint64_t calls, uint64_t total,
                                         uint64_t shortest, uint64_t longest)
{
    return (struct recording_node){
        .parent = parent, .method = method, .calls = calls, .total = total, .shortest = shortest, .longest = longest};
}

static inline void make_tree(const char *path, enum clock_kind clock, bool close)
{
    struct recording_node nodes[] = {
        node(0, 0, 0, 0, UINT64_MAX, 0),   node(0, MAIN, 1, 9000, 9000, 9000), node(1, ADD, 2, 500, 100, 400),
        node(1, FIB, 1, 1000, 1000, 1000), node(3, FIB, 2, 700, 200, 500),     node(4, FIB, 2, 200, 100, 100),
        node(1, THROW, 1, 500, 500, 500),  node(1, SAVE, 1, 1000, 1000, 1000), node(7, SAVE_BODY, 1, 800, 800, 800),
    };
    struct recording_node worker[] = {
        node(0, 0, 0, 0, UINT64_MAX, 0),
        node(0, LATER, 1, 6000, 6000, 6000),
        node(1, ADD_TEXT, 1, 250, 250, 250),
    };
    nodes[6].exceptions = 1;
    nodes[5].cpu_user_ns = 60;
    nodes[2].cpu_kernel_ns = 30;
    if (clock == CLOCK_KIND_NONE) {
        for (size_t i = 0; i < 9; i++) {
            nodes[i].total = nodes[i].shortest = nodes[i].longest = 0;
            worker[i % 3].total = worker[i % 3].shortest = worker[i % 3].longest = 0;
        }
    }
    struct recording_node early = node(0, 0, 0, 0, UINT64_MAX, 0);
    struct recording_tree first = {.process = 1, .thread = 1, .clock = START + 50, .count = 1, .nodes = &early};
    struct recording_tree tree = {
        .process = 1, .thread = 1, .clock = START + 10000, .final = true, .count = 9, .nodes = nodes};
    struct recording_tree other = {
        .process = 1, .thread = 2, .clock = START + 9000, .final = true, .count = 3, .nodes = worker};
    create(path, INSTRUMENT_TREE, clock);
    define();
    must(recording_write_tree(writer, &first)); // the later tree replaces it
    must(recording_write_tree(writer, &tree));
    must(recording_write_tree(writer, &other));
    if (close) {
        finish(26, 0, 2, true);
    } else {
        must(recording_close(writer, NULL));
    }
}

// The calls of make_calls(): those of thread 1 as a tree with changes, and those of thread 2 as a stream with its tree.
static inline void make_trees(const char *path)
{
    const struct recording_node before[] = {
        node(0, 0, 0, 0, UINT64_MAX, 0),     node(0, MAIN, 1, 900, UINT64_MAX, 0), node(1, ADD, 2, 500, 100, 400),
        node(1, FIB, 1, 100, UINT64_MAX, 0), node(3, FIB, 1, 500, 500, 500),       node(4, FIB, 2, 200, 100, 100),
    };
    struct recording_node after[] = {
        node(0, MAIN, 1, 9000, 9000, 9000), node(0, FIB, 1, 1000, 1000, 1000),  node(0, FIB, 2, 700, 200, 500),
        node(1, THROW, 1, 500, 500, 500),   node(1, SAVE, 1, 1000, 1000, 1000), node(7, SAVE_BODY, 1, 800, 800, 800),
    };
    const struct recording_node worker[] = {
        node(0, 0, 0, 0, UINT64_MAX, 0),
        node(0, LATER, 1, 6000, 6000, 6000),
        node(1, ADD_TEXT, 1, 250, 250, 250),
    };
    const uint32_t numbers[] = {1, 3, 4, 6, 7, 8};
    const struct recording_node none = recording_node_before();
    struct recording_node_change changes[6];
    after[3].exceptions = 1;
    for (uint32_t i = 0; i < 6; i++) {
        changes[i].node = numbers[i];
        changes[i].by = recording_node_difference(numbers[i] < 6 ? &before[numbers[i]] : &none, &after[i]);
    }
    create(path, INSTRUMENT_TREE | INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define();
    must(recording_write_tree(
        writer,
        &(struct recording_tree){.process = 1, .thread = 1, .clock = START + 1000, .count = 6, .nodes = before}));
    must(recording_write_tree_changes(writer, &(struct recording_tree_changes){.process = 1,
                                                                               .thread = 1,
                                                                               .clock = START + 9000,
                                                                               .before = 6,
                                                                               .after = 9,
                                                                               .count = 6,
                                                                               .changes = changes}));
    changes[0].by = (struct recording_node){.cpu_user_ns = 60};
    changes[0].node = 5;
    must(recording_write_tree_changes(writer, &(struct recording_tree_changes){.process = 1,
                                                                               .thread = 1,
                                                                               .clock = START + 10000,
                                                                               .before = 9,
                                                                               .after = 9,
                                                                               .count = 1,
                                                                               .changes = changes}));
    write_stream(2, worker_events, sizeof worker_events / sizeof *worker_events);
    must(recording_write_tree(writer, &(struct recording_tree){.process = 1,
                                                               .thread = 2,
                                                               .clock = START + 9000,
                                                               .final = true,
                                                               .of_stream = true,
                                                               .position = 4,
                                                               .count = 3,
                                                               .nodes = worker}));
    finish(26, 0, 2, true);
}

// The stream begins with Main and Fib open, loses 7 events, continues with only Main open, and ends in Add.
static inline void write_cold(const char *path, uint64_t first_number)
{
    static const uint64_t numbers[] = {7, 41};
    static const uint32_t open[] = {MAIN, FIB};
    static const uint64_t open_clock[] = {START + 100, START + 1000};
    static const uint32_t stack[] = {MAIN};
    static const struct recording_event events[] = {
        {.clock = START + 2000, .kind = RECORDING_LEAVE},
        {.clock = START + 2100, .kind = RECORDING_ENTER, .method = ADD},
        {.clock = START + 2200, .kind = RECORDING_ENTER, .method = THROW},
        {.clock = START + 3000, .kind = RECORDING_LOST, .lost = 7},
        {.clock = START + 3000, .kind = RECORDING_STACK, .stated = 1, .depth = 1},
        {.clock = START + 3100, .kind = RECORDING_ENTER, .method = SAVE},
        {.clock = START + 3200, .kind = RECORDING_ENTER, .method = SAVE_BODY},
        {.clock = START + 3300, .kind = RECORDING_CUT, .remaining = 1},
        {.clock = START + 4000, .kind = RECORDING_ENTER, .method = ADD},
    };
    struct recording_events block = {.process = 1,
                                     .thread = 1,
                                     .position = 100,
                                     .words = 11,
                                     .first_clock = START + 2000,
                                     .last_clock = START + 4000,
                                     .depth = 2,
                                     .open = open,
                                     .open_clock = open_clock,
                                     .count = sizeof events / sizeof *events,
                                     .events = events,
                                     .stack_count = 1,
                                     .stacks = stack,
                                     .first_number = first_number,
                                     .open_number = numbers};
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define();
    define_process(PROCESS_KILLED);
    define_thread(1, "main", 0);
    must(recording_write_events(writer, &block));
    finish(6, 7, 1, false);
}

static inline void make_cold(const char *path)
{
    write_cold(path, 0);
}

// The same with numbers of activations.
static inline void make_numbers(const char *path)
{
    write_cold(path, 50);
}

// Main's statements and values with its source: every kind of place, and all types that have their own text form.
#define AT(site_, cell_)                                                              \
    {                                                                                 \
        .clock = START + 100, .kind = RECORDING_AT_SITE, .site = site_, .cell = cell_ \
    }
enum { TYPE_INT = 1, TYPE_TEXT, TYPE_COLOUR, TYPE_POINT, TYPE_CART, TYPE_MONEY, TYPE_TUPLE };

static inline void define_type(const struct type *type)
{
    struct buffer blob = {0};
    struct type_member members[32];
    struct type_field fields[32];
    struct type made = *type;
    for (uint32_t i = 0; i < type->member_count; i++) {
        members[i] = type->members[i];
        members[i].name = made_text(members[i].name);
        made.members = members;
    }
    for (uint32_t i = 0; i < type->field_count; i++) {
        fields[i] = type->fields[i];
        fields[i].name = made_text(fields[i].name);
        made.fields = fields;
    }
    type_encode(&blob, &made);
    must(recording_write_type(
        writer, &(struct recording_value_type){
                    .process = 1, .type = type->number, .blob = bytes_of(blob.data, blob.size), .flags = type->flags}));
    buffer_free(&blob);
}

static inline void define_types(void)
{
    static const struct type_member colours[] = {{1, {"Red", 3}}, {2, {"Green", 5}}, {4, {"Blue", 4}}};
    static const struct type_field point[] = {{0, TYPE_INT, {"X", 1}, {0}}, {8, TYPE_TEXT, {"Label", 5}, {0}}};
    static const struct type_field tuple[] = {{0, TYPE_TEXT, {"Item2", 5}, {0}}, {8, TYPE_INT, {"Item1", 5}, {0}}};
    const struct type types[] = {
        {.number = TYPE_INT, .kind = TYPE_PRIMITIVE, .encoding = VALUE_I4, .size = 4, .name = text_of("System.Int32")},
        {.number = TYPE_TEXT, .kind = TYPE_STRING, .encoding = VALUE_OBJECT, .name = text_of("System.String")},
        {.number = TYPE_COLOUR,
         .kind = TYPE_ENUM,
         .encoding = VALUE_I4,
         .is_flags = true,
         .size = 4,
         .name = text_of("Shop.Colour"),
         .members = colours,
         .member_count = 3},
        {.number = TYPE_POINT,
         .kind = TYPE_STRUCT,
         .encoding = VALUE_STRUCT,
         .size = 16,
         .name = text_of("Shop.Point"),
         .fields = point,
         .field_count = 2},
        {.number = TYPE_CART, .kind = TYPE_CLASS, .encoding = VALUE_OBJECT, .name = text_of("Shop.Cart")},
        {.number = TYPE_MONEY,
         .kind = TYPE_STRUCT,
         .encoding = VALUE_STRUCT,
         .size = 16,
         .name = text_of("System.Decimal")},
        {.number = TYPE_TUPLE,
         .kind = TYPE_STRUCT,
         .encoding = VALUE_STRUCT,
         .size = 16,
         .name = text_of("System.ValueTuple<System.Int32, System.String>"),
         .fields = tuple,
         .field_count = 2},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        define_type(&types[i]);
    }
}

// Numbered from `first` on.
static inline void define_sites_of(uint32_t method, uint32_t first, const struct site *sites, uint32_t count)
{
    struct buffer blob = {0}, roles = {0};
    sites_encode(&blob, sites, count);
    sites_encode_roles(&roles, sites, count);
    must(recording_write_sites(writer, &(struct recording_sites){.process = 1,
                                                                 .method = method,
                                                                 .first = first,
                                                                 .blob = bytes_of(blob.data, blob.size),
                                                                 .roles = bytes_of(roles.data, roles.size)}));
    buffer_free(&blob);
    buffer_free(&roles);
}

// Types, the source, and sites 1 to 12 of Main and 13 of Add.
static inline void define_sites(void)
{
#define LINE(offset, line, from, to)                                                                          \
    {                                                                                                         \
        .kind = SITE_STATEMENT, .il_offset = offset, .document = 1, .start_line = line, .start_column = from, \
        .end_line = line, .end_column = to                                                                    \
    }
    const struct site main_sites[] = {
        // 1: the argument, 2 to 4 the statements
        {.kind = SITE_ARGUMENT,
         .place = PLACE_PARAMETER,
         .encoding = VALUE_OBJECT,
         .type = TYPE_TEXT,
         .name = text_of("args")},
        LINE(0, 4, 5, 6),
        LINE(1, 5, 9, 19),
        LINE(9, 6, 5, 6),
        // 5 to 12: values
        {.kind = SITE_DEFINITION,
         .place = PLACE_LOCAL,
         .encoding = VALUE_I4,
         .type = TYPE_INT,
         .statement = 3,
         .name = text_of("x")},
        {.kind = SITE_USE,
         .place = PLACE_FIELD,
         .owner = OWNER_OBJECT,
         .encoding = VALUE_OBJECT,
         .index = 0x04000007,
         .type = TYPE_TEXT,
         .name = text_of("name")},
        {.kind = SITE_DEFINITION,
         .place = PLACE_ITEM,
         .owner = OWNER_OBJECT,
         .encoding = VALUE_I4,
         .type = TYPE_COLOUR},
        {.kind = SITE_DEFINITION,
         .place = PLACE_LOCAL,
         .encoding = VALUE_STRUCT,
         .index = 1,
         .size = 16,
         .type = TYPE_POINT,
         .name = text_of("p")},
        {.kind = SITE_RESULT, .place = PLACE_RESULT, .encoding = VALUE_STRUCT, .size = 16, .type = TYPE_MONEY},
        {.kind = SITE_ALLOCATION, .encoding = VALUE_OBJECT, .type = TYPE_CART},
        {.kind = SITE_DEFINITION,
         .place = PLACE_STATIC_FIELD,
         .reason = REASON_REDACTED,
         .index = 0x04000009,
         .type = TYPE_TEXT,
         .name = text_of("password")},
        {.kind = SITE_DEFINITION, .place = PLACE_LOCAL, .encoding = VALUE_TYPED, .index = 2, .name = text_of("item")},
        // 13: of Add
        LINE(0, 9, 9, 21),
    };
#undef LINE
    define_types();
    must(recording_write_document(
        writer, &(struct recording_document){
                    .process = 1, .module = 1, .document = 1, .path = text_of("/srv/shop/Program.cs")}));
    must(recording_write_source(
        writer, &(struct recording_source){
                    .of = {1, 1, 1},
                    .text = made_source(
                        (text_of)("\xEF\xBB\xBF"
                                  "class Program\n{\n    static decimal Main()\r\n    {\n        x = "
                                  "add(y);\n    }\n\n    int Add(int n) {\n        return n + 1;\n    }\n}"))}));
    define_sites_of(MAIN, 1, main_sites, 12);
    define_sites_of(ADD, 13, main_sites + 12, 1);
}

// Of Main, site 14: a field of the struct in a variable; 15: a tuple with names.
static inline void define_parts(void)
{
    const struct site parts[] = {{.kind = SITE_DEFINITION,
                                  .place = PLACE_FIELD,
                                  .owner = OWNER_LOCAL,
                                  .owner_index = 1,
                                  .encoding = VALUE_I4,
                                  .index = 0x04000008,
                                  .type = TYPE_INT,
                                  .name = text_of("X"),
                                  .owner_name = text_of("p")},
                                 {.kind = SITE_DEFINITION,
                                  .place = PLACE_LOCAL,
                                  .encoding = VALUE_STRUCT,
                                  .index = 3,
                                  .size = 16,
                                  .type = TYPE_TUPLE,
                                  .name = text_of("pair"),
                                  .tuple_names = text_of("(Count,Name)")}};
    define_sites_of(MAIN, 14, parts, 2);
}

static inline void make_sites(const char *path)
{
    static const uint32_t cells[] = {
        0,            // args: null
        (uint32_t)-5, // x
        2,
        1, // #2.name is #1
        3,
        7,
        5, // #3[7]: Red, Blue
        41,
        0,
        1,
        0,  // p
        42, // p.X
        1,
        0,
        3,
        0, // pair
        2, // new Shop.Cart
        TYPE_INT,
        4,
        99, // item
        2 << 16,
        0,
        12345,
        0, // 123.45
    };
    static const struct recording_event events[] = {
        {.clock = START + 100, .kind = RECORDING_ENTER, .method = MAIN},
        AT(1, 0),
        AT(2, 1),
        AT(3, 1),
        AT(5, 1),
        {.clock = START + 200, .kind = RECORDING_ENTER, .method = ADD},
        AT(13, 2),
        {.clock = START + 300, .kind = RECORDING_LEAVE},
        AT(6, 2),
        AT(7, 4),
        AT(8, 7),
        AT(14, 11),
        AT(15, 12),
        AT(10, 16),
        AT(11, 17),
        AT(12, 17),
        AT(9, 20),
        AT(4, 24),
        {.clock = START + 400, .kind = RECORDING_LEAVE},
    };
    const struct recording_object objects[] = {
        {.object = 1, .type = TYPE_TEXT, .size = 32, .length = 5, .text = text_of("a\n\\b\"")},
        {.object = 2, .type = TYPE_CART, .size = 24},
    };
    create(path, INSTRUMENT_CALLS | INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES, CLOCK_KIND_MONOTONIC);
    define();
    define_sites();
    define_parts();
    must(recording_write_objects(writer, &(struct recording_objects){.process = 1, .count = 2, .objects = objects}));
    struct recording_events block = BLOCK_WITH_CELLS(events, cells);
    must(recording_write_events(writer, &block));
    finish(18, 0, 1, true);
}

// Contents of boxes: a box that is written to, structs, an enum, boxes in boxes, a box that is too large, and boxes after lost
// events. Sites 16 and 17: a local and a struct that refer to boxes.
enum { TYPE_OBJECT = TYPE_TUPLE + 1, TYPE_HOLDER };

static inline void define_boxes(void)
{
    static const struct type_field inner[] = {{.type = TYPE_OBJECT, .name = {"Inner", 5}}};
    const struct type object = {
        .number = TYPE_OBJECT, .kind = TYPE_CLASS, .encoding = VALUE_OBJECT, .name = text_of("System.Object")};
    const struct type holder = {.number = TYPE_HOLDER,
                                .kind = TYPE_STRUCT,
                                .encoding = VALUE_STRUCT,
                                .size = 8,
                                .name = text_of("Shop.Holder"),
                                .fields = inner,
                                .field_count = 1};
    const struct site sites[] = {{.kind = SITE_DEFINITION,
                                  .place = PLACE_LOCAL,
                                  .encoding = VALUE_OBJECT,
                                  .type = TYPE_OBJECT,
                                  .name = text_of("o")},
                                 {.kind = SITE_DEFINITION,
                                  .place = PLACE_LOCAL,
                                  .encoding = VALUE_STRUCT,
                                  .index = 1,
                                  .size = 8,
                                  .type = TYPE_HOLDER,
                                  .name = text_of("holder")}};
    struct buffer blob = {0};
    define_type(&object);
    define_type(&holder);
    sites_encode(&blob, sites, 2);
    must(recording_write_sites(
        writer,
        &(struct recording_sites){.process = 1, .method = MAIN, .first = 16, .blob = bytes_of(blob.data, blob.size)}));
    buffer_free(&blob);
}

static inline void make_boxes(const char *path)
{
    static const uint32_t cells[] = {4, 4, 5, 9, 6, 7, 6, 0, 8, 4};
    static const struct recording_event events[] = {
        {.clock = START + 100, .kind = RECORDING_ENTER, .method = MAIN},
        AT(2, 0),
        AT(16, 0),
        AT(16, 1),
        AT(16, 2),
        AT(16, 3),
        AT(16, 4),
        AT(16, 5),
        AT(17, 6),
        AT(16, 8),
        {.clock = START + 100, .kind = RECORDING_LOST, .lost = 3},
        AT(16, 9),
        {.clock = START + 400, .kind = RECORDING_LEAVE},
    };
    static const uint32_t box_cells[] = {5, 0, 6, 0, 41, 0, 1, 0, 5, 0, 4, 0, 6, 0};
    static const struct recording_box boxes[] = {
        {2, 4, 8, 0},  // 5
        {3, 4, 8, 2},  // 6
        {4, 5, 16, 4}, // { 41, #1 }
        {5, 9, 8, 8},  // Red | Blue
        {6, 6, 8, 10}, // { #4 }
        {7, 7, 8, 12}, // { #6 }, a box too deep to record
        {9, 8, 0, 0},  // too large
    };
    const struct recording_object objects[] = {
        {.object = 1, .type = TYPE_TEXT, .size = 32, .length = 5, .text = text_of("a\n\\b\"")},
        {.object = 4, .type = TYPE_INT, .size = 24},
        {.object = 5, .type = TYPE_POINT, .size = 32},
        {.object = 6, .type = TYPE_HOLDER, .size = 24},
        {.object = 7, .type = TYPE_HOLDER, .size = 24},
        {.object = 8, .type = TYPE_POINT, .size = 32},
        {.object = 9, .type = TYPE_COLOUR, .size = 24},
    };
    create(path, INSTRUMENT_CALLS | INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES, CLOCK_KIND_MONOTONIC);
    define();
    define_sites();
    define_parts();
    define_boxes();
    must(recording_write_objects(writer, &(struct recording_objects){.process = 1, .count = 7, .objects = objects}));
    struct recording_events block = BLOCK_WITH_CELLS(events, cells);
    block.box_count = sizeof boxes / sizeof *boxes;
    block.boxes = boxes;
    block.box_cell_count = sizeof box_cells / sizeof *box_cells;
    block.box_cells = box_cells;
    must(recording_write_events(writer, &block));
    finish(12, 3, 1, true);
}

// The same program counted by line, at two moments; the second has only the changed counters. Add was recorded by line only.
static inline void make_lines(const char *path, enum clock_kind clock, uint32_t instruments)
{
    struct recording_counter early[] = {{2, 1, 0}, {3, 1, 100}, {13, 2, 40}};
    struct recording_counter late[] = {{3, 3, 700}, {4, 1, 60}, {13, 1200, 200}};
    create(path, INSTRUMENT_LINES | instruments, clock);
    define();
    define_sites();
    if (instruments & INSTRUMENT_TREE) {
        struct recording_node nodes[] = {node(0, 0, 0, 0, UINT64_MAX, 0), node(0, MAIN, 1, 900, 900, 900)};
        must(recording_write_tree(
            writer, &(struct recording_tree){
                        .process = 1, .thread = 1, .clock = START + 9000, .final = true, .count = 2, .nodes = nodes}));
    }
    for (uint32_t i = 0; i < 3 && clock == CLOCK_KIND_NONE; i++) {
        early[i].own = late[i].own = 0;
    }
    must(recording_write_counters(
        writer, &(struct recording_counters){.process = 1, .clock = START + 1000, .count = 3, .counters = early}));
    must(recording_write_counters(
        writer, &(struct recording_counters){.process = 1, .clock = START + 9000, .count = 3, .counters = late}));
    finish(1205 + (instruments & INSTRUMENT_TREE ? 2 : 0), 0, 1, true);
}

// Carts allocated on two lines of Add (sites 15 and 17, the latter without a described object), boxes of a type parameter's
// actual type (18), and an object of Fib, at a site without symbols (19).
static inline void define_allocations(void)
{
    struct site sites[] = {
        {.kind = SITE_STATEMENT, .document = 1, .start_line = 9, .start_column = 9, .end_line = 9, .end_column = 21},
        {.kind = SITE_ALLOCATION, .il_offset = 4, .encoding = VALUE_OBJECT, .type = TYPE_CART, .statement = 14},
        {.kind = SITE_STATEMENT, .document = 1, .start_line = 10, .start_column = 5, .end_line = 10, .end_column = 6},
        {.kind = SITE_ALLOCATION, .il_offset = 9, .encoding = VALUE_OBJECT, .type = TYPE_CART, .statement = 16},
        {.kind = SITE_ALLOCATION, .il_offset = 14, .encoding = VALUE_OBJECT, .statement = 16},
        {.kind = SITE_ALLOCATION, .il_offset = 2, .reason = REASON_UNKNOWN, .type = TYPE_CART},
    };
    define_sites_of(ADD, 14, sites, 5);
    define_sites_of(FIB, 19, sites + 5, 1);
}

static inline void make_allocations(const char *path)
{
    static const uint32_t cells[] = {10, 11, 12, 99, 13, 14};
    static const struct recording_event events[] = {
        {.clock = START + 100, .kind = RECORDING_ENTER, .method = ADD},
        AT(15, 0),
        AT(15, 1),
        AT(17, 2),
        AT(17, 3),
        AT(18, 4),
        AT(18, 5),
        AT(19, 6),
        {.clock = START + 400, .kind = RECORDING_LEAVE},
    };
    const struct recording_object objects[] = {
        {.object = 10, .type = TYPE_CART, .size = 24},   {.object = 11, .type = TYPE_CART, .size = 24},
        {.object = 12, .type = TYPE_CART, .size = 1000}, {.object = 13, .type = TYPE_POINT, .size = 32},
        {.object = 14, .type = TYPE_COLOUR, .size = 24},
    };
    create(path, INSTRUMENT_CALLS | INSTRUMENT_VALUES, CLOCK_KIND_MONOTONIC);
    define();
    define_sites();
    define_allocations();
    must(recording_write_objects(writer, &(struct recording_objects){.process = 1, .count = 5, .objects = objects}));
    must(recording_write_events(writer, &(struct recording_events){.process = 1,
                                                                   .thread = 1,
                                                                   .words = 20,
                                                                   .first_clock = START + 100,
                                                                   .last_clock = START + 400,
                                                                   .count = sizeof events / sizeof *events,
                                                                   .events = events,
                                                                   .cell_count = sizeof cells / sizeof *cells,
                                                                   .cells = cells}));
    finish(9, 0, 1, true);
}

// Objects that got a new number because their identity was uncertain. Some may be the linked objects, a box and an object in
// a struct among them; some cannot be; two are seen while they are constructed. Site 18: `this` of a constructor.
enum { MAKE = LATER + 1 };

static inline void write_uncertain_objects(void)
{
    const struct recording_object objects[] = {
        {.object = 1, .type = TYPE_TEXT, .size = 32, .length = 5, .text = text_of("a\n\\b\"")},
        {.object = 2, .type = TYPE_CART, .size = 24},
        {.object = 4, .type = TYPE_INT, .size = 24},
        {.object = 5, .type = TYPE_CART, .size = 24},
        {.object = 6, .type = 99, .size = 24},
        {.object = 11, .size = 24},
        {.object = 12, .type = TYPE_CART, .size = 24, .perhaps = 2},
        {.object = 13, .type = TYPE_CART, .size = 32, .perhaps = 5}, // larger
        {.object = 14, .type = TYPE_TEXT, .size = 32, .length = 5, .text = text_of("a\n\\b\""), .perhaps = 1},
        {.object = 15, .type = TYPE_TEXT, .size = 32, .length = 5, .text = text_of("other"), .perhaps = 1},
        {.object = 16, .type = TYPE_TEXT, .size = 32, .length = 6, .text = text_of("a\n\\b\""), .perhaps = 1}, // cut
        {.object = 17, .type = TYPE_INT, .size = 24, .perhaps = 4},
        {.object = 18, .type = TYPE_CART, .size = 24, .perhaps = 5},   // comes from an allocation
        {.object = 19, .type = TYPE_CART, .size = 24, .perhaps = 5},   // and from a constructor
        {.object = 20, .type = TYPE_CART, .size = 24, .perhaps = 3},   // the linked object has no definition
        {.object = 21, .type = TYPE_OBJECT, .size = 24, .perhaps = 2}, // of another type
        {.object = 22, .size = 24, .perhaps = 11},                     // its type is not known
        {.object = 23, .type = TYPE_CART, .size = 24, .perhaps = 12},
        {.object = 24, .type = 99, .size = 24, .perhaps = 6}, // of a type without a definition
    };
    must(recording_write_objects(
        writer,
        &(struct recording_objects){.process = 1, .count = sizeof objects / sizeof *objects, .objects = objects}));
}

static inline void make_uncertain(const char *path)
{
    static const uint32_t cells[] = {12, 12, 13, 14, 15, 16, 17, 17, 18, 18, 19, 19, 20, 21, 22, 23, 0, 23, 24};
    static const struct recording_event events[] = {
        {.clock = START + 100, .kind = RECORDING_ENTER, .method = MAIN},
        AT(2, 0),
        AT(16, 0),
        AT(16, 1), // the second event of the object
        AT(16, 2),
        AT(16, 3),
        AT(16, 4),
        AT(16, 5),
        AT(16, 6),
        AT(16, 7), // the second event of the object
        AT(10, 8),
        AT(16, 9),
        {.clock = START + 200, .kind = RECORDING_ENTER, .method = MAKE},
        AT(18, 10),
        {.clock = START + 300, .kind = RECORDING_LEAVE},
        AT(16, 11),
        AT(16, 12),
        AT(16, 13),
        AT(16, 14),
        AT(17, 15),
        AT(16, 17), // the second event of the object
        AT(16, 18),
        {.clock = START + 400, .kind = RECORDING_LEAVE},
    };
    static const uint32_t box_cells[] = {5, 0};
    static const struct recording_box boxes[] = {{8, 17, 8, 0}};
    const struct site this = {.kind = SITE_ARGUMENT,
                              .place = PLACE_PARAMETER,
                              .encoding = VALUE_OBJECT,
                              .type = TYPE_CART,
                              .name = text_of("this")};
    create(path, INSTRUMENT_CALLS | INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES, CLOCK_KIND_MONOTONIC);
    define();
    define_method(MAKE, 1, 0, "Shop.Cart..ctor(int)");
    define_sites();
    define_parts();
    define_boxes();
    define_sites_of(MAKE, 18, &this, 1);
    write_uncertain_objects();
    struct recording_events block = BLOCK_WITH_CELLS(events, cells);
    block.box_count = 1;
    block.boxes = boxes;
    block.box_cell_count = 2;
    block.box_cells = box_cells;
    must(recording_write_events(writer, &block));
    finish(23, 0, 1, true);
}

static inline void make_empty(const char *path)
{
    create(path, INSTRUMENT_TREE, CLOCK_KIND_MONOTONIC);
    define_process(PROCESS_ENDED);
    finish(0, 0, 0, true);
}

#endif
