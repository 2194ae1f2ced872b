// A position in a recording that moves over the events of one thread or of all, forwards and backwards: by time, to an
// event, from event to event. The timeline (timeline.h) gives the same events with their activations, forwards alone.
//
// The order of all events: by clock; at equal clocks by block, first those with the lower first clock, then those that are
// earlier in the file; within a thread as recorded. Clocks of a thread that go backwards, which only a damaged file or a
// faulty clock has, count as the highest before them. So the order does not depend on where one begins or in which
// direction one goes.
#ifndef CLEW_MODEL_CURSOR_H
#define CLEW_MODEL_CURSOR_H

#include "model/events/stream.h"
#include "recording/reader.h"

struct cursor; // not thread-safe; several cursors of one handle do not disturb each other

// An event of a recording. `ordinal` counts the thread's events in this file from 0, also those of blocks that turn out to
// be damaged, so that it stays the same whatever was read before.
struct cursor_position {
    uint32_t process, thread;
    uint64_t ordinal;
};

// One event. Valid until the next call with the cursor.
struct cursor_event {
    struct cursor_position at;
    struct recording_event event; // its `cell` is no position in `cells` here
    const uint32_t *stack;        // STACK: its event.stated methods
    const uint32_t *cells;        // AT_SITE: see sites_take()
    uint32_t cells_left;
};

// Which events. Zero-initialised: all.
struct cursor_options {
    uint32_t process, thread; // 0: all
};

// Before the first event. The handle must outlive the cursor. NOTHING_RECORDED: there are no such events. The caller calls
// cursor_close().
enum clew_error cursor_open(struct recording *recording, const struct cursor_options *options, struct cursor **out);
void cursor_close(struct cursor *cursor);

// Places the cursor before the first event at `clock` or later, or behind the last event. After NO_MEMORY or IO the place is
// undefined until the next call of one of these functions.
enum clew_error cursor_seek_time(struct cursor *cursor, uint64_t clock);
enum clew_error cursor_seek_end(struct cursor *cursor);
// Places the cursor before that event; the next one of the other threads is the first that comes after it in the order of all
// events. NOT_FOUND: there is no such event, or its block is damaged; the cursor stays.
enum clew_error cursor_seek_event(struct cursor *cursor, const struct cursor_position *at);

// The event behind, or before, the cursor, which moves over it. NOT_FOUND: there is none; the cursor stays. A block that is
// damaged is left out.
enum clew_error cursor_next(struct cursor *cursor, struct cursor_event *out);
enum clew_error cursor_previous(struct cursor *cursor, struct cursor_event *out);

// The activations of the thread right before the event, in a zero-initialised stream that the caller frees with
// stream_fini(). NOT_FOUND as for cursor_seek_event().
enum clew_error cursor_stack(struct cursor *cursor, const struct cursor_position *at, struct stream *out);

// Takes over the events that were appended to the file since; the position stays. DAMAGED: the file has become another.
enum clew_error cursor_follow(struct cursor *cursor);

// The damage that was met so far.
struct recording_health cursor_health(const struct cursor *cursor);

#endif
