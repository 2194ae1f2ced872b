// Redaction: a value is left out when the user has named its storage location, or one that this is within, as secret
// (--redact). The agent answers for one name at a time; this file finds all the names that apply to a request.
#include "trace/tuple_names.h"
#include "weave/planner.h"

static bool is_redacted(const struct planner *planner, enum site_place place, uint32_t index, struct text name)
{
    const struct weave_queries *queries = planner->method->queries;
    return place != PLACE_NONE && queries->redacted && queries->redacted(queries->context, place, index, name);
}

static bool is_redacted_by_its_name(const struct planner *planner, enum site_place place, uint32_t index)
{
    return is_redacted(planner, place, index, planner_name(planner, place, index).text);
}

// Whether one of the locations that this one is within is redacted: fields within fields, the variable or static field that
// is or holds the first of them, and where an array came from. The walk ends at an object, whose fields go by their own
// names alone.
static bool is_within_redacted(const struct planner *planner, const struct request *request)
{
    const struct il_slot *outer = request->name.holder;
    bool array = request->location.place == PLACE_ITEM;
    for (uint32_t i = 0; i < CHAIN_MAX && outer && outer->producer && (array || outer->type.kind != IL_OBJECT); i++) {
        uint32_t index = 0;
        enum site_place place = planner_place_of(outer->producer, &index);
        if (is_redacted_by_its_name(planner, place, index)) {
            return true;
        }
        const struct il_slot *under = il_stack_before(&planner->stacks, outer->producer);
        array = outer->producer->opcode == IL_LDELEMA;
        outer = array ? il_slot_at(under, 1) : outer->producer->opcode == IL_LDFLDA ? under : NULL;
    }
    return false;
}

static bool has_redacted_item(const struct planner *planner, struct text tuple_names)
{
    struct text item;
    bool redacted = false;
    while (!redacted && tuple_names_take(&tuple_names, &item)) {
        redacted = is_redacted(planner, PLACE_FIELD, 0, item);
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
           (request->name.alias && is_redacted_by_its_name(planner, PLACE_LOCAL, request->name.alias - 1)) ||
           has_redacted_item(planner, names->tuple_names);
}

void planner_redact_with(const struct planner *planner, struct request *request, enum site_place place, uint32_t index)
{
    if (is_redacted_by_its_name(planner, place, index)) {
        planner_leave_out(&request->value, REASON_REDACTED);
    }
}
