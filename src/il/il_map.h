// The map from a changed body's offsets to the original ones, by which the runtime finds lines for stack traces and
// debuggers.
//
// The runtime looks an offset up by walking the map from its start, once for each stretch of native code (.NET 10 when a
// method is compiled, 8 and 9 when a stack trace first meets it), and takes the last entry at or before the offset,
// without adding the rest. So the map must have an entry wherever the JIT can begin a stretch, and each entry costs time
// at every stretch behind it: in a method of N statements, N * N steps. The JIT begins stretches where the evaluation
// stack is empty, where a handler begins, at calls, behind them, at `nop` and at the start of blocks. Nowhere else does an
// entry change what the runtime answers. Beyond a limit, entries are left out that stack traces need least.
#ifndef CLEW_IL_IL_MAP_H
#define CLEW_IL_IL_MAP_H

#include "il/body.h"

struct il_map_entry {
    uint32_t old_offset, new_offset;
};

// Writes at most `limit` entries (1 or more) to `out`, in rising order of both offsets, and returns their number. The
// body has been encoded. If it has not been verified, every instruction counts as the start of a stretch. *lines: false
// if a stack trace may show an earlier line than the one that ran.
uint32_t il_map(const struct il_body *body, uint32_t limit, struct il_map_entry *out, bool *lines);

#endif
