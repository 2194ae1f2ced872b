// See model.h. Pass 1 reads all definitions and notes where each thread's newest tree stands; then those trees are read;
// then, for threads without a tree, the streams are replayed into one.
#include "model/model.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "model/stream.h"

enum {
    DEFINITIONS = 1u << RECORDING_PROCESS | 1u << RECORDING_MODULE | 1u << RECORDING_METHOD | 1u << RECORDING_THREAD |
                  1u << RECORDING_NOT_WOVEN | 1u << RECORDING_NOTE | 1u << RECORDING_END,
    TREES = 1u << RECORDING_TREE_NODES,
    NODES_MAX = (1 << 22) - (1 << 16), // of all trees, 400 MiB with their hash; a program has room for hardly more
    STREAM_NODES_MAX = 3000000,        // of those, made of streams, which know no bounds
};

struct load {
    struct model *model;
    struct recording_reader *reader;
    struct stream *streams; // parallel to catalog.threads
    uint32_t stream_count;
    struct stream_work work;
    struct map tree_of; // process << 32 | thread: index in model.trees
    uint32_t nodes;     // of all trees but the one under way
    // Of the block under way:
    struct tree *tree;
    uint32_t thread;     // index
    bool counted_before; // the activations that begin are those that an earlier part of the recording has counted
};

uint64_t model_ns(const struct model *model, uint64_t ticks)
{
    double hz = model->session.clock_hz, ns = hz > 0 ? (double)ticks * 1e9 / hz : 0;
    return ns < 1.8e19 ? (uint64_t)(ns + 0.5) : UINT64_MAX; // a rate may be next to nothing
}

uint64_t model_ticks(const struct model *model, uint64_t ns)
{
    double ticks = (double)ns * model->session.clock_hz / 1e9;
    return ticks < 1.8e19 ? (uint64_t)(ticks + 0.5) : UINT64_MAX;
}

uint64_t model_since_start_ns(const struct model *model, uint64_t clock)
{
    return clock > model->session.started_clock ? model_ns(model, clock - model->session.started_clock) : 0;
}

bool model_damaged(const struct model *model)
{
    return recording_is_damaged(&model->health);
}

static void seen(struct model *model, uint64_t clock)
{
    model->ended_clock = clock > model->ended_clock ? clock : model->ended_clock;
}

static void merge_health(struct model *model, const struct recording_reader *reader)
{
    struct recording_health now = recording_health(reader);
    recording_meet(&model->health, &now);
}

static enum clew_error copy_session(struct model *model, const struct recording_session *session)
{
    model->session = *session;
    struct text *texts[] = {&model->session.version, &model->session.command, &model->session.folder,
                            &model->session.host, &model->session.scope};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        texts[i]->at = arena_text(&model->catalog.arena, texts[i]->at, texts[i]->size);
        if (!texts[i]->at) {
            return CLEW_NO_MEMORY;
        }
    }
    model->ended_clock = session->started_clock;
    return CLEW_OK;
}

// The index of a thread that data in the file is of; CATALOG_NONE when memory runs out.
static uint32_t thread_seen(struct model *model, uint32_t process, uint32_t thread, uint64_t clock)
{
    seen(model, clock);
    return catalog_process(&model->catalog, process) == CATALOG_NONE ? CATALOG_NONE
                                                                     : catalog_thread(&model->catalog, process, thread);
}

static enum clew_error note_tree(struct load *load, const struct recording_record *record)
{
    const struct recording_tree *tree = &record->tree;
    uint32_t thread = thread_seen(load->model, tree->process, tree->thread, tree->clock);
    if (thread == CATALOG_NONE) {
        return CLEW_NO_MEMORY;
    }
    load->model->catalog.threads[thread].tree_offset = record->offset;
    load->model->has_tree = true;
    return CLEW_OK;
}

static enum clew_error add_definition(struct load *load, const struct recording_record *record)
{
    struct model *model = load->model;
    switch (record->type) {
    case RECORDING_PROCESS:
        seen(model, record->process.ended_clock);
        return catalog_add_process(&model->catalog, &record->process);
    case RECORDING_MODULE:
        return catalog_add_module(&model->catalog, &record->module);
    case RECORDING_METHOD:
        return catalog_add_method(&model->catalog, &record->method);
    case RECORDING_THREAD:
        seen(model, record->thread.ended_clock);
        return catalog_add_thread(&model->catalog, &record->thread);
    case RECORDING_NOT_WOVEN:
        return catalog_add_not_woven(&model->catalog, &record->not_woven);
    case RECORDING_NOTE:
        return catalog_add_note(&model->catalog, &record->note);
    case RECORDING_TREE_NODES:
        return note_tree(load, record);
    case RECORDING_END:
        if (record->end.repaired) {
            model->repaired = true; // what it says was made of the rest of the file, as is done here
            return CLEW_OK;
        }
        model->has_end = true;
        model->end = record->end;
        seen(model, record->end.ended_clock);
        return CLEW_OK;
    default:
        counts_record(&model->counts, record);
        return CLEW_OK;
    }
}

static enum clew_error read_definitions(struct load *load)
{
    uint32_t types = DEFINITIONS | COUNTS_TYPES | (load->model->options.names_only ? 0 : TREES);
    struct recording_record record;
    enum clew_error error;
    while ((error = recording_next(load->reader, types, &record)) == CLEW_OK) {
        CLEW_TRY(add_definition(load, &record));
    }
    merge_health(load->model, load->reader);
    return error == CLEW_NOT_FOUND ? CLEW_OK : error;
}

// A block of a thread's stream or tree: the thread is there, and, where no END says how many events there were, those that
// the header tells of, or where its newest tree is.
static enum clew_error note_block(struct model *model, const struct recording_block *block)
{
    bool stream = block->type == RECORDING_EVENTS, tree = block->type == RECORDING_TREE_NODES;
    if (!stream && !tree) {
        return CLEW_OK;
    }
    uint32_t index = thread_seen(model, block->process, block->thread, block->last_clock);
    if (index == CATALOG_NONE) {
        return CLEW_NO_MEMORY;
    }
    struct catalog_thread *thread = &model->catalog.threads[index];
    if (stream && !model->has_end) {
        uint64_t sites = (uint64_t)block->statements + block->values;
        thread->events += block->count > sites ? block->count - sites : 0;
    } else if (tree && block->part == 0) {
        thread->tree_offset = block->offset;
    }
    return CLEW_OK;
}

// What the block is, and, where no session says so, by which instrument.
static void note_kind(struct model *model, const struct recording_block *block)
{
    bool stream = block->type == RECORDING_EVENTS, tree = block->type == RECORDING_TREE_NODES;
    model->has_stream = model->has_stream || stream;
    model->has_tree = model->has_tree || tree;
    if (!model->has_session) {
        model->session.instruments |= (tree ? RECORDING_TREE : 0u) | (stream ? RECORDING_CALLS : 0u) |
                                      (block->statements ? RECORDING_STATEMENTS : 0u) |
                                      (block->values ? RECORDING_VALUES : 0u) |
                                      (block->type == RECORDING_COUNTERS ? RECORDING_LINES : 0u);
    }
}

// What there is beside definitions, by the blocks' headers; threads too, where nothing else will tell of them.
static enum clew_error look_over(struct load *load)
{
    struct model *model = load->model;
    const struct recording_block *blocks;
    size_t count;
    CLEW_TRY(recording_index(load->reader, &blocks, &count));
    for (size_t i = 0; i < count; i++) {
        counts_block(&model->counts, &blocks[i]);
        note_kind(model, &blocks[i]);
        if (model->options.names_only) {
            CLEW_TRY(note_block(model, &blocks[i]));
        }
    }
    return CLEW_OK;
}

// Whether all of the file is whole: what is not decoded is not seen otherwise.
static enum clew_error check_all(struct load *load)
{
    CLEW_TRY(load->model->options.verify ? recording_verify(load->reader) : recording_check(load->reader));
    merge_health(load->model, load->reader);
    return CLEW_OK;
}

// The tree that this thread's data goes to.
static enum clew_error find_tree(struct load *load, uint32_t process, uint32_t thread, struct tree **out)
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

// The same, with room for as many nodes as all trees together may still have.
static enum clew_error tree_for(struct load *load, uint32_t process, uint32_t thread, uint32_t nodes_max,
                                struct tree **out)
{
    load->nodes += load->tree ? load->tree->count : 0;
    load->tree = NULL;
    CLEW_TRY(find_tree(load, process, thread, out));
    load->tree = *out;
    CLEW_ASSERT(load->nodes >= load->tree->count);
    load->nodes -= load->tree->count;
    load->tree->nodes_max = load->nodes < nodes_max ? nodes_max - load->nodes : 0;
    return CLEW_OK;
}

static void count_tree(struct catalog_thread *thread, const struct recording_tree *tree)
{
    for (uint32_t i = 1; i < tree->count; i++) {
        if (tree->nodes[i].method >= MODEL_METHOD_FIRST_REAL) {
            thread->calls += tree->nodes[i].calls;
            thread->open += tree->nodes[i].open;
        }
    }
    thread->events = 2 * thread->calls - (thread->open < thread->calls ? thread->open : thread->calls);
    thread->last_clock = tree->clock;
}

// Without an END: the entries and exits of threads that have no stream, of each one's newest tree alone.
static enum clew_error count_newest_trees(struct load *load)
{
    for (uint32_t i = 0; i < load->model->catalog.thread_count; i++) {
        struct catalog_thread *thread = &load->model->catalog.threads[i], counted = {0};
        struct recording_record record;
        if (thread->events > 0 || thread->tree_offset == 0) {
            continue;
        }
        enum clew_error error = recording_read(load->reader, thread->tree_offset, RECORDING_TREE_NODES, &record);
        if (error == CLEW_DAMAGED) {
            continue;
        }
        CLEW_TRY(error);
        count_tree(&counted, &record.tree);
        thread->events = counted.events;
    }
    return CLEW_OK;
}

static enum clew_error read_tree(struct load *load, uint32_t index)
{
    struct recording_record record;
    struct tree *tree;
    uint64_t offset = load->model->catalog.threads[index].tree_offset;
    CLEW_TRY(recording_read(load->reader, offset, RECORDING_TREE_NODES, &record));
    CLEW_TRY(tree_for(load, record.tree.process, record.tree.thread, NODES_MAX, &tree));
    count_tree(&load->model->catalog.threads[index], &record.tree);
    return tree_merge(tree, &record.tree);
}

static enum clew_error read_trees(struct load *load)
{
    for (uint32_t i = 0; i < load->model->catalog.thread_count; i++) {
        if (load->model->catalog.threads[i].tree_offset == 0) {
            continue;
        }
        enum clew_error error = read_tree(load, i);
        if (error == CLEW_DAMAGED) {
            load->model->health.damaged++; // a tree that contradicts itself; the rest is shown
        } else if (error != CLEW_OK) {
            return error;
        }
    }
    return CLEW_OK;
}

static enum clew_error begin(void *context, struct stream *stream, struct stream_frame *frame)
{
    struct load *load = context;
    const struct stream_frame *caller = stream_caller(stream, frame);
    CLEW_ASSERT(!caller || caller->number < load->tree->count);
    uint32_t node = tree_child(load->tree, caller ? (uint32_t)caller->number : TREE_ROOT, frame->method);
    if (node == TREE_NONE) {
        return CLEW_NO_MEMORY;
    }
    frame->number = node;
    if (load->counted_before) { // its time so far, too
        frame->started = frame->started < stream->last_clock ? stream->last_clock : frame->started;
        return CLEW_OK;
    }
    load->tree->nodes[node].calls++;
    load->model->catalog.threads[load->thread].calls++;
    return CLEW_OK;
}

// Adds the time of an activation to its node and to its caller's time inside callees.
static void add_time(struct tree *tree, const struct stream *stream, const struct stream_frame *frame, uint64_t clock,
                     bool whole)
{
    CLEW_ASSERT(frame->number < tree->count);
    struct tree_node *node = &tree->nodes[frame->number];
    uint64_t time = stream_time(frame, clock);
    const struct stream_frame *caller = stream_caller(stream, frame);
    node->total += time;
    tree->nodes[caller ? caller->number : TREE_ROOT].inside += time;
    if (!caller) {
        tree->nodes[TREE_ROOT].total += time;
    }
    if (whole) {
        node->shortest = time < node->shortest ? time : node->shortest;
        node->longest = time > node->longest ? time : node->longest;
    }
}

static enum clew_error end(void *context, struct stream *stream, struct stream_frame *frame, uint64_t clock,
                           enum stream_end how)
{
    struct load *load = context;
    add_time(load->tree, stream, frame, clock, !frame->joined);
    load->tree->nodes[frame->number].exceptions += how == STREAM_UNWOUND;
    return CLEW_OK;
}

static bool grow_streams(struct load *load)
{
    uint32_t wanted = load->model->catalog.thread_count;
    if (wanted <= load->stream_count) {
        return true;
    }
    wanted += wanted / 2 + 8;
    struct stream *streams = realloc(load->streams, (size_t)wanted * sizeof *streams);
    if (!streams) {
        return false;
    }
    for (uint32_t i = load->stream_count; i < wanted; i++) {
        streams[i] = (struct stream){0};
    }
    load->streams = streams;
    load->stream_count = wanted;
    return true;
}

static enum clew_error replay_block(struct load *load, const struct recording_events *block)
{
    struct model *model = load->model;
    load->thread = thread_seen(model, block->process, block->thread, block->last_clock);
    if (load->thread == CATALOG_NONE || !grow_streams(load)) {
        return CLEW_NO_MEMORY;
    }
    if (model->catalog.threads[load->thread].tree_offset) {
        return CLEW_OK; // its tree says the same, and also what streams lost
    }
    struct tree *tree;
    CLEW_TRY(tree_for(load, block->process, block->thread, STREAM_NODES_MAX, &tree));
    struct stream *stream = &load->streams[load->thread];
    struct stream_user user = {begin, end, load, &load->work};
    load->counted_before = !stream->begun && model->session.part > 1;
    CLEW_TRY(stream_open_block(stream, block, &user));
    load->counted_before = false;
    const uint32_t *stacks = block->stacks;
    for (uint32_t i = 0; i < block->count; i++) {
        const struct recording_event *event = &block->events[i];
        CLEW_TRY(stream_step(stream, event, stacks, &user));
        stacks += event->kind == RECORDING_STACK ? event->method : 0;
    }
    return CLEW_OK;
}

// The newest event of each process, by its number.
static enum clew_error find_newest(const struct load *load, struct map *newest)
{
    const struct catalog *catalog = &load->model->catalog;
    for (uint32_t i = 0; i < catalog->thread_count && i < load->stream_count; i++) {
        uint64_t before = 0, process = catalog->threads[i].record.process;
        (void)map_get(newest, process, &before); // 0 for the first
        if (load->streams[i].last_clock > before && !map_put(newest, process, load->streams[i].last_clock)) {
            return CLEW_NO_MEMORY;
        }
    }
    return CLEW_OK;
}

// When the last is known of a thread: its own end, else its process's, else the newest event of that process.
static uint64_t last_moment(const struct load *load, const struct map *newest, uint32_t index)
{
    const struct catalog *catalog = &load->model->catalog;
    const struct recording_thread *thread = &catalog->threads[index].record;
    uint64_t last = thread->ended_clock;
    uint32_t process = catalog_find_process(catalog, thread->process);
    if (!last && process != CATALOG_NONE) {
        last = catalog->processes[process].ended_clock;
    }
    if (!last) {
        (void)map_get(newest, thread->process, &last);
    }
    return last > load->streams[index].last_clock ? last : load->streams[index].last_clock;
}

static enum clew_error finish_stream(struct load *load, const struct map *newest, uint32_t index)
{
    struct stream *stream = &load->streams[index];
    struct catalog_thread *thread = &load->model->catalog.threads[index];
    struct tree *tree;
    CLEW_TRY(find_tree(load, thread->record.process, thread->record.thread, &tree));
    uint64_t last = last_moment(load, newest, index);
    for (uint32_t i = stream->depth; i-- > 0;) {
        if (stream->frames[i].filter) {
            stream_pass_over(stream, &stream->frames[i], last, &load->work);
            continue;
        }
        add_time(tree, stream, &stream->frames[i], last, false);
        tree->nodes[stream->frames[i].number].open++;
        thread->open++;
    }
    thread->events = stream->events;
    thread->lost = stream->lost;
    thread->last_clock = last;
    load->model->gaps += stream->gaps;
    return CLEW_OK;
}

static enum clew_error read_streams(struct load *load)
{
    struct recording_record record;
    enum clew_error error;
    CLEW_TRY(recording_rewind(load->reader, 0));
    while ((error = recording_next(load->reader, 1u << RECORDING_EVENTS, &record)) == CLEW_OK) {
        CLEW_TRY(replay_block(load, &record.events));
    }
    merge_health(load->model, load->reader);
    if (error != CLEW_NOT_FOUND) {
        return error;
    }
    struct map newest = {0};
    error = find_newest(load, &newest);
    for (uint32_t i = 0; error == CLEW_OK && i < load->model->catalog.thread_count && i < load->stream_count; i++) {
        error = load->streams[i].begun ? finish_stream(load, &newest, i) : CLEW_OK;
    }
    map_free(&newest);
    return error;
}

// Every method of a node gets an entry, so that views need not care.
static enum clew_error name_methods(struct model *model)
{
    for (uint32_t i = 0; i < model->tree_count; i++) {
        const struct tree *tree = &model->trees[i].tree;
        model->folded = model->folded || tree->over_cap;
        for (uint32_t node = 1; node < tree->count; node++) {
            if (catalog_method(&model->catalog, model->trees[i].process, tree->nodes[node].method) == CATALOG_NONE) {
                return CLEW_NO_MEMORY;
            }
        }
    }
    return catalog_link(&model->catalog);
}

static void total_up(struct model *model)
{
    uint64_t lost_in_processes = 0, lost_in_threads = 0;
    bool cut = false;
    model->events = model->counts.statements + model->counts.values + model->counts.lines;
    for (uint32_t i = 0; i < model->catalog.thread_count; i++) {
        struct catalog_thread *thread = &model->catalog.threads[i];
        thread->lost = thread->record.lost > thread->lost ? thread->record.lost : thread->lost;
        lost_in_threads += thread->lost;
        model->events += thread->events;
        model->calls += thread->calls;
        model->open += thread->open;
    }
    for (uint32_t i = 0; i < model->catalog.process_count; i++) {
        const struct recording_process *process = &model->catalog.processes[i];
        lost_in_processes += process->lost;
        model->over_cap = model->over_cap || process->over_cap;
        cut = cut || process->state == RECORDING_PROCESS_DORMANT || process->state == RECORDING_PROCESS_CUT;
    }
    model->lost = lost_in_processes > lost_in_threads ? lost_in_processes : lost_in_threads;
    if (model->has_end) {
        model->events = model->end.events > model->events ? model->end.events : model->events;
        model->lost = model->end.lost > model->lost ? model->end.lost : model->lost;
    }
    model->complete = model->has_end && model->end.complete && !model_damaged(model) && model->health.cut_bytes == 0 &&
                      model->lost == 0 && !cut && model->gaps == 0;
}

static enum clew_error adjust(struct model *model)
{
    for (uint32_t i = 0; i < model->tree_count; i++) {
        uint32_t index = catalog_find_process(&model->catalog, model->trees[i].process);
        if (index == CATALOG_NONE || !model_has_times(model)) {
            continue;
        }
        const struct recording_process *process = &model->catalog.processes[index];
        double ticks_per_ps = model->session.clock_hz / 1e12;
        double probe = (double)process->probe_ps * ticks_per_ps, own = (double)process->probe_own_ps * ticks_per_ps;
        CLEW_TRY(tree_adjust(&model->trees[i].tree, probe > own ? probe : own, own));
        model->adjusted = model->adjusted || process->probe_ps > 0;
    }
    return CLEW_OK;
}

// The rate measured over the whole session is better than the one from its start.
static void settle_rate(struct model *model)
{
    for (uint32_t i = 0; i < model->catalog.process_count; i++) {
        double hz = model->catalog.processes[i].clock_hz;
        model->session.clock_hz = hz > 0 ? hz : model->session.clock_hz;
    }
}

static enum clew_error load_all(struct load *load)
{
    struct model *model = load->model;
    model->file_size = recording_file_size(load->reader);
    model->has_session = recording_has_session(load->reader);
    CLEW_TRY(copy_session(model, recording_session(load->reader)));
    CLEW_TRY(read_definitions(load));
    CLEW_TRY(look_over(load));
    settle_rate(model);
    if (model->options.names_only) {
        CLEW_TRY(model->has_end ? CLEW_OK : count_newest_trees(load));
        CLEW_TRY(model->options.unchecked ? CLEW_OK : check_all(load));
    } else {
        CLEW_TRY(read_trees(load));
        CLEW_TRY(read_streams(load));
    }
    // Where statements are in the streams, they are counted there.
    bool lines_alone = (model->session.instruments & (RECORDING_LINES | RECORDING_STATEMENTS)) == RECORDING_LINES;
    if (!model->has_end && lines_alone) {
        CLEW_TRY(counts_lines(&model->counts, load->reader));
    }
    CLEW_TRY(name_methods(model));
    total_up(model);
    return model->options.adjust ? adjust(model) : CLEW_OK;
}

enum clew_error model_load(const char *path, const struct model_options *options, struct model **out)
{
    struct load load = {.model = calloc(1, sizeof *load.model)};
    if (!load.model) {
        return CLEW_NO_MEMORY;
    }
    load.model->options = *options;
    enum clew_error error = recording_open(path, &load.reader);
    if (error == CLEW_OK) {
        error = load_all(&load);
        recording_close_reader(load.reader);
    }
    for (uint32_t i = 0; i < load.stream_count; i++) {
        stream_fini(&load.streams[i]);
    }
    free(load.streams);
    map_free(&load.tree_of);
    if (error != CLEW_OK) {
        model_free(load.model);
        return error;
    }
    *out = load.model;
    return CLEW_OK;
}

void model_free(struct model *model)
{
    if (!model) {
        return;
    }
    for (uint32_t i = 0; i < model->tree_count; i++) {
        tree_fini(&model->trees[i].tree);
    }
    free(model->trees);
    catalog_fini(&model->catalog);
    free(model);
}
