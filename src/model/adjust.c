// See adjust.h. Each node gets a sum, the ticks that probes took in its own code; tree_adjust() then subtracts the sums.
#include "model/adjust.h"

#include <stdlib.h>

#include "base/assert.h"
#include "model/events/timeline.h"
#include "model/line_counts.h"
#include "model/lines.h"
#include "model/objects.h"
#include "trace/instrument.h"

// The costs in one tree, in ticks.
struct tree_costs {
    double each[PROBE_KINDS]; // of one event
    double *of_node;
};

struct adjusting {
    struct model *model;
    struct tree_costs *trees; // parallel to model->trees
    uint64_t from;            // clock of the first event that counts
    struct sites *sites;
    struct objects *objects;
    struct map seen; // process << 32 | object / 64: a bit for each object that a value has referred to
};

// -- Calls ------------------------------------------------------------------------------------------------------------

// The entries of a row, by where their cost outside the activation lies: before and after the kick-off, or the run that a
// consumer has called, in the caller; before and after the first run of an async method, in the kick-off, which has the same
// row. What resumes runs has no row.
struct entries {
    uint64_t all, in_caller, in_itself;
};

static struct entries entries_of(const struct tree *tree, uint32_t node)
{
    const struct tree_run *run = tree_run(tree, node);
    if (!run) {
        return (struct entries){.all = tree->nodes[node].calls, .in_caller = tree->nodes[node].calls};
    }
    uint64_t called = run->runs - run->resumed;
    return (struct entries){.all = run->kickoffs + run->runs,
                            .in_caller = run->kickoffs ? run->kickoffs : called,
                            .in_itself = run->kickoffs ? called : 0};
}

static void add_calls(struct adjusting *adjusting, uint32_t index, const struct recording_process *process,
                      double ticks_per_ps)
{
    const struct tree *tree = &adjusting->model->trees[index].tree;
    double *costs = adjusting->trees[index].of_node;
    double own = (double)process->probe_own_ps * ticks_per_ps, whole = (double)process->probe_ps * ticks_per_ps;
    double around = whole > own ? whole - own : 0;
    for (uint32_t i = 1; i < tree->count; i++) {
        if (method_is_no_call(tree->nodes[i].method)) { // what the program does not do alone
            bool added = tree->nodes[i].method == METHOD_CLEW || tree->nodes[i].method == METHOD_JIT_PRECOMPILED;
            costs[i] += added ? (double)tree_own(&tree->nodes[i]) : 0;
            adjusting->model->adjusted |= added ? ADJUSTED_COMPILING : 0;
            continue;
        }
        struct entries entries = entries_of(tree, i);
        costs[i] += (double)entries.all * own + (double)entries.in_itself * around;
        costs[tree->nodes[i].parent] += (double)entries.in_caller * around;
    }
    adjusting->model->adjusted |= process->probe_ps > 0 ? ADJUSTED_CALLS : 0;
}

// A process without a calibration costs 0.
static enum clew_error begin_tree(struct adjusting *adjusting, uint32_t index)
{
    const struct model *model = adjusting->model;
    struct tree_costs *costs = &adjusting->trees[index];
    double ticks_per_ps = model->session.clock_hz / 1e12;
    costs->of_node = calloc(model->trees[index].tree.count, sizeof *costs->of_node);
    if (!costs->of_node) {
        return CLEW_NO_MEMORY;
    }
    uint32_t process = catalog_find_process(&model->catalog, model->trees[index].process);
    if (process != CATALOG_NONE) {
        const struct recording_process *record = &model->catalog.processes[process];
        for (unsigned kind = 0; kind < PROBE_KINDS; kind++) {
            costs->each[kind] = (double)record->site_ps[kind] * ticks_per_ps;
        }
        add_calls(adjusting, index, record, ticks_per_ps);
    }
    return CLEW_OK;
}

// -- Statements and values --------------------------------------------------------------------------------------------

// The tree of a thread: its index in model->trees. UINT32_MAX: it has none.
static uint32_t tree_of(const struct model *model, struct event_thread *thread)
{
    for (uint32_t i = 0; thread->user == 0 && i < model->tree_count; i++) {
        const struct model_tree *tree = &model->trees[i];
        bool is_it = tree->process == thread->process && (tree->thread == 0 || tree->thread == thread->thread);
        thread->user = is_it ? i + 1 : 0;
    }
    thread->user = thread->user ? thread->user : UINT32_MAX;
    return thread->user == UINT32_MAX ? UINT32_MAX : thread->user - 1;
}

// The node of an activation. A frame's number is that of its node plus 1; below a frame with a number, all have one. A path
// that the tree does not have counts for its caller.
static uint32_t node_of(const struct tree *tree, struct stream *stream, const struct stream_frame *frame)
{
    uint32_t last = (uint32_t)(frame - stream->frames), i = last + 1;
    while (i > 0 && stream->frames[i - 1].number == 0) {
        i--;
    }
    for (; i <= last; i++) {
        struct stream_frame *at = &stream->frames[i];
        const struct stream_frame *caller = stream_caller(stream, at);
        uint32_t parent = caller ? (uint32_t)caller->number - 1 : TREE_ROOT;
        uint32_t node = at->filter ? parent : tree_find(tree, parent, at->method);
        at->number = (uint64_t)(node == TREE_NONE ? parent : node) + 1;
    }
    CLEW_ASSERT(frame->number > 0 && frame->number <= tree->count);
    return (uint32_t)frame->number - 1;
}

// Whether the object is referred to for the first time. Notes that it was.
static enum clew_error is_first_sight(struct adjusting *adjusting, uint32_t process, uint32_t object, bool *out)
{
    uint64_t key = (uint64_t)process << 32 | object / 64, bit = UINT64_C(1) << object % 64, seen = 0;
    (void)map_get(&adjusting->seen, key, &seen); // stays 0 for the first of the 64
    *out = object != 0 && object != VALUE_OBJECT_INVALID && !(seen & bit);
    return *out && !map_put(&adjusting->seen, key, seen | bit) ? CLEW_NO_MEMORY : CLEW_OK;
}

// Adds the cost of the first sight of the object, if this is it.
static enum clew_error add_object(struct adjusting *adjusting, uint32_t process, uint32_t number,
                                  const struct tree_costs *costs, double *sum)
{
    bool first;
    CLEW_TRY(is_first_sight(adjusting, process, number, &first));
    if (!first) {
        return CLEW_OK;
    }
    const struct recording_object *object = objects_find(adjusting->objects, process, number);
    if (!object && objects_ran_out(adjusting->objects)) {
        return CLEW_NO_MEMORY;
    }
    const struct type *type = object ? sites_type(adjusting->sites, process, object->type) : NULL;
    *sum += costs->each[type && type->kind == TYPE_STRING ? PROBE_STRING : PROBE_OBJECT];
    return CLEW_OK;
}

// Adds the cost of an event. Values with references are written by a call of a probe, others inline.
static enum clew_error add_event(struct adjusting *adjusting, const struct event_step *step, const struct site *site,
                                 const struct tree_costs *costs, double *sum)
{
    uint32_t process = step->thread->process;
    bool called = site->owner == OWNER_OBJECT || site->encoding == VALUE_OBJECT || site->encoding == VALUE_TYPED;
    struct site_value value;
    if (site->kind == SITE_STATEMENT || !called) {
        *sum += costs->each[site->kind == SITE_STATEMENT ? PROBE_STATEMENT : PROBE_SCALAR];
        return CLEW_OK;
    }
    *sum += costs->each[PROBE_REFERENCE];
    if (sites_take(adjusting->sites, process, site, step->cells, step->cells_left, &value) == UINT32_MAX) {
        return CLEW_OK; // the event is damaged
    }
    CLEW_TRY(add_object(adjusting, process, value.owner_object, costs, sum));
    return value.encoding == VALUE_OBJECT ? add_object(adjusting, process, value.cells[0], costs, sum) : CLEW_OK;
}

static enum clew_error take_step(void *context, const struct event_step *step)
{
    static const struct tree_costs nothing;
    struct adjusting *adjusting = context;
    struct model *model = adjusting->model;
    struct event_thread *thread = step->thread;
    const struct site *site =
        step->kind == STEP_SITE ? sites_site(adjusting->sites, thread->process, step->site) : NULL;
    if (!site) {
        return CLEW_OK;
    }
    double cost = 0;
    uint32_t tree = tree_of(model, thread);
    CLEW_TRY(add_event(adjusting, step, site, tree == UINT32_MAX ? &nothing : &adjusting->trees[tree], &cost));
    if (cost > 0 && step->frame && step->clock >= adjusting->from &&
        model_takes_thread(model, thread->process, thread->thread)) {
        uint32_t node = node_of(&model->trees[tree].tree, &thread->stream, step->frame);
        adjusting->trees[tree].of_node[node] += cost;
        model->adjusted |= site->kind == SITE_STATEMENT ? ADJUSTED_STATEMENTS : ADJUSTED_VALUES;
    }
    return CLEW_OK;
}

// Reads the streams of all threads from their start: whether an object is referred to for the first time depends on all before.
static enum clew_error add_events(struct adjusting *adjusting)
{
    struct model *model = adjusting->model;
    const struct model_options *options = &model->options;
    uint64_t to = options->to_ns > 0 ? model_clock_at(model, options->to_ns) : UINT64_MAX;
    const struct timeline_options all = {.to = to == UINT64_MAX || to == 0 ? to : to - 1,
                                         .step = take_step,
                                         .context = adjusting,
                                         .health = &model->health};
    adjusting->from = options->from_ns > 0 ? model_clock_at(model, options->from_ns) : 0;
    CLEW_TRY(objects_open(model->recording, &adjusting->objects));
    enum clew_error error = timeline_run(model->recording, &all);
    struct recording_health of_objects = objects_health(adjusting->objects);
    recording_meet(&model->health, &of_objects);
    return error == CLEW_NOTHING_RECORDED ? CLEW_OK : error;
}

// -- Lines ------------------------------------------------------------------------------------------------------------

static uint64_t sum_in(const struct map *sums, uint64_t key)
{
    uint64_t sum = 0;
    (void)map_get(sums, key, &sum); // stays 0 for a key that is not there
    return sum;
}

static uint64_t key_of(uint32_t process, uint32_t method)
{
    return (uint64_t)process << 32 | method;
}

// Adds up the lines of each method. Only counters count: without them the streams have the statements.
static enum clew_error sum_lines(const struct adjusting *adjusting, struct map *lines)
{
    struct line_counts *counts;
    CLEW_TRY(line_counts_new(adjusting->model->recording, adjusting->sites, &counts));
    enum clew_error error = CLEW_OK;
    while (error == CLEW_OK && !counts->streams) {
        error = line_counts_advance(counts);
    }
    error = error == CLEW_NOT_FOUND ? CLEW_OK : error;
    for (size_t i = 0; error == CLEW_OK && counts->counters && i < counts->count; i++) {
        const struct line_count *counted = &counts->counted[i];
        uint64_t key = key_of(counted->process, sites_method(adjusting->sites, counted->process, counted->site));
        error = map_put(lines, key, sum_in(lines, key) + counted->count) ? CLEW_OK : CLEW_NO_MEMORY;
    }
    line_counts_free(counts);
    return error;
}

// Adds up the calls of each method over all of its nodes.
static enum clew_error sum_calls(const struct model *model, struct map *calls)
{
    for (uint32_t i = 0; i < model->tree_count; i++) {
        const struct tree *tree = &model->trees[i].tree;
        for (uint32_t node = 1; node < tree->count; node++) {
            uint64_t key = key_of(model->trees[i].process, tree->nodes[node].method);
            if (!map_put(calls, key, sum_in(calls, key) + tree->nodes[node].calls)) {
                return CLEW_NO_MEMORY;
            }
        }
    }
    return CLEW_OK;
}

static void divide_lines(struct adjusting *adjusting, const struct map *lines, const struct map *calls)
{
    struct model *model = adjusting->model;
    for (uint32_t i = 0; i < model->tree_count; i++) {
        const struct tree *tree = &model->trees[i].tree;
        for (uint32_t node = 1; node < tree->count; node++) {
            uint64_t key = key_of(model->trees[i].process, tree->nodes[node].method), all = sum_in(calls, key);
            double share = all ? (double)tree->nodes[node].calls / (double)all : 0;
            double cost = adjusting->trees[i].each[PROBE_LINE] * (double)sum_in(lines, key) * share;
            adjusting->trees[i].of_node[node] += cost;
            model->adjusted |= cost > 0 ? ADJUSTED_LINES : 0;
        }
    }
}

static enum clew_error add_lines(struct adjusting *adjusting)
{
    struct map lines = {0}, calls = {0};
    enum clew_error error = sum_lines(adjusting, &lines);
    error = error == CLEW_OK ? sum_calls(adjusting->model, &calls) : error;
    if (error == CLEW_OK) {
        divide_lines(adjusting, &lines, &calls);
    }
    map_free(&lines);
    map_free(&calls);
    return error;
}

// -- All --------------------------------------------------------------------------------------------------------------

static enum clew_error adjust_all(struct adjusting *adjusting)
{
    struct model *model = adjusting->model;
    uint32_t instruments = model->session.instruments;
    for (uint32_t i = 0; i < model->tree_count; i++) {
        CLEW_TRY(begin_tree(adjusting, i));
    }
    if (instruments & INSTRUMENT_AT_SITES) {
        CLEW_TRY(sites_load(model->recording, &adjusting->sites));
    }
    if (instruments & (INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES)) {
        CLEW_TRY(add_events(adjusting));
    }
    if (instruments & INSTRUMENT_LINES && !model_is_cut(model)) {
        CLEW_TRY(add_lines(adjusting));
    }
    for (uint32_t i = 0; i < model->tree_count; i++) {
        CLEW_TRY(tree_adjust(&model->trees[i].tree, adjusting->trees[i].of_node));
    }
    return CLEW_OK;
}

enum clew_error adjust_trees(struct model *model)
{
    struct adjusting adjusting = {.model = model};
    if (!model_has_times(model) || model->tree_count == 0) {
        return CLEW_OK;
    }
    adjusting.trees = calloc(model->tree_count, sizeof *adjusting.trees);
    enum clew_error error = adjusting.trees ? adjust_all(&adjusting) : CLEW_NO_MEMORY;
    for (uint32_t i = 0; adjusting.trees && i < model->tree_count; i++) {
        free(adjusting.trees[i].of_node);
    }
    free(adjusting.trees);
    sites_free(adjusting.sites);
    objects_close(adjusting.objects);
    map_free(&adjusting.seen);
    return error;
}
