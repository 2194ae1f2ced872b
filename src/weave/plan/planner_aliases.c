// Aliases: local references that are another name of a variable of the method, or of a field of one, as in `ref var r =
// ref o`. A probe that stored the address of `o` would make the JIT keep `o` in memory, and the object in it alive,
// where plain code does neither. So if such a reference is set once, and only used to load and store, these loads and
// stores are recorded as those of the variable, and the address is not recorded.
#include "weave/plan/planner.h"

#include "base/assert.h"

struct aliases {
    struct planner *planner;
    bool *locals_escape,
        *arguments_escape; // the address of the variable, or the one in a local reference, is used otherwise
    uint32_t *sets;        // by local: how many instructions set it
};

static bool is_reference(const struct planner *planner, uint32_t local)
{
    return local < planner->scope.local_count && planner->scope.locals[local].kind == IL_REFERENCE;
}

// The instruction that pushed the first address of a chain of `ldflda`: of a variable, a local reference, or anything
// else.
static const struct il_instruction *base_of(const struct planner *planner, const struct il_slot *slot, uint32_t *number)
{
    for (uint32_t i = 0; i < CHAIN_MAX && slot && slot->producer; i++) {
        if (slot->producer->opcode != IL_LDFLDA) {
            (void)il_family(slot->producer, number);
            return slot->producer;
        }
        slot = il_stack_before(&planner->stacks, slot->producer);
    }
    return NULL;
}

static enum il_opcode family_of_base(const struct planner *planner, const struct il_slot *slot, uint32_t *number)
{
    const struct il_instruction *base = base_of(planner, slot, number);
    return base ? il_family(base, number) : IL_END;
}

static void mark_escaped(struct aliases *aliases, enum il_opcode family, uint32_t number)
{
    const struct il_scope *scope = &aliases->planner->scope;
    bool local = family == IL_LDLOCA || (family == IL_LDLOC && is_reference(aliases->planner, number));
    if (local && number < scope->local_count) {
        aliases->locals_escape[number] = true;
    } else if (family == IL_LDARGA && number < scope->argument_count) {
        aliases->arguments_escape[number] = true;
    }
}

// Whether the only use that an instruction makes of the address `down` below the top is to load, store, or take the
// address of a field through it.
static bool goes_through(enum il_opcode opcode, uint32_t down)
{
    switch (opcode) {
    case IL_LDOBJ:
    case IL_LDFLD:
    case IL_LDFLDA:
    case IL_INITOBJ:
        return down == 0;
    case IL_STOBJ:
    case IL_STFLD:
    case IL_STIND_I:
        return down == 1;
    default:
        return (opcode >= IL_LDIND_I1 && opcode <= IL_LDIND_REF && down == 0) ||
               (opcode >= IL_STIND_REF && opcode <= IL_STIND_R8 && down == 1);
    }
}

static void visit_taken(struct aliases *aliases, const struct il_instruction *at, const struct il_slot *slot,
                        uint32_t down)
{
    struct planner *planner = aliases->planner;
    uint32_t number = 0, set;
    enum il_opcode family = family_of_base(planner, slot, &number);
    bool of_reference = family == IL_LDLOCA && is_reference(planner, number);
    bool of_variable = family == IL_LDLOCA || family == IL_LDARGA;
    if (of_variable && !of_reference && il_family(at, &set) == IL_STLOC && is_reference(planner, set)) {
        planner->aliases[set] = slot;
    } else if (of_reference || !goes_through(at->opcode, down)) {
        mark_escaped(aliases, family, number);
    }
}

// Visits the slots that the instruction pops. The stacks in front of two neighbours share their lower slots, so these
// are the slots above the shared ones; all of them, where control does not go on to the next instruction.
static void visit_stack(struct aliases *aliases, const struct il_instruction *at)
{
    const struct planner *planner = aliases->planner;
    const struct il_slot *top = il_stack_before(&planner->stacks, at), *shared = NULL;
    bool goes_on = at + 1 < planner->body->end && il_reached(&planner->stacks, at + 1);
    if (goes_on) {
        shared = il_stack_before(&planner->stacks, at + 1);
    }
    for (const struct il_slot *slot = top; slot; slot = slot->below) {
        while (shared && shared->depth > slot->depth) {
            shared = shared->below;
        }
        if (slot == shared) {
            return;
        }
        visit_taken(aliases, at, slot, top->depth - slot->depth);
    }
}

// The slot that the instruction pushes has no known producer where paths meet, so nothing will see what becomes of its
// address: it counts as escaped.
static void visit_pushed(struct aliases *aliases, const struct il_instruction *at)
{
    const struct planner *planner = aliases->planner;
    bool goes_on = at + 1 < planner->body->end && il_reached(&planner->stacks, at + 1);
    const struct il_slot *top = goes_on ? il_stack_before(&planner->stacks, at + 1) : NULL;
    uint32_t number = 0;
    enum il_opcode family = il_family(at, &number);
    if (family == IL_STLOC && number < planner->scope.local_count) {
        aliases->sets[number]++;
    } else if (!top || top->producer != at) {
        family =
            at->opcode == IL_LDFLDA ? family_of_base(planner, il_stack_before(&planner->stacks, at), &number) : family;
        mark_escaped(aliases, family, number);
    }
}

static bool may_hold_objects(struct planner *planner, struct il_type type)
{
    if (type.kind != IL_VALUE) {
        return type.kind == IL_OBJECT;
    }
    struct value value = planner_value(planner, type);
    return value.has_references || value.encoding == VALUE_TYPED;
}

static bool stands_for_variable(struct aliases *aliases, uint32_t local)
{
    struct planner *planner = aliases->planner;
    const struct il_scope *scope = &planner->scope;
    uint32_t number = 0;
    if (!planner->aliases[local] || aliases->sets[local] != 1 || aliases->locals_escape[local]) {
        return false;
    }
    enum il_opcode family = family_of_base(planner, planner->aliases[local], &number);
    CLEW_ASSERT(family == IL_LDLOCA || family == IL_LDARGA);
    if (family == IL_LDLOCA) {
        return number < scope->local_count && !aliases->locals_escape[number] &&
               may_hold_objects(planner, scope->locals[number]);
    }
    return number < scope->argument_count && !aliases->arguments_escape[number] &&
           may_hold_objects(planner, scope->arguments[number]);
}

static bool any_references(const struct planner *planner)
{
    uint32_t i = 0;
    while (i < planner->scope.local_count && !is_reference(planner, i)) {
        i++;
    }
    return i < planner->scope.local_count;
}

void planner_find_aliases(struct planner *planner)
{
    struct arena *arena = planner->body->arena;
    uint32_t locals = planner->scope.local_count;
    if (!any_references(planner)) {
        return;
    }
    struct aliases aliases = {.planner = planner,
                              .locals_escape = arena_alloc(arena, locals),
                              .arguments_escape = arena_alloc(arena, planner->scope.argument_count + 1),
                              .sets = arena_alloc(arena, locals * sizeof(uint32_t))};
    planner->aliases = arena_alloc(arena, locals * sizeof(const struct il_slot *));
    if (!aliases.locals_escape || !aliases.arguments_escape || !aliases.sets || !planner->aliases) {
        planner->failed = true;
        planner->aliases = NULL;
        return;
    }
    for (const struct il_instruction *at = planner->body->originals; at != planner->body->end; at++) {
        if (il_reached(&planner->stacks, at)) {
            visit_stack(&aliases, at);
            visit_pushed(&aliases, at);
        }
    }
    for (uint32_t i = 0; i < locals; i++) {
        planner->aliases[i] = stands_for_variable(&aliases, i) ? planner->aliases[i] : NULL;
    }
}

const struct il_slot *planner_alias(const struct planner *planner, uint32_t local)
{
    return planner->aliases && local < planner->scope.local_count ? planner->aliases[local] : NULL;
}
