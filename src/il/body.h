// A method body (ECMA-335 II.25.4, III) as a list of instructions, into which others can be inserted, and back to
// bytes. Decoding accepts exactly the bodies that the JIT accepts; the agent leaves any other method as it is.
//
// The bytes come from a module, so they may be malformed in any way. All memory is that of the arena: nothing is freed
// by itself, and a body is used by one thread.
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
    uint32_t offset;   // in the original code; IL_NO_OFFSET: inserted
    uint32_t position; // in the encoded code; set by il_encode()
    uint32_t order;    // rises along the list; set by il_verify()
    enum il_opcode opcode;
    bool target; // a branch, switch or region label points here
    bool bound;  // the stack is empty here, or a handler begins; set by il_verify() on reachable instructions
    union {
        int64_t integer;               // an immediate, a variable number or a token; the bits of r4 and r8
        struct il_instruction *branch; // branch target
        struct {
            struct il_instruction **targets;
            uint32_t count;
        } table; // switch
    } operand;
    struct il_label *labels; // the pointers to this instruction, for il_move_labels()
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
    struct arena *arena;          // holds the body, its instructions and regions
    struct il_instruction *first; // the sentinel when the body is empty
    struct il_instruction *end;   // sentinel: offset = code size, opcode IL_END
    struct il_region *regions;    // in the order of the original clauses: the runtime takes the first that matches
    uint32_t region_count;
    uint32_t instruction_count; // inserted ones included, the sentinel not
    uint32_t header_size;       // original; the code begins behind it
    uint32_t code_size;         // original
    uint16_t max_stack;
    bool init_locals;
    uint32_t locals_token;            // StandAloneSig, or 0
    struct il_instruction *originals; // in the order of their offsets, the sentinel last
    uint32_t *starts;                 // by original offset: 1 + index into originals, 0 inside an instruction
};

// Reads the body at the start of `bytes`, which may reach past its end and must live as long as the body. MALFORMED or
// UNSUPPORTED: leave the method as it is.
enum clew_error il_decode(struct bytes bytes, struct arena *arena, struct il_body *out);
// The size in bytes of the body at the start of `bytes`, with header and sections.
enum clew_error il_body_size(struct bytes bytes, size_t *out);

// Writes header, code and clauses to `out`, which must be empty, so that the header is aligned. The header is always
// fat. Short branches that no longer reach their target become long ones; nothing else changes. Sets the position of
// every instruction. MALFORMED: an operand does not fit its opcode. UNSUPPORTED: the body exceeds the limits of the
// format.
enum clew_error il_encode(struct il_body *body, struct buffer *out);

// The original instruction that starts at this offset, or the sentinel at the end of the code; NULL inside an
// instruction or outside of the body.
struct il_instruction *il_at(const struct il_body *body, uint32_t offset);
// The first prefix of this instruction, or itself without one. Nothing may be inserted between prefixes and their
// instruction.
struct il_instruction *il_unit_start(struct il_instruction *instruction);

// Whether `tail.` is among the prefixes of a call.
bool il_is_tail_prefixed(const struct il_instruction *call);

struct il_instruction *il_new(struct il_body *body, enum il_opcode opcode, int64_t operand); // NULL: out of memory
// A branch whose target moves with the labels of `target`; NULL: out of memory.
struct il_instruction *il_new_branch(struct il_body *body, enum il_opcode opcode, struct il_instruction *target);
// Turns an instruction that is no branch into one, whose target moves likewise. False: out of memory.
bool il_make_branch(struct il_body *body, struct il_instruction *at, enum il_opcode opcode,
                    struct il_instruction *target);
// Appends a region, which must be around any that it overlaps. False: out of memory.
bool il_add_region(struct il_body *body, const struct il_region *region);
// Inserts `fresh` in front of `before`. Labels of `before` still point to it...
void il_insert_before(struct il_body *body, struct il_instruction *place, struct il_instruction *fresh);
// ...until all of them (branches, switches, region starts and ends) are moved to `to`.
void il_move_labels(struct il_body *body, struct il_instruction *from, struct il_instruction *to);

#endif
