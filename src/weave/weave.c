// The pass over a body that emits everything: between two instructions first the insertions behind the first one, then
// those in front of the second. Insertions behind go on the path from the first instruction alone; those in front are
// on every path, so the labels of the second instruction move to them.
#include "base/assert.h"
#include "weave/weaver.h"

enum {
    CALL_PROBE_STACK = 2,
    SITE_PROBE_STACK = 7, // the six arguments of site_typed and the address for `calli`
};

// -- Where probes may be inserted -------------------------------------------------------------------------------------

// A `ret` that branches lead to belongs to several paths. A tail call gets a `ret` of its own there (part_tail_call());
// any other call does not count as last.
static bool is_last(const struct il_instruction *call)
{
    const struct il_instruction *ret = call->next;
    return ret && ret->opcode == IL_RET && (!ret->target || il_is_tail_prefixed(call));
}

// Whether the call is the last one of the method and calls the method itself.
static bool calls_itself(const struct il_instruction *call, uint32_t token)
{
    return call->opcode == IL_CALL && call->operand.integer == (int64_t)token && is_last(call);
}

bool weave_ends_activation(const struct il_instruction *call, uint32_t token)
{
    return calls_itself(call, token) || (is_last(call) && il_is_tail_prefixed(call));
}

bool weave_returns_for_call(const struct il_body *body, const struct il_instruction *ret, uint32_t token)
{
    return ret != body->originals && !ret->target && weave_ends_activation(ret - 1, token);
}

bool weave_branches_on_one(enum il_opcode opcode)
{
    return opcode == IL_BRTRUE || opcode == IL_BRTRUE_S || opcode == IL_BRFALSE || opcode == IL_BRFALSE_S;
}

static bool takes_address(enum il_opcode opcode)
{
    return opcode == IL_LDLOCA || opcode == IL_LDLOCA_S || opcode == IL_LDARGA || opcode == IL_LDARGA_S;
}

static bool loads_variable(const struct il_instruction *at)
{
    uint32_t number;
    enum il_opcode family = il_family(at, &number);
    return family == IL_LDLOC || family == IL_LDARG;
}

// The opcode of the original instruction `back` instructions earlier; IL_END: there is none.
static enum il_opcode opcode_before(const struct il_body *body, const struct il_instruction *at, uint32_t back)
{
    CLEW_ASSERT(at >= body->originals && at <= body->end && "an original instruction");
    return (uint32_t)(at - body->originals) >= back ? at[-(int64_t)back].opcode : IL_END;
}

static bool is_within_pattern(const struct il_body *body, const struct il_instruction *at)
{
    enum il_opcode here = at->opcode, one = opcode_before(body, at, 1), two = opcode_before(body, at, 2);
    if (one == IL_BOX) {
        return weave_branches_on_one(here) || here == IL_ISINST || here == IL_UNBOX_ANY;
    }
    if (one == IL_ISINST && two == IL_BOX) {
        return weave_branches_on_one(here) || here == IL_UNBOX_ANY || here == IL_LDNULL;
    }
    if (one == IL_LDNULL && two == IL_ISINST && opcode_before(body, at, 3) == IL_BOX) {
        return here == IL_CGT_UN;
    }
    if (here == IL_DUP && one == IL_NEWARR) {
        return at[1].opcode == IL_LDTOKEN; // the sentinel at least follows
    }
    return (here == IL_NEWOBJ && (one == IL_LDFTN || one == IL_LDVIRTFTN)) || (here == IL_LDVIRTFTN && one == IL_DUP) ||
           (here == IL_LDTOKEN && one == IL_DUP && two == IL_NEWARR) || (here == IL_CALL && one == IL_LDTOKEN) ||
           (takes_address(one) && !loads_variable(at));
}

bool weave_may_insert_before(const struct il_body *body, const struct il_instruction *at)
{
    if (at->previous && il_is_prefix(at->previous->opcode)) {
        return false;
    }
    if (at->opcode == IL_RET && !at->target && at->previous && il_is_tail_prefixed(at->previous)) {
        return false;
    }
    return at->target || !is_within_pattern(body, at);
}

bool weave_may_insert_behind(const struct il_body *body, const struct il_instruction *at)
{
    return !il_is_tail_prefixed(at) && weave_may_insert_before(body, at + 1);
}

// -- Paths and room ---------------------------------------------------------------------------------------------------

enum { UNREACHED = 0 };

static uint32_t position(const struct weaver *weaver, const struct il_instruction *original)
{
    CLEW_ASSERT(original >= weaver->emitter.body->originals && original <= weaver->emitter.body->end);
    return il_index(weaver->emitter.body, original);
}

// If the label has moved to inserted code, the pass is beyond its instruction: this branch goes backward, and its
// target has a check for room.
static void remember_used(struct weaver *weaver, const struct il_instruction *target)
{
    if (target->offset == IL_NO_OFFSET) {
        return;
    }
    uint32_t *used = &weaver->used_at[position(weaver, target)];
    *used = weaver->used > *used ? weaver->used : *used;
}

// Passes the bytes used so far on to all instructions that control can go to.
static void follow_paths(struct weaver *weaver, const struct il_instruction *from)
{
    if (!weaver->used_at) {
        return;
    }
    if (il_is_branch(from->opcode)) {
        remember_used(weaver, from->operand.branch);
    } else if (from->opcode == IL_SWITCH) {
        for (uint32_t i = 0; i < from->operand.table.count; i++) {
            remember_used(weaver, from->operand.table.targets[i]);
        }
    }
    enum il_flow flow = il_opcodes[from->opcode].flow;
    if (flow == IL_FLOW_BRANCH || flow == IL_FLOW_RETURN || flow == IL_FLOW_THROW) {
        weaver->used = UNREACHED;
    }
}

static void check_backward(struct weaver *weaver, const struct il_instruction *from, const struct il_instruction *to)
{
    if (to <= from) {
        weaver->checked[position(weaver, to)] = true;
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
static void find_checks(struct weaver *weaver)
{
    struct il_body *body = weaver->emitter.body;
    bool any_finally = has_finally(body);
    for (const struct il_instruction *at = body->originals; at != body->end; at++) {
        if (il_is_branch(at->opcode)) {
            check_backward(weaver, at, at->operand.branch);
            if (any_finally && (at->opcode == IL_LEAVE || at->opcode == IL_LEAVE_S)) {
                weaver->checked[position(weaver, at->operand.branch)] = true;
            }
        } else if (at->opcode == IL_SWITCH) {
            for (uint32_t i = 0; i < at->operand.table.count; i++) {
                check_backward(weaver, at, at->operand.table.targets[i]);
            }
        }
    }
    for (uint32_t i = 0; i < body->region_count; i++) {
        if (body->regions[i].kind == IL_FILTER) {
            weaver->checked[position(weaver, body->regions[i].filter_start)] = true;
        }
    }
}

// -- The pass ---------------------------------------------------------------------------------------------------------

static bool has_insertion(const struct weaver *weaver, const struct il_instruction *at, enum weave_moment moment)
{
    const struct weave_details *details = weaver->details;
    return details && weaver->next < details->insertions + details->insertion_count && weaver->next->moment == moment &&
           weaver->next->at <= position(weaver, at);
}

static void weave_statement(struct weaver *weaver, const struct weave_event *event)
{
    if (weaver->lines) {
        inline_flush(weaver);
        lines_statement(weaver);
    }
    if (weaver->plan->instruments & INSTRUMENT_STATEMENTS) {
        events_write(weaver, event);
    }
}

static void weave_before(struct weaver *weaver, const struct insertion *insertion)
{
    if (!insertion_is_event(insertion)) {
        spill_only(weaver, insertion);
    } else if (weaver_site(weaver, &insertion->event)->kind == SITE_STATEMENT) {
        weave_statement(weaver, &insertion->event);
    } else {
        spill_operands(weaver, insertion);
        events_write(weaver, &insertion->event);
    }
}

static void weave_after(struct weaver *weaver, const struct insertion *insertion)
{
    if (!insertion_is_event(insertion)) {
        spill_only(weaver, insertion);
        return;
    }
    spill_result(weaver, &insertion->event);
    events_write(weaver, &insertion->event);
    spill_reload_result(weaver, &insertion->event);
}

// Events behind an instruction need its operands, which are on the stack only in front of it.
static void spill_for_after(struct weaver *weaver, const struct il_instruction *unit)
{
    const struct weave_details *details = weaver->details;
    if (!details) {
        return;
    }
    const struct insertion *end = details->insertions + details->insertion_count;
    for (const struct insertion *i = weaver->next; i < end && i->at == position(weaver, unit); i++) {
        if (i->moment == MOMENT_AFTER) {
            spill_operands(weaver, i);
        }
    }
}

static void restate_handlers(struct weaver *weaver, const struct il_instruction *at)
{
    if (!at->target) { // no handler begins here
        return;
    }
    for (uint32_t i = 0; i < weaver->emitter.body->region_count; i++) {
        if (weaver->emitter.body->regions[i].handler_start == at) {
            inline_flush(weaver);
            weave_restate(weaver);
            weaver->used = 0;
        }
    }
}

static bool is_exit(const struct weaver *weaver, const struct il_instruction *at)
{
    uint32_t token = weaver->what->calls.token;
    if (at->opcode == IL_RET) {
        return !weave_returns_for_call(weaver->emitter.body, at, token);
    }
    return at->opcode == IL_JMP || weave_ends_activation(at, token);
}

// The JIT requires a `ret` right behind a tail call. If branches lead to that `ret` too, a second one is emitted for
// the tail call, and the probes go between the two.
static void part_tail_call(struct weaver *weaver, const struct il_instruction *unit)
{
    if (unit->opcode == IL_RET && unit != weaver->emitter.body->originals && il_is_tail_prefixed(unit - 1)) {
        emit(&weaver->emitter, IL_RET, 0);
    }
}

// Emits everything in front of an instruction with its prefixes (`unit`: the first of these). The insertions behind the
// instruction before are there already.
static void weave_front(struct weaver *weaver, struct il_instruction *unit, const struct il_instruction *actual)
{
    struct emitter *at = &weaver->emitter;
    at->before = unit;
    if (unit->target) {
        inline_flush(weaver);
        part_tail_call(weaver, unit);
        at->first = NULL;
    }
    if (unit->target && weaver->used_at && weaver->used_at[position(weaver, unit)] > weaver->used) {
        weaver->used = weaver->used_at[position(weaver, unit)];
    }
    restate_handlers(weaver, unit);
    if (weaver->checked && weaver->checked[position(weaver, unit)]) {
        inline_flush(weaver);
        inline_check_room(weaver);
    }
    for (; has_insertion(weaver, actual, MOMENT_BEFORE); weaver->next++) {
        weave_before(weaver, weaver->next);
    }
    inline_flush(weaver);
    spill_for_after(weaver, actual);
    if (is_exit(weaver, actual)) {
        lines_leave(weaver);
        weave_exit(weaver, calls_itself(actual, weaver->what->calls.token));
        spill_reload_method_result(weaver);
    }
    if (unit->target && at->first && !at->dry) {
        il_move_labels(at->body, unit, at->first);
    }
}

static void weave_back(struct weaver *weaver, struct il_instruction *actual)
{
    weaver->emitter.before = actual + 1;
    spill_result_stored(weaver);
    for (; has_insertion(weaver, actual, MOMENT_AFTER); weaver->next++) {
        weave_after(weaver, weaver->next);
    }
}

static void weave_start(struct weaver *weaver)
{
    weaver->emitter.before = weaver->emitter.body->originals;
    weave_entry(weaver);
    if (weaver->lines) {
        lines_enter(weaver);
    }
    if (weaver->details) {
        events_enter(weaver);
    }
    for (; has_insertion(weaver, weaver->emitter.body->originals, MOMENT_ENTRY); weaver->next++) {
        events_write(weaver, &weaver->next->event);
    }
    inline_flush(weaver);
}

static void weave_all(struct weaver *weaver)
{
    weave_start(weaver);
    for (struct il_instruction *unit = weaver->emitter.body->originals; unit != weaver->emitter.body->end;) {
        struct il_instruction *actual = unit;
        while (il_is_prefix(actual->opcode)) {
            actual++;
        }
        weave_front(weaver, unit, actual);
        follow_paths(weaver, actual);
        weave_back(weaver, actual);
        CLEW_ASSERT(actual != weaver->emitter.body->end);
        unit = actual + 1;
    }
}

static bool calls_itself_anywhere(const struct il_body *body, uint32_t token)
{
    const struct il_instruction *at = body->originals;
    while (at != body->end && !calls_itself(at, token)) {
        at++;
    }
    return at != body->end;
}

static enum clew_error set_up(struct weaver *weaver, struct il_body *body, const struct weave_plan *plan,
                              const struct weave_sites *what)
{
    *weaver = (struct weaver){
        .emitter = {.body = body}, .plan = plan, .what = what, .details = plan->details, .result = WEAVE_NONE};
    weaver->calls_itself = calls_itself_anywhere(body, what->calls.token);
    if (!weaver->details) {
        return CLEW_OK;
    }
    weaver->next = weaver->details->insertions;
    weaver->streams = weaver->details->fixed.context != WEAVE_NONE;
    weaver->lines = weaver->details->fixed.lines != WEAVE_NONE;
    weaver->line_times = weaver->details->fixed.lines_state != WEAVE_NONE;
    if (weaver->details->fixed.cells != WEAVE_NONE) {
        size_t count = (size_t)(body->end - body->originals) + 1;
        weaver->used_at = arena_alloc(body->arena, count * sizeof *weaver->used_at);
        weaver->checked = arena_alloc(body->arena, count);
        if (!weaver->used_at || !weaver->checked) {
            return CLEW_NO_MEMORY;
        }
        find_checks(weaver);
    }
    return CLEW_OK;
}

// Such a body has no instruction for its last prefix. The verifier refuses it too.
static bool ends_in_prefix(const struct il_body *body)
{
    CLEW_ASSERT(body->end > body->originals && "no body is empty");
    return il_is_prefix(body->end[-1].opcode);
}

enum clew_error weave_sites(struct il_body *body, const struct weave_plan *plan, const struct weave_sites *what)
{
    struct weaver weaver;
    CLEW_TRY(set_up(&weaver, body, plan, what));
    if (ends_in_prefix(body)) {
        return CLEW_UNSUPPORTED;
    }
    // The header may declare more than the code uses, so the sum may exceed what fits. Then the most that fits may
    // still do: the verifier counts, and refuses a body that needs more.
    int deepest = body->max_stack + (weaver.details ? SITE_PROBE_STACK : CALL_PROBE_STACK);
    body->max_stack = (uint16_t)(deepest < UINT16_MAX ? deepest : UINT16_MAX);
    weave_all(&weaver);
    return weaver.emitter.failed ? CLEW_NO_MEMORY : CLEW_OK;
}

enum clew_error weave_calls(struct il_body *body, const struct weave_calls *what)
{
    static const struct weave_plan none;
    const struct weave_sites sites = {.calls = *what};
    return weave_sites(body, &none, &sites);
}

void weave_tally_plan(struct il_body *body, const struct weave_plan *plan, struct weave_tally *out)
{
    static const struct weave_targets targets = {.wait = 1};
    static const struct weave_signatures signatures;
    const struct weave_sites what = {.calls = {.targets = &targets,
                                               .signatures = &signatures,
                                               .token = plan->details->method,
                                               .local = plan->details->local_count}};
    struct weaver weaver;
    weave_tally_body(body, out);
    if (set_up(&weaver, body, plan, &what) == CLEW_OK && !ends_in_prefix(body)) {
        weaver.emitter.dry = true;
        weaver.emitter.tally = *out;
        weave_all(&weaver);
        *out = weaver.emitter.tally;
    }
}
