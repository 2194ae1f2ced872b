// What instructions define and use: variables, fields, array items, and what lies behind addresses.
#include "weave/planner.h"

// -- Variables --------------------------------------------------------------------------------------------------------

static void plan_variable(struct planner *planner, enum site_kind kind, enum weave_moment moment, enum site_place place,
                          uint32_t number)
{
    struct wish wish = planner_variable_wish(planner, kind, place, number);
    wish.moment = moment;
    planner_grant(planner, &wish);
}

void planner_use_variable(struct planner *planner, const struct il_instruction *at, enum weave_moment moment)
{
    uint32_t number;
    switch (il_family(at, &number)) {
    case IL_LDLOC:
        plan_variable(planner, SITE_USE, moment, PLACE_LOCAL, number);
        break;
    case IL_LDARG:
        plan_variable(planner, SITE_USE, moment, PLACE_PARAMETER, number);
        break;
    default:
        break;
    }
}

// -- Fields -----------------------------------------------------------------------------------------------------------

// Whose field it is, by what `ldfld` or `stfld` finds under the value. False: that cannot be told.
static bool own_field(const struct planner *planner, const struct il_slot *receiver, struct wish *wish)
{
    wish->owner_kind = receiver->type.kind;
    if (planner_is_this(planner, receiver)) {
        wish->owner = OWNER_THIS;
    } else if (receiver->type.kind == IL_OBJECT) {
        wish->owner = OWNER_OBJECT;
    } else if (receiver->type.kind == IL_REFERENCE || receiver->type.kind == IL_NATIVE) {
        wish->owner = OWNER_ADDRESS;
    } else {
        return false;
    }
    return true;
}

static void plan_stfld(struct planner *planner, uint32_t token)
{
    const struct il_slot *top = il_stack_before(&planner->stacks, planner->at);
    const struct il_slot *receiver = il_slot_at(top, 1);
    struct target target = planner_target(planner, receiver);
    struct wish wish = planner_field_wish(planner, SITE_DEFINITION, PLACE_FIELD, token);
    wish.holder = receiver;
    wish.source = FROM_KEPT;
    wish.keep = KEEP_VALUE;
    wish.kept_kind = top->type.kind;
    if (planner_is_variable(&target)) {
        bool itself = target.levels == 0;
        target.field = itself ? token : target.field;
        wish = planner_variable_field_wish(planner, SITE_DEFINITION, &target);
    } else if (!own_field(planner, receiver, &wish)) {
        planner_leave_out(&wish.value, REASON_UNKNOWN);
    } else if (wish.owner != OWNER_THIS) {
        wish.keep = KEEP_OWNER_VALUE;
    }
    planner_grant(planner, &wish);
}

static void plan_ldfld(struct planner *planner, uint32_t token)
{
    const struct il_slot *receiver = il_stack_before(&planner->stacks, planner->at);
    struct target target = {0};
    uint32_t number = 0;
    enum il_opcode family = receiver->producer ? il_family(receiver->producer, &number) : IL_END;
    if (receiver->type.kind == IL_VALUE) { // a copy of a struct: a use of the variable's field, or of no place
        if (family != IL_LDLOC && family != IL_LDARG) {
            return;
        }
        target = (struct target){.root = family == IL_LDLOC ? ROOT_LOCAL : ROOT_PARAMETER, .number = number};
    } else {
        target = planner_target(planner, receiver);
    }
    struct wish wish = planner_field_wish(planner, SITE_USE, PLACE_FIELD, token);
    wish.holder = receiver;
    wish.source = FROM_KEPT;
    wish.takes_result = true;
    if (planner_is_variable(&target) && target.levels == 0) {
        target.field = token;
        struct wish field = planner_variable_field_wish(planner, SITE_USE, &target);
        field.source = FROM_KEPT;
        field.takes_result = true;
        wish = field;
    } else if (planner_is_variable(&target)) {
        wish = planner_variable_field_wish(planner, SITE_USE, &target);
    } else if (!own_field(planner, receiver, &wish)) {
        planner_leave_out(&wish.value, REASON_UNKNOWN);
    } else if (wish.owner != OWNER_THIS) {
        wish.keep = KEEP_OWNER;
    }
    planner_grant(planner, &wish);
}

static void plan_static_field(struct planner *planner, enum site_kind kind, uint32_t token)
{
    struct wish wish = planner_field_wish(planner, kind, PLACE_STATIC_FIELD, token);
    wish.source = FROM_KEPT;
    if (kind == SITE_DEFINITION) {
        wish.keep = KEEP_VALUE;
        wish.kept_kind = il_stack_before(&planner->stacks, planner->at)->type.kind;
    } else {
        wish.takes_result = true;
    }
    planner_grant(planner, &wish);
}

// -- Array items ------------------------------------------------------------------------------------------------------

static void plan_item(struct planner *planner, enum site_kind kind)
{
    enum il_opcode opcode = planner->at->opcode;
    bool store = kind == SITE_DEFINITION;
    const struct il_slot *top = il_stack_before(&planner->stacks, planner->at);
    const struct il_slot *index = il_slot_at(top, store), *array = index->below;
    bool typed = opcode == IL_LDELEM || opcode == IL_STELEM;
    struct wish wish = {.kind = kind,
                        .moment = MOMENT_AFTER,
                        .place = PLACE_ITEM,
                        .owner = OWNER_OBJECT,
                        .owner_kind = IL_OBJECT,
                        .holder = array,
                        .index_kind = index->type.kind == IL_NATIVE ? IL_NATIVE : IL_INT32,
                        .source = FROM_KEPT,
                        .keep = store ? KEEP_OWNER_INDEX_VALUE : KEEP_OWNER_INDEX,
                        .kept_kind = top->type.kind,
                        .takes_result = !store};
    wish.value = typed
                     ? planner_value(planner, il_type_of_token(&planner->scope, (uint32_t)planner->at->operand.integer))
                     : planner_value_as(planner, opcode, il_item_of(array->type));
    if (array->type.kind != IL_OBJECT || index->type.kind == IL_UNKNOWN || index->type.kind == IL_INT64) {
        wish.place = PLACE_INDIRECT;
        wish.owner = OWNER_NONE;
        wish.keep = KEEP_NOTHING;
        planner_leave_out(&wish.value, REASON_UNKNOWN);
    }
    planner_grant(planner, &wish);
}

// -- Through addresses ------------------------------------------------------------------------------------------------

static bool is_address(const struct il_slot *slot)
{
    return slot->type.kind == IL_REFERENCE || slot->type.kind == IL_NATIVE;
}

static void own_address(const struct il_slot *address, struct wish *wish)
{
    if (is_address(address)) {
        wish->owner = OWNER_ADDRESS;
        wish->owner_kind = address->type.kind;
    }
}

// A pointer's is what it was declared to point to: of a cast of it the code says nothing.
static struct il_type type_behind(const struct il_slot *address)
{
    struct bytes signature = address->type.signature;
    uint8_t element;
    bool pointer = address->type.kind == IL_NATIVE && bytes_u8(&signature, &element) && element == ELEMENT_POINTER;
    return pointer || address->type.kind == IL_REFERENCE ? il_type_of(signature) : (struct il_type){0};
}

static struct value value_moved(struct planner *planner, const struct il_slot *address)
{
    const struct il_instruction *at = planner->at;
    bool typed = il_opcodes[at->opcode].operand == IL_OPERAND_TYPE;
    return typed ? planner_value(planner, il_type_of_token(&planner->scope, (uint32_t)at->operand.integer))
                 : planner_value_as(planner, at->opcode, type_behind(address));
}

// stind and stobj.
static void plan_store(struct planner *planner)
{
    const struct il_slot *top = il_stack_before(&planner->stacks, planner->at);
    const struct il_slot *address = il_slot_at(top, 1);
    struct target target = planner_target(planner, address);
    struct value value = value_moved(planner, address);
    bool elsewhere;
    struct wish wish = planner_target_wish(planner, SITE_DEFINITION, &target, &value, &elsewhere);
    if (!planner_is_variable(&target)) { // what is stored is exact, whoever writes there meanwhile
        wish.source = FROM_KEPT;
        wish.keep = KEEP_VALUE;
        wish.kept_kind = top->type.kind;
    }
    if (elsewhere) {
        own_address(address, &wish);
        wish.keep = wish.owner == OWNER_ADDRESS ? KEEP_OWNER_VALUE : KEEP_VALUE;
    }
    planner_grant(planner, &wish);
}

// ldind and ldobj.
static void plan_load(struct planner *planner)
{
    const struct il_slot *address = il_stack_before(&planner->stacks, planner->at);
    struct target target = planner_target(planner, address);
    struct value value = value_moved(planner, address);
    bool elsewhere;
    struct wish wish = planner_target_wish(planner, SITE_USE, &target, &value, &elsewhere);
    if (!planner_is_variable(&target)) {
        wish.source = FROM_KEPT;
        wish.takes_result = true;
    }
    if (elsewhere) {
        own_address(address, &wish);
        wish.keep = wish.owner == OWNER_ADDRESS ? KEEP_OWNER : KEEP_NOTHING;
    }
    planner_grant(planner, &wish);
}

static void plan_initobj(struct planner *planner)
{
    const struct il_slot *address = il_stack_before(&planner->stacks, planner->at);
    struct target target = planner_target(planner, address);
    struct value value = value_moved(planner, address);
    bool elsewhere;
    struct wish wish = planner_target_wish(planner, SITE_DEFINITION, &target, &value, &elsewhere);
    if (!planner_is_variable(&target)) {
        wish.source = FROM_DEFAULT;
    }
    if (elsewhere) {
        own_address(address, &wish);
        wish.keep = wish.owner == OWNER_ADDRESS ? KEEP_OWNER : KEEP_NOTHING;
    }
    planner_grant(planner, &wish);
}

static void plan_cpobj(struct planner *planner)
{
    const struct il_slot *source = il_stack_before(&planner->stacks, planner->at);
    const struct il_slot *address = il_slot_at(source, 1);
    struct target target = planner_target(planner, address);
    struct value value = value_moved(planner, address);
    bool elsewhere;
    struct wish wish = planner_target_wish(planner, SITE_DEFINITION, &target, &value, &elsewhere);
    if (elsewhere && is_address(address) && is_address(source)) {
        own_address(address, &wish);
        wish.source = FROM_ADDRESS;
        wish.keep = KEEP_OWNER_INDEX; // the address that it is copied from lies where an index would
        wish.index_kind = source->type.kind;
    } else if (elsewhere) {
        planner_leave_out(&wish.value, REASON_UNKNOWN);
    }
    planner_grant(planner, &wish);
}

// -- Dispatch ---------------------------------------------------------------------------------------------------------

void planner_define(struct planner *planner, const struct il_instruction *at)
{
    uint32_t token = (uint32_t)at->operand.integer, number;
    switch (il_family(at, &number)) {
    case IL_STLOC:
        plan_variable(planner, SITE_DEFINITION, MOMENT_AFTER, PLACE_LOCAL, number);
        break;
    case IL_STARG:
        plan_variable(planner, SITE_DEFINITION, MOMENT_AFTER, PLACE_PARAMETER, number);
        break;
    case IL_STFLD:
        plan_stfld(planner, token);
        break;
    case IL_STSFLD:
        plan_static_field(planner, SITE_DEFINITION, token);
        break;
    case IL_STOBJ:
    case IL_STIND_I:
        plan_store(planner);
        break;
    case IL_STELEM:
        plan_item(planner, SITE_DEFINITION);
        break;
    case IL_INITOBJ:
        plan_initobj(planner);
        break;
    case IL_CPOBJ:
        plan_cpobj(planner);
        break;
    default:
        if (at->opcode >= IL_STIND_REF && at->opcode <= IL_STIND_R8) {
            plan_store(planner);
        } else if (at->opcode >= IL_STELEM_I && at->opcode <= IL_STELEM_REF) {
            plan_item(planner, SITE_DEFINITION);
        }
    }
}

void planner_use(struct planner *planner, const struct il_instruction *at)
{
    uint32_t token = (uint32_t)at->operand.integer, number;
    switch (il_family(at, &number)) {
    case IL_LDFLD:
        plan_ldfld(planner, token);
        break;
    case IL_LDSFLD:
        plan_static_field(planner, SITE_USE, token);
        break;
    case IL_LDOBJ:
        plan_load(planner);
        break;
    case IL_LDELEM:
        plan_item(planner, SITE_USE);
        break;
    default:
        if (at->opcode >= IL_LDIND_I1 && at->opcode <= IL_LDIND_REF) {
            plan_load(planner);
        } else if (at->opcode >= IL_LDELEM_I1 && at->opcode <= IL_LDELEM_REF) {
            plan_item(planner, SITE_USE);
        }
    }
}
