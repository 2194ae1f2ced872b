// The threads that have events in order: those with a story, and with a part in ranges of time.
#ifndef CLEW_VIEW_PAGE_STREAMS_H
#define CLEW_VIEW_PAGE_STREAMS_H

#include "base/map.h"
#include "view/page/page.h"

struct page_stream {
    uint32_t process, thread;
};

// Zero-initialise. page_streams_free() releases it, also after an error.
struct page_streams {
    struct page_stream *list; // in order of their first events in the file
    size_t count, room;
    struct map known;
};

// NO_MEMORY, or an error of reading.
enum clew_error page_streams_find(struct page_streams *streams, const struct page *page);
bool page_streams_has(const struct page_streams *streams, uint32_t process, uint32_t thread);
void page_streams_free(struct page_streams *streams);

#endif
