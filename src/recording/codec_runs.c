// Encodes what recordings have of async activations beside their bodies' methods: paths, and the figures of runs.
#include "base/assert.h"
#include "recording/codec.h"
#include "recording/figure_columns.h"

enum {
    PATH_LEAST = 2,
    RUN_COLUMNS = 2 FIGURES_IN_RUNS(FIGURE_ONE),
    LATENCY_LEAST = 2
}; // one for the node, one for its buckets

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

// A run's latencies: their number, then their buckets, and then their counts.
static void encode_latencies(struct buffer *into, const struct recording_runs *runs, uint32_t first, uint32_t count,
                             struct codec_splits *splits)
{
    for (uint32_t i = first; i < first + count; i++) {
        buffer_varint(into, runs->runs[i].latency_count);
    }
    splits->at[splits->count++] = into->size;
    for (uint32_t i = first; i < first + count; i++) {
        for (uint32_t j = 0, expected = 0; j < runs->runs[i].latency_count; j++) {
            const struct recording_latency *latency = &runs->latencies[runs->runs[i].first_latency + j];
            CLEW_ASSERT(latency->bucket >= expected && latency->count && "buckets ascend");
            buffer_varint(into, latency->bucket - expected);
            expected = latency->bucket + 1;
        }
    }
    splits->at[splits->count++] = into->size;
    for (uint32_t i = first; i < first + count; i++) {
        for (uint32_t j = 0; j < runs->runs[i].latency_count; j++) {
            buffer_varint(into, runs->latencies[runs->runs[i].first_latency + j].count);
        }
    }
    splits->at[splits->count++] = into->size;
}

void codec_encode_runs(struct buffer *into, const struct recording_runs *runs, uint32_t first, uint32_t count,
                       struct codec_splits *splits)
{
    uint32_t expected = 0;
    for (uint32_t i = first; i < first + count; i++) {
        CLEW_ASSERT(runs->runs[i].node >= expected && "numbers ascend");
        buffer_varint(into, runs->runs[i].node - expected);
        expected = runs->runs[i].node + 1;
    }
    splits->at[splits->count++] = into->size;
#define COLUMN(name, whole)                                \
    for (uint32_t i = first; i < first + count; i++) {     \
        const struct recording_run *node = &runs->runs[i]; \
        uint64_t value = node->name;                       \
        buffer_varint(into, FIGURE_STORED_##whole);        \
    }                                                      \
    splits->at[splits->count++] = into->size;
    FIGURES_IN_RUNS(COLUMN)
#undef COLUMN
    encode_latencies(into, runs, first, count, splits);
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
    return true;
}

// Reads how many latencies each run has; they follow those that were read before. DAMAGED: more than there are bytes for.
static enum clew_error decode_latency_counts(struct bytes *payload, struct recording_run *runs, uint32_t count,
                                             uint32_t *latencies)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *own = &runs[i].latency_count;
        if (!take_varint32(payload, own) || *own > HISTOGRAM_BUCKETS || *own > UINT32_MAX - *latencies) {
            return CLEW_DAMAGED;
        }
        runs[i].first_latency = *latencies;
        *latencies += *own;
    }
    return CLEW_OK;
}

static bool decode_buckets(struct bytes *payload, const struct recording_run *run, struct recording_latency *latencies)
{
    uint32_t expected = 0;
    for (uint32_t i = 0; i < run->latency_count; i++) {
        uint32_t more;
        if (!take_varint32(payload, &more) || more >= HISTOGRAM_BUCKETS - expected) {
            return false;
        }
        latencies[run->first_latency + i].bucket = expected + more;
        expected += more + 1;
    }
    return true;
}

// Appends the latencies of a part's runs; *latencies is how many came before.
static enum clew_error decode_latencies(struct bytes *payload, struct codec_arrays *arrays, struct recording_run *runs,
                                        uint32_t count, uint32_t *latencies)
{
    uint32_t before = *latencies;
    CLEW_TRY(decode_latency_counts(payload, runs, count, latencies));
    if (*latencies - before > bytes_left(payload) / LATENCY_LEAST) {
        return CLEW_DAMAGED;
    }
    if (!CODEC_GROW(arrays->latencies, arrays->latencies_room, *latencies)) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!decode_buckets(payload, &runs[i], arrays->latencies)) {
            return CLEW_DAMAGED;
        }
    }
    for (uint32_t i = before; i < *latencies; i++) {
        if (!take_varint(payload, &arrays->latencies[i].count) || arrays->latencies[i].count == 0) {
            return CLEW_DAMAGED;
        }
    }
    return bytes_left(payload) == 0 ? CLEW_OK : CLEW_DAMAGED;
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
    uint32_t latencies = out->latency_count;
    CLEW_TRY(decode_latencies(&payload, arrays, arrays->runs + before, count, &latencies));
    *out = (struct recording_runs){
        .process = header->process,
        .thread = header->thread,
        .sequence = header->sequence,
        .clock = header->last_clock,
        .count = before + count,
        .latency_count = latencies,
        .runs = arrays->runs,
        .latencies = arrays->latencies,
    };
    return CLEW_OK;
}
