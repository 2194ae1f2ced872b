// Instructions that move a value: loads are uses, stores are definitions, of a variable, a field, an item of an array,
// or the value behind an address. The event of a variable reads the variable. Anything else may be changed by other
// threads meanwhile, so the event has the very value that was moved: the result of a load, a copy of the operand of a
// store.
#include "base/assert.h"
#include "weave/plan/planner.h"

// -- Variables --------------------------------------------------------------------------------------------------------

static void plan_variable(struct planner *planner, enum site_kind kind, enum weave_moment moment, enum site_place place,
                          uint32_t number)
{
    struct request request = planner_variable_request(planner, kind, place, number);
    request.moment = moment;
    planner_request(planner, &request);
}

void planner_use_variable(struct planner *planner, const struct il_instruction *at, enum weave_moment moment)
{
    uint32_t number;
    switch (il_family(at, &number)) {
    case IL_LDLOC:
        plan_variable(planner, SITE_USE, moment, PLACE_LOCAL, number);
        break;
    case IL_LDARG:
        if (number > 0 || !planner->this_is_value) {
            plan_variable(planner, SITE_USE, moment, PLACE_PARAMETER, number);
        }
        break;
    default:
        break;
    }
}

// -- Fields -----------------------------------------------------------------------------------------------------------

// The owner of a field, from the operand of `ldfld` or `stfld`. False: unknown.
static bool own_field(const struct planner *planner, const struct il_slot *receiver, struct request *request)
{
    request->operands.owner = receiver->type.kind;
    if (planner_is_this(planner, receiver)) {
        request->location.owner = OWNER_THIS;
    } else if (receiver->type.kind == IL_OBJECT) {
        request->location.owner = OWNER_OBJECT;
    } else if (receiver->type.kind == IL_REFERENCE || receiver->type.kind == IL_NATIVE) {
        request->location.owner = OWNER_ADDRESS;
    } else {
        return false;
    }
    return true;
}

// `stfld`: into `this`, an object, a struct in a variable (then the variable has the value), or a struct at an address.
static void plan_stfld(struct planner *planner, uint32_t token)
{
    const struct il_slot *top = il_stack_before(&planner->stacks, planner->at);
    const struct il_slot *receiver = il_slot_at(top, 1);
    struct target target = planner_target(planner, receiver);
    struct request request = planner_field_request(planner, SITE_DEFINITION, PLACE_FIELD, token);
    request.name.holder = receiver;
    request.source.kind = FROM_SPILL;
    request.operands.spills = SPILL_VALUE;
    request.operands.value = top->type.kind;
    if (planner_is_variable(&target)) {
        bool itself = target.levels == 0;
        target.field = itself ? token : target.field;
        request = planner_variable_field_request(planner, SITE_DEFINITION, &target);
    } else if (!own_field(planner, receiver, &request)) {
        planner_leave_out(&request.value, REASON_UNKNOWN);
    } else if (request.location.owner != OWNER_THIS) {
        request.operands.spills = SPILL_OWNER | SPILL_VALUE;
    }
    bool through = receiver->type.kind != IL_OBJECT && !planner_is_this(planner, receiver);
    request.through = through ? receiver : NULL;
    request.through_field = token;
    planner_use_index(planner, receiver, &request);
    planner_request(planner, &request);
}

// `ldfld`: likewise. Where the field of a field is loaded through an address in a variable, the event has the outermost field.
static void plan_ldfld(struct planner *planner, uint32_t token)
{
    const struct il_slot *receiver = il_stack_before(&planner->stacks, planner->at);
    struct target target = {0};
    uint32_t number = 0;
    enum il_opcode family = receiver->producer ? il_family(receiver->producer, &number) : IL_END;
    if (receiver->type.kind ==
        IL_VALUE) { // a copy of a struct: a use of the field of a variable, or of nothing with a name
        if (family != IL_LDLOC && family != IL_LDARG) {
            return;
        }
        target = (struct target){.root = family == IL_LDLOC ? ROOT_LOCAL : ROOT_PARAMETER, .number = number};
    } else {
        target = planner_target(planner, receiver);
    }
    struct request request = planner_field_request(planner, SITE_USE, PLACE_FIELD, token);
    request.name.holder = receiver;
    request.source.kind = FROM_SPILL;
    request.takes_result = true;
    if (planner_is_variable(&target) && target.levels == 0) {
        target.field = token;
        struct request field = planner_variable_field_request(planner, SITE_USE, &target);
        field.source.kind = FROM_SPILL;
        field.takes_result = true;
        request = field;
    } else if (planner_is_variable(&target)) {
        request = planner_variable_field_request(planner, SITE_USE, &target);
    } else if (!own_field(planner, receiver, &request)) {
        planner_leave_out(&request.value, REASON_UNKNOWN);
    } else if (request.location.owner != OWNER_THIS) {
        request.operands.spills = SPILL_OWNER;
    }
    planner_request(planner, &request);
}

static void plan_static_field(struct planner *planner, enum site_kind kind, uint32_t token)
{
    struct request request = planner_field_request(planner, kind, PLACE_STATIC_FIELD, token);
    request.source.kind = FROM_SPILL;
    if (kind == SITE_DEFINITION) {
        request.operands.spills = SPILL_VALUE;
        request.operands.value = il_stack_before(&planner->stacks, planner->at)->type.kind;
    } else {
        request.takes_result = true;
    }
    planner_request(planner, &request);
}

// -- Array items ------------------------------------------------------------------------------------------------------

static bool may_be_index(enum il_kind kind)
{
    return kind == IL_INT32 || kind == IL_NATIVE || kind == IL_VALUE; // an enum
}

// `ldelem` and `stelem`. Where the array or the index is not understood, the item has no owner and no value.
static void plan_item(struct planner *planner, enum site_kind kind)
{
    enum il_opcode opcode = planner->at->opcode;
    bool store = kind == SITE_DEFINITION;
    const struct il_slot *top = il_stack_before(&planner->stacks, planner->at);
    const struct il_slot *index = il_slot_at(top, store), *array = index->below;
    CLEW_ASSERT(array && "il_stacks() has found the operands");
    bool typed = opcode == IL_LDELEM || opcode == IL_STELEM;
    struct request request = {.kind = kind,
                              .moment = MOMENT_AFTER,
                              .location = {.place = PLACE_ITEM, .owner = OWNER_OBJECT},
                              .name = {.holder = array},
                              .source = {.kind = FROM_SPILL},
                              .operands = {.spills = SPILL_OWNER | SPILL_INDEX | (store ? SPILL_VALUE : 0),
                                           .owner = IL_OBJECT,
                                           .index = index->type.kind == IL_NATIVE ? IL_NATIVE : IL_INT32,
                                           .value = top->type.kind},
                              .takes_result = !store};
    request.value =
        typed ? planner_value(planner, il_type_of_token(&planner->scope, (uint32_t)planner->at->operand.integer))
              : planner_value_as(planner, opcode, il_item_of(array->type));
    if (array->type.kind != IL_OBJECT || !may_be_index(index->type.kind)) {
        request.location.place = PLACE_INDIRECT;
        request.location.owner = OWNER_NONE;
        request.operands.spills = SPILL_NOTHING;
        planner_leave_out(&request.value, REASON_UNKNOWN);
    }
    planner_request(planner, &request);
}

// -- Through addresses ------------------------------------------------------------------------------------------------

static bool is_address(const struct il_slot *slot)
{
    return slot->type.kind == IL_REFERENCE || slot->type.kind == IL_NATIVE;
}

static void own_address(const struct il_slot *address, struct request *request)
{
    if (is_address(address)) {
        request->location.owner = OWNER_ADDRESS;
        request->operands.owner = address->type.kind;
    }
}

// For a pointer, the type that it was declared with: IL does not show casts of pointers.
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

// `stind` and `stobj`.
static void plan_store(struct planner *planner)
{
    const struct il_slot *top = il_stack_before(&planner->stacks, planner->at);
    const struct il_slot *address = il_slot_at(top, 1);
    struct target target = planner_target(planner, address);
    struct value value = value_moved(planner, address);
    bool elsewhere;
    struct request request = planner_target_request(planner, SITE_DEFINITION, &target, &value, &elsewhere);
    if (!planner_is_variable(&target)) { // the operand is exact, even if another thread writes there meanwhile
        request.source.kind = FROM_SPILL;
        request.operands.spills = SPILL_VALUE;
        request.operands.value = top->type.kind;
    }
    if (elsewhere) {
        own_address(address, &request);
        request.operands.spills = request.location.owner == OWNER_ADDRESS ? SPILL_OWNER | SPILL_VALUE : SPILL_VALUE;
    }
    request.through = address;
    planner_use_index(planner, address, &request);
    planner_request(planner, &request);
}

// `ldind` and `ldobj`.
static void plan_load(struct planner *planner)
{
    const struct il_slot *address = il_stack_before(&planner->stacks, planner->at);
    struct target target = planner_target(planner, address);
    struct value value = value_moved(planner, address);
    bool elsewhere;
    struct request request = planner_target_request(planner, SITE_USE, &target, &value, &elsewhere);
    if (!planner_is_variable(&target)) {
        request.source.kind = FROM_SPILL;
        request.takes_result = true;
    }
    if (elsewhere) {
        own_address(address, &request);
        request.operands.spills = request.location.owner == OWNER_ADDRESS ? SPILL_OWNER : SPILL_NOTHING;
    }
    planner_request(planner, &request);
}

// `initobj` defines the location with zeros, which are loaded from a local: IL has no constants of structs.
static void plan_initobj(struct planner *planner)
{
    const struct il_slot *address = il_stack_before(&planner->stacks, planner->at);
    struct target target = planner_target(planner, address);
    struct value value = value_moved(planner, address);
    bool elsewhere;
    struct request request = planner_target_request(planner, SITE_DEFINITION, &target, &value, &elsewhere);
    if (!planner_is_variable(&target)) {
        request.source.kind = FROM_DEFAULT;
    }
    if (elsewhere) {
        own_address(address, &request);
        request.operands.spills = request.location.owner == OWNER_ADDRESS ? SPILL_OWNER : SPILL_NOTHING;
    }
    request.through = address;
    planner_use_index(planner, address, &request);
    planner_request(planner, &request);
}

// `cpobj` copies from one address to another; the value is read back from the destination.
static void plan_cpobj(struct planner *planner)
{
    const struct il_slot *source = il_stack_before(&planner->stacks, planner->at);
    const struct il_slot *address = il_slot_at(source, 1);
    struct target target = planner_target(planner, address);
    struct value value = value_moved(planner, address);
    bool elsewhere;
    struct request request = planner_target_request(planner, SITE_DEFINITION, &target, &value, &elsewhere);
    if (elsewhere && is_address(address) && is_address(source)) {
        own_address(address, &request);
        request.source.kind = FROM_ADDRESS;
        request.operands.spills =
            SPILL_OWNER | SPILL_INDEX; // the operand in the position of an index is the address to copy from
        request.operands.index = source->type.kind;
    } else if (elsewhere) {
        planner_leave_out(&request.value, REASON_UNKNOWN);
    }
    planner_request(planner, &request);
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
