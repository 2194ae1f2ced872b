// See slowest.h.
#include "model/slowest.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"
#include "base/heap.h"
#include "model/model_linked.h"
#include "model/pattern.h"
#include "model/tree_logical.h"
#include "trace/instrument.h"

enum { NODES_MAX = 3000000 };

// A request that has begun and not ended.
struct begun {
    uint32_t thread, method;
    uint64_t call;
    uint32_t next_free;
};

struct finding {
    struct model *model;
    bool *meant; // by catalog method: the user's pattern means it; NULL: there is none
    // Of the process at hand, by the method of a frame: that of the request that begins with it; CATALOG_NONE: it is not meant.
    struct map meant_of;
    uint32_t process; // at hand
    uint32_t most;
    struct slowest *out; // until all are found, a heap: the fastest of them first
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

// The method of a request that the user's pattern chooses and that begins with a frame of `method`. CATALOG_NONE: none does.
static uint32_t meant_method(struct finding *finding, uint32_t method)
{
    uint64_t known;
    if (map_get(&finding->meant_of, method, &known)) {
        return (uint32_t)known;
    }
    uint32_t found = method_of(finding, method);
    found = found != CATALOG_NONE && finding->meant[found] ? found : CATALOG_NONE;
    finding->failed |= !map_put(&finding->meant_of, method, found);
    return found;
}

// The method of the request that begins with the frame, by the rules of requests.c. CATALOG_NONE: none does.
static uint32_t request_method(struct finding *finding, const struct runs_thread *thread,
                               const struct stream_frame *frame, bool root)
{
    if (frame->joined || frame->call == 0 || (!finding->meant && !root)) {
        return CATALOG_NONE;
    }
    if (finding->meant) {
        return meant_method(finding, frame->method);
    }
    bool first = !stream_caller(&thread->stream, frame);
    bool entry = first && (!thread->is_worker || model_begins_thread(finding->model, finding->process, frame->method));
    bool begins = !entry && requests_begin(finding->model, finding->process, frame->method, !first);
    return begins ? method_of(finding, frame->method) : CATALOG_NONE;
}

// The first pass: notes when each request began, to know when it ends.
static uint32_t note_begin(void *context, const struct runs_thread *thread, const struct stream_frame *frame, bool root)
{
    struct finding *finding = context;
    uint32_t slot = finding->free, method = request_method(finding, thread, frame, root);
    if (method == CATALOG_NONE) {
        return 0;
    }
    if (slot) {
        finding->free = finding->begun[slot].next_free;
    } else if (array_grow(&finding->begun, finding->begun_count, &finding->begun_room, sizeof *finding->begun)) {
        slot = finding->begun_count++;
    } else {
        finding->failed = true;
        return 0;
    }
    finding->begun[slot] =
        (struct begun){.thread = thread->thread->record.thread, .method = method, .call = frame->call};
    return slot;
}

// Of two equally slow ones, the one that began first comes first.
static bool is_slower(const struct slow_request *a, const struct slow_request *b)
{
    return a->latency != b->latency ? a->latency > b->latency : a->started < b->started;
}

static int slowest_first(const void *a, const void *b)
{
    return is_slower(a, b) ? -1 : is_slower(b, a);
}

static bool is_faster(const void *context, const void *a, const void *b)
{
    (void)context;
    return is_slower(b, a);
}

static const struct heap_kind fastest_first = {.size = sizeof(struct slow_request), .before = is_faster};

// Keeps the request if it is among the slowest.
static void keep(struct finding *finding, const struct slow_request *request)
{
    struct slowest *out = finding->out;
    if (out->count < finding->most && !array_grow(&out->requests, out->count, &finding->room, sizeof *out->requests)) {
        finding->failed = true;
    } else if (out->count < finding->most) {
        out->requests[out->count++] = *request;
        struct heap heap = {.items = out->requests, .count = out->count};
        (void)heap_rise(&fastest_first, &heap, out->count - 1);
    } else if (out->count > 0 && is_slower(request, &out->requests[0])) {
        out->requests[0] = *request;
        struct heap heap = {.items = out->requests, .count = out->count};
        heap_sink(&fastest_first, &heap, 0);
    }
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

static struct exception_types types_of(const struct finding *finding)
{
    return (struct exception_types){&finding->model->exception_types, finding->process};
}

static enum clew_error find(struct finding *finding, struct recording_health *health)
{
    const struct runs_choice choice = {.begins = note_begin, .ends = note_end, .context = finding};
    struct runs runs;
    enum clew_error error = runs_init(&runs, &finding->model->async, types_of(finding), NODES_MAX);
    runs.choice = &choice;
    error = error == CLEW_OK ? linked_pass(finding->model, &runs, health) : error;
    runs_fini(&runs);
    map_free(&finding->meant_of);
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
    error = runs_init(&runs, &finding->model->async, types_of(finding), NODES_MAX);
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
    if (!array_grow(&finding->begun, 0, &finding->begun_room, sizeof *finding->begun)) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t i = 0; i < catalog->process_count; i++) {
        finding->process = catalog->processes[i].process;
        finding->begun[0] = (struct begun){0};
        finding->begun_count = 1;
        finding->free = 0;
        CLEW_TRY(find(finding, health));
    }
    if (finding->out->count) {
        qsort(finding->out->requests, finding->out->count, sizeof *finding->out->requests, slowest_first);
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
    struct finding finding = {.model = model, .most = most, .out = out};
    finding.meant = root.size ? pattern_choose(root, &model->catalog) : NULL;
    enum clew_error error = finding.meant || root.size == 0 ? load(&finding, health) : CLEW_NO_MEMORY;
    free(finding.meant);
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
