// Calls: the variables that they get the addresses of, which they use and write to, and the accessors of arrays with
// several dimensions. A callee may write through a reference at any time while it runs; its writes are recorded once,
// behind the call.
#include "weave/operations/original.h"
#include "weave/plan/planner.h"

enum { PARAMETER_IN = 1, PARAMETER_OUT = 2 }; // of PARAM_FLAGS (ECMA-335 II.23.1.13)

// `Get` and `Set` of arrays with several dimensions, which the runtime implements (ECMA-335 II.14.2): uses and
// definitions of an item.
static bool plan_array_method(struct planner *planner, const struct il_method *method)
{
    struct bytes owner = method->owner.signature;
    bool store = text_equal(method->name, text_of("Set"));
    uint32_t rank = method->signature.parameter_count - store;
    if (bytes_left(&owner) == 0 || *owner.at != ELEMENT_ARRAY || rank < 1 || rank > RANK_MAX ||
        (!store && !text_equal(method->name, text_of("Get")))) {
        return false;
    }
    (void)bytes_skip(&owner, 1);
    const struct il_slot *top = il_stack_before(&planner->stacks, planner->at);
    struct request request = {.kind = store ? SITE_DEFINITION : SITE_USE,
                              .moment = MOMENT_AFTER,
                              .location = {.place = PLACE_ITEM, .owner = OWNER_OBJECT},
                              .name = {.holder = il_slot_at(top, rank + store)},
                              .value = planner_value(planner, il_type_of(owner)),
                              .source = {.kind = FROM_SPILL},
                              .operands = {.spills = store ? SPILL_OWNER | SPILL_VALUE : SPILL_OWNER,
                                           .rank = rank,
                                           .owner = IL_OBJECT,
                                           .index = IL_INT32,
                                           .value = top->type.kind,
                                           .index_from = INDEX_OF_RANK},
                              .takes_result = !store};
    if (planner->instruments & (store ? INSTRUMENT_VALUES : INSTRUMENT_USES)) {
        planner_request(planner, &request);
    }
    return true;
}

// -- Calls ------------------------------------------------------------------------------------------------------------

enum direction { HANDED_IN, HANDED_OUT, HANDED_BOTH_WAYS };

// The direction of a by-reference parameter. For methods of other modules only a modifier can say it.
static enum direction direction_of(const struct planner *planner, uint32_t token, uint32_t parameter,
                                   struct bytes signature)
{
    const struct metadata *metadata = planner->method->metadata;
    if (bytes_left(&signature) &&
        *signature.at == ELEMENT_MODIFIER_REQUIRED) { // InAttribute: no other required modifier is in use
        return HANDED_IN;
    }
    if (TOKEN_TABLE(token) != TABLE_METHOD_DEF) {
        return HANDED_OUT;
    }
    struct metadata_range rows =
        metadata_list(metadata, TABLE_METHOD_DEF, TOKEN_ROW(token), METHOD_DEF_PARAMS, TABLE_PARAM);
    for (uint32_t row = rows.first; row < rows.end; row++) {
        if (metadata_column(metadata, TABLE_PARAM, row, PARAM_SEQUENCE) == parameter + 1) {
            uint32_t flags = metadata_column(metadata, TABLE_PARAM, row, PARAM_FLAGS);
            bool out = flags & PARAMETER_OUT;
            return out ? HANDED_OUT : flags & PARAMETER_IN ? HANDED_IN : HANDED_BOTH_WAYS;
        }
    }
    return HANDED_BOTH_WAYS;
}

struct handed { // an address that a call gets
    const struct il_slot *slot;
    struct il_type type; // of the value at the address
    enum direction direction;
};

typedef void visit_handed(struct planner *planner, const struct handed *handed);

// The struct that a method is called on. A constructor defines it. Any other method uses it, and records within itself
// what it changes, if it is woven.
static void visit_receiver(struct planner *planner, const struct il_method *method, const struct il_slot *receiver,
                           visit_handed *visit)
{
    bool constructs = planner->at->opcode == IL_CALL && method->is_constructor;
    if (receiver && receiver->type.kind == IL_REFERENCE && !planner_is_this(planner, receiver)) {
        struct handed handed = {receiver, method->owner, constructs ? HANDED_OUT : HANDED_IN};
        visit(planner, &handed);
    }
}

// Calls visit for each address that the call gets: that of the struct it is called on, and by-reference arguments.
static void visit_handed_over(struct planner *planner, const struct il_method *method, visit_handed *visit)
{
    uint32_t count = method->signature.parameter_count;
    const struct il_slot *stack = il_stack_before(&planner->stacks, planner->at);
    stack = planner->at->opcode == IL_CALLI ? stack->below : stack;
    if (planner->at->opcode != IL_NEWOBJ && method->signature.has_this) {
        visit_receiver(planner, method, il_slot_at(stack, count), visit);
    }
    struct bytes rest = method->signature.parameters;
    for (uint32_t i = 0; i < count; i++) {
        struct bytes signature = rest;
        struct il_type type = il_method_parameter(&planner->scope, method, &rest);
        const struct il_slot *slot = il_slot_at(stack, count - 1 - i);
        if (type.kind == IL_REFERENCE && slot->type.kind == IL_REFERENCE) {
            uint32_t token = (uint32_t)planner->at->operand.integer;
            struct handed handed = {slot, il_type_of(type.signature), direction_of(planner, token, i, signature)};
            visit(planner, &handed);
        }
    }
}

// -- Uses by calls ----------------------------------------------------------------------------------------------------
// A variable, or a field of one or of `this`, whose address goes to a call is used there. Its value is recorded in
// front of the instruction that pushes the address, since the JIT recognises that instruction together with those that
// follow.

enum { USED_ITSELF = 1 }; // otherwise `used` is the token of a field

static void mark_used(struct planner *planner, const struct handed *handed)
{
    struct target target = planner_target(planner, handed->slot);
    bool variable = planner_is_variable(&target);
    if (handed->direction == HANDED_OUT || (!variable && (target.root != ROOT_THIS || target.levels != 1))) {
        return;
    }
    const struct il_instruction *producer = handed->slot->producer;
    for (uint32_t i = variable ? target.levels : 0; i > 0; i--) {
        producer = il_stack_before(&planner->stacks, producer)->producer;
    }
    planner->used[il_index(planner->body, producer)] = variable && target.levels == 0 ? USED_ITSELF : target.field;
}

void planner_handed_use(struct planner *planner, const struct il_instruction *at)
{
    uint32_t used = planner->used[il_index(planner->body, at)], number = 0;
    enum il_opcode family = il_family(at, &number);
    struct request request;
    if (used == 0) {
        return;
    }
    if (family == IL_LDFLDA) {
        request = planner_field_request(planner, SITE_USE, PLACE_FIELD, used);
        request.location.owner = OWNER_THIS;
        request.source.kind = FROM_THIS_FIELD;
    } else if (used == USED_ITSELF) {
        request =
            planner_variable_request(planner, SITE_USE, family == IL_LDLOCA ? PLACE_LOCAL : PLACE_PARAMETER, number);
    } else {
        struct target target = {.root = family == IL_LDLOCA ? ROOT_LOCAL : ROOT_PARAMETER, .number = number};
        target.field = used;
        request = planner_variable_field_request(planner, SITE_USE, &target);
    }
    request.moment = MOMENT_BEFORE;
    planner_request(planner, &request);
}

// -- Definitions by calls ---------------------------------------------------------------------------------------------

enum reading { READ_IN_PLACE, READ_BEHIND, READ_GUARDED, READ_NOT };

// How the value at an address is read behind the call: from its variable or field; through a copy of the address, which
// is valid; through one that may be null; or not at all.
static enum reading reading_of(const struct planner *planner, const struct handed *handed, bool elsewhere)
{
    if (!elsewhere) {
        return READ_IN_PLACE;
    }
    const struct il_slot *slot = handed->slot;
    if (!slot->producer || !planner_may_insert_behind(planner, slot->producer) ||
        (slot->producer[1].opcode == IL_DUP && planner_may_be_number(planner, slot))) { // a copy may go elsewhere
        return READ_NOT;
    }
    if (planner_is_sound(planner, slot)) {
        return READ_BEHIND;
    }
    return planner->method->trusts_references && slot->producer->opcode != IL_LDFLDA ? READ_GUARDED : READ_NOT;
}

static struct request handed_request(struct planner *planner, const struct handed *handed, enum reading *reading)
{
    struct target target = planner_target(planner, handed->slot);
    struct value value = planner_value(planner, handed->type);
    bool elsewhere;
    struct request request = planner_target_request(planner, SITE_DEFINITION, &target, &value, &elsewhere);
    *reading = reading_of(planner, handed, elsewhere);
    return request;
}

static void find_saved(struct planner *planner, const struct handed *handed)
{
    enum reading reading;
    if (planner->instruments & INSTRUMENT_USES) {
        mark_used(planner, handed);
    }
    if (handed->direction == HANDED_IN || !planner_may_insert_behind(planner, planner->at)) {
        return;
    }
    (void)handed_request(planner, handed, &reading);
    if (reading == READ_BEHIND || reading == READ_GUARDED) {
        uint8_t *saves = &planner->saves[il_index(planner->body, handed->slot->producer)];
        *saves = *saves == 0 ? 1 : 2;
        planner_mark_indexed(planner, handed->slot);
    }
}

// One for each depth of the stack, so that addresses that are on the stack at the same time have different locals.
static uint32_t saved_local(struct planner *planner, const struct il_instruction *producer)
{
    uint32_t depth = il_stack_before(&planner->stacks, producer + 1)->depth;
    return planner_local_of_kind(planner, ROLE_SAVED + 3 * depth, IL_REFERENCE);
}

static void plan_handed(struct planner *planner, const struct handed *handed)
{
    enum reading reading;
    if (handed->direction == HANDED_IN) {
        return;
    }
    struct request request = handed_request(planner, handed, &reading);
    request.passed = true;
    request.through = handed->slot;
    if (reading == READ_NOT) {
        planner_leave_out(&request.value, REASON_UNSAFE);
    } else if (reading != READ_IN_PLACE) {
        request.location.owner = OWNER_ADDRESS;
        request.operands.owner = IL_REFERENCE;
        request.source.kind = FROM_ADDRESS;
        request.address.local = 1 + saved_local(planner, handed->slot->producer);
        request.address.shared = planner->saves[il_index(planner->body, handed->slot->producer)] > 1;
        request.address.guarded = reading == READ_GUARDED;
        planner_use_index(planner, handed->slot, &request);
    }
    planner_request(planner, &request);
}

void planner_save_address(struct planner *planner)
{
    uint32_t local = saved_local(planner, planner->at);
    struct insertion copy = {.at = il_index(planner->body, planner->at),
                             .moment = MOMENT_AFTER,
                             .op_count = 2,
                             .ops = {op_local(IL_STLOC, local), op_local(IL_LDLOC, local)}};
    planner_add_insertion(planner, &copy);
}

// -- The call itself --------------------------------------------------------------------------------------------------

// Whether only the instruction before it leads there.
static bool is(const struct il_instruction *at, enum il_opcode opcode)
{
    return at->opcode == opcode && !at->target;
}

// `newarr; dup; ldtoken; call InitializeArray`, which the JIT compiles as a whole: the array is recorded behind the
// call.
static bool ends_array_pattern(const struct il_body *body, const struct il_instruction *at)
{
    return il_index(body, at) >= 3 && is(at, IL_CALL) && is(at - 1, IL_LDTOKEN) && is(at - 2, IL_DUP) &&
           at[-3].opcode == IL_NEWARR;
}

// `newobj` of an unknown type counts as an object if the result is thrown.
static bool creates_object(const struct il_method *method, const struct il_instruction *at)
{
    return method->owner.kind == IL_OBJECT || (method->owner.kind == IL_UNKNOWN && at[1].opcode == IL_THROW);
}

void planner_call(struct planner *planner, const struct il_instruction *at)
{
    struct il_method method;
    if (weave_ends_activation(at, planner->method->token) ||
        il_method_of(&planner->scope, (uint32_t)at->operand.integer, &method) != CLEW_OK) {
        return;
    }
    if (at->opcode == IL_CALL && plan_array_method(planner, &method)) {
        return;
    }
    if (!(planner->instruments & INSTRUMENT_VALUES)) {
        return;
    }
    planner_collection(planner, &method);
    if (at->opcode == IL_NEWOBJ && creates_object(&method, at)) {
        planner_allocation(planner, (struct il_type){IL_OBJECT, method.owner.signature});
    }
    visit_handed_over(planner, &method, plan_handed);
    if (ends_array_pattern(planner->body, at)) {
        planner_allocation(
            planner, il_array_of(&planner->scope, il_type_of_token(&planner->scope, (uint32_t)at[-3].operand.integer)));
    }
}

void planner_find_saved(struct planner *planner)
{
    for (struct il_instruction *at = planner->body->first; at != planner->body->end; at++) {
        struct il_method method;
        planner->at = at;
        if (il_opcodes[at->opcode].flow == IL_FLOW_CALL && il_reached(&planner->stacks, at) &&
            !weave_ends_activation(at, planner->method->token) &&
            il_method_of(&planner->scope, (uint32_t)at->operand.integer, &method) == CLEW_OK) {
            visit_handed_over(planner, &method, find_saved);
        }
    }
}
