// A changed body on its way to the runtime, with the map that keeps its lines.
#include "agent/agent.h"

#include <stdlib.h>
#include <string.h>

// Every original instruction's old place and its new one, where what was added before it belongs to it.
static void tell_map(clr_id function, const struct il_body *body)
{
    struct clr_il_map *map = malloc(((size_t)body->instruction_count + 1) * sizeof *map);
    uint32_t count = 0;
    uint32_t start = UINT32_MAX;
    if (!map) {
        return;
    }
    for (const struct il_instruction *at = body->first; at != body->end; at = at->next) {
        start = start == UINT32_MAX ? at->position : start;
        if (at->offset != IL_NO_OFFSET) {
            map[count++] = (struct clr_il_map){.old_offset = at->offset, .new_offset = start, .accurate = 1};
            start = UINT32_MAX;
        }
    }
    (void)info_set_il_map(agent.info, function, count, map); // only debuggers and stack traces miss it
    free(map);                                               // the runtime has copied it
}

enum clew_error body_hand_over(const struct body_owner *owner, const struct il_body *body, const struct buffer *encoded)
{
    void *memory = info_alloc_il(agent.info, owner->module, (uint32_t)encoded->size);
    if (!memory || (uintptr_t)memory % 4 != 0) {
        return CLEW_REFUSED;
    }
    memcpy(memory, encoded->data, encoded->size);
    if (clr_failed(info_set_il(agent.info, owner->module, owner->token, memory))) {
        return CLEW_REFUSED;
    }
    tell_map(owner->function, body);
    return CLEW_OK;
}
