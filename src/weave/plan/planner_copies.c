// Copies: compilers keep values in places that the source has no name for, such as the temporary of a `switch` or a field
// in which an async method keeps a value while it waits. --redact goes by names, so such a place is redacted if a value of
// a redacted place is stored in it anywhere in the method, or if its own value is stored in a redacted place. Of a
// place that has a name, the name alone decides.
#include "metadata/names/names_variable.h"
#include "weave/plan/planner.h"

enum { STEPS_MAX = 8 }; // conversions of conversions: further ones are not followed

static bool is_call(const struct il_instruction *at)
{
    return at->opcode == IL_CALL || at->opcode == IL_CALLVIRT;
}

static bool is_nameless(const struct planner *planner, enum site_place place, uint32_t index)
{
    return place != PLACE_NONE && planner_name(planner, place, index).text.size == 0;
}

static void add_copy(struct planner *planner, enum site_place place, uint32_t index)
{
    struct planner_copy *copies =
        planner_grow(planner, planner->copies, planner->copy_count, &planner->copy_room, sizeof *planner->copies);
    if (copies) {
        planner->copies = copies;
        copies[planner->copy_count++] = (struct planner_copy){place, index};
    }
}

// -- Where a value comes from -----------------------------------------------------------------------------------------

static bool holds_secret(const struct planner *planner, const struct il_slot *slot, unsigned depth);

// Planning as it would be at another instruction: names of locals depend on it.
static struct planner planner_at(const struct planner *planner, const struct il_instruction *at)
{
    struct planner there = *planner;
    there.at = planner->body->originals + il_index(planner->body, at);
    return there;
}

static bool loads_secret(const struct planner *planner, const struct il_instruction *load)
{
    struct planner there = planner_at(planner, load);
    struct request request = {0};
    request.name.place = planner_place_of(load, &request.name.index);
    request.name.holder = il_stack_before(&planner->stacks, load);
    struct planner_names names = planner_names(&there, &request);
    return planner_is_redacted(&there, &request, &names, (struct text){0});
}

// Whether one of the `count` slots from the top down holds a secret.
static bool any_holds_secret(const struct planner *planner, const struct il_slot *top, uint32_t count, unsigned depth)
{
    for (; count > 0 && top; count--, top = top->below) {
        if (holds_secret(planner, top, depth)) {
            return true;
        }
    }
    return false;
}

static uint32_t operand_count(const struct il_method *method, bool creates)
{
    return method->signature.parameter_count + (method->signature.has_this && !creates);
}

// Methods whose result is the value that they get, in another type.
static bool passes_on(const struct il_method *method)
{
    static const char *const names[] = {"op_Implicit",    "op_Explicit", "GetValueOrDefault", "get_Value",
                                        "ConfigureAwait", "GetAwaiter",  "GetResult",         "ToStringAndClear"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (text_equal(method->name, text_of(names[i]))) {
            return true;
        }
    }
    return false;
}

// The name of the method or its property decides about its result. A new struct contains what its constructor gets; a new
// object is no copy: the names of its fields decide about them.
static bool returns_secret(const struct planner *planner, const struct il_instruction *call, unsigned depth)
{
    bool creates = call->opcode == IL_NEWOBJ, sets;
    struct il_method method;
    if (il_method_of(&planner->scope, (uint32_t)call->operand.integer, &method) != CLEW_OK ||
        (creates && method.owner.kind == IL_OBJECT)) {
        return false;
    }
    struct bytes type = il_method_result(&planner->scope, &method).signature;
    return (!creates && planner_is_redacted_name(planner, names_member(method.name, &sets), type)) ||
           ((creates || passes_on(&method)) &&
            any_holds_secret(planner, il_stack_before(&planner->stacks, call), operand_count(&method, creates), depth));
}

// Whether the instruction turns a value into another form of it, or an address into what lies there: conversions, boxes, casts,
// loads through addresses.
static bool converts(const struct il_instruction *at)
{
    const struct il_opcode_info *about = &il_opcodes[at->opcode];
    return about->pops == 1 && about->pushes == 1 && at->opcode != IL_LDLEN && at->opcode != IL_NEWARR &&
           at->opcode != IL_LOCALLOC;
}

static bool takes_item(const struct il_instruction *at)
{
    return at->opcode == IL_LDELEM || (at->opcode >= IL_LDELEMA && at->opcode <= IL_LDELEM_REF);
}

// Whether the instruction pushes the value of a redacted place, or its address.
static bool pushes_secret(const struct planner *planner, const struct il_instruction *at, unsigned depth)
{
    uint32_t number;
    if (depth == 0 || il_opcodes[at->opcode].pushes == 0) {
        return false;
    }
    if (planner_place_of(at, &number) != PLACE_NONE) {
        return loads_secret(planner, at);
    }
    if (is_call(at) || at->opcode == IL_NEWOBJ) {
        return returns_secret(planner, at, depth - 1);
    }
    const struct il_slot *top = il_stack_before(&planner->stacks, at);
    return (converts(at) && holds_secret(planner, top, depth - 1)) ||
           (takes_item(at) && holds_secret(planner, il_slot_at(top, 1), depth - 1));
}

static bool holds_secret(const struct planner *planner, const struct il_slot *slot, unsigned depth)
{
    return slot && slot->producer && pushes_secret(planner, slot->producer, depth);
}

// Where the statement that contains the instruction begins; without symbols, where the method begins.
static uint32_t statement_start(const struct planner *planner, const struct il_instruction *at)
{
    const struct weave_method *method = planner->method;
    uint32_t start = 0;
    for (uint32_t i = 0; i < method->point_count && method->points[i].il_offset <= at->offset; i++) {
        start = method->points[i].hidden ? start : method->points[i].il_offset;
    }
    return start;
}

// A value that has several sources, as that of a conditional expression has: any value of its kind that the statement pushes
// before may be one of them.
static bool may_be_secret(const struct planner *planner, const struct il_instruction *at, enum il_kind kind)
{
    uint32_t start = statement_start(planner, at);
    for (; at > planner->body->originals && at[-1].offset >= start; at--) {
        const struct il_slot *pushed = il_reached(&planner->stacks, at) ? il_stack_before(&planner->stacks, at) : NULL;
        bool merged = pushed && !pushed->producer; // with the same value from elsewhere
        if (pushed && (merged || pushed->producer == at - 1) && pushed->type.kind == kind &&
            il_reached(&planner->stacks, at - 1) && pushes_secret(planner, at - 1, STEPS_MAX)) {
            return true;
        }
    }
    return false;
}

bool planner_is_secret(const struct planner *planner, const struct il_instruction *at, const struct il_slot *slot)
{
    return slot &&
           (slot->producer ? holds_secret(planner, slot, STEPS_MAX) : may_be_secret(planner, at, slot->type.kind));
}

bool planner_stores_copy(const struct planner *planner, const struct request *request)
{
    const struct il_slot *holder = request->name.holder;
    uint32_t index = 0;
    enum site_place place = holder && holder->producer ? planner_place_of(holder->producer, &index) : PLACE_NONE;
    bool named =
        request->name.place != PLACE_NONE || (place != PLACE_NONE && planner_name(planner, place, index).text.size > 0);
    return request->kind == SITE_DEFINITION && request->operands.spills & SPILL_VALUE && !named &&
           planner_is_secret(planner, planner->at, il_stack_before(&planner->stacks, planner->at));
}

// -- Where it goes ----------------------------------------------------------------------------------------------------

// Values that an instruction puts into a place, or into the struct or array in it.
struct transfer {
    enum site_place place;
    uint32_t index;
    const struct il_slot *value; // the last of them
    uint32_t count;
};

static bool writes_to_address(const struct il_instruction *at)
{
    return at->opcode == IL_STOBJ || at->opcode == IL_STIND_I ||
           (at->opcode >= IL_STIND_REF && at->opcode <= IL_STIND_R8);
}

static bool writes_item(const struct il_instruction *at)
{
    return at->opcode == IL_STELEM || (at->opcode >= IL_STELEM_I && at->opcode <= IL_STELEM_REF);
}

// A method of a struct may keep in it whatever it gets: constructors, handlers of interpolated strings.
static struct transfer transfer_of(const struct planner *planner, const struct il_instruction *at)
{
    struct transfer transfer = {.value = il_stack_before(&planner->stacks, at), .count = 1};
    struct il_method method;
    uint32_t down = 0;
    if (planner_is_store(at)) {
        transfer.place = planner_place_of(at, &transfer.index);
        return transfer;
    }
    if (writes_to_address(at)) {
        down = 1;
    } else if (writes_item(at)) {
        down = 2;
    } else if (is_call(at) && il_method_of(&planner->scope, (uint32_t)at->operand.integer, &method) == CLEW_OK &&
               method.signature.has_this) {
        down = transfer.count = method.signature.parameter_count;
    }
    const struct il_slot *whole = down ? il_slot_at(transfer.value, down) : NULL;
    if (whole && whole->producer && (whole->type.kind == IL_REFERENCE || writes_item(at))) {
        transfer.place = planner_place_of(whole->producer, &transfer.index);
    }
    return transfer;
}

static bool holds_any(const struct planner *planner, const struct transfer *transfer)
{
    const struct il_slot *slot = transfer->value;
    for (uint32_t i = 0; i < transfer->count && slot; i++, slot = slot->below) {
        if (planner_is_secret(planner, planner->at, slot)) {
            return true;
        }
    }
    return false;
}

// The nameless place whose value goes to a redacted place.
static enum site_place source_of(const struct planner *planner, const struct transfer *transfer, uint32_t *index)
{
    const struct il_instruction *load = transfer->value ? transfer->value->producer : NULL;
    enum site_place place = load ? planner_place_of(load, index) : PLACE_NONE;
    struct planner there = load ? planner_at(planner, load) : *planner;
    bool wanted = place != PLACE_NONE && is_nameless(&there, place, *index) &&
                  planner_is_redacted_place(planner, transfer->place, transfer->index);
    return wanted ? place : PLACE_NONE;
}

static void visit(struct planner *planner)
{
    struct transfer transfer = transfer_of(planner, planner->at);
    enum site_place place = transfer.place;
    uint32_t index = transfer.index;
    if (place == PLACE_NONE) {
        return;
    }
    bool copies = is_nameless(planner, place, index);
    if (!copies) {
        place = source_of(planner, &transfer, &index);
    }
    if (place != PLACE_NONE && !planner_is_copy(planner, place, index) && (!copies || holds_any(planner, &transfer))) {
        add_copy(planner, place, index);
    }
}

// Repeated while it finds more, since a loop may carry a value from a place further down to one further up.
void planner_find_copies(struct planner *planner)
{
    uint32_t before;
    do {
        before = planner->copy_count;
        for (planner->at = planner->body->first; planner->at != planner->body->end; planner->at++) {
            if (il_reached(&planner->stacks, planner->at)) {
                visit(planner);
            }
        }
    } while (planner->copy_count > before && !planner->failed);
    planner->at = NULL;
}
