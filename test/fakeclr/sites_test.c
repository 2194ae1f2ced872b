// Methods with sites: each site is defined, as it is woven, before its body is passed to the runtime. Whatever happens
// to the collector, the program continues, and every event is in the recording or counted as lost.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "collector/drain/process.h"
#include "ring/walk.h"
#include "session.h"
#include "trace/instrument.h"
#include "woven.h"

#define IN_CHILD(name)                    \
    static void test_##name(void **state) \
    {                                     \
        (void)state;                      \
        assert_true(fake_run(name, 60));  \
    }

static const char *const modules[] = {
    "test/fuzz/corpus/pdb/CSharpDebug.dll",      "test/fuzz/corpus/pdb/CSharpRelease.dll",
    "test/fuzz/corpus/pdb/FSharpDebug.dll",      "test/fuzz/corpus/pdb/FSharpRelease.dll",
    "test/fuzz/corpus/pdb/VisualBasicDebug.dll", "test/fuzz/corpus/pdb/VisualBasicRelease.dll",
    "test/fuzz/corpus/pdb/CSharpDebug.dll", // without its symbols
};
enum { MODULES = sizeof modules / sizeof *modules, WITHOUT_SYMBOLS = MODULES - 1 };

static struct ring_options with(uint32_t instruments)
{
    struct ring_options options = session_tree;
    options.instruments = instruments;
    return options;
}

// -- Every method -----------------------------------------------------------------------------------------------------

static void definitions_come_first(struct fake_module *module, uint32_t token, const uint8_t *il, size_t size)
{
    (void)module;
    (void)il;
    (void)size;
    const struct told *method = session_find(RING_DEFINE_METHOD, 0, token);
    CHECK(method);
    uint32_t count, sites = 0;
    const struct told *all = session_told(&count);
    for (uint32_t i = 0; i < count; i++) {
        sites += all[i].type == RING_DEFINE_SITES && all[i].method == method->method;
    }
    bool has_context = false;
    for (size_t i = 0; i + 8 < size; i++) {
        has_context |= memcmp(il + i, &(uint64_t){(uintptr_t)session_ring}, 8) == 0;
    }
    CHECK(sites > 0 || !has_context); // events that IL stores count from the segment
}

struct counts {
    uint32_t methods, runs, statements, with_lines, values, named, generated;
};

static void count_sites(const struct woven_sites *sites, struct counts *counts)
{
    counts->methods++;
    counts->runs += sites->is_run;
    for (uint32_t i = 0; i < sites->count; i++) {
        const struct site *site = &sites->sites[i];
        counts->statements += site->kind == SITE_STATEMENT;
        counts->with_lines += site->kind == SITE_STATEMENT && site->document && site->start_line;
        counts->values += site->kind != SITE_STATEMENT && site->encoding != VALUE_NONE;
        counts->named += site->name.size > 0;
        // The role of a variable is known if its name comes from metadata or symbols.
        bool named_by_itself = site->name.size > 0 && site->place >= PLACE_LOCAL && site->place <= PLACE_STATIC_FIELD;
        CHECK(!named_by_itself ||
              (site->role != VARIABLE_UNKNOWN && site->role != VARIABLE_GENERATED && site->role != VARIABLE_LINK));
        CHECK((site->role == VARIABLE_THIS) >=
              (site->kind == SITE_ARGUMENT && text_equal(site->name, text_of("this"))));
        counts->generated += site->role == VARIABLE_GENERATED || site->role == VARIABLE_LINK;
    }
}

static struct counts compile_all(struct fake_module *module)
{
    struct counts counts = {0};
    for (uint32_t row = 1; row <= module->method_count; row++) {
        struct woven_sites sites;
        if (!fake_has_il(module, row)) {
            continue;
        }
        fake_compile(module, row, 0);
        CHECK_EQUAL(module->methods[row - 1].times_set, 1);
        if (woven_sites_read(module, row, &sites)) {
            count_sites(&sites, &counts);
        }
        woven_sites_free(&sites);
    }
    return counts;
}

// The signatures of the data that a debug directory leads to.
static void hide_symbols(struct fake_module *module)
{
    for (size_t i = 0; i + 4 <= module->size; i++) {
        if (memcmp(module->bytes + i, "RSDS", 4) == 0 || memcmp(module->bytes + i, "MPDB", 4) == 0) {
            memset(module->bytes + i, 0, 4);
        }
    }
}

static void every_method_has_its_sites(void)
{
    struct ring_options options = with(INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES);
    session_record(&options);
    fake_before_set = definitions_come_first;
    uint32_t runs = 0;
    for (uint32_t i = 0; i < MODULES; i++) {
        struct fake_module *module = fake_module_new(modules[i]);
        if (i == WITHOUT_SYMBOLS) {
            hide_symbols(module);
        }
        fake_load_finished(module);
        struct counts counts = compile_all(module);
        runs += counts.runs;
        CHECK(counts.methods > 20 && counts.statements > 50 && counts.values > 50);
        CHECK_EQUAL(counts.with_lines, i == WITHOUT_SYMBOLS ? 0 : counts.statements);
        CHECK(counts.named > (i == WITHOUT_SYMBOLS ? 5 : 40));
        CHECK(i == WITHOUT_SYMBOLS || counts.generated > 0);
        const struct told *document = session_find(RING_DEFINE_DOCUMENT, i + 1, 0);
        CHECK((document != NULL) == (i != WITHOUT_SYMBOLS));
        CHECK(!document || (document->number > 0 && document->path[0]));
    }
    CHECK(runs > 0);
    CHECK_EQUAL(session_count(RING_DEFINE_NOT_WOVEN), 0);
}
IN_CHILD(every_method_has_its_sites)

static void statements_alone_have_no_values(void)
{
    struct ring_options options = with(INSTRUMENT_STATEMENTS);
    session_record(&options);
    struct counts counts = compile_all(fake_load(modules[0]));
    CHECK(counts.statements > 50);
    CHECK_EQUAL(counts.values, 0);
}
IN_CHILD(statements_alone_have_no_values)

static void each_instrument_has_its_scope(void)
{
    struct ring_options options = with(INSTRUMENT_TREE | INSTRUMENT_STATEMENTS);
    options.scope = text_of("tree *\nstatements [*]Nothing.*\n");
    session_record(&options);
    struct counts counts = compile_all(fake_load(modules[0]));
    CHECK_EQUAL(counts.methods, 0);
    CHECK(session_count(RING_DEFINE_METHOD) > 20); // in the tree
}
IN_CHILD(each_instrument_has_its_scope)

// -- What the program writes, and what is left of it ------------------------------------------------------------------

enum { EVENTS = 200000, CHECK_EVERY = 64 };

static struct woven_sites method;
static uint32_t number_site; // of a 32-bit local

static void find_method(void)
{
    struct fake_module *module = fake_load(modules[0]);
    for (uint32_t row = 1; row <= module->method_count; row++) {
        if (!fake_has_il(module, row)) {
            continue;
        }
        fake_compile(module, row, 0);
        bool found = woven_sites_read(module, row, &method) && method.room && method.wait && method.leave;
        for (uint32_t i = 0; found && i < method.count; i++) {
            const struct site *site = &method.sites[i];
            if (site->encoding == VALUE_I4 && payload_cells(site) == 1) {
                number_site = method.first + i;
                return;
            }
        }
        woven_sites_free(&method);
    }
    FAIL("no method has an int local and a loop");
}

static void put_number(struct ring_thread *context, uint32_t value)
{
    uint64_t at = atomic_load_explicit(&context->at, memory_order_relaxed);
    uint32_t *cells = (uint32_t *)(uintptr_t)at;
    cells[0] = number_site << 2 | RING_EVENT_SITE;
    cells[1] = value;
    atomic_store_explicit(&context->at, at + 8, memory_order_release);
}

// Two activations that alternate, as in a loop with a call.
static void *run_program(void *unused)
{
    uintptr_t activation;
    struct ring_thread *outer = method.enter_context(method.number, &activation);
    for (uint32_t i = 1; i <= EVENTS; i++) {
        if (i % CHECK_EVERY == 0 && atomic_load_explicit(&outer->at, memory_order_relaxed) >= outer->limit &&
            method.room(outer)) {
            method.wait();
        }
        put_number(outer, i);
        if (i % 1000 == 0) {
            (void)method.enter_context(method.number, NULL);
            if (method.leave(method.number)) {
                method.wait();
            }
        }
    }
    if (method.leave(method.number)) {
        method.wait();
    }
    return unused;
}

enum { WRITTEN = EVENTS + 2 + 2 * (EVENTS / 1000) };

// -- The collector ----------------------------------------------------------------------------------------------------

// The collector is a process of its own here too: what the segment's rules of ordering allow is no race then.
static _Atomic bool *program_over; // shared with it
static bool collector_pauses;      // and each of its passes gives way as soon as it may
static char recording[64];
static struct session_shared shared;
static struct session session = {.record = {.clock = CLOCK_KIND_TSC, .clock_hz = 1e9}, .shared = &shared};

static struct process *begin_collecting(struct drain *drain)
{
    struct process *process;
    session.record.instruments = session_ring->instruments;
    session.calibration = clock_pair_now();
    atomic_store(&session_ring->definitions_read, 0); // the test has read them, too; there is room for all
    *drain = (struct drain){.session = &session, .until_ns = collector_pauses ? 0 : UINT64_MAX};
    CHECK_EQUAL(recording_create(recording, &session.record, &drain->writer), CLEW_OK);
    CHECK(stream_block_init(&drain->block));
    session_protect();
    struct watch watch = {.pid = (pid_t)session_ring->os_pid, .pidfd = -1};
    CHECK_EQUAL(process_new(session_ring, watch, (struct text){0}, &process), CLEW_OK);
    return process;
}

static void end_collecting(struct process *process, struct drain *drain)
{
    bool done;
    process_begin_end(process, PROCESS_ENDED, 0);
    do {
        CHECK_EQUAL(process_finish(process, drain, &done), CLEW_OK);
    } while (!done);
    CHECK_EQUAL(recording_close(drain->writer, &(struct recording_end){.complete = true}), CLEW_OK);
}

static void collect(void)
{
    struct drain drain;
    struct process *process = begin_collecting(&drain);
    while (!atomic_load(program_over)) {
        CHECK_EQUAL(process_drain(process, &drain, clock_monotonic_ns()), CLEW_OK);
        const struct timespec pause = {.tv_nsec = collector_pauses ? 5000000 : 100000};
        (void)nanosleep(&pause, NULL);
    }
    end_collecting(process, &drain);
}

struct outcome {
    uint64_t events, told_lost, lost, last;
    int64_t depth;
};

static void add_block(struct outcome *outcome, const struct recording_events *block)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const struct recording_event *event = &block->events[i];
        outcome->events +=
            event->kind == RECORDING_ENTER || event->kind == RECORDING_LEAVE || event->kind == RECORDING_AT_SITE;
        outcome->told_lost += event->kind == RECORDING_LOST ? event->lost : 0;
        outcome->depth += (event->kind == RECORDING_ENTER) - (event->kind == RECORDING_LEAVE);
        outcome->depth = event->kind == RECORDING_STACK ? (int64_t)event->depth : outcome->depth;
        if (event->kind == RECORDING_AT_SITE) {
            CHECK_EQUAL(event->site, number_site);
            CHECK(block->cells[event->cell] > outcome->last);
            CHECK(outcome->told_lost > 0 || block->cells[event->cell] == outcome->last + 1);
            outcome->last = block->cells[event->cell];
        }
    }
}

static struct outcome read_recording(void)
{
    struct outcome outcome = {0};
    struct recording_reader *reader;
    struct recording_record record;
    CHECK_EQUAL(recording_open_reader(recording, &reader), CLEW_OK);
    while (recording_next(reader, UINT32_MAX, &record) == CLEW_OK) {
        if (record.type == RECORDING_EVENTS) {
            add_block(&outcome, &record.events);
        } else if (record.type == RECORDING_PROCESS) {
            outcome.lost = record.process.lost;
        }
    }
    recording_close_reader(reader);
    (void)unlink(recording); // of a test that has passed so far
    return outcome;
}

static void begin_recording(const struct ring_options *options)
{
    session_record(options);
    find_method();
    (void)snprintf(recording, sizeof recording, "/tmp/fakeclr-%d.clew", (int)getpid());
}

static struct outcome run(const struct ring_options *options, bool slowly)
{
    pthread_t program;
    int status;
    begin_recording(options);
    collector_pauses = slowly;
    program_over = mmap(NULL, sizeof *program_over, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(program_over != MAP_FAILED);
    pid_t collector = _Fork(); // fork() takes the segment from a child (agent/control/forked.c), and this one collects
    if (collector == 0) {
        collect();
        _exit(0);
    }
    CHECK_EQUAL(pthread_create(&program, NULL, run_program, NULL), 0);
    CHECK_EQUAL(pthread_join(program, NULL), 0);
    atomic_store(program_over, true);
    CHECK_EQUAL(waitpid(collector, &status, 0), collector);
    CHECK_EQUAL(status, 0);
    return read_recording();
}

static void every_event_is_recorded(void)
{
    struct ring_options options = with(INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES);
    struct outcome outcome = run(&options, false);
    CHECK_EQUAL(outcome.events, WRITTEN);
    CHECK_EQUAL(outcome.lost, 0);
    CHECK_EQUAL(outcome.depth, 0);
    CHECK_EQUAL(outcome.last, EVENTS);
}
IN_CHILD(every_event_is_recorded)

static void an_empty_pool_is_waited_for(void)
{
    struct ring_options options = with(INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES);
    options.chunk_quota = 3;
    struct outcome outcome = run(&options, true);
    CHECK(session_ring->pauses > 0);
    CHECK_EQUAL(outcome.events, WRITTEN);
    CHECK_EQUAL(outcome.lost, 0);
    CHECK_EQUAL(outcome.last, EVENTS);
}
IN_CHILD(an_empty_pool_is_waited_for)

static void lossy_events_are_recorded_or_counted(void)
{
    struct ring_options options = with(INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES);
    options.chunk_quota = 3;
    options.flags = SESSION_LOSSY;
    struct outcome outcome = run(&options, true);
    CHECK_EQUAL(session_ring->pauses, 0);
    CHECK(outcome.lost > 0);
    CHECK_EQUAL(outcome.events + outcome.lost, WRITTEN);
    CHECK(outcome.told_lost <= outcome.lost);
}
IN_CHILD(lossy_events_are_recorded_or_counted)

// The collector is gone before the program begins; another one finishes the recording.
static void a_dead_collector_is_not_waited_for(void)
{
    struct ring_options options = with(INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES);
    pthread_t program;
    struct drain drain;
    options.chunk_quota = 3;
    begin_recording(&options);
    atomic_store(&session_ring->collector_gone, 1);
    CHECK_EQUAL(pthread_create(&program, NULL, run_program, NULL), 0);
    CHECK_EQUAL(pthread_join(program, NULL), 0);
    end_collecting(begin_collecting(&drain), &drain);
    struct outcome outcome = read_recording();
    CHECK(outcome.lost > EVENTS / 2);
    CHECK_EQUAL(outcome.events + outcome.lost, WRITTEN);
}
IN_CHILD(a_dead_collector_is_not_waited_for)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_method_has_its_sites),
        cmocka_unit_test(test_statements_alone_have_no_values),
        cmocka_unit_test(test_each_instrument_has_its_scope),
        cmocka_unit_test(test_every_event_is_recorded),
        cmocka_unit_test(test_an_empty_pool_is_waited_for),
        cmocka_unit_test(test_lossy_events_are_recorded_or_counted),
        cmocka_unit_test(test_a_dead_collector_is_not_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
