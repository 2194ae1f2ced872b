// The nesting of instructions in the regions of a body, and the transfers of control that it allows: the JIT's rules
// for exception tables (ECMA-335 I.12.4.2, II.19). For the verifier; `order` of every instruction must be set.
#ifndef CLEW_IL_REGIONS_H
#define CLEW_IL_REGIONS_H

#include "il/body.h"

// The innermost try and the innermost handler around an instruction: 1 + index of the region, 0 for none.
struct il_nesting {
    uint32_t try_region;
    uint32_t handler_region;
    bool in_filter; // of handler_region, rather than in its handler
};

// Functions that return text return NULL if the body is right, else the reason, as static text for the user.

// Checks order, nesting and sharing of the regions.
const char *il_check_regions(const struct il_body *body);

// Fills one place an instruction, by order; `nesting` comes zeroed.
void il_find_nesting(const struct il_body *body, struct il_nesting *nesting);

// Checks a transfer of control from one instruction to another, by branch or by falling through, or by `leave`.
const char *il_check_transfer(const struct il_body *body, const struct il_nesting *nesting,
                              const struct il_instruction *from, const struct il_instruction *to, bool leave);

// Whether an instruction is in no try within its handler, so that it may be an `endfinally`.
bool il_handler_is_innermost(const struct il_body *body, const struct il_nesting *nesting);

#endif
