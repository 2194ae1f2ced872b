// Where instructions lie among a body's regions, and which ways between them are open: the JIT's rules for exception
// tables. Of use to the verifier; expects that every instruction's order is set.
#ifndef CLEW_IL_REGIONS_H
#define CLEW_IL_REGIONS_H

#include "il/body.h"

// The innermost try and the innermost handler around an instruction: 1 + index of the region, 0 for none.
struct il_nesting {
    uint32_t try_region;
    uint32_t handler_region;
    bool in_filter; // of handler_region, rather than in its handler
};

// Each returns NULL when all is well, else what is wrong as static text.

// Order, nesting and sharing of the regions.
const char *il_check_regions(const struct il_body *body);

// Fills one place an instruction, by order; `nesting` comes zeroed.
void il_find_nesting(const struct il_body *body, struct il_nesting *nesting);

// Whether control may go from one instruction to another: by branch or falling through, or by `leave`.
const char *il_check_transfer(const struct il_body *body, const struct il_nesting *nesting,
                              const struct il_instruction *from, const struct il_instruction *to, bool leave);

// Whether no try inside the handler is around an instruction, so that endfinally may stand there.
bool il_handler_is_innermost(const struct il_body *body, const struct il_nesting *nesting);

#endif
