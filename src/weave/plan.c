// Finds the sites of a method: one loop over its original instructions, and the repetition of it with fewer instruments
// where the woven body would exceed the limits of the JIT.
#include "weave/planner.h"

#include "base/assert.h"

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
    bool wanted = planner->instruments & wanting && weave_may_insert_before(planner->body, planner->at);
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

static void plan_arguments(struct planner *planner)
{
    for (uint32_t i = 0; i < planner->scope.argument_count; i++) {
        struct request request = planner_variable_request(planner, SITE_ARGUMENT, PLACE_PARAMETER, i);
        request.moment = MOMENT_ENTRY;
        planner_request(planner, &request);
    }
}

// -- The method -------------------------------------------------------------------------------------------------------

static void plan_front(struct planner *planner, const struct il_instruction *at)
{
    if (planner->instruments & INSTRUMENT_USES && weave_may_insert_before(planner->body, at)) {
        planner_handed_use(planner, at);
        planner_use_variable(planner, at, MOMENT_BEFORE);
    }
}

static void plan_back(struct planner *planner, const struct il_instruction *at)
{
    if (!weave_may_insert_behind(planner->body, at)) {
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
        if (!weave_may_insert_before(planner->body, at)) {
            planner_use_variable(planner, at, MOMENT_AFTER);
        }
    }
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
    static const uint8_t integer[] = {ELEMENT_I8}, address[] = {ELEMENT_I};
    *number = WEAVE_NONE;
    if (wanted) {
        *number = planner_local(planner, ROLE_FIXED, bytes_of(kind == IL_INT64 ? integer : address, 1));
    }
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

// Behind the local of the activation, which is the first one, as in a method without sites.
static void add_fixed_locals(struct planner *planner)
{
    bool lines = planner->instruments & INSTRUMENT_LINES && planner->statements > 0;
    bool times = lines && planner->method->line_times;
    struct weave_fixed *fixed = &planner->fixed;
    bool streamed = streams(planner->instruments) && planner->site_count > 0;
    add_fixed_local(planner, streamed, IL_NATIVE, &fixed->context);
    add_fixed_local(planner, streamed && has_inline_events(planner), IL_NATIVE, &fixed->cells);
    add_fixed_local(planner, lines, IL_NATIVE, &fixed->lines);
    add_fixed_local(planner, times, IL_NATIVE, &fixed->lines_state);
    add_fixed_local(planner, times, IL_NATIVE, &fixed->lines_outer);
    add_fixed_local(planner, times, IL_INT64, &fixed->lines_now);
    add_fixed_local(planner, times, IL_NATIVE, &fixed->lines_current);
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

static void plan_body(struct planner *planner)
{
    planner->at = NULL;
    add_fixed_local(planner, weave_needs_local(planner->body), IL_NATIVE, &planner->fixed.activation);
    if (planner->instruments & INSTRUMENT_VALUES) {
        planner_find_copies(planner);
        plan_arguments(planner);
        planner_find_aliases(planner);
        planner_find_saved(planner);
    }
    for (struct il_instruction *at = planner->body->first; at != planner->body->end; at++) {
        if (il_reached(&planner->stacks, at)) {
            plan_instruction(planner, at);
        }
    }
    planner_hold(planner);
    add_fixed_locals(planner);
}

static enum clew_error finish(const struct planner *planner, struct weave_plan *out)
{
    struct weave_details *details = arena_alloc(planner->body->arena, sizeof *details);
    if (planner->failed || !details) {
        return CLEW_NO_MEMORY;
    }
    *details = (struct weave_details){.insertions = planner->insertions,
                                      .insertion_count = planner->insertion_count,
                                      .typed = planner->typed,
                                      .typed_count = planner->typed_count,
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
// Beyond any of these limits the JIT compiles a method without optimisation, and no callback reports that (compiler.h,
// DEFAULT_MIN_OPTS_*). Measured on .NET 10: 7,800 references to locals are optimised, 8,100 are not and give 4.7 times
// the code. A method that exceeds a limit by itself is woven in full: it has nothing to lose.

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

// The instruments to drop next, the most dispensable first; 0: none are left.
static uint32_t next_to_drop(uint32_t instruments)
{
    static const uint32_t order[] = {INSTRUMENT_USES, INSTRUMENT_VALUES, INSTRUMENT_STATEMENTS, INSTRUMENT_LINES};
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
    common.addressed = find_addressed(body, &common.scope);
    if (!common.addressed) {
        return CLEW_NO_MEMORY;
    }
    common.point = method->points;
    for (;;) {
        struct planner planner = common;
        planner.saves = arena_alloc(body->arena, body->instruction_count + 1);
        planner.used = arena_alloc(body->arena, (body->instruction_count + 1) * sizeof *planner.used);
        if (!planner.saves || !planner.used) {
            return CLEW_NO_MEMORY;
        }
        plan_body(&planner);
        CLEW_TRY(finish(&planner, out));
        out->dropped = method->instruments & ~common.instruments;
        CLEW_ASSERT((common.instruments & ~method->instruments) == 0 && "what is left was asked for");
        uint32_t goes = next_to_drop(common.instruments);
        goes = goes && loses_optimisation(&planner, out) ? goes : 0;
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
        CLEW_ASSERT(*statement <= plan->count);
        *statement = *statement ? first + *statement - 1 : 0;
    }
}

bool weave_trusts_references(const struct metadata *metadata)
{
    static const char *const names[] = {"Unsafe", "MemoryMarshal", "CollectionsMarshal", "UnverifiableCodeAttribute"};
    for (uint32_t row = 1; row <= metadata_rows(metadata, TABLE_TYPE_REF); row++) {
        struct text name = metadata_string(metadata, metadata_column(metadata, TABLE_TYPE_REF, row, TYPE_REF_NAME));
        for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
            if (text_equal(name, text_of(names[i]))) {
                return false;
            }
        }
    }
    return true;
}
