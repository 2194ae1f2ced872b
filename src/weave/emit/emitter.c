// The emitter counts an instruction whether it inserts it or not, by the same code: the tally of a dry run is exactly that of
// the body that will be woven.
#include "weave/emit/emitter.h"

#include "base/assert.h"
#include "il/stack.h"

// The JIT counts references to locals and arguments; most opcodes that do so follow each other.
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

static void put(struct emitter *at, struct il_instruction *fresh)
{
    CLEW_ASSERT(at->before && !at->dry);
    if (!fresh) {
        at->failed = true;
        return;
    }
    il_insert_before(at->body, at->before, fresh);
    at->first = at->first ? at->first : fresh;
}

void emit(struct emitter *at, enum il_opcode opcode, int64_t operand)
{
    count(&at->tally, opcode);
    if (!at->dry && !at->failed) {
        put(at, il_new(at->body, opcode, operand));
    }
}

static enum il_opcode short_form(enum il_opcode opcode)
{
    switch (opcode) {
    case IL_LDLOC:
        return IL_LDLOC_S;
    case IL_STLOC:
        return IL_STLOC_S;
    case IL_LDLOCA:
        return IL_LDLOCA_S;
    case IL_LDARG:
        return IL_LDARG_S;
    default:
        CLEW_ASSERT(opcode == IL_LDARGA);
        return IL_LDARGA_S;
    }
}

void emit_variable(struct emitter *at, enum il_opcode opcode, uint32_t number)
{
    CLEW_ASSERT(number <= UINT16_MAX);
    emit(at, number <= UINT8_MAX ? short_form(opcode) : opcode, number);
}

void emit_number(struct emitter *at, uint32_t value)
{
    static_assert(IL_LDC_I4_8 == IL_LDC_I4_0 + 8, "short forms follow each other");
    if (value <= 8) {
        emit(at, (enum il_opcode)(IL_LDC_I4_0 + value), 0);
    } else {
        emit(at, value <= INT8_MAX ? IL_LDC_I4_S : IL_LDC_I4, (int32_t)value);
    }
}

void emit_offset(struct emitter *at, size_t offset)
{
    CLEW_ASSERT(offset <= INT32_MAX);
    if (offset) {
        emit_number(at, (uint32_t)offset);
        emit(at, IL_ADD, 0);
    }
}

void emit_address(struct emitter *at, uintptr_t address)
{
    emit(at, IL_LDC_I8, (int64_t)address);
    emit(at, IL_CONV_I, 0);
}

void emit_call(struct emitter *at, uintptr_t target, uint32_t signature)
{
    emit_address(at, target);
    emit(at, IL_CALLI, signature);
}

struct emitter_skip emit_branch(struct emitter *at, enum il_opcode opcode)
{
    CLEW_ASSERT(il_is_branch(opcode));
    struct emitter_skip skip = {NULL};
    count(&at->tally, opcode);
    if (!at->dry && !at->failed) {
        skip.target = il_new(at->body, IL_NOP, 0);
        put(at, skip.target ? il_new_branch(at->body, opcode, skip.target) : NULL);
    }
    return skip;
}

// The target of the branch is a `nop`, which begins a block: the JIT counts both.
void emit_skip_end(struct emitter *at, struct emitter_skip skip)
{
    CLEW_ASSERT(at->dry || at->failed || !skip.target->next);
    count(&at->tally, IL_NOP);
    at->tally.blocks++;
    if (!at->dry && !at->failed) {
        put(at, skip.target);
    }
}

void emit_leave(struct emitter *at, struct il_instruction *ret, struct emitter_skip *skip)
{
    CLEW_ASSERT(ret->opcode == IL_RET && ret->offset != IL_NO_OFFSET);
    at->tally.bytes += il_opcodes[IL_LEAVE_S].operand_bytes;
    if (at->dry || at->failed) {
        return;
    }
    skip->target = skip->target ? skip->target : il_new(at->body, IL_NOP, 0);
    at->failed = !skip->target || !il_make_branch(at->body, ret, IL_LEAVE_S, skip->target);
}

struct il_instruction *emit_place_of_label(struct emitter *at)
{
    emit(at, IL_NOP, 0);
    at->tally.blocks++;
    return at->dry || at->failed ? NULL : at->before->previous;
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
