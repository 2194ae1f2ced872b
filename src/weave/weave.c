// The entries of weaving: planning, repeated with fewer instruments where the woven body would exceed the limits of the JIT, and
// emission.
#include "weave/weave.h"

#include "base/assert.h"
#include "metadata/tables/signature.h"
#include "weave/emit/emit.h"
#include "weave/operations/original.h"
#include "weave/plan/planner.h"

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
    static const struct weave_targets targets = {.wait = 1};
    static const struct weave_signatures signatures;
    const struct weave_binding binding = {.targets = &targets,
                                          .signatures = &signatures,
                                          .token = planner->method->token,
                                          .local = planner->scope.local_count};
    // An operation becomes at most 39 bytes and 9 instructions, and every other one a block. The exit or handler at an
    // instruction is at most one operation more, and 4 blocks with the instruction itself.
    enum { FEW_OPERATIONS = 1000, FEW_BYTES = 300 };
    struct weave_tally before, after;
    struct weave_plan with_runs = *plan;
    uint32_t locals = planner->scope.local_count + planner->scope.argument_count;
    if (plan->op_count <= FEW_OPERATIONS && planner->body->code_size + planner->body->region_count <= FEW_BYTES) {
        return false;
    }
    weave_tally_body(planner->body, &before);
    after = before;
    with_runs.runs = planner->method->runs ? *planner->method->runs : with_runs.runs;
    return within_limits(&before, locals) && emit_operations(planner->body, &with_runs, &binding, &after) == CLEW_OK &&
           !within_limits(&after, locals + plan->local_count);
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
    struct planner opened, planner;
    uint32_t instruments = method->instruments, goes = 0;
    CLEW_TRY(planner_open(body, method, &opened));
    do {
        instruments &= ~goes;
        CLEW_TRY(planner_decide(&opened, instruments, &planner));
        CLEW_TRY(planner_lower(&planner, out));
        out->dropped = method->instruments & ~instruments;
        goes = next_to_drop(instruments);
    } while (goes && loses_optimisation(&planner, out));
    return CLEW_OK;
}

struct weave_plan weave_empty_plan(const struct il_body *body, const struct weave_runs *runs)
{
    static const uint8_t activation[] = {ELEMENT_I}, run[] = {ELEMENT_I, ELEMENT_BY_REFERENCE, ELEMENT_U1};
    if (weave_is_suspended(runs) && bytes_left(&runs->result) > 0) {
        return (struct weave_plan){.locals = runs->locals, .local_count = 3};
    }
    if (weave_is_suspended(runs)) {
        return (struct weave_plan){.locals = bytes_of(run, sizeof run), .local_count = 2};
    }
    uint32_t count = weave_needs_local(body);
    return (struct weave_plan){.locals = bytes_of(activation, count), .local_count = count};
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

enum clew_error weave(struct il_body *body, const struct weave_plan *plan, const struct weave_binding *binding)
{
    return emit_operations(body, plan, binding, NULL);
}

enum clew_error weave_append_locals(struct bytes original, struct bytes types, uint32_t count, struct buffer *out,
                                    uint32_t *index)
{
    uint32_t before = 0;
    struct bytes first = original;
    if (bytes_left(&original) > 0) {
        CLEW_TRY(signature_locals(original, &before, &first));
    }
    if (count >= UINT16_MAX || before >= UINT16_MAX - count) {
        return CLEW_UNSUPPORTED;
    }
    CLEW_ASSERT(before + count < UINT16_MAX && (count > 0 || bytes_left(&types) == 0));
    buffer_u8(out, SIGNATURE_LOCALS);
    buffer_compressed(out, before + count);
    buffer_append(out, first.at, bytes_left(&first));
    buffer_append(out, types.at, bytes_left(&types));
    *index = before;
    return out->failed ? CLEW_NO_MEMORY : CLEW_OK;
}
