// Room for inline events: where it has to be checked, since the bytes used so far are unknown or more than a check leaves.
#include "base/assert.h"
#include "weave/plan/lowering.h"

enum { UNREACHED = 0 };

static uint32_t position(const struct lowering *lowering, const struct il_instruction *original)
{
    return il_index(lowering->planner->body, original);
}

static void remember_used(struct lowering *lowering, const struct il_instruction *target)
{
    uint32_t *used = &lowering->used_at[position(lowering, target)];
    *used = lowering->used > *used ? lowering->used : *used;
    if (lowering->passed_at) {
        lowering->passed_at[position(lowering, target)] |= lowering->passed;
    }
    if (lowering->waited_at) {
        lowering->waited_at[position(lowering, target)] |= lowering->waited;
    }
}

// Whether code of others may run in it: that of a callee, or a static constructor.
static bool runs_others(enum il_opcode opcode)
{
    return il_opcodes[opcode].flow == IL_FLOW_CALL || opcode == IL_LDSFLD || opcode == IL_LDSFLDA ||
           opcode == IL_STSFLD;
}

// Behind an await the probes have made the activation the newest of the thread, and room for its events.
static void follow_others(struct lowering *lowering, const struct il_instruction *from)
{
    const uint8_t *awaits = lowering->planner->awaits;
    lowering->passed |= runs_others(from->opcode);
    lowering->waited |= il_opcodes[from->opcode].flow == IL_FLOW_CALL;
    if (awaits && awaits[position(lowering, from)] & AWAIT_ENDS) {
        lowering->passed = false;
        lowering->used = 0;
    }
}

void room_follow(struct lowering *lowering, const struct il_instruction *from)
{
    if (!lowering->used_at) {
        return;
    }
    follow_others(lowering, from);
    if (il_is_branch(from->opcode)) {
        remember_used(lowering, from->operand.branch);
    } else if (from->opcode == IL_SWITCH) {
        for (uint32_t i = 0; i < from->operand.table.count; i++) {
            remember_used(lowering, from->operand.table.targets[i]);
        }
    }
    enum il_flow flow = il_opcodes[from->opcode].flow;
    if (flow == IL_FLOW_BRANCH || flow == IL_FLOW_RETURN || flow == IL_FLOW_THROW) {
        lowering->used = UNREACHED;
        lowering->passed = lowering->waited = false;
    }
}

static bool begins_handler(const struct il_body *body, const struct il_instruction *at)
{
    for (uint32_t i = 0; at->target && i < body->region_count; i++) {
        if (body->regions[i].handler_start == at) {
            return true;
        }
    }
    return false;
}

bool room_arrive(struct lowering *lowering, const struct il_instruction *unit)
{
    if (!lowering->used_at) {
        return false;
    }
    uint32_t at = position(lowering, unit);
    if (unit->target && lowering->used_at[at] > lowering->used) {
        lowering->used = lowering->used_at[at];
    }
    if (begins_handler(lowering->planner->body, unit)) { // the probe that re-states the activation makes room
        lowering->used = 0;
        lowering->passed = false;
        lowering->waited = true;
    } else if (lowering->checked[at] || (unit->target && lowering->passed_at && lowering->passed_at[at])) {
        lowering->passed = true;
    }
    lowering->waited |= unit->target && lowering->waited_at && lowering->waited_at[at];
    return lowering->checked[at];
}

static void check_backward(struct lowering *lowering, const struct il_instruction *from,
                           const struct il_instruction *to)
{
    if (to <= from) {
        lowering->checked[position(lowering, to)] = true;
    }
}

static bool has_finally(const struct il_body *body)
{
    for (uint32_t i = 0; i < body->region_count; i++) {
        if (body->regions[i].kind == IL_FINALLY) {
            return true;
        }
    }
    return false;
}

// A check for room goes where the bytes used so far are unknown: at the targets of backward branches; at the start of
// filters, since the thrower may have used the room up; and, in methods with a finally, at the targets of `leave`,
// since the finally runs in between.
static void find_checks(struct lowering *lowering)
{
    const struct il_body *body = lowering->planner->body;
    bool any_finally = has_finally(body);
    for (const struct il_instruction *at = body->originals; at != body->end; at++) {
        if (il_is_branch(at->opcode)) {
            check_backward(lowering, at, at->operand.branch);
            if (any_finally && (at->opcode == IL_LEAVE || at->opcode == IL_LEAVE_S)) {
                lowering->checked[position(lowering, at->operand.branch)] = true;
            }
        } else if (at->opcode == IL_SWITCH) {
            for (uint32_t i = 0; i < at->operand.table.count; i++) {
                check_backward(lowering, at, at->operand.table.targets[i]);
            }
        }
    }
    for (uint32_t i = 0; i < body->region_count; i++) {
        if (body->regions[i].kind == IL_FILTER) {
            lowering->checked[position(lowering, body->regions[i].filter_start)] = true;
        }
    }
}

// Behind a backward branch to a loop that has a call, the call may be what came before. A loop without one asks nothing.
static void find_waits(struct lowering *lowering, const struct il_instruction *from, const struct il_instruction *to,
                       const uint32_t *calls)
{
    uint32_t first = position(lowering, to), last = position(lowering, from);
    if (first <= last && calls[last] > calls[first]) {
        lowering->waited_at[first] = true;
    }
}

static bool waits_begin(struct lowering *lowering, size_t count)
{
    const struct il_body *body = lowering->planner->body;
    uint32_t *calls = arena_alloc(body->arena, count * sizeof *calls), before = 0; // in front of each instruction
    lowering->waited_at = arena_alloc(body->arena, count * sizeof *lowering->waited_at);
    if (!calls || !lowering->waited_at) {
        return false;
    }
    for (const struct il_instruction *at = body->originals; at != body->end; at++) {
        calls[position(lowering, at)] = before;
        before += il_opcodes[at->opcode].flow == IL_FLOW_CALL;
    }
    for (const struct il_instruction *at = body->originals; at != body->end; at++) {
        if (il_is_branch(at->opcode)) {
            find_waits(lowering, at, at->operand.branch, calls);
        }
        for (uint32_t i = 0; at->opcode == IL_SWITCH && i < at->operand.table.count; i++) {
            find_waits(lowering, at, at->operand.table.targets[i], calls);
        }
    }
    return true;
}

bool room_begin(struct lowering *lowering)
{
    const struct il_body *body = lowering->planner->body;
    if (lowering->planner->fixed.cells == WEAVE_NONE) {
        return true;
    }
    size_t count = (size_t)(body->end - body->originals) + 1;
    lowering->used_at = arena_alloc(body->arena, count * sizeof *lowering->used_at);
    lowering->checked = arena_alloc(body->arena, count);
    if (!lowering->used_at || !lowering->checked) {
        return false;
    }
    find_checks(lowering);
    if (lowering->planner->method->orders && !waits_begin(lowering, count)) {
        return false;
    }
    if (lowering->planner->fixed.current != WEAVE_NONE) {
        lowering->passed_at = arena_alloc(body->arena, count);
        return lowering->passed_at != NULL;
    }
    return true;
}

static bool stack_is_empty(const struct lowering *lowering)
{
    const struct il_stacks *stacks = &lowering->planner->stacks;
    const struct il_instruction *here = lowering->here;
    return here != stacks->body->end && il_reached(stacks, here) && !il_stack_before(stacks, here);
}

// A branch makes the JIT evaluate the values on the stack to stack slots, in unoptimised code to other ones at each
// branch. So where the program has values on the stack, a native call does the whole check. It cannot make the thread
// wait; the next check does.
void room_check(struct lowering *lowering)
{
    const struct weave_op context = op_context(lowering), load = op_plain(IL_LDIND_I);
    lowering->used = 0;
    if (!stack_is_empty(lowering)) {
        PUT(lowering, context, op_probe(PROBE_CHECK));
        return;
    }
    PUT(lowering, context, op_of(IL_ADD, OPERAND_CONTEXT, CONTEXT_AT), load);
    PUT(lowering, context, op_of(IL_ADD, OPERAND_CONTEXT, CONTEXT_LIMIT), load, op_of(IL_BLT_UN_S, OPERAND_SKIP, 0));
    PUT(lowering, context, op_of(IL_CALLI, OPERAND_WAIT, PROBE_ROOM), op_of(IL_NOP, OPERAND_HERE, 0));
}

// settle() compares for itself, so where the program has values on the stack no branch goes around it.
void room_settle(struct lowering *lowering)
{
    uint32_t current = lowering->planner->fixed.current;
    const struct weave_op context = op_context(lowering);
    if (current == WEAVE_NONE || !lowering->passed) {
        return;
    }
    lowering->passed = false;
    bool is_empty = stack_is_empty(lowering);
    if (is_empty) {
        PUT(lowering, context, op_of(IL_ADD, OPERAND_CONTEXT, CONTEXT_CURRENT), op_plain(IL_LDIND_U4),
            op_local(IL_LDLOC, current), op_of(IL_BEQ_S, OPERAND_SKIP, 0));
    }
    PUT(lowering, context, op_probe(PROBE_SETTLE));
    if (is_empty) {
        PUT(lowering, op_of(IL_NOP, OPERAND_HERE, 0));
    }
}

// Where values lie on the stack, a later event asks: the JIT would move them to the frame, around a branch and a call alike.
void room_moment(struct lowering *lowering)
{
    const struct weave_op context = op_context(lowering);
    if (!lowering->waited_at || !lowering->waited || !stack_is_empty(lowering)) {
        return;
    }
    lowering->waited = false;
    PUT(lowering, context, op_of(IL_ADD, OPERAND_CONTEXT, CONTEXT_TICK), op_plain(IL_LDIND_I8),
        op_of(IL_NOP, OPERAND_TICK, 0), op_of(IL_BEQ_S, OPERAND_SKIP, 0), context, op_probe(PROBE_MOMENT),
        op_of(IL_NOP, OPERAND_HERE, 0));
}
