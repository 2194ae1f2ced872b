// See replay.h. Loads the tables that the formats need, and passes each step of the timeline to the chosen format.
#include "base/assert.h"
#include "view/replay/replay.h"

#include <stdlib.h>
#include <string.h>

#include "model/call_filter.h"
#include "trace/instrument.h"
#include "view/replay/replay_format.h"

// One call of view_replay().
struct run {
    const struct replay_format *format;
    struct excluded_blocks excluded; // those without steps of chosen calls
    struct replay_context context;
    bool headed;
};

static const struct replay_format *const formats[] = {[VIEW_REPLAY_STORY] = &replay_story,
                                                      [VIEW_REPLAY_LOG] = &replay_log,
                                                      [VIEW_REPLAY_JSON] = &replay_json,
                                                      [VIEW_REPLAY_LINES] = &replay_lines,
                                                      [VIEW_REPLAY_VARIABLE] = &replay_variable};

static_assert(sizeof formats / sizeof *formats == VIEW_REPLAY_VARIABLE + 1, "a receiver for each format");

// -- Objects that are new ---------------------------------------------------------------------------------------------

// Whether the event creates its object: an allocation, or `this` at the beginning of a constructor.
static bool makes(const struct replay_context *context, const struct event_step *step, const struct site *site)
{
    if (site->kind == SITE_ALLOCATION) {
        return true;
    }
    if (!replay_may_make(site) || !step->frame) {
        return false;
    }
    uint32_t method = replay_frame_method(context, step);
    return method != CATALOG_NONE && context->model->catalog.methods[method].record.flags & METHOD_FLAG_CONSTRUCTOR;
}

// An object that is being created is certainly new, whatever object was at its address before.
static enum clew_error settle_made(struct replay_context *context, const struct event_step *step)
{
    const struct site *site = replay_site(context, step);
    struct site_value value;
    if (!site || !makes(context, step, site) || !replay_take(context, step, site, &value)) {
        return CLEW_OK;
    }
    struct values values = replay_values(context, step);
    bool uncertain = value_uncertain(&values, value_object(&value)) != 0;
    return !uncertain || value_settle(&values, value_object(&value)) ? CLEW_OK : CLEW_NO_MEMORY;
}

// -- Steps ------------------------------------------------------------------------------------------------------------

// Prints the header before the first step, so that a recording without events ends with only an error message.
static void print_head(struct run *run)
{
    if (!run->headed && run->format->head) {
        run->format->head(&run->context);
    }
    run->headed = true;
}

// Whether the step belongs to the call that is shown. A beginning that turns out to belong is passed on now.
static enum clew_error choose(struct run *run, const struct event_step *step)
{
    struct stream_frame *late;
    bool shown;
    CLEW_TRY(replay_call_take(&run->context.call, step, &shown, &late));
    if (late) {
        const struct event_step begun = {.kind = STEP_BEGIN,
                                         .clock = late->started,
                                         .ordinal = step->ordinal,
                                         .thread = step->thread,
                                         .frame = late,
                                         .level = late->level,
                                         .next_known = true};
        run->context.hidden = false;
        CLEW_TRY(run->format->step(&run->context, &begun));
    }
    run->context.hidden = !shown;
    return CLEW_OK;
}

// Passes on a caller of chosen calls.
static enum clew_error pass_caller(void *context, const struct event_step *step)
{
    struct run *run = context;
    run->context.caller = true;
    enum clew_error error = run->format->step(&run->context, step);
    run->context.caller = false;
    return error;
}

// Whether the step is a value that a call's beginning is shown with.
static bool is_argument(const struct run *run, const struct event_step *step)
{
    const struct site *site = step->kind == STEP_SITE && run->context.sites ? replay_site(&run->context, step) : NULL;
    return site && site->kind == SITE_ARGUMENT;
}

// Passes on what is of chosen calls; of their callers, once they are told, the end.
static enum clew_error pass(struct run *run, const struct event_step *step)
{
    enum replay_role role;
    bool told;
    CLEW_TRY(replay_chosen_take(&run->context.chosen, step, &role, &told));
    bool ends = step->kind == STEP_END || step->kind == STEP_OPEN;
    if (role == REPLAY_CALLER && told && ends) {
        return pass_caller(run, step);
    }
    if (role == REPLAY_CALLER) {
        return !told && is_argument(run, step) ? replay_chosen_keep(&run->context.chosen, step) : CLEW_OK;
    }
    run->context.hidden = run->context.hidden || role == REPLAY_LEFT_OUT;
    if (!run->context.hidden) {
        CLEW_TRY(replay_chosen_tell(&run->context.chosen, step, pass_caller, run));
    }
    return !run->context.hidden || step->frame ? run->format->step(&run->context, step) : CLEW_OK;
}

// Receives every step of the timeline, and passes it on.
static enum clew_error any_step(void *context, const struct event_step *step)
{
    struct run *run = context;
    CLEW_ASSERT((step->frame || step->kind >= STEP_LOST) && "calls have a frame");
    print_head(run);
    if (step->kind == STEP_SITE) {
        if (!run->context.sites) {
            return CLEW_OK; // neither the session nor a block header mentions any
        }
        CLEW_TRY(settle_made(&run->context, step));
    }
    CLEW_TRY(choose(run, step));
    if (step->kind == STEP_SUSPEND && !replay_async_note(&run->context.async, step)) {
        return CLEW_NO_MEMORY;
    }
    CLEW_TRY(pass(run, step));
    bool noted = step->kind == STEP_SUSPEND || replay_async_note(&run->context.async, step);
    return noted ? CLEW_OK : CLEW_NO_MEMORY;
}

static bool wants_block(void *context, const struct recording_block *block)
{
    struct run *run = context;
    return !excluded_blocks_have(&run->excluded, block) &&
           (!run->format->wants || run->format->wants(&run->context, block));
}

static void all_done(void *context)
{
    struct run *run = context;
    print_head(run);
    if (run->format->end) {
        run->format->end(&run->context);
    }
}

// -- Begin and end ----------------------------------------------------------------------------------------------------

// Whether there are statements or values. Block headers count as well, since the SESSION block can be damaged.
static bool has_sites(const struct model *model)
{
    return model->session.instruments & (INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES) || model->counts.statements ||
           model->counts.values;
}

// Leaves out blocks without steps of chosen calls. Where some object's identity is uncertain, events that make objects matter, which
// may be in any of them.
static enum clew_error choose_blocks(struct run *run, const struct timeline_options *options)
{
    const struct replay_context *context = &run->context;
    bool some = context->chosen.kinds & (CHOICE_METHOD | CHOICE_UNDER);
    if (!some || context->options->call || run->format->counts ||
        (context->objects && objects_some_uncertain(context->objects))) {
        return CLEW_OK;
    }
    return call_filter_choose(&run->excluded, &context->model->catalog, context->chosen.marks,
                              context->model->recording, options->from, options->to);
}

// Opens the lookups, and chooses what is read.
static enum clew_error start(struct run *run, const struct timeline_options *options)
{
    struct replay_context *context = &run->context;
    if (has_sites(context->model)) {
        CLEW_TRY(sites_load(context->model->recording, &context->sites));
        CLEW_TRY(objects_open(context->model->recording, &context->objects));
        CLEW_TRY(sources_open(context->model->recording, context->model->options.sources, &context->sources));
    }
    if (context->options->format != VIEW_REPLAY_VARIABLE) {
        const struct catalog *catalog = &context->model->catalog;
        CLEW_TRY(replay_chosen_open(&context->options->choices, catalog, &context->chosen));
    }
    CLEW_TRY(choose_blocks(run, options));
    return run->format->start ? run->format->start(context, options) : CLEW_OK;
}

// Adds the damage that the lookups found to the view's health.
static void merge_health(const struct replay_context *context)
{
    if (context->sites) {
        view_merge_health(context->view, sites_health(context->sites));
    }
    if (context->objects) {
        struct recording_health objects = objects_health(context->objects);
        view_merge_health(context->view, &objects);
    }
    if (context->sources) {
        struct recording_health sources = sources_health(context->sources);
        view_merge_health(context->view, &sources);
    }
}

static void finish(struct run *run)
{
    struct replay_context *context = &run->context;
    merge_health(context);
    if (run->format->finish) {
        run->format->finish(context);
    }
    replay_async_free(&context->async);
    replay_call_free(&context->call);
    replay_chosen_free(&context->chosen);
    map_free(&context->settled);
    buffer_free(&context->text);
    sites_free(context->sites);
    sites_free(context->names);
    objects_close(context->objects);
    sources_close(context->sources);
    excluded_blocks_free(&run->excluded);
}

// As timeline_run(), up to the end of the call.
static enum clew_error run_call(struct run *run, const struct timeline_options *options)
{
    struct timeline *timeline;
    CLEW_TRY(timeline_open(run->context.model->recording, options, &timeline));
    enum clew_error error = CLEW_OK;
    while (error == CLEW_OK && !replay_call_is_done(&run->context.call)) {
        error = timeline_advance(timeline);
    }
    if (error == CLEW_OK) {
        all_done(run);
    }
    timeline_close(timeline);
    return error == CLEW_NOT_FOUND ? CLEW_OK : error; // at the end of the recording
}

static enum clew_error run_all(struct run *run, struct timeline_options *options)
{
    const struct view_replay *replay = run->context.options;
    struct model *model = run->context.model;
    CLEW_TRY(start(run, options));
    if (!replay->call) {
        return timeline_run(model->recording, options);
    }
    CLEW_TRY(replay_call_open(model->recording, &model->async, replay->process, replay->call, &run->context.call));
    options->from = run->context.call.from;
    options->borders = true;
    options->states_anew = false;
    return run_call(run, options);
}

enum clew_error view_replay(const struct view *view, struct model *model, const struct view_replay *replay)
{
    struct run run = {.format = formats[replay->format], .context = {.view = view, .model = model, .options = replay}};
    struct timeline_options options = {.threads = replay->threads,
                                       .from = replay->from ? model_clock_at(model, replay->from) : 0,
                                       .to = replay->to == UINT64_MAX ? UINT64_MAX : model_clock_at(model, replay->to),
                                       .states_anew = true,
                                       .async = run.format->async,
                                       .throws = run.format->throws,
                                       .step = any_step,
                                       .wants = wants_block,
                                       .done = all_done,
                                       .context = &run,
                                       .health = view->health};
    run.context.min_time = view->has_min_time ? model_ticks(model, view->min_time_ns) : 0;
    enum clew_error error = run_all(&run, &options);
    finish(&run);
    return error;
}
