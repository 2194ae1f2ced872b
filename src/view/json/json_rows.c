// See json_rows.h.
#include "view/json/json_rows.h"

#include "view/text/format_method.h"
#include "view/text/format_number.h"

static void write_choices(struct json *json, const struct choices *choices, enum choice_kind kind, const char *key)
{
    bool any = false;
    for (uint32_t i = 0; i < choices->count; i++) {
        if (choices->items[i].kind == kind) {
            if (!any) {
                json_key(json, key);
                json_open(json, '[');
            }
            any = true;
            json_text(json, choices->items[i].pattern);
        }
    }
    if (any) {
        json_close(json, ']');
    }
}

// Names the range and the threads, if the report is limited to some.
static void write_selection(struct json *json, const struct model *model)
{
    const struct model_options *options = &model->options;
    if (model_has_range(model)) {
        json_member_u64(json, "from_ns", options->from_ns);
        json_member_maybe(json, "to_ns", options->to_ns, options->to_ns > 0);
    }
    write_choices(json, &options->choices, CHOICE_METHOD, "selected_methods");
    write_choices(json, &options->choices, CHOICE_UNDER, "selected_under");
    write_choices(json, &options->choices, CHOICE_HIDE, "hidden_methods");
    write_choices(json, &options->choices, CHOICE_CALLERS, "callers_of");
    if (options->threads.count == 0) {
        return;
    }
    json_key(json, "selected_threads");
    json_open(json, '[');
    for (uint32_t i = 0; i < options->threads.count; i++) {
        json_u64(json, options->threads.items[i].thread);
    }
    json_close(json, ']');
}

void json_session(struct json *json, const struct model *model)
{
    json_member_text(json, "version", model->session.version);
    json_member_text(json, "command", model->session.command);
    json_member_text(json, "clock", text_of(clock_name(model->session.clock)));
    json_member_maybe(json, "elapsed_ns", format_elapsed_ns(model), model_has_times(model));
    json_member_bool(json, "adjusted", model->adjusted != 0);
    json_member_bool(json, "complete", model->complete);
    json_member_bool(json, "damaged", model_damaged(model));
    json_member_u64(json, "events", model->events);
    json_member_u64(json, "lost", model->lost);
    write_selection(json, model);
    bool counted = model_counted_calls(model);
    json_member_maybe(json, "calls", model->calls, counted);
    json_member_maybe(json, "open", model->open, counted);
}

void json_ticks(struct json *json, const struct model *model, const char *key, uint64_t ticks, bool known)
{
    json_member_maybe(json, key, model_ns(model, ticks), known && model_has_times(model));
}

void json_method(struct json *json, const struct model *model, uint32_t index)
{
    json_member_text(json, "method", model->catalog.methods[index].record.name);
    json_method_place(json, model, index);
}

void json_method_place(struct json *json, const struct model *model, uint32_t index)
{
    const struct catalog_method *method = &model->catalog.methods[index];
    bool known = method->module_index != CATALOG_NONE;
    json_key(json, "module");
    if (known) {
        json_text(json, model->catalog.modules[method->module_index].name);
    } else {
        json_null(json);
    }
    json_member_text(json, "kind", text_of(format_kind(method->record.kind)));
}

void json_awaits(struct json *json, const struct model *model, const struct wait *waits, uint32_t count)
{
    json_key(json, "awaits");
    json_open(json, '[');
    for (uint32_t i = 0; i < count; i++) {
        json_open(json, '{');
        json_member_text_maybe(json, "what", waits[i].what);
        json_member_text_maybe(json, "file", waits[i].document ? waits[i].document->path : (struct text){0});
        json_member_maybe(json, "line", waits[i].line, waits[i].line > 0);
        json_member_u64(json, "count", waits[i].count);
        json_ticks(json, model, "awaiting_ns", waits[i].awaiting, true);
        json_close(json, '}');
    }
    json_close(json, ']');
}

void json_moment(struct json *json, const struct model *model, const char *key, uint64_t clock)
{
    json_member_maybe(json, key, model_since_start_ns(model, clock), clock && model_has_times(model));
}
