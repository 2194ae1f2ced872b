// See stream_runs.h: passes the nodes and the figures of a process on to its logical tree, as if they were read from a file.
#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "model/stream_runs.h"
#include "model/tree_logical.h"
#include "trace/histogram.h"

// What is passed on.
struct passing {
    const struct runs *runs;
    uint32_t from;     // the node whose children are the roots
    bool *within;      // by node: it is that, or below
    uint32_t *numbers; // by node: its number + 1; 0: nothing ran in it or below
    struct tree *into;
    struct logical_merge merge;
    struct recording_run *figures;
    struct recording_latency *latencies;
    uint32_t *latency_nodes; // parallel to it
    uint32_t latency_count, figure_count;
};

// -- Nodes ------------------------------------------------------------------------------------------------------------

// Numbers the nodes that count: a node is made before it is known that a run belongs to another one, and for threads whose
// trees are recorded.
static void number_nodes(struct passing *passing)
{
    const struct tree *tree = &passing->runs->tree;
    uint32_t next = 1;
    for (uint32_t i = 0; i < tree->count; i++) {
        passing->within[i] = i == passing->from || (i > 0 && passing->within[tree->nodes[i].parent]);
    }
    for (uint32_t i = 0; i < passing->runs->figure_count; i++) {
        passing->numbers[passing->runs->figures[i].node] = 1;
    }
    for (uint32_t i = tree->count; i-- > 1;) {
        const struct tree_node *node = &tree->nodes[i];
        if (passing->numbers[i] || node->calls || node->open || node->total) {
            passing->numbers[i] = passing->numbers[node->parent] = 1;
        }
    }
    passing->numbers[passing->from] = 1;
    for (uint32_t i = 0; i < tree->count; i++) {
        passing->numbers[i] = passing->numbers[i] && passing->within[i] ? next++ : 0;
    }
}

static struct recording_node recorded(const struct passing *passing, uint32_t node)
{
    const struct tree_node *from = &passing->runs->tree.nodes[node];
    bool top = node == passing->from;
    CLEW_ASSERT(top || passing->numbers[from->parent] > 0);
    return (struct recording_node){.parent = top ? 0 : passing->numbers[from->parent] - 1,
                                   .method = top ? METHOD_ROOT : from->method,
                                   .open = from->open,
                                   .exceptions = (uint32_t)from->exceptions,
                                   .calls = from->calls,
                                   .total = from->total,
                                   .shortest = from->shortest,
                                   .longest = from->longest};
}

// Adds by which exceptions the activations of a node ended that has been passed on.
static enum clew_error pass_ends(struct passing *passing, uint32_t node)
{
    const struct runs *runs = passing->runs;
    bool catches;
    uint32_t row = logical_merge_ends(&passing->merge, passing->numbers[node] - 1, &catches);
    const struct tree_thrown *by = catches ? &runs->failed : &runs->left;
    return row == TREE_ROOT ? CLEW_OK : tree_thrown_copy(&passing->into->thrown, row, by, node);
}

static enum clew_error pass_nodes(struct passing *passing)
{
    static const uint32_t part = 4096; // nodes that are passed on at a time
    struct recording_node *nodes = malloc(part * sizeof *nodes);
    enum clew_error error = nodes ? CLEW_OK : CLEW_NO_MEMORY;
    uint32_t count = 0;
    for (uint32_t i = 0; error == CLEW_OK && i < passing->runs->tree.count; i++) {
        if (passing->numbers[i]) {
            nodes[count++] = recorded(passing, i);
        }
        if (count == part || i + 1 == passing->runs->tree.count) {
            error = logical_merge_part(&passing->merge, nodes, count);
            count = 0;
        }
    }
    free(nodes);
    for (uint32_t i = 0; error == CLEW_OK && i < passing->runs->tree.count; i++) {
        error = passing->numbers[i] ? pass_ends(passing, i) : CLEW_OK;
    }
    return error;
}

// -- Figures ----------------------------------------------------------------------------------------------------------

static int by_key(const void *left, const void *right)
{
    uint64_t a = ((const struct map_slot *)left)->key, b = ((const struct map_slot *)right)->key;
    return (a > b) - (a < b);
}

// The latencies of all nodes, by node and bucket, in passing->latencies.
static enum clew_error list_latencies(struct passing *passing)
{
    const struct map *map = &passing->runs->latencies;
    struct map_slot *slots = calloc(map->count + 1, sizeof *slots);
    passing->latencies = calloc(map->count + 1, sizeof *passing->latencies);
    passing->latency_nodes = calloc(map->count + 1, sizeof *passing->latency_nodes);
    if (!slots || !passing->latencies || !passing->latency_nodes) {
        free(slots);
        return CLEW_NO_MEMORY;
    }
    size_t count = 0;
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->slots[i].used && passing->numbers[map->slots[i].key / HISTOGRAM_BUCKETS]) {
            slots[count++] = map->slots[i];
        }
    }
    qsort(slots, count, sizeof *slots, by_key);
    for (size_t i = 0; i < count; i++) {
        passing->latency_nodes[i] = (uint32_t)(slots[i].key / HISTOGRAM_BUCKETS);
        passing->latencies[i] =
            (struct recording_latency){.bucket = (uint32_t)(slots[i].key % HISTOGRAM_BUCKETS), .count = slots[i].value};
    }
    passing->latency_count = (uint32_t)count;
    free(slots);
    return CLEW_OK;
}

#define COPY(name, type, adds, kind, key) run->name = figures->name;

// Appends the figures of a node, which may be none, and its latencies from *at on.
static void add_figures(struct passing *passing, uint32_t node, uint32_t *at)
{
    static const struct run_figures none = {FIGURES_OF_RUNS(FIGURE_FIRST)};
    const struct runs *runs = passing->runs;
    uint64_t index;
    const struct run_figures *figures = map_get(&runs->figures_of, node, &index) ? &runs->figures[index] : &none;
    struct recording_run *run = &passing->figures[passing->figure_count++];
    *run = (struct recording_run){.node = passing->numbers[node] - 1, .first_latency = *at};
    FIGURES_OF_RUNS(COPY)
    for (; *at < passing->latency_count && passing->latency_nodes[*at] == node; ++*at) {
        run->latency_count++;
    }
}

#undef COPY

static enum clew_error pass_figures(struct passing *passing)
{
    const struct tree *tree = &passing->runs->tree;
    uint32_t at = 0;
    CLEW_TRY(list_latencies(passing));
    passing->figures =
        calloc((size_t)passing->runs->figure_count + passing->latency_count + 1, sizeof *passing->figures);
    if (!passing->figures) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t node = 1; node < tree->count; node++) {
        uint64_t index;
        bool has = at < passing->latency_count && passing->latency_nodes[at] == node;
        if (passing->numbers[node] && (has || map_get(&passing->runs->figures_of, node, &index))) {
            add_figures(passing, node, &at);
        }
    }
    const struct recording_runs runs = {.count = passing->figure_count,
                                        .latency_count = passing->latency_count,
                                        .runs = passing->figures,
                                        .latencies = passing->latencies};
    return logical_merge_runs(&passing->merge, &runs);
}

enum clew_error runs_merge(struct runs *runs, uint32_t request, struct tree *into)
{
    struct passing passing = {.runs = runs,
                              .into = into,
                              .numbers = calloc(runs->tree.count, sizeof *passing.numbers),
                              .within = calloc(runs->tree.count, sizeof *passing.within)};
    passing.from = request ? tree_find(&runs->tree, TREE_ROOT, RUNS_OF_REQUEST | request) : TREE_ROOT;
    if (!passing.numbers || !passing.within || passing.from == TREE_NONE) {
        bool missing = passing.numbers && passing.within; // nothing of it was seen
        free(passing.numbers);
        free(passing.within);
        return missing ? CLEW_OK : CLEW_NO_MEMORY;
    }
    passing.merge = (struct logical_merge){
        .tree = into, .process = runs->process, .async = runs->async, .paths = async_paths(runs->async, runs->process)};
    number_nodes(&passing);
    enum clew_error error = pass_nodes(&passing);
    logical_merge_times(&passing.merge);
    error = error == CLEW_OK ? pass_figures(&passing) : error;
    into->over_cap |= runs->tree.over_cap;
    free(passing.numbers);
    free(passing.within);
    free(passing.figures);
    free(passing.latencies);
    free(passing.latency_nodes);
    logical_merge_fini(&passing.merge);
    return error;
}
