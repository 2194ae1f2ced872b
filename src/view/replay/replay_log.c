// Format log: one line per entry, "Namespace.Type.Method, id=N, call count = K", indented by two blanks per level. K
// counts the method's entries so far. Nothing else is printed, so that the output can be compared with other logs of
// this form.
#include <stdlib.h>

#include "base/assert.h"
#include "view/replay/replay_format.h"
#include "view/text/format_method.h"
#include "view/text/format_text.h"

// The counters K. They grow with the catalog.
struct entries {
    uint64_t *of; // number of entries, by method of the catalog
    uint32_t room;
};

static enum clew_error start(struct replay_context *context, const struct timeline_options *options)
{
    (void)options;
    context->own = calloc(1, sizeof(struct entries));
    return context->own ? CLEW_OK : CLEW_NO_MEMORY;
}

// The catalog can grow during the replay, when an event names a method without a definition.
static bool make_room(struct entries *entries, const struct catalog *catalog, uint32_t method)
{
    enum { MORE = 64 };
    if (method < entries->room) {
        return true;
    }
    uint32_t room = catalog->method_count + MORE;
    uint64_t *of = realloc(entries->of, room * sizeof *of);
    if (!of) {
        return false;
    }
    memset(of + entries->room, 0, (room - entries->room) * sizeof *of);
    *entries = (struct entries){of, room};
    return true;
}

// Every entry is counted, but only those within --depth are printed, so that K is always the true count.
static enum clew_error step_log(struct replay_context *context, const struct event_step *step)
{
    struct entries *entries = context->own;
    struct catalog *catalog = &context->model->catalog;
    const struct view *view = context->view;
    if (step->kind != STEP_BEGIN || step->frame->joined) {
        return CLEW_OK;
    }
    uint32_t method = catalog_method(catalog, step->thread->process, step->frame->method);
    if (method == CATALOG_NONE || !make_room(entries, catalog, method)) {
        return CLEW_NO_MEMORY;
    }
    CLEW_ASSERT(method < entries->room);
    entries->of[method] += !context->caller;
    if (context->hidden || replay_too_deep(context, step)) {
        return CLEW_OK;
    }
    struct text head, tail;
    format_short_name(catalog->methods[method].record.name, &head, &tail);
    (void)format_indent(view, step->level);
    format_foreign(view, head);
    format_foreign(view, tail);
    (void)fprintf(view->out, ", id=%u, call count = %llu\n", step->frame->method,
                  (unsigned long long)entries->of[method]);
    return replay_written(context);
}

static void finish(struct replay_context *context)
{
    struct entries *entries = context->own;
    free(entries ? entries->of : NULL);
    free(entries);
}

const struct replay_format replay_log = {.counts = true, .start = start, .step = step_log, .finish = finish};
