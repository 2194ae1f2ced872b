// See replay.h: what the formats share.
#include "view/replay.h"

#include <stdlib.h>
#include <string.h>

#include "model/pattern.h"
#include "view/format.h"

struct text replay_name(const struct replay_context *context, const struct timeline_step *step)
{
    uint32_t index = catalog_method(&context->model->catalog, step->thread->process, step->frame->method);
    return index == CATALOG_NONE ? text_of("?") : context->model->catalog.methods[index].record.name;
}

const struct recording_document *replay_document(const struct replay_context *context, const struct timeline_step *step,
                                                 const struct site *site)
{
    struct catalog *catalog = &context->model->catalog;
    uint32_t process = step->thread->process;
    uint32_t method = catalog_find_method(catalog, process, sites_method(context->sites, process, step->site));
    return method == CATALOG_NONE
               ? NULL
               : sites_document(context->sites, process, catalog->methods[method].record.module, site->document);
}

struct values replay_values(struct replay_context *context, const struct timeline_step *step)
{
    return (struct values){.sites = context->sites,
                           .objects = context->objects,
                           .process = step->thread->process,
                           .boxes = step->boxes,
                           .settled = &context->settled};
}

bool replay_too_deep(const struct replay_context *context, const struct timeline_step *step)
{
    return context->view->depth && step->frame && step->level >= context->view->depth;
}

static uint64_t clock_of(const struct model *model, uint64_t ns)
{
    uint64_t ticks = model_ticks(model, ns), start = model->session.started_clock;
    return ticks < UINT64_MAX - start ? start + ticks : UINT64_MAX;
}

// Whether the event's object is made there: by an allocation, or by the constructor that begins.
static bool makes(const struct replay_context *context, const struct timeline_step *step, const struct site *site)
{
    static const char constructor[] = "..ctor(";
    if (site->kind != SITE_ARGUMENT || site->index != 0 || !step->frame) {
        return site->kind == SITE_ALLOCATION;
    }
    struct text name = replay_name(context, step);
    return memmem(name.at, name.size, constructor, sizeof constructor - 1);
}

// An object that is seen while it is made is no earlier one, whatever number its memory had.
static enum clew_error settle_made(struct replay_context *context, const struct timeline_step *step)
{
    bool at_site = context->sites && step->kind == TIMELINE_SITE;
    const struct site *site = at_site ? sites_site(context->sites, step->thread->process, step->site) : NULL;
    struct values values = replay_values(context, step);
    struct site_value value;
    if (!site || !makes(context, step, site) ||
        sites_take(context->sites, values.process, site, step->cells, step->cells_left, &value) == UINT32_MAX ||
        !value_perhaps(&values, value_object(&value))) {
        return CLEW_OK;
    }
    return value_settle(&values, value_object(&value)) ? CLEW_OK : CLEW_NO_MEMORY;
}

// Nothing is printed before the first step is there: a stream that has none ends in an error message alone.
static void print_head(struct replay_context *context)
{
    if (context->headed) {
        return;
    }
    context->headed = true;
    if (context->format == VIEW_REPLAY_STORY) {
        story_head(context);
    } else if (context->format == VIEW_REPLAY_JSON) {
        replay_json_head(context);
    } else if (context->format == VIEW_REPLAY_VARIABLE) {
        replay_variable_head(context);
    }
}

static enum clew_error any_step(void *context, const struct timeline_step *step)
{
    struct replay_context *replay = context;
    print_head(replay);
    if (step->kind == TIMELINE_SITE && !replay->sites) {
        return CLEW_OK; // neither the session nor a header says that there are any
    }
    CLEW_TRY(settle_made(replay, step));
    switch (replay->format) {
    case VIEW_REPLAY_STORY:
        return story_step(replay, step);
    case VIEW_REPLAY_LOG:
        return replay_log_step(replay, step);
    case VIEW_REPLAY_LINES:
        return replay_lines_step(replay, step);
    case VIEW_REPLAY_VARIABLE:
        return replay_variable_step(replay, step);
    case VIEW_REPLAY_JSON:
        break;
    }
    return replay_json_step(replay, step);
}

static void all_done(void *context)
{
    struct replay_context *replay = context;
    print_head(replay);
    if (replay->format == VIEW_REPLAY_STORY) {
        story_end(replay);
    }
}

// What only statements and values need.
static enum clew_error prepare(struct replay_context *context, const char *path, const struct timeline_options *options)
{
    const struct counts *counts = &context->model->counts; // whatever the session says
    if (!(context->model->session.instruments & (RECORDING_STATEMENTS | RECORDING_VALUES)) && counts->statements == 0 &&
        counts->values == 0) {
        return CLEW_OK;
    }
    CLEW_TRY(sites_load(path, &context->sites));
    CLEW_TRY(objects_open(path, &context->objects));
    CLEW_TRY(sources_open(path, &context->sources));
    return context->format == VIEW_REPLAY_LINES ? endings_find(path, options, context->sites, &context->endings)
                                                : CLEW_OK;
}

static void meet(const struct replay_context *context)
{
    if (context->sites) {
        view_meet(context->view, sites_health(context->sites));
    }
    if (context->objects) {
        struct recording_health objects = objects_health(context->objects);
        view_meet(context->view, &objects);
    }
    if (context->sources) {
        struct recording_health sources = sources_health(context->sources);
        view_meet(context->view, &sources);
    }
}

static void finish(struct replay_context *context)
{
    meet(context);
    free(context->counts);
    free(context->chosen);
    map_free(&context->settled);
    buffer_free(&context->text);
    sites_free(context->sites);
    objects_close(context->objects);
    sources_close(context->sources);
    story_free(context);
    endings_free(context->endings);
}

// Which methods --method means, by their number in the catalog.
static enum clew_error choose_methods(struct replay_context *context)
{
    const struct catalog *catalog = &context->model->catalog;
    struct text asked = context->options->method;
    if (asked.size == 0) {
        return CLEW_OK;
    }
    context->chosen = calloc((size_t)catalog->method_count + 1, sizeof *context->chosen);
    if (!context->chosen) {
        return CLEW_NO_MEMORY;
    }
    context->chosen_count = catalog->method_count;
    for (uint32_t i = 0; i < catalog->method_count; i++) {
        context->chosen[i] = pattern_means(asked, catalog, i);
    }
    return CLEW_OK;
}

enum clew_error view_replay(const struct view *view, struct model *model, const char *path,
                            const struct view_replay *replay)
{
    struct replay_context context = {.view = view, .model = model, .format = replay->format, .options = replay};
    struct timeline_options options = {.thread = replay->thread,
                                       .to = UINT64_MAX,
                                       .step = any_step,
                                       .done = all_done,
                                       .context = &context,
                                       .health = view->met};
    context.min_time = view->has_min_time ? model_ticks(model, view->min_time_ns) : 0;
    options.from = replay->from ? clock_of(model, replay->from) : 0;
    options.to = replay->to == UINT64_MAX ? UINT64_MAX : clock_of(model, replay->to);
    enum clew_error error = choose_methods(&context);
    error = error == CLEW_OK ? prepare(&context, path, &options) : error;
    if (error == CLEW_OK && context.format == VIEW_REPLAY_STORY) {
        error = story_start(&context);
    }
    if (error == CLEW_OK) {
        error = timeline_run(path, &options);
    }
    if (replay->found) {
        *replay->found = context.statements;
    }
    finish(&context);
    return error;
}
