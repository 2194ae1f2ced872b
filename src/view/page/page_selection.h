// The part of a recording that a document describes: a range of time, and threads.
#ifndef CLEW_VIEW_PAGE_SELECTION_H
#define CLEW_VIEW_PAGE_SELECTION_H

#include "model/events/cursor.h"
#include "view/page/page_recording.h"

enum { PAGE_THREADS_MAX = 1024 };

struct page_selection {
    bool ranged;             // from or to was given
    uint64_t from_ns, to_ns; // since the session's start: from <= moment < to
    uint64_t from, to;       // the same as clocks
    struct model_thread threads[PAGE_THREADS_MAX];
    uint32_t thread_count; // 0: all
};

// Takes the parameters `from`, `to` and `thread`. False: they were refused.
bool page_selection_take(struct page_selection *selection, const struct page *page, const struct page_query *query,
                         struct page_answer *answer);
static inline struct model_threads page_selection_threads(const struct page_selection *selection)
{
    return (struct model_threads){.items = selection->threads, .count = selection->thread_count};
}
bool page_selects(const struct page_selection *selection, uint32_t process, uint32_t thread);
// Takes a number pair such as "1:2" off the front of a text.
bool page_take_pair(struct text *text, uint32_t *first, uint32_t *second);
// Reads a whole text such as "1:2:3" as an event: process, thread, ordinal. False: it is none, and *out is undefined.
bool page_take_event(struct text text, struct cursor_position *out);
// Takes the parameter `view`, `logical` or `physical`; *physical: the latter was given. False: it was refused.
bool page_selection_view(const struct page_query *query, struct page_answer *answer, bool *physical);
// Writes `from_ns` and `to_ns`.
void page_selection_write(const struct page_selection *selection, const struct page *page, struct json *json);

#endif
