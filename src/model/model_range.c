// See model_range.h. The timeline reports every beginning and end, also those that the borders of the range cut off; each
// end adds the activation's time within the range to the node of its path.
#include "model/model_range.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "model/timeline.h"

enum { NODES_MAX = 3000000, PROGRESS_STEPS = 1 << 18 };

// The state of counting. The number of a frame is its node, and above 32 bits the index + 1 of the time that it ran before
// the range; 0: none.
struct range {
    struct model *model;
    const struct model_range *options;
    size_t tree_room;
    struct map tree_of; // process << 32 | thread: index in model->trees
    uint64_t *before;
    size_t before_count, before_room;
    uint32_t nodes; // of all trees
    uint64_t steps;
};

uint64_t model_last_moment(const struct model *model, uint32_t process, uint32_t thread, uint64_t seen)
{
    const struct catalog *catalog = &model->catalog;
    uint32_t at = catalog_find_thread(catalog, process, thread);
    uint64_t last = at == CATALOG_NONE ? 0 : catalog->threads[at].record.ended_clock;
    if (!last) {
        at = catalog_find_process(catalog, process);
        last = at == CATALOG_NONE ? 0 : catalog->processes[at].ended_clock;
    }
    return last > seen ? last : seen;
}

// Finds or makes the tree of a thread, or of its process.
static enum clew_error find_tree(struct range *range, const struct timeline_thread *thread, struct tree **out)
{
    struct model *model = range->model;
    uint32_t apart = range->options->threads_apart ? thread->thread : 0;
    uint64_t key = (uint64_t)thread->process << 32 | apart, index;
    if (map_get(&range->tree_of, key, &index)) {
        *out = &model->trees[index].tree;
        return CLEW_OK;
    }
    if (!array_grow(&model->trees, model->tree_count, &range->tree_room, sizeof *model->trees)) {
        return CLEW_NO_MEMORY;
    }
    struct model_tree *made = &model->trees[model->tree_count];
    *made = (struct model_tree){.process = thread->process, .thread = apart};
    CLEW_TRY(tree_init(&made->tree, NODES_MAX));
    *out = &made->tree;
    range->nodes++;
    return map_put(&range->tree_of, key, model->tree_count++) ? CLEW_OK : CLEW_NO_MEMORY;
}

// The catalog's entry of the thread, which is made if no definition has it. NULL: memory ran out.
static struct catalog_thread *thread_of(struct range *range, const struct timeline_step *step)
{
    uint32_t index = catalog_thread(&range->model->catalog, step->thread->process, step->thread->thread);
    return index == CATALOG_NONE ? NULL : &range->model->catalog.threads[index];
}

// Notes how long an activation ran before the range. Returns the part of the frame's number for that; SIZE_MAX: memory
// ran out.
static size_t note_before(struct range *range, const struct stream_frame *frame)
{
    if (frame->started >= range->options->from) {
        return 0;
    }
    if (!array_grow(&range->before, range->before_count, &range->before_room, sizeof *range->before)) {
        return SIZE_MAX;
    }
    range->before[range->before_count++] = stream_time(frame, range->options->from);
    return range->before_count;
}

static enum clew_error begin(struct range *range, const struct timeline_step *step)
{
    struct tree *tree;
    struct catalog_thread *thread = thread_of(range, step);
    const struct stream_frame *caller = stream_caller(&step->thread->stream, step->frame);
    CLEW_TRY(find_tree(range, step->thread, &tree));
    uint32_t parent = caller ? (uint32_t)caller->number : TREE_ROOT, had = tree->count;
    CLEW_ASSERT(parent < tree->count);
    tree->nodes_max = range->nodes < NODES_MAX ? tree->count + NODES_MAX - range->nodes : 0;
    uint32_t node = tree_child(tree, parent, step->frame->method);
    size_t before = note_before(range, step->frame);
    if (!thread || node == TREE_NONE || before == SIZE_MAX ||
        catalog_method(&range->model->catalog, step->thread->process, step->frame->method) == CATALOG_NONE) {
        return CLEW_NO_MEMORY;
    }
    range->nodes += tree->count - had;
    range->model->folded = range->model->folded || tree->over_cap;
    step->frame->number = (uint64_t)before << 32 | node;
    tree->nodes[node].calls += before == 0;
    thread->calls += before == 0;
    range->model->calls += before == 0;
    return CLEW_OK;
}

// Adds the time of an activation that ends, or still runs, at `clock`.
static enum clew_error end(struct range *range, const struct timeline_step *step, uint64_t clock)
{
    const struct stream_frame *frame = step->frame;
    struct tree *tree;
    uint32_t index = (uint32_t)frame->number;
    if (index == TREE_ROOT) {
        return CLEW_OK; // its beginning was not seen
    }
    CLEW_TRY(find_tree(range, step->thread, &tree));
    size_t before = (size_t)(frame->number >> 32);
    uint64_t earlier = before ? range->before[before - 1] : 0, time = stream_time(frame, clock);
    time = time > earlier ? time - earlier : 0;
    struct tree_node *node = &tree->nodes[index];
    node->total += time;
    tree->nodes[node->parent].inside += time;
    tree->nodes[TREE_ROOT].total += node->parent == TREE_ROOT ? time : 0;
    node->exceptions += step->kind == TIMELINE_END && step->how == STREAM_UNWOUND;
    if (step->kind == TIMELINE_END && !before && !frame->joined) {
        node->shortest = time < node->shortest ? time : node->shortest;
        node->longest = time > node->longest ? time : node->longest;
    }
    return CLEW_OK;
}

static enum clew_error still_open(struct range *range, const struct timeline_step *step)
{
    const struct timeline_thread *thread = step->thread;
    uint64_t last = step->clock;
    struct catalog_thread *counted = thread_of(range, step);
    struct tree *tree;
    if (!counted || (uint32_t)step->frame->number == TREE_ROOT) {
        return counted ? CLEW_OK : CLEW_NO_MEMORY;
    }
    if (last < range->options->to) { // the stream ends before the range
        last = model_last_moment(range->model, thread->process, thread->thread, last);
        last = last < range->options->to ? last : range->options->to;
    }
    CLEW_TRY(find_tree(range, thread, &tree));
    tree->nodes[(uint32_t)step->frame->number].open++;
    counted->open++;
    range->model->open++;
    return end(range, step, last);
}

// Calls the user's progress function from time to time.
static void show_progress(struct range *range, uint64_t clock)
{
    const struct model_range *options = range->options;
    const struct model *model = range->model;
    uint64_t first = options->from > model->session.started_clock ? options->from : model->session.started_clock;
    uint64_t last = options->to < model->ended_clock ? options->to : model->ended_clock;
    if (options->progress && ++range->steps % PROGRESS_STEPS == 0 && clock >= first && clock < last) {
        options->progress(options->context, (double)(clock - first) / (double)(last - first));
    }
}

static enum clew_error take_step(void *context, const struct timeline_step *step)
{
    struct range *range = context;
    show_progress(range, step->clock);
    switch (step->kind) {
    case TIMELINE_BEGIN:
        return begin(range, step);
    case TIMELINE_END:
        return end(range, step, step->clock);
    case TIMELINE_OPEN:
        return still_open(range, step);
    case TIMELINE_LOST:
    case TIMELINE_SITE:
        break;
    }
    return CLEW_OK;
}

// Zeroes what an earlier load counted.
static void reset(struct model *model)
{
    model->calls = model->open = 0;
    for (uint32_t i = 0; i < model->catalog.thread_count; i++) {
        model->catalog.threads[i].calls = model->catalog.threads[i].open = 0;
    }
}

enum clew_error model_count_range(struct model *model, const struct model_range *options)
{
    struct range range = {.model = model, .options = options};
    const struct timeline_options timeline = {.thread = options->thread,
                                              .from = options->from,
                                              .to = options->to,
                                              .borders = true,
                                              .step = take_step,
                                              .context = &range,
                                              .health = &model->health};
    CLEW_ASSERT(model->options.names_only && model->tree_count == 0);
    reset(model);
    enum clew_error error = timeline_run(model->recording, &timeline);
    model->options.threads_apart = options->threads_apart;
    model->options.names_only = error != CLEW_OK;
    map_free(&range.tree_of);
    free(range.before);
    return error;
}

void model_keep_thread(struct model *model, uint32_t thread)
{
    uint32_t kept = 0;
    CLEW_ASSERT(model->options.threads_apart && thread > 0);
    for (uint32_t i = 0; i < model->tree_count; i++) {
        if (model->trees[i].thread == thread) {
            model->trees[kept++] = model->trees[i];
        } else {
            tree_fini(&model->trees[i].tree);
        }
    }
    model->tree_count = kept;
    model->calls = model->open = 0;
    for (uint32_t i = 0; i < model->catalog.thread_count; i++) {
        struct catalog_thread *row = &model->catalog.threads[i];
        bool keep = row->record.thread == thread;
        model->calls += keep ? row->calls : 0;
        model->open += keep ? row->open : 0;
    }
}
