// See format_end.h.
#include "view/text/format_end.h"

struct unhandled unhandled_of(const struct model *model, const struct recording_process *process)
{
    struct unhandled out = {0};
    if (!process->unhandled || sites_load(model->recording, &out.sites) != CLEW_OK) {
        return out; // without memory it is not known
    }
    const struct recording_exception *exception = sites_exception(out.sites, process->process, process->unhandled);
    const struct type *type = exception ? sites_type(out.sites, process->process, exception->type) : NULL;
    out.known = exception != NULL;
    out.type = type ? type->name : text_of("");
    out.message = exception ? exception->message : text_of("");
    out.has_message = exception && exception->flags & EXCEPTION_MESSAGE;
    return out;
}

void unhandled_free(struct unhandled *unhandled)
{
    sites_free(unhandled->sites);
    *unhandled = (struct unhandled){0};
}

struct text failed_fast_in(const struct model *model, const struct recording_process *process)
{
    uint32_t index = process->failed_fast > 1
                         ? catalog_find_method(&model->catalog, process->process, process->failed_fast - 1)
                         : CATALOG_NONE;
    return index == CATALOG_NONE ? (struct text){0} : model->catalog.methods[index].record.name;
}

static void format_failed_fast(struct buffer *into, struct text method)
{
    buffer_text(into, ", by Environment.FailFast");
    if (method.size > 0) {
        buffer_text(into, ", called in ");
        buffer_append(into, method.at, method.size);
        buffer_text(into, " or below it");
    }
}

void format_cause(struct buffer *into, const struct model *model, const struct recording_process *process)
{
    if (process->failed_fast) {
        format_failed_fast(into, failed_fast_in(model, process));
        return;
    }
    struct unhandled unhandled = unhandled_of(model, process);
    if (unhandled.known) {
        buffer_text(into, ", by an unhandled ");
        buffer_append(into, unhandled.type.at, unhandled.type.size);
        buffer_text(into, unhandled.type.size ? "" : "exception");
        buffer_text(into, unhandled.has_message ? ": " : "");
        buffer_append(into, unhandled.message.at, unhandled.message.size);
    }
    unhandled_free(&unhandled);
}
