// The storage location that an address leads to: follows the address back through the instructions that pushed it, up
// to the variable, `this` or static field that it starts from.
#include "base/assert.h"
#include "weave/plan/planner.h"

static const struct il_slot *receiver_of(const struct planner *planner, const struct il_instruction *ldflda)
{
    return il_stack_before(&planner->stacks, ldflda);
}

bool planner_is_this(const struct planner *planner, const struct il_slot *slot)
{
    uint32_t number;
    return planner->scope.has_this && !planner->this_changes && slot->producer &&
           il_family(slot->producer, &number) == IL_LDARG && number == 0;
}

enum site_place planner_place_of(const struct il_instruction *at, uint32_t *index)
{
    enum il_opcode family = il_family(at, index);
    switch (family) {
    case IL_LDLOC:
    case IL_LDLOCA:
    case IL_STLOC:
        return PLACE_LOCAL;
    case IL_LDARG:
    case IL_LDARGA:
    case IL_STARG:
        return PLACE_PARAMETER;
    case IL_LDFLD:
    case IL_LDFLDA:
    case IL_STFLD:
        *index = (uint32_t)at->operand.integer;
        return PLACE_FIELD;
    case IL_LDSFLD:
    case IL_LDSFLDA:
    case IL_STSFLD:
        *index = (uint32_t)at->operand.integer;
        return PLACE_STATIC_FIELD;
    default:
        return PLACE_NONE;
    }
}

bool planner_is_store(const struct il_instruction *at)
{
    uint32_t number;
    enum il_opcode family = il_family(at, &number);
    return family == IL_STLOC || family == IL_STARG || family == IL_STFLD || family == IL_STSFLD;
}

enum site_place planner_owner_place(enum site_owner owner)
{
    return owner == OWNER_LOCAL ? PLACE_LOCAL : owner == OWNER_PARAMETER ? PLACE_PARAMETER : PLACE_NONE;
}

// Only the name is known.
static struct target elsewhere(const struct planner *planner, const struct il_slot *address)
{
    struct target target = {.root = ROOT_ELSEWHERE, .name = {.holder = address}};
    switch (address->producer ? il_family(address->producer, &target.name.index) : IL_END) {
    case IL_LDFLDA:
        target.name.holder = receiver_of(planner, address->producer);
        target.name.place = PLACE_FIELD;
        target.name.index = (uint32_t)address->producer->operand.integer;
        break;
    case IL_LDARG:
        target.name.place = PLACE_PARAMETER;
        break;
    case IL_LDLOC:
        target.name.place = PLACE_LOCAL;
        break;
    default:
        break;
    }
    return target;
}

static bool find_root(const struct planner *planner, const struct il_slot *slot, struct target *out)
{
    if (planner_is_this(planner, slot)) {
        out->root = ROOT_THIS;
        return true;
    }
    switch (slot->producer ? il_family(slot->producer, &out->number) : IL_END) {
    case IL_LDLOCA:
        out->root = ROOT_LOCAL;
        return true;
    case IL_LDARGA:
        out->root = ROOT_PARAMETER;
        return true;
    case IL_LDSFLDA:
        out->root = ROOT_STATIC_FIELD;
        out->number = (uint32_t)slot->producer->operand.integer;
        return true;
    default:
        return false;
    }
}

// The address that an alias holds (planner_alias()); the slot itself if it was not loaded from an alias.
static const struct il_slot *follow_alias(const struct planner *planner, const struct il_slot *slot,
                                          struct target *target)
{
    uint32_t local;
    bool loaded = slot->producer && il_family(slot->producer, &local) == IL_LDLOC;
    const struct il_slot *alias = loaded ? planner_alias(planner, local) : NULL;
    if (alias) {
        target->name.alias = 1 + local;
    }
    return alias ? alias : slot;
}

// Follows at most CHAIN_MAX fields within fields. A field within a static field counts as elsewhere, and is recorded
// with its address.
struct target planner_target(const struct planner *planner, const struct il_slot *address)
{
    CLEW_ASSERT(address);
    struct target target = elsewhere(planner, address);
    const struct il_slot *slot = address;
    for (; target.levels < CHAIN_MAX && slot; target.levels++) {
        slot = follow_alias(planner, slot, &target);
        if (find_root(planner, slot, &target)) {
            break;
        }
        if (!slot->producer || slot->producer->opcode != IL_LDFLDA || slot->type.kind != IL_REFERENCE) {
            return elsewhere(planner, address);
        }
        target.field = (uint32_t)slot->producer->operand.integer;
        slot = receiver_of(planner, slot->producer);
    }
    CLEW_ASSERT(target.levels <= CHAIN_MAX);
    bool within_static = target.root == ROOT_STATIC_FIELD && target.levels > 0;
    bool itself = target.root == ROOT_THIS && target.levels == 0;
    return target.root == ROOT_ELSEWHERE || within_static || itself ? elsewhere(planner, address) : target;
}

// A reference from elsewhere, an argument for example, may have been made by unsafe code; these instructions make valid ones.
bool planner_is_sound(const struct planner *planner, const struct il_slot *address)
{
    for (uint32_t i = 0; i < CHAIN_MAX && address && address->producer; i++) {
        switch (address->producer->opcode) {
        case IL_LDELEMA:
        case IL_UNBOX:
        case IL_LDSFLDA:
            return true;
        case IL_LDFLDA:
            address = receiver_of(planner, address->producer);
            if (address && address->type.kind == IL_OBJECT) {
                return true;
            }
            break;
        default:
            return address->type.kind == IL_REFERENCE && planner_is_this(planner, address);
        }
    }
    return false;
}

// The operand of an instruction that makes an address of another one; NULL: it does something else.
static const struct il_slot *made_from(const struct planner *planner, const struct il_instruction *at)
{
    const struct il_slot *top = il_stack_before(&planner->stacks, at);
    switch (at->opcode) {
    case IL_LDFLDA:
        return top;
    case IL_ADD:
    case IL_ADD_OVF:
    case IL_ADD_OVF_UN:
        return top->type.kind == IL_REFERENCE ? top : top->below;
    case IL_SUB:
    case IL_SUB_OVF:
    case IL_SUB_OVF_UN:
        return top->below;
    default:
        return NULL;
    }
}

static bool is_of_variable(const struct il_slot *address)
{
    uint32_t number;
    switch (address->producer ? il_family(address->producer, &number) : IL_END) {
    case IL_LDLOC:
    case IL_LDARG:
    case IL_LDLOCA:
    case IL_LDARGA:
    case IL_LDSFLDA:
        return true;
    default:
        return false;
    }
}

bool planner_may_be_number(const struct planner *planner, const struct il_slot *address)
{
    for (uint32_t i = 0; i < CHAIN_MAX && address && address->type.kind == IL_REFERENCE; i++) {
        if (is_of_variable(address) || !address->producer) {
            return true;
        }
        address = made_from(planner, address->producer);
    }
    return address && address->type.kind == IL_REFERENCE;
}

// -- Requests ---------------------------------------------------------------------------------------------------------

static struct il_type type_of_variable(const struct planner *planner, enum site_place place, uint32_t number)
{
    const struct il_scope *scope = &planner->scope;
    if (place == PLACE_LOCAL) {
        return number < scope->local_count ? scope->locals[number] : (struct il_type){0};
    }
    return number < scope->argument_count ? scope->arguments[number] : (struct il_type){0};
}

struct request planner_variable_request(struct planner *planner, enum site_kind kind, enum site_place place,
                                        uint32_t number)
{
    struct request request = {.kind = kind,
                              .moment = MOMENT_AFTER,
                              .location = {.place = place, .index = number},
                              .name = {.place = place, .index = number},
                              .value = planner_value(planner, type_of_variable(planner, place, number)),
                              .source = {.kind = place == PLACE_LOCAL ? FROM_LOCAL : FROM_PARAMETER, .number = number}};
    if (place == PLACE_LOCAL && planner_alias(planner, number)) {
        planner_leave_out(&request.value, REASON_UNSAFE);
    }
    return request;
}

struct request planner_field_request(struct planner *planner, enum site_kind kind, enum site_place place,
                                     uint32_t token)
{
    return (struct request){.kind = kind,
                            .moment = MOMENT_AFTER,
                            .location = {.place = place, .index = token},
                            .name = {.place = place, .index = token},
                            .value = planner_value(planner, il_type_of_field(&planner->scope, token)),
                            .source = {.field = token}};
}

struct request planner_variable_field_request(struct planner *planner, enum site_kind kind, const struct target *target)
{
    struct request request = planner_field_request(planner, kind, PLACE_FIELD, target->field);
    bool local = target->root == ROOT_LOCAL;
    request.location.owner = local ? OWNER_LOCAL : OWNER_PARAMETER;
    request.location.owner_index = target->number;
    request.source.number = target->number;
    request.source.kind = local ? FROM_LOCAL_FIELD : FROM_PARAMETER_FIELD;
    request.name.alias = target->name.alias;
    return request;
}

bool planner_is_variable(const struct target *target)
{
    return target->root == ROOT_LOCAL || target->root == ROOT_PARAMETER;
}

// Whether a value written through an address has the type that the storage location was declared with.
static bool fits(const struct value *declared, const struct value *written)
{
    return written->reason == REASON_UNKNOWN ||
           (declared->encoding == written->encoding && declared->type == written->type);
}

struct request planner_target_request(struct planner *planner, enum site_kind kind, const struct target *target,
                                      const struct value *value, bool *elsewhere)
{
    struct request request = {
        .kind = kind, .moment = MOMENT_AFTER, .location = {.place = PLACE_INDIRECT}, .value = *value};
    *elsewhere = false;
    if (planner_is_variable(target)) {
        enum site_place place = target->root == ROOT_LOCAL ? PLACE_LOCAL : PLACE_PARAMETER;
        if (target->levels > 0) {
            return planner_variable_field_request(planner, kind, target);
        }
        request = planner_variable_request(planner, kind, place, target->number);
        request.name.alias = target->name.alias;
        return request;
    }
    if (target->root == ROOT_THIS && target->levels == 1) {
        struct request field = planner_field_request(planner, kind, PLACE_FIELD, target->field);
        field.location.owner = OWNER_THIS;
        field.source.kind = FROM_THIS_FIELD;
        if (fits(&field.value, value)) {
            return field;
        }
    } else if (target->root == ROOT_STATIC_FIELD) {
        struct request field = planner_field_request(planner, kind, PLACE_STATIC_FIELD, target->number);
        field.source.kind = FROM_STATIC_FIELD;
        if (fits(&field.value, value)) {
            return field;
        }
    }
    *elsewhere = true;
    request.name = target->name;
    return request;
}
