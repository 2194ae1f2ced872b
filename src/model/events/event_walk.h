// Walks one thread's stream event by event, from any of its events on, and reports what each means. An event is named by
// its ordinal, from 0.
#ifndef CLEW_MODEL_EVENT_WALK_H
#define CLEW_MODEL_EVENT_WALK_H

#include "model/events/timeline.h"

struct event_walk;

// Receives a step and the ordinal of its event. Kinds: BEGIN, END, LOST and SITE. The step's thread has the stack.
typedef enum clew_error event_walk_visit(void *context, const struct timeline_step *step, uint64_t ordinal);

// NOTHING_RECORDED: there is no such thread. The caller calls event_walk_close().
enum clew_error event_walk_open(struct recording *recording, uint32_t process, uint32_t thread,
                                struct event_walk **out);
void event_walk_close(struct event_walk *walk);
// How many events the thread has.
uint64_t event_walk_count(const struct event_walk *walk);
// The ordinal of the first event at `clock` or later; the count if there is none. The walk is nowhere afterwards, until the
// next event_walk_seek().
enum clew_error event_walk_find(struct event_walk *walk, uint64_t clock, uint64_t *out);
// The ordinal of the first event of the block that has the event before `ordinal`, which is not 0.
uint64_t event_walk_block(const struct event_walk *walk, uint64_t ordinal);
// Places the walk before an event. Steps on the way are not reported.
enum clew_error event_walk_seek(struct event_walk *walk, uint64_t ordinal);
// Reports the steps of the next event. NOT_FOUND: there is none. Damaged blocks are left out.
enum clew_error event_walk_next(struct event_walk *walk, event_walk_visit *visit, void *context);
// The ordinal of the next event.
uint64_t event_walk_ordinal(const struct event_walk *walk);

// Finds the event that begins activation `number` of a process, by bisection. NOT_FOUND: none does, or the recording has
// no numbers.
enum clew_error event_walk_find_call(struct recording *recording, uint32_t process, uint64_t number, uint32_t *thread,
                                     uint64_t *ordinal);

#endif
