#include "weave/emit/emit.h"

#include "base/assert.h"
#include "il/stack.h"
#include "weave/operations/original.h"

enum { CALL_STACK_SLOTS = 2, RUN_STACK_SLOTS = 4, EVENT_KIND_SITE = 2, SKIPS_MAX = 4 };

struct pass {
    struct emitter emitter;
    const struct weave_binding *binding;
    const struct weave_op *next, *end; // of the plan
    struct emitter_skip skips[SKIPS_MAX];
    uint32_t skip_count;
    const struct weave_runs *runs;
    uint32_t run_point; // the next one
    bool has_operations;
    bool counts;                      // the entry has one probe, and there is no other
    bool continues;                   // the method may call itself as its last act
    uint32_t context;                 // 1 + the appended local for the context of the thread; 0: none
    uint32_t current;                 // the same for the activation that runs on it
    uint32_t behind;                  // instructions emitted up to the last original instruction
    struct il_instruction *try_start; // of an enclosed body
    struct emitter_skip exit;         // of an enclosed body: what its `ret`s have become leads there
    bool exits;                       // it has any
};

// -- Operations -------------------------------------------------------------------------------------------------------

static uintptr_t target_of(const struct weave_targets *targets, enum weave_probe probe)
{
    switch (probe) {
#define X(constant, target, signature, arguments, results) \
    case PROBE_##constant:                                 \
        return targets->target;
        WEAVE_PROBES(X)
#undef X
    }
    return 0;
}

static uint32_t signature_of(const struct weave_signatures *signatures, enum weave_probe probe)
{
    switch (probe) {
#define X(constant, target, signature, arguments, results) \
    case PROBE_##constant:                                 \
        return signatures->signature;
        WEAVE_PROBES(X)
#undef X
    }
    return 0;
}

static void emit_probe(struct pass *pass, enum weave_probe probe)
{
    const struct weave_binding *binding = pass->binding;
    emit_call(&pass->emitter, target_of(binding->targets, probe), signature_of(binding->signatures, probe));
}

// If the function says so, `wait` is called, with GC transition. Whatever is on the stack stays there across the branch. Where
// nothing ever waits, ENTER, LEAVE, DEPART, RUN_END and AWAIT_LEAVE return nothing.
static void emit_wait(struct pass *pass, enum weave_probe probe)
{
    struct emitter *at = &pass->emitter;
    const struct weave_targets *targets = pass->binding->targets;
    const struct weave_signatures *signatures = pass->binding->signatures;
    bool by_run = probe == PROBE_RUN_END || probe == PROBE_AWAIT_LEAVE;
    if (!targets->wait && probe != PROBE_ROOM) {
        emit_call(at, target_of(targets, probe), by_run ? signatures->activation : signatures->number);
        return;
    }
    emit_probe(pass, probe);
    if (!targets->wait) {
        emit(at, IL_POP, 0);
        return;
    }
    struct emitter_skip skip = emit_branch(at, IL_BRFALSE_S);
    emit_number(at, 0);
    emit_call(at, targets->wait, signatures->wait);
    emit_skip_end(at, skip);
}

// The clock stores the time, since unoptimised code takes a stack slot for the result of each call.
static void emit_time(struct pass *pass, uint32_t local)
{
    struct emitter *at = &pass->emitter;
    const struct weave_targets *targets = pass->binding->targets;
    if (targets->lines_now) {
        emit_variable(at, IL_LDLOCA, local);
        emit(at, IL_CONV_U, 0);
        emit_call(at, targets->lines_now, pass->binding->signatures->activation);
    } else {
        emit_address(at, targets->tick);
        emit(at, IL_LDIND_I8, 0);
        emit_variable(at, IL_STLOC, local);
    }
}

static void emit_op(struct pass *pass, const struct weave_op *op)
{
    struct emitter *at = &pass->emitter;
    const struct weave_binding *binding = pass->binding;
    enum il_opcode opcode = (enum il_opcode)op->opcode;
    switch ((enum weave_operand)op->operand) {
    case OPERAND_LITERAL:
        emit(at, opcode, op->number);
        break;
    case OPERAND_NUMBER:
        emit_number(at, op->number);
        break;
    case OPERAND_VARIABLE:
        emit_variable(at, opcode, op->number);
        break;
    case OPERAND_LOCAL:
        emit_variable(at, opcode, binding->local + op->number);
        break;
    case OPERAND_METHOD:
        emit(at, opcode, (int32_t)binding->method);
        break;
    case OPERAND_SITE:
        emit(at, opcode, binding->first_site + op->number);
        break;
    case OPERAND_EVENT:
        emit(at, opcode, (int32_t)((binding->first_site + op->number) << 2 | EVENT_KIND_SITE));
        break;
    case OPERAND_OFFSET:
        emit_offset(at, op->number);
        break;
    case OPERAND_CONTEXT:
        emit_offset(at, op->number == CONTEXT_AT      ? binding->targets->at
                        : op->number == CONTEXT_LIMIT ? binding->targets->limit
                        : op->number == CONTEXT_TICK  ? binding->targets->context_tick
                                                      : binding->targets->current);
        break;
    case OPERAND_PROBE:
        emit_probe(pass, op->number);
        break;
    case OPERAND_WAIT:
        emit_wait(pass, op->number);
        break;
    case OPERAND_TICK:
        emit_address(at, binding->targets->tick);
        emit(at, IL_LDIND_I8, 0);
        break;
    case OPERAND_TIME:
        emit_time(pass, binding->local + op->number);
        break;
    case OPERAND_SKIP:
        CLEW_ASSERT(pass->skip_count < SKIPS_MAX);
        pass->skips[pass->skip_count++] = emit_branch(at, opcode);
        break;
    case OPERAND_HERE:
        CLEW_ASSERT(pass->skip_count > 0);
        emit_skip_end(at, pass->skips[--pass->skip_count]);
        break;
    case OPERAND_PLACE:
        CLEW_ASSERT(false && "emit_place() stops there");
        break;
    }
}

static void emit_all(struct pass *pass, const struct weave_op *ops, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        emit_op(pass, &ops[i]);
    }
}

// The operations that the plan has for a place.
static void emit_place(struct pass *pass, uint32_t position, enum weave_moment moment)
{
    const struct weave_op *op = pass->next;
    if (op == pass->end || op->moment != moment || op->number != position) {
        return;
    }
    CLEW_ASSERT(op->operand == OPERAND_PLACE);
    for (op++; op < pass->end && op->operand != OPERAND_PLACE; op++) {
        emit_op(pass, op);
    }
    pass->next = op;
}

// What runs on the thread right behind the probe that has made it run.
static void emit_current(struct pass *pass)
{
    const struct weave_op load[] = {op_local(IL_LDLOC, pass->context - 1),
                                    op_of(IL_ADD, OPERAND_CONTEXT, CONTEXT_CURRENT), op_plain(IL_LDIND_U4),
                                    op_local(IL_STLOC, pass->current - 1)};
    emit_all(pass, load, pass->current ? sizeof load / sizeof *load : 0);
}

// -- Runs of async bodies ---------------------------------------------------------------------------------------------

// The context of the thread on which a run goes on.
static void emit_run_context(struct pass *pass)
{
    const struct weave_op stream[] = {op_of(IL_LDC_I4, OPERAND_METHOD, 0), op_probe(PROBE_RUN_CONTEXT),
                                      op_local(IL_STLOC, pass->context - 1)};
    emit_all(pass, stream, pass->context ? sizeof stream / sizeof *stream : 0);
    emit_current(pass);
}

static void emit_run_entry(struct pass *pass)
{
    const struct weave_op begin[] = {
        op_of(IL_LDC_I4, OPERAND_METHOD, 0), op_variable(IL_LDARG, 0),  op_token(IL_LDFLD, pass->runs->state_field),
        op_number(pass->runs->shape),        op_probe(PROBE_RUN_BEGIN), op_local(IL_STLOC, 0)};
    const struct weave_op enter[] = {op_of(IL_LDC_I4, OPERAND_METHOD, 0), op_probe(PROBE_AWAIT_ENTER),
                                     op_local(IL_STLOC, 0)};
    if (weave_is_suspended(pass->runs)) {
        emit_all(pass, enter, sizeof enter / sizeof *enter);
    } else {
        emit_all(pass, begin, sizeof begin / sizeof *begin);
    }
    emit_run_context(pass);
}

// A method of runtime async goes on: behind an await, or in a handler. The mark is null if it was suspended meanwhile, and may
// run on another thread.
static void emit_resumption(struct pass *pass, enum weave_probe probe)
{
    const struct weave_op goes_on[] = {op_of(IL_LDC_I4, OPERAND_METHOD, 0),
                                       op_local(IL_LDLOC, 0),
                                       op_local(IL_LDLOC, 1),
                                       op_plain(IL_CONV_U),
                                       op_probe(probe),
                                       op_local(IL_STLOC, 0)};
    emit_all(pass, goes_on, sizeof goes_on / sizeof *goes_on);
    emit_run_context(pass);
}

// With sites a handler has events, and does not vanish. Else one that may has no probe.
static bool vanishes(const struct pass *pass, const struct il_region *region)
{
    return weave_is_suspended(pass->runs) && !pass->has_operations && weave_may_vanish(region);
}

static bool is_tried(const struct pass *pass, const struct weave_run_point *point)
{
    return pass->runs->enclosed || (pass->has_operations ? point->tried : point->surely_tried);
}

// The body sees its own state: a state in which it waits is in the lowest bits, and negative ones are stored as they are.
static void emit_run_state(struct pass *pass)
{
    uint32_t mask = (UINT32_C(1) << (pass->runs->shape & RUN_SHAPE_BITS)) - 1;
    const struct weave_op unpack[] = {op_plain(IL_DUP), op_number(31),   op_plain(IL_SHR),
                                      op_number(mask),  op_plain(IL_OR), op_plain(IL_AND)};
    emit_all(pass, unpack, sizeof unpack / sizeof *unpack);
}

static void emit_run_point(struct pass *pass, const struct weave_run_point *point)
{
    const struct weave_op wait[] = {op_local(IL_LDLOC, 0), op_number(pass->runs->shape), op_probe(PROBE_RUN_WAIT)};
    uint32_t shape = pass->runs->shape;
    const struct weave_op complete[] = {op_number(shape), op_local(IL_LDLOC, 0), op_probe(PROBE_RUN_COMPLETE)};
    // RUN_FAULTED, or one more if the exception is an OperationCanceledException.
    const struct weave_op fail[] = {op_plain(IL_DUP),
                                    op_token(IL_ISINST, pass->runs->cancelled_token),
                                    op_plain(IL_LDNULL),
                                    op_plain(IL_CGT_UN),
                                    op_number(RUN_SHAPE_END_SHIFT),
                                    op_plain(IL_SHL),
                                    op_number(shape | RUN_FAULTED << RUN_SHAPE_END_SHIFT),
                                    op_plain(IL_ADD),
                                    op_local(IL_LDLOC, 0),
                                    op_probe(PROBE_RUN_COMPLETE)};
    static_assert(RUN_COMPLETED == 0 && RUN_CANCELLED == RUN_FAULTED + 1, "a test makes one of the other");
    const struct weave_op await[] = {op_number(point->state | (is_tried(pass, point) ? RUN_AWAIT_TRIED : 0)),
                                     op_local(IL_LDLOC, 0), op_probe(PROBE_AWAIT_BEGIN), op_local(IL_STLOC, 1)};
    switch (point->kind) {
    case RUN_POINT_WAIT:
        emit_all(pass, wait, sizeof wait / sizeof *wait);
        break;
    case RUN_POINT_COMPLETE:
        emit_all(pass, complete, sizeof complete / sizeof *complete);
        break;
    case RUN_POINT_FAIL:
        emit_all(pass, fail, sizeof fail / sizeof *fail);
        break;
    case RUN_POINT_LOAD:
        emit_run_state(pass);
        break;
    case RUN_POINT_AWAIT:
        emit_all(pass, await, sizeof await / sizeof *await);
        break;
    case RUN_POINT_AWAITED:
        emit_resumption(pass, PROBE_AWAIT_END);
        break;
    }
}

static bool is_behind(enum weave_run_point_kind kind)
{
    return kind == RUN_POINT_LOAD || kind == RUN_POINT_AWAITED;
}

// In front of the instruction at this position, or behind it, where its point lies.
static void emit_runs(struct pass *pass, uint32_t position, bool behind)
{
    const struct weave_runs *runs = pass->runs;
    if (pass->run_point < runs->count && runs->points[pass->run_point].at == position &&
        is_behind(runs->points[pass->run_point].kind) == behind) {
        emit_run_point(pass, &runs->points[pass->run_point++]);
    }
}

// -- Probes of calls --------------------------------------------------------------------------------------------------

// The local of the activation is the first that is appended.
static void emit_entry(struct pass *pass)
{
    uint32_t context = pass->context;
    const struct weave_op method = op_of(IL_LDC_I4, OPERAND_METHOD, 0);
    const struct weave_op enter[] = {method, op_of(IL_CALLI, OPERAND_WAIT, PROBE_ENTER)};
    const struct weave_op keep[] = {method, op_probe(PROBE_ENTER_KEEP), op_local(IL_STLOC, 0)};
    const struct weave_op arrive[] = {method, op_probe(PROBE_ARRIVE)};
    bool has_local = weave_needs_local(pass->emitter.body);
    if (pass->continues) {
        emit_all(pass, arrive, sizeof arrive / sizeof *arrive);
    }
    if (pass->runs->count) {
        emit_run_entry(pass);
    } else if (context) {
        const struct weave_op stream[] = {method, has_local ? op_local(IL_LDLOCA, 0) : op_number(0),
                                          op_plain(IL_CONV_U), op_probe(PROBE_ENTER_CONTEXT),
                                          op_local(IL_STLOC, context - 1)};
        emit_all(pass, stream, sizeof stream / sizeof *stream);
        emit_current(pass);
    } else if (has_local) {
        emit_all(pass, keep, sizeof keep / sizeof *keep);
    } else {
        emit_all(pass, enter, sizeof enter / sizeof *enter);
    }
}

static void emit_exit(struct pass *pass, bool calls_itself)
{
    enum weave_probe probe = calls_itself ? PROBE_DEPART : pass->continues ? PROBE_FINISH : PROBE_LEAVE;
    const struct weave_op leave[] = {op_of(IL_LDC_I4, OPERAND_METHOD, 0), op_of(IL_CALLI, OPERAND_WAIT, probe)};
    const struct weave_op run[] = {
        op_local(IL_LDLOC, 0),
        op_of(IL_CALLI, OPERAND_WAIT, weave_is_suspended(pass->runs) ? PROBE_AWAIT_LEAVE : PROBE_RUN_END)};
    if (pass->runs->count) {
        emit_all(pass, run, sizeof run / sizeof *run);
    } else {
        emit_all(pass, leave, sizeof leave / sizeof *leave);
    }
}

static void restate_handlers(struct pass *pass, const struct il_instruction *at)
{
    const struct weave_op restate[] = {op_local(IL_LDLOC, 0), op_probe(PROBE_RESTATE)};
    const struct il_body *body = pass->emitter.body;
    for (uint32_t i = 0; at->target && i < body->region_count; i++) { // else no handler begins here
        const struct il_region *region = &body->regions[i];
        bool handles = region->handler_start == at && !vanishes(pass, region);
        if (handles && weave_is_suspended(pass->runs)) {
            emit_resumption(pass, PROBE_AWAIT_HANDLER);
        } else if (handles) {
            emit_all(pass, restate, sizeof restate / sizeof *restate);
        } else if (region->kind == IL_FILTER && region->filter_start == at && weave_is_suspended(pass->runs)) {
            emit_run_context(pass); // an await may have ended by the exception, on another thread
        }
    }
}

// The JIT requires a `ret` right behind a tail call. If branches lead to that `ret` too, a second one is emitted for
// the tail call, and the probes go between the two.
static void part_tail_call(struct pass *pass, const struct il_instruction *unit)
{
    if (unit->opcode == IL_RET && unit != pass->emitter.body->originals && il_is_tail_prefixed(unit - 1)) {
        emit(&pass->emitter, IL_RET, 0);
    }
}

// -- Enclosed bodies --------------------------------------------------------------------------------------------------
// try { body } fault { AWAIT_HANDLER } with the exit behind both. The runtime runs the method again if an await fails that is in
// a try, and the end of an activation by an exception is seen where the exception leaves its frame, as with any other handler.

static bool has_result(const struct pass *pass)
{
    return bytes_left(&pass->runs->result) > 0;
}

static void leave_try(struct pass *pass, struct il_instruction *ret)
{
    const struct weave_op store = op_local(IL_STLOC, 2);
    emit_all(pass, &store, has_result(pass));
    emit_leave(&pass->emitter, ret, &pass->exit);
    pass->exits = true;
}

// Behind the last instruction of the body, where regions of its own may end.
static void end_try(struct pass *pass)
{
    const struct weave_op fails[] = {
        op_of(IL_LDC_I4, OPERAND_METHOD, 0), op_local(IL_LDLOC, 0), op_local(IL_LDLOC, 1),  op_plain(IL_CONV_U),
        op_probe(PROBE_AWAIT_HANDLER),       op_plain(IL_POP),      op_plain(IL_ENDFINALLY)};
    const struct weave_op load = op_local(IL_LDLOC, 2);
    struct emitter *at = &pass->emitter;
    struct il_instruction *handler = emit_place_of_label(at);
    emit_all(pass, fails, sizeof fails / sizeof *fails);
    if (pass->exits) {
        emit_skip_end(at, pass->exit);
        emit_exit(pass, false);
        emit_all(pass, &load, has_result(pass));
        emit(at, IL_RET, 0);
    }
    if (at->dry || at->failed) {
        return;
    }
    il_move_labels(at->body, at->body->end, handler);
    at->failed =
        !il_add_region(at->body, &(struct il_region){.kind = IL_FAULT,
                                                     .try_start = pass->try_start,
                                                     .try_end = handler,
                                                     .handler_start = handler,
                                                     .handler_end = pass->exits ? pass->exit.target : at->body->end});
}

// -- The pass ---------------------------------------------------------------------------------------------------------

// Whether the plan has operations between a call and the instruction after it. Then a call of the method itself is not its last
// act, and the exit comes after these operations.
static bool is_followed(const struct pass *pass, const struct il_instruction *call)
{
    uint32_t position = il_index(pass->emitter.body, call);
    const struct weave_op *op = pass->next;
    while (op < pass->end && (op->operand != OPERAND_PLACE || op->number < position ||
                              (op->number == position && op->moment != MOMENT_AFTER))) {
        op++;
    }
    return op < pass->end && op->number <= position + 1;
}

// Everything in front of an instruction with its prefixes (`unit`: the first of these), to which the labels move.
static void emit_front(struct pass *pass, struct il_instruction *unit, struct il_instruction *actual)
{
    struct emitter *at = &pass->emitter;
    uint32_t token = pass->binding->token, position = il_index(at->body, unit);
    at->before = unit;
    if (unit->target) {
        part_tail_call(pass, unit);
        at->first = NULL;
    }
    restate_handlers(pass, unit);
    emit_place(pass, position, MOMENT_BEFORE);
    emit_runs(pass, il_index(at->body, actual), false);
    bool encloses = pass->runs->enclosed;
    bool itself = weave_calls_itself(actual, token);
    if (!encloses && weave_is_exit(at->body, actual, token, at->tally.instructions != pass->behind) &&
        !(itself && is_followed(pass, actual))) {
        emit_exit(pass, itself);
    }
    emit_place(pass, position, MOMENT_LAST);
    if (encloses && actual->opcode == IL_RET) {
        leave_try(pass, actual);
    }
    if (unit->target && at->first && !at->dry) {
        il_move_labels(at->body, unit, at->first);
    }
}

static void emit_count(struct pass *pass)
{
    const struct weave_op count[] = {op_of(IL_LDC_I4, OPERAND_METHOD, 0), op_probe(PROBE_COUNT)};
    emit_all(pass, count, sizeof count / sizeof *count);
}

static void emit_body(struct pass *pass)
{
    const struct il_body *body = pass->emitter.body;
    pass->emitter.before = body->originals;
    if (pass->counts) {
        emit_count(pass);
        return;
    }
    emit_entry(pass);
    emit_place(pass, 0, MOMENT_ENTRY);
    pass->try_start = pass->runs->enclosed ? emit_place_of_label(&pass->emitter) : NULL;
    for (struct il_instruction *unit = body->originals; unit != body->end;) {
        struct il_instruction *actual = unit;
        while (il_is_prefix(actual->opcode)) {
            actual++;
        }
        emit_front(pass, unit, actual);
        pass->emitter.before = actual + 1;
        pass->behind = pass->emitter.tally.instructions;
        emit_runs(pass, il_index(body, actual), true);
        emit_place(pass, il_index(body, actual), MOMENT_AFTER);
        unit = actual + 1;
    }
    if (pass->runs->enclosed) {
        end_try(pass);
    }
}

enum clew_error emit_operations(struct il_body *body, const struct weave_plan *plan,
                                const struct weave_binding *binding, struct weave_tally *tally)
{
    struct pass pass = {.emitter = {.body = body, .dry = tally != NULL},
                        .binding = binding,
                        .runs = &plan->runs,
                        .has_operations = plan->op_count > 0,
                        .counts = plan->counts,
                        .continues = plan->runs.count == 0 && weave_has_last_call_of_itself(body, binding->token),
                        .context = plan->context,
                        .current = plan->current,
                        .next = plan->ops,
                        .end = plan->ops + plan->op_count};
    if (weave_ends_in_prefix(body)) {
        return CLEW_UNSUPPORTED;
    }
    if (tally) {
        pass.emitter.tally = *tally;
        emit_body(&pass);
        *tally = pass.emitter.tally;
        return CLEW_OK;
    }
    // The header may declare more than the code uses, so the sum may exceed what fits. Then the most that fits may
    // still do: the verifier counts, and refuses a body that needs more.
    uint32_t calls = plan->runs.count ? RUN_STACK_SLOTS : CALL_STACK_SLOTS;
    uint32_t deepest = body->max_stack + (plan->stack_slots > calls ? plan->stack_slots : calls);
    body->max_stack = (uint16_t)(deepest < UINT16_MAX ? deepest : UINT16_MAX);
    emit_body(&pass);
    CLEW_ASSERT((pass.emitter.failed || pass.next == pass.end) && "no operation is lost");
    return pass.emitter.failed ? CLEW_NO_MEMORY : CLEW_OK;
}
