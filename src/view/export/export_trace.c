// Chrome's trace event format ("Trace Event Format", JSON object form), for Chrome's DevTools, Perfetto and others: a pair of
// events for each call, and an instant event where events were lost. Processes and threads have clew's numbers, so that no
// two of them share one, and names with the numbers of the system.
#include "view/export/export_calls.h"
#include "view/export/export_formats.h"
#include "view/json/json.h"

// The state of writing.
struct trace {
    struct export *export;
    struct json json;
    struct export_said said; // processes and threads that are named
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

// Timestamps are microseconds, here with three decimals.
static void write_moment(struct trace *trace, uint64_t clock)
{
    uint64_t ns = export_ns(trace->export, clock);
    json_key(&trace->json, "ts");
    json_fraction(&trace->json, ns / 1000, (uint32_t)(ns % 1000), 3);
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

// Of a beginning: the module, the number of the call, and whether it began earlier.
static void write_arguments(struct trace *trace, const struct export_event *event)
{
    struct json *json = &trace->json;
    struct text module = export_module(trace->export, event->method);
    if (!module.size && !event->call && !event->cut) {
        return;
    }
    json_key(json, "args");
    json_open(json, '{');
    if (module.size) {
        json_member_text(json, "module", module);
    }
    if (event->call) {
        json_member_u64(json, "call", event->call);
    }
    if (event->cut) {
        json_member_bool(json, "began_earlier", true);
    }
    json_close(json, '}');
}

// Of an end: how, unless it is an ordinary return.
static void write_end(struct trace *trace, const struct export_event *event)
{
    if (event->unwound || event->cut) {
        json_key(&trace->json, "args");
        json_open(&trace->json, '{');
        json_member_bool(&trace->json, event->unwound ? "exception" : "end_not_seen", true);
        json_close(&trace->json, '}');
    }
}

static void write_lost(struct trace *trace, const struct export_event *event)
{
    open_event(trace, "i", text_of("events lost"), event->process, event->thread);
    write_moment(trace, event->clock);
    json_member_text(&trace->json, "s", text_of("t"));
    json_key(&trace->json, "args");
    json_open(&trace->json, '{');
    json_member_u64(&trace->json, "lost", event->lost);
    json_close(&trace->json, '}');
    json_close(&trace->json, '}');
}

static enum clew_error take_event(void *context, const struct export_event *event)
{
    struct trace *trace = context;
    CLEW_TRY(name_thread(trace, event));
    if (event->kind == EXPORT_LOST) {
        write_lost(trace, event);
        return CLEW_OK;
    }
    bool begins = event->kind == EXPORT_BEGIN;
    open_event(trace, begins ? "B" : "E", begins ? export_name(trace->export, event->method) : (struct text){0},
               event->process, event->thread);
    write_moment(trace, event->clock);
    if (begins) {
        json_member_text(&trace->json, "cat", text_of("clew"));
        write_arguments(trace, event);
    } else {
        write_end(trace, event);
    }
    json_close(&trace->json, '}');
    return ferror(trace->export->out) ? CLEW_IO : CLEW_OK;
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
    json_close(json, ']');
    json_close(json, '}');
    (void)fputc('\n', export->out); // errors show in ferror()
    map_free(&trace.said.known);
    return error;
}

const struct export_format export_trace = {
    .name = "trace", .suffix = ".trace.json", .needs_calls = true, .needs_times = true, .write = write_trace};
