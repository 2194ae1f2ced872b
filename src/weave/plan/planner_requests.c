// From a request to a site and the insertion that makes its event: how its cells are written, what is spilled for it, and
// in which locals.
#include "base/assert.h"
#include "weave/operations/original.h"
#include "weave/plan/planner.h"

enum { INLINE_STRUCT_MAX = 64 }; // bytes; the address of larger structs is passed

// -- The emit strategy ------------------------------------------------------------------------------------------------

// Whether the value may be read where it is. That needs its address, and taking an address can cost the program
// optimisations: the JIT may copy a variable whose address goes nowhere else, and it keeps the fields of a struct that is
// not `wide` in registers unless a call gets its address. A struct that the method has the address of is in memory, and a copy
// might hold what looks like references, if unsafe code has made it.
static bool may_stay_in_place(const struct request *request)
{
    enum source_kind source = request->source.kind;
    bool variable = source >= FROM_LOCAL && source <= FROM_PARAMETER_FIELD;
    bool has_address = variable ? request->passed : source >= FROM_THIS_FIELD && source <= FROM_ADDRESS;
    return has_address && (request->value.wide || request->kind == SITE_ARGUMENT);
}

static enum strategy strategy_of(const struct request *request)
{
    const struct value *value = &request->value;
    bool in_place = may_stay_in_place(request);
    bool of_object = request->location.owner == OWNER_OBJECT;
    switch (value->encoding) {
    case VALUE_OBJECT:
        return EMIT_AT;
    case VALUE_TYPED:
        return !value->by_number ? EMIT_TYPED : in_place ? EMIT_IN_PLACE : EMIT_SIZED;
    case VALUE_STRUCT:
        if (of_object || value->has_references || value->size > INLINE_STRUCT_MAX || request->checked) {
            return in_place ? EMIT_IN_PLACE : EMIT_AT;
        }
        return EMIT_INLINE;
    case VALUE_R4:
    case VALUE_R8:
        return of_object ? EMIT_AT : EMIT_INLINE;
    default:
        return of_object ? EMIT_BITS : EMIT_INLINE;
    }
}

// -- Results ----------------------------------------------------------------------------------------------------------

// Whether an instruction does nothing but store what is on top of the stack.
static bool only_stores(const struct il_instruction *at)
{
    uint32_t number;
    switch (il_family(at, &number)) {
    case IL_STLOC:
    case IL_STARG:
    case IL_STFLD:
    case IL_STSFLD:
    case IL_STOBJ:
    case IL_STELEM:
    case IL_STELEM_REF:
    case IL_STIND_REF:
    case IL_POP:
        return true;
    default:
        return false;
    }
}

static enum result result_of(const struct planner *planner, const struct event *event)
{
    const struct il_instruction *next = planner->at + 1;
    if (!event->clears_value) {
        return RESULT_COPIED;
    }
    if (next == planner->body->end || next->opcode == IL_DUP || planner_is_kept_new(planner, planner->at)) {
        return RESULT_DUPLICATED;
    }
    if (!next->target && only_stores(next)) {
        return RESULT_UNTIL_STORED;
    }
    if (!next->target && event->value.kind == IL_OBJECT && weave_branches_on_one(next->opcode)) {
        return RESULT_TESTED;
    }
    return RESULT_HELD;
}

// -- Locals -----------------------------------------------------------------------------------------------------------

static struct appended local_of_kind(struct planner *planner, uint32_t role, enum il_kind kind)
{
    return (struct appended){planner_local_of_kind(planner, role, kind), kind};
}

// The owner in front of the current instruction, from whose operands it is spilled.
static const struct il_slot *owner_slot(const struct planner *planner, const struct operands *operands)
{
    bool index = operands->spills & SPILL_INDEX, value = operands->spills & SPILL_VALUE;
    return il_slot_at(il_stack_before(&planner->stacks, planner->at), index + operands->rank + value);
}

static void choose_owner_locals(struct planner *planner, const struct request *request, struct event *event)
{
    const struct operands *operands = &request->operands;
    CLEW_ASSERT(operands->rank <= RANK_MAX);
    if (request->address.local) {
        event->owner = (struct appended){request->address.local - 1, IL_REFERENCE};
    } else if (operands->spills & SPILL_OWNER) {
        event->owner = local_of_kind(planner, ROLE_OWNER, operands->owner);
        const struct il_slot *owner = owner_slot(planner, operands);
        event->owner_is_variable = owner && owner->producer && planner_is_mere_variable(planner, owner->producer);
    }
    if (operands->spills & SPILL_INDEX || operands->rank || operands->index_from == INDEX_NEWEST) {
        event->index = local_of_kind(planner, ROLE_INDEX, operands->index);
    } else if (operands->index_from == INDEX_SAVED) {
        event->index = (struct appended){operands->saved, IL_INT32};
    }
    for (uint32_t i = 0; i < operands->rank; i++) {
        event->items[i] = bytes_left(&operands->key) ? planner_local(planner, ROLE_ITEM + i, operands->key)
                                                     : planner_local_of_kind(planner, ROLE_ITEM + i, IL_INT32);
    }
}

// Of the value's type, but of the kind that the operand has on the stack where the two differ.
static struct appended value_local(struct planner *planner, const struct request *request)
{
    enum il_kind operand = request->operands.value, kind = request->value.kind;
    bool may_be_reference = operand == IL_REFERENCE || operand == IL_UNKNOWN;
    if (request->operands.spills & SPILL_VALUE && kind == IL_NATIVE && may_be_reference) {
        return local_of_kind(planner, ROLE_VALUE, IL_REFERENCE);
    }
    return (struct appended){planner_local(planner, ROLE_VALUE, request->value.signature), kind};
}

// One for each depth of the stack: the result may stay on the stack as this local while others are pushed above it.
static struct appended result_local(struct planner *planner, const struct request *request)
{
    const struct il_slot *result = il_stack_before(&planner->stacks, planner->at + 1);
    uint32_t role = ROLE_RESULT + 3 * (result ? result->depth : 0);
    return (struct appended){planner_local(planner, role, request->value.signature), request->value.kind};
}

// One for each value local: its TypedReference is made once, at entry.
static uint32_t typed_local(struct planner *planner, const struct event *event)
{
    for (uint32_t i = 0; i < planner->typed_count; i++) {
        if (planner->typed[i].value == event->value.number) {
            return planner->typed[i].typed;
        }
    }
    struct typed *typed =
        planner_grow(planner, planner->typed, planner->typed_count, &planner->typed_room, sizeof *typed);
    if (!typed) {
        return 0;
    }
    planner->typed = typed;
    uint32_t local = planner_local_of_kind(planner, ROLE_TYPED + event->value.number, IL_VALUE);
    typed[planner->typed_count++] = (struct typed){event->value.number, local, event->type_token};
    return local;
}

// For a value that is read in place, where that is not in a variable of the method: the value local holds its address.
static void choose_address_local(struct planner *planner, struct event *event)
{
    if (event->source.kind == FROM_THIS_FIELD || event->source.kind == FROM_STATIC_FIELD) {
        event->value = local_of_kind(planner, ROLE_VALUE, IL_REFERENCE);
        event->clears_value = true;
    }
}

static void choose_value_local(struct planner *planner, const struct request *request, struct event *event)
{
    bool taken = event->result != RESULT_UNUSED;
    bool by_address = event->strategy == EMIT_AT || event->strategy == EMIT_TYPED || event->strategy == EMIT_SIZED;
    if (event->strategy == EMIT_IN_PLACE) {
        choose_address_local(planner, event);
        return;
    }
    if (!(event->spills & SPILL_VALUE) && !taken && !by_address && event->source.kind != FROM_DEFAULT) {
        return;
    }
    event->value = taken ? result_local(planner, request) : value_local(planner, request);
    bool has_references = request->value.has_references || request->value.encoding == VALUE_TYPED;
    event->clears_value = event->value.kind == IL_OBJECT || event->value.kind == IL_REFERENCE ||
                          (event->value.kind == IL_VALUE && has_references && event->type_token);
    event->result = taken ? result_of(planner, event) : RESULT_UNUSED;
    if (event->result == RESULT_TESTED) {
        event->outcome = planner_local_of_kind(planner, ROLE_INDEX, IL_INT32);
    }
    if (event->strategy == EMIT_TYPED) {
        event->typed = typed_local(planner, event);
    }
}

// -- Sites and insertions ---------------------------------------------------------------------------------------------

// Returns the site's position.
static uint32_t add_site(struct planner *planner, const struct request *request, const struct planner_names *names,
                         struct text owner_name)
{
    struct site *sites =
        planner_grow(planner, planner->sites, planner->site_count, &planner->site_room, sizeof *planner->sites);
    if (!sites) {
        return 0;
    }
    CLEW_ASSERT(planner->site_count < planner->site_room);
    planner->sites = sites;
    const struct location *location = &request->location;
    const struct value *value = &request->value;
    sites[planner->site_count] = (struct site){.kind = request->kind,
                                               .place = location->place,
                                               .owner = location->owner,
                                               .encoding = value->encoding,
                                               .reason = value->reason,
                                               .il_offset = planner->at ? planner->at->offset : 0,
                                               .index = location->index,
                                               .owner_index = location->owner_index,
                                               .size = value->encoding == VALUE_STRUCT ? value->size : 0,
                                               .type = value->type,
                                               .statement = planner->statement,
                                               .role = names->name.role,
                                               .name = names->name.text,
                                               .owner_name = owner_name,
                                               .tuple_names = names->tuple_names};
    planner_path(planner, request, &sites[planner->site_count]);
    return planner->site_count++;
}

void planner_add_insertion(struct planner *planner, const struct insertion *insertion)
{
    struct insertion *insertions = planner_grow(planner, planner->insertions, planner->insertion_count,
                                                &planner->insertion_room, sizeof *planner->insertions);
    if (insertions) {
        insertions[planner->insertion_count++] = *insertion;
        planner->insertions = insertions;
    }
}

void planner_insert(struct planner *planner, uint32_t at, enum weave_moment moment, struct weave_op op)
{
    planner_add_insertion(planner, &(struct insertion){.at = at, .moment = moment, .op_count = 1, .ops = {op}});
}

// Nothing needs spilling for a value that is not recorded. Where no local can take the value, its owner under it cannot be
// reached either, so the event goes without one.
static void spill_less(struct request *request)
{
    struct operands *operands = &request->operands;
    bool recorded = request->value.encoding != VALUE_NONE;
    bool fits_local = bytes_left(&request->value.signature) > 0;
    if (recorded || !(operands->spills & SPILL_VALUE) || (fits_local && operands->spills != SPILL_VALUE)) {
        return;
    }
    if (operands->spills & SPILL_OWNER) {
        bool item = place_is_item(request->location.place) || request->location.place == PLACE_SPAN_ITEM;
        bool field = request->location.place == PLACE_ITEM_FIELD;
        request->location.place = item ? PLACE_INDIRECT : field ? PLACE_FIELD : request->location.place;
        request->location.owner = OWNER_NONE;
    }
    operands->spills = SPILL_NOTHING;
    operands->rank = 0;
}

static struct event event_of(struct planner *planner, const struct request *request, uint32_t site)
{
    bool recorded = request->value.encoding != VALUE_NONE;
    struct event event = {
        .site = site,
        .strategy = strategy_of(request),
        .source = request->source,
        .spills = request->operands.spills,
        .rank = request->operands.rank,
        .index_from = request->operands.index_from,
        .count_at = request->operands.count_at,
        .key_token = request->operands.key_token,
        .result = recorded && request->takes_result ? RESULT_COPIED : RESULT_UNUSED,
        .until_exit =
            request->kind == SITE_RESULT && request->operands.spills == SPILL_VALUE && planner->at->opcode == IL_RET,
        .guarded = request->address.guarded,
        .owner_stays = request->address.shared,
        .type_token = request->value.token,
    };
    CLEW_ASSERT(!request->address.guarded || request->address.local);
    event.source.kind = recorded ? request->source.kind : FROM_NONE;
    if (event.source.kind == FROM_DEFAULT && !event.type_token) {
        event.type_token = (uint32_t)planner->at->operand.integer; // of `initobj`
    }
    choose_owner_locals(planner, request, &event);
    choose_value_local(planner, request, &event);
    return event;
}

void planner_request(struct planner *planner, struct request *request)
{
    const struct location *location = &request->location;
    struct planner_names names = planner_names(planner, request);
    struct text owner_name = planner_name(planner, planner_owner_place(location->owner), location->owner_index).text;
    if (planner_is_redacted(planner, request, &names, owner_name) || planner_stores_copy(planner, request)) {
        planner_leave_out(&request->value, REASON_REDACTED);
    }
    spill_less(request);
    uint32_t site = add_site(planner, request, &names, owner_name);
    struct insertion insertion = {.at = planner->at ? il_index(planner->body, planner->at) : 0,
                                  .moment = request->moment,
                                  .event = event_of(planner, request, site)};
    planner_add_insertion(planner, &insertion);
    if (insertion.event.until_exit) {
        planner_insert(planner, insertion.at, MOMENT_LAST, op_local(IL_LDLOC, insertion.event.value.number));
    }
}
