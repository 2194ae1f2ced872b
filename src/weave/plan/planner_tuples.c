// The source's name of a variable, field or item, and the names of the items of tuples in it. Metadata has no names for
// the fields of a tuple type: names belong to the variable, field or parameter that was declared with them
// (TupleElementNamesAttribute). So a tuple is followed back to its declaration, through the instructions that pushed
// it.
#include "metadata/names/names_tuple.h"
#include "weave/plan/planner.h"

struct weave_name planner_name(const struct planner *planner, enum site_place place, uint32_t index)
{
    const struct weave_queries *queries = planner->method->queries;
    uint32_t offset = planner->at ? planner->at->offset : 0;
    uint32_t next = planner->at ? planner->at[1].offset : 0;
    if (!queries->name || place == PLACE_NONE) {
        return (struct weave_name){.role = VARIABLE_UNKNOWN};
    }
    return queries->name(queries->context, place, index, offset, next);
}

struct bytes planner_type_of(const struct planner *planner, enum site_place place, uint32_t index)
{
    const struct il_scope *scope = &planner->scope;
    switch (place) {
    case PLACE_LOCAL:
        return index < scope->local_count ? scope->locals[index].signature : (struct bytes){0};
    case PLACE_PARAMETER:
        return index < scope->argument_count ? scope->arguments[index].signature : (struct bytes){0};
    case PLACE_RESULT:
        return scope->result.signature;
    case PLACE_FIELD:
    case PLACE_STATIC_FIELD:
        return il_type_of_field(scope, index).signature;
    default:
        return (struct bytes){0};
    }
}

static struct text tuple_names_of(const struct planner *planner, enum site_place place, uint32_t index)
{
    const struct weave_queries *queries = planner->method->queries;
    uint32_t offset = planner->at ? planner->at->offset : 0;
    uint32_t next = planner->at ? planner->at[1].offset : 0;
    bool is_field = place == PLACE_FIELD || place == PLACE_STATIC_FIELD;
    struct bytes signature = is_field ? (struct bytes){0} : planner_type_of(planner, place, index);
    if (!queries->tuple_names || (!is_field && bytes_left(&signature) == 0)) {
        return (struct text){0};
    }
    return queries->tuple_names(queries->context, place, index, offset, next, signature);
}

// -- Fields -----------------------------------------------------------------------------------------------------------

// The owner of a field: the struct in a variable, or a slot on the stack. Neither: `this`, whose type has no names of
// items.
struct holder {
    enum site_place place;
    uint32_t index;
    const struct il_slot *slot;
};

static struct text names_of_slot(const struct planner *planner, const struct il_slot *slot, unsigned depth);

static struct text names_of_holder(const struct planner *planner, const struct holder *holder, unsigned depth)
{
    return holder->place ? tuple_names_of(planner, holder->place, holder->index)
                         : names_of_slot(planner, holder->slot, depth);
}

static struct planner_names call_field(const struct planner *planner, uint32_t token, const struct holder *holder,
                                       unsigned depth)
{
    struct planner_names called = {.name = planner_name(planner, PLACE_FIELD, token)};
    uint32_t item = names_tuple_item(planner->method->metadata, token);
    if (item) {
        struct text names = names_of_holder(planner, holder, depth);
        struct text name = tuple_names_item(names, item - 1, &called.tuple_names);
        called.name.text = name.size ? name : called.name.text;
        return called;
    }
    called.tuple_names = tuple_names_of(planner, PLACE_FIELD, token);
    if (called.tuple_names.size && *called.tuple_names.at == '!') {
        called.tuple_names = tuple_names_of_field(called.tuple_names, names_of_holder(planner, holder, depth));
    }
    return called;
}

struct text planner_field_name(const struct planner *planner, uint32_t token, const struct il_slot *slot)
{
    return call_field(planner, token, &(struct holder){.slot = slot}, CHAIN_MAX).name.text;
}

// -- Slots of the stack -----------------------------------------------------------------------------------------------

// The names in the type of a value, of the items of an array, or of the value behind an address.
static struct text names_of_slot(const struct planner *planner, const struct il_slot *slot, unsigned depth)
{
    const struct il_instruction *producer = slot ? slot->producer : NULL;
    uint32_t number = 0;
    if (!producer || depth == 0) {
        return (struct text){0};
    }
    const struct il_slot *top = il_stack_before(&planner->stacks, producer);
    enum site_place place = planner_place_of(producer, &number);
    if (place == PLACE_FIELD) {
        return call_field(planner, number, &(struct holder){.slot = top}, depth - 1).tuple_names;
    }
    if (place != PLACE_NONE) {
        return tuple_names_of(planner, place, number);
    }
    switch (il_family(producer, &number)) {
    case IL_LDELEM:
    case IL_LDELEMA:
    case IL_LDELEM_REF:
        return names_of_slot(planner, il_slot_at(top, 1), depth - 1);
    case IL_LDOBJ:
    case IL_LDIND_REF:
        return names_of_slot(planner, top, depth - 1);
    default:
        return (struct text){0};
    }
}

// -- Places -----------------------------------------------------------------------------------------------------------

struct planner_names planner_names(const struct planner *planner, const struct request *request)
{
    struct holder holder = {.place = planner_owner_place(request->location.owner),
                            .index = request->location.owner_index,
                            .slot = request->name.holder};
    struct planner_names called = {.name = planner_name(planner, request->name.place, request->name.index)};
    switch (request->name.place) {
    case PLACE_FIELD:
        return call_field(planner, request->name.index, &holder, CHAIN_MAX);
    case PLACE_NONE:
        called.tuple_names = names_of_slot(planner, request->name.holder, CHAIN_MAX);
        return called;
    default:
        called.tuple_names = tuple_names_of(planner, request->name.place, request->name.index);
        return called;
    }
}
