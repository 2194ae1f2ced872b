// Encodes the list of instructions to bytes: assigns positions, widens the short branches that do not reach their
// targets, and repeats both until nothing changes, since a wider branch moves all code behind it. Then it writes.
// Branches only ever become longer, so this ends.
#include "base/assert.h"
#include "il/body.h"

enum {
    FAT_HEADER = 12,
    FAT_FORMAT = 0x3003, // fat, with a header of three words (ECMA-335 II.25.4.3)
    FLAG_MORE_SECTIONS = 0x08,
    FLAG_INIT_LOCALS = 0x10,
    FAT_EXCEPTION_SECTION = 0x41,
    SECTION_HEADER = 4,
    FAT_CLAUSE = 24,
    REGION_LIMIT = (0xFFFFFF - SECTION_HEADER) / FAT_CLAUSE,
    CODE_LIMIT = 1 << 30,
    // Real bodies need two or three rounds. A body that is made to need one round for each branch has all of its
    // branches widened at once instead.
    ROUND_LIMIT = 8,
};

static_assert(SECTION_HEADER + REGION_LIMIT * FAT_CLAUSE <= 0xFFFFFF, "a section's size has three bytes");

static uint64_t instruction_size(const struct il_instruction *instruction)
{
    const struct il_opcode_info *info = &il_opcodes[instruction->opcode];
    uint64_t size = (uint64_t)info->size + info->operand_bytes;
    return info->operand == IL_OPERAND_SWITCH ? size + (uint64_t)instruction->operand.table.count * 4 : size;
}

// Assigns a position to every instruction. False: the code is too long for 32-bit branches.
static bool lay_out(struct il_body *body)
{
    uint64_t position = 0;
    for (struct il_instruction *instruction = body->first; instruction != body->end; instruction = instruction->next) {
        instruction->position = (uint32_t)position;
        position += instruction_size(instruction);
        if (position > CODE_LIMIT) {
            return false;
        }
    }
    body->end->position = (uint32_t)position;
    return true;
}

static int64_t distance(const struct il_instruction *after, const struct il_instruction *target)
{
    return (int64_t)target->position - after->next->position;
}

// Makes short branches long, those that do not reach or all of them. True: positions have changed.
static bool widen(struct il_body *body, bool all)
{
    bool changed = false;
    for (struct il_instruction *instruction = body->first; instruction != body->end; instruction = instruction->next) {
        if (il_opcodes[instruction->opcode].operand != IL_OPERAND_BRANCH8) {
            continue;
        }
        int64_t reach = distance(instruction, instruction->operand.branch);
        if (all || reach < INT8_MIN || reach > INT8_MAX) {
            instruction->opcode = il_long_branch(instruction->opcode);
            changed = true;
        }
    }
    return changed;
}

static uint8_t *put(uint8_t *at, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++) {
        *at++ = (uint8_t)(value >> (8 * i));
    }
    return at;
}

static bool operand_fits(int64_t value, enum il_operand kind)
{
    switch (kind) {
    case IL_OPERAND_NONE:
    case IL_OPERAND_I64:
    case IL_OPERAND_R64:
        return true;
    case IL_OPERAND_ARGUMENT8:
    case IL_OPERAND_LOCAL8:
    case IL_OPERAND_ALIGNMENT:
        return value >= 0 && value <= UINT8_MAX;
    case IL_OPERAND_ARGUMENT16:
    case IL_OPERAND_LOCAL16:
        return value >= 0 && value <= UINT16_MAX;
    case IL_OPERAND_I8:
    case IL_OPERAND_BRANCH8:
        return value >= INT8_MIN && value <= INT8_MAX;
    case IL_OPERAND_I32:
    case IL_OPERAND_BRANCH32:
        return value >= INT32_MIN && value <= INT32_MAX;
    default:
        return value >= 0 && value <= UINT32_MAX;
    }
}

static uint8_t *put_switch(const struct il_instruction *instruction, uint8_t *at)
{
    at = put(at, instruction->operand.table.count, 4);
    for (uint32_t i = 0; i < instruction->operand.table.count; i++) {
        at = put(at, (uint64_t)distance(instruction, instruction->operand.table.targets[i]), 4);
    }
    return at;
}

// NULL: the operand does not fit.
static uint8_t *put_instruction(const struct il_instruction *instruction, uint8_t *at)
{
    const struct il_opcode_info *info = &il_opcodes[instruction->opcode];
    if (info->size == 2) {
        *at++ = 0xFE;
    }
    *at++ = (uint8_t)instruction->opcode;
    if (info->operand == IL_OPERAND_SWITCH) {
        return put_switch(instruction, at);
    }
    int64_t value = il_is_branch(instruction->opcode) ? distance(instruction, instruction->operand.branch)
                                                      : instruction->operand.integer;
    return operand_fits(value, info->operand) ? put(at, (uint64_t)value, info->operand_bytes) : NULL;
}

static uint8_t *put_range(uint8_t *at, const struct il_instruction *start, const struct il_instruction *end)
{
    at = put(at, start->position, 4);
    return put(at, end->position - start->position, 4);
}

// Always one fat section: small clauses could not hold the positions of large bodies.
static void put_regions(const struct il_body *body, uint8_t *at)
{
    at = put(at, FAT_EXCEPTION_SECTION, 1);
    at = put(at, SECTION_HEADER + (uint64_t)body->region_count * FAT_CLAUSE, 3);
    for (uint32_t i = 0; i < body->region_count; i++) {
        const struct il_region *region = &body->regions[i];
        at = put(at, region->kind, 4);
        at = put_range(at, region->try_start, region->try_end);
        at = put_range(at, region->handler_start, region->handler_end);
        at = put(at, region->kind == IL_FILTER ? region->filter_start->position : region->type_token, 4);
    }
}

static bool put_body(const struct il_body *body, uint8_t *at, size_t sections)
{
    unsigned flags =
        FAT_FORMAT | (body->init_locals ? FLAG_INIT_LOCALS : 0U) | (body->region_count ? FLAG_MORE_SECTIONS : 0U);
    at = put(at, flags, 2);
    at = put(at, body->max_stack, 2);
    at = put(at, body->end->position, 4);
    uint8_t *code = put(at, body->locals_token, 4);
    at = code;
    for (const struct il_instruction *instruction = body->first; instruction != body->end;
         instruction = instruction->next) {
        CLEW_ASSERT(at == code + instruction->position && "each instruction is at its position");
        at = il_opcodes[instruction->opcode].name ? put_instruction(instruction, at) : NULL;
        if (!at) {
            return false;
        }
    }
    if (body->region_count) {
        CLEW_ASSERT(at <= code + sections && sections % 4 == 0);
        while (at != code + sections) {
            *at++ = 0;
        }
        put_regions(body, at);
    }
    return true;
}

enum clew_error il_encode(struct il_body *body, struct buffer *out)
{
    CLEW_ASSERT(out->size == 0 && "the header is aligned");
    unsigned round = 0;
    do {
        if (!lay_out(body)) {
            return CLEW_UNSUPPORTED;
        }
    } while (widen(body, ++round > ROUND_LIMIT));
    if (body->region_count > REGION_LIMIT) {
        return CLEW_UNSUPPORTED;
    }
    size_t code = body->end->position;
    size_t sections = (code + 3) & ~(size_t)3; // from the start of the code, which is aligned behind the header
    size_t size = body->region_count ? sections + SECTION_HEADER + (size_t)body->region_count * FAT_CLAUSE : code;
    uint8_t *at = buffer_extend(out, FAT_HEADER + size);
    if (!at) {
        return CLEW_NO_MEMORY;
    }
    if (!put_body(body, at, sections)) {
        buffer_clear(out);
        return CLEW_MALFORMED;
    }
    return CLEW_OK;
}
