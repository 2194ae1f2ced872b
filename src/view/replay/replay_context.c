// See replay_context.h.
#include "view/replay/replay_context.h"

#include "base/assert.h"

struct text replay_name(const struct replay_context *context, const struct event_step *step)
{
    CLEW_ASSERT(step->frame && "the step is a call's");
    uint32_t index = catalog_method(&context->model->catalog, step->thread->process, step->frame->method);
    return index == CATALOG_NONE ? text_of("?") : context->model->catalog.methods[index].record.name;
}

uint32_t replay_frame_method(const struct replay_context *context, const struct event_step *step)
{
    return step->frame ? catalog_find_method(&context->model->catalog, step->thread->process, step->frame->method)
                       : CATALOG_NONE;
}

bool replay_too_deep(const struct replay_context *context, const struct event_step *step)
{
    return context->view->depth && step->frame && step->level >= context->view->depth;
}

const struct site *replay_site(const struct replay_context *context, const struct event_step *step)
{
    return sites_site(context->sites, step->thread->process, step->site);
}

uint32_t replay_site_method(const struct replay_context *context, const struct event_step *step)
{
    uint32_t process = step->thread->process;
    CLEW_ASSERT(step->kind == STEP_SITE);
    return catalog_find_method(&context->model->catalog, process, sites_method(context->sites, process, step->site));
}

const struct recording_document *replay_document(const struct replay_context *context, const struct event_step *step,
                                                 const struct site *statement)
{
    uint32_t method = replay_site_method(context, step);
    if (method == CATALOG_NONE) {
        return NULL;
    }
    uint32_t module = context->model->catalog.methods[method].record.module;
    return sites_document(context->sites, step->thread->process, module, statement->document);
}

bool replay_take(const struct replay_context *context, const struct event_step *step, const struct site *site,
                 struct site_value *out)
{
    uint32_t process = step->thread->process;
    CLEW_ASSERT(step->kind == STEP_SITE && "others have no payload");
    return sites_take(context->sites, process, site, step->cells, step->cells_left, out) != UINT32_MAX;
}

struct values replay_values(struct replay_context *context, const struct event_step *step)
{
    return (struct values){.sites = context->sites,
                           .objects = context->objects,
                           .process = step->thread->process,
                           .boxes = step->boxes,
                           .settled = &context->settled};
}

enum clew_error replay_written(const struct replay_context *context)
{
    if (context->options->found) {
        ++*context->options->found;
    }
    return context->text.failed ? CLEW_NO_MEMORY : ferror(context->view->out) ? CLEW_IO : CLEW_OK;
}

enum clew_error replay_exception(struct replay_context *context, const struct event_step *step,
                                 struct replay_exception *out)
{
    bool caught = step->kind == STEP_CAUGHT;
    if (!context->sites && !context->names) {
        CLEW_TRY(sites_load(context->model->recording, &context->names));
    }
    const struct sites *names = context->sites ? context->sites : context->names;
    const struct recording_exception *exception = sites_exception(names, step->thread->process, step->serial);
    const struct type *type = exception ? sites_type(names, step->thread->process, exception->type) : NULL;
    *out = (struct replay_exception){
        .type = type ? type->name : text_of(""),
        .message = exception ? exception->message : text_of(""),
        .length = exception ? exception->length : 0,
        .has_message = exception && exception->flags & EXCEPTION_MESSAGE,
        .below = step->number & (caught ? THROW_HANDLED_BELOW : THROW_BELOW),
    };
    return CLEW_OK;
}
