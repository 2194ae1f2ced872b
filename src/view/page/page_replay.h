// Rows of documents that show events: what `clew replay --json` prints, with the event's place in its thread and in the
// source.
#ifndef CLEW_VIEW_PAGE_REPLAY_H
#define CLEW_VIEW_PAGE_REPLAY_H

#include "view/page/page_recording.h"
#include "view/replay/replay_context.h"

// Zero-initialise, then page_replay_begin(). page_replay_free() releases it.
struct page_replay {
    struct page *page;
    struct view view;
    struct replay_context context;
    bool methods; // rows of values name their method
};

enum clew_error page_replay_begin(struct page_replay *replay, struct page *page);
void page_replay_free(struct page_replay *replay);
// Writes an object for a step; nothing if its site is not defined. replay->context.text.failed: memory ran out.
void page_replay_row(struct page_replay *replay, struct json *json, const struct event_step *step);
// Writes a position as "P:T:ORDINAL".
void page_replay_at(struct json *json, const char *key, uint32_t process, uint32_t thread, uint64_t ordinal);

#endif
