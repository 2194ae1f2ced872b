// Encodes what recordings have of async activations beside their bodies' methods: paths, and the figures of runs.
#include "base/assert.h"
#include "recording/codec.h"
#include "recording/figure_columns.h"

enum { PATH_LEAST = 2, RUN_COLUMNS = 1 FIGURES_IN_RUNS(FIGURE_ONE) }; // one for the node

// -- Paths ------------------------------------------------------------------------------------------------------------

void codec_encode_paths(struct buffer *into, const struct recording_paths *paths)
{
    buffer_varint(into, paths->process);
    buffer_varint(into, paths->first);
    for (uint32_t i = 0; i < paths->count; i++) {
        buffer_varint(into, paths->paths[i].parent);
        buffer_varint(into, paths->paths[i].method);
    }
}

// A parent has a lower number, so no paths that pass this check have a cycle.
enum clew_error codec_decode_paths(struct bytes body, struct codec_arrays *arrays, struct recording_paths *out)
{
    *out = (struct recording_paths){0};
    if (!take_varint32(&body, &out->process) || !take_varint32(&body, &out->first) || out->first < PATH_FIRST ||
        out->first > RECORDING_PATHS_MAX) {
        return CLEW_DAMAGED;
    }
    size_t most = bytes_left(&body) / PATH_LEAST, room = RECORDING_PATHS_MAX - out->first;
    if (!CODEC_GROW(arrays->paths, arrays->paths_room, most < room ? most : room)) {
        return CLEW_NO_MEMORY;
    }
    out->paths = arrays->paths;
    while (bytes_left(&body) > 0) {
        struct recording_path *path = &arrays->paths[out->count];
        uint32_t number = out->first + out->count;
        if (bytes_left(&body) < PATH_LEAST || number >= RECORDING_PATHS_MAX || !take_varint32(&body, &path->parent) ||
            !take_varint32(&body, &path->method) || path->parent >= number) {
            return CLEW_DAMAGED;
        }
        out->count++;
    }
    return CLEW_OK;
}

// -- Runs -------------------------------------------------------------------------------------------------------------

void codec_encode_runs(struct buffer *into, const struct recording_run *runs, uint32_t count,
                       struct codec_splits *splits)
{
    uint32_t expected = 0;
    for (uint32_t i = 0; i < count; i++) {
        CLEW_ASSERT(runs[i].node >= expected && "numbers ascend");
        buffer_varint(into, runs[i].node - expected);
        expected = runs[i].node + 1;
    }
    splits->at[splits->count++] = into->size;
#define COLUMN(name, whole)                          \
    for (uint32_t i = 0; i < count; i++) {           \
        const struct recording_run *node = &runs[i]; \
        uint64_t value = node->name;                 \
        buffer_varint(into, FIGURE_STORED_##whole);  \
    }                                                \
    splits->at[splits->count++] = into->size;
    FIGURES_IN_RUNS(COLUMN)
#undef COLUMN
}

// Numbers ascend, from one part to the next as well.
static bool decode_nodes(struct bytes *payload, struct recording_run *runs, uint32_t before, uint32_t count)
{
    uint32_t expected = 0, least = before ? runs[before - 1].node + 1 : 0;
    for (uint32_t i = before; i < before + count; i++) {
        uint32_t more;
        if (!take_varint32(payload, &more) || more >= RECORDING_NODES_MAX - expected || expected + more < least) {
            return false;
        }
        runs[i] = (struct recording_run){.node = expected + more};
        expected = runs[i].node + 1;
    }
    return true;
}

static bool decode_run_columns(struct bytes *payload, struct recording_run *runs, uint32_t count)
{
#define COLUMN(name, whole)                        \
    for (uint32_t i = 0; i < count; i++) {         \
        struct recording_run *node = &runs[i];     \
        if (!take_figure(payload, &node->name)) {  \
            return false;                          \
        }                                          \
        __typeof__(node->name) value = node->name; \
        node->name = FIGURE_LOADED_##whole;        \
    }
    FIGURES_IN_RUNS(COLUMN)
#undef COLUMN
    return bytes_left(payload) == 0;
}

enum clew_error codec_decode_runs(const struct block_header *header, struct bytes payload, struct codec_arrays *arrays,
                                  struct recording_runs *out)
{
    uint32_t before = out->count, count = header->count;
    if (before > RECORDING_NODES_MAX || count > RECORDING_NODES_MAX - before ||
        count > bytes_left(&payload) / RUN_COLUMNS) {
        return CLEW_DAMAGED;
    }
    if (!CODEC_GROW(arrays->runs, arrays->runs_room, (size_t)before + count)) {
        return CLEW_NO_MEMORY;
    }
    if (!decode_nodes(&payload, arrays->runs, before, count) ||
        !decode_run_columns(&payload, arrays->runs + before, count)) {
        return CLEW_DAMAGED;
    }
    *out = (struct recording_runs){
        .process = header->process,
        .thread = header->thread,
        .sequence = header->sequence,
        .clock = header->last_clock,
        .count = before + count,
        .runs = arrays->runs,
    };
    return CLEW_OK;
}
