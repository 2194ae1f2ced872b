// Addresses are followed back to where they come from, by the instructions that pushed them.
#include "weave/planner.h"

enum { CHAIN_MAX = 16 }; // fields within fields

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

static struct target elsewhere(const struct il_slot *address)
{
    struct target target = {.root = ROOT_ELSEWHERE};
    switch (address->producer ? il_family(address->producer, &target.called_index) : IL_END) {
    case IL_LDFLDA:
        target.called = PLACE_FIELD;
        target.called_index = (uint32_t)address->producer->operand.integer;
        break;
    case IL_LDARG:
        target.called = PLACE_PARAMETER;
        break;
    case IL_LDLOC:
        target.called = PLACE_LOCAL;
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

struct target planner_target(const struct planner *planner, const struct il_slot *address)
{
    struct target target = {.root = ROOT_ELSEWHERE};
    const struct il_slot *slot = address;
    for (; target.levels < CHAIN_MAX && slot; target.levels++) {
        if (find_root(planner, slot, &target)) {
            break;
        }
        if (!slot->producer || slot->producer->opcode != IL_LDFLDA || slot->type.kind != IL_REFERENCE) {
            return elsewhere(address);
        }
        target.field = (uint32_t)slot->producer->operand.integer;
        slot = receiver_of(planner, slot->producer);
    }
    bool within_static = target.root == ROOT_STATIC_FIELD && target.levels > 0;
    bool itself = target.root == ROOT_THIS && target.levels == 0;
    return target.root == ROOT_ELSEWHERE || within_static || itself ? elsewhere(address) : target;
}

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
