// See tree_thrown.h. Lists are short: a path throws few types.
#include "model/tree_thrown.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "trace/kinds.h"

// Steps from throws up to their catches: a second's work. A recording that would take more has no types.
#define STEPS_MAX (UINT64_C(1) << 28)

enum { LOOKED_AT_MAX = 1024 }; // of a list for a type; a longer one may have it twice

void tree_thrown_free(struct tree_thrown *thrown)
{
    free(thrown->first);
    free(thrown->by);
    *thrown = (struct tree_thrown){0};
}

// -- Lists ------------------------------------------------------------------------------------------------------------

static enum clew_error reach(struct tree_thrown *thrown, uint32_t node)
{
    while (thrown->node_count <= node) {
        if (!array_grow(&thrown->first, thrown->node_count, &thrown->node_room, sizeof *thrown->first)) {
            return CLEW_NO_MEMORY;
        }
        thrown->first[thrown->node_count++] = 0;
    }
    if (thrown->by_count == 0) {
        if (!array_grow(&thrown->by, 0, &thrown->by_room, sizeof *thrown->by)) {
            return CLEW_NO_MEMORY;
        }
        thrown->by[thrown->by_count++] = (struct tree_thrown_by){0};
    }
    return CLEW_OK;
}

enum clew_error tree_thrown_add(struct tree_thrown *thrown, uint32_t node, uint32_t type, uint64_t count)
{
    CLEW_TRY(reach(thrown, node));
    uint32_t at = thrown->first[node];
    for (unsigned left = LOOKED_AT_MAX; left > 0 && at && thrown->by[at].type != type; left--) {
        CLEW_ASSERT(thrown->by[at].next < at && "a list goes back in time, so it ends");
        at = thrown->by[at].next;
    }
    if (at && thrown->by[at].type == type) {
        thrown->by[at].count += count;
        return CLEW_OK;
    }
    if (!array_grow(&thrown->by, thrown->by_count, &thrown->by_room, sizeof *thrown->by)) {
        return CLEW_NO_MEMORY;
    }
    thrown->by[thrown->by_count] = (struct tree_thrown_by){type, thrown->first[node], count};
    thrown->first[node] = thrown->by_count++;
    return CLEW_OK;
}

// 0: not known.
static uint32_t type_of(struct exception_types types, uint64_t exception)
{
    uint64_t type = 0;
    (void)map_get(types.types, (uint64_t)types.process << 32 | exception, &type); // stays 0 for an unknown one
    return (uint32_t)type;
}

enum clew_error tree_thrown_end(struct tree_thrown *thrown, uint32_t node, struct exception_types types,
                                uint64_t exception)
{
    uint32_t type = exception && exception <= UINT32_MAX ? type_of(types, exception) : 0;
    return type ? tree_thrown_add(thrown, node, type, 1) : CLEW_OK;
}

const struct tree_thrown_by *tree_thrown_first(const struct tree_thrown *thrown, uint32_t node)
{
    uint32_t first = node < thrown->node_count ? thrown->first[node] : 0;
    return first ? &thrown->by[first] : NULL;
}

const struct tree_thrown_by *tree_thrown_next(const struct tree_thrown *thrown, const struct tree_thrown_by *by)
{
    return by->next ? &thrown->by[by->next] : NULL;
}

enum clew_error tree_thrown_copy(struct tree_thrown *into, uint32_t node, const struct tree_thrown *from,
                                 uint32_t source)
{
    CLEW_ASSERT(into != from && "the list may move while it grows");
    for (const struct tree_thrown_by *by = tree_thrown_first(from, source); by; by = tree_thrown_next(from, by)) {
        CLEW_TRY(tree_thrown_add(into, node, by->type, by->count));
    }
    return CLEW_OK;
}

static uint64_t sum_of(const struct tree_thrown *thrown, uint32_t node)
{
    uint64_t sum = 0;
    for (const struct tree_thrown_by *by = tree_thrown_first(thrown, node); by; by = tree_thrown_next(thrown, by)) {
        sum += by->count;
    }
    return sum;
}

// -- From throws to catches -------------------------------------------------------------------------------------------

enum clew_error thrown_merge_node(struct thrown_merge *merge, const struct thrown_node *node)
{
    CLEW_ASSERT(merge->count == 0 || node->parent < merge->count);
    if (!array_grow(&merge->nodes, merge->count, &merge->room, sizeof *merge->nodes)) {
        return CLEW_NO_MEMORY;
    }
    merge->nodes[merge->count++] = *node;
    return CLEW_OK;
}

// Whether `above` is the node, or on its path.
static bool is_above(struct thrown_merge *merge, uint32_t above, uint32_t node)
{
    for (; node > above && merge->steps < STEPS_MAX; node = merge->nodes[node].parent) {
        merge->steps++;
    }
    return node == above;
}

// Adds an exception to all that it has ended.
static enum clew_error add_caught(struct thrown_merge *merge, const struct recording_throw *throw)
{
    uint32_t type = type_of(merge->types, throw->exception);
    bool known = throw->node && throw->node <= merge->count && throw->caught_node && throw->caught_node <= merge->count;
    if (!known || !type || !is_above(merge, throw->caught_node - 1, throw->node - 1)) {
        return CLEW_OK;
    }
    CLEW_TRY(tree_thrown_add(&merge->caught, throw->caught_node - 1, type, throw->count));
    for (uint32_t at = throw->node - 1; at != throw->caught_node - 1; at = merge->nodes[at].parent) {
        CLEW_TRY(tree_thrown_add(&merge->left, at, type, throw->count));
    }
    return CLEW_OK;
}

// What has ended activations of a node. NULL: it is not known, or more exceptions have left it than it counts.
static const struct tree_thrown *ended_by(const struct thrown_merge *merge, uint32_t node, bool whole)
{
    const struct thrown_node *of = &merge->nodes[node];
    uint64_t left = sum_of(&merge->left, node), caught = sum_of(&merge->caught, node);
    if (!of->catches) {
        return left <= of->ended ? &merge->left : NULL;
    }
    // Other handlers of the method may catch as well. If there are as many catches as activations have ended, they have not.
    return whole && caught == of->ended ? &merge->caught : NULL;
}

enum clew_error thrown_merge_end(struct thrown_merge *merge, const struct recording_throws *throws, bool whole,
                                 struct tree_thrown *into)
{
    for (uint32_t i = 0; i < throws->count; i++) {
        if (throws->throws[i].flags & THROW_CAUGHT) {
            CLEW_TRY(add_caught(merge, &throws->throws[i]));
        }
    }
    for (uint32_t i = 1; i < merge->count && merge->steps < STEPS_MAX; i++) {
        const struct tree_thrown *by = merge->nodes[i].row ? ended_by(merge, i, whole) : NULL;
        CLEW_TRY(by ? tree_thrown_copy(into, merge->nodes[i].row, by, i) : CLEW_OK);
    }
    return CLEW_OK;
}

void thrown_merge_free(struct thrown_merge *merge)
{
    free(merge->nodes);
    tree_thrown_free(&merge->left);
    tree_thrown_free(&merge->caught);
    *merge = (struct thrown_merge){0};
}
