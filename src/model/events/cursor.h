// A place in a recording that moves over the events of one thread or of all, forwards and backwards: by time, to an event,
// from event to event. It reports what each event means, with the stack of its thread.
//
// The order of all events: by clock; at equal clocks by block, first those with the lower first clock, then those that are
// earlier in the file; within a thread as recorded. Clocks of a thread that go backwards, which only a damaged file or a
// faulty clock has, count as the highest before them. So the order does not depend on where one begins or in which
// direction one goes. A block that does not follow the one before, since blocks are missing, ends and begins activations before
// its first event: these steps have the ordinal of that event.
//
// An activation that began in a block before the one that the cursor was placed in has waited for no filter until that block
// (stream_time()): a block lists what runs where it begins, but not how long it waited.
#ifndef CLEW_MODEL_CURSOR_H
#define CLEW_MODEL_CURSOR_H

#include "model/events/step.h"
#include "model/events/threads.h"
#include "recording/reader.h"

struct cursor; // not thread-safe; several cursors of one handle do not disturb each other

// An event of a recording. `ordinal` counts the thread's events in this file from 0, also those of blocks that turn out to
// be damaged, so that it stays the same whatever was read before.
struct cursor_position {
    uint32_t process, thread;
    uint64_t ordinal;
};

// Which events. Zero-initialised: all.
struct cursor_options {
    uint32_t process, thread;     // 0: all
    struct model_threads threads; // of these; the caller keeps them as long as the cursor
    // Whether to read a block; NULL: all. The others are as if they were missing.
    bool (*wants)(void *context, const struct recording_block *block);
    void *context;
    // Where a seek places the cursor before a block, what runs there is reported as the block's own steps: the stack of the
    // thread before is not asked for, so the block before is not read.
    bool states_anew;
    bool async;           // also report STEP_RESUME, STEP_SUSPEND and STEP_COMPLETE
    bool throws;          // also report STEP_THROWN and STEP_CAUGHT
    size_t loaded_wanted; // bytes of events in memory; 0: a suitable default
};

// Before the first event. The handle must outlive the cursor. NOTHING_RECORDED: there is no such thread. The caller calls
// cursor_close(). At most 512 MiB of events are in memory; large blocks are loaded in parts.
enum clew_error cursor_open(struct recording *recording, const struct cursor_options *options, struct cursor **out);
void cursor_close(struct cursor *cursor);

// Places the cursor before the first event at `clock` or later, or after the last event. After NO_MEMORY or IO the place is
// undefined until the next call of one of these functions.
enum clew_error cursor_seek_time(struct cursor *cursor, uint64_t clock);
void cursor_seek_end(struct cursor *cursor);
// Places the cursor before that event; the next one of the other threads is the first that comes after it in the order of all
// events. NOT_FOUND: there is no such event, or its block is damaged; the cursor stays.
enum clew_error cursor_seek_event(struct cursor *cursor, const struct cursor_position *at);
// The same, or before the next event of the thread that is there and whole, or after the last event of all.
enum clew_error cursor_seek_near(struct cursor *cursor, const struct cursor_position *at);

// Moves over the event after the cursor, if its clock is at most `to`, or over that before it, if its clock is at least `from`.
// Reports its steps, in the order of time in both directions; there may be none. NOT_FOUND: there is no such event; the cursor stays. A block that is damaged is left out. An error of `visit` ends the
// move and is returned.
enum clew_error cursor_next(struct cursor *cursor, uint64_t to, step_visit *visit, void *context);
enum clew_error cursor_previous(struct cursor *cursor, uint64_t from, step_visit *visit, void *context);
// Moves over all events up to `to`.
enum clew_error cursor_run(struct cursor *cursor, uint64_t to, step_visit *visit, void *context);
// The clock of the event after, or before, the cursor. NOT_FOUND: there is none.
enum clew_error cursor_clock(struct cursor *cursor, bool backwards, uint64_t *clock);

// The threads, in the order of their first blocks in the file.
uint32_t cursor_thread_count(const struct cursor *cursor);
// A thread, with its stack at the place of the cursor.
enum clew_error cursor_thread(struct cursor *cursor, uint32_t index, struct event_thread **out);
// The thread's stack was changed by the caller: it is made anew where it is needed.
void cursor_thread_changed(struct cursor *cursor, uint32_t index);
// The place in the file of the block that the thread's stack there comes from, or of the next one; 0: it has no blocks.
uint64_t cursor_thread_offset(const struct cursor *cursor, uint32_t index);
// Of a thread: the ordinal of the event after the cursor, and how many events there are.
uint64_t cursor_ordinal(const struct cursor *cursor, uint32_t index);
uint64_t cursor_event_count(const struct cursor *cursor, uint32_t index);
// Of a thread: the ordinal of the first event of the block that has the event before `ordinal`, which is not 0.
uint64_t cursor_block_before(const struct cursor *cursor, uint32_t index, uint64_t ordinal);

// Takes over the events that were appended to the file since; the position stays. DAMAGED: the file has become another.
enum clew_error cursor_follow(struct cursor *cursor);

// The damage that was found so far.
struct recording_health cursor_health(const struct cursor *cursor);

// Finds the event that begins activation `number` of a process, by bisection. NOT_FOUND: none does, or the recording has
// no numbers.
enum clew_error cursor_find_call(struct recording *recording, uint32_t process, uint64_t number,
                                 struct cursor_position *out);

#endif
