// What each block of the streams holds, in a few numbers: how long its thread was in recorded calls, which methods took the
// most time, and which activations outlast a block. From these a picture of a whole recording is made, or of any range that
// has too many events to read while somebody waits. They are built once, block by block, in the user's own time.
#ifndef CLEW_MODEL_SUMMARIES_H
#define CLEW_MODEL_SUMMARIES_H

#include "recording/reader.h"

enum { SUMMARY_METHODS = 6 };

// One block. Times are ticks of the session's clock. A block lasts from its first event to the thread's next block, or to its
// last event.
struct summary_block {
    uint32_t thread; // index in summaries_threads()
    uint64_t first, last;
    uint64_t calls;                    // that begin in it
    uint64_t busy;                     // at least one activation ran
    uint32_t methods[SUMMARY_METHODS]; // those with the most own time, most first; 0: no more
    uint64_t own[SUMMARY_METHODS];
};

// An activation that runs where a block ends, and lasts at least as long as that block.
struct summary_span {
    uint32_t thread; // index in summaries_threads()
    uint32_t method;
    uint32_t depth; // activations below
    uint64_t begin, end;
    uint64_t call; // its number in the process; 0: not known
    bool open;     // it still ran at the last event of its thread
};

struct summary_thread {
    uint32_t process, thread;
};

// Not thread-safe; the recording must outlive them.
struct summaries;

// Lists the blocks of all threads. NOTHING_RECORDED: there are no streams. The caller calls summaries_free().
enum clew_error summaries_new(struct recording *recording, struct summaries **out);
void summaries_free(struct summaries *summaries);

// Summarises the next block. NOT_FOUND: all are; the activations that still run have become spans. Damaged blocks are left
// out. After another error only summaries_free() may follow.
enum clew_error summaries_advance(struct summaries *summaries);
// The share of the blocks that are done, 0 to 1.
double summaries_done(const struct summaries *summaries);

// What is done. The arrays are valid until the next summaries_advance(). Blocks are in the order of the file; spans in that
// of the blocks at whose ends they first ran.
const struct summary_thread *summaries_threads(const struct summaries *summaries, uint32_t *count);
const struct summary_block *summaries_blocks(const struct summaries *summaries, size_t *count);
const struct summary_span *summaries_spans(const struct summaries *summaries, size_t *count);

#endif
