// Chrome's trace event format ("Trace Event Format", JSON object form), for Chrome's DevTools, Perfetto and others: a complete
// event (X) for each call, and an instant event where events were lost. DevTools matches pairs of events (B, E) over all
// threads together, so pairs would be mixed up where threads take turns.
//
// A complete event is written when its call ends. Readers sort by beginning and then by length, and keep the order of the
// file where both are equal: so calls that end at the same clock are written in the order in which they began.
//
// Processes and threads have clew's numbers, so that no two of them share one.
#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "view/export/export_calls.h"
#include "view/export/export_formats.h"
#include "view/json/json.h"

enum { WAITING_MAX = 1 << 16 }; // calls of a thread that wait for its clock to go on

// A call. `order` numbers the calls of a thread as they begin.
struct call {
    uint64_t order, begin, end; // begin and end: clocks
    uint64_t number;            // of the activation; 0: not known
    uint64_t resumed;           // of the run that it continues; 0: of none, or it is not known
    uint32_t method;
    bool began_earlier, unwound, end_not_seen, waits;
};

// A thread: its open calls, and those that ended at its newest clock.
struct lane {
    uint32_t process, thread;
    struct call *open, *waiting;
    size_t open_count, open_room, waiting_count, waiting_room;
    uint64_t begun;
};

// The state of writing.
struct trace {
    struct export *export;
    struct json json;
    struct export_said said; // processes and threads that are named
    struct map lane_of;      // process << 32 | thread: index
    struct lane *lanes;
    size_t lane_count, lane_room;
};

// The members that all events begin with.
static void open_event(struct trace *trace, const char *phase, struct text name, uint32_t process, uint32_t thread)
{
    json_line(&trace->json);
    json_open(&trace->json, '{');
    json_member_text(&trace->json, "ph", text_of(phase));
    json_member_u64(&trace->json, "pid", process);
    json_member_u64(&trace->json, "tid", thread);
    if (name.size) {
        json_member_text(&trace->json, "name", name);
    }
}

// A moment in 1024ths of a microsecond, rounded up, so that the whole nanoseconds in it are the moment's.
static uint64_t grid_of(uint64_t ns)
{
    return ns < UINT64_MAX / 1024 - 1 ? (ns * 1024 + 999) / 1000 : UINT64_MAX / 1000;
}

// Times are microseconds. Readers add beginnings and lengths in floating point, which is exact for 1024ths and not for
// thousandths: a call that ends with its caller would seem to end behind it, and DevTools would leave it out.
static void write_us(struct trace *trace, const char *key, uint64_t grid)
{
    enum { STEP = 9765625, DECIMALS = 10 }; // 1 / 1024 is 0.0009765625
    json_key(&trace->json, key);
    json_fraction(&trace->json, grid / 1024, grid % 1024 * STEP, DECIMALS);
}

// A metadata event that gives a process or thread its name.
static void write_name(struct trace *trace, const char *what, uint32_t process, uint32_t thread, struct text name)
{
    open_event(trace, "M", text_of(what), process, thread);
    json_key(&trace->json, "args");
    json_open(&trace->json, '{');
    json_member_text(&trace->json, "name", name);
    json_close(&trace->json, '}');
    json_close(&trace->json, '}');
}

// Names the process and the thread of an event, each once.
static enum clew_error name_thread(struct trace *trace, const struct export_event *event)
{
    struct buffer title = {0};
    if (!export_was_said(&trace->said, event->process, 0)) {
        export_process_title(&title, trace->export, event->process);
        write_name(trace, "process_name", event->process, 0, text_in(&title));
    }
    buffer_clear(&title);
    if (!export_was_said(&trace->said, event->process, event->thread)) {
        export_thread_title(&title, trace->export, event->process, event->thread);
        write_name(trace, "thread_name", event->process, event->thread, text_in(&title));
    }
    bool failed = title.failed || trace->said.failed;
    buffer_free(&title);
    return failed ? CLEW_NO_MEMORY : CLEW_OK;
}

// The module, the number of the call, and what is unusual about it.
static void write_arguments(struct trace *trace, const struct call *call)
{
    struct json *json = &trace->json;
    struct text module = export_module(trace->export, call->method);
    json_key(json, "args");
    json_open(json, '{');
    if (module.size) {
        json_member_text(json, "module", module);
    }
    if (call->number) {
        json_member_u64(json, "call", call->number);
    }
    if (call->began_earlier) {
        json_member_bool(json, "began_earlier", true);
    }
    if (call->unwound || call->end_not_seen) {
        json_member_bool(json, call->unwound ? "exception" : "end_not_seen", true);
    }
    json_close(json, '}');
}

// An end of an arrow (flow event) that goes from the run of an async method that waits to the one that continues it. Readers
// find the run by its beginning.
static void write_arrow(struct trace *trace, const struct lane *lane, bool ends, uint64_t run, uint64_t grid)
{
    char number[2 + 16 + 1];
    (void)snprintf(number, sizeof number, "0x%" PRIx64, export_wait(lane->process, run));
    open_event(trace, ends ? "f" : "s", text_of("await"), lane->process, lane->thread);
    write_us(trace, "ts", grid);
    json_member_text(&trace->json, "cat", text_of("clew"));
    json_member_text(&trace->json, "id", text_of(number));
    if (ends) {
        json_member_text(&trace->json, "bp", text_of("e"));
    }
    json_close(&trace->json, '}');
}

static void write_call(struct trace *trace, const struct lane *lane, const struct call *call)
{
    uint64_t begin = grid_of(export_ns(trace->export, call->begin)), end = grid_of(export_ns(trace->export, call->end));
    CLEW_ASSERT(begin <= end);
    open_event(trace, "X", export_name(trace->export, call->method), lane->process, lane->thread);
    write_us(trace, "ts", begin);
    write_us(trace, "dur", end - begin);
    json_member_text(&trace->json, "cat", text_of("clew"));
    write_arguments(trace, call);
    json_close(&trace->json, '}');
    if (call->resumed) {
        write_arrow(trace, lane, true, call->resumed, begin);
    }
    if (call->waits && call->number) {
        write_arrow(trace, lane, false, call->number, begin);
    }
}

static void write_lost(struct trace *trace, const struct export_event *event)
{
    open_event(trace, "i", text_of("events lost"), event->process, event->thread);
    write_us(trace, "ts", grid_of(export_ns(trace->export, event->clock)));
    json_member_text(&trace->json, "cat", text_of("clew"));
    json_member_text(&trace->json, "s", text_of("t"));
    json_key(&trace->json, "args");
    json_open(&trace->json, '{');
    json_member_u64(&trace->json, "lost", event->lost);
    json_close(&trace->json, '}');
    json_close(&trace->json, '}');
}

// -- Calls ------------------------------------------------------------------------------------------------------------

static struct lane *lane_of(struct trace *trace, const struct export_event *event)
{
    uint64_t key = (uint64_t)event->process << 32 | event->thread, index;
    if (map_get(&trace->lane_of, key, &index)) {
        return &trace->lanes[index];
    }
    if (!array_grow(&trace->lanes, trace->lane_count, &trace->lane_room, sizeof *trace->lanes) ||
        !map_put(&trace->lane_of, key, trace->lane_count)) {
        return NULL;
    }
    trace->lanes[trace->lane_count] = (struct lane){.process = event->process, .thread = event->thread};
    return &trace->lanes[trace->lane_count++];
}

static int by_order(const void *left, const void *right)
{
    const struct call *a = left, *b = right;
    return (a->order > b->order) - (a->order < b->order);
}

// Writes the calls that waited.
static void write_waiting(struct trace *trace, struct lane *lane)
{
    if (lane->waiting_count > 1) {
        qsort(lane->waiting, lane->waiting_count, sizeof *lane->waiting, by_order);
    }
    for (size_t i = 0; i < lane->waiting_count; i++) {
        write_call(trace, lane, &lane->waiting[i]);
    }
    lane->waiting_count = 0;
}

static enum clew_error begin_call(struct lane *lane, const struct export_event *event)
{
    if (!array_grow(&lane->open, lane->open_count, &lane->open_room, sizeof *lane->open)) {
        return CLEW_NO_MEMORY;
    }
    lane->open[lane->open_count++] = (struct call){.order = lane->begun++,
                                                   .begin = event->clock,
                                                   .number = event->call,
                                                   .method = event->method,
                                                   .began_earlier = event->cut};
    return CLEW_OK;
}

static enum clew_error end_call(struct lane *lane, const struct export_event *event)
{
    CLEW_ASSERT(lane->open_count > 0 && "calls are balanced");
    if (!array_grow(&lane->waiting, lane->waiting_count, &lane->waiting_room, sizeof *lane->waiting)) {
        return CLEW_NO_MEMORY;
    }
    struct call *call = &lane->waiting[lane->waiting_count++];
    *call = lane->open[--lane->open_count];
    call->end = event->clock;
    call->unwound = event->unwound;
    call->end_not_seen = event->cut;
    call->resumed = event->resumed;
    call->waits = event->waits;
    return CLEW_OK;
}

static enum clew_error take_event(void *context, const struct export_event *event)
{
    struct trace *trace = context;
    struct lane *lane = lane_of(trace, event);
    if (!lane) {
        return CLEW_NO_MEMORY;
    }
    CLEW_TRY(name_thread(trace, event));
    if (lane->waiting_count == WAITING_MAX || (lane->waiting_count && lane->waiting[0].end < event->clock)) {
        write_waiting(trace, lane);
    }
    if (event->kind == EXPORT_LOST) {
        write_lost(trace, event);
    } else {
        CLEW_TRY(event->kind == EXPORT_BEGIN ? begin_call(lane, event) : end_call(lane, event));
    }
    return ferror(trace->export->out) ? CLEW_IO : CLEW_OK;
}

// Writes what still waits, and frees all lanes.
static void finish_lanes(struct trace *trace)
{
    for (size_t i = 0; i < trace->lane_count; i++) {
        write_waiting(trace, &trace->lanes[i]);
        free(trace->lanes[i].open);
        free(trace->lanes[i].waiting);
    }
    free(trace->lanes);
    map_free(&trace->lane_of);
}

static enum clew_error write_trace(struct export *export)
{
    struct trace trace = {.export = export, .json = {.out = export->out}};
    struct json *json = &trace.json;
    json_open(json, '{');
    json_member_text(json, "displayTimeUnit", text_of("ns"));
    json_key(json, "otherData");
    json_open(json, '{');
    json_member_text(json, "version", text_of("clew " CLEW_VERSION));
    json_member_text(json, "command", export->model->session.command);
    json_member_text(json, "clock", text_of(clock_name(export->model->session.clock)));
    json_close(json, '}');
    json_key(json, "traceEvents");
    json_open(json, '[');
    enum clew_error error = export_calls(export, NULL, take_event, &trace);
    finish_lanes(&trace);
    json_close(json, ']');
    json_close(json, '}');
    (void)fputc('\n', export->out); // errors show in ferror()
    map_free(&trace.said.known);
    return error;
}

const struct export_format export_trace = {
    .name = "trace", .suffix = ".trace.json", .needs_calls = true, .needs_times = true, .write = write_trace};
