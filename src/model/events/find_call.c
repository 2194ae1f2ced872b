// Finds an activation by its number (cursor.h).
#include "model/events/cursor.h"
#include "model/events/event_blocks.h"

// The number of the first activation that begins in a block, or would; 0: none has a number there.
static uint64_t first_number(struct event_blocks *list, size_t at)
{
    struct recording_events events;
    return event_blocks_read_at(list, &list->order[at], &events) == CLEW_OK ? events.first_number : 0;
}

// Where the activation begins in a block. False: not there.
static bool find_in_block(struct event_blocks *list, size_t at, uint64_t number, uint32_t *event)
{
    struct recording_events events;
    if (event_blocks_read_at(list, &list->order[at], &events) != CLEW_OK || !events.first_number) {
        return false;
    }
    uint64_t next = events.first_number;
    for (uint32_t i = 0; i < events.count && next <= number; i++) {
        if (events.events[i].kind == RECORDING_ENTER && next++ == number) {
            *event = i;
            return true;
        }
    }
    return false;
}

// Finds the last block that begins at the activation or before it: its place + 1 in the order of the file; 0: none. Blocks of a
// process are numbered in that order (doc/recording.md, "EVENTS").
static size_t bisect(struct event_blocks *list, uint64_t number)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint64_t first = first_number(list, middle);
        if (first == 0) {
            return 0;
        }
        if (first <= number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool is_of_process(void *context, const struct recording_block *block)
{
    return block->process == *(const uint32_t *)context;
}

enum clew_error cursor_find_call(struct recording *recording, uint32_t process, uint64_t number,
                                 struct cursor_position *out)
{
    struct event_blocks list = {0};
    uint32_t event;
    enum clew_error error = event_blocks_list(&list, recording, is_of_process, &process);
    size_t after = error == CLEW_OK ? bisect(&list, number) : 0;
    if (after && find_in_block(&list, after - 1, number, &event)) {
        const struct event_block_place *place = &list.order[after - 1];
        *out = (struct cursor_position){process, list.threads[place->thread].thread,
                                        event_blocks_get(&list, place)->ordinal + event};
    } else {
        error = error == CLEW_OK ? CLEW_NOT_FOUND : error;
    }
    event_blocks_free(&list);
    return error;
}
