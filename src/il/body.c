// Decodes the bytes of a body to its list of instructions. There are two passes over the code: the first finds where
// instructions start, so that the second can resolve branches forward and backward.
#include "il/body.h"

#include <string.h>

#include "base/assert.h"

enum {
    TINY_FORMAT = 2, // the low two bits of the first byte (ECMA-335 II.25.4.1)
    FAT_FORMAT = 3,
    TINY_MAX_STACK = 8,
    FAT_HEADER_WORDS = 3,
    FLAG_MORE_SECTIONS = 0x08,
    FLAG_INIT_LOCALS = 0x10,
    FLAGS_KNOWN = FAT_FORMAT | FLAG_MORE_SECTIONS | FLAG_INIT_LOCALS,

    SECTION_KIND = 0x3F,
    SECTION_EXCEPTIONS = 1,
    SECTION_FAT = 0x40,
    SECTION_MORE = 0x80,
    SECTION_HEADER = 4,
    SMALL_CLAUSE = 12,
    FAT_CLAUSE = 24,
    CLAUSE_DUPLICATED = 8, // a mark of the runtime, not a kind

    LOCALS_TABLE = 0x11, // StandAloneSig

    CODE_LIMIT = 4 << 20, // a decoded instruction takes about 64 times as many bytes of memory as its code
};

static_assert(IL_OPCODE_LIMIT > 0x1FF, "any two bytes index the table");

// A pointer to an instruction that moves with the labels of that instruction.
struct il_label {
    struct il_label *next;
    struct il_instruction **slot;
};

struct header {
    uint16_t max_stack;
    bool init_locals, more_sections;
    uint32_t locals_token;
    struct bytes code;
};

// Registers the slot as a label of its target, so that il_move_labels() finds it.
static bool point_at(struct il_body *body, struct il_instruction **slot, struct il_instruction *target)
{
    struct il_label *label = arena_alloc(body->arena, sizeof *label);
    if (!label) {
        return false;
    }
    *label = (struct il_label){.next = target->labels, .slot = slot};
    target->labels = label;
    target->target = true;
    *slot = target;
    return true;
}

// The header has at least three words; a longer one is skipped (ECMA-335 II.25.4.3).
static enum clew_error read_fat_header(struct bytes *bytes, struct header *out)
{
    struct bytes whole = *bytes;
    uint16_t flags;
    uint32_t code_size;
    if (!bytes_u16(bytes, &flags) || !bytes_u16(bytes, &out->max_stack) || !bytes_u32(bytes, &code_size) ||
        !bytes_u32(bytes, &out->locals_token)) {
        return CLEW_MALFORMED;
    }
    unsigned words = flags >> 12;
    if (words < FAT_HEADER_WORDS || !bytes_skip(&whole, words * 4)) {
        return CLEW_MALFORMED;
    }
    *bytes = whole;
    flags &= 0xFFF;
    if (flags & ~FLAGS_KNOWN) {
        return CLEW_UNSUPPORTED;
    }
    if (out->locals_token != 0 && out->locals_token >> 24 != LOCALS_TABLE) {
        return CLEW_MALFORMED;
    }
    out->init_locals = flags & FLAG_INIT_LOCALS;
    out->more_sections = flags & FLAG_MORE_SECTIONS;
    return bytes_take(bytes, code_size, &out->code) ? CLEW_OK : CLEW_MALFORMED;
}

// Reads the header, and moves `bytes` to the end of the code.
static enum clew_error read_header(struct bytes *bytes, struct header *out)
{
    *out = (struct header){.max_stack = TINY_MAX_STACK};
    struct bytes peek = *bytes;
    uint8_t first;
    if (!bytes_u8(&peek, &first)) {
        return CLEW_MALFORMED;
    }
    if ((first & 3) == TINY_FORMAT) {
        *bytes = peek;
        return bytes_take(bytes, first >> 2, &out->code) ? CLEW_OK : CLEW_MALFORMED;
    }
    return (first & 7) == FAT_FORMAT ? read_fat_header(bytes, out) : CLEW_MALFORMED;
}

// A section behind the code (ECMA-335 II.25.4.5). Only those with exception clauses are of interest.
struct section {
    bool exceptions, fat, more;
    struct bytes clauses;
    uint32_t count;
};

// Old compilers did not count the header of a section in its size. The runtime divides the size by that of a clause, so
// that it does not matter there; the same here.
static enum clew_error read_section(struct bytes *bytes, const uint8_t *start, struct section *out)
{
    size_t padding = -(size_t)(bytes->at - start) & 3;
    uint32_t header;
    if (!bytes_skip(bytes, padding) || !bytes_u32(bytes, &header)) {
        return CLEW_MALFORMED;
    }
    uint8_t kind = (uint8_t)header;
    *out = (struct section){.exceptions = (kind & SECTION_KIND) == SECTION_EXCEPTIONS,
                            .fat = kind & SECTION_FAT,
                            .more = kind & SECTION_MORE};
    size_t size = out->fat ? header >> 8 : (uint8_t)(header >> 8);
    if (out->exceptions) {
        size_t clause = out->fat ? FAT_CLAUSE : SMALL_CLAUSE;
        out->count = (uint32_t)(size / clause);
        struct bytes rest = *bytes;
        if (!bytes_take(&rest, out->count * clause, &out->clauses)) {
            return CLEW_MALFORMED;
        }
        size = size < SECTION_HEADER + out->count * clause ? SECTION_HEADER + out->count * clause : size;
    }
    return size >= SECTION_HEADER && bytes_skip(bytes, size - SECTION_HEADER) ? CLEW_OK : CLEW_MALFORMED;
}

enum clew_error il_body_size(struct bytes bytes, size_t *out)
{
    const uint8_t *start = bytes.at;
    struct header header;
    CLEW_TRY(read_header(&bytes, &header));
    bool more = header.more_sections;
    while (more) {
        struct section section;
        CLEW_TRY(read_section(&bytes, start, &section));
        more = section.more;
    }
    *out = (size_t)(bytes.at - start);
    return CLEW_OK;
}

// Reads the opcode at `at`. *length: the size in bytes of the instruction with its operand.
static enum clew_error measure(struct bytes code, uint32_t at, enum il_opcode *opcode, uint32_t *length)
{
    CLEW_ASSERT(at < bytes_left(&code));
    (void)bytes_skip(&code, at); // `at` is inside of the code
    uint8_t byte;
    if (!bytes_u8(&code, &byte)) {
        return CLEW_MALFORMED;
    }
    unsigned encoding = byte;
    if (byte == 0xFE) {
        if (!bytes_u8(&code, &byte)) {
            return CLEW_MALFORMED;
        }
        encoding = 0x100U | byte;
    }
    const struct il_opcode_info *info = &il_opcodes[encoding];
    if (!info->name) {
        return CLEW_UNSUPPORTED;
    }
    size_t size = info->operand_bytes;
    if (info->operand == IL_OPERAND_SWITCH) {
        struct bytes table = code;
        uint32_t count;
        if (!bytes_u32(&table, &count) || bytes_left(&table) / 4 < count) {
            return CLEW_MALFORMED;
        }
        size += (size_t)count * 4;
    }
    if (bytes_left(&code) < size) {
        return CLEW_MALFORMED;
    }
    *opcode = (enum il_opcode)encoding;
    *length = info->size + (uint32_t)size;
    return CLEW_OK;
}

// First pass: fills body->starts.
static enum clew_error find_starts(struct il_body *body, struct bytes code)
{
    body->starts = arena_alloc(body->arena, ((size_t)body->code_size + 1) * sizeof *body->starts);
    if (!body->starts) {
        return CLEW_NO_MEMORY;
    }
    uint32_t at = 0;
    while (at < body->code_size) {
        enum il_opcode opcode;
        uint32_t length;
        CLEW_TRY(measure(code, at, &opcode, &length));
        body->starts[at] = ++body->instruction_count;
        at += length;
    }
    CLEW_ASSERT(at == body->code_size && "instructions fill the code");
    body->starts[at] = body->instruction_count + 1;
    return CLEW_OK;
}

struct il_instruction *il_at(const struct il_body *body, uint32_t offset)
{
    uint32_t start = offset <= body->code_size ? body->starts[offset] : 0;
    return start ? &body->originals[start - 1] : NULL;
}

// Points `slot` to the instruction that starts at this offset. The end of the code is not an instruction.
static enum clew_error link_branch(struct il_body *body, int64_t offset, struct il_instruction **slot)
{
    struct il_instruction *target = offset >= 0 && offset < body->code_size ? il_at(body, (uint32_t)offset) : NULL;
    if (!target) {
        return CLEW_MALFORMED;
    }
    return point_at(body, slot, target) ? CLEW_OK : CLEW_NO_MEMORY;
}

// The distances of a switch count from the end of its table.
static enum clew_error read_switch(struct il_body *body, struct il_instruction *instruction, struct bytes table,
                                   int64_t after)
{
    uint32_t count = (uint32_t)(bytes_left(&table) / 4);
    struct il_instruction **targets = arena_alloc(body->arena, count * sizeof *targets);
    if (!targets) {
        return CLEW_NO_MEMORY;
    }
    instruction->operand.table.targets = targets;
    instruction->operand.table.count = count;
    for (uint32_t i = 0; i < count; i++) {
        CLEW_TRY(link_branch(body, after + (int32_t)read_u32(table.at + (size_t)i * 4), &targets[i]));
    }
    return CLEW_OK;
}

// Operands are little endian. Tokens and floats are read as unsigned bits.
static int64_t read_integer(const uint8_t *at, enum il_operand operand)
{
    switch (operand) {
    case IL_OPERAND_ARGUMENT8:
    case IL_OPERAND_LOCAL8:
    case IL_OPERAND_ALIGNMENT:
        return *at;
    case IL_OPERAND_ARGUMENT16:
    case IL_OPERAND_LOCAL16:
        return read_u16(at);
    case IL_OPERAND_I8:
    case IL_OPERAND_BRANCH8:
        return (int8_t)*at;
    case IL_OPERAND_I32:
    case IL_OPERAND_BRANCH32:
        return (int32_t)read_u32(at);
    case IL_OPERAND_I64:
    case IL_OPERAND_R64:
        return (int64_t)((uint64_t)read_u32(at + 4) << 32 | read_u32(at));
    case IL_OPERAND_NONE:
    case IL_OPERAND_SWITCH:
        return 0;
    default:
        return read_u32(at);
    }
}

static enum clew_error read_operand(struct il_body *body, struct il_instruction *instruction, struct bytes operand,
                                    uint32_t after)
{
    enum il_operand kind = il_opcodes[instruction->opcode].operand;
    if (kind == IL_OPERAND_SWITCH) {
        (void)bytes_skip(&operand, 4); // the count, which measure() has checked
        return read_switch(body, instruction, operand, after);
    }
    int64_t value = read_integer(operand.at, kind);
    if (il_is_branch(instruction->opcode)) {
        return link_branch(body, after + value, &instruction->operand.branch);
    }
    instruction->operand.integer = value;
    return CLEW_OK;
}

// Second pass: fills body->originals.
static enum clew_error read_instructions(struct il_body *body, struct bytes code)
{
    size_t count = (size_t)body->instruction_count + 1;
    body->originals = arena_alloc(body->arena, count * sizeof *body->originals);
    if (!body->originals) {
        return CLEW_NO_MEMORY;
    }
    body->first = body->originals;
    body->end = &body->originals[count - 1];
    *body->end = (struct il_instruction){.offset = body->code_size, .opcode = IL_END, .previous = body->end - 1};
    uint32_t at = 0;
    for (struct il_instruction *instruction = body->first; instruction != body->end; instruction++) {
        uint32_t length;
        CLEW_TRY(measure(code, at, &instruction->opcode, &length));
        CLEW_ASSERT(il_at(body, at) == instruction && "both passes see the same");
        instruction->offset = at;
        instruction->next = instruction + 1;
        instruction->previous = instruction == body->first ? NULL : instruction - 1;
        struct bytes operand = bytes_of(code.at + at, length);
        (void)bytes_skip(&operand, il_opcodes[instruction->opcode].size);
        at += length;
        CLEW_TRY(read_operand(body, instruction, operand, at));
    }
    return CLEW_OK;
}

struct clause {
    uint32_t flags, try_offset, try_size, handler_offset, handler_size,
        argument; // the type token, or the offset of the filter
};

// Small clauses have the same fields as fat ones, in fewer bytes (ECMA-335 II.25.4.6).
static struct clause read_clause(const uint8_t *at, bool fat)
{
    if (fat) {
        return (struct clause){read_u32(at),      read_u32(at + 4),  read_u32(at + 8),
                               read_u32(at + 12), read_u32(at + 16), read_u32(at + 20)};
    }
    return (struct clause){read_u16(at), read_u16(at + 2), at[4], read_u16(at + 5), at[7], read_u32(at + 8)};
}

// A range starts at an instruction, and ends at an instruction or at the end of the code.
static enum clew_error link_range(struct il_body *body, uint32_t offset, uint32_t size, struct il_instruction **start,
                                  struct il_instruction **end)
{
    CLEW_TRY(link_branch(body, offset, start));
    CLEW_ASSERT(offset < body->code_size);
    struct il_instruction *last = size <= body->code_size - offset ? il_at(body, offset + size) : NULL;
    if (!last) {
        return CLEW_MALFORMED;
    }
    return point_at(body, end, last) ? CLEW_OK : CLEW_NO_MEMORY;
}

// Resolves the offsets of a clause to instructions.
static enum clew_error link_region(struct il_body *body, struct clause clause, struct il_region *region)
{
    uint32_t kind = clause.flags & ~(uint32_t)CLAUSE_DUPLICATED;
    if (kind != IL_CATCH && kind != IL_FILTER && kind != IL_FINALLY && kind != IL_FAULT) {
        return CLEW_UNSUPPORTED;
    }
    region->kind = (enum il_region_kind)kind;
    CLEW_TRY(link_range(body, clause.try_offset, clause.try_size, &region->try_start, &region->try_end));
    CLEW_TRY(
        link_range(body, clause.handler_offset, clause.handler_size, &region->handler_start, &region->handler_end));
    if (kind == IL_FILTER) {
        return link_branch(body, clause.argument, &region->filter_start);
    }
    region->type_token = kind == IL_CATCH ? clause.argument : 0;
    return CLEW_OK;
}

static enum clew_error read_regions(struct il_body *body, const struct section *section)
{
    body->regions = arena_alloc(body->arena, section->count * sizeof *body->regions);
    if (!body->regions) {
        return CLEW_NO_MEMORY;
    }
    size_t clause_size = section->fat ? FAT_CLAUSE : SMALL_CLAUSE;
    for (body->region_count = 0; body->region_count < section->count; body->region_count++) {
        const uint8_t *at = section->clauses.at + body->region_count * clause_size;
        CLEW_TRY(link_region(body, read_clause(at, section->fat), &body->regions[body->region_count]));
    }
    return CLEW_OK;
}

// The code is decoded before the regions, whose labels point into it.
enum clew_error il_decode(struct bytes bytes, struct arena *arena, struct il_body *out)
{
    const uint8_t *start = bytes.at;
    struct header header;
    CLEW_TRY(read_header(&bytes, &header));
    *out = (struct il_body){.arena = arena,
                            .header_size = (uint32_t)(header.code.at - start),
                            .code_size = (uint32_t)bytes_left(&header.code),
                            .max_stack = header.max_stack,
                            .init_locals = header.init_locals,
                            .locals_token = header.locals_token};
    if (out->code_size == 0) {
        return CLEW_MALFORMED;
    }
    if (out->code_size > CODE_LIMIT) {
        return CLEW_UNSUPPORTED;
    }
    CLEW_TRY(find_starts(out, header.code));
    CLEW_TRY(read_instructions(out, header.code));
    bool more = header.more_sections;
    while (more) {
        struct section section;
        CLEW_TRY(read_section(&bytes, start, &section));
        if (section.exceptions) {
            return read_regions(out, &section); // the runtime reads the first such section only
        }
        more = section.more;
    }
    return CLEW_OK;
}

struct il_instruction *il_unit_start(struct il_instruction *instruction)
{
    while (instruction->previous && il_is_prefix(instruction->previous->opcode)) {
        instruction = instruction->previous;
    }
    return instruction;
}

bool il_is_tail_prefixed(const struct il_instruction *call)
{
    for (const struct il_instruction *prefix = call->previous; prefix && il_is_prefix(prefix->opcode);
         prefix = prefix->previous) {
        if (prefix->opcode == IL_TAIL) {
            return true;
        }
    }
    return false;
}

struct il_instruction *il_new(struct il_body *body, enum il_opcode opcode, int64_t operand)
{
    struct il_instruction *fresh = arena_alloc(body->arena, sizeof *fresh);
    if (fresh) {
        *fresh = (struct il_instruction){.offset = IL_NO_OFFSET, .opcode = opcode, .operand.integer = operand};
    }
    return fresh;
}

struct il_instruction *il_new_branch(struct il_body *body, enum il_opcode opcode, struct il_instruction *target)
{
    struct il_instruction *fresh = il_new(body, opcode, 0);
    return fresh && point_at(body, &fresh->operand.branch, target) ? fresh : NULL;
}

bool il_make_branch(struct il_body *body, struct il_instruction *at, enum il_opcode opcode,
                    struct il_instruction *target)
{
    CLEW_ASSERT(il_is_branch(opcode) && !il_is_branch(at->opcode) && at->opcode != IL_SWITCH);
    at->opcode = opcode;
    return point_at(body, &at->operand.branch, target);
}

static bool point_from_region(struct il_body *body, struct il_region *region)
{
    bool filters = region->kind == IL_FILTER;
    return point_at(body, &region->try_start, region->try_start) && point_at(body, &region->try_end, region->try_end) &&
           point_at(body, &region->handler_start, region->handler_start) &&
           point_at(body, &region->handler_end, region->handler_end) &&
           (!filters || point_at(body, &region->filter_start, region->filter_start));
}

// The labels of the regions lead to a larger array. Those to the old one stay, and nobody reads it any more.
bool il_add_region(struct il_body *body, const struct il_region *region)
{
    uint32_t count = body->region_count;
    struct il_region *regions = arena_alloc(body->arena, ((size_t)count + 1) * sizeof *regions);
    if (!regions) {
        return false;
    }
    for (uint32_t i = 0; i <= count; i++) {
        regions[i] = i < count ? body->regions[i] : *region;
        if (!point_from_region(body, &regions[i])) {
            return false;
        }
    }
    body->regions = regions;
    body->region_count = count + 1;
    return true;
}

void il_insert_before(struct il_body *body, struct il_instruction *before, struct il_instruction *fresh)
{
    CLEW_ASSERT(!fresh->next && !fresh->previous && "in no list yet");
    fresh->next = before;
    fresh->previous = before->previous;
    if (before->previous) {
        before->previous->next = fresh;
    } else {
        body->first = fresh;
    }
    before->previous = fresh;
    body->instruction_count++;
}

void il_move_labels(struct il_body *body, struct il_instruction *from, struct il_instruction *to)
{
    (void)body; // the labels belong to the instruction; the parameter shows that the body changes
    struct il_label **last = &from->labels;
    if (from == to || !*last) {
        return;
    }
    for (; *last; last = &(*last)->next) {
        if (*(*last)->slot == from) { // otherwise its owner has changed it since
            *(*last)->slot = to;
        }
    }
    *last = to->labels;
    to->labels = from->labels;
    to->target = true;
    from->labels = NULL;
    from->target = false;
}
