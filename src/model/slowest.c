// See slowest.h.
#include "model/slowest.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"
#include "model/model_linked.h"
#include "model/pattern.h"
#include "model/tree_logical.h"
#include "trace/instrument.h"

enum { NODES_MAX = 3000000 };

enum meaning { NOT_ASKED, IS_ROOT, IS_NO_ROOT }; // of a method, for the user's pattern

// A request that has begun and not ended.
struct begun {
    uint32_t thread, method;
    uint64_t call;
    uint32_t next_free;
};

struct finding {
    struct model *model;
    struct text root;
    uint8_t *meanings; // enum meaning by catalog method
    uint32_t process;  // at hand
    uint32_t most;
    struct slowest *out;
    size_t room;         // of its requests
    struct begun *begun; // begun[0] is none
    uint32_t begun_count, free;
    size_t begun_room;
    struct map chosen; // of the process at hand, by number of the call: index + 1
    bool failed;       // memory ran out
};

bool slowest_known(const struct model *model)
{
    bool linked = model->view == MODEL_LOGICAL || model->view == MODEL_UNLINKED;
    return model->has_stream && linked && model_has_times(model);
}

// -- Which begin ------------------------------------------------------------------------------------------------------

// The method as a logical tree has it, as an index in the catalog.
static uint32_t method_of(const struct finding *finding, uint32_t method)
{
    const struct async_method *async = async_find(&finding->model->async, finding->process, method);
    return catalog_find_method(&finding->model->catalog, finding->process, async ? async->body : method);
}

static bool is_meant(struct finding *finding, uint32_t method)
{
    uint8_t *meaning = &finding->meanings[method];
    if (*meaning == NOT_ASKED) {
        *meaning = pattern_means(finding->root, &finding->model->catalog, method) ? IS_ROOT : IS_NO_ROOT;
    }
    return *meaning == IS_ROOT;
}

// Whether a request begins with the frame: the rules are those of requests.c.
static bool is_request(struct finding *finding, const struct runs_thread *thread, const struct stream_frame *frame,
                       bool root)
{
    uint32_t method = method_of(finding, frame->method);
    if (method == CATALOG_NONE || frame->joined || frame->call == 0) {
        return false;
    }
    if (finding->root.size) {
        return is_meant(finding, method);
    }
    bool first = root && !stream_caller(&thread->stream, frame);
    bool entry = first && (!thread->is_worker || model_begins_thread(finding->model, finding->process, frame->method));
    return root && !entry && requests_begin(finding->model, finding->process, frame->method, !first);
}

// The first pass: notes when each request began, to know when it ends.
static uint32_t note_begin(void *context, const struct runs_thread *thread, const struct stream_frame *frame, bool root)
{
    struct finding *finding = context;
    if (!is_request(finding, thread, frame, root)) {
        return 0;
    }
    uint32_t slot = finding->free;
    if (slot) {
        finding->free = finding->begun[slot].next_free;
    } else if (array_grow(&finding->begun, finding->begun_count, &finding->begun_room, sizeof *finding->begun)) {
        slot = finding->begun_count++;
    } else {
        finding->failed = true;
        return 0;
    }
    finding->begun[slot] = (struct begun){
        .thread = thread->thread->record.thread, .method = method_of(finding, frame->method), .call = frame->call};
    return slot;
}

// Keeps the request if it is among the slowest.
static void keep(struct finding *finding, const struct slow_request *request)
{
    struct slowest *out = finding->out;
    uint32_t at = out->count;
    if (at == finding->most && (at == 0 || request->latency <= out->requests[at - 1].latency)) {
        return;
    }
    if (at == finding->most) {
        at--;
    } else if (array_grow(&out->requests, at, &finding->room, sizeof *out->requests)) {
        out->count++;
    } else {
        finding->failed = true;
        return;
    }
    for (; at > 0 && out->requests[at - 1].latency < request->latency; at--) {
        out->requests[at] = out->requests[at - 1];
    }
    out->requests[at] = *request;
}

static void note_end(void *context, uint32_t request, uint64_t started, uint64_t now, enum run_end how)
{
    struct finding *finding = context;
    struct begun *begun = &finding->begun[request];
    CLEW_ASSERT(request < finding->begun_count);
    if (started && begun->call) {
        const struct slow_request ended = {.process = finding->process,
                                           .thread = begun->thread,
                                           .call = begun->call,
                                           .method = begun->method,
                                           .started = started,
                                           .latency = now > started ? now - started : 0,
                                           .how = how};
        keep(finding, &ended);
    }
    if (begun->call) { // once
        *begun = (struct begun){.next_free = finding->free};
        finding->free = request;
    }
}

// The second pass: only the chosen ones begin.
static uint32_t find_begin(void *context, const struct runs_thread *thread, const struct stream_frame *frame, bool root)
{
    const struct finding *finding = context;
    uint64_t request;
    (void)thread;
    (void)root;
    return frame->call && map_get(&finding->chosen, frame->call, &request) ? (uint32_t)request : 0;
}

// -- Passes -----------------------------------------------------------------------------------------------------------

static enum clew_error find(struct finding *finding, struct recording_health *health)
{
    const struct runs_choice choice = {.begins = note_begin, .ends = note_end, .context = finding};
    struct runs runs;
    enum clew_error error = runs_init(&runs, &finding->model->async, finding->process, NODES_MAX);
    runs.choice = &choice;
    error = error == CLEW_OK ? linked_pass(finding->model, &runs, health) : error;
    runs_fini(&runs);
    return error == CLEW_OK && finding->failed ? CLEW_NO_MEMORY : error;
}

static enum clew_error make_tree(struct finding *finding, struct runs *runs, uint32_t index)
{
    struct model *model = finding->model;
    struct slow_request *request = &finding->out->requests[index];
    struct tree *tree = &request->tree.tree;
    request->tree.process = finding->process;
    request->tree.unsampled = true;
    CLEW_TRY(tree_init(tree, NODES_MAX));
    CLEW_TRY(runs_merge(runs, index + 1, tree));
    CLEW_TRY(tree_logical_finish(tree));
    for (uint32_t i = 1; i < tree->count; i++) {
        if (catalog_method(&model->catalog, finding->process, tree->nodes[i].method) == CATALOG_NONE) {
            return CLEW_NO_MEMORY;
        }
    }
    return tree_link(tree);
}

static enum clew_error make_trees(struct finding *finding)
{
    const struct runs_choice choice = {.begins = find_begin, .context = finding, .counts = true};
    struct runs runs;
    enum clew_error error = CLEW_OK;
    map_free(&finding->chosen);
    for (uint32_t i = 0; i < finding->out->count && error == CLEW_OK; i++) {
        const struct slow_request *request = &finding->out->requests[i];
        bool fits = request->process != finding->process || map_put(&finding->chosen, request->call, i + 1);
        error = fits ? CLEW_OK : CLEW_NO_MEMORY;
    }
    CLEW_TRY(error);
    if (finding->chosen.count == 0) {
        return CLEW_OK;
    }
    error = runs_init(&runs, &finding->model->async, finding->process, NODES_MAX);
    runs.choice = &choice;
    error = error == CLEW_OK ? linked_pass(finding->model, &runs, NULL) : error;
    for (uint32_t i = 0; i < finding->out->count && error == CLEW_OK; i++) {
        error = finding->out->requests[i].process == finding->process ? make_tree(finding, &runs, i) : CLEW_OK;
    }
    runs_fini(&runs);
    return error;
}

static enum clew_error load(struct finding *finding, struct recording_health *health)
{
    const struct catalog *catalog = &finding->model->catalog;
    finding->meanings = calloc((size_t)catalog->method_count + 1, sizeof *finding->meanings);
    if (!finding->meanings || !array_grow(&finding->begun, 0, &finding->begun_room, sizeof *finding->begun)) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t i = 0; i < catalog->process_count; i++) {
        finding->process = catalog->processes[i].process;
        finding->begun[0] = (struct begun){0};
        finding->begun_count = 1;
        finding->free = 0;
        CLEW_TRY(find(finding, health));
    }
    for (uint32_t i = 0; i < catalog->process_count; i++) {
        finding->process = catalog->processes[i].process;
        CLEW_TRY(make_trees(finding));
    }
    return catalog_link(&finding->model->catalog);
}

enum clew_error slowest_load(struct model *model, struct text root, uint32_t most, struct recording_health *health,
                             struct slowest *out)
{
    *out = (struct slowest){0};
    if (!slowest_known(model)) {
        return CLEW_NOTHING_RECORDED;
    }
    struct finding finding = {.model = model, .root = root, .most = most, .out = out};
    enum clew_error error = load(&finding, health);
    free(finding.meanings);
    free(finding.begun);
    map_free(&finding.chosen);
    if (error != CLEW_OK) {
        slowest_free(out);
    }
    return error;
}

void slowest_free(struct slowest *slowest)
{
    for (uint32_t i = 0; i < slowest->count; i++) {
        tree_fini(&slowest->requests[i].tree.tree);
    }
    free(slowest->requests);
    *slowest = (struct slowest){0};
}
