// State and functions that the files of weaving share. Weaving is one pass over a body that emits the insertions of a plan
// between the original instructions:
//
//     weave.c         the pass: which insertion, exit and check for room goes where
//     calls.c         the probes of calls
//     weave_spill.c   operands and results on the way from the stack to locals and back
//     weave_events.c  one event, by one of the two strategies:
//     weave_inline.c    cells that the woven code stores itself
//     weave_native.c    calls of native site functions
//     weave_values.c  the value of an event
//     weave_lines.c   the counters of `lines`
//
// Functions return no errors: without memory the emitter fails, and weave_sites() reports that at the end.
#ifndef CLEW_WEAVE_WEAVER_H
#define CLEW_WEAVE_WEAVER_H

#include "base/assert.h"
#include "weave/emitter.h"
#include "weave/plan.h"

enum { GROUP_MAX = 32 };

struct weaver {
    struct emitter emitter;
    const struct weave_plan *plan;
    const struct weave_details *details; // NULL: the plan has no sites
    const struct weave_sites *what;
    bool streams, lines, line_times; // which of the fixed locals are there
    bool calls_itself;               // some call to the method itself is its last
    // Inline events that are not emitted yet: neighbours are written as one group.
    const struct weave_event *group[GROUP_MAX];
    uint32_t group_count, group_bytes;
    // The most bytes of inline events that can have been written since the last check for room, at this point of the code.
    uint32_t used;
    uint32_t *used_at;                // by position: the most that any branch to a label brings along
    bool *checked;                    // by position: a check for room goes here
    const struct insertion *next;     // the next insertion of the plan
    const struct weave_event *stored; // its result is cleared behind the next instruction, which stores it; NULL: none
    uint32_t result;    // the appended local that holds the method's result; WEAVE_NONE: it is on the stack
    uint32_t statement; // counters of `lines`: statements so far
};

// The number that an appended local has in the woven method.
static inline uint32_t weaver_local(const struct weaver *weaver, uint32_t local)
{
    CLEW_ASSERT(local != WEAVE_NONE);
    return weaver->what->calls.local + local;
}

static inline const struct site *weaver_site(const struct weaver *weaver, const struct weave_event *event)
{
    CLEW_ASSERT(event->site < weaver->plan->count);
    return &weaver->plan->sites[event->site];
}

static inline uint32_t weaver_site_number(const struct weaver *weaver, const struct weave_event *event)
{
    return weaver->what->first_site + event->site;
}

// Emits a load of the thread's context.
static inline void weaver_load_context(struct weaver *weaver)
{
    CLEW_ASSERT(weaver->streams);
    emit_ldloc(&weaver->emitter, weaver_local(weaver, weaver->details->fixed.context));
}

// -- calls.c

void weave_entry(struct weaver *weaver);
void weave_exit(struct weaver *weaver, bool calls_itself);
void weave_restate(struct weaver *weaver);
// Calls `wait` if the bool on top of the stack says so.
void weave_wait(struct weaver *weaver);

// -- weave_spill.c

// In front of the instruction: spills the operands that an event needs, and reloads them.
void spill_operands(struct weaver *weaver, const struct insertion *insertion);
// Behind the instruction: copies its result to the value local.
void spill_result(struct weaver *weaver, const struct weave_event *event);
// Behind the event of a result that is not back on the stack yet: reloads it. spill_result_stored() runs behind the next
// instruction, and clears the local if that instruction was the one that stores the result.
void spill_reload_result(struct weaver *weaver, const struct weave_event *event);
void spill_result_stored(struct weaver *weaver);
// Behind the exit probe: reloads the method's result.
void spill_reload_method_result(struct weaver *weaver);
// An insertion without an event.
void spill_only(struct weaver *weaver, const struct insertion *insertion);

// -- weave_events.c

void events_enter(struct weaver *weaver); // at entry, once
void events_write(struct weaver *weaver, const struct weave_event *event);

// -- weave_inline.c

// Adds an event to the group. It is emitted by the next inline_flush(), which has to come before any instruction of the
// program and before any label.
void inline_write(struct weaver *weaver, const struct weave_event *event);
void inline_flush(struct weaver *weaver);
// Flushes if an event of the group still needs its locals, which the caller is about to change.
void inline_flush_locals(struct weaver *weaver);
void inline_check_room(struct weaver *weaver);

// -- weave_native.c

void native_write(struct weaver *weaver, const struct weave_event *event);

// -- weave_values.c

void value_load(struct weaver *weaver, const struct weave_event *event);
// FROM_DEFAULT: zeroes the value local, which load then reads.
void value_make_default(struct weaver *weaver, const struct weave_event *event);
void value_clear_local(struct weaver *weaver, struct weave_local local, uint32_t type_token);
// Behind an event: clears those of its locals that would keep objects alive.
void value_clear_locals(struct weaver *weaver, const struct weave_event *event);

// -- weave_lines.c

void lines_enter(struct weaver *weaver);
void lines_statement(struct weaver *weaver);
void lines_leave(struct weaver *weaver);

#endif
