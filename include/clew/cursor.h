// The events of a recording in order, forwards and backwards: calls, statements, values.
#ifndef CLEW_PUBLIC_CURSOR_H
#define CLEW_PUBLIC_CURSOR_H

#include "clew/recording.h"

#ifdef __cplusplus
extern "C" {
#endif

struct clew_cursor;

enum clew_event_kind {
    CLEW_EVENT_BEGIN = 0,     // an activation of a method begins
    CLEW_EVENT_END = 1,       // an activation ends
    CLEW_EVENT_OPEN = 2,      // at the end of the range: an activation still runs
    CLEW_EVENT_LOST = 3,      // events are missing here
    CLEW_EVENT_STATEMENT = 4, // a statement of the source is reached
    CLEW_EVENT_VALUE = 5      // a place has a value: it was assigned, loaded, passed or returned
};

// Which events to deliver. Zero-initialise, then set `size`.
struct clew_cursor_options {
    size_t size;
    uint32_t thread;      // 0: all
    uint32_t kinds;       // bits 1 << enum clew_event_kind; 0: all
    uint64_t from_ns;     // since the session's start, both included
    uint64_t to_ns;       // 0: up to the end
    const char *variable; // only values that places of this name are assigned or passed; NULL: all events
};

// A cursor before the first event of the range. Only the parts of the file that the range touches are read.
// NOTHING_RECORDED: the recording has no events, or none of the thread. USAGE: `options` without a size, or with a field
// that this version does not know. `options` may be NULL. Free *out before the recording.
CLEW_API enum clew_error clew_cursor_open(struct clew_recording *recording, const struct clew_cursor_options *options,
                                          struct clew_cursor **out);
CLEW_API void clew_cursor_free(struct clew_cursor *cursor);

// One event. Texts are valid until the cursor moves.
struct clew_event {
    size_t size;
    enum clew_event_kind kind;
    uint32_t process, thread;
    uint32_t method;   // for clew_method(); 0: not known
    uint32_t depth;    // activations below
    bool by_exception; // END
    uint64_t time_ns;  // since the session's start
    uint64_t took_ns;  // END, OPEN: how long the activation has run
    uint64_t lost;     // LOST: how many events
    uint64_t call;     // number of the activation in its process; 0: the recording has no such numbers
    // STATEMENT, VALUE: where in the source; line 0 and an empty file: not known.
    struct clew_text file;
    uint32_t line, column;
    struct clew_text name; // VALUE: of the variable, parameter, field; empty: a result, or a place without a name
    uint64_t ordinal; // of the recorded event in its thread, from 0; one can begin or end many activations. Not of OPEN
};
// The event after, or before, the cursor, which moves over it. After the last event come the OPEN ones, if the range has the end
// of the recording. NOT_FOUND: there are no more in this direction; the cursor stays. Backwards, `took_ns` of an activation
// that began well before the place of the last seek may contain exception filters that ran for others.
CLEW_API enum clew_error clew_cursor_next(struct clew_cursor *cursor, struct clew_event *out);
CLEW_API enum clew_error clew_cursor_previous(struct clew_cursor *cursor, struct clew_event *out);

// Places the cursor before the first event at that time or later; UINT64_MAX: after the last.
CLEW_API enum clew_error clew_cursor_seek_time(struct clew_cursor *cursor, uint64_t time_ns);
// Places the cursor before an event, by its ordinal. NOT_FOUND: it is not among those that the cursor delivers; the cursor is then
// before the first of them.
CLEW_API enum clew_error clew_cursor_seek_event(struct clew_cursor *cursor, uint32_t process, uint32_t thread,
                                                uint64_t ordinal);
// Places the cursor before the BEGIN of an activation, by the number that the `call` of events gives. NOT_FOUND: the recording
// has no such number, or as for clew_cursor_seek_event().
CLEW_API enum clew_error clew_cursor_seek_call(struct clew_cursor *cursor, uint32_t process, uint64_t call);

enum clew_value_kind {
    CLEW_VALUE_UNKNOWN = 0, // not recorded: redacted, too large, or not safe to read
    CLEW_VALUE_BOOLEAN = 1,
    CLEW_VALUE_CHARACTER = 2, // a UTF-16 unit, in `unsigned_integer`
    CLEW_VALUE_INTEGER = 3,
    CLEW_VALUE_UNSIGNED = 4,
    CLEW_VALUE_REAL = 5,
    CLEW_VALUE_POINTER = 6, // an address, in `unsigned_integer`
    CLEW_VALUE_NULL = 7,
    CLEW_VALUE_OBJECT = 8,
    CLEW_VALUE_STRUCT = 9
};

// The value of a VALUE event. Fields that the kind does not use are 0.
struct clew_value {
    size_t size;
    enum clew_value_kind kind;
    bool boolean;
    int64_t integer;
    uint64_t unsigned_integer;
    double real;
    uint32_t object;       // OBJECT: its number in the process, the same for all of its life
    struct clew_text type; // `System.Int32`; of an object its own type; empty: not known
    struct clew_text text; // OBJECT, a string: its text, UTF-8 (WTF-8); possibly cut
    const void *bytes;     // as in memory, object numbers in place of references
    size_t byte_count;
};
// The value of the event that was delivered last. False: it has none. Texts and bytes are valid until the cursor moves, or until
// the next call of this function.
CLEW_API bool clew_cursor_value(struct clew_cursor *cursor, struct clew_value *out);

#ifdef __cplusplus
}
#endif

#endif
