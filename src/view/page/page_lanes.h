// The lanes of the document `timeline`: for each thread its calls as spans, and how busy it was in each column of the
// picture. Short calls are merged, so that the size depends on the picture and not on the recording.
#ifndef CLEW_VIEW_PAGE_LANES_H
#define CLEW_VIEW_PAGE_LANES_H

#include "view/page/page_methods.h"

enum { PAGE_WIDTH_MAX = 8192, PAGE_DEPTH_MAX = 256, PAGE_LANES_MAX = 1024 };

// A call, or several short ones of one depth.
struct page_span {
    uint64_t begin, end; // clocks
    uint64_t call;       // number of the activation; 0: unknown, or several
    uint64_t calls;
    uint64_t weight; // of the method, while calls are merged
    uint32_t method; // of the process
    uint32_t depth;
};

// A column: how long the thread was in recorded calls, and the method with the most time, by a majority vote.
struct page_column {
    double busy; // ticks
    double weight;
    uint32_t method; // of the process; 0: none
};

struct page_lane {
    uint32_t process, thread;
    struct page_span *spans;
    size_t count, room;
    struct page_span *pending; // by depth: a short span that may be joined; calls 0: none
    struct page_column *columns;
    uint64_t counted; // clock until which columns are counted
};

// Zero-initialise with `from`, `to`, `width` and `depth`. page_lanes_free() releases it.
struct page_lanes {
    uint64_t from, to; // clocks, from < to
    uint32_t width, depth;
    struct page_lane *list;
    uint32_t count;
    size_t room;
    struct map lane_of; // process << 32 | thread: its lane
    uint32_t left_out;  // threads beyond PAGE_LANES_MAX
};

// The lane of a thread; NULL: left out, or memory ran out.
struct page_lane *page_lanes_of(struct page_lanes *lanes, uint32_t process, uint32_t thread);
// Adds a call. False: memory ran out.
bool page_lanes_call(const struct page_lanes *lanes, struct page_lane *lane, const struct page_span *span);
// Adds time to the columns between two clocks: `busy` ticks of it within recorded calls, of which `weight` in the method.
void page_lanes_time(const struct page_lanes *lanes, struct page_lane *lane, uint64_t from, uint64_t to, double busy,
                     uint32_t method, double weight);
// Adds the spans that were still pending. False: memory ran out.
bool page_lanes_finish(struct page_lanes *lanes);
// Writes the member `lanes`; its methods are added to `methods`.
void page_lanes_write(const struct page_lanes *lanes, struct page_methods *methods, struct json *json);
void page_lanes_free(struct page_lanes *lanes);

#endif
