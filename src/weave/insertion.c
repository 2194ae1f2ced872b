#include "weave/insertion.h"

#include "base/assert.h"
#include "il/stack.h"

static bool refers_to_variable(enum il_opcode opcode)
{
    enum il_operand operand = il_opcodes[opcode].operand;
    return (opcode >= IL_LDARG_0 && opcode <= IL_STLOC_3) || operand == IL_OPERAND_LOCAL8 ||
           operand == IL_OPERAND_LOCAL16 || operand == IL_OPERAND_ARGUMENT8 || operand == IL_OPERAND_ARGUMENT16;
}

static void count(struct weave_tally *tally, enum il_opcode opcode)
{
    CLEW_ASSERT(il_opcodes[opcode].name && "no sentinel");
    tally->instructions++;
    tally->bytes += il_opcodes[opcode].size + (uint32_t)il_opcodes[opcode].operand_bytes;
    tally->references += refers_to_variable(opcode);
    tally->blocks += il_opcodes[opcode].flow == IL_FLOW_CONDITION;
}

static void put(struct insertion *at, struct il_instruction *fresh)
{
    CLEW_ASSERT(at->place && !at->dry);
    if (!fresh) {
        at->failed = true;
        return;
    }
    il_insert_before(at->body, at->place, fresh);
    at->first = at->first ? at->first : fresh;
}

void insert(struct insertion *at, enum il_opcode opcode, int64_t operand)
{
    count(&at->tally, opcode);
    if (!at->dry && !at->failed) {
        put(at, il_new(at->body, opcode, operand));
    }
}

static void insert_variable(struct insertion *at, enum il_opcode short_form, enum il_opcode long_form, uint32_t number)
{
    CLEW_ASSERT(number <= UINT16_MAX);
    insert(at, number <= UINT8_MAX ? short_form : long_form, number);
}

void insert_ldloc(struct insertion *at, uint32_t local)
{
    insert_variable(at, IL_LDLOC_S, IL_LDLOC, local);
}

void insert_stloc(struct insertion *at, uint32_t local)
{
    insert_variable(at, IL_STLOC_S, IL_STLOC, local);
}

void insert_ldloca(struct insertion *at, uint32_t local)
{
    insert_variable(at, IL_LDLOCA_S, IL_LDLOCA, local);
}

void insert_ldarg(struct insertion *at, uint32_t argument)
{
    insert_variable(at, IL_LDARG_S, IL_LDARG, argument);
}

void insert_ldarga(struct insertion *at, uint32_t argument)
{
    insert_variable(at, IL_LDARGA_S, IL_LDARGA, argument);
}

void insert_number(struct insertion *at, uint32_t value)
{
    static_assert(IL_LDC_I4_8 == IL_LDC_I4_0 + 8, "short forms follow each other");
    if (value <= 8) {
        insert(at, (enum il_opcode)(IL_LDC_I4_0 + value), 0);
    } else {
        insert(at, value <= INT8_MAX ? IL_LDC_I4_S : IL_LDC_I4, (int32_t)value);
    }
}

void insert_address(struct insertion *at, uintptr_t address)
{
    insert(at, IL_LDC_I8, (int64_t)address);
    insert(at, IL_CONV_I, 0);
}

void insert_call(struct insertion *at, uintptr_t target, uint32_t signature)
{
    insert_address(at, target);
    insert(at, IL_CALLI, signature);
}

struct insertion_skip insert_branch(struct insertion *at, enum il_opcode opcode)
{
    CLEW_ASSERT(il_is_branch(opcode));
    struct insertion_skip skip = {NULL};
    count(&at->tally, opcode);
    if (!at->dry && !at->failed) {
        skip.target = il_new(at->body, IL_NOP, 0);
        put(at, skip.target ? il_new_branch(at->body, opcode, skip.target) : NULL);
    }
    return skip;
}

void insert_here(struct insertion *at, struct insertion_skip skip)
{
    CLEW_ASSERT(at->dry || at->failed || !skip.target->next);
    count(&at->tally, IL_NOP);
    at->tally.blocks++;
    if (!at->dry && !at->failed) {
        put(at, skip.target);
    }
}

void weave_tally_body(const struct il_body *body, struct weave_tally *out)
{
    *out = (struct weave_tally){.blocks = 1 + body->region_count};
    for (const struct il_instruction *at = body->first; at != body->end; at = at->next) {
        count(out, at->opcode);
        out->bytes += at->opcode == IL_SWITCH ? at->operand.table.count * 4 : 0;
        out->blocks += at->target;
    }
}
