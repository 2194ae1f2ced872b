// Redaction: a value is left out when the user has named its storage location, or one that this is within, as secret
// (--redact). The agent answers for one name at a time; this file finds all the names that apply to a request.
#include "trace/tuple_names.h"
#include "weave/plan/planner.h"

bool planner_is_copy(const struct planner *planner, enum site_place place, uint32_t index)
{
    for (uint32_t i = 0; i < planner->copy_count; i++) {
        if (planner->copies[i].place == place && planner->copies[i].index == index) {
            return true;
        }
    }
    return false;
}

static bool is_redacted(const struct planner *planner, enum site_place place, uint32_t index, struct text name)
{
    const struct weave_queries *queries = planner->method->queries;
    if (place == PLACE_NONE || !queries->redacted) {
        return false;
    }
    return (name.size == 0 && planner_is_copy(planner, place, index)) ||
           queries->redacted(queries->context, place, index, name, planner_type_of(planner, place, index));
}

bool planner_is_redacted_place(const struct planner *planner, enum site_place place, uint32_t index)
{
    return is_redacted(planner, place, index, planner_name(planner, place, index).text);
}

bool planner_is_redacted_name(const struct planner *planner, struct text name, struct bytes signature)
{
    const struct weave_queries *queries = planner->method->queries;
    return queries->redacted && queries->redacted(queries->context, PLACE_FIELD, 0, name, signature);
}

// Whether one of the locations that this one is within is redacted: fields within fields, the variable or static field that
// is or holds the first of them, and where an array came from. The walk ends at an object, whose fields go by their own
// names alone.
static bool is_within_redacted(const struct planner *planner, const struct request *request)
{
    const struct il_slot *outer = request->name.holder;
    bool array = place_is_item(request->location.place);
    for (uint32_t i = 0; i < CHAIN_MAX && outer && outer->producer && (array || outer->type.kind != IL_OBJECT); i++) {
        uint32_t index = 0;
        enum site_place place = planner_place_of(outer->producer, &index);
        if (planner_is_redacted_place(planner, place, index)) {
            return true;
        }
        const struct il_slot *under = il_stack_before(&planner->stacks, outer->producer);
        array = outer->producer->opcode == IL_LDELEMA;
        bool field = outer->producer->opcode == IL_LDFLDA || outer->producer->opcode == IL_LDFLD;
        outer = array ? il_slot_at(under, 1) : field ? under : NULL;
    }
    return false;
}

static bool has_redacted_item(const struct planner *planner, struct text tuple_names)
{
    struct text item;
    bool redacted = false;
    while (!redacted && tuple_names_take(&tuple_names, &item)) {
        redacted = planner_is_redacted_name(planner, item, (struct bytes){0});
    }
    return redacted;
}

bool planner_is_redacted(const struct planner *planner, const struct request *request,
                         const struct planner_names *names, struct text owner_name)
{
    const struct location *location = &request->location;
    return is_redacted(planner, request->name.place, request->name.index, names->name.text) ||
           is_redacted(planner, planner_owner_place(location->owner), location->owner_index, owner_name) ||
           is_within_redacted(planner, request) ||
           (request->name.alias && planner_is_redacted_place(planner, PLACE_LOCAL, request->name.alias - 1)) ||
           has_redacted_item(planner, names->tuple_names);
}
