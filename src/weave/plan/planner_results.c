// Objects that a method creates, and the value that it returns: events whose value has no storage location.
#include "weave/operations/original.h"
#include "weave/plan/planner.h"

// -- Allocations ------------------------------------------------------------------------------------------------------

static struct request allocation_request(struct planner *planner, struct il_type type)
{
    return (struct request){.kind = SITE_ALLOCATION,
                            .moment = MOMENT_AFTER,
                            .value = planner_value(planner, type),
                            .source = {.kind = FROM_SPILL},
                            .takes_result = true};
}

void planner_allocation(struct planner *planner, struct il_type type)
{
    struct request request = allocation_request(planner, type);
    planner_request(planner, &request);
}

// Whether the next instruction stores what this one pushes in a redacted place.
static bool goes_to_redacted(const struct planner *planner)
{
    struct planner next = *planner; // names of locals depend on the instruction
    next.at++;
    if (next.at == planner->body->end || !planner_is_store(next.at)) {
        return false;
    }
    uint32_t index;
    enum site_place place = planner_place_of(next.at, &index);
    return planner_is_redacted_place(&next, place, index);
}

// The recording shows the content of a box, so a name withholds it if it is that of the place that the value comes from, or
// of the variable or field that the box goes to.
static void plan_box(struct planner *planner, struct il_type type)
{
    struct request request = allocation_request(planner, type);
    const struct il_slot *value = il_stack_before(&planner->stacks, planner->at);
    if (planner_is_secret(planner, planner->at, value) || goes_to_redacted(planner)) {
        planner_leave_out(&request.value, REASON_REDACTED);
    }
    planner_request(planner, &request);
}

// `box` of a type parameter creates no object if the argument is a class.
static bool surely_boxes(struct il_type type)
{
    return type.kind != IL_OBJECT && type.kind != IL_UNKNOWN && *type.signature.at != ELEMENT_VAR &&
           *type.signature.at != ELEMENT_MVAR;
}

void planner_create(struct planner *planner, const struct il_instruction *at)
{
    struct il_type type = il_type_of_token(&planner->scope, (uint32_t)at->operand.integer);
    switch (at->opcode) {
    case IL_NEWARR:
        planner_allocation(planner, il_array_of(&planner->scope, type));
        break;
    case IL_BOX:
        if (surely_boxes(type)) {
            plan_box(planner, (struct il_type){.kind = IL_OBJECT, .signature = type.signature});
        }
        break;
    default:
        break;
    }
}

// -- Results ----------------------------------------------------------------------------------------------------------

// If the result stayed on the stack while the exit probe runs, the JIT would copy it to a stack slot, another one for
// each exit.
static void spill_result(struct planner *planner, const struct il_instruction *at)
{
    struct il_type result = planner->scope.result;
    if (result.kind == IL_REFERENCE || result.kind == IL_UNKNOWN ||
        (result.kind == IL_VALUE && bytes_left(&result.signature) == 0)) {
        return;
    }
    uint32_t local = result.kind == IL_VALUE ? planner_local(planner, ROLE_VALUE, result.signature)
                                             : planner_local_of_kind(planner, ROLE_VALUE, result.kind);
    planner_insert(planner, il_index(planner->body, at), MOMENT_BEFORE, op_local(IL_STLOC, local));
    planner_insert(planner, il_index(planner->body, at), MOMENT_LAST, op_local(IL_LDLOC, local));
}

static struct request result_request(struct planner *planner, struct il_type type, enum il_kind on_stack)
{
    return (struct request){.kind = SITE_RESULT,
                            .moment = MOMENT_BEFORE,
                            .location = {.place = PLACE_RESULT},
                            .name = {.place = PLACE_RESULT},
                            .value = planner_value(planner, type),
                            .source = {.kind = FROM_SPILL},
                            .operands = {.spills = SPILL_VALUE, .value = on_stack}};
}

void planner_return(struct planner *planner, const struct il_instruction *at)
{
    const struct il_slot *top = il_stack_before(&planner->stacks, at);
    if (!top || weave_returns_for_call(planner->body, at, planner->method->token)) {
        return;
    }
    if (!(planner->instruments & INSTRUMENT_VALUES)) {
        const struct weave_runs *runs = planner->method->runs;
        if (!runs || !runs->enclosed) { // such a body has a local for it
            spill_result(planner, at);
        }
        return;
    }
    struct request request = result_request(planner, planner->scope.result, top->type.kind);
    planner_request(planner, &request);
}

void planner_complete(struct planner *planner, const struct il_instruction *at)
{
    const struct il_slot *top = il_stack_before(&planner->stacks, at);
    struct il_method called;
    if (!top || il_method_of(&planner->scope, (uint32_t)at->operand.integer, &called) != CLEW_OK ||
        called.signature.parameter_count != 1) {
        return;
    }
    struct bytes parameters = called.signature.parameters;
    planner->scope.result = il_method_parameter(&planner->scope, &called, &parameters);
    struct request request = result_request(planner, planner->scope.result, top->type.kind);
    planner_request(planner, &request);
}
