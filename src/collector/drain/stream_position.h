// How far a thread's stream has been read: a position that moves over the cells as they are decoded.
//
// struct slot has the position of what is in the file. The shared memory has it too (ring_thread.drained), for a
// collector that takes this one's place; it moves there only after the block is in the file. So that collector finds
// each committed event either in the file or behind the position.
#ifndef CLEW_COLLECTOR_STREAM_POSITION_H
#define CLEW_COLLECTOR_STREAM_POSITION_H

#include "collector/drain/process.h"

// Takes the slot's position from the shared memory, when the thread is first seen.
void position_load(struct process *process, uint32_t index);
// Moves the slot's position, here and in the shared memory. It only ever moves forward.
void position_move(struct process *process, uint32_t index, struct ring_drained position);

// The committed cells at the position, up to the end of its chunk. Moves the position to the next chunk when this one
// is used up, and the state's clock to that chunk's. *count is 0 when there are no cells. `cursor` is from
// chunk_cursor().
enum clew_error position_cells(const struct process *process, uint32_t index, uint64_t cursor,
                               struct stream_state *state, struct ring_drained *position, const uint32_t **cells,
                               size_t *count);
// Decodes cells from position_cells() into the block, as many as fit, and moves the position behind them.
enum clew_error position_decode(const struct process *process, const uint32_t *cells, size_t count,
                                struct stream_state *state, struct stream_block *block, struct ring_drained *position);

#endif
