// From what is wished for to a site and the tap that makes its event.
#include "base/assert.h"
#include "trace/tuple_names.h"
#include "weave/planner.h"

enum { INLINE_STRUCT_MAX = 64 }; // bytes; larger ones are handed over by address

static bool keeps_value(enum weave_keep keep)
{
    return keep == KEEP_VALUE || keep == KEEP_OWNER_VALUE || keep == KEEP_OWNER_INDEX_VALUE ||
           keep == KEEP_OWNER_ITEMS_VALUE;
}

// Whether the address of a place can be taken without harm to what the JIT makes of it. Of a variable whose address goes
// nowhere else it may need no copy, and of no wide one whose address a call gets does it take the fields apart.
static bool may_stay_in_place(const struct wish *wish)
{
    bool variable = wish->source >= FROM_LOCAL && wish->source <= FROM_PARAMETER_FIELD;
    bool has_place = variable ? wish->handed : wish->source >= FROM_THIS_FIELD && wish->source <= FROM_ADDRESS;
    return has_place && wish->value.wide;
}

static enum weave_way way_of(const struct wish *wish)
{
    const struct value *value = &wish->value;
    bool in_place = may_stay_in_place(wish);
    switch (value->encoding) {
    case VALUE_OBJECT:
        return WAY_AT;
    case VALUE_TYPED:
        return !value->by_number ? WAY_TYPED : in_place ? WAY_IN_PLACE : WAY_SIZED;
    case VALUE_STRUCT:
        if (wish->owner == OWNER_OBJECT || value->has_references || value->size > INLINE_STRUCT_MAX) {
            return in_place ? WAY_IN_PLACE : WAY_AT;
        }
        return WAY_INLINE;
    case VALUE_R4:
    case VALUE_R8:
        return wish->owner == OWNER_OBJECT ? WAY_AT : WAY_INLINE;
    default:
        return wish->owner == OWNER_OBJECT ? WAY_BITS : WAY_INLINE;
    }
}

static bool is_redacted(const struct planner *planner, enum site_place place, uint32_t index, struct text name)
{
    const struct weave_questions *questions = planner->method->questions;
    return place != PLACE_NONE && questions->redacted && questions->redacted(questions->context, place, index, name);
}

// Whether one of the places that something is within is redacted: fields within fields, the variable or static field that
// is or holds the first of them, and the place that an array was taken from. What another object is within does not count:
// its fields go by their own names.
static bool is_within_redacted(const struct planner *planner, const struct wish *wish)
{
    const struct il_slot *outer = wish->holder;
    bool array = wish->place == PLACE_ITEM;
    for (uint32_t i = 0; i < CHAIN_MAX && outer && outer->producer && (array || outer->type.kind != IL_OBJECT); i++) {
        uint32_t index = 0;
        enum site_place place = planner_place_of(outer->producer, &index);
        if (is_redacted(planner, place, index, planner_name(planner, place, index))) {
            return true;
        }
        const struct il_slot *under = il_stack_before(&planner->stacks, outer->producer);
        array = outer->producer->opcode == IL_LDELEMA;
        outer = array ? il_slot_at(under, 1) : outer->producer->opcode == IL_LDFLDA ? under : NULL;
    }
    return false;
}

// The place, the variable or the fields that it is in, or an item of a tuple in it.
static bool any_redacted(const struct planner *planner, const struct wish *wish, const struct planner_called *called,
                         struct text owner_name)
{
    struct text rest = called->tuple_names, item;
    bool redacted = is_redacted(planner, wish->called, wish->called_index, called->name) ||
                    is_redacted(planner, planner_owner_place(wish->owner), wish->owner_index, owner_name) ||
                    is_within_redacted(planner, wish);
    if (wish->alias) {
        uint32_t local = wish->alias - 1;
        redacted |= is_redacted(planner, PLACE_LOCAL, local, planner_name(planner, PLACE_LOCAL, local));
    }
    while (!redacted && tuple_names_take(&rest, &item)) {
        redacted = is_redacted(planner, PLACE_FIELD, 0, item);
    }
    return redacted;
}

static uint32_t add_site(struct planner *planner, const struct wish *wish, const struct planner_called *called,
                         struct text owner_name)
{
    struct site *sites =
        planner_grow(planner, planner->sites, planner->site_count, &planner->site_room, sizeof *planner->sites);
    if (!sites) {
        return 0;
    }
    CLEW_ASSERT(planner->site_count < planner->site_room);
    planner->sites = sites;
    sites[planner->site_count] = (struct site){.kind = wish->kind,
                                               .place = wish->place,
                                               .owner = wish->owner,
                                               .encoding = wish->value.encoding,
                                               .reason = wish->value.reason,
                                               .il_offset = planner->at ? planner->at->offset : 0,
                                               .index = wish->index,
                                               .owner_index = wish->owner_index,
                                               .size = wish->value.encoding == VALUE_STRUCT ? wish->value.size : 0,
                                               .type = wish->value.type,
                                               .statement = planner->statement,
                                               .name = called->name,
                                               .owner_name = owner_name,
                                               .tuple_names = called->tuple_names};
    return planner->site_count++;
}

void planner_add_tap(struct planner *planner, const struct weave_tap *tap)
{
    struct weave_tap *taps =
        planner_grow(planner, planner->taps, planner->tap_count, &planner->tap_room, sizeof *planner->taps);
    if (taps) {
        taps[planner->tap_count++] = *tap;
        planner->taps = taps;
    }
}

// A local that takes what lies on the stack, where the kinds of the two differ.
static uint32_t value_local(struct planner *planner, const struct wish *wish, enum il_kind *kind)
{
    bool may_be_reference = wish->kept_kind == IL_REFERENCE || wish->kept_kind == IL_UNKNOWN;
    *kind = wish->value.kind;
    if (keeps_value(wish->keep) && wish->value.kind == IL_NATIVE && may_be_reference) {
        *kind = IL_REFERENCE;
        return planner_local_of_kind(planner, ROLE_VALUE, IL_REFERENCE);
    }
    return planner_local(planner, ROLE_VALUE, wish->value.signature);
}

static void choose_owner_locals(struct planner *planner, const struct wish *wish, struct weave_tap *tap)
{
    bool kept = wish->keep >= KEEP_OWNER;
    if (wish->kept_local) {
        tap->owner = wish->kept_local - 1;
        tap->owner_kind = IL_REFERENCE;
    } else if (kept) {
        tap->owner = planner_local_of_kind(planner, ROLE_OWNER, wish->owner_kind);
        tap->owner_kind = wish->owner_kind;
    }
    if (wish->keep == KEEP_OWNER_INDEX || wish->keep == KEEP_OWNER_INDEX_VALUE || wish->rank) {
        tap->index = planner_local_of_kind(planner, ROLE_INDEX, wish->index_kind);
        tap->index_kind = wish->index_kind;
    }
    for (uint32_t i = 0; i < wish->rank; i++) {
        tap->items[i] = planner_local_of_kind(planner, ROLE_ITEM + i, IL_INT32);
    }
}

// What is kept but for a value that is not recorded need not be.
static void keep_less(struct wish *wish)
{
    bool recorded = wish->value.encoding != VALUE_NONE;
    bool passes = bytes_left(&wish->value.signature) > 0; // a local can take it
    if (recorded || (passes && wish->keep != KEEP_VALUE)) {
        return;
    }
    if (keeps_value(wish->keep)) {
        bool owned = wish->keep != KEEP_VALUE;
        wish->keep = KEEP_NOTHING;
        wish->rank = 0;
        if (owned) {
            wish->place = wish->place == PLACE_ITEM ? PLACE_INDIRECT : wish->place;
            wish->owner = OWNER_NONE;
        }
    }
}

// One for each depth of the stack, since a result may lie there as its local while others come above it.
static uint32_t result_local(struct planner *planner, const struct wish *wish, enum il_kind *kind)
{
    const struct il_slot *result = il_stack_before(&planner->stacks, planner->at + 1);
    *kind = wish->value.kind;
    return planner_local(planner, ROLE_RESULT + 3 * (result ? result->depth : 0), wish->value.signature);
}

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

static enum weave_result way_of_result(const struct planner *planner, const struct weave_tap *tap)
{
    const struct il_instruction *next = planner->at + 1;
    if (!tap->clears_value) {
        return RESULT_COPIED;
    }
    if (planner->at->opcode == IL_NEWOBJ || next == planner->body->end || next->opcode == IL_DUP) {
        return RESULT_DUPLICATED;
    }
    if (!next->target && only_stores(next)) {
        return RESULT_UNTIL_STORED;
    }
    if (!next->target && tap->value_kind == IL_OBJECT && weave_branches_on_one(next->opcode)) {
        return RESULT_TESTED;
    }
    return RESULT_HELD;
}

static uint32_t typed_local(struct planner *planner, const struct weave_tap *tap)
{
    for (uint32_t i = 0; i < planner->typed_count; i++) {
        if (planner->typed[i].value == tap->value) {
            return planner->typed[i].typed;
        }
    }
    struct weave_typed *typed =
        planner_grow(planner, planner->typed, planner->typed_count, &planner->typed_room, sizeof *typed);
    if (!typed) {
        return 0;
    }
    planner->typed = typed;
    uint32_t local = planner_local_of_kind(planner, ROLE_TYPED + tap->value, IL_VALUE);
    typed[planner->typed_count++] = (struct weave_typed){tap->value, local, tap->type_token};
    return local;
}

// Of a place that is neither a variable of the method nor in one.
static void choose_address_local(struct planner *planner, struct weave_tap *tap)
{
    if (tap->source == FROM_THIS_FIELD || tap->source == FROM_STATIC_FIELD) {
        tap->value_kind = IL_REFERENCE;
        tap->value = planner_local_of_kind(planner, ROLE_VALUE, IL_REFERENCE);
        tap->clears_value = true;
    }
}

static void choose_value_local(struct planner *planner, const struct wish *wish, struct weave_tap *tap)
{
    if (tap->way == WAY_IN_PLACE) {
        choose_address_local(planner, tap);
        return;
    }
    bool by_address = tap->way == WAY_AT || tap->way == WAY_TYPED || tap->way == WAY_SIZED;
    if (!keeps_value(tap->keep) && !tap->takes_result && !by_address && tap->source != FROM_DEFAULT) {
        return;
    }
    tap->value = tap->takes_result ? result_local(planner, wish, &tap->value_kind)
                                   : value_local(planner, wish, &tap->value_kind);
    bool has_references = wish->value.has_references || wish->value.encoding == VALUE_TYPED;
    tap->clears_value = tap->value_kind == IL_OBJECT || tap->value_kind == IL_REFERENCE ||
                        (tap->value_kind == IL_VALUE && has_references && tap->type_token);
    tap->result = tap->takes_result ? way_of_result(planner, tap) : RESULT_COPIED;
    if (tap->result == RESULT_TESTED) {
        tap->index = planner_local_of_kind(planner, ROLE_INDEX, IL_INT32);
    }
    if (tap->way == WAY_TYPED) {
        tap->typed = typed_local(planner, tap);
    }
}

void planner_hide(const struct planner *planner, struct wish *wish, enum site_place place, uint32_t index)
{
    if (is_redacted(planner, place, index, planner_name(planner, place, index))) {
        planner_leave_out(&wish->value, REASON_REDACTED);
    }
}

void planner_grant(struct planner *planner, struct wish *wish)
{
    struct planner_called called = planner_called(planner, wish);
    struct text owner_name = planner_name(planner, planner_owner_place(wish->owner), wish->owner_index);
    if (any_redacted(planner, wish, &called, owner_name)) {
        planner_leave_out(&wish->value, REASON_REDACTED);
    }
    keep_less(wish);
    bool recorded = wish->value.encoding != VALUE_NONE;
    struct weave_tap tap = {.at = planner->at ? il_index(planner->body, planner->at) : 0,
                            .moment = wish->moment,
                            .site = add_site(planner, wish, &called, owner_name),
                            .way = way_of(wish),
                            .source = recorded ? wish->source : FROM_NOWHERE,
                            .keep = wish->keep,
                            .takes_result = recorded && wish->takes_result,
                            .until_exit = wish->kind == SITE_RESULT && wish->keep == KEEP_VALUE,
                            .guarded = wish->guarded,
                            .owner_stays = wish->owner_stays,
                            .number = wish->number,
                            .field = wish->field,
                            .rank = wish->rank,
                            .type_token = wish->value.token};
    if (tap.source == FROM_DEFAULT && !tap.type_token) {
        tap.type_token = (uint32_t)planner->at->operand.integer; // of `initobj`
    }
    choose_owner_locals(planner, wish, &tap);
    choose_value_local(planner, wish, &tap);
    planner_add_tap(planner, &tap);
}
