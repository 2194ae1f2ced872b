// Sets method bodies in the runtime, with the map from old to new IL offsets that keeps the lines of stack traces right.
#include "agent/rewrite/bodies.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "agent/session/agent.h"
#include "base/assert.h"
#include "il/il_map.h"

// The runtime walks the map from its start for each native boundary that the JIT reports, so its work at compilation grows
// with the number of entries times the length of the method (il/il_map.h). This limit bounds it to 4 us for each boundary.
enum { MAP_LIMIT = 8192 };

// False: the map is incomplete, and stack traces may show earlier lines than those that ran.
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
    (void)info_set_il_map(agent.info, function, count, map); // copied; refused by a runtime without debugging support
    return lines;
}

static_assert(offsetof(struct module_body, il) % 4 == 0, "the runtime demands bodies at multiples of 4");

static void add_body(struct module *module, struct module_body *copy)
{
    copy->next = atomic_load_explicit(&module->bodies, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&module->bodies, &copy->next, copy, memory_order_release,
                                                  memory_order_relaxed)) {
    }
}

// The runtime stores the address of the body and never frees it. Memory from the runtime's own allocator for bodies would
// leak when a module is unloaded, so bodies come from malloc() and are freed with their module.
enum clew_error body_hand_over(const struct body_owner *owner, const struct il_body *body, const struct buffer *encoded,
                               bool *lines)
{
    struct module_body *copy = malloc(sizeof *copy + encoded->size);
    if (!copy) {
        return CLEW_NO_MEMORY;
    }
    memcpy(copy->il, encoded->data, encoded->size);
    if (clr_failed(info_set_il(agent.info, owner->module->id, owner->token, copy->il))) {
        free(copy);
        return CLEW_REFUSED;
    }
    add_body(owner->module, copy);
    bool exact = set_map(owner->function, body);
    if (lines) {
        *lines = exact;
    }
    return CLEW_OK;
}

void bodies_free(struct module *module)
{
    struct module_body *body = atomic_load_explicit(&module->bodies, memory_order_acquire);
    while (body) {
        struct module_body *next = body->next;
        free(body);
        body = next;
    }
}
