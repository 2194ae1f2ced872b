// The call trees of a model, one per process or per thread, and the recorded trees that are merged into them.
#include "base/array.h"
#include "base/assert.h"
#include "model/model_load.h"
#include "model/tree_logical.h"

// Of all trees: 300 MiB with their hash tables; a program hardly has room for more
enum { NODES_MAX = (1 << 22) - (1 << 16) };

enum clew_error model_find_tree(struct model_load *load, uint32_t process, uint32_t thread, struct tree **out)
{
    struct model *model = load->model;
    uint64_t key = (uint64_t)process << 32 | (model->options.threads_apart ? thread : 0), index;
    if (map_get(&load->tree_of, key, &index)) {
        *out = &model->trees[index].tree;
        return CLEW_OK;
    }
    if (!array_grow(&model->trees, model->tree_count, &model->tree_room, sizeof *model->trees)) {
        return CLEW_NO_MEMORY;
    }
    struct model_tree *made = &model->trees[model->tree_count];
    *made = (struct model_tree){.process = process, .thread = (uint32_t)key};
    CLEW_TRY(tree_init(&made->tree, NODES_MAX));
    model->tree_count++;
    load->nodes += made->tree.count;
    *out = &made->tree;
    return map_put(&load->tree_of, key, model->tree_count - 1u) ? CLEW_OK : CLEW_NO_MEMORY;
}

enum clew_error model_fill_tree(struct model_load *load, uint32_t process, uint32_t thread, uint32_t nodes_max,
                                struct tree **out)
{
    load->nodes += load->tree ? load->tree->count : 0;
    load->tree = NULL;
    CLEW_TRY(model_find_tree(load, process, thread, out));
    load->tree = *out;
    CLEW_ASSERT(load->nodes >= load->tree->count);
    load->nodes -= load->tree->count;
    load->tree->nodes_max = load->nodes < nodes_max ? nodes_max - load->nodes : 0;
    return CLEW_OK;
}

enum clew_error model_note_changes(struct model_load *load, struct catalog_thread *thread, uint64_t offset)
{
    if (thread->tree_offset == 0 || offset < thread->tree_offset) {
        return CLEW_OK;
    }
    if (!array_grow(&load->changes, load->changes_count, &load->changes_room, sizeof *load->changes)) {
        return CLEW_NO_MEMORY;
    }
    load->changes[load->changes_count++] = (struct changes_block){.offset = offset};
    if (thread->last_changes) {
        CLEW_ASSERT(thread->last_changes < load->changes_count && thread->first_changes);
        load->changes[thread->last_changes - 1].next = load->changes_count;
    } else {
        thread->first_changes = load->changes_count;
    }
    thread->last_changes = load->changes_count;
    return CLEW_OK;
}

// Applies the changes behind a thread's tree, up to the first block that is missing or damaged. The tree then is as old
// as the changes before that, which counts as a gap.
static enum clew_error apply_changes(struct model_load *load, const struct catalog_thread *thread)
{
    enum clew_error error = CLEW_OK;
    for (uint32_t at = thread->first_changes; at && error == CLEW_OK; at = load->changes[at - 1].next) {
        struct recording_record record;
        error = recording_read(load->reader, load->changes[at - 1].offset, RECORDING_TREE_CHANGES, &record);
        error = error == CLEW_OK ? recording_tree_change(&load->kept, &record.changes) : error;
    }
    if (error == CLEW_DAMAGED) {
        load->model->gaps++;
        load->model->health.damaged += load->model->health.damaged == 0; // no pass reads these blocks
        error = CLEW_OK;
    }
    return error;
}

enum clew_error model_drop_nodes(void *context, const struct recording_node *nodes, uint32_t count)
{
    (void)context, (void)nodes, (void)count;
    return CLEW_OK;
}

// Reads the tree at this offset, and passes its nodes on, part by part. DAMAGED: there is none.
static enum clew_error read_nodes(struct model_load *load, uint64_t offset, recording_takes_nodes *take, void *context,
                                  struct recording_tree *out)
{
    struct recording_record record;
    recording_want_tree_parts(load->reader, take, context);
    enum clew_error error = recording_read(load->reader, offset, RECORDING_TREE_NODES, &record);
    recording_want_tree_parts(load->reader, model_drop_nodes, NULL); // `context` ends before the reader does
    *out = error == CLEW_OK ? record.tree : (struct recording_tree){0};
    return error;
}

static enum clew_error keep_part(void *context, const struct recording_node *nodes, uint32_t count)
{
    return recording_tree_keep_part(context, nodes, count);
}

// Passes on the nodes of a thread's newest tree, as it is after all changes, and says what else is known of it. Only with
// changes is the whole of it ever in memory.
static enum clew_error newest_tree(struct model_load *load, const struct catalog_thread *thread,
                                   recording_takes_nodes *take, void *context, struct recording_tree *out)
{
    struct recording_kept_tree *kept = &load->kept;
    if (!thread->first_changes) {
        return read_nodes(load, thread->tree_offset, take, context, out);
    }
    kept->tree.count = 0;
    CLEW_TRY(read_nodes(load, thread->tree_offset, keep_part, kept, out));
    CLEW_TRY(recording_tree_keep(kept, out));
    CLEW_TRY(apply_changes(load, thread));
    *out = kept->tree;
    return take(context, kept->nodes, kept->tree.count);
}

// A thread's totals as its tree's nodes give them.
struct counting {
    uint64_t nodes, calls, open;
    uint64_t events;     // each activation has an entry and, once it has ended, an exit
    uint64_t alone;      // calls that are only counted
    uint64_t above;      // the node above theirs; 0: there is none
    struct model *model; // gets the calls that are only counted; NULL: they are in `alone`
    uint32_t process;
};

static enum clew_error add_counted(struct counting *counting, const struct recording_node *node)
{
    struct model *model = counting->model;
    uint64_t key = (uint64_t)counting->process << 32 | node->method, index = 0;
    counting->alone += node->calls;
    if (!model) {
        return CLEW_OK;
    }
    if (!map_get(&model->counted_of, key, &index)) {
        index = model->counted_count;
        if (!array_grow(&model->counted, model->counted_count, &model->counted_room, sizeof *model->counted) ||
            !map_put(&model->counted_of, key, index)) {
            return CLEW_NO_MEMORY;
        }
        model->counted[model->counted_count++] =
            (struct model_counted){.process = counting->process, .method = node->method};
    }
    model->counted[index].calls += node->calls;
    return CLEW_OK;
}

static enum clew_error count_part(void *context, const struct recording_node *nodes, uint32_t count)
{
    struct counting *counting = context;
    for (uint32_t i = 0; i < count; i++) {
        bool root = counting->nodes++ == 0, events = !root && method_has_events(nodes[i].method);
        if (nodes[i].method == METHOD_COUNTED) {
            counting->above = counting->nodes - 1;
        } else if (events && counting->above && nodes[i].parent == counting->above) {
            CLEW_TRY(add_counted(counting, &nodes[i]));
        } else if (events) {
            uint64_t calls = nodes[i].calls, open = nodes[i].open;
            bool real = !method_is_no_call(nodes[i].method);
            counting->calls += real ? calls : 0;
            counting->open += real ? open : 0;
            counting->events += 2 * calls - (open < calls ? open : calls);
        }
    }
    return CLEW_OK;
}

enum clew_error model_count_trees(struct model_load *load)
{
    for (uint32_t i = 0; i < load->model->catalog.thread_count; i++) {
        struct catalog_thread *thread = &load->model->catalog.threads[i];
        struct counting counted = {0};
        struct recording_tree tree;
        if (thread->events > 0 || thread->tree_offset == 0) {
            continue;
        }
        enum clew_error error = newest_tree(load, thread, count_part, &counted, &tree);
        if (error == CLEW_DAMAGED) {
            continue;
        }
        CLEW_TRY(error);
        thread->events = counted.events;
    }
    return CLEW_OK;
}

// A thread's tree that is being merged into the model's.
struct merging {
    struct model_load *load;
    uint32_t process, thread;
    bool worker;       // of the thread pool
    struct tree *tree; // NULL: no node was read yet
    struct counting counted;
    struct tree_merge physical;
    struct logical_merge logical; // used in its place if the model has the logical view
    bool throws;                  // the thread has figures of what was thrown
    struct thrown_merge thrown;
};

static enum clew_error begin_merging(struct merging *merging)
{
    struct model *model = merging->load->model;
    struct async_paths paths = async_paths(&model->async, merging->process);
    CLEW_TRY(model_fill_tree(merging->load, merging->process, merging->thread, NODES_MAX, &merging->tree));
    merging->physical =
        (struct tree_merge){.tree = merging->tree, .process = merging->process, .async = &model->async, .paths = paths};
    merging->logical = (struct logical_merge){
        .tree = merging->tree, .process = merging->process, .async = &model->async, .paths = paths};
    return CLEW_OK;
}

static uint64_t entry_of(const struct model *model, uint32_t process, uint32_t method)
{
    const struct async_method *async = async_find(&model->async, process, method);
    return (uint64_t)process << 32 | (async ? async->body : method);
}

bool model_begins_thread(const struct model *model, uint32_t process, uint32_t method)
{
    uint64_t any;
    return map_get(&model->entries, entry_of(model, process, method), &any);
}

// Notes the methods that no recorded method has called. On a worker of the thread pool they are what it was given to do.
static enum clew_error note_entries(struct merging *merging, const struct recording_node *nodes, uint32_t count)
{
    struct model *model = merging->load->model;
    for (uint32_t i = merging->counted.nodes == 0; i < count && !merging->worker; i++) {
        bool entry =
            nodes[i].parent == 0 && nodes[i].method >= METHOD_FIRST_REAL && nodes[i].method < METHOD_NUMBERS_MAX;
        if (entry && !map_put(&model->entries, entry_of(model, merging->process, nodes[i].method), 1)) {
            return CLEW_NO_MEMORY;
        }
    }
    return CLEW_OK;
}

static bool is_logical(const struct merging *merging)
{
    return merging->load->model->view == MODEL_LOGICAL;
}

// Notes which of a thread's nodes an exception has ended.
static enum clew_error note_ends(struct merging *merging, const struct recording_node *nodes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct thrown_node node = {.parent = nodes[i].parent, .ended = nodes[i].exceptions};
        uint32_t number = merging->thrown.count;
        if (is_logical(merging)) {
            node.row = logical_merge_ends(&merging->logical, number, &node.catches);
            node.ended = node.catches ? 0 : node.ended; // the figures of its runs have them
        } else if (method_has_events(nodes[i].method)) {
            uint32_t into = merging->physical.into[number];
            node.row = into == TREE_NONE ? TREE_ROOT : into; // counted calls are in no tree
        }
        CLEW_TRY(thrown_merge_node(&merging->thrown, &node));
    }
    return CLEW_OK;
}

static enum clew_error merge_part(void *context, const struct recording_node *nodes, uint32_t count)
{
    struct merging *merging = context;
    if (!merging->tree) {
        CLEW_TRY(begin_merging(merging));
    }
    CLEW_TRY(note_entries(merging, nodes, count));
    CLEW_TRY(count_part(&merging->counted, nodes, count));
    CLEW_TRY(is_logical(merging) ? logical_merge_part(&merging->logical, nodes, count)
                                 : tree_merge_part(&merging->physical, nodes, count));
    return merging->throws ? note_ends(merging, nodes, count) : CLEW_OK;
}

// Notes how many activations of async methods an exception ended. Those that one ended which cancels are not told from them by
// what was caught.
static void note_failures(struct merging *merging, const struct recording_runs *runs)
{
    for (uint32_t i = 0; i < runs->count; i++) {
        uint32_t number = runs->runs[i].node;
        struct thrown_node *node = number < merging->thrown.count ? &merging->thrown.nodes[number] : NULL;
        if (node && node->catches) {
            node->ended = runs->runs[i].faulted;
            node->row = runs->runs[i].cancelled ? TREE_ROOT : node->row;
        }
    }
}

// Adds the figures of a thread's runs. Without them, or if they are damaged, they are 0.
static enum clew_error merge_runs(struct merging *merging, const struct catalog_thread *thread)
{
    struct model_load *load = merging->load;
    struct recording_record record;
    if (!merging->tree || thread->runs_offset == 0) {
        return CLEW_OK;
    }
    enum clew_error error = recording_read(load->reader, thread->runs_offset, RECORDING_RUNS, &record);
    if (error == CLEW_DAMAGED || error == CLEW_NOT_FOUND) {
        load->model->health.damaged += load->model->health.damaged == 0; // no pass reads these blocks
        return CLEW_OK;
    }
    CLEW_TRY(error);
    note_failures(merging, &record.runs);
    return is_logical(merging) ? logical_merge_runs(&merging->logical, &record.runs)
                               : tree_merge_runs(&merging->physical, &record.runs);
}

// Adds by which exceptions activations ended. Without the figures, or if they are damaged, it is not known.
static enum clew_error merge_throws(struct merging *merging, const struct catalog_thread *thread)
{
    const struct model *model = merging->load->model;
    struct recording_record record;
    if (!merging->tree || !merging->throws) {
        return CLEW_OK;
    }
    enum clew_error error = recording_read(merging->load->reader, thread->throws_offset, RECORDING_EXCEPTIONS, &record);
    if (error == CLEW_DAMAGED || error == CLEW_NOT_FOUND) {
        return CLEW_OK; // the report of exceptions counts the damage
    }
    CLEW_TRY(error);
    return thrown_merge_end(&merging->thrown, &record.throws, !model->throws_missing, &merging->tree->thrown);
}

// Reads a thread's newest tree and merges it. Damage in it affects only this thread.
static enum clew_error read_tree(struct model_load *load, struct catalog_thread *thread)
{
    struct merging merging = {.load = load,
                              .process = thread->record.process,
                              .thread = thread->record.thread,
                              .worker = text_equal(thread->record.name, text_of(MODEL_WORKER)),
                              .throws = thread->throws_offset > thread->tree_offset,
                              .thrown = {.types = {&load->model->exception_types, thread->record.process}},
                              .counted = {.model = load->model, .process = thread->record.process}};
    struct recording_tree newest;
    bool logical = is_logical(&merging);
    enum clew_error error = newest_tree(load, thread, merge_part, &merging, &newest);
    logical_merge_times(&merging.logical);
    error = error == CLEW_OK ? merge_runs(&merging, thread) : error;
    error = error == CLEW_OK ? merge_throws(&merging, thread) : error;
    thrown_merge_free(&merging.thrown);
    uint64_t calls = logical ? merging.logical.calls : merging.counted.calls + merging.physical.kickoffs;
    uint64_t open = logical ? merging.logical.open : merging.counted.open + merging.physical.open_kickoffs;
    tree_merge_end(&merging.physical);
    logical_merge_fini(&merging.logical);
    CLEW_TRY(error);
    thread->calls += calls + merging.counted.alone;
    thread->open += open;
    thread->events = merging.counted.events;
    thread->last_clock = newest.clock;
    return CLEW_OK;
}

enum clew_error model_finish_logical(struct model *model)
{
    for (uint32_t i = 0; i < model->tree_count; i++) {
        CLEW_TRY(tree_logical_finish(&model->trees[i].tree));
    }
    return CLEW_OK;
}

enum clew_error model_read_trees(struct model_load *load)
{
    for (uint32_t i = 0; i < load->model->catalog.thread_count; i++) {
        struct catalog_thread *thread = &load->model->catalog.threads[i];
        if (thread->tree_offset == 0 ||
            !model_takes_thread(load->model, thread->record.process, thread->record.thread)) {
            continue;
        }
        enum clew_error error = read_tree(load, thread);
        if (error == CLEW_DAMAGED) {
            load->model->health.damaged++; // the tree contradicts itself; the others are shown
        } else if (error != CLEW_OK) {
            return error;
        }
    }
    return CLEW_OK;
}
