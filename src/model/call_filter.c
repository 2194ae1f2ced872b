// See call_filter.h. One pass over the blocks of each thread searches them without decoding events. A story shows where the callers
// of a chosen call begin and end, so these blocks are wanted, too. The clock of a beginning leads to its block; the end is in the
// last block that opens with the caller on its stack.
#include "model/call_filter.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "model/choice.h"
#include "model/events/event_blocks.h"
#include "trace/kinds.h"

// An activation on the stack that calls a chosen one, as far as it is known.
struct caller {
    uint32_t method;
    uint64_t started;
};

// A pass over the blocks of one process after the other.
struct pass {
    struct event_blocks blocks;
    struct recording_search search;
    uint8_t *methods; // of the process: search.methods
    const struct thread_blocks *thread;
    uint8_t *wanted;        // of the thread's blocks
    struct caller *callers; // outermost first
    size_t caller_count, caller_room;
    uint64_t marked; // clock of the beginning that was marked last
};

static void mark(struct pass *pass, size_t block)
{
    if (block < pass->thread->count) {
        pass->wanted[block] = 1;
    }
}

// Where an activation began, with its arguments, which may be in the next block. Many callers begin at one clock if it is coarse, or
// if there is none.
static void mark_begin(struct pass *pass, uint64_t started)
{
    if (started == pass->marked) {
        return;
    }
    pass->marked = started;
    size_t block = thread_blocks_at_clock(pass->thread, started);
    for (; block < pass->thread->count && pass->thread->blocks[block].first <= started; block++) {
        mark(pass, block);
        if (pass->thread->blocks[block].last == started) {
            mark(pass, block + 1);
        }
    }
}

// Callers that are not on the stack where the block opens have ended in the block before, or where it was lost.
static void leave_ended(struct pass *pass, size_t block, const struct recording_events *events)
{
    size_t same = 0;
    while (same < pass->caller_count && same < events->depth && pass->callers[same].method == events->open[same] &&
           pass->callers[same].started == events->open_clock[same]) {
        same++;
    }
    if (same < pass->caller_count) {
        CLEW_ASSERT(block > 0 && "callers are known from a block before");
        mark(pass, block - 1);
        mark(pass, block);
    }
    pass->caller_count = same;
}

// All that are on the stack where the block opens count as callers.
static enum clew_error take_callers(struct pass *pass, const struct recording_events *events)
{
    while (pass->caller_count < events->depth) {
        size_t at = pass->caller_count;
        if (!array_grow(&pass->callers, at, &pass->caller_room, sizeof *pass->callers)) {
            return CLEW_NO_MEMORY;
        }
        pass->callers[pass->caller_count++] = (struct caller){events->open[at], events->open_clock[at]};
        mark_begin(pass, events->open_clock[at]);
    }
    return CLEW_OK;
}

// *before: whether the block before has a chosen call; then those that are on the stack between the two are callers.
static enum clew_error look_at(struct pass *pass, size_t block, bool *before)
{
    struct recording_events events;
    enum clew_error error = event_blocks_read(&pass->blocks, pass->thread, &pass->thread->blocks[block], &events);
    if (error != CLEW_OK) {
        mark(pass, block);
        return error == CLEW_DAMAGED ? CLEW_OK : error;
    }
    leave_ended(pass, block, &events);
    if (events.found) {
        mark(pass, block);
    }
    if (events.found || *before) {
        CLEW_TRY(take_callers(pass, &events));
    }
    *before = events.found;
    return CLEW_OK;
}

static enum clew_error exclude(struct excluded_blocks *excluded, const struct pass *pass, size_t from, size_t end)
{
    for (size_t i = from; i < end; i++) {
        if (!pass->wanted[i] && !excluded_blocks_add(excluded, pass->thread->blocks[i].offset, pass->thread->process)) {
            return CLEW_NO_MEMORY;
        }
    }
    return CLEW_OK;
}

static enum clew_error choose_of_thread(struct excluded_blocks *excluded, struct pass *pass, uint64_t from, uint64_t to)
{
    const struct thread_blocks *thread = pass->thread;
    size_t first = thread_blocks_at_clock(thread, from), end = first;
    bool before = false;
    free(pass->wanted);
    pass->wanted = calloc(thread->count + 1, sizeof *pass->wanted);
    if (!pass->wanted) {
        return CLEW_NO_MEMORY;
    }
    pass->caller_count = 0;
    pass->marked = UINT64_MAX;
    for (; end < thread->count && thread->blocks[end].first <= to; end++) {
        CLEW_TRY(look_at(pass, end, &before));
    }
    if ((pass->caller_count > 0 || before) && end > first) {
        mark(pass, end - 1); // where they are known to run last
    }
    return exclude(excluded, pass, first, end);
}

// The number of a method of the process that is chosen. 0: it is not, or has no number that methods have.
static uint32_t number_of(const struct catalog_method *method, uint8_t mark, uint32_t process)
{
    const struct recording_method *record = &method->record;
    bool chosen = mark & (CHOICE_METHOD | CHOICE_UNDER) && record->process == process;
    return chosen && record->method < METHOD_NUMBERS_MAX ? record->method : METHOD_ROOT;
}

// Notes by their numbers which methods of the process are chosen. Stories name the exception that ended
// a caller, so throws and catches are searched for, too.
static enum clew_error choose_methods(struct pass *pass, const struct catalog *catalog, const uint8_t *marks,
                                      uint32_t process)
{
    const struct catalog_method *methods = catalog->methods;
    size_t count = METHOD_FIRST_REAL;
    uint32_t marked;
    for (uint32_t i = 0; i < catalog->method_count; i++) {
        marked = number_of(&methods[i], marks[i], process);
        count = marked >= count ? (size_t)marked + 1 : count;
    }
    free(pass->methods);
    pass->methods = calloc(count + 1, sizeof *pass->methods);
    pass->search = (struct recording_search){pass->methods, count};
    if (!pass->methods) {
        return CLEW_NO_MEMORY;
    }
    pass->methods[METHOD_THROWN] = pass->methods[METHOD_CAUGHT] = 1;
    for (uint32_t i = 0; i < catalog->method_count; i++) {
        marked = number_of(&methods[i], marks[i], process);
        pass->methods[marked] = marked != METHOD_ROOT;
    }
    return CLEW_OK;
}

static enum clew_error choose(struct excluded_blocks *excluded, struct pass *pass, const struct catalog *catalog,
                              const uint8_t *marks, uint64_t from, uint64_t to)
{
    for (uint32_t i = 0; i < pass->blocks.thread_count; i++) {
        const struct thread_blocks *thread = &pass->blocks.threads[i];
        if (i == 0 || thread->process != pass->thread->process) {
            CLEW_TRY(choose_methods(pass, catalog, marks, thread->process));
        }
        pass->thread = thread;
        CLEW_TRY(choose_of_thread(excluded, pass, from, to));
    }
    return CLEW_OK;
}

enum clew_error call_filter_choose(struct excluded_blocks *excluded, const struct catalog *catalog,
                                   const uint8_t *marks, struct recording *recording, uint64_t from, uint64_t to)
{
    struct pass pass = {0};
    pass.blocks.search = &pass.search;
    enum clew_error error = event_blocks_list(&pass.blocks, recording, NULL, NULL);
    error = error == CLEW_OK ? choose(excluded, &pass, catalog, marks, from, to) : error;
    event_blocks_free(&pass.blocks);
    free(pass.methods);
    free(pass.wanted);
    free(pass.callers);
    return error;
}
