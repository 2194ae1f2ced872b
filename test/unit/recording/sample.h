// A small recording with every kind of record, and every record as a line of text: what the tests of this folder compare.
#ifndef CLEW_TEST_RECORDING_SAMPLE_H
#define CLEW_TEST_RECORDING_SAMPLE_H

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/reader.h"
#include "recording/writer.h"
#include "trace/instrument.h"
#include "trace/site.h"

enum { ALL_TYPES = -1 };

static inline void assert_ok(enum clew_error error)
{
    assert_string_equal(clew_error_sentence(error), clew_error_sentence(CLEW_OK));
}

// A folder for one test program's files, removed with remove_folder().
static inline char *make_folder(void)
{
    char *folder = strdup("/tmp/clew-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
    return folder;
}

static inline void remove_folder(char *folder)
{
    char command[256];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
    free(folder);
}

static inline char *in_folder(const char *folder, const char *name)
{
    char *path;
    assert_true(asprintf(&path, "%s/%s", folder, name) > 0);
    return path;
}

struct lines {
    char **line;
    uint64_t *offset; // of the block
    size_t count;
};

static inline void lines_add(struct lines *lines, const char *line, uint64_t offset)
{
    lines->line = realloc(lines->line, (lines->count + 1) * sizeof *lines->line);
    lines->offset = realloc(lines->offset, (lines->count + 1) * sizeof *lines->offset);
    lines->line[lines->count] = strdup(line);
    lines->offset[lines->count++] = offset;
}

static inline void lines_free(struct lines *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        free(lines->line[i]);
    }
    free(lines->line);
    free(lines->offset);
    *lines = (struct lines){0};
}

static inline void put(struct buffer *into, struct text text)
{
    buffer_printf(into, " '%.*s'", (int)text.size, text.at);
}

static inline void describe_node(struct buffer *into, const struct recording_node *n)
{
#define DESCRIBE(name, type, adds, kind, key) buffer_printf(into, " %lu", (uint64_t)n->name);
    buffer_printf(into, " (%u %u", n->parent, n->method);
    FIGURES(DESCRIBE)
    buffer_printf(into, ")");
#undef DESCRIBE
}

static inline void describe_changes(struct buffer *into, const struct recording_tree_changes *changes)
{
    buffer_printf(into, "changes %u %u seq %lu %lu %u to %u:", changes->process, changes->thread, changes->sequence,
                  changes->clock, changes->before, changes->after);
    for (uint32_t i = 0; i < changes->count; i++) {
        buffer_printf(into, " %u", changes->changes[i].node);
        describe_node(into, &changes->changes[i].by);
    }
}

// Writes nothing without flags, as for recordings that were made before there were flags.
static inline void put_flags(struct buffer *into, uint32_t flags)
{
    if (flags) {
        buffer_printf(into, " flags %u", flags);
    }
}

static inline void describe_tree(struct buffer *into, const struct recording_tree *tree)
{
    buffer_printf(into, "tree %u %u %lu %d:", tree->process, tree->thread, tree->clock, tree->final);
    for (uint32_t i = 0; i < tree->count; i++) {
        describe_node(into, &tree->nodes[i]);
    }
    if (tree->of_stream) {
        buffer_printf(into, " of the stream up to %lu", tree->position);
    }
}

static inline void describe_events(struct buffer *into, const struct recording_events *events)
{
    buffer_printf(into, "events %u %u seq %lu at %lu+%lu %lu..%lu open", events->process, events->thread,
                  events->sequence, events->position, events->words, events->first_clock, events->last_clock);
    for (uint32_t i = 0; i < events->depth; i++) {
        buffer_printf(into, " %u@%lu", events->open[i], events->open_clock[i]);
    }
    if (events->first_number) {
        buffer_printf(into, " numbers %lu", events->first_number);
    }
    for (uint32_t i = 0; i < events->depth && events->first_number; i++) {
        buffer_printf(into, " %lu", events->open_number[i]);
    }
    for (uint32_t i = 0; i < events->depth && events->async; i++) {
        buffer_printf(into, " of %lu", events->open_serial[i]);
    }
    for (uint32_t i = 0; i < events->count; i++) {
        const struct recording_event *e = &events->events[i];
        buffer_printf(into, " (%lu %d %u %lu)", e->clock, (int)e->kind, e->method, e->remaining);
    }
    for (uint32_t i = 0; i < events->stack_count; i++) {
        buffer_printf(into, " s%u", events->stacks[i]);
    }
    for (uint32_t i = 0; i < events->cell_count; i++) {
        buffer_printf(into, " c%u", events->cells[i]);
    }
}

static inline void describe_process(struct buffer *into, const struct recording_process *p)
{
    buffer_printf(into, "process %u %u %d %d", p->process, p->os_id, (int)p->state, p->exit_status);
    put(into, p->command);
    put(into, p->runtime);
    buffer_printf(into, " %lu %lu %lu %lu %lu %lu %lu %lu %lu %d %.17g", p->started_clock, p->ended_clock,
                  p->dynamic_methods, p->pauses, p->paused_ns, p->lost, p->threads_refused, p->probe_ps,
                  p->probe_own_ps, p->over_cap, p->clock_hz);
    if (p->exit_known) { // what version 2 began without
        buffer_printf(into, " exit %d", (int)p->exit_known);
    }
}

static inline void describe_module(struct buffer *into, const struct recording_module *m)
{
    buffer_printf(into, "module %u %u %u ", m->process, m->module, m->flags);
    for (size_t i = 0; i < sizeof m->mvid; i++) {
        buffer_printf(into, "%02x", m->mvid[i]);
    }
    put(into, m->name);
    put(into, m->path);
    put(into, m->reason);
}

static inline void describe_thread(struct buffer *into, const struct recording_thread *t)
{
    buffer_printf(into, "thread %u %u %u", t->process, t->thread, t->os_id);
    put(into, t->name);
    buffer_printf(into, " %lu %lu %lu %lu %lu", t->started_clock, t->ended_clock, t->cpu_user_ns, t->cpu_kernel_ns,
                  t->lost);
}

static inline void put_blob(struct buffer *into, struct bytes blob)
{
    buffer_text(into, " ");
    for (; blob.at < blob.end; blob.at++) {
        buffer_printf(into, "%02x", *blob.at);
    }
}

static inline void describe_objects(struct buffer *into, const struct recording_objects *objects)
{
    buffer_printf(into, "objects %u %u..%u:", objects->process, objects->lowest, objects->highest);
    for (uint32_t i = 0; i < objects->count; i++) {
        const struct recording_object *o = &objects->objects[i];
        buffer_printf(into, " (%u %u %lu %lu", o->object, o->type, o->size, o->length);
        put(into, o->text);
        if (o->perhaps) {
            buffer_printf(into, " perhaps %u", o->perhaps);
        }
        buffer_text(into, ")");
    }
}

static inline void describe_counters(struct buffer *into, const struct recording_counters *counters)
{
    buffer_printf(into, "counters %u %lu:", counters->process, counters->clock);
    for (uint32_t i = 0; i < counters->count; i++) {
        const struct recording_counter *c = &counters->counters[i];
        buffer_printf(into, " (%u %lu %lu)", c->site, c->count, c->own);
    }
}

static inline void describe_runs(struct buffer *into, const struct recording_runs *runs)
{
#define DESCRIBE(name, type, adds, kind, key) buffer_printf(into, " %lu", (uint64_t)r->name);
    buffer_printf(into, "runs %u %u seq %lu %lu:", runs->process, runs->thread, runs->sequence, runs->clock);
    for (uint32_t i = 0; i < runs->count; i++) {
        const struct recording_run *r = &runs->runs[i];
        buffer_printf(into, " (%u", r->node);
        FIGURES_OF_RUNS(DESCRIBE)
        buffer_printf(into, ")");
    }
#undef DESCRIBE
}

static inline void describe_async_record(struct buffer *into, const struct recording_record *record)
{
    switch (record->type) {
    case RECORDING_ASYNC:
        buffer_printf(into, "async %u %u %u", record->async.process, record->async.body, record->async.kickoff);
        put_blob(into, record->async.awaits);
        put_blob(into, record->async.lines);
        break;
    case RECORDING_PATHS:
        buffer_printf(into, "paths %u %u:", record->paths.process, record->paths.first);
        for (uint32_t i = 0; i < record->paths.count; i++) {
            buffer_printf(into, " (%u %u)", record->paths.paths[i].parent, record->paths.paths[i].method);
        }
        break;
    case RECORDING_RUNS:
        describe_runs(into, &record->runs);
        break;
    default:
        fail_msg("the reader gave a record of type %d", (int)record->type);
    }
}

static inline void describe_site_record(struct buffer *into, const struct recording_record *record)
{
    switch (record->type) {
    case RECORDING_SITES:
        buffer_printf(into, "sites %u %u %u", record->sites.process, record->sites.method, record->sites.first);
        put_blob(into, record->sites.blob);
        if (bytes_left(&record->sites.roles) > 0) {
            buffer_text(into, " roles");
            put_blob(into, record->sites.roles);
        }
        break;
    case RECORDING_DOCUMENT:
        buffer_printf(into, "document %u %u %u %u", record->document.process, record->document.module,
                      record->document.document, record->document.hash_kind);
        put(into, record->document.path);
        put_blob(into, record->document.hash);
        if (record->document.language) {
            buffer_printf(into, " %u", record->document.language);
        }
        break;
    case RECORDING_TYPE:
        buffer_printf(into, "type %u %u %u %u", record->value_type.process, record->value_type.type,
                      record->value_type.module, record->value_type.token);
        put_blob(into, record->value_type.blob);
        put_flags(into, record->value_type.flags);
        break;
    case RECORDING_OBJECTS:
        describe_objects(into, &record->objects);
        break;
    case RECORDING_SOURCE:
        buffer_printf(into, "source %u %u %u %d as %u %u %u", record->source.of.process, record->source.of.module,
                      record->source.of.document, (int)record->source.state, record->source.same.process,
                      record->source.same.module, record->source.same.document);
        put(into, record->source.text);
        break;
    case RECORDING_COUNTERS:
        describe_counters(into, &record->counters);
        break;
    case RECORDING_TREE_CHANGES:
        describe_changes(into, &record->changes);
        break;
    default:
        describe_async_record(into, record);
    }
}

static inline void describe_record(struct buffer *into, const struct recording_record *record)
{
    switch (record->type) {
    case RECORDING_PROCESS:
        describe_process(into, &record->process);
        break;
    case RECORDING_MODULE:
        describe_module(into, &record->module);
        break;
    case RECORDING_METHOD:
        buffer_printf(into, "method %u %u %u %u %u", record->method.process, record->method.method,
                      record->method.module, record->method.token, record->method.kind);
        put(into, record->method.name);
        put_flags(into, record->method.flags);
        break;
    case RECORDING_THREAD:
        describe_thread(into, &record->thread);
        break;
    case RECORDING_NOT_WOVEN:
        buffer_printf(into, "not woven %u %u %u", record->not_woven.process, record->not_woven.module,
                      record->not_woven.token);
        put(into, record->not_woven.name);
        put(into, record->not_woven.reason);
        break;
    case RECORDING_COMPILED:
        buffer_printf(into, "compiled %u %u %u %u %llu %u", record->compiled.process, record->compiled.module,
                      record->compiled.token, record->compiled.flags, (unsigned long long)record->compiled.ns,
                      record->compiled.kind);
        put(into, record->compiled.name);
        break;
    case RECORDING_POINTS:
        buffer_printf(into, "points %02x%02x %u %zu %zu", record->points.mvid[0], record->points.mvid[15],
                      record->points.flags, bytes_left(&record->points.documents), bytes_left(&record->points.methods));
        break;
    case RECORDING_TREE_NODES:
        describe_tree(into, &record->tree);
        break;
    case RECORDING_EVENTS:
        describe_events(into, &record->events);
        break;
    case RECORDING_NOTE:
        buffer_printf(into, "note %u", record->note.process);
        put(into, record->note.text);
        break;
    case RECORDING_END:
        buffer_printf(into, "end %lu %lu %lu %u %u %d", record->end.ended_clock, record->end.events, record->end.lost,
                      record->end.processes, record->end.threads, record->end.complete);
        break;
    default:
        describe_site_record(into, record);
    }
    buffer_u8(into, 0);
}

static inline void describe_session(struct buffer *into, const struct recording_session *s)
{
    buffer_text(into, "session");
    put(into, s->version);
    put(into, s->command);
    put(into, s->folder);
    put(into, s->host);
    put(into, s->scope);
    buffer_printf(into, " %s %.17g %lu %lu %u %u %u", clock_name(s->clock), s->clock_hz, s->started_realtime_ns,
                  s->started_clock, s->instruments, s->flags, s->depth_max);
    buffer_u8(into, 0);
}

// Reads from where the reader stands to the end.
static inline struct lines read_lines(struct recording_reader *reader, uint32_t types)
{
    struct lines lines = {0};
    struct recording_record record;
    struct buffer text = {0};
    enum clew_error error;
    while ((error = recording_next(reader, types, &record)) == CLEW_OK) {
        buffer_clear(&text);
        describe_record(&text, &record);
        lines_add(&lines, (const char *)text.data, record.offset);
    }
    assert_int_equal(error, CLEW_NOT_FOUND);
    assert_int_equal(recording_next(reader, types, &record), CLEW_NOT_FOUND); // the end stays the end
    buffer_free(&text);
    return lines;
}

static inline struct lines read_file(const char *path, struct recording_health *health)
{
    struct recording_reader *reader;
    assert_ok(recording_open_reader(path, &reader));
    struct lines lines = read_lines(reader, (uint32_t)ALL_TYPES);
    if (health) {
        *health = recording_health(reader);
    }
    recording_close_reader(reader);
    return lines;
}

static inline struct buffer load_file(const char *path)
{
    struct buffer content = {0};
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &status), 0);
    uint8_t *at = buffer_extend(&content, (size_t)status.st_size);
    assert_int_equal(read(fd, at, content.size), (ssize_t)content.size);
    close(fd);
    return content;
}

static inline void store_file(const char *path, const void *data, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, size), (ssize_t)size);
    close(fd);
}

static inline struct recording_session sample_session(void)
{
    return (struct recording_session){
        .version = text_of("0.1.0"),
        .command = text_of("dotnet app.dll 'a b'"),
        .folder = text_of("/home/me"),
        .host = text_of("box"),
        .scope = text_of("include [App]*\n"),
        .clock = CLOCK_KIND_TSC,
        .clock_hz = 2100000123.5,
        .started_realtime_ns = UINT64_C(1763762601000000001),
        .started_clock = UINT64_C(123456789012),
        .instruments = INSTRUMENT_TREE | INSTRUMENT_CALLS,
        .flags = 1,
        .depth_max = 64,
    };
}

static const struct recording_process sample_process = {
    .process = 1,
    .os_id = 4711,
    .state = PROCESS_ENDED,
    .exit_status = -3,
    .exit_known = RECORDING_EXIT_UNKNOWN,
    .command = {"dotnet app.dll", 14},
    .runtime = {"CoreCLR 10.0.12", 15},
    .started_clock = 5,
    .ended_clock = UINT64_MAX,
    .dynamic_methods = 6,
    .pauses = 7,
    .paused_ns = 8,
    .lost = 9,
    .threads_refused = 10,
    .probe_ps = 11,
    .probe_own_ps = 12,
    .over_cap = true,
    .clock_hz = 2100000999.25,
};

static const struct recording_module sample_module = {
    .process = 1,
    .module = 2,
    .flags = 21,
    .mvid = {1, 2, 3, 0xff, 0, 6},
    .name = {"App.dll", 7},
    .path = {"/home/me/App.dll", 16},
    .reason = {"", 0},
};

static const struct recording_method sample_method = {
    .process = 1,
    .method = 16,
    .module = 2,
    .token = 0x06000001,
    .kind = 1,
    .name = {"App.Main(string[])", 18},
    .flags = 273,
};

static const struct recording_thread sample_thread = {
    .process = 1,
    .thread = 1,
    .os_id = 4712,
    .name = {"m\xc3\xa4in", 5},
    .started_clock = 10,
    .ended_clock = 0,
    .cpu_user_ns = 100,
    .cpu_kernel_ns = 50,
    .lost = 2,
};

static const struct recording_not_woven sample_not_woven = {
    .process = 1,
    .module = 2,
    .token = 0x06000002,
    .name = {"App.Odd()", 9},
    .reason = {"its body is odd", 15},
};

static const struct recording_compiled sample_compiled = {
    .process = 1,
    .module = 2,
    .token = 0x06000003,
    .flags = COMPILED_REFUSED,
    .ns = 5000000000,
    .kind = METHOD_KIND_LAMBDA,
    .name = {"Lib.Sum()", 9},
};

static const uint8_t sample_points_bytes[] = {1, 2, 3};

static const struct recording_points sample_points = {
    .mvid = {1, 2, 3, [15] = 16},
    .flags = POINTS_LAST,
    .documents = {sample_points_bytes, sample_points_bytes + 1},
    .methods = {sample_points_bytes + 1, sample_points_bytes + 3},
};

static const struct recording_note sample_note = {.process = 0, .text = {"a note", 6}};

static const struct recording_node sample_nodes[] = {
    {.calls = 1, .open = 1, .total = 1000, .shortest = UINT64_MAX},
    {.parent = 0, .method = 16, .calls = 3, .total = 900, .shortest = 100, .longest = 500, .exceptions = 1},
    {.parent = 1,
     .method = 17,
     .calls = UINT64_MAX,
     .total = UINT64_MAX,
     .shortest = 0,
     .longest = UINT64_MAX,
     .cpu_user_ns = 4,
     .cpu_kernel_ns = 5},
    {.parent = 1, .method = UINT32_MAX, .calls = 1, .total = 7, .shortest = 7, .longest = 7},
};

static const struct recording_tree sample_tree = {
    .process = 1,
    .thread = 1,
    .clock = 777,
    .final = true,
    .count = 4,
    .nodes = sample_nodes,
};

static const struct recording_run sample_run_list[] = {
    {.node = 1, .completed = 2, .latency = 70, .latency_shortest = 30, .latency_longest = 40},
    {.node = 2, .latency_shortest = UINT64_MAX, .awaiting = UINT64_MAX, .own_awaiting = 5},
    {.node = 3, .faulted = 1, .cancelled = 1, .latency = 9, .latency_shortest = 4, .latency_longest = 5},
};

static const struct recording_runs sample_runs = {
    .process = 1, .thread = 1, .clock = 778, .count = 3, .runs = sample_run_list};

static const struct recording_path sample_path_list[] = {{1, 16}, {3, 1u << 30 | 2}, {0, 0}, {2, 17}};

static const struct recording_event sample_event_list[] = {
    {.clock = 1000, .kind = RECORDING_ENTER, .method = 16},
    {.clock = 1010, .kind = RECORDING_ENTER, .method = UINT32_MAX},
    {.clock = 1020, .kind = RECORDING_LEAVE},
    {.clock = 1500, .kind = RECORDING_FILTER, .remaining = 1},
    {.clock = 1500, .kind = RECORDING_ENTER, .method = 0},
    {.clock = 1510, .kind = RECORDING_UNWIND},
    {.clock = 1510, .kind = RECORDING_FILTER_END},
    {.clock = 1600, .kind = RECORDING_CUT, .remaining = 0},
    {.clock = 9000, .kind = RECORDING_LOST, .lost = UINT64_MAX},
    {.clock = 9000, .kind = RECORDING_STACK, .stated = 3, .depth = 5},
    {.clock = 9000, .kind = RECORDING_STACK, .stated = 0, .depth = 0},
    {.clock = 9030, .kind = RECORDING_STACK, .stated = 1, .depth = 1},
};
static const uint32_t sample_stacks[] = {16, 17, UINT32_MAX, 18};
static const uint32_t sample_open[] = {17, 16};
static const uint64_t sample_open_clock[] = {900, 950};

static inline struct recording_events sample_events(uint32_t thread, uint64_t position)
{
    return (struct recording_events){
        .process = 1,
        .thread = thread,
        .position = position,
        .words = 30,
        .first_clock = 1000,
        .last_clock = 9030,
        .depth = 2,
        .open = sample_open,
        .open_clock = sample_open_clock,
        .count = sizeof sample_event_list / sizeof *sample_event_list,
        .events = sample_event_list,
        .stack_count = 4,
        .stacks = sample_stacks,
    };
}

static const struct recording_end sample_end = {
    .ended_clock = 99999,
    .events = 1234,
    .lost = 2,
    .processes = 1,
    .threads = 2,
    .complete = true,
};

// Sites 1, 2, 3 ... of the sample: one of each form that an event can have.
static const struct site sample_sites[] = {
    {.document = 1, .start_line = 10, .start_column = 5, .end_line = 10, .end_column = 20},
    {.kind = SITE_DEFINITION,
     .place = PLACE_LOCAL,
     .encoding = VALUE_I4,
     .il_offset = 4,
     .statement = 1,
     .name = {"i", 1}},
    {.kind = SITE_DEFINITION, .place = PLACE_ITEM, .owner = OWNER_OBJECT, .encoding = VALUE_U1},
    {.kind = SITE_DEFINITION, .place = PLACE_INDIRECT, .owner = OWNER_ADDRESS, .encoding = VALUE_R4},
    {.kind = SITE_RESULT, .place = PLACE_RESULT, .encoding = VALUE_R8},
    {.kind = SITE_USE, .place = PLACE_STATIC_FIELD, .encoding = VALUE_POINTER},
    {.kind = SITE_ALLOCATION, .encoding = VALUE_OBJECT},
    {.kind = SITE_DEFINITION, .place = PLACE_LOCAL, .encoding = VALUE_STRUCT, .size = 10},
    {.kind = SITE_ARGUMENT, .place = PLACE_PARAMETER, .encoding = VALUE_TYPED},
    {.kind = SITE_DEFINITION,
     .place = PLACE_FIELD,
     .owner = OWNER_THIS,
     .reason = REASON_REDACTED,
     .name = {"password", 8}},
};

#define AT(number_, at_)                                                           \
    {                                                                              \
        .clock = 2000, .kind = RECORDING_AT_SITE, .site = (number_), .cell = (at_) \
    }
static const struct recording_event sample_site_events[] = {
    AT(9, 0), // before anything else, at the first clock
    {.clock = 2010, .kind = RECORDING_ENTER, .method = 16},
    {.clock = 2010, .kind = RECORDING_AT_SITE, .site = 1, .cell = 5},
    {.clock = 2010, .kind = RECORDING_AT_SITE, .site = 2, .cell = 5},
    {.clock = 2500, .kind = RECORDING_AT_SITE, .site = 3, .cell = 6}, // with a clock of its own
    {.clock = 2500, .kind = RECORDING_AT_SITE, .site = 4, .cell = 9},
    {.clock = 2500, .kind = RECORDING_AT_SITE, .site = 5, .cell = 12},
    {.clock = 2500, .kind = RECORDING_AT_SITE, .site = 6, .cell = 14},
    {.clock = 2500, .kind = RECORDING_LOST, .lost = 3},
    {.clock = 2500, .kind = RECORDING_AT_SITE, .site = 7, .cell = 16},
    {.clock = 2500, .kind = RECORDING_AT_SITE, .site = 8, .cell = 17},
    {.clock = 2500, .kind = RECORDING_AT_SITE, .site = 10, .cell = 20},
    {.clock = 2500, .kind = RECORDING_AT_SITE, .site = 2, .cell = 20},
    {.clock = 2500, .kind = RECORDING_AT_SITE, .site = 5, .cell = 21},
    {.clock = 2500, .kind = RECORDING_AT_SITE, .site = 8, .cell = 23},
    {.clock = 2500, .kind = RECORDING_AT_SITE, .site = 9, .cell = 26},
    {.clock = 2600, .kind = RECORDING_LEAVE},
};
#undef AT

static const uint32_t sample_cells[] = {
    7,          9,          0x64636261, 0x68676665, 0x69, // 9: 9 bytes of type 7
    UINT32_MAX,                                           // 2: -1
    5,          3,          255,                          // 3: item 3 of object 5
    0xfffffff0, 0x7fff,     0x3f800000,                   // 4: an address, 1.0f
    0,          0x3ff00000,                               // 5: 1.0
    0xdeadbeef, 0xffffffff,                               // 6
    6,                                                    // 7: object 6
    1,          2,          3,                            // 8
    1,                                                    // 2
    0,          0x40000000,                               // 5: 2.0
    1,          2,          4,                            // 8
    8,          4,          6,                            // 9: object 6, of type 8
};

static inline struct recording_events sample_statements(uint64_t position)
{
    return (struct recording_events){
        .process = 1,
        .thread = 3,
        .position = position,
        .words = 47,
        .first_clock = 2000,
        .last_clock = 2600,
        .count = sizeof sample_site_events / sizeof *sample_site_events,
        .events = sample_site_events,
        .cell_count = sizeof sample_cells / sizeof *sample_cells,
        .cells = sample_cells,
    };
}

static const struct recording_object sample_object_list[] = {
    {.object = 7, .type = 1, .size = 24},
    {.object = 5, .type = 2, .size = 30, .length = 4, .text = {"t\xc3\xa4xt", 5}},
    {.object = UINT32_MAX, .type = UINT32_MAX, .size = UINT64_MAX, .length = UINT64_MAX, .text = {"a", 1}},
};

static const struct recording_object sample_uncertain_list[] = {
    {.object = 10, .type = 2, .size = 30, .length = 4, .text = {"t\xc3\xa4xt", 5}, .perhaps = 5},
    {.object = 9, .type = 1, .size = 24, .perhaps = 11}, // is no link
    {.object = 2, .type = 1, .size = 24, .perhaps = 1},
};

static const struct recording_counter sample_counter_list[] = {
    {.site = 1, .count = 1, .own = 0},
    {.site = 4, .count = UINT64_MAX, .own = UINT64_MAX},
    {.site = UINT32_MAX, .count = 0, .own = 1},
};

static inline void write_sample_sites(struct recording_writer *writer)
{
    struct buffer blob = {0};
    sites_encode(&blob, sample_sites, sizeof sample_sites / sizeof *sample_sites);
    const struct recording_sites sites = {
        .process = 1, .method = 16, .first = 1, .blob = bytes_of(blob.data, blob.size), .roles = bytes_of("\4\1", 2)};
    assert_ok(recording_write_sites(writer, &sites));
    buffer_free(&blob);
}

// What `statements`, `values` and `lines` leave.
static inline void write_site_sample(struct recording_writer *writer)
{
    static const uint8_t hash[] = {0xab, 0, 0xcd};
    struct recording_events events = sample_statements(0);
    struct type type = {.number = 7, .kind = TYPE_ENUM, .encoding = VALUE_I4, .size = 4, .name = {"App.Colour", 10}};
    struct buffer blob = {0};
    type_encode(&blob, &type);
    struct recording_value_type value_type = {1, 7, 2, 0x02000002, bytes_of(blob.data, blob.size), 1};
    struct recording_document document = {
        1, 2, 1, 3, {"/src/App.cs", 11}, bytes_of(hash, sizeof hash), LANGUAGE_FSHARP};
    struct recording_objects objects = {.process = 1, .count = 3, .objects = sample_object_list},
                             uncertain = {.process = 2, .count = 3, .objects = sample_uncertain_list};
    struct recording_counters counters = {.process = 1, .clock = 55, .count = 3, .counters = sample_counter_list};
    struct recording_source source = {{1, 2, 1}, SOURCE_VERIFIED, {"class App\n{\n}\n", 14}, {0}};
    write_sample_sites(writer);
    assert_ok(recording_write_document(writer, &document));
    assert_ok(recording_write_type(writer, &value_type));
    assert_ok(recording_write_events(writer, &events));
    assert_ok(recording_write_objects(writer, &objects));
    assert_ok(recording_write_objects(writer, &uncertain));
    assert_ok(recording_write_source(writer, &source));
    source = (struct recording_source){.of = {1, 2, 2}, .state = SOURCE_DIFFERS};
    assert_ok(recording_write_source(writer, &source));
    source = (struct recording_source){.of = {2, 3, 4}, .state = SOURCE_SAME, .same = {1, 2, 1}};
    assert_ok(recording_write_source(writer, &source));
    assert_ok(recording_write_counters(writer, &counters));
    buffer_free(&blob);
}

// What async methods leave beside their trees.
static inline void write_async_sample(struct recording_writer *writer)
{
    const struct recording_async async = {
        .process = 1, .body = 17, .kickoff = 16, .awaits = bytes_of("\1\106\4Load", 7), .lines = bytes_of("\1\14", 2)};
    const struct recording_paths paths = {1, 3, 4, sample_path_list};
    assert_ok(recording_write_async(writer, &async));
    assert_ok(recording_write_paths(writer, &paths));
}

// Everything but END; some 20 blocks.
static inline void write_sample(struct recording_writer *writer)
{
    struct recording_thread thread = sample_thread;
    struct recording_method method = sample_method;
    struct recording_events events = sample_events(1, 0);
    assert_ok(recording_write_process(writer, &sample_process));
    assert_ok(recording_write_module(writer, &sample_module));
    assert_ok(recording_write_method(writer, &method));
    assert_ok(recording_write_thread(writer, &thread));
    assert_ok(recording_write_events(writer, &events));
    assert_ok(recording_write_not_woven(writer, &sample_not_woven));
    assert_ok(recording_write_note(writer, &sample_note));
    assert_ok(recording_write_compiled(writer, &sample_compiled));
    assert_ok(recording_write_points(writer, &sample_points));
    method.method = 17;
    assert_ok(recording_write_method(writer, &method));
    events = sample_events(2, 0);
    assert_ok(recording_write_events(writer, &events));
    assert_ok(recording_write_tree(writer, &sample_tree));
    assert_ok(recording_write_runs(writer, &sample_runs));
    events = sample_events(1, 30);
    assert_ok(recording_write_events(writer, &events));
    thread.ended_clock = 9999;
    assert_ok(recording_write_thread(writer, &thread));
    write_site_sample(writer);
    write_async_sample(writer);
    assert_ok(recording_flush(writer));
}

#endif
