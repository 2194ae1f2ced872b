// Encodes the nodes of call trees as columns: values of one kind are alike, so the compressor is fast and finds much,
// and small numbers take one byte. Parents and times are stored as differences that are mostly small.
#include "base/assert.h"
#include "recording/codec.h"
#include "recording/figure_columns.h"

enum { NODE_COLUMNS = 2 FIGURES_IN_TREES(FIGURE_ONE) }; // two for parent and method

void codec_encode_nodes(struct buffer *into, const struct recording_tree *tree, uint32_t first, uint32_t count,
                        struct codec_splits *splits)
{
    CLEW_ASSERT(first <= tree->count && count <= tree->count - first);
    const struct recording_node *nodes = count ? tree->nodes + first : NULL;
    buffer_varint(into, tree->count);
    buffer_varint(into, tree->final);
    buffer_varint(into, first);
#define COLUMN(name, whole, change)                    \
    for (uint32_t i = 0; i < count; i++) {             \
        const struct recording_node *node = &nodes[i]; \
        uint64_t value = node->name;                   \
        buffer_varint(into, FIGURE_STORED_##whole);    \
    }                                                  \
    splits->at[splits->count++] = into->size;
    for (uint32_t i = 0; i < count; i++) {
        buffer_varint(into, first + i - nodes[i].parent);
    }
    splits->at[splits->count++] = into->size;
    COLUMN(method, PLAIN, PLAIN)
    FIGURES_IN_TREES(COLUMN)
#undef COLUMN
}

// A parent comes before its children; only node 0 is its own parent. So no tree that passes this check has a cycle.
static bool decode_parents(struct bytes *payload, struct recording_node *nodes, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t up;
        if (!take_varint32(payload, &up) || up > first + i || (up == 0) != (first + i == 0)) {
            return false;
        }
        nodes[i] = (struct recording_node){.parent = first + i - up, FIGURES(FIGURE_FIRST)};
    }
    return true;
}

static bool decode_node_columns(struct bytes *payload, struct recording_node *nodes, uint32_t count)
{
#define COLUMN(name, whole, change)                \
    for (uint32_t i = 0; i < count; i++) {         \
        struct recording_node *node = &nodes[i];   \
        if (!take_figure(payload, &node->name)) {  \
            return false;                          \
        }                                          \
        __typeof__(node->name) value = node->name; \
        node->name = FIGURE_LOADED_##whole;        \
    }
    COLUMN(method, PLAIN, PLAIN)
    FIGURES_IN_TREES(COLUMN)
#undef COLUMN
    return bytes_left(payload) == 0;
}

enum clew_error codec_decode_nodes(const struct block_header *header, struct bytes payload, struct codec_arrays *arrays,
                                   uint32_t dropped, struct recording_tree *out, uint32_t *total)
{
    uint32_t whole, first;
    uint64_t final;
    uint32_t count = header->count;
    // A node takes at least one byte in each column, so this bounds the memory that a hostile count can ask for.
    if (!take_varint32(&payload, &whole) || !take_varint(&payload, &final) || !take_varint32(&payload, &first) ||
        whole > RECORDING_NODES_MAX || first != out->count || first > whole || count > whole - first ||
        count > bytes_left(&payload) / NODE_COLUMNS || (first > 0 && whole != *total)) {
        return CLEW_DAMAGED;
    }
    CLEW_ASSERT(dropped <= first);
    if (!CODEC_GROW(arrays->nodes, arrays->nodes_room, (size_t)first - dropped + count)) {
        return CLEW_NO_MEMORY;
    }
    struct recording_node *nodes = arrays->nodes + (first - dropped);
    if (!decode_parents(&payload, nodes, first, count) || !decode_node_columns(&payload, nodes, count)) {
        return CLEW_DAMAGED;
    }
    CLEW_ASSERT(first + count <= whole);
    *total = whole;
    *out = (struct recording_tree){
        .process = header->process,
        .thread = header->thread,
        .sequence = header->sequence,
        .clock = header->last_clock,
        .final = final != 0,
        .of_stream = header->flags & BLOCK_OF_STREAM,
        .position = header->flags & BLOCK_OF_STREAM ? header->position : 0,
        .count = first + count,
        .nodes = arrays->nodes,
    };
    return CLEW_OK;
}
