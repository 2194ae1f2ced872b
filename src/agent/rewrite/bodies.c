// Sets method bodies in the runtime, with the map from old to new IL offsets that keeps the lines of stack traces right.
#include "agent/rewrite/bodies.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "agent/session/agent.h"
#include "base/assert.h"
#include "il/il_map.h"
#include "il/verify.h"

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

typedef _Atomic(struct module_body *) body_list;

// The lists of all methods of a module; NULL when memory runs out.
static body_list *lists_of(struct module *module)
{
    body_list *lists = atomic_load_explicit(&module->bodies, memory_order_acquire);
    if (lists) {
        return lists;
    }
    body_list *fresh = calloc(metadata_rows(&module->metadata, TABLE_METHOD_DEF), sizeof *fresh);
    if (!fresh || atomic_compare_exchange_strong_explicit(&module->bodies, &lists, fresh, memory_order_acq_rel,
                                                          memory_order_acquire)) {
        return fresh;
    }
    free(fresh); // another thread was faster
    return lists;
}

static void add_body(body_list *list, struct module_body *copy)
{
    copy->next = atomic_load_explicit(list, memory_order_relaxed);
    while (
        !atomic_compare_exchange_weak_explicit(list, &copy->next, copy, memory_order_release, memory_order_relaxed)) {
    }
}

struct module_body *body_find(const struct module *module, uint32_t token, const uint8_t *il)
{
    body_list *lists = atomic_load_explicit(&module->bodies, memory_order_acquire);
    uint32_t row = TOKEN_ROW(token);
    struct module_body *body = NULL;
    if (lists && row >= 1 && row <= metadata_rows(&module->metadata, TABLE_METHOD_DEF)) {
        body = atomic_load_explicit(&lists[row - 1], memory_order_acquire);
    }
    while (body && body->il != il) {
        body = body->next;
    }
    return body;
}

// The runtime stores the address of the body and never frees it. Memory from the runtime's own allocator for bodies would
// leak when a module is unloaded, so bodies come from malloc() and are freed with their module.
enum clew_error body_hand_over(const struct body_owner *owner, const struct il_body *body, const struct buffer *encoded,
                               bool *lines)
{
    CLEW_ASSERT(TOKEN_ROW(owner->token) - 1 < metadata_rows(&owner->module->metadata, TABLE_METHOD_DEF));
    body_list *lists = lists_of(owner->module);
    struct module_body *copy = lists ? malloc(sizeof *copy + encoded->size) : NULL;
    if (!copy) {
        return CLEW_NO_MEMORY;
    }
    copy->original = owner->original;
    atomic_init(&copy->as_read, NULL);
    memcpy(copy->il, encoded->data, encoded->size);
    add_body(&lists[TOKEN_ROW(owner->token) - 1], copy); // first: a thread that gets it from the runtime must find it
    if (clr_failed(info_set_il(agent.info, owner->module->id, owner->token, copy->il))) {
        return CLEW_REFUSED; // it stays in the list
    }
    bool exact = set_map(owner->function, body);
    if (lines) {
        *lines = exact;
    }
    return CLEW_OK;
}

bool body_is_valid(const struct body_owner *owner, const struct il_body *body)
{
    const struct metadata *metadata = &owner->module->metadata;
    struct il_tokens tokens = {metadata, NULL, NULL};
    struct il_method_shape shape;
    const char *reason;
    return il_shape(metadata, owner->token, &shape) == CLEW_OK &&
           il_local_count(&tokens, body->locals_token, &shape.local_count) == CLEW_OK &&
           il_verify(body, &shape, &tokens, &reason) == CLEW_OK;
}

void bodies_free(struct module *module)
{
    body_list *lists = atomic_load_explicit(&module->bodies, memory_order_acquire);
    for (uint32_t i = 0; lists && i < metadata_rows(&module->metadata, TABLE_METHOD_DEF); i++) {
        struct module_body *body = atomic_load_explicit(&lists[i], memory_order_acquire);
        while (body) {
            struct module_body *next = body->next;
            free(atomic_load_explicit(&body->as_read, memory_order_acquire));
            free(body);
            body = next;
        }
    }
    free(lists);
}
