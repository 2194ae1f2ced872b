// Builds logical call trees from streams (stream_runs.h). What happens to an async activation on one thread decides where its run on
// another thread belongs, so threads are not read one after the other: each goes on up to its next event of an async activation,
// and the one whose next is the earliest takes it. What a thread does in between is its own.
#include <stdlib.h>

#include "base/heap.h"
#include "model/events/event_blocks.h"
#include "model/events/part.h"
#include "model/model_linked.h"
#include "model/model_load.h"

// A thread's place in its blocks.
struct place {
    struct runs_thread runs;
    struct catalog_thread copy; // in place of the model's, where that stays as it is
    const struct thread_blocks *blocks;
    struct part part; // of the block at hand; none before it is opened
    uint32_t block;   // the number of blocks: it has ended
    uint32_t event;   // the next one of the block
    uint32_t stack;   // what the next event states begins here in the part
    uint64_t clock;   // of the next event of an async activation, or at least that of the next block
    bool waits;       // the wait that its next event ends has not begun yet
    bool goes_on;     // it did not come: its next event is taken all the same
    uint32_t at;      // in the heap
};

// The threads of one process.
struct linking {
    const struct model *model;
    struct recording_health *health;
    struct model_load *load; // NULL: the model stays as it is
    struct event_blocks list;
    struct part_memory memory;
    struct runs *runs;
    struct place *places;
    uint32_t count;
    uint32_t *heap; // of places, the earliest first
    uint32_t heap_count;
    uint32_t waiting;
    uint64_t patience; // ticks by which a run may come before the wait that it continues: processors' clocks differ
    uint64_t newest;   // clock of the newest event
};

// -- The heap ---------------------------------------------------------------------------------------------------------

static uint64_t turn_of(const struct linking *linking, const struct place *place)
{
    uint64_t turn = place->clock + (place->waits ? linking->patience : 0);
    return turn < place->clock ? UINT64_MAX : turn;
}

static bool is_before(const void *context, const void *a, const void *b)
{
    const struct linking *linking = context;
    uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    const struct place *left = &linking->places[first], *right = &linking->places[second];
    uint64_t turn = turn_of(linking, left), other = turn_of(linking, right);
    return turn != other ? turn < other : left->waits != right->waits ? right->waits : first < second;
}

static void note_place(void *context, const void *item, size_t at)
{
    const struct linking *linking = context;
    linking->places[*(const uint32_t *)item].at = (uint32_t)at;
}

static const struct heap_kind earliest_first = {.size = sizeof(uint32_t), .before = is_before, .placed = note_place};

static struct heap heap_of(struct linking *linking)
{
    return (struct heap){.items = linking->heap, .count = linking->heap_count, .context = linking};
}

// Moves a place to where it belongs, after its turn has changed.
static void settle(struct linking *linking, uint32_t at)
{
    struct heap heap = heap_of(linking);
    heap_sink(&earliest_first, &heap, heap_rise(&earliest_first, &heap, at));
}

static void add(struct linking *linking, uint32_t place)
{
    linking->heap[linking->heap_count] = place;
    linking->places[place].at = linking->heap_count++;
    settle(linking, linking->places[place].at);
}

static void remove_at(struct linking *linking, uint32_t at)
{
    uint32_t last = linking->heap[--linking->heap_count];
    if (at < linking->heap_count) {
        linking->heap[at] = last;
        linking->places[last].at = at;
        settle(linking, at);
    }
}

// -- Blocks -----------------------------------------------------------------------------------------------------------

static bool has_ended(const struct place *place)
{
    return place->block == place->blocks->count;
}

static void leave_block(struct linking *linking, struct place *place)
{
    part_unload(&place->part, &linking->memory);
    place->block++;
    place->event = 0;
    place->clock = has_ended(place) ? UINT64_MAX : place->blocks->blocks[place->block].first;
}

// Loads events from the next one on, and opens the block before its first.
static enum clew_error load_events(struct linking *linking, struct place *place)
{
    const struct event_block *block = &place->blocks->blocks[place->block];
    struct recording_events events;
    part_unload(&place->part, &linking->memory);
    enum clew_error error = event_blocks_read(&linking->list, place->blocks, block, &events);
    if (error == CLEW_DAMAGED) {
        linking->health->damaged++;
        leave_block(linking, place);
        return CLEW_OK;
    }
    CLEW_TRY(error);
    bool later_part = place->event == 0 && !place->runs.stream.begun && linking->model->session.part > 1;
    CLEW_TRY(place->event == 0 ? runs_open_block(linking->runs, &place->runs, &events, later_part) : CLEW_OK);
    if (place->event == events.count) {
        leave_block(linking, place);
        return CLEW_OK;
    }
    place->stack = 0;
    return part_load(&place->part, &linking->memory, block, &events, place->event, false);
}

static const struct recording_event *next_event(const struct place *place)
{
    uint32_t at = place->event - place->part.from;
    return place->part.events && at < place->part.count ? &place->part.events[at] : NULL;
}

// -- Moving on --------------------------------------------------------------------------------------------------------

static bool is_turn(const struct recording_event *event)
{
    return recording_is_async(event->kind) && event->kind != RECORDING_RUN;
}

// A wait has begun: threads that go on with it need not wait any longer.
static void wake(struct linking *linking, const struct recording_event *event)
{
    for (uint32_t i = 0; linking->waiting > 0 && event->kind == RECORDING_SUSPEND && i < linking->count; i++) {
        struct place *place = &linking->places[i];
        if (place->waits && next_event(place)->serial == event->serial) {
            place->waits = false;
            linking->waiting--;
            settle(linking, place->at);
        }
    }
}

// Takes the next event, and those that follow it up to the next turn, the end of the part, or an error.
static enum clew_error take(struct linking *linking, struct place *place)
{
    const struct recording_event *first = next_event(place), *event = first;
    const struct recording_event *end = place->part.events + place->part.count;
    const uint32_t *stacks = place->part.stacks + place->stack;
    do {
        CLEW_TRY(runs_step(linking->runs, &place->runs, event, stacks));
        stacks += recording_stated(event);
        event++;
    } while (event < end && !is_turn(event));
    place->event += (uint32_t)(event - first);
    place->stack = (uint32_t)(stacks - place->part.stacks);
    place->goes_on = false;
    wake(linking, first);
    if (place->event == place->part.total) {
        leave_block(linking, place);
    }
    return CLEW_OK;
}

// Goes on up to the next event whose turn has to come, or the block's end.
static enum clew_error go_on(struct linking *linking, struct place *place)
{
    uint32_t block = place->block;
    bool first = true;
    while (place->block == block) {
        if (!next_event(place)) {
            CLEW_TRY(load_events(linking, place));
            continue;
        }
        const struct recording_event *event = next_event(place);
        if (is_turn(event)) {
            place->clock = part_clock_of(&place->part, place->event);
            if (!first) {
                return CLEW_OK;
            }
            if (!place->goes_on && runs_are_early(linking->runs, event)) {
                place->waits = true;
                linking->waiting++;
                return CLEW_OK;
            }
        }
        CLEW_TRY(take(linking, place));
        first = false;
    }
    return CLEW_OK;
}

static enum clew_error go_all(struct linking *linking)
{
    while (linking->heap_count > 0) {
        struct place *place = &linking->places[linking->heap[0]];
        if (place->waits) {
            place->waits = false;
            place->goes_on = true;
            linking->waiting--;
        }
        CLEW_TRY(go_on(linking, place));
        uint64_t last = place->runs.stream.last_clock;
        linking->newest = last > linking->newest ? last : linking->newest;
        if (has_ended(place)) {
            remove_at(linking, place->at); // others may have come before it meanwhile
        } else {
            settle(linking, place->at);
        }
    }
    return CLEW_OK;
}

// -- A process --------------------------------------------------------------------------------------------------------

// The threads have to be in the catalog already.
static void begin_thread(const struct linking *linking, struct place *place)
{
    struct runs_thread *runs = &place->runs;
    const struct catalog *catalog = &linking->model->catalog;
    uint32_t index = catalog_find_thread(catalog, place->blocks->process, place->blocks->thread);
    if (index != CATALOG_NONE) {
        place->copy = catalog->threads[index];
    }
    runs->thread = linking->load ? &linking->load->model->catalog.threads[index] : &place->copy;
    runs->counts = !linking->load || runs->thread->tree_offset == 0;
    runs->is_worker = text_equal(runs->thread->record.name, text_of(MODEL_WORKER));
}

static enum clew_error begin_threads(struct linking *linking)
{
    linking->places = calloc((size_t)linking->list.thread_count + 1, sizeof *linking->places);
    linking->heap = calloc((size_t)linking->list.thread_count + 1, sizeof *linking->heap);
    if (!linking->places || !linking->heap) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t i = 0; i < linking->list.thread_count; i++) {
        const struct thread_blocks *blocks = &linking->list.threads[i];
        if (blocks->count == 0) {
            continue;
        }
        if (linking->load &&
            model_thread_seen(linking->load->model, blocks->process, blocks->thread, blocks->last) == CATALOG_NONE) {
            return CLEW_NO_MEMORY;
        }
        struct place *place = &linking->places[linking->count];
        place->blocks = blocks;
        place->clock = blocks->blocks[0].first;
        add(linking, linking->count++);
    }
    linking->memory.threads = linking->count;
    for (uint32_t i = 0; i < linking->count; i++) {
        begin_thread(linking, &linking->places[i]);
    }
    return CLEW_OK;
}

// Adds the open activations and copies the stream's totals to its thread.
static enum clew_error end_thread(struct linking *linking, struct runs_thread *runs)
{
    const struct catalog *catalog = &linking->model->catalog;
    struct catalog_thread *thread = runs->thread;
    const struct stream *stream = &runs->stream;
    uint64_t last = catalog_last_moment(catalog, thread->record.process, thread->record.thread, 0);
    last = last ? last : linking->newest;
    last = last > stream->last_clock ? last : stream->last_clock;
    if (!runs->counts || !stream->begun) {
        return CLEW_OK;
    }
    CLEW_TRY(runs_end(linking->runs, runs, last));
    thread->events = stream->events;
    thread->lost = stream->lost;
    thread->last_clock = last;
    if (linking->load) {
        linking->load->model->gaps += stream->gaps;
    }
    return CLEW_OK;
}

static bool wants(void *context, const struct recording_block *block)
{
    const struct linking *linking = context;
    return block->process == linking->runs->process;
}

static enum clew_error pass_events(struct linking *linking)
{
    const struct model *model = linking->model;
    linking->runs->has_times = model_has_times(model);
    linking->patience = model_ticks(model, 10000000) + 1;
    linking->list.without_payloads = true;
    CLEW_TRY(event_blocks_list(&linking->list, model->recording, wants, linking));
    CLEW_TRY(begin_threads(linking));
    CLEW_TRY(go_all(linking));
    for (uint32_t i = 0; i < linking->count; i++) {
        CLEW_TRY(end_thread(linking, &linking->places[i].runs));
    }
    return CLEW_OK;
}

static void release(struct linking *linking)
{
    for (uint32_t i = 0; i < linking->count; i++) {
        part_unload(&linking->places[i].part, &linking->memory);
        runs_thread_fini(&linking->places[i].runs);
    }
    free(linking->places);
    free(linking->heap);
    event_blocks_free(&linking->list);
}

enum clew_error linked_pass(const struct model *model, struct runs *runs, struct recording_health *health)
{
    struct recording_health unused = {0};
    struct linking linking = {.model = model, .health = health ? health : &unused, .runs = runs};
    enum clew_error error = pass_events(&linking);
    release(&linking);
    return error;
}

static enum clew_error link_process(struct model_load *load, uint32_t process)
{
    struct model *model = load->model;
    struct runs runs;
    struct tree *tree;
    struct linking linking = {.model = model, .health = &model->health, .load = load, .runs = &runs};
    enum clew_error error = runs_init(&runs, &model->async, (struct exception_types){&model->exception_types, process},
                                      MODEL_STREAM_NODES_MAX);
    runs.entries = &model->entries;
    error = error == CLEW_OK ? pass_events(&linking) : error;
    error = error == CLEW_OK ? model_fill_tree(load, process, 0, MODEL_STREAM_NODES_MAX, &tree) : error;
    error = error == CLEW_OK ? runs_merge(&runs, 0, tree) : error;
    release(&linking);
    runs_fini(&runs);
    return error;
}

enum clew_error model_link_streams(struct model_load *load)
{
    const struct recording_block *blocks;
    size_t count;
    struct map done = {0};
    enum clew_error error = recording_index(load->model->recording, &blocks, &count);
    for (size_t i = 0; error == CLEW_OK && i < count; i++) {
        uint64_t any;
        if (model_needs_stream(load->model, &blocks[i]) && !map_get(&done, blocks[i].process, &any)) {
            error = map_put(&done, blocks[i].process, 1) ? link_process(load, blocks[i].process) : CLEW_NO_MEMORY;
            error = error == CLEW_OK ? recording_index(load->model->recording, &blocks, &count) : error;
        }
    }
    map_free(&done);
    return error;
}
