// The verifier. First it checks each instruction by itself, then the depth of the stack along all paths that the JIT
// follows. Like the JIT it enters handlers when it reaches their try, and does not check depths in unreachable code.
#include "il/verify.h"

#include <stddef.h>

#include "base/assert.h"
#include "il/regions.h"
#include "il/tokens.h"

struct state {
    struct il_instruction *instruction;
    int32_t depth; // in front of the instruction; UNKNOWN: not reached so far
    bool try_start;
};

struct verifier {
    const struct il_body *body;
    const struct il_method_shape *shape;
    const struct il_tokens *tokens;
    struct state *states;       // by order
    struct il_nesting *nesting; // by order; NULL without regions
    struct il_instruction **pending;
    uint32_t pending_count;
    uint32_t count; // instructions, without the sentinel
};

enum {
    UNKNOWN = -1,
    // For the checks of regions, which compare all pairs and mark every instruction in each region.
    WORK_LIMIT = 1 << 28,
};

// Checks return NULL if the body is right, else the reason, as static text that ends up in the report.

static bool in_list(const struct verifier *verifier, const struct il_instruction *instruction)
{
    return instruction && instruction->order < verifier->count &&
           verifier->states[instruction->order].instruction == instruction;
}

// Control enters prefixes and their instruction at the first prefix only (ECMA-335 III.2).
static bool inside_unit(const struct il_instruction *instruction)
{
    return instruction->previous && il_is_prefix(instruction->previous->opcode);
}

// A branch, switch or region must point to an instruction in the list of this body.
static const char *check_label(const struct verifier *verifier, const struct il_instruction *target)
{
    if (!in_list(verifier, target)) {
        return "a label outside the code";
    }
    return inside_unit(target) ? "a label between a prefix and its instruction" : NULL;
}

static const char *check_end_label(const struct verifier *verifier, const struct il_instruction *target)
{
    return target == verifier->body->end ? NULL : check_label(verifier, target);
}

static const char *check_region_labels(const struct verifier *verifier, const struct il_region *region)
{
    const char *wrong = check_label(verifier, region->try_start);
    wrong = wrong ? wrong : check_end_label(verifier, region->try_end);
    wrong = wrong ? wrong : check_label(verifier, region->handler_start);
    wrong = wrong ? wrong : check_end_label(verifier, region->handler_end);
    if (region->kind == IL_FILTER) {
        wrong = wrong ? wrong : check_label(verifier, region->filter_start);
    }
    if (!wrong && region->kind == IL_CATCH && !il_token_fits(verifier->tokens, IL_OPERAND_TYPE, region->type_token)) {
        return "a catch of no type";
    }
    return wrong;
}

static int64_t implied_number(enum il_opcode opcode)
{
    if (opcode >= IL_LDARG_0 && opcode <= IL_LDARG_3) {
        return opcode - IL_LDARG_0;
    }
    return opcode >= IL_LDLOC_0 && opcode <= IL_LDLOC_3 ? opcode - IL_LDLOC_0 : opcode - IL_STLOC_0;
}

static const char *check_local(const struct verifier *verifier, int64_t number)
{
    uint32_t count = verifier->shape->local_count;
    return count == UINT32_MAX || (number >= 0 && number < count) ? NULL : "a local that is not there";
}

static const char *check_argument(const struct verifier *verifier, int64_t number)
{
    return number >= 0 && number < verifier->shape->argument_count ? NULL : "an argument that is not there";
}

static const char *check_switch(const struct verifier *verifier, const struct il_instruction *instruction)
{
    for (uint32_t i = 0; i < instruction->operand.table.count; i++) {
        const char *wrong = check_label(verifier, instruction->operand.table.targets[i]);
        if (wrong) {
            return wrong;
        }
    }
    return NULL;
}

static const char *check_no_operand(const struct verifier *verifier, enum il_opcode opcode)
{
    if (opcode >= IL_LDARG_0 && opcode <= IL_LDARG_3) {
        return check_argument(verifier, implied_number(opcode));
    }
    return opcode >= IL_LDLOC_0 && opcode <= IL_STLOC_3 ? check_local(verifier, implied_number(opcode)) : NULL;
}

static const char *check_operand(const struct verifier *verifier, const struct il_instruction *instruction)
{
    int64_t value = instruction->operand.integer;
    enum il_operand kind = il_opcodes[instruction->opcode].operand;
    switch (kind) {
    case IL_OPERAND_NONE:
        return check_no_operand(verifier, instruction->opcode);
    case IL_OPERAND_ARGUMENT8:
    case IL_OPERAND_ARGUMENT16:
        return check_argument(verifier, value);
    case IL_OPERAND_LOCAL8:
    case IL_OPERAND_LOCAL16:
        return check_local(verifier, value);
    case IL_OPERAND_ALIGNMENT:
        return value == 1 || value == 2 || value == 4 ? NULL : "an alignment other than 1, 2 and 4";
    case IL_OPERAND_BRANCH8:
    case IL_OPERAND_BRANCH32:
        return check_label(verifier, instruction->operand.branch);
    case IL_OPERAND_SWITCH:
        return check_switch(verifier, instruction);
    case IL_OPERAND_I8:
    case IL_OPERAND_I32:
    case IL_OPERAND_I64:
    case IL_OPERAND_R32:
    case IL_OPERAND_R64:
        return NULL;
    default:
        return value >= 0 && value <= UINT32_MAX && il_token_fits(verifier->tokens, kind, (uint32_t)value)
                   ? NULL
                   : "a token that is not there or of the wrong kind";
    }
}

static bool is_call(enum il_opcode opcode)
{
    return opcode == IL_CALL || opcode == IL_CALLVIRT || opcode == IL_CALLI;
}

// The instructions that take `unaligned.` and `volatile.` (ECMA-335 III.2.5, III.2.6), as the JIT accepts them.
static bool reads_or_writes_memory(enum il_opcode opcode)
{
    return (opcode >= IL_LDIND_I1 && opcode <= IL_STIND_R8) || opcode == IL_STIND_I || opcode == IL_LDFLD ||
           opcode == IL_STFLD || opcode == IL_LDOBJ || opcode == IL_STOBJ || opcode == IL_INITBLK || opcode == IL_CPBLK;
}

static bool prefix_fits(enum il_opcode prefix, enum il_opcode opcode)
{
    switch (prefix) {
    case IL_UNALIGNED:
        return reads_or_writes_memory(opcode);
    case IL_VOLATILE:
        return reads_or_writes_memory(opcode) || opcode == IL_LDSFLD || opcode == IL_STSFLD;
    case IL_CONSTRAINED:
        return opcode == IL_CALLVIRT || opcode == IL_CALL || opcode == IL_LDFTN;
    case IL_READONLY:
        return opcode == IL_LDELEMA || is_call(opcode);
    default:
        return is_call(opcode);
    }
}

// `tail.` requires a `ret` right behind the call (ECMA-335 III.2.4).
static const char *check_prefix(const struct il_instruction *prefix)
{
    const struct il_instruction *actual = prefix->next;
    while (il_is_prefix(actual->opcode)) {
        if (actual->opcode == prefix->opcode) {
            return "a prefix is repeated";
        }
        actual = actual->next;
    }
    if (!prefix_fits(prefix->opcode, actual->opcode)) {
        return "a prefix before an instruction that does not take it";
    }
    return prefix->opcode != IL_TAIL || actual->next->opcode == IL_RET ? NULL : "a tail call without ret after it";
}

// Checks that an instruction is allowed in the regions around it.
static const char *check_position(const struct verifier *verifier, const struct il_instruction *instruction)
{
    static const struct il_nesting outside;
    const struct il_body *body = verifier->body;
    const struct il_nesting *nesting = verifier->nesting ? &verifier->nesting[instruction->order] : &outside;
    enum il_region_kind kind = nesting->handler_region ? body->regions[nesting->handler_region - 1].kind : IL_CATCH;
    bool in_handler = nesting->handler_region && !nesting->in_filter;
    switch (instruction->opcode) {
    case IL_RET:
        return nesting->try_region || nesting->handler_region ? "a ret inside a region" : NULL;
    case IL_JMP:
        return nesting->try_region || nesting->handler_region ? "a jmp inside a region" : NULL;
    case IL_ENDFINALLY:
        return in_handler && (kind == IL_FINALLY || kind == IL_FAULT) && il_handler_is_innermost(body, nesting)
                   ? NULL
                   : "an endfinally outside a finally or fault";
    case IL_ENDFILTER:
        return nesting->in_filter && instruction->next == body->regions[nesting->handler_region - 1].handler_start
                   ? NULL
                   : "an endfilter elsewhere than at a filter's end";
    case IL_RETHROW:
        // The JIT accepts a rethrow outside of handlers; it fails when it runs.
        return body->region_count ? NULL : "a rethrow in a method without handlers";
    case IL_LOCALLOC:
        return nesting->handler_region ? "a localloc inside a handler" : NULL;
    default:
        return NULL;
    }
}

static bool goes_on(enum il_flow flow)
{
    return flow != IL_FLOW_BRANCH && flow != IL_FLOW_RETURN && flow != IL_FLOW_THROW;
}

static bool is_leave(enum il_opcode opcode)
{
    return opcode == IL_LEAVE || opcode == IL_LEAVE_S;
}

// Most transfers stay in one region: that case is decided without the table.
static const char *check_transfer(const struct verifier *verifier, const struct il_instruction *from,
                                  const struct il_instruction *to)
{
    const struct il_nesting *a = &verifier->nesting[from->order];
    const struct il_nesting *b = &verifier->nesting[to->order];
    if (a->try_region == b->try_region && a->handler_region == b->handler_region && a->in_filter == b->in_filter) {
        return NULL;
    }
    return il_check_transfer(verifier->body, verifier->nesting, from, to, is_leave(from->opcode));
}

static const char *check_transfers(const struct verifier *verifier, const struct il_instruction *instruction)
{
    const char *wrong = NULL;
    if (il_is_branch(instruction->opcode)) {
        wrong = check_transfer(verifier, instruction, instruction->operand.branch);
    } else if (instruction->opcode == IL_SWITCH) {
        for (uint32_t i = 0; i < instruction->operand.table.count && !wrong; i++) {
            wrong = check_transfer(verifier, instruction, instruction->operand.table.targets[i]);
        }
    }
    if (!wrong && goes_on(il_opcodes[instruction->opcode].flow)) {
        wrong = check_transfer(verifier, instruction, instruction->next);
    }
    return wrong;
}

// Everything that needs no depth of the stack.
static const char *check_instruction(const struct verifier *verifier, const struct il_instruction *instruction)
{
    const struct il_opcode_info *info = &il_opcodes[instruction->opcode];
    if (!info->name) {
        return "an unknown opcode";
    }
    if (goes_on(info->flow) && instruction->next == verifier->body->end) {
        return "the code's end is reached";
    }
    const char *wrong = check_operand(verifier, instruction);
    if (!wrong && info->flow == IL_FLOW_PREFIX) {
        wrong = check_prefix(instruction);
    }
    wrong = wrong ? wrong : check_position(verifier, instruction);
    return wrong || !verifier->nesting ? wrong : check_transfers(verifier, instruction);
}

// Applies a call to *depth.
static const char *pass_call(const struct verifier *verifier, const struct il_instruction *call, int64_t *depth)
{
    struct signature_method signature;
    if (!il_token_method(verifier->tokens, (uint32_t)call->operand.integer, &signature)) {
        return "a call without a readable signature";
    }
    bool creates = call->opcode == IL_NEWOBJ;
    int64_t pops = (int64_t)signature.parameter_count + (call->opcode == IL_CALLI);
    if (!creates && signature.has_this) {
        pops++;
    }
    if (*depth < pops) {
        return "too little on the stack";
    }
    *depth -= pops;
    if (*depth != 0 && il_is_tail_prefixed(call)) {
        return "a tail call with more on the stack";
    }
    *depth += creates || signature.returns_value;
    return NULL;
}

// Instructions that require a certain depth, or set it.
static const char *pass_special(const struct verifier *verifier, const struct il_instruction *instruction,
                                int64_t *depth)
{
    switch (instruction->opcode) {
    case IL_RET:
        return *depth == verifier->shape->returns_value ? NULL : "a ret with a stack other than its value";
    case IL_JMP:
        return *depth == 0 ? NULL : "a jmp with something on the stack";
    case IL_ENDFILTER:
        return *depth == 1 ? NULL : "an endfilter with a stack other than its value";
    case IL_LOCALLOC:
        return *depth == 1 ? NULL : "a localloc with more on the stack";
    case IL_LEAVE:
    case IL_LEAVE_S:
        *depth = 0;
        return NULL;
    default:
        return NULL;
    }
}

static const char *pass(const struct verifier *verifier, const struct il_instruction *instruction, int64_t *depth)
{
    const struct il_opcode_info *info = &il_opcodes[instruction->opcode];
    if (info->flow == IL_FLOW_CALL) {
        return pass_call(verifier, instruction, depth);
    }
    const char *wrong = pass_special(verifier, instruction, depth);
    if (wrong || info->pops == IL_VARIES) {
        return wrong;
    }
    if (*depth < info->pops) {
        return "too little on the stack";
    }
    CLEW_ASSERT(*depth >= info->pops);
    *depth += info->pushes - info->pops;
    return NULL;
}

static const char *check_depth(const struct verifier *verifier, int64_t depth)
{
    uint16_t most = verifier->body->max_stack;
    if (depth <= most) {
        return NULL;
    }
    return most == UINT16_MAX ? "more on the stack than a header can say" : "more on the stack than the header says";
}

// Control arrives at `target` with a stack of this depth. All paths must bring the same depth (ECMA-335 III.1.8.1.3), and a
// try is entered with an empty stack.
static const char *reach(struct verifier *verifier, const struct il_instruction *target, int64_t depth)
{
    CLEW_ASSERT(target->order <= verifier->count && depth >= 0);
    struct state *state = &verifier->states[target->order];
    if (state->depth != UNKNOWN) {
        return state->depth == depth ? NULL : "two paths meet with different stacks";
    }
    const char *wrong = check_depth(verifier, depth);
    if (wrong) {
        return wrong;
    }
    if (state->try_start && depth != 0) {
        return "a try entered with something on the stack";
    }
    state->depth = (int32_t)depth;
    state->instruction->bound = depth == 0;
    CLEW_ASSERT(verifier->pending_count < verifier->count && "each instruction waits once");
    verifier->pending[verifier->pending_count++] = state->instruction;
    return NULL;
}

// The handlers of a try are reachable when the try is. A filter and a catch handler start with the exception on the stack.
static const char *reach_handlers(struct verifier *verifier, const struct il_instruction *try_start)
{
    const char *wrong = NULL;
    for (uint32_t i = 0; i < verifier->body->region_count && !wrong; i++) {
        const struct il_region *region = &verifier->body->regions[i];
        if (region->try_start != try_start) {
            continue;
        }
        wrong = reach(verifier, region->handler_start, region->kind == IL_CATCH || region->kind == IL_FILTER);
        if (!wrong && region->kind == IL_FILTER) {
            wrong = reach(verifier, region->filter_start, 1);
            region->filter_start->bound = true;
        }
        region->handler_start->bound = true;
    }
    return wrong;
}

// Applies one instruction to the depth in front of it, and passes the result on.
static const char *follow(struct verifier *verifier, const struct il_instruction *instruction)
{
    const struct state *state = &verifier->states[instruction->order];
    int64_t depth = state->depth;
    CLEW_ASSERT(depth != UNKNOWN && "only reached instructions are followed");
    const char *wrong = state->try_start ? reach_handlers(verifier, instruction) : NULL;
    wrong = wrong ? wrong : pass(verifier, instruction, &depth);
    wrong = wrong ? wrong : check_depth(verifier, depth);
    if (il_is_branch(instruction->opcode)) {
        wrong = wrong ? wrong : reach(verifier, instruction->operand.branch, depth);
    } else if (instruction->opcode == IL_SWITCH) {
        for (uint32_t i = 0; i < instruction->operand.table.count && !wrong; i++) {
            wrong = reach(verifier, instruction->operand.table.targets[i], depth);
        }
    }
    if (!wrong && goes_on(il_opcodes[instruction->opcode].flow)) {
        wrong = reach(verifier, instruction->next, depth);
    }
    return wrong;
}

// Numbers the instructions, so that tables can be indexed by `order` instead of by original position: the body has
// insertions.
static enum clew_error set_up(struct verifier *verifier)
{
    const struct il_body *body = verifier->body;
    for (struct il_instruction *instruction = body->first; instruction != body->end; instruction = instruction->next) {
        instruction->order = verifier->count++;
    }
    body->end->order = verifier->count;
    size_t count = verifier->count;
    verifier->states = arena_alloc(body->arena, (count + 1) * sizeof *verifier->states);
    verifier->pending = arena_alloc(body->arena, count * sizeof *verifier->pending);
    verifier->nesting = body->region_count ? arena_alloc(body->arena, (count + 1) * sizeof *verifier->nesting) : NULL;
    if (!verifier->states || !verifier->pending || (body->region_count && !verifier->nesting)) {
        return CLEW_NO_MEMORY;
    }
    for (struct il_instruction *instruction = body->first; instruction != body->end; instruction = instruction->next) {
        verifier->states[instruction->order] = (struct state){.instruction = instruction, .depth = UNKNOWN};
    }
    return CLEW_OK;
}

static const char *check_regions(struct verifier *verifier)
{
    const struct il_body *body = verifier->body;
    uint64_t work = (uint64_t)body->region_count * ((uint64_t)body->region_count + verifier->count);
    if (work > WORK_LIMIT) {
        return "too many regions";
    }
    for (uint32_t i = 0; i < body->region_count; i++) {
        const char *wrong = check_region_labels(verifier, &body->regions[i]);
        if (wrong) {
            return wrong;
        }
        verifier->states[body->regions[i].try_start->order].try_start = true;
    }
    const char *wrong = il_check_regions(body);
    if (!wrong && body->region_count) {
        il_find_nesting(body, verifier->nesting);
    }
    return wrong;
}

static const char *check_depths(struct verifier *verifier)
{
    const char *wrong = reach(verifier, verifier->body->first, 0);
    while (verifier->pending_count && !wrong) {
        wrong = follow(verifier, verifier->pending[--verifier->pending_count]);
    }
    return wrong;
}

static const char *check(struct verifier *verifier)
{
    if (!verifier->count) {
        return "no code";
    }
    const char *wrong = check_regions(verifier);
    for (uint32_t i = 0; i < verifier->count && !wrong; i++) {
        wrong = check_instruction(verifier, verifier->states[i].instruction);
    }
    return wrong ? wrong : check_depths(verifier);
}

enum clew_error il_verify(const struct il_body *body, const struct il_method_shape *shape,
                          const struct il_tokens *tokens, const char **reason)
{
    struct verifier verifier = {.body = body, .shape = shape, .tokens = tokens};
    *reason = NULL;
    CLEW_TRY(set_up(&verifier));
    *reason = check(&verifier);
    return *reason ? CLEW_MALFORMED : CLEW_OK;
}
