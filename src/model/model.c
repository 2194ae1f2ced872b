// See model.h. Loading takes up to three passes: all definitions, which also note each thread's newest tree
// (model_definitions.c); those trees (model_trees.c); and, for threads without a tree, the streams, which are replayed
// into trees (model_streams.c). A range of time comes from its blocks of the streams alone (model_range.c). With `adjust`
// another one sums up what probes cost (adjust.c).
#include "model/model.h"

#include <stdlib.h>

#include "model/adjust.h"
#include "model/missing_symbols.h"
#include "model/model_load.h"
#include "model/tree_callers.h"
#include "model/tree_chosen.h"
#include "trace/instrument.h"

bool model_counted_calls(const struct model *model)
{
    return !model->options.names_only &&
           (model->session.instruments & (INSTRUMENT_TREE | INSTRUMENT_STREAMS) || model->calls > 0);
}

bool model_damaged(const struct model *model)
{
    return recording_is_damaged(&model->health);
}

// Checks the whole file with names_only: damage in blocks that are not decoded would go unnoticed.
static enum clew_error check_all(struct model_load *load)
{
    CLEW_TRY(load->model->options.verify ? recording_verify(load->reader) : recording_check(load->reader));
    model_merge_health(load);
    return CLEW_OK;
}

enum clew_error model_check(struct model *model)
{
    struct recording_reader *reader;
    CLEW_TRY(recording_new_reader(model->recording, &reader));
    enum clew_error error = recording_check(reader);
    struct recording_health health = recording_health(reader);
    recording_meet(&model->health, &health);
    model->complete = model->complete && !model_damaged(model);
    recording_close_reader(reader);
    return error;
}

// Gives every node's method a catalog entry, so that views need not handle missing ones.
static enum clew_error finish_trees(struct model *model)
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
    for (uint32_t i = 0; i < model->counted_count; i++) {
        if (catalog_method(&model->catalog, model->counted[i].process, model->counted[i].method) == CATALOG_NONE) {
            return CLEW_NO_MEMORY;
        }
    }
    CLEW_TRY(catalog_link(&model->catalog));
    return missing_symbols_note(&model->catalog);
}

// Sums over threads. A thread's own record and its stream may both count losses; where in time the former were is not known.
static void total_threads(struct model *model)
{
    uint64_t lost = 0;
    for (uint32_t i = 0; i < model->catalog.thread_count; i++) {
        struct catalog_thread *thread = &model->catalog.threads[i];
        if (!model_takes_thread(model, thread->record.process, thread->record.thread)) {
            thread->lost = 0;
            continue;
        }
        bool whole = !model_has_range(model);
        thread->lost = whole && thread->record.lost > thread->lost ? thread->record.lost : thread->lost;
        lost += thread->lost;
        model->events += thread->events;
        model->calls += thread->calls;
        model->open += thread->open;
    }
    model->lost = lost > model->lost ? lost : model->lost;
}

// A process's record can count losses that no thread's record has.
static void total_processes(struct model *model)
{
    uint64_t lost = 0;
    for (uint32_t i = 0; i < model->catalog.process_count; i++) {
        lost += model->catalog.processes[i].lost;
        model->over_cap = model->over_cap || model->catalog.processes[i].over_cap;
    }
    model->lost = lost > model->lost ? lost : model->lost;
}

// Whether a process ran without being recorded, or beyond the end of the recording: then it cannot be complete.
static bool any_process_is_cut(const struct model *model)
{
    for (uint32_t i = 0; i < model->catalog.process_count; i++) {
        uint32_t state = model->catalog.processes[i].state;
        if (state == PROCESS_DORMANT || state == PROCESS_CUT) {
            return true;
        }
    }
    return false;
}

uint64_t model_lines_alone(const struct model *model)
{
    return model->session.instruments & INSTRUMENT_STATEMENTS ? 0 : model->counts.lines;
}

// Threads, processes and the END block each count losses, and each may know of some that the others do not. The largest
// number wins. Only threads know what is of a selection.
static void total_up(struct model *model)
{
    bool all = !model_is_cut(model);
    model->events = all ? model->counts.statements + model->counts.values + model_lines_alone(model) : 0;
    total_threads(model);
    if (all) {
        total_processes(model);
    }
    if (all && model->has_end) {
        model->events = model->end.events > model->events ? model->end.events : model->events;
        model->lost = model->end.lost > model->lost ? model->end.lost : model->lost;
    }
    model->complete = model->has_end && model->end.complete && !model_damaged(model) && model->health.cut_bytes == 0 &&
                      model->lost == 0 && !any_process_is_cut(model) && model->gaps == 0;
}

// A process's rate was measured over its whole run, so it is better than the session's, which was measured before the
// start.
static void settle_rate(struct model *model)
{
    for (uint32_t i = 0; i < model->catalog.process_count; i++) {
        double hz = model->catalog.processes[i].clock_hz;
        model->session.clock_hz = hz > 0 ? hz : model->session.clock_hz;
    }
}

// The mark of each node of a tree.
static uint8_t *marks_of_nodes(const struct model *model, const struct model_tree *of, const uint8_t *marks)
{
    const struct tree *tree = &of->tree;
    uint8_t *made = calloc(tree->count, sizeof *made);
    for (uint32_t node = 1; made && node < tree->count; node++) {
        uint32_t method = catalog_find_method(&model->catalog, of->process, tree->nodes[node].method);
        made[node] = method == CATALOG_NONE ? 0 : marks[method];
    }
    return made;
}

static enum clew_error choose_calls(const struct model *model, struct model_tree *of, const uint8_t *marks)
{
    uint32_t kinds = choices_kinds(&model->options.choices) & ~(uint32_t)CHOICE_CALLERS;
    uint8_t *of_nodes = kinds ? marks_of_nodes(model, of, marks) : NULL;
    enum clew_error error = of_nodes ? tree_choose(&of->tree, kinds, of_nodes) : kinds ? CLEW_NO_MEMORY : CLEW_OK;
    free(of_nodes);
    return error;
}

static enum clew_error turn_to_callers(const struct model *model, struct model_tree *of, const uint8_t *marks)
{
    uint8_t *of_nodes = marks_of_nodes(model, of, marks);
    enum clew_error error = of_nodes ? tree_turn(&of->tree, of_nodes, CHOICE_CALLERS) : CLEW_NO_MEMORY;
    free(of_nodes);
    return error;
}

static enum clew_error choose_tree(struct model *model, struct model_tree *of, const uint8_t *marks)
{
    bool turns = choices_kinds(&model->options.choices) & CHOICE_CALLERS;
    enum clew_error error = choose_calls(model, of, marks);
    error = error == CLEW_OK && turns ? turn_to_callers(model, of, marks) : error;
    for (uint32_t node = 1; error == CLEW_OK && node < of->tree.count; node++) {
        bool real = of->tree.nodes[node].method >= METHOD_FIRST_REAL &&
                    (!turns || of->tree.nodes[node].parent == TREE_ROOT); // the rows of callers have these calls again
        model->calls += real ? of->tree.nodes[node].calls : 0;
        model->open += real ? of->tree.nodes[node].open : 0;
    }
    return error;
}

// Of calls that are only counted the callers are not known, so they can be chosen by their own method alone.
static void choose_counted(struct model *model, const uint8_t *marks)
{
    uint32_t count = 0;
    bool known = choices_kinds(&model->options.choices) == CHOICE_METHOD;
    for (uint32_t i = 0; i < model->counted_count; i++) {
        const struct model_counted *counted = &model->counted[i];
        uint32_t method = catalog_find_method(&model->catalog, counted->process, counted->method);
        if (known && method != CATALOG_NONE && marks[method] & CHOICE_METHOD) {
            model->calls += counted->calls;
            model->counted[count++] = *counted;
        }
    }
    model->counted_count = count;
}

// Leaves only the chosen calls in the trees.
static enum clew_error choose_trees(struct model *model)
{
    if (model->options.choices.count == 0 || model->options.names_only) {
        return CLEW_OK;
    }
    uint8_t *marks = choices_marks(&model->options.choices, &model->catalog);
    enum clew_error error = marks ? CLEW_OK : CLEW_NO_MEMORY;
    model->calls = model->open = 0;
    if (marks) {
        choose_counted(model, marks);
    }
    for (uint32_t i = 0; error == CLEW_OK && i < model->tree_count; i++) {
        error = choose_tree(model, &model->trees[i], marks);
    }
    free(marks);
    return error;
}

static enum clew_error link_trees(struct model *model)
{
    for (uint32_t i = 0; i < model->tree_count; i++) {
        CLEW_TRY(tree_link(&model->trees[i].tree));
    }
    return CLEW_OK;
}

uint64_t model_before_end_ns(const struct model *model, uint64_t ns)
{
    uint64_t end = model_since_start_ns(model, model->ended_clock);
    return end > ns ? end - ns : 0;
}

// Makes the range one from the session's start on. An end of 0 would be none.
static void settle_range(struct model *model)
{
    struct model_options *options = &model->options;
    options->from_ns = options->from_end ? model_before_end_ns(model, options->from_ns) : options->from_ns;
    if (options->to_end) {
        options->to_ns = model_before_end_ns(model, options->to_ns);
        options->to_ns += options->to_ns == 0;
    }
    options->from_end = options->to_end = false;
}

// The order matters: trees need the definitions' offsets, and streams need to know which threads have a tree.
static enum clew_error load_all(struct model_load *load)
{
    struct model *model = load->model;
    model->file_size = recording_file_size(model->recording);
    model->has_session = recording_has_session(model->recording);
    CLEW_TRY(model_read_definitions(load));
    CLEW_TRY(model_read_headers(load));
    settle_rate(model);
    settle_range(model);
    CLEW_TRY(model_choose_view(load));
    if (model->options.names_only) {
        CLEW_TRY(model->has_end ? CLEW_OK : model_count_trees(load));
        CLEW_TRY(model->options.unchecked ? CLEW_OK : check_all(load));
    } else if (model_has_range(model)) {
        CLEW_TRY(model_read_range(load));
    } else {
        bool linked = model->view == MODEL_LOGICAL;
        CLEW_TRY(model_read_trees(load));
        CLEW_TRY(linked ? model_link_streams(load) : model_read_streams(load));
        CLEW_TRY(model_finish_logical(model));
    }
    if (model->session.instruments & INSTRUMENT_LINES) {
        CLEW_TRY(counts_lines(&model->counts, load->reader));
    }
    CLEW_TRY(finish_trees(model));
    total_up(model);
    if (model->options.adjust) {
        CLEW_TRY(adjust_trees(model));
        model->complete = model->complete && !model_damaged(model); // it may have read more of the file
    }
    CLEW_TRY(choose_trees(model));
    return link_trees(model);
}

enum clew_error model_load(struct recording *recording, const struct model_options *options, struct model **out)
{
    struct model_load load = {.model = calloc(1, sizeof *load.model)};
    if (!load.model) {
        return CLEW_NO_MEMORY;
    }
    load.model->recording = recording;
    load.model->options = *options;
    enum clew_error error = recording_new_reader(recording, &load.reader);
    if (error == CLEW_OK) {
        error = load_all(&load);
        recording_close_reader(load.reader);
    }
    map_free(&load.tree_of);
    free(load.changes);
    recording_tree_free(&load.kept);
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
    async_fini(&model->async);
    map_free(&model->entries);
    map_free(&model->exception_types);
    map_free(&model->counted_of);
    free(model->counted);
    document_table_fini(&model->documents);
    if (model->owns_recording) {
        recording_free(model->recording);
    }
    free(model);
}

enum clew_error model_open(const char *path, const struct model_options *options, struct model **out)
{
    struct recording *recording;
    CLEW_TRY(recording_open(path, &recording));
    enum clew_error error = model_load(recording, options, out);
    if (error != CLEW_OK) {
        recording_free(recording);
        return error;
    }
    (*out)->owns_recording = true;
    return CLEW_OK;
}

enum clew_error model_reload(struct model **model)
{
    struct model *newer;
    CLEW_TRY(recording_follow((*model)->recording));
    CLEW_TRY(model_load((*model)->recording, &(*model)->options, &newer));
    newer->owns_recording = (*model)->owns_recording;
    (*model)->owns_recording = false;
    model_free(*model);
    *model = newer;
    return CLEW_OK;
}
