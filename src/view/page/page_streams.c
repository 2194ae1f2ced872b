// See page_streams.h.
#include "view/page/page_streams.h"

#include <stdlib.h>

#include "base/array.h"
#include "view/page/page_recording.h"

static uint64_t key_of(uint32_t process, uint32_t thread)
{
    return (uint64_t)process << 32 | thread;
}

enum clew_error page_streams_find(struct page_streams *streams, const struct page *page)
{
    const struct recording_block *blocks;
    size_t count;
    CLEW_TRY(recording_index(page->recording, &blocks, &count));
    for (size_t i = 0; i < count; i++) {
        const struct recording_block *block = &blocks[i];
        if (block->type != RECORDING_EVENTS || page_streams_has(streams, block->process, block->thread)) {
            continue;
        }
        if (!map_put(&streams->known, key_of(block->process, block->thread), 1) ||
            !array_grow(&streams->list, streams->count, &streams->room, sizeof *streams->list)) {
            return CLEW_NO_MEMORY;
        }
        streams->list[streams->count++] = (struct page_stream){block->process, block->thread};
    }
    return CLEW_OK;
}

bool page_streams_has(const struct page_streams *streams, uint32_t process, uint32_t thread)
{
    uint64_t known;
    return map_get(&streams->known, key_of(process, thread), &known);
}

void page_streams_free(struct page_streams *streams)
{
    map_free(&streams->known);
    free(streams->list);
}
