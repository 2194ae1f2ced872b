// Finds the sites of a method, and decides what records them: one loop over its original instructions.
#include "base/assert.h"
#include "weave/operations/original.h"
#include "weave/plan/planner.h"

// -- Statements -------------------------------------------------------------------------------------------------------

static void add_statement(struct planner *planner, const struct weave_point *point)
{
    struct request request = {.kind = SITE_STATEMENT, .moment = MOMENT_BEFORE};
    planner->statement = 0;
    planner_request(planner, &request);
    if (planner->failed) {
        return;
    }
    CLEW_ASSERT(planner->site_count > 0 && planner->statements < planner->site_count);
    planner->statement = planner->site_count; // 1 + position of the site
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

// Without symbols a statement begins where the stack is empty. Instructions that only pass control on begin none.
static bool begins_statement(const struct planner *planner, const struct il_instruction *at)
{
    bool leads_on =
        at->opcode == IL_NOP || at->opcode == IL_ENDFINALLY || il_opcodes[at->opcode].flow == IL_FLOW_BRANCH;
    return !il_stack_before(&planner->stacks, at) && !leads_on;
}

static void plan_statement(struct planner *planner, const struct il_instruction *at)
{
    const struct weave_method *method = planner->method;
    // With values alone, statements have sites without probes: they give each value its line in the source.
    uint32_t wanting = INSTRUMENT_STATEMENTS | INSTRUMENT_LINES | (method->points ? INSTRUMENT_VALUES : 0);
    bool wanted = planner->instruments & wanting && planner_may_insert_before(planner, planner->at);
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

// Whether the method gets the address of a struct as `this`, which holds a value: a constructor has yet to make one. A state
// machine's value is what the method of the source has in variables.
static bool is_called_on_struct(const struct planner *planner)
{
    const struct il_scope *scope = &planner->scope;
    const struct weave_runs *runs = planner->method->runs;
    struct il_method method;
    return scope->has_this && scope->argument_count > 0 && scope->arguments[0].kind == IL_REFERENCE &&
           !planner->this_changes && !(runs && runs->count > 0) &&
           il_method_of(scope, planner->method->token, &method) == CLEW_OK && !method.is_constructor;
}

// The argument `this` of a method of a struct is the struct, in place of its address, which the event has as the owner. The
// method may have been called through a reference to nothing, and where references are not trusted, to anything.
static bool plan_struct(struct planner *planner)
{
    if (!is_called_on_struct(planner)) {
        return false;
    }
    struct request request = {.kind = SITE_ARGUMENT,
                              .moment = MOMENT_ENTRY,
                              .location = {.place = PLACE_PARAMETER, .owner = OWNER_ADDRESS},
                              .name = {.place = PLACE_PARAMETER},
                              .value = planner_value(planner, il_type_of(planner->scope.arguments[0].signature)),
                              .source = {.kind = FROM_ADDRESS},
                              .operands = {.owner = IL_REFERENCE},
                              .address = {.guarded = true},
                              .checked = !planner->method->trusts_references};
    bool by_number = request.value.encoding == VALUE_STRUCT || request.value.by_number;
    if (request.value.encoding == VALUE_NONE || (request.checked && !by_number)) {
        return false;
    }
    uint32_t address = planner_local_of_kind(planner, ROLE_OWNER, IL_REFERENCE);
    struct insertion copy = {
        .moment = MOMENT_ENTRY, .op_count = 2, .ops = {op_variable(IL_LDARG, 0), op_local(IL_STLOC, address)}};
    planner_add_insertion(planner, &copy);
    request.address.local = 1 + address;
    planner_request(planner, &request);
    return true;
}

static void plan_arguments(struct planner *planner)
{
    planner->this_is_value = plan_struct(planner);
    for (uint32_t i = planner->this_is_value; i < planner->scope.argument_count; i++) {
        struct request request = planner_variable_request(planner, SITE_ARGUMENT, PLACE_PARAMETER, i);
        request.moment = MOMENT_ENTRY;
        planner_request(planner, &request);
    }
}

// -- The method -------------------------------------------------------------------------------------------------------

static void plan_front(struct planner *planner, const struct il_instruction *at)
{
    if (planner->instruments & INSTRUMENT_USES && planner_may_insert_before(planner, at)) {
        planner_handed_use(planner, at);
        planner_use_variable(planner, at, MOMENT_BEFORE);
    }
}

static void plan_back(struct planner *planner, const struct il_instruction *at)
{
    if (planner->indexed[il_index(planner->body, at)]) {
        planner_save_index(planner);
    }
    if (!planner_may_insert_behind(planner, at)) {
        return;
    }
    if (planner->saves[il_index(planner->body, at)]) {
        planner_save_address(planner);
    }
    if (il_opcodes[at->opcode].flow == IL_FLOW_CALL) {
        planner_call(planner, at);
    } else if (planner->instruments & INSTRUMENT_VALUES) {
        planner_define(planner, at);
        planner_create(planner, at);
    }
    if (planner->instruments & INSTRUMENT_USES) {
        planner_use(planner, at);
        if (!planner_may_insert_before(planner, at)) {
            planner_use_variable(planner, at, MOMENT_AFTER);
        }
    }
}

// Whether an instruction is the call by which the body of an async method completes its task with a result. Instructions come
// in the order of the points. The promise of an async iterator gets whether there is another item.
static bool completes(struct planner *planner, const struct il_instruction *at)
{
    const struct weave_runs *runs = planner->method->runs;
    uint32_t position = il_index(planner->body, at);
    if (!runs || runs->shape & RUN_SHAPE_ITERATOR) {
        return false;
    }
    while (planner->run_point < runs->count && runs->points[planner->run_point].at < position) {
        planner->run_point++;
    }
    const struct weave_run_point *point = &runs->points[planner->run_point];
    return planner->run_point < runs->count && point->at == position && point->kind == RUN_POINT_COMPLETE;
}

static void plan_instruction(struct planner *planner, struct il_instruction *at)
{
    planner->at = at;
    if (il_unit_start(at) == at) {
        plan_statement(planner, at);
    }
    if (at->opcode == IL_RET) {
        planner_return(planner, at);
    }
    if (planner->instruments & INSTRUMENT_VALUES && completes(planner, at)) {
        planner_complete(planner, at);
    }
    if (!il_is_prefix(at->opcode) && planner->instruments & INSTRUMENT_VALUES) {
        plan_front(planner, at);
        plan_back(planner, at);
    }
}

// -- Plans ------------------------------------------------------------------------------------------------------------

static bool streams(uint32_t instruments)
{
    return instruments & (INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES);
}

static void add_fixed_local(struct planner *planner, bool wanted, enum il_kind kind, uint32_t *number)
{
    *number = wanted ? planner_local_of_kind(planner, ROLE_FIXED, kind) : WEAVE_NONE;
}

static bool has_inline_events(const struct planner *planner)
{
    for (uint32_t i = 0; i < planner->insertion_count; i++) {
        const struct insertion *insertion = &planner->insertions[i];
        if (insertion_is_event(insertion) && insertion->event.strategy == EMIT_INLINE) {
            return true;
        }
    }
    return false;
}

// Behind those of the activation, the mark and the result, which are the first ones, as in a method without sites.
static void add_fixed_locals(struct planner *planner)
{
    bool lines = planner->instruments & INSTRUMENT_LINES && planner->statements > 0;
    bool times = lines && planner->method->line_times;
    struct fixed *fixed = &planner->fixed;
    bool streamed = streams(planner->instruments) && planner->site_count > 0;
    add_fixed_local(planner, streamed, IL_NATIVE, &fixed->context);
    bool has_inline = streamed && has_inline_events(planner);
    add_fixed_local(planner, has_inline && planner->method->suspends, IL_INT32, &fixed->current);
    add_fixed_local(planner, has_inline, IL_NATIVE, &fixed->cells);
    add_fixed_local(planner, lines, IL_NATIVE, &fixed->lines);
    add_fixed_local(planner, times, IL_NATIVE, &fixed->lines_state);
    add_fixed_local(planner, times, IL_NATIVE, &fixed->lines_outer);
    add_fixed_local(planner, times, IL_INT64, &fixed->lines_now);
    add_fixed_local(planner, times, IL_NATIVE, &fixed->lines_current);
    add_fixed_local(planner, times && planner->awaits, IL_NATIVE, &fixed->lines_paused);
    add_fixed_local(planner, times && planner->awaits && weave_needs_local(planner->body), IL_INT32,
                    &fixed->lines_waits);
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

static bool *find_addressed(const struct il_body *body, const struct il_scope *scope)
{
    bool *addressed = arena_alloc(body->arena, (size_t)scope->argument_count + scope->local_count + 1);
    for (const struct il_instruction *at = body->first; addressed && at != body->end; at++) {
        uint32_t number;
        enum il_opcode family = il_family(at, &number);
        if (family == IL_LDARGA && number < scope->argument_count) {
            addressed[number] = true;
        } else if (family == IL_LDLOCA && number < scope->local_count) {
            addressed[scope->argument_count + number] = true;
        }
    }
    return addressed;
}

static bool find_awaits(struct planner *planner)
{
    const struct weave_runs *runs = planner->method->runs;
    size_t count = (size_t)(planner->body->end - planner->body->originals) + 1;
    uint8_t *awaits = weave_is_suspended(runs) ? arena_alloc(planner->body->arena, count) : NULL;
    for (uint32_t i = 0; awaits && i < runs->count; i += 2) {
        CLEW_ASSERT(runs->points[i].kind == RUN_POINT_AWAIT && runs->points[i + 1].kind == RUN_POINT_AWAITED);
        uint32_t begin = runs->points[i].at, end = runs->points[i + 1].at;
        awaits[begin] |= AWAIT_BEGINS;
        awaits[end] |= AWAIT_ENDS;
        for (uint32_t sealed = begin + 1; sealed <= end; sealed++) {
            awaits[sealed] |= AWAIT_SEALED;
        }
    }
    planner->awaits = awaits;
    return awaits || !weave_is_suspended(runs);
}

static void plan_instructions(struct planner *planner)
{
    planner->at = NULL;
    bool suspended = weave_is_suspended(planner->method->runs);
    add_fixed_local(planner, weave_needs_local(planner->body) || suspended, IL_NATIVE, &planner->fixed.activation);
    add_fixed_local(planner, suspended, IL_REFERENCE, &planner->fixed.mark);
    if (suspended && bytes_left(&planner->method->runs->result) > 0) {
        (void)planner_local(planner, ROLE_FIXED, planner->method->runs->result);
    }
    if (planner->instruments & INSTRUMENT_VALUES) {
        planner_find_copies(planner);
        plan_arguments(planner);
        planner_find_aliases(planner);
        planner_find_saved(planner);
        planner_find_indexed(planner);
    }
    for (struct il_instruction *at = planner->body->first; at != planner->body->end; at++) {
        if (il_reached(&planner->stacks, at)) {
            plan_instruction(planner, at);
        }
    }
    planner_hold(planner);
    add_fixed_locals(planner);
}

enum clew_error planner_open(struct il_body *body, const struct weave_method *method, struct planner *out)
{
    *out = (struct planner){.body = body, .method = method, .point = method->points};
    if (weave_ends_in_prefix(body)) {
        return CLEW_UNSUPPORTED;
    }
    CLEW_TRY(il_scope_open(method->metadata, method->token, body->locals_token, method->type_refs, body->arena,
                           &out->scope));
    CLEW_TRY(il_stacks(body, &out->scope, &out->stacks));
    out->this_changes = changes_this(body);
    out->addressed = find_addressed(body, &out->scope);
    return out->addressed && find_awaits(out) ? CLEW_OK : CLEW_NO_MEMORY;
}

enum clew_error planner_decide(const struct planner *opened, uint32_t instruments, struct planner *out)
{
    *out = *opened;
    struct il_body *body = out->body;
    out->instruments = instruments;
    out->saves = arena_alloc(body->arena, body->instruction_count + 1);
    out->used = arena_alloc(body->arena, (body->instruction_count + 1) * sizeof *out->used);
    out->indexed = arena_alloc(body->arena, body->instruction_count + 1);
    if (!out->saves || !out->used || !out->indexed) {
        return CLEW_NO_MEMORY;
    }
    plan_instructions(out);
    return out->failed ? CLEW_NO_MEMORY : CLEW_OK;
}
