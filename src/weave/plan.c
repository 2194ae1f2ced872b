// Which sites a method has. Instruction by instruction, in the order of the code: what it defines or uses, where the
// value can be had without changing what the program does, and whose place it is.
#include <string.h>

#include "weave/insertion.h"
#include "weave/planner.h"

enum {
    INLINE_STRUCT_MAX = 64, // bytes; larger ones are handed over by address
    PARAMETER_FLAGS = 0,    // columns of Param
    PARAMETER_SEQUENCE = 1,
    METHOD_PARAMETERS = 5,
    PARAMETER_IN = 1,
    PARAMETER_OUT = 2,
};

// -- Sites and taps ---------------------------------------------------------------------------------------------------

void *planner_grow(struct planner *planner, void *items, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room) {
        return items;
    }
    uint32_t wanted = *room ? *room * 2 : 32;
    void *grown = arena_alloc(planner->body->arena, wanted * size);
    if (!grown) {
        planner->failed = true;
        return NULL;
    }
    if (count) {
        memcpy(grown, items, count * size);
    }
    *room = wanted;
    return grown;
}

// A site and how it is made, as one would say it. What is not said is zero.
struct wish {
    enum site_kind kind;
    enum weave_moment moment;
    enum site_place place;
    enum site_owner owner;
    uint32_t index, owner_index;
    enum site_place called; // a place that gives the name; NONE: none
    uint32_t called_index;
    struct value value;
    enum weave_source source;
    uint32_t number, field;
    enum weave_keep keep;
    enum il_kind owner_kind, index_kind; // of what is kept
    enum il_kind kept_kind;              // the value's on the stack, where it is kept
    uint32_t rank;
    uint32_t kept_local; // 1 + the local that the owner is in already
    bool takes_result, guarded, owner_stays;
};

static bool keeps_value(enum weave_keep keep)
{
    return keep == KEEP_VALUE || keep == KEEP_OWNER_VALUE || keep == KEEP_OWNER_INDEX_VALUE ||
           keep == KEEP_OWNER_ITEMS_VALUE;
}

static enum weave_way way_of(const struct wish *wish)
{
    const struct value *value = &wish->value;
    switch (value->encoding) {
    case VALUE_OBJECT:
        return WAY_AT;
    case VALUE_TYPED:
        return WAY_TYPED;
    case VALUE_STRUCT:
        return wish->owner == OWNER_OBJECT || value->has_references || value->size > INLINE_STRUCT_MAX ? WAY_AT
                                                                                                       : WAY_INLINE;
    case VALUE_R4:
    case VALUE_R8:
        return wish->owner == OWNER_OBJECT ? WAY_AT : WAY_INLINE;
    default:
        return wish->owner == OWNER_OBJECT ? WAY_BITS : WAY_INLINE;
    }
}

static struct text name_of(const struct planner *planner, const struct wish *wish)
{
    const struct weave_questions *questions = planner->method->questions;
    uint32_t offset = planner->at ? planner->at->offset : 0;
    uint32_t next = planner->at ? planner->at[1].offset : 0;
    if (!questions->name || wish->called == PLACE_NONE) {
        return (struct text){0};
    }
    return questions->name(questions->context, wish->called, wish->called_index, offset, next);
}

static bool is_redacted(const struct planner *planner, struct text name)
{
    const struct weave_questions *questions = planner->method->questions;
    return name.size && questions->redacted && questions->redacted(questions->context, name);
}

static uint32_t add_site(struct planner *planner, const struct wish *wish, struct text name)
{
    struct site *sites =
        planner_grow(planner, planner->sites, planner->site_count, &planner->site_room, sizeof *planner->sites);
    if (!sites) {
        return 0;
    }
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
                                               .name = name};
    return planner->site_count++;
}

static void add_tap(struct planner *planner, const struct weave_tap *tap)
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
    wish->source = FROM_NOWHERE;
    wish->takes_result = false;
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

static void choose_value_local(struct planner *planner, const struct wish *wish, struct weave_tap *tap)
{
    bool by_address = tap->way == WAY_AT || tap->way == WAY_TYPED;
    if (!keeps_value(tap->keep) && !tap->takes_result && !by_address && tap->source != FROM_DEFAULT) {
        return;
    }
    tap->value = value_local(planner, wish, &tap->value_kind);
    bool has_references = wish->value.has_references || wish->value.encoding == VALUE_TYPED;
    tap->clears_value = tap->value_kind == IL_OBJECT || tap->value_kind == IL_REFERENCE ||
                        (tap->value_kind == IL_VALUE && has_references && tap->type_token);
    if (tap->way == WAY_TYPED) {
        tap->typed = planner_local_of_kind(planner, ROLE_TYPED, IL_VALUE);
    }
}

static void grant(struct planner *planner, struct wish *wish)
{
    struct text name = name_of(planner, wish);
    if (is_redacted(planner, name)) {
        planner_leave_out(&wish->value, REASON_REDACTED);
    }
    keep_less(wish);
    bool recorded = wish->value.encoding != VALUE_NONE;
    struct weave_tap tap = {.at = planner->at ? il_index(planner->body, planner->at) : 0,
                            .moment = wish->moment,
                            .site = add_site(planner, wish, name),
                            .way = way_of(wish),
                            .source = recorded ? wish->source : FROM_NOWHERE,
                            .keep = wish->keep,
                            .takes_result = recorded && wish->takes_result,
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
    add_tap(planner, &tap);
}

// -- Statements -------------------------------------------------------------------------------------------------------

static void add_statement(struct planner *planner, const struct weave_point *point)
{
    struct wish wish = {.kind = SITE_STATEMENT, .moment = MOMENT_BEFORE};
    planner->statement = 0;
    grant(planner, &wish);
    if (planner->failed) {
        return;
    }
    planner->statement = planner->site_count; // 1 + its position
    planner->statements++;
    if (point) {
        struct site *site = &planner->sites[planner->site_count - 1];
        site->document = point->document;
        site->start_line = point->start_line;
        site->start_column = point->start_column;
        site->end_line = point->end_line;
        site->end_column = point->end_column;
    }
}

// Without symbols a statement begins where nothing is on the stack, but for what only leads elsewhere.
static bool begins_statement(const struct planner *planner, const struct il_instruction *at)
{
    bool leads_on = at->opcode == IL_NOP || at->opcode == IL_ENDFINALLY ||
                    il_opcodes[at->opcode].flow == IL_FLOW_BRANCH || at->opcode == IL_LEAVE || at->opcode == IL_LEAVE_S;
    return !il_stack_before(&planner->stacks, at) && !leads_on;
}

static void plan_statement(struct planner *planner, const struct il_instruction *at)
{
    const struct weave_method *method = planner->method;
    bool wanted =
        planner->instruments & (WEAVE_STATEMENTS | WEAVE_LINES) && weave_may_stand_before(planner->body, planner->at);
    if (!method->points) {
        if (wanted && begins_statement(planner, at)) {
            add_statement(planner, NULL);
        }
        return;
    }
    const struct weave_point *here = NULL;
    const struct weave_point *end = method->points + method->point_count;
    for (; planner->point < end && planner->point->il_offset <= at->offset; planner->point++) {
        here = planner->point->il_offset == at->offset ? planner->point : NULL;
    }
    if (here && here->hidden) {
        planner->statement = 0;
    } else if (here && wanted) {
        add_statement(planner, here);
    }
}

// -- Variables --------------------------------------------------------------------------------------------------------

static struct il_type type_of_variable(const struct planner *planner, enum site_place place, uint32_t number)
{
    const struct il_scope *scope = &planner->scope;
    if (place == PLACE_LOCAL) {
        return number < scope->local_count ? scope->locals[number] : (struct il_type){0};
    }
    return number < scope->argument_count ? scope->arguments[number] : (struct il_type){0};
}

// A wish for the value that a variable of the method has.
static struct wish variable_wish(struct planner *planner, enum site_kind kind, enum site_place place, uint32_t number)
{
    return (struct wish){.kind = kind,
                         .moment = MOMENT_AFTER,
                         .place = place,
                         .index = number,
                         .called = place,
                         .called_index = number,
                         .value = planner_value(planner, type_of_variable(planner, place, number)),
                         .source = place == PLACE_LOCAL ? FROM_LOCAL : FROM_PARAMETER,
                         .number = number};
}

static void plan_variable(struct planner *planner, enum site_kind kind, enum site_place place, uint32_t number)
{
    struct wish wish = variable_wish(planner, kind, place, number);
    grant(planner, &wish);
}

static void plan_arguments(struct planner *planner)
{
    for (uint32_t i = 0; i < planner->scope.argument_count; i++) {
        struct wish wish = variable_wish(planner, SITE_ARGUMENT, PLACE_PARAMETER, i);
        wish.moment = MOMENT_ENTRY;
        grant(planner, &wish);
    }
}

// -- Fields -----------------------------------------------------------------------------------------------------------

static struct wish field_wish(struct planner *planner, enum site_kind kind, enum site_place place, uint32_t token)
{
    return (struct wish){.kind = kind,
                         .moment = MOMENT_AFTER,
                         .place = place,
                         .index = token,
                         .called = place,
                         .called_index = token,
                         .value = planner_value(planner, il_type_of_field(&planner->scope, token)),
                         .field = token};
}

// The field of a struct in a variable: what the target says.
static struct wish variable_field_wish(struct planner *planner, enum site_kind kind, const struct target *target)
{
    struct wish wish = field_wish(planner, kind, PLACE_FIELD, target->field);
    bool local = target->root == ROOT_LOCAL;
    wish.owner = local ? OWNER_LOCAL : OWNER_PARAMETER;
    wish.owner_index = wish.number = target->number;
    wish.source = local ? FROM_LOCAL_FIELD : FROM_PARAMETER_FIELD;
    return wish;
}

static bool is_variable(const struct target *target)
{
    return target->root == ROOT_LOCAL || target->root == ROOT_PARAMETER;
}

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
    struct wish wish = field_wish(planner, SITE_DEFINITION, PLACE_FIELD, token);
    wish.source = FROM_KEPT;
    wish.keep = KEEP_VALUE;
    wish.kept_kind = top->type.kind;
    if (is_variable(&target)) {
        bool itself = target.levels == 0;
        target.field = itself ? token : target.field;
        wish = variable_field_wish(planner, SITE_DEFINITION, &target);
    } else if (!own_field(planner, receiver, &wish)) {
        planner_leave_out(&wish.value, REASON_UNKNOWN);
    } else if (wish.owner != OWNER_THIS) {
        wish.keep = KEEP_OWNER_VALUE;
    }
    grant(planner, &wish);
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
    struct wish wish = field_wish(planner, SITE_USE, PLACE_FIELD, token);
    wish.source = FROM_KEPT;
    wish.takes_result = true;
    if (is_variable(&target) && target.levels == 0) {
        target.field = token;
        struct wish field = variable_field_wish(planner, SITE_USE, &target);
        field.source = FROM_KEPT;
        field.takes_result = true;
        wish = field;
    } else if (is_variable(&target)) {
        wish = variable_field_wish(planner, SITE_USE, &target);
    } else if (!own_field(planner, receiver, &wish)) {
        planner_leave_out(&wish.value, REASON_UNKNOWN);
    } else if (wish.owner != OWNER_THIS) {
        wish.keep = KEEP_OWNER;
    }
    grant(planner, &wish);
}

static void plan_static_field(struct planner *planner, enum site_kind kind, uint32_t token)
{
    struct wish wish = field_wish(planner, kind, PLACE_STATIC_FIELD, token);
    wish.source = FROM_KEPT;
    if (kind == SITE_DEFINITION) {
        wish.keep = KEEP_VALUE;
        wish.kept_kind = il_stack_before(&planner->stacks, planner->at)->type.kind;
    } else {
        wish.takes_result = true;
    }
    grant(planner, &wish);
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
    grant(planner, &wish);
}

// `Get` and `Set` of arrays with several dimensions.
static bool plan_array_method(struct planner *planner, const struct il_method *method)
{
    struct bytes owner = method->owner.signature;
    bool store = text_equal(method->name, text_of("Set"));
    uint32_t rank = method->signature.parameter_count - store;
    if (bytes_left(&owner) == 0 || *owner.at != ELEMENT_ARRAY || rank < 1 || rank > WEAVE_RANK_MAX ||
        (!store && !text_equal(method->name, text_of("Get")))) {
        return false;
    }
    (void)bytes_skip(&owner, 1);
    const struct il_slot *top = il_stack_before(&planner->stacks, planner->at);
    struct wish wish = {.kind = store ? SITE_DEFINITION : SITE_USE,
                        .moment = MOMENT_AFTER,
                        .place = PLACE_ITEM,
                        .owner = OWNER_OBJECT,
                        .owner_kind = IL_OBJECT,
                        .index_kind = IL_INT32,
                        .value = planner_value(planner, il_type_of(owner)),
                        .source = FROM_KEPT,
                        .keep = store ? KEEP_OWNER_ITEMS_VALUE : KEEP_OWNER_ITEMS,
                        .kept_kind = top->type.kind,
                        .rank = rank,
                        .takes_result = !store};
    if (planner->instruments & (store ? WEAVE_VALUES : WEAVE_USES)) {
        grant(planner, &wish);
    }
    return true;
}

// -- Through addresses ------------------------------------------------------------------------------------------------

// Whether a value written through the address of a place is one of the place as it was declared.
static bool fits(const struct value *declared, const struct value *written)
{
    return written->reason == REASON_UNKNOWN ||
           (declared->encoding == written->encoding && declared->type == written->type);
}

// A wish for what is at an address: in a variable, a field of `this`, a static field, or elsewhere; in all but the last
// case with the value as it is there. *elsewhere tells that it is the last, or that the place is of another type.
static struct wish target_wish(struct planner *planner, enum site_kind kind, const struct target *target,
                               const struct value *value, bool *elsewhere)
{
    struct wish wish = {.kind = kind, .moment = MOMENT_AFTER, .place = PLACE_INDIRECT, .value = *value};
    *elsewhere = false;
    if (is_variable(target)) {
        return target->levels == 0
                   ? variable_wish(planner, kind, target->root == ROOT_LOCAL ? PLACE_LOCAL : PLACE_PARAMETER,
                                   target->number)
                   : variable_field_wish(planner, kind, target);
    }
    if (target->root == ROOT_THIS && target->levels == 1) {
        struct wish field = field_wish(planner, kind, PLACE_FIELD, target->field);
        field.owner = OWNER_THIS;
        field.source = FROM_THIS_FIELD;
        if (fits(&field.value, value)) {
            return field;
        }
    } else if (target->root == ROOT_STATIC_FIELD) {
        struct wish field = field_wish(planner, kind, PLACE_STATIC_FIELD, target->number);
        field.source = FROM_STATIC_FIELD;
        if (fits(&field.value, value)) {
            return field;
        }
    }
    *elsewhere = true;
    wish.called = target->root == ROOT_ELSEWHERE ? target->called : PLACE_FIELD;
    wish.called_index = target->root == ROOT_ELSEWHERE ? target->called_index : target->field;
    return wish;
}

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

static struct il_type type_behind(const struct il_slot *address)
{
    return address->type.kind == IL_REFERENCE ? il_type_of(address->type.signature) : (struct il_type){0};
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
    struct wish wish = target_wish(planner, SITE_DEFINITION, &target, &value, &elsewhere);
    if (!is_variable(&target)) { // what is stored is exact, whoever writes there meanwhile
        wish.source = FROM_KEPT;
        wish.keep = KEEP_VALUE;
        wish.kept_kind = top->type.kind;
    }
    if (elsewhere) {
        own_address(address, &wish);
        wish.keep = wish.owner == OWNER_ADDRESS ? KEEP_OWNER_VALUE : KEEP_VALUE;
    }
    grant(planner, &wish);
}

// ldind and ldobj.
static void plan_load(struct planner *planner)
{
    const struct il_slot *address = il_stack_before(&planner->stacks, planner->at);
    struct target target = planner_target(planner, address);
    struct value value = value_moved(planner, address);
    bool elsewhere;
    struct wish wish = target_wish(planner, SITE_USE, &target, &value, &elsewhere);
    if (!is_variable(&target)) {
        wish.source = FROM_KEPT;
        wish.takes_result = true;
    }
    if (elsewhere) {
        own_address(address, &wish);
        wish.keep = wish.owner == OWNER_ADDRESS ? KEEP_OWNER : KEEP_NOTHING;
    }
    grant(planner, &wish);
}

static void plan_initobj(struct planner *planner)
{
    const struct il_slot *address = il_stack_before(&planner->stacks, planner->at);
    struct target target = planner_target(planner, address);
    struct value value = value_moved(planner, address);
    bool elsewhere;
    struct wish wish = target_wish(planner, SITE_DEFINITION, &target, &value, &elsewhere);
    if (!is_variable(&target)) {
        wish.source = FROM_DEFAULT;
    }
    if (elsewhere) {
        own_address(address, &wish);
        wish.keep = wish.owner == OWNER_ADDRESS ? KEEP_OWNER : KEEP_NOTHING;
    }
    grant(planner, &wish);
}

static void plan_cpobj(struct planner *planner)
{
    const struct il_slot *source = il_stack_before(&planner->stacks, planner->at);
    const struct il_slot *address = il_slot_at(source, 1);
    struct target target = planner_target(planner, address);
    struct value value = value_moved(planner, address);
    bool elsewhere;
    struct wish wish = target_wish(planner, SITE_DEFINITION, &target, &value, &elsewhere);
    if (elsewhere && is_address(address) && is_address(source)) {
        own_address(address, &wish);
        wish.source = FROM_ADDRESS;
        wish.keep = KEEP_OWNER_INDEX; // the address that it is copied from lies where an index would
        wish.index_kind = source->type.kind;
    } else if (elsewhere) {
        planner_leave_out(&wish.value, REASON_UNKNOWN);
    }
    grant(planner, &wish);
}

// -- Calls ------------------------------------------------------------------------------------------------------------

// Whether a parameter is `in`: what it refers to stays as it is.
static bool is_read_only(const struct planner *planner, uint32_t token, uint32_t parameter, struct bytes signature)
{
    const struct metadata *metadata = planner->method->metadata;
    if (bytes_left(&signature) && *signature.at == ELEMENT_MODIFIER_REQUIRED) { // InAttribute; nothing else is known
        return true;
    }
    if (TOKEN_TABLE(token) != TABLE_METHOD_DEF) {
        return false;
    }
    struct metadata_range rows =
        metadata_list(metadata, TABLE_METHOD_DEF, TOKEN_ROW(token), METHOD_PARAMETERS, TABLE_PARAM);
    for (uint32_t row = rows.first; row < rows.end; row++) {
        if (metadata_column(metadata, TABLE_PARAM, row, PARAMETER_SEQUENCE) == parameter + 1) {
            uint32_t flags = metadata_column(metadata, TABLE_PARAM, row, PARAMETER_FLAGS);
            return (flags & (PARAMETER_IN | PARAMETER_OUT)) == PARAMETER_IN;
        }
    }
    return false;
}

struct handed { // an address among a call's arguments
    const struct il_slot *slot;
    struct il_type type; // of what it is the address of
};

typedef void visit_handed(struct planner *planner, const struct handed *handed);

// Calls visit for each place that the call may write to: by-reference arguments, and what a constructor is called on.
static void visit_handed_over(struct planner *planner, const struct il_method *method, visit_handed *visit)
{
    uint32_t count = method->signature.parameter_count;
    const struct il_slot *stack = il_stack_before(&planner->stacks, planner->at);
    stack = planner->at->opcode == IL_CALLI ? stack->below : stack;
    bool constructs = planner->at->opcode == IL_CALL && method->is_constructor;
    const struct il_slot *receiver = constructs ? il_slot_at(stack, count) : NULL;
    if (receiver && receiver->type.kind == IL_REFERENCE && !planner_is_this(planner, receiver)) {
        struct handed handed = {receiver, method->owner};
        visit(planner, &handed);
    }
    struct bytes rest = method->signature.parameters;
    for (uint32_t i = 0; i < count; i++) {
        struct bytes signature = rest;
        struct il_type type = il_method_parameter(&planner->scope, method, &rest);
        struct handed handed = {il_slot_at(stack, count - 1 - i), il_type_of(type.signature)};
        if (type.kind == IL_REFERENCE && handed.slot->type.kind == IL_REFERENCE &&
            !is_read_only(planner, (uint32_t)planner->at->operand.integer, i, signature)) {
            visit(planner, &handed);
        }
    }
}

enum reading { READ_IN_PLACE, READ_BEHIND, READ_GUARDED, READ_NOT };

// How what lies at an address is to be read once the call is over.
static enum reading reading_of(const struct planner *planner, const struct handed *handed, bool elsewhere)
{
    if (!elsewhere) {
        return READ_IN_PLACE;
    }
    const struct il_slot *slot = handed->slot;
    if (!slot->producer || !weave_may_stand_before(planner->body, slot->producer + 1)) {
        return READ_NOT;
    }
    if (planner_is_sound(planner, slot)) {
        return READ_BEHIND;
    }
    return planner->method->trusts_references && slot->producer->opcode != IL_LDFLDA ? READ_GUARDED : READ_NOT;
}

static struct wish handed_wish(struct planner *planner, const struct handed *handed, enum reading *reading)
{
    struct target target = planner_target(planner, handed->slot);
    struct value value = planner_value(planner, handed->type);
    bool elsewhere;
    struct wish wish = target_wish(planner, SITE_DEFINITION, &target, &value, &elsewhere);
    *reading = reading_of(planner, handed, elsewhere);
    return wish;
}

static void keep_handed(struct planner *planner, const struct handed *handed)
{
    enum reading reading;
    (void)handed_wish(planner, handed, &reading);
    if (reading == READ_BEHIND || reading == READ_GUARDED) {
        uint8_t *kept = &planner->kept[il_index(planner->body, handed->slot->producer)];
        *kept = *kept == 0 ? 1 : 2;
    }
}

static uint32_t kept_local(struct planner *planner, const struct il_instruction *producer)
{
    const struct il_slot *below = il_stack_before(&planner->stacks, producer);
    uint32_t depth = below ? below->depth : 0; // not that of the place itself, but as good to tell them apart
    return planner_local_of_kind(planner, ROLE_KEPT + depth, IL_REFERENCE);
}

static void plan_handed(struct planner *planner, const struct handed *handed)
{
    enum reading reading;
    struct wish wish = handed_wish(planner, handed, &reading);
    if (reading == READ_NOT) {
        planner_leave_out(&wish.value, REASON_UNSAFE);
    } else if (reading != READ_IN_PLACE) {
        wish.owner = OWNER_ADDRESS;
        wish.owner_kind = IL_REFERENCE;
        wish.source = FROM_ADDRESS;
        wish.kept_local = 1 + kept_local(planner, handed->slot->producer);
        wish.owner_stays = planner->kept[il_index(planner->body, handed->slot->producer)] > 1;
        wish.guarded = reading == READ_GUARDED;
    }
    grant(planner, &wish);
}

static void plan_kept(struct planner *planner)
{
    struct weave_tap tap = {.at = il_index(planner->body, planner->at),
                            .moment = MOMENT_AFTER,
                            .without_event = true,
                            .owner = kept_local(planner, planner->at),
                            .owner_kind = IL_REFERENCE};
    add_tap(planner, &tap);
}

// -- Allocations and results ------------------------------------------------------------------------------------------

static void plan_allocation(struct planner *planner, struct il_type type)
{
    struct wish wish = {.kind = SITE_ALLOCATION,
                        .moment = MOMENT_AFTER,
                        .value = planner_value(planner, type),
                        .source = FROM_KEPT,
                        .takes_result = true};
    grant(planner, &wish);
}

static bool is(const struct il_instruction *at, enum il_opcode opcode)
{
    return at->opcode == opcode;
}

// `newarr; dup; ldtoken; call InitializeArray`: the array is made in one go.
static bool ends_array_pattern(const struct il_body *body, const struct il_instruction *at)
{
    return il_index(body, at) >= 3 && is(at, IL_CALL) && is(at - 1, IL_LDTOKEN) && is(at - 2, IL_DUP) &&
           is(at - 3, IL_NEWARR);
}

static bool begins_array_pattern(const struct il_body *body, const struct il_instruction *at)
{
    return body->end - at > 3 && ends_array_pattern(body, at + 3);
}

// A boxed type parameter may be a reference that is not boxed at all.
static bool surely_boxes(struct il_type type)
{
    return type.kind != IL_OBJECT && type.kind != IL_UNKNOWN && *type.signature.at != ELEMENT_VAR &&
           *type.signature.at != ELEMENT_MVAR;
}

static void plan_creation(struct planner *planner, const struct il_instruction *at)
{
    struct il_type type = il_type_of_token(&planner->scope, (uint32_t)at->operand.integer);
    switch (at->opcode) {
    case IL_NEWARR:
        if (!begins_array_pattern(planner->body, at)) {
            plan_allocation(planner, il_array_of(&planner->scope, type));
        }
        break;
    case IL_BOX:
        if (surely_boxes(type)) {
            plan_allocation(planner, (struct il_type){.kind = IL_OBJECT, .signature = type.signature});
        }
        break;
    default:
        break;
    }
}

static void plan_result(struct planner *planner)
{
    const struct il_slot *top = il_stack_before(&planner->stacks, planner->at);
    if (!top) {
        return;
    }
    struct wish wish = {.kind = SITE_RESULT,
                        .moment = MOMENT_BEFORE,
                        .place = PLACE_RESULT,
                        .value = planner_value(planner, planner->scope.result),
                        .source = FROM_KEPT,
                        .keep = KEEP_VALUE,
                        .kept_kind = top->type.kind};
    grant(planner, &wish);
}

// -- The method -------------------------------------------------------------------------------------------------------

static bool follows_end(const struct planner *planner, const struct il_instruction *ret)
{
    return ret != planner->body->first && weave_ends_activation(ret - 1, planner->method->token);
}

static void plan_call(struct planner *planner, const struct il_instruction *at)
{
    struct il_method method;
    if (weave_ends_activation(at, planner->method->token) ||
        il_method_of(&planner->scope, (uint32_t)at->operand.integer, &method) != CLEW_OK) {
        return;
    }
    if (at->opcode == IL_CALL && plan_array_method(planner, &method)) {
        return;
    }
    if (!(planner->instruments & WEAVE_VALUES)) {
        return;
    }
    if (at->opcode == IL_NEWOBJ && method.owner.kind == IL_OBJECT) {
        plan_allocation(planner, method.owner);
    }
    visit_handed_over(planner, &method, plan_handed);
    if (ends_array_pattern(planner->body, at)) {
        plan_allocation(
            planner, il_array_of(&planner->scope, il_type_of_token(&planner->scope, (uint32_t)at[-3].operand.integer)));
    }
}

static void plan_definitions(struct planner *planner, const struct il_instruction *at)
{
    uint32_t token = (uint32_t)at->operand.integer, number;
    switch (il_family(at, &number)) {
    case IL_STLOC:
        plan_variable(planner, SITE_DEFINITION, PLACE_LOCAL, number);
        break;
    case IL_STARG:
        plan_variable(planner, SITE_DEFINITION, PLACE_PARAMETER, number);
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
    case IL_RET:
        if (!follows_end(planner, at)) {
            plan_result(planner);
        }
        break;
    default:
        if (at->opcode >= IL_STIND_REF && at->opcode <= IL_STIND_R8) {
            plan_store(planner);
        } else if (at->opcode >= IL_STELEM_I && at->opcode <= IL_STELEM_REF) {
            plan_item(planner, SITE_DEFINITION);
        } else {
            plan_creation(planner, at);
        }
    }
}

static void plan_uses(struct planner *planner, const struct il_instruction *at)
{
    uint32_t token = (uint32_t)at->operand.integer, number;
    switch (il_family(at, &number)) {
    case IL_LDLOC:
        plan_variable(planner, SITE_USE, PLACE_LOCAL, number);
        break;
    case IL_LDARG:
        plan_variable(planner, SITE_USE, PLACE_PARAMETER, number);
        break;
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

static void plan_instruction(struct planner *planner, struct il_instruction *at)
{
    planner->at = at;
    if (il_unit_start(at) == at) {
        plan_statement(planner, at);
    }
    if (il_is_prefix(at->opcode)) {
        return;
    }
    bool before = at->opcode == IL_RET; // all else is done behind the instruction
    if (!before && !weave_may_stand_before(planner->body, at + 1)) {
        return;
    }
    if (planner->kept[il_index(planner->body, at)]) {
        plan_kept(planner);
    }
    if (il_opcodes[at->opcode].flow == IL_FLOW_CALL) {
        plan_call(planner, at);
    } else if (planner->instruments & WEAVE_VALUES) {
        plan_definitions(planner, at);
    }
    if (planner->instruments & WEAVE_USES) {
        plan_uses(planner, at);
    }
}

// Addresses that calls get, to be put aside where they come from.
static void find_kept(struct planner *planner)
{
    for (struct il_instruction *at = planner->body->first; at != planner->body->end; at++) {
        struct il_method method;
        planner->at = at;
        if (il_opcodes[at->opcode].flow == IL_FLOW_CALL && il_reached(&planner->stacks, at) &&
            !weave_ends_activation(at, planner->method->token) &&
            il_method_of(&planner->scope, (uint32_t)at->operand.integer, &method) == CLEW_OK) {
            visit_handed_over(planner, &method, keep_handed);
        }
    }
}

// -- Plans ------------------------------------------------------------------------------------------------------------

static bool streams(uint32_t instruments)
{
    return instruments & (WEAVE_STATEMENTS | WEAVE_VALUES);
}

static void add_fixed_local(struct planner *planner, bool wanted, enum il_kind kind, uint32_t *number)
{
    static const uint8_t integer[] = {ELEMENT_I8}, address[] = {ELEMENT_I};
    *number = WEAVE_NONE;
    if (wanted) {
        *number = planner_local(planner, ROLE_FIXED, bytes_of(kind == IL_INT64 ? integer : address, 1));
    }
}

// The activation comes first, as without sites.
static void add_fixed_locals(struct planner *planner)
{
    bool lines = planner->instruments & WEAVE_LINES && planner->statements > 0;
    bool times = lines && planner->instruments & WEAVE_LINE_TIMES;
    struct weave_fixed *fixed = &planner->fixed;
    add_fixed_local(planner, streams(planner->instruments) && planner->site_count > 0, IL_NATIVE, &fixed->context);
    add_fixed_local(planner, lines, IL_NATIVE, &fixed->lines);
    add_fixed_local(planner, times, IL_NATIVE, &fixed->lines_state);
    add_fixed_local(planner, times, IL_NATIVE, &fixed->lines_outer);
    add_fixed_local(planner, times, IL_INT64, &fixed->lines_now);
}

static bool changes_this(const struct il_body *body)
{
    for (const struct il_instruction *at = body->first; at != body->end; at++) {
        uint32_t number;
        enum il_opcode family = il_family(at, &number);
        if ((family == IL_STARG || family == IL_LDARGA) && number == 0) {
            return true;
        }
    }
    return false;
}

static void plan_body(struct planner *planner)
{
    planner->at = NULL;
    add_fixed_local(planner, weave_needs_local(planner->body), IL_NATIVE, &planner->fixed.activation);
    if (planner->instruments & WEAVE_VALUES) {
        plan_arguments(planner);
        find_kept(planner);
    }
    for (struct il_instruction *at = planner->body->first; at != planner->body->end; at++) {
        if (il_reached(&planner->stacks, at)) {
            plan_instruction(planner, at);
        }
    }
    add_fixed_locals(planner);
}

static enum clew_error finish(const struct planner *planner, struct weave_plan *out)
{
    struct weave_details *details = arena_alloc(planner->body->arena, sizeof *details);
    if (planner->failed || !details) {
        return CLEW_NO_MEMORY;
    }
    *details = (struct weave_details){.taps = planner->taps,
                                      .tap_count = planner->tap_count,
                                      .room = planner->method->room,
                                      .method = planner->method->token,
                                      .local_count = planner->scope.local_count,
                                      .fixed = planner->fixed,
                                      .stacks = planner->stacks};
    *out = (struct weave_plan){.sites = planner->sites,
                               .count = planner->site_count,
                               .statements = planner->statements,
                               .instruments = planner->instruments,
                               .local_count = planner->local_count,
                               .details = details};
    return planner_local_types(planner, &out->locals);
}

// -- The JIT's limits -------------------------------------------------------------------------------------------------
// Beyond any of these the JIT no longer optimises a method and tells nobody (compiler.h, DEFAULT_MIN_OPTS_*).

enum { REFERENCES_MAX = 8000, BYTES_MAX = 60000, INSTRUCTIONS_MAX = 20000, BLOCKS_MAX = 2000, LOCALS_MAX = 2000 };

static bool within_limits(const struct weave_tally *tally, uint32_t locals)
{
    return tally->references <= REFERENCES_MAX && tally->bytes <= BYTES_MAX &&
           tally->instructions <= INSTRUCTIONS_MAX && tally->blocks <= BLOCKS_MAX && locals <= LOCALS_MAX;
}

static bool loses_optimisation(const struct planner *planner, const struct weave_plan *plan)
{
    struct weave_tally before, after;
    uint32_t locals = planner->scope.local_count + planner->scope.argument_count;
    weave_tally_body(planner->body, &before);
    weave_tally_plan(planner->body, plan, &after);
    return within_limits(&before, locals) && !within_limits(&after, locals + plan->local_count);
}

// What goes next; 0: nothing is left.
static uint32_t next_to_drop(uint32_t instruments)
{
    static const uint32_t order[] = {WEAVE_USES, WEAVE_VALUES, WEAVE_STATEMENTS, WEAVE_LINES | WEAVE_LINE_TIMES};
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++) {
        if (instruments & order[i]) {
            return instruments & order[i];
        }
    }
    return 0;
}

enum clew_error weave_plan(struct il_body *body, const struct weave_method *method, struct weave_plan *out)
{
    struct planner common = {.body = body, .method = method, .instruments = method->instruments};
    CLEW_TRY(il_scope_open(method->metadata, method->token, body->locals_token, method->type_refs, body->arena,
                           &common.scope));
    CLEW_TRY(il_stacks(body, &common.scope, &common.stacks));
    common.this_changes = changes_this(body);
    common.point = method->points;
    for (;;) {
        struct planner planner = common;
        planner.kept = arena_alloc(body->arena, body->instruction_count + 1);
        if (!planner.kept) {
            return CLEW_NO_MEMORY;
        }
        plan_body(&planner);
        CLEW_TRY(finish(&planner, out));
        out->dropped = method->instruments & ~common.instruments;
        uint32_t goes = loses_optimisation(&planner, out) ? next_to_drop(common.instruments) : 0;
        if (!goes) {
            return CLEW_OK;
        }
        common.instruments &= ~goes;
    }
}

void weave_number(struct weave_plan *plan, uint32_t first)
{
    for (uint32_t i = 0; i < plan->count; i++) {
        uint32_t *statement = &plan->sites[i].statement;
        *statement = *statement ? first + *statement - 1 : 0;
    }
}

bool weave_trusts_references(const struct metadata *metadata)
{
    static const char *const names[] = {"Unsafe", "MemoryMarshal", "CollectionsMarshal", "UnverifiableCodeAttribute"};
    enum { TYPE_NAME = 1 };
    for (uint32_t row = 1; row <= metadata_rows(metadata, TABLE_TYPE_REF); row++) {
        struct text name = metadata_string(metadata, metadata_column(metadata, TABLE_TYPE_REF, row, TYPE_NAME));
        for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
            if (text_equal(name, text_of(names[i]))) {
                return false;
            }
        }
    }
    return true;
}
