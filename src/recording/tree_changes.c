// Encodes the changes of a call tree as columns, like the nodes of a whole tree (nodes.c), and applies them. Numbers of
// nodes do not change from one block to the next: new nodes come behind the others.
#include "recording/tree_changes.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "recording/codec.h"
#include "recording/varint.h"

enum { CHANGE_COLUMNS = 9 }; // of each node; new ones have two more

// -- Differences ------------------------------------------------------------------------------------------------------

struct recording_node recording_node_before(void)
{
    return (struct recording_node){.shortest = UINT64_MAX};
}

struct recording_node recording_node_difference(const struct recording_node *before, const struct recording_node *after)
{
    return (struct recording_node){
        .parent = after->parent,
        .method = after->method,
        .open = after->open,
        .exceptions = after->exceptions - before->exceptions,
        .calls = after->calls - before->calls,
        .total = after->total - before->total,
        .shortest = after->shortest - before->shortest,
        .longest = after->longest - before->longest,
        .cpu_user_ns = after->cpu_user_ns - before->cpu_user_ns,
        .cpu_kernel_ns = after->cpu_kernel_ns - before->cpu_kernel_ns,
    };
}

// The reverse. All sums wrap around, as the differences do.
static void add_difference(struct recording_node *node, const struct recording_node *by)
{
    node->open = by->open;
    node->exceptions += by->exceptions;
    node->calls += by->calls;
    node->total += by->total;
    node->shortest += by->shortest;
    node->longest += by->longest;
    node->cpu_user_ns += by->cpu_user_ns;
    node->cpu_kernel_ns += by->cpu_kernel_ns;
}

// -- Payload ----------------------------------------------------------------------------------------------------------

#define EACH(i) for (uint32_t i = 0; i < changes->count; i++)
#define COLUMN(value)                                                \
    EACH(i)                                                          \
    {                                                                \
        const struct recording_node *node = &changes->changes[i].by; \
        buffer_varint(into, (value));                                \
    }                                                                \
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
    COLUMN(node->open)
    COLUMN(node->exceptions)
    COLUMN(node->calls)
    COLUMN(zigzag(node->total))
    COLUMN(zigzag(node->longest))
    COLUMN(zigzag(node->shortest))
    COLUMN(node->cpu_user_ns)
    COLUMN(node->cpu_kernel_ns)
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

#define COLUMN(taken)                                     \
    for (uint32_t i = 0; i < count; i++) {                \
        struct recording_node *const by = &changes[i].by; \
        if (!(taken)) {                                   \
            return false;                                 \
        }                                                 \
    }

static bool decode_columns(struct bytes *payload, struct recording_node_change *changes, uint32_t count)
{
    COLUMN(take_varint32(payload, &by->open))
    COLUMN(take_varint32(payload, &by->exceptions))
    COLUMN(take_varint(payload, &by->calls))
    COLUMN(take_varint(payload, &by->total))
    COLUMN(take_varint(payload, &by->longest))
    COLUMN(take_varint(payload, &by->shortest))
    COLUMN(take_varint(payload, &by->cpu_user_ns))
    COLUMN(take_varint(payload, &by->cpu_kernel_ns))
    for (uint32_t i = 0; i < count; i++) {
        struct recording_node *by = &changes[i].by;
        by->total = (uint64_t)unzigzag(by->total);
        by->longest = (uint64_t)unzigzag(by->longest);
        by->shortest = (uint64_t)unzigzag(by->shortest);
    }
    return bytes_left(payload) == 0;
}
#undef COLUMN

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

enum clew_error recording_tree_keep(struct recording_kept_tree *kept, const struct recording_tree *tree)
{
    if (!CODEC_GROW(kept->nodes, kept->room, tree->count)) {
        return CLEW_NO_MEMORY;
    }
    if (tree->count > 0) {
        memcpy(kept->nodes, tree->nodes, tree->count * sizeof *kept->nodes);
    }
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
