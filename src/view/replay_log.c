// Every entry in order, as "Namespace.Type.Method, id=N, call count = K", two spaces a level, K counting up. This is the
// whole output.
#include <stdlib.h>

#include "view/format.h"
#include "view/replay.h"

static bool make_room(struct replay_context *context, uint32_t index)
{
    if (index < context->count_capacity) {
        return true;
    }
    uint32_t capacity = context->model->catalog.method_count + 64;
    uint64_t *counts = realloc(context->counts, capacity * sizeof *counts);
    if (!counts) {
        return false;
    }
    memset(counts + context->count_capacity, 0, (capacity - context->count_capacity) * sizeof *counts);
    context->counts = counts;
    context->count_capacity = capacity;
    return true;
}

enum clew_error replay_log_step(struct replay_context *log, const struct timeline_step *step)
{
    if (step->kind != TIMELINE_BEGIN || step->frame->joined) {
        return CLEW_OK;
    }
    uint32_t index = catalog_method(&log->model->catalog, step->thread->process, step->frame->method);
    if (index == CATALOG_NONE || !make_room(log, index)) {
        return CLEW_NO_MEMORY;
    }
    log->counts[index]++;
    if (replay_too_deep(log, step)) {
        return CLEW_OK;
    }
    struct text head, tail;
    format_short_name(log->model->catalog.methods[index].record.name, &head, &tail);
    (void)format_indent(log->view, step->level);
    format_foreign(log->view, head);
    format_foreign(log->view, tail);
    (void)fprintf(log->view->out, ", id=%u, call count = %llu\n", step->frame->method,
                  (unsigned long long)log->counts[index]);
    return ferror(log->view->out) ? CLEW_IO : CLEW_OK;
}
