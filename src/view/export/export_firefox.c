// The Firefox Profiler's processed profile format (github.com/firefox-devtools/profiler, docs-developer), version 48: tables
// as parallel arrays. A thread's stacks are the nodes of its call tree. Where the recording has calls in order, each time
// between two events is a sample with that time as its weight; else each path is a sample with its own time.
//
// Each array is a pass over the thread's events, so that memory does not grow with their number. The tables follow behind
// the samples, since a stream can have paths that a tree lacks (after losses).
#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "base/map.h"
#include "view/export/export_calls.h"
#include "view/export/export_formats.h"
#include "view/json/json.h"

enum { GECKO_VERSION = 29, PROCESSED_VERSION = 48 };
enum pass { PASS_STACK, PASS_TIME, PASS_WEIGHT };

// The state of writing a thread.
struct firefox {
    struct export *export;
    struct json json;
    struct model_tree *from;
    // Samples:
    enum pass pass;
    uint32_t node;   // runs now
    uint64_t clock;  // of the newest event; 0: none
    uint64_t count;  // of samples
    uint64_t sum_ns; // of the weights, where there is no order
    // Tables: the methods in the order of the stacks that have them.
    struct map methods;
    uint32_t *frames;
    size_t frame_count, frame_room;
};

// Milliseconds with six decimals.
static void write_ms(struct json *json, uint64_t ns)
{
    json_fraction(json, ns / 1000000, ns % 1000000, 6);
}

// -- Samples ----------------------------------------------------------------------------------------------------------

static void write_sample(struct firefox *firefox, uint32_t node, uint64_t time_ns, uint64_t weight_ns)
{
    struct json *json = &firefox->json;
    firefox->count++;
    if (firefox->pass == PASS_TIME) {
        write_ms(json, time_ns);
    } else if (firefox->pass == PASS_WEIGHT) {
        write_ms(json, weight_ns);
    } else if (node == TREE_ROOT) {
        json_null(json);
    } else {
        json_u64(json, node - 1); // the root is no stack
    }
}

static enum clew_error take_event(void *context, const struct export_event *event)
{
    struct firefox *firefox = context;
    struct tree *tree = &firefox->from->tree;
    if (event->kind == EXPORT_LOST) {
        return CLEW_OK; // what was open is closed
    }
    uint64_t before = export_ns(firefox->export, firefox->clock), now = export_ns(firefox->export, event->clock);
    if (firefox->clock && now > before) {
        write_sample(firefox, firefox->node, before, now - before);
    }
    firefox->clock = event->clock;
    if (event->kind == EXPORT_END) {
        CLEW_ASSERT(firefox->node != TREE_ROOT && "an end has its beginning");
        firefox->node = tree->nodes[firefox->node].parent;
        return ferror(firefox->export->out) ? CLEW_IO : CLEW_OK;
    }
    firefox->node = tree_child(tree, firefox->node, event->recorded);
    return firefox->node == TREE_NONE ? CLEW_NO_MEMORY : CLEW_OK;
}

// Without an order: each node with its own time, one behind the other.
static enum clew_error write_nodes(struct firefox *firefox)
{
    const struct tree *tree = &firefox->from->tree;
    bool times = model_has_times(firefox->export->model);
    for (uint32_t i = 1; i < tree->count; i++) {
        uint64_t weight =
            times ? model_ns(firefox->export->model, tree_own(&tree->nodes[i])) : tree_calls(&tree->nodes[i]) * 1000000;
        if (weight) {
            write_sample(firefox, i, firefox->sum_ns, weight);
            firefox->sum_ns += weight;
        }
    }
    return CLEW_OK;
}

// Writes one array of the samples, from the calls in order or, with `tree`, from the tree.
static enum clew_error write_column(struct firefox *firefox, const char *key, enum pass pass, bool tree)
{
    const struct export_one_thread thread = {firefox->from->process, firefox->from->thread};
    json_key(&firefox->json, key);
    json_open(&firefox->json, '[');
    firefox->pass = pass;
    firefox->node = TREE_ROOT;
    firefox->clock = firefox->count = firefox->sum_ns = 0;
    enum clew_error error = tree ? write_nodes(firefox) : export_calls(firefox->export, &thread, take_event, firefox);
    json_close(&firefox->json, ']');
    return error == CLEW_NOTHING_RECORDED ? CLEW_OK : error;
}

static enum clew_error count_event(void *context, const struct export_event *event)
{
    uint64_t *count = context;
    (void)event;
    ++*count;
    return CLEW_NOT_FOUND; // one is enough
}

// Whether the thread has calls in order.
static bool has_calls(struct firefox *firefox)
{
    const struct export_one_thread thread = {firefox->from->process, firefox->from->thread};
    uint64_t count = 0;
    if (firefox->export->model->has_stream && model_has_times(firefox->export->model)) {
        (void)export_calls(firefox->export, &thread, count_event, &count);
    }
    return count > 0;
}

static enum clew_error write_samples(struct firefox *firefox)
{
    struct json *json = &firefox->json;
    bool tree = !has_calls(firefox);
    json_key(json, "samples");
    json_open(json, '{');
    CLEW_TRY(write_column(firefox, "stack", PASS_STACK, tree));
    CLEW_TRY(write_column(firefox, "time", PASS_TIME, tree));
    CLEW_TRY(write_column(firefox, "weight", PASS_WEIGHT, tree));
    json_member_text(json, "weightType", text_of("tracing-ms"));
    json_member_u64(json, "length", firefox->count);
    json_close(json, '}');
    return CLEW_OK;
}

// -- Tables -----------------------------------------------------------------------------------------------------------

// The number of a method's frame and function in this thread. UINT32_MAX: memory ran out.
static uint32_t frame_of(struct firefox *firefox, uint32_t node)
{
    uint32_t method = export_method(firefox->export, firefox->from->process, firefox->from->tree.nodes[node].method);
    uint64_t found;
    if (method == CATALOG_NONE || map_get(&firefox->methods, method, &found)) {
        return method == CATALOG_NONE ? UINT32_MAX : (uint32_t)found;
    }
    if (!array_grow(&firefox->frames, firefox->frame_count, &firefox->frame_room, sizeof *firefox->frames) ||
        !map_put(&firefox->methods, method, firefox->frame_count)) {
        return UINT32_MAX;
    }
    firefox->frames[firefox->frame_count++] = method;
    return (uint32_t)(firefox->frame_count - 1);
}

// An array of as many equal values. `value` 0 or 1; -1: null, -2: false.
static void write_same(struct json *json, const char *key, size_t count, int value)
{
    json_key(json, key);
    json_open(json, '[');
    for (size_t i = 0; i < count; i++) {
        if (value == -1) {
            json_null(json);
        } else if (value == -2) {
            json_bool(json, false);
        } else {
            json_u64(json, (uint64_t)value);
        }
    }
    json_close(json, ']');
}

// An array 0, 1, 2, ...
static void write_numbers(struct json *json, const char *key, size_t count)
{
    json_key(json, key);
    json_open(json, '[');
    for (size_t i = 0; i < count; i++) {
        json_u64(json, i);
    }
    json_close(json, ']');
}

static enum clew_error write_stacks(struct firefox *firefox)
{
    struct json *json = &firefox->json;
    const struct tree *tree = &firefox->from->tree;
    json_key(json, "stackTable");
    json_open(json, '{');
    json_key(json, "frame");
    json_open(json, '[');
    for (uint32_t i = 1; i < tree->count; i++) {
        uint32_t frame = frame_of(firefox, i);
        if (frame == UINT32_MAX) {
            return CLEW_NO_MEMORY;
        }
        json_u64(json, frame);
    }
    json_close(json, ']');
    json_key(json, "prefix");
    json_open(json, '[');
    for (uint32_t i = 1; i < tree->count; i++) {
        if (tree->nodes[i].parent == TREE_ROOT) {
            json_null(json);
        } else {
            CLEW_ASSERT(tree->nodes[i].parent < i && "a prefix comes before");
            json_u64(json, tree->nodes[i].parent - 1);
        }
    }
    json_close(json, ']');
    write_same(json, "category", tree->count - 1, 0);
    write_same(json, "subcategory", tree->count - 1, 0);
    json_member_u64(json, "length", tree->count - 1);
    json_close(json, '}');
    return CLEW_OK;
}

// Each method has one frame.
static void write_frames(struct firefox *firefox)
{
    struct json *json = &firefox->json;
    size_t count = firefox->frame_count;
    json_key(json, "frameTable");
    json_open(json, '{');
    json_key(json, "address");
    json_open(json, '[');
    for (size_t i = 0; i < count; i++) {
        json_i64(json, -1); // no machine code
    }
    json_close(json, ']');
    write_same(json, "inlineDepth", count, 0);
    write_same(json, "category", count, 0);
    write_same(json, "subcategory", count, 0);
    write_numbers(json, "func", count);
    write_same(json, "nativeSymbol", count, -1);
    write_same(json, "innerWindowID", count, 0);
    write_same(json, "implementation", count, -1);
    write_same(json, "line", count, -1);
    write_same(json, "column", count, -1);
    json_member_u64(json, "length", count);
    json_close(json, '}');
}

// Texts 0 to count - 1 are the names of functions, and those behind them their files.
static void write_functions(struct firefox *firefox)
{
    struct json *json = &firefox->json;
    size_t count = firefox->frame_count;
    json_key(json, "funcTable");
    json_open(json, '{');
    write_same(json, "isJS", count, -2);
    write_same(json, "relevantForJS", count, -2);
    write_numbers(json, "name", count);
    json_key(json, "resource");
    json_open(json, '[');
    for (size_t i = 0; i < count; i++) {
        json_i64(json, -1);
    }
    json_close(json, ']');
    json_key(json, "fileName");
    json_open(json, '[');
    for (size_t i = 0; i < count; i++) {
        if (export_place_of(firefox->export, firefox->frames[i]).document) {
            json_u64(json, count + i);
        } else {
            json_null(json);
        }
    }
    json_close(json, ']');
    json_key(json, "lineNumber");
    json_open(json, '[');
    for (size_t i = 0; i < count; i++) {
        struct method_place place = export_place_of(firefox->export, firefox->frames[i]);
        if (place.document) {
            json_u64(json, place.line);
        } else {
            json_null(json);
        }
    }
    json_close(json, ']');
    write_same(json, "columnNumber", count, -1);
    json_member_u64(json, "length", count);
    json_close(json, '}');
}

static void write_texts(struct firefox *firefox)
{
    struct json *json = &firefox->json;
    json_key(json, "stringArray");
    json_open(json, '[');
    for (size_t i = 0; i < firefox->frame_count; i++) {
        json_text(json, export_name(firefox->export, firefox->frames[i]));
    }
    for (size_t i = 0; i < firefox->frame_count; i++) {
        struct method_place place = export_place_of(firefox->export, firefox->frames[i]);
        json_text(json, place.document ? place.document->path : (struct text){0});
    }
    json_close(json, ']');
}

// A table without rows.
static void write_empty(struct json *json, const char *key, const char *const *columns)
{
    json_key(json, key);
    json_open(json, '{');
    for (; *columns; columns++) {
        write_same(json, *columns, 0, 0);
    }
    json_member_u64(json, "length", 0);
    json_close(json, '}');
}

// -- The file ---------------------------------------------------------------------------------------------------------

static void write_thread_head(struct firefox *firefox, bool first)
{
    struct json *json = &firefox->json;
    const struct export *export = firefox->export;
    struct buffer title = {0}, number = {0};
    export_process_title(&title, export, firefox->from->process);
    json_member_text(json, "processType", text_of("default"));
    json_member_text(json, "processName", text_in(&title));
    json_member_u64(json, "processStartupTime", 0);
    json_key(json, "processShutdownTime");
    json_null(json);
    json_member_u64(json, "registerTime", 0);
    json_key(json, "unregisterTime");
    json_null(json);
    write_same(json, "pausedRanges", 0, 0);
    buffer_clear(&title);
    export_thread_title(&title, export, firefox->from->process, firefox->from->thread);
    json_member_text(json, "name", text_in(&title));
    json_member_bool(json, "isMainThread", first); // of its process
    buffer_printf(&number, "%u", firefox->from->process);
    json_member_text(json, "pid", text_in(&number));
    json_member_u64(json, "tid", firefox->from->thread);
    buffer_free(&title);
    buffer_free(&number);
}

static enum clew_error write_thread(struct firefox *firefox, bool first)
{
    static const char *const markers[] = {"data", "name", "startTime", "endTime", "phase", "category", NULL};
    static const char *const resources[] = {"lib", "name", "host", "type", NULL};
    static const char *const symbols[] = {"libIndex", "address", "name", "functionSize", NULL};
    struct json *json = &firefox->json;
    json_line(json);
    json_open(json, '{');
    write_thread_head(firefox, first);
    CLEW_TRY(write_samples(firefox));
    write_empty(json, "markers", markers);
    CLEW_TRY(write_stacks(firefox));
    write_frames(firefox);
    write_functions(firefox);
    write_empty(json, "resourceTable", resources);
    write_empty(json, "nativeSymbols", symbols);
    write_texts(firefox);
    json_close(json, '}');
    return ferror(firefox->export->out) ? CLEW_IO : CLEW_OK;
}

static void write_meta(struct json *json, const struct model *model)
{
    json_key(json, "meta");
    json_open(json, '{');
    json_member_u64(json, "interval", 1);
    json_member_u64(json, "startTime", model->session.started_realtime_ns / 1000000);
    json_member_u64(json, "processType", 0);
    json_member_text(json, "product", model->session.command);
    json_member_text(json, "importedFrom", text_of("clew " CLEW_VERSION));
    json_member_u64(json, "stackwalk", 0);
    json_member_bool(json, "debug", false);
    json_member_u64(json, "version", GECKO_VERSION);
    json_member_u64(json, "preprocessedProfileVersion", PROCESSED_VERSION);
    json_member_bool(json, "symbolicated", true);
    json_member_bool(json, "usesOnlyOneStackType", true);
    json_member_bool(json, "doesNotUseFrameImplementation", true);
    json_member_bool(json, "sourceCodeIsNotOnSearchfox", true);
    write_same(json, "markerSchema", 0, 0);
    json_key(json, "categories");
    json_open(json, '[');
    json_open(json, '{');
    json_member_text(json, "name", text_of("Other"));
    json_member_text(json, "color", text_of("grey"));
    json_key(json, "subcategories");
    json_open(json, '[');
    json_text(json, text_of("Other"));
    json_close(json, ']');
    json_close(json, '}');
    json_close(json, ']');
    json_close(json, '}');
}

static enum clew_error write_firefox(struct export *export)
{
    struct firefox firefox = {.export = export, .json = {.out = export->out}};
    struct json *json = &firefox.json;
    enum clew_error error = CLEW_OK;
    json_open(json, '{');
    write_meta(json, export->model);
    write_same(json, "libs", 0, 0);
    json_key(json, "threads");
    json_open(json, '[');
    for (uint32_t i = 0; i < export->model->tree_count && error == CLEW_OK; i++) {
        firefox.from = &export->model->trees[i];
        firefox.frame_count = 0;
        error = write_thread(&firefox, i == 0 || export->model->trees[i - 1].process != firefox.from->process);
        map_free(&firefox.methods);
        firefox.methods = (struct map){0};
    }
    json_close(json, ']');
    json_close(json, '}');
    (void)fputc('\n', export->out); // errors show in ferror()
    map_free(&firefox.methods);
    free(firefox.frames);
    return error;
}

const struct export_format export_firefox = {
    .name = "firefox", .suffix = ".firefox.json", .threads_apart = true, .write = write_firefox};
