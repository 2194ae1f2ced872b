// What the parts of weaving share.
#ifndef CLEW_WEAVE_WEAVER_H
#define CLEW_WEAVE_WEAVER_H

#include "base/assert.h"
#include "weave/emitter.h"
#include "weave/plan.h"

enum { GROUP_MAX = 32 };

struct weaver {
    struct emitter emitter;
    const struct weave_plan *plan;
    const struct weave_details *details; // NULL: no sites
    const struct weave_sites *what;
    bool streams, lines, line_times;
    bool calls_itself; // last, somewhere
    // Inline events that stand together and are not written yet.
    const struct weave_tap *group[GROUP_MAX];
    uint32_t group_count, group_bytes;
    // Bytes of inline events that may have come since the last check for room, at this point of the code.
    uint32_t used;
    uint32_t *used_at; // by position: the most that any way to a label brings along
    bool *checked;     // by position: a check stands there
    const struct weave_tap *tap;
    const struct weave_tap *stored; // its result is cleared behind the next instruction, which stores it; NULL: none is
    const struct weave_tap *result; // the method's result is in its local; NULL: on the stack, if there is one
    uint32_t statement;             // counters of `lines`: how many have been passed
};

// The number of an appended local in the woven method.
static inline uint32_t weaver_local(const struct weaver *weaver, uint32_t local)
{
    CLEW_ASSERT(local != WEAVE_NONE);
    return weaver->what->calls.local + local;
}

// -- calls.c: the probes of calls

void weave_entry(struct weaver *weaver);
void weave_exit(struct weaver *weaver, bool calls_itself);
void weave_restate(struct weaver *weaver);
// Calls `wait` if the bool on top of the stack says so.
void weave_wait(struct weaver *weaver);

// -- weave_events.c: the events of sites

// What a tap does in front of its instruction, behind it, and its event. Inline events are put off until the next of
// events_flush(), which has to come before anything of the program and before any label.
void events_enter(struct weaver *weaver); // at entry, once
void events_keep(struct weaver *weaver, const struct weave_tap *tap);
void events_take_result(struct weaver *weaver, const struct weave_tap *tap);
void events_empty_stack(struct weaver *weaver, const struct weave_tap *tap);
// Behind the event: the result is on the stack again, and once the next instruction has stored it, it is forgotten.
void events_give_result(struct weaver *weaver, const struct weave_tap *tap);
void events_result_stored(struct weaver *weaver);
// The method's result, behind the exit probe.
void events_load_result(struct weaver *weaver);
void events_write(struct weaver *weaver, const struct weave_tap *tap);
void events_flush(struct weaver *weaver);
void events_check_room(struct weaver *weaver);

// -- weave_lines.c: counters

void lines_enter(struct weaver *weaver);
void lines_statement(struct weaver *weaver);
void lines_leave(struct weaver *weaver);

#endif
