// What the parts of planning share.
#include "weave/plan/planner.h"

#include <string.h>

#include "base/assert.h"
#include "weave/operations/original.h"

static bool is_sealed(const struct planner *planner, const struct il_instruction *at)
{
    return planner->awaits && planner->awaits[il_index(planner->body, at)] & AWAIT_SEALED;
}

bool planner_may_insert_before(const struct planner *planner, const struct il_instruction *at)
{
    return weave_may_insert_before(planner->body, at) && !is_sealed(planner, at);
}

bool planner_may_insert_behind(const struct planner *planner, const struct il_instruction *at)
{
    return weave_may_insert_behind(planner->body, at) && !is_sealed(planner, at + 1);
}

bool planner_is_mere_variable(const struct planner *planner, const struct il_instruction *producer)
{
    const struct il_scope *scope = &planner->scope;
    uint32_t number;
    enum il_opcode family = il_family(producer, &number);
    if (family == IL_LDARG) {
        return number < scope->argument_count && !planner->addressed[number];
    }
    return family == IL_LDLOC && number < scope->local_count && !planner->addressed[scope->argument_count + number];
}

// Of strings and arrays, `newobj` is a call that returns the object.
bool planner_is_kept_new(const struct planner *planner, const struct il_instruction *at)
{
    const struct il_slot *pushed = at->opcode == IL_NEWOBJ ? il_stack_before(&planner->stacks, at + 1) : NULL;
    struct bytes type = pushed ? pushed->type.signature : (struct bytes){0};
    uint8_t element;
    return pushed && !(bytes_u8(&type, &element) &&
                       (element == ELEMENT_STRING || element == ELEMENT_ARRAY || element == ELEMENT_SZARRAY));
}

void *planner_grow(struct planner *planner, void *items, uint32_t count, uint32_t *room, size_t size)
{
    CLEW_ASSERT(count <= *room);
    if (count < *room) {
        return items;
    }
    uint32_t wanted = *room ? *room * 2 : 32;
    void *grown = arena_alloc(planner->body->arena, wanted * size);
    if (!grown) {
        planner->failed = true;
        return NULL;
    }
    if (count) {
        memcpy(grown, items, count * size);
    }
    *room = wanted;
    return grown;
}
