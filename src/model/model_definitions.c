// The first pass of loading a model: definitions, and the facts that block headers give.
#include "model/model_load.h"
#include "trace/instrument.h"

enum {
    DEFINITIONS = 1u << RECORDING_PROCESS | 1u << RECORDING_MODULE | 1u << RECORDING_METHOD | 1u << RECORDING_THREAD |
                  1u << RECORDING_NOT_WOVEN | 1u << RECORDING_NOTE | 1u << RECORDING_END | 1u << RECORDING_ASYNC |
                  1u << RECORDING_DOCUMENT | 1u << RECORDING_EXCEPTION | 1u << RECORDING_COMPILED |
                  1u << RECORDING_POINTS,
    TREES = 1u << RECORDING_TREE_NODES | 1u << RECORDING_PATHS,
};

// The latest moment seen in any record becomes the end of a session without an END block.
static void seen(struct model *model, uint64_t clock)
{
    model->ended_clock = clock > model->ended_clock ? clock : model->ended_clock;
}

void model_merge_health(struct model_load *load)
{
    struct recording_health now = recording_health(load->reader);
    recording_meet(&load->model->health, &now);
}

uint32_t model_thread_seen(struct model *model, uint32_t process, uint32_t thread, uint64_t clock)
{
    seen(model, clock);
    return catalog_process(&model->catalog, process) == CATALOG_NONE ? CATALOG_NONE
                                                                     : catalog_thread(&model->catalog, process, thread);
}

// -- Definitions ------------------------------------------------------------------------------------------------------

// The reader's record and its texts do not outlive the reader.
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

// Remembers where the tree is; model_trees.c reads it once it is known to be the thread's newest.
static enum clew_error note_tree(struct model_load *load, const struct recording_record *record)
{
    const struct recording_tree *tree = &record->tree;
    uint32_t thread = model_thread_seen(load->model, tree->process, tree->thread, tree->clock);
    if (thread == CATALOG_NONE) {
        return CLEW_NO_MEMORY;
    }
    load->model->catalog.threads[thread].tree_offset = record->offset;
    load->model->catalog.threads[thread].of_stream = tree->of_stream;
    load->model->has_tree = true;
    return CLEW_OK;
}

// `clew repair` computed a repaired END from the rest of the file, as the model does itself. It is no better than the
// model's sums, so it does not count as an END.
static void note_end(struct model *model, const struct recording_end *end)
{
    if (end->repaired) {
        model->repaired = true;
        return;
    }
    model->has_end = true;
    model->end = *end;
    seen(model, end->ended_clock);
}

static enum clew_error note_exception(struct model *model, const struct recording_exception *exception)
{
    uint64_t key = (uint64_t)exception->process << 32 | exception->exception;
    return map_put(&model->exception_types, key, exception->type) ? CLEW_OK : CLEW_NO_MEMORY;
}

// Passes one record to the catalog, or to the part of the model that it belongs to.
static enum clew_error add_definition(struct model_load *load, const struct recording_record *record)
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
    case RECORDING_ASYNC:
        return async_add_method(&model->async, &record->async);
    case RECORDING_PATHS:
        return async_add_paths(&model->async, &record->paths);
    case RECORDING_DOCUMENT:
        return document_table_add(&model->documents, &record->document);
    case RECORDING_EXCEPTION:
        return note_exception(model, &record->exception);
    case RECORDING_COMPILED:
        model->compiled++;
        return CLEW_OK;
    case RECORDING_POINTS:
        model->has_points = true;
        return CLEW_OK;
    case RECORDING_END:
        note_end(model, &record->end);
        return CLEW_OK;
    default:
        counts_record(&model->counts, record);
        return CLEW_OK;
    }
}

enum clew_error model_read_definitions(struct model_load *load)
{
    const struct model_options *options = &load->model->options;
    uint32_t types = DEFINITIONS | (options->unchecked && options->names_only ? 0 : COUNTS_TYPES) |
                     (options->names_only ? 0 : TREES);
    struct recording_record record;
    enum clew_error error;
    CLEW_TRY(copy_session(load->model, recording_session(load->model->recording)));
    if (options->unchecked) {
        CLEW_TRY(recording_rewind_listed(load->reader));
    }
    recording_want_tree_parts(load->reader, model_drop_nodes, NULL);
    while ((error = recording_next(load->reader, types, &record)) == CLEW_OK) {
        CLEW_TRY(add_definition(load, &record));
    }
    model_merge_health(load);
    return error == CLEW_NOT_FOUND ? CLEW_OK : error;
}

// -- Headers ----------------------------------------------------------------------------------------------------------

// Uses the header of a stream's or tree's block: it names the thread, has the number of its events (needed without an
// END), and the position of the thread's newest tree.
static enum clew_error note_block(struct model *model, const struct recording_block *block)
{
    bool stream = block->type == RECORDING_EVENTS, tree = block->type == RECORDING_TREE_NODES;
    if (!stream && !tree) {
        return CLEW_OK;
    }
    uint32_t index = model_thread_seen(model, block->process, block->thread, block->last_clock);
    if (index == CATALOG_NONE) {
        return CLEW_NO_MEMORY;
    }
    struct catalog_thread *thread = &model->catalog.threads[index];
    if (stream && !model->has_end) {
        uint64_t sites = (uint64_t)block->statements + block->values;
        thread->events += block->count > sites ? block->count - sites : 0;
    } else if (tree && block->part == 0) {
        thread->tree_offset = block->offset;
        thread->first_changes = thread->last_changes = 0;
    }
    return CLEW_OK;
}

// Uses the header of a stream's block whose payload need not be read. A tree of a stream counts the blocks before it
// only: with later ones, the totals come from the stream.
static void note_counted(struct model *model, const struct recording_block *block)
{
    uint32_t index = catalog_find_thread(&model->catalog, block->process, block->thread);
    if (block->type != RECORDING_EVENTS || index == CATALOG_NONE) {
        return;
    }
    struct catalog_thread *thread = &model->catalog.threads[index];
    if (thread->of_stream && block->offset > thread->tree_offset) {
        thread->tree_offset = 0;
    } else if (thread->tree_offset) {
        seen(model, block->last_clock);
    }
}

// The newest figures of runs, and of throws, behind a thread's newest tree count.
static void note_figures(struct model *model, const struct recording_block *block)
{
    uint32_t index = catalog_find_thread(&model->catalog, block->process, block->thread);
    struct catalog_thread *thread = index == CATALOG_NONE ? NULL : &model->catalog.threads[index];
    if (thread && block->part == 0 && thread->tree_offset > 0 && block->offset > thread->tree_offset) {
        *(block->type == RECORDING_RUNS ? &thread->runs_offset : &thread->throws_offset) = block->offset;
    }
}

// Thread 0 stands for throws that no thread's figures have.
static enum clew_error note_missing_throws(struct model_load *load, const struct recording_block *block)
{
    struct recording_record record;
    enum clew_error error = recording_read(load->reader, block->offset, RECORDING_EXCEPTIONS, &record);
    if (error == CLEW_DAMAGED || error == CLEW_NOT_FOUND) {
        return CLEW_OK; // the report of exceptions counts the damage
    }
    CLEW_TRY(error);
    for (uint32_t i = 0; i < record.throws.count; i++) {
        load->model->throws_missing = load->model->throws_missing || record.throws.throws[i].flags & THROW_OVER;
    }
    return CLEW_OK;
}

static enum clew_error note_changes(struct model_load *load, const struct recording_block *block)
{
    uint32_t index = model_thread_seen(load->model, block->process, block->thread, block->last_clock);
    return index == CATALOG_NONE ? CLEW_NO_MEMORY
                                 : model_note_changes(load, &load->model->catalog.threads[index], block->offset);
}

// Notes which kinds of data the file has. Without an intact SESSION block, these show which instruments were on. Hooks record a
// tree in place of lines, so a tree counts in any case.
static void note_kind(struct model *model, const struct recording_block *block)
{
    bool stream = block->type == RECORDING_EVENTS, tree = block->type == RECORDING_TREE_NODES;
    model->has_stream = model->has_stream || stream;
    model->has_tree = model->has_tree || tree;
    model->session.instruments |= tree && !recording_block_of_stream(block) ? INSTRUMENT_TREE : 0u;
    if (!model->has_session) {
        model->session.instruments |=
            (stream ? INSTRUMENT_CALLS : 0u) | (block->statements ? INSTRUMENT_STATEMENTS : 0u) |
            (block->values ? INSTRUMENT_VALUES : 0u) | (block->type == RECORDING_COUNTERS ? INSTRUMENT_LINES : 0u);
    }
}

// Counts a block of a stream as damaged if its clocks cannot be true: a thread's events never go back in time. `last`: by
// thread, the last clock of the blocks before.
static enum clew_error check_clocks(struct model *model, struct map *last, const struct recording_block *block)
{
    uint64_t thread = (uint64_t)block->process << 32 | block->thread, before = 0;
    if (block->type != RECORDING_EVENTS) {
        return CLEW_OK;
    }
    (void)map_get(last, thread, &before); // stays 0 for the first
    model->health.damaged += block->first_clock > block->last_clock || block->first_clock < before;
    return map_put(last, thread, block->last_clock) ? CLEW_OK : CLEW_NO_MEMORY;
}

static enum clew_error read_headers(struct model_load *load, struct map *clocks)
{
    struct model *model = load->model;
    const struct recording_block *blocks;
    size_t count;
    CLEW_TRY(recording_index(model->recording, &blocks, &count));
    for (size_t i = 0; i < count; i++) {
        CLEW_TRY(check_clocks(model, clocks, &blocks[i]));
        counts_block(&model->counts, &blocks[i]);
        note_kind(model, &blocks[i]);
        if (blocks[i].type == RECORDING_TREE_CHANGES) {
            CLEW_TRY(note_changes(load, &blocks[i]));
        }
        if (blocks[i].type == RECORDING_RUNS || blocks[i].type == RECORDING_EXCEPTIONS) {
            note_figures(model, &blocks[i]);
        }
        if (blocks[i].type == RECORDING_EXCEPTIONS && blocks[i].thread == 0 && !model->options.names_only) {
            CLEW_TRY(note_missing_throws(load, &blocks[i]));
        }
        if (model->options.names_only) {
            CLEW_TRY(note_block(model, &blocks[i]));
        } else {
            note_counted(model, &blocks[i]);
        }
    }
    return CLEW_OK;
}

enum clew_error model_read_headers(struct model_load *load)
{
    struct map clocks = {0};
    enum clew_error error = read_headers(load, &clocks);
    map_free(&clocks);
    return error;
}
