// speedscope's file format (speedscope.app/file-format-schema.json): one sampled profile of all threads from the call
// trees, and for each thread its calls in order where the recording has them, else a sampled profile of its own.
// Members of an object may come in any order: the frames come last, when all of them are known.
#include "base/assert.h"
#include "view/export/export_calls.h"
#include "view/export/export_formats.h"
#include "view/json/json.h"

// The frame of calls below the deepest level; that of a method is its canonical index + 1.
enum { DEEPER_FRAME = 0 };

// The state of writing a profile.
struct speedscope {
    struct export *export;
    struct json *json;
    bool weights;  // of the two passes over the tree: the one for the weights
    uint64_t sum;  // of the weights
    uint64_t last; // evented: ns of the last event
    bool begun;    // evented: the profile's head is written
    struct export_one_thread thread;
    const struct buffer *title;
};

static bool in_ns(const struct speedscope *speedscope)
{
    return model_has_times(speedscope->export->model);
}

// The members that all profiles begin with.
static void open_profile(const struct speedscope *speedscope, const char *type, struct text name)
{
    struct json *json = speedscope->json;
    json_line(json);
    json_open(json, '{');
    json_member_text(json, "type", text_of(type));
    json_member_text(json, "name", name);
    json_member_text(json, "unit", text_of(in_ns(speedscope) ? "nanoseconds" : "none"));
    json_member_u64(json, "startValue", 0);
}

// -- Sampled ----------------------------------------------------------------------------------------------------------

// A path with its weight: own time, or calls if there are no times.
static enum clew_error take_path(void *context, const struct export_path *path)
{
    struct speedscope *speedscope = context;
    struct json *json = speedscope->json;
    uint64_t weight = in_ns(speedscope) ? model_ns(speedscope->export->model, path->own) : path->calls;
    if (weight == 0) {
        return CLEW_OK;
    }
    if (speedscope->weights) {
        speedscope->sum += weight;
        json_u64(json, weight);
        return CLEW_OK;
    }
    json_line(json);
    json_open(json, '[');
    for (uint32_t i = 0; i < path->levels; i++) {
        json_u64(json, (uint64_t)path->methods[i] + 1);
    }
    if (path->deeper) {
        json_u64(json, DEEPER_FRAME);
    }
    json_close(json, ']');
    return CLEW_OK;
}

// Writes one of the two arrays of a sampled profile of the trees from `first` up to, not including, `end`.
static enum clew_error write_array(struct speedscope *speedscope, const char *key, uint32_t first, uint32_t end)
{
    json_key(speedscope->json, key);
    json_open(speedscope->json, '[');
    for (uint32_t i = first; i < end; i++) {
        CLEW_TRY(export_walk(speedscope->export, &speedscope->export->model->trees[i], take_path, speedscope));
    }
    json_close(speedscope->json, ']');
    return CLEW_OK;
}

static enum clew_error write_sampled(struct speedscope *speedscope, struct text name, uint32_t first, uint32_t end)
{
    struct buffer title = {0};
    const char *view = export_view(speedscope->export);
    CLEW_ASSERT(first <= end && end <= speedscope->export->model->tree_count);
    buffer_append(&title, name.at, name.size);
    if (view) {
        buffer_printf(&title, ", %s", view);
    }
    open_profile(speedscope, "sampled", text_in(&title));
    buffer_free(&title);
    speedscope->sum = 0;
    speedscope->weights = false;
    CLEW_TRY(write_array(speedscope, "samples", first, end));
    speedscope->weights = true;
    CLEW_TRY(write_array(speedscope, "weights", first, end));
    json_member_u64(speedscope->json, "endValue", speedscope->sum);
    json_close(speedscope->json, '}');
    return CLEW_OK;
}

// -- Evented ----------------------------------------------------------------------------------------------------------

static enum clew_error take_event(void *context, const struct export_event *event)
{
    struct speedscope *speedscope = context;
    struct json *json = speedscope->json;
    if (event->kind == EXPORT_LOST) {
        return CLEW_OK; // the format has no place for it; what was open is closed
    }
    if (!speedscope->begun) {
        open_profile(speedscope, "evented", text_in(speedscope->title));
        json_key(json, "events");
        json_open(json, '[');
    }
    speedscope->begun = true;
    CLEW_ASSERT(export_ns(speedscope->export, event->clock) >= speedscope->last && "clocks do not go back");
    speedscope->last = export_ns(speedscope->export, event->clock);
    json_line(json);
    json_open(json, '{');
    json_member_text(json, "type", text_of(event->kind == EXPORT_BEGIN ? "O" : "C"));
    json_member_u64(json, "frame", (uint64_t)event->method + 1);
    json_member_u64(json, "at", speedscope->last);
    json_close(json, '}');
    return ferror(speedscope->export->out) ? CLEW_IO : CLEW_OK;
}

// Writes a thread's calls; nothing if it has none in the range.
static enum clew_error write_evented(struct speedscope *speedscope)
{
    speedscope->begun = false;
    speedscope->last = 0;
    enum clew_error error = export_calls(speedscope->export, &speedscope->thread, take_event, speedscope);
    if (speedscope->begun) {
        json_close(speedscope->json, ']');
        json_member_u64(speedscope->json, "endValue", speedscope->last);
        json_close(speedscope->json, '}');
    }
    return error == CLEW_NOTHING_RECORDED ? CLEW_OK : error;
}

// -- The file ---------------------------------------------------------------------------------------------------------

// A thread's calls in order, or else its tree. TREE_NONE: it has none of its own.
static enum clew_error write_thread(struct speedscope *speedscope, struct export_one_thread thread, uint32_t tree)
{
    const struct export *export = speedscope->export;
    struct buffer title = {0};
    export_thread_title(&title, export, thread.process, thread.thread);
    speedscope->thread = thread;
    speedscope->title = &title;
    enum clew_error error = CLEW_OK;
    speedscope->begun = false;
    if (export->model->has_stream && in_ns(speedscope)) {
        error = write_evented(speedscope);
    }
    if (error == CLEW_OK && !speedscope->begun && tree != TREE_NONE) {
        error = write_sampled(speedscope, text_in(&title), tree, tree + 1);
    }
    buffer_free(&title);
    return error;
}

// Logical trees are those of all threads together.
static enum clew_error write_threads(struct speedscope *speedscope)
{
    const struct model *model = speedscope->export->model;
    bool apart = model->options.threads_apart;
    enum clew_error error = CLEW_OK;
    for (uint32_t i = 0; apart && i < model->tree_count && error == CLEW_OK; i++) {
        error =
            write_thread(speedscope, (struct export_one_thread){model->trees[i].process, model->trees[i].thread}, i);
    }
    for (uint32_t i = 0; !apart && i < model->catalog.thread_count && error == CLEW_OK; i++) {
        const struct recording_thread *thread = &model->catalog.threads[i].record;
        error = write_thread(speedscope, (struct export_one_thread){thread->process, thread->thread}, TREE_NONE);
    }
    return error;
}

static void write_frames(struct json *json, const struct export *export)
{
    const struct catalog *catalog = &export->model->catalog;
    json_key(json, "shared");
    json_open(json, '{');
    json_key(json, "frames");
    json_open(json, '[');
    json_open(json, '{');
    json_member_text(json, "name", text_of(export_deeper));
    json_close(json, '}');
    for (uint32_t i = 0; i < catalog->method_count; i++) {
        struct method_place place = export_place_of(export, catalog->methods[i].canonical);
        json_line(json);
        json_open(json, '{');
        json_member_text(json, "name", catalog->methods[i].record.name);
        if (place.document) {
            json_member_text(json, "file", place.document->path);
            json_member_u64(json, "line", place.line);
        }
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

static enum clew_error write_profiles(struct speedscope *speedscope)
{
    uint32_t count = speedscope->export->model->tree_count;
    struct json *json = speedscope->json;
    enum clew_error error = CLEW_OK;
    json_key(json, "profiles");
    json_open(json, '[');
    if (count != 1 || !speedscope->export->model->options.threads_apart) {
        error = write_sampled(speedscope, text_of("all threads"), 0, count);
    }
    error = error == CLEW_OK ? write_threads(speedscope) : error;
    json_close(json, ']');
    return error;
}

static enum clew_error write_speedscope(struct export *export)
{
    struct json json = {.out = export->out};
    struct speedscope speedscope = {.export = export, .json = &json};
    json_open(&json, '{');
    json_member_text(&json, "$schema", text_of("https://www.speedscope.app/file-format-schema.json"));
    json_member_text(&json, "exporter", text_of("clew " CLEW_VERSION));
    json_member_text(&json, "name", export->model->session.command);
    json_member_u64(&json, "activeProfileIndex", 0);
    CLEW_TRY(write_profiles(&speedscope));
    write_frames(&json, export);
    json_close(&json, '}');
    (void)fputc('\n', export->out); // errors show in ferror()
    return CLEW_OK;
}

const struct export_format export_speedscope = {.name = "speedscope",
                                                .suffix = ".speedscope.json",
                                                .threads_apart = true,
                                                .logical = true,
                                                .write = write_speedscope};
