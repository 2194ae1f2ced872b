// Walks one thread's stream event by event, from any of its events on, and reports what each means. An event is named by
// its ordinal, as in model/cursor.h.
#ifndef CLEW_VIEW_PAGE_EVENTS_H
#define CLEW_VIEW_PAGE_EVENTS_H

#include "model/timeline.h"

struct page_events;

// Receives a step and the ordinal of its event. Kinds: BEGIN, END, LOST and SITE. The step's thread has the stack.
typedef enum clew_error page_visit(void *context, const struct timeline_step *step, uint64_t ordinal);

// NOTHING_RECORDED: there is no such thread. The caller calls page_events_close().
enum clew_error page_events_open(struct recording *recording, uint32_t process, uint32_t thread,
                                 struct page_events **out);
void page_events_close(struct page_events *events);
// How many events the thread has.
uint64_t page_events_count(const struct page_events *events);
// The ordinal of the first event at `clock` or later; the count if there is none. The walk is nowhere afterwards, until the
// next page_events_seek().
enum clew_error page_events_find(struct page_events *events, uint64_t clock, uint64_t *out);
// The ordinal of the first event of the block that has the event before `ordinal`, which is not 0.
uint64_t page_events_block(const struct page_events *events, uint64_t ordinal);
// Places the walk before an event. Steps on the way are not reported.
enum clew_error page_events_seek(struct page_events *events, uint64_t ordinal);
// Reports the steps of the next event. NOT_FOUND: there is none. Damaged blocks are left out.
enum clew_error page_events_next(struct page_events *events, page_visit *visit, void *context);
// The ordinal of the next event.
uint64_t page_events_ordinal(const struct page_events *events);

// Finds the event that begins activation `number` of a process, by bisection. NOT_FOUND: none does, or the recording has
// no numbers.
enum clew_error page_events_find_call(struct recording *recording, uint32_t process, uint64_t number, uint32_t *thread,
                                      uint64_t *ordinal);

#endif
