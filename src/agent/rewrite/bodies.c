// A changed body on its way to the runtime, with the map that keeps its lines.
#include "agent/rewrite/bodies.h"

#include <string.h>

#include "agent/session/agent.h"
#include "il/map.h"

// The runtime's work at a method's compilation grows with the entries times the method's length (il/map.h). The most
// that a method gets: 4 us for each place where the JIT begins a stretch of code, however long the method is.
enum { MAP_LIMIT = 8192 };

// False: stack traces may show lines before those that ran.
static bool set_map(clr_id function, const struct il_body *body)
{
    uint32_t room = body->instruction_count < MAP_LIMIT ? body->instruction_count + 1 : MAP_LIMIT;
    struct il_map_entry *entries = arena_alloc(body->arena, room * sizeof *entries);
    struct clr_il_map *map = arena_alloc(body->arena, room * sizeof *map);
    bool lines;
    if (!entries || !map) {
        return false;
    }
    uint32_t count = il_map(body, room, entries, &lines);
    for (uint32_t i = 0; i < count; i++) {
        map[i] = (struct clr_il_map){entries[i].old_offset, entries[i].new_offset, .accurate = 1};
    }
    (void)info_set_il_map(agent.info, function, count, map); // refused without debugging; else copied
    return lines;
}

enum clew_error body_hand_over(const struct body_owner *owner, const struct il_body *body, const struct buffer *encoded,
                               bool *lines)
{
    void *memory = info_alloc_il(agent.info, owner->module, (uint32_t)encoded->size);
    if (!memory || (uintptr_t)memory % 4 != 0) {
        return CLEW_REFUSED;
    }
    memcpy(memory, encoded->data, encoded->size);
    if (clr_failed(info_set_il(agent.info, owner->module, owner->token, memory))) {
        return CLEW_REFUSED;
    }
    bool told = set_map(owner->function, body);
    if (lines) {
        *lines = told;
    }
    return CLEW_OK;
}
