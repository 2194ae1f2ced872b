// A changed body on its way to the runtime, with the map that keeps its lines.
#include "agent/rewrite/bodies.h"

#include <stdlib.h>
#include <string.h>

#include "agent/session/agent.h"
#include "il/il_map.h"

// The runtime's work at a method's compilation grows with the entries times the method's length (il/il_map.h). The most
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

static void keep_body(struct module *module, struct module_body *made)
{
    made->next = atomic_load_explicit(&module->bodies, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&module->bodies, &made->next, made, memory_order_release,
                                                  memory_order_relaxed)) {
    }
}

// The runtime keeps the address that it is given and frees nothing: what its own allocator of bodies makes stays for ever,
// also when the module goes away.
enum clew_error body_hand_over(const struct body_owner *owner, const struct il_body *body, const struct buffer *encoded,
                               bool *lines)
{
    struct module_body *made = malloc(sizeof *made + encoded->size);
    if (!made) {
        return CLEW_NO_MEMORY;
    }
    memcpy(made->il, encoded->data, encoded->size);
    if (clr_failed(info_set_il(agent.info, owner->module->id, owner->token, made->il))) {
        free(made);
        return CLEW_REFUSED;
    }
    keep_body(owner->module, made);
    bool told = set_map(owner->function, body);
    if (lines) {
        *lines = told;
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
