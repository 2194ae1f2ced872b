// Which steps of a story a search is for: those whose text contains something, or the calls of a method. What sites and
// methods say is compared once each; only values are written out and compared event by event.
#ifndef CLEW_VIEW_PAGE_MATCH_H
#define CLEW_VIEW_PAGE_MATCH_H

#include "view/page/page_replay.h"

// Zero-initialise, then page_match_begin(). page_match_free() releases it.
struct page_match {
    struct page_replay *replay;
    struct buffer find;    // in small letters; empty: any text
    struct text method;    // whole name; empty: any method. Borrowed
    struct map methods;    // number of a method: whether its name matches
    struct map sites;      // number of a site: whether what is the same for all of its events matches
    struct buffer scratch; // a text in small letters
    uint64_t work;         // bytes that were written and compared, and a few for each step
    bool failed;           // memory ran out
};

// `find`: what the text of a step contains, where small and capital letters of ASCII are the same: a method's name, the
// line of a statement, or `NAME = VALUE` as a story writes it. `method`: only entries of this method. At least one of the
// two is not empty. NO_MEMORY.
enum clew_error page_match_begin(struct page_match *match, struct page_replay *replay, struct text find,
                                 struct text method);
// Whether a step of this thread matches; of one thread for each match. match->failed: memory ran out.
bool page_match_step(struct page_match *match, const struct event_step *step);
void page_match_free(struct page_match *match);

#endif
