// Encodes the changes of a call tree as columns, like the nodes of a whole tree (nodes.c), and applies them. Numbers of
// nodes do not change from one block to the next: new nodes come behind the others.
#include "recording/tree_changes.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "recording/codec.h"
#include "recording/figure_columns.h"

enum { CHANGE_COLUMNS = 1 FIGURES_IN_TREES(FIGURE_ONE) }; // one for the number; new nodes have two more

// -- Differences ------------------------------------------------------------------------------------------------------

// All differences wrap around, and so do sums with them.
#define DIFFERENCE_SUM(before, after) (after) - (before)
#define DIFFERENCE_MIN DIFFERENCE_SUM
#define DIFFERENCE_MAX DIFFERENCE_SUM
#define DIFFERENCE_LAST(before, after) (after)
#define ADD_DIFFERENCE_SUM(value, by) (value) += (by)
#define ADD_DIFFERENCE_MIN ADD_DIFFERENCE_SUM
#define ADD_DIFFERENCE_MAX ADD_DIFFERENCE_SUM
#define ADD_DIFFERENCE_LAST(value, by) (value) = (by)

struct recording_node recording_node_before(void)
{
    return (struct recording_node){FIGURES(FIGURE_FIRST)};
}

struct recording_node recording_node_difference(const struct recording_node *before, const struct recording_node *after)
{
#define DIFFERENCE(name, type, adds, kind, key) .name = DIFFERENCE_##adds(before->name, after->name),
    return (struct recording_node){.parent = after->parent, .method = after->method, FIGURES(DIFFERENCE)};
#undef DIFFERENCE
}

// The reverse.
static void add_difference(struct recording_node *node, const struct recording_node *by)
{
#define ADD(name, type, adds, kind, key) ADD_DIFFERENCE_##adds(node->name, by->name);
    FIGURES(ADD)
#undef ADD
}

// -- Payload ----------------------------------------------------------------------------------------------------------

#define EACH(i) for (uint32_t i = 0; i < changes->count; i++)
#define COLUMN(name, whole, change)                   \
    EACH(i)                                           \
    {                                                 \
        uint64_t value = changes->changes[i].by.name; \
        buffer_varint(into, FIGURE_STORED_##change);  \
    }                                                 \
    splits->at[splits->count++] = into->size;

void codec_encode_changes(struct buffer *into, const struct recording_tree_changes *changes,
                          struct codec_splits *splits)
{
    uint32_t expected = 0;
    buffer_varint(into, changes->before);
    buffer_varint(into, changes->after);
    EACH(i)
    {
        CLEW_ASSERT(changes->changes[i].node >= expected && "numbers ascend");
        buffer_varint(into, changes->changes[i].node - expected);
        expected = changes->changes[i].node + 1;
    }
    splits->at[splits->count++] = into->size;
    EACH(i)
    {
        const struct recording_node_change *change = &changes->changes[i];
        if (change->node >= changes->before) {
            buffer_varint(into, change->node - change->by.parent);
            buffer_varint(into, change->by.method);
        }
    }
    splits->at[splits->count++] = into->size;
    FIGURES_IN_TREES(COLUMN)
}
#undef COLUMN
#undef EACH

// The numbers of the nodes ascend, and each new one is among them.
static bool decode_numbers(struct bytes *payload, struct recording_tree_changes *out,
                           struct recording_node_change *changes)
{
    uint32_t expected = 0, new_nodes = 0;
    for (uint32_t i = 0; i < out->count; i++) {
        uint32_t more;
        if (!take_varint32(payload, &more) || expected > out->after || more >= out->after - expected) {
            return false;
        }
        changes[i] = (struct recording_node_change){.node = expected + more};
        new_nodes += changes[i].node >= out->before;
        expected = changes[i].node + 1;
    }
    return new_nodes == out->after - out->before;
}

// A parent comes before its children, as in a whole tree. Node 0 is never new.
static bool decode_new(struct bytes *payload, const struct recording_tree_changes *out,
                       struct recording_node_change *changes)
{
    for (uint32_t i = 0; i < out->count; i++) {
        struct recording_node_change *change = &changes[i];
        uint32_t up;
        if (change->node < out->before) {
            continue;
        }
        if (!take_varint32(payload, &up) || up == 0 || up > change->node ||
            !take_varint32(payload, &change->by.method)) {
            return false;
        }
        change->by.parent = change->node - up;
    }
    return true;
}

static bool decode_columns(struct bytes *payload, struct recording_node_change *changes, uint32_t count)
{
#define COLUMN(name, whole, change)                   \
    for (uint32_t i = 0; i < count; i++) {            \
        struct recording_node *node = &changes[i].by; \
        if (!take_figure(payload, &node->name)) {     \
            return false;                             \
        }                                             \
        __typeof__(node->name) value = node->name;    \
        node->name = FIGURE_LOADED_##change;          \
    }
    FIGURES_IN_TREES(COLUMN)
#undef COLUMN
    return bytes_left(payload) == 0;
}

enum clew_error codec_decode_changes(const struct block_header *header, struct bytes payload,
                                     struct codec_arrays *arrays, struct recording_tree_changes *out)
{
    *out = (struct recording_tree_changes){
        .process = header->process,
        .thread = header->thread,
        .sequence = header->sequence,
        .clock = header->last_clock,
        .count = header->count,
    };
    if (!take_varint32(&payload, &out->before) || !take_varint32(&payload, &out->after) || out->before == 0 ||
        out->before > out->after || out->after > RECORDING_NODES_MAX || out->count > RECORDING_CHANGES_MAX ||
        out->count > bytes_left(&payload) / CHANGE_COLUMNS) {
        return CLEW_DAMAGED;
    }
    if (!CODEC_GROW(arrays->changes, arrays->changes_room, out->count)) {
        return CLEW_NO_MEMORY;
    }
    out->changes = arrays->changes;
    return decode_numbers(&payload, out, arrays->changes) && decode_new(&payload, out, arrays->changes) &&
                   decode_columns(&payload, arrays->changes, out->count)
               ? CLEW_OK
               : CLEW_DAMAGED;
}

// -- Joining ----------------------------------------------------------------------------------------------------------

enum clew_error recording_tree_keep_part(struct recording_kept_tree *kept, const struct recording_node *nodes,
                                         uint32_t count)
{
    if (!CODEC_GROW(kept->nodes, kept->room, (size_t)kept->tree.count + count)) {
        return CLEW_NO_MEMORY;
    }
    if (count > 0) {
        memcpy(kept->nodes + kept->tree.count, nodes, count * sizeof *kept->nodes);
    }
    kept->tree.count += count;
    kept->tree.nodes = kept->nodes;
    return CLEW_OK;
}

enum clew_error recording_tree_keep(struct recording_kept_tree *kept, const struct recording_tree *tree)
{
    if (tree->nodes) {
        kept->tree.count = 0;
        CLEW_TRY(recording_tree_keep_part(kept, tree->nodes, tree->count));
    }
    CLEW_ASSERT(kept->tree.count == tree->count && "all parts have come");
    kept->tree = *tree;
    kept->tree.nodes = kept->nodes;
    return CLEW_OK;
}

enum clew_error recording_tree_change(struct recording_kept_tree *kept, const struct recording_tree_changes *changes)
{
    struct recording_tree *tree = &kept->tree;
    if (changes->process != tree->process || changes->thread != tree->thread ||
        changes->sequence != tree->sequence + 1 || changes->before != tree->count || tree->of_stream) {
        return CLEW_DAMAGED;
    }
    if (!CODEC_GROW(kept->nodes, kept->room, changes->after)) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t i = 0; i < changes->count; i++) {
        const struct recording_node_change *change = &changes->changes[i];
        CLEW_ASSERT(change->node < changes->after && "the decoder has checked this");
        if (change->node >= changes->before) {
            kept->nodes[change->node] = recording_node_before();
            kept->nodes[change->node].parent = change->by.parent;
            kept->nodes[change->node].method = change->by.method;
        }
        add_difference(&kept->nodes[change->node], &change->by);
    }
    tree->nodes = kept->nodes;
    tree->count = changes->after;
    tree->sequence = changes->sequence;
    tree->clock = changes->clock;
    return CLEW_OK;
}

void recording_tree_free(struct recording_kept_tree *kept)
{
    free(kept->nodes);
    *kept = (struct recording_kept_tree){0};
}
