// A method body (ECMA-335 II.25.4, III) as instructions that can be inserted between, and back to bytes.
// Decoding accepts exactly what the JIT does; anything else is refused and the method left alone.
#ifndef CLEW_IL_BODY_H
#define CLEW_IL_BODY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "il/opcode.h"

struct il_label;

struct il_instruction {
    struct il_instruction *next, *previous;
    uint32_t offset;   // in the original body; IL_NO_OFFSET for inserted ones
    uint32_t position; // in the encoded body, once il_encode() has run
    uint32_t order;    // rising along the list; set by il_verify()
    enum il_opcode opcode;
    bool target; // a branch, switch or region label points here
    bool bound;  // nothing is on the stack here, or a handler begins; set by il_verify() on what it reaches
    union {
        int64_t integer;               // immediate, variable number, token, r4 and r8 by their bits
        struct il_instruction *branch; // branch target
        struct {
            struct il_instruction **targets;
            uint32_t count;
        } table; // switch
    } operand;
    struct il_label *labels; // the pointers to this instruction; il_move_labels() works on them
};

#define IL_NO_OFFSET UINT32_MAX

enum il_region_kind { IL_CATCH = 0, IL_FILTER = 1, IL_FINALLY = 2, IL_FAULT = 4 };

// Ends are exclusive and may be the sentinel.
struct il_region {
    enum il_region_kind kind;
    struct il_instruction *try_start, *try_end, *handler_start, *handler_end, *filter_start;
    uint32_t type_token; // of a catch
};

struct il_body {
    struct arena *arena;          // owns all of it
    struct il_instruction *first; // the sentinel when the body is empty
    struct il_instruction *end;   // sentinel: offset = code size, opcode IL_END
    struct il_region *regions;    // in the order of the original clauses, which is semantic
    uint32_t region_count;
    uint32_t instruction_count; // inserted ones included, the sentinel not
    uint32_t header_size;       // original; where the code begins
    uint32_t code_size;         // original
    uint16_t max_stack;
    bool init_locals;
    uint32_t locals_token;            // StandAloneSig, or 0
    struct il_instruction *originals; // in the order of their offsets, the sentinel last
    uint32_t *starts;                 // by original offset: 1 + index into originals, 0 inside an instruction
};

// `bytes` starts at the method header and may reach past the body's end. MALFORMED or UNSUPPORTED: leave the method alone.
enum clew_error il_decode(struct bytes bytes, struct arena *arena, struct il_body *out);
// How many bytes the body at the start of `bytes` takes, header and sections included.
enum clew_error il_body_size(struct bytes bytes, size_t *out);

// Appends header, code and clauses: always the fat header; branches that no longer fit are widened, nothing else changes.
// `out` must be empty, so that the header is aligned. Sets every instruction's position.
// MALFORMED when an operand does not fit its opcode.
enum clew_error il_encode(struct il_body *body, struct buffer *out);

// The original instruction that starts at this offset, the sentinel at the code's end; NULL inside an instruction or
// outside the body.
struct il_instruction *il_at(const struct il_body *body, uint32_t offset);
// The first prefix before this instruction, or itself without one: prefixes and their instruction stay together.
struct il_instruction *il_unit_start(struct il_instruction *instruction);

// Whether `tail.` is among the prefixes of a call.
bool il_is_tail_prefixed(const struct il_instruction *call);

struct il_instruction *il_new(struct il_body *body, enum il_opcode opcode, int64_t operand); // NULL: no memory
// A branch that follows its target's labels when they are moved; NULL: no memory.
struct il_instruction *il_new_branch(struct il_body *body, enum il_opcode opcode, struct il_instruction *target);
// Puts `fresh` before `place`. Labels that point to `place` go on pointing to it...
void il_insert_before(struct il_body *body, struct il_instruction *place, struct il_instruction *fresh);
// ...until all of them (branches, switches, region starts and ends) are moved to `to`.
void il_move_labels(struct il_body *body, struct il_instruction *from, struct il_instruction *to);

#endif
