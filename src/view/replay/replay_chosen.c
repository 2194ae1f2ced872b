// See replay_chosen.h. Each thread has a list of what became of the frames on its stack, as far as its steps have named them.
#include "view/replay/replay_chosen.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"

enum { KEPT_MAX = 64, KEPT_CELLS_MAX = 1024 }; // of one thread: steps, and cells of one step

struct chosen_frame {
    struct chosen_call call;
    bool told;
};

// A step with cells of its own.
struct kept_step {
    uint32_t index; // of its frame
    struct event_step step;
    uint32_t *cells;
};

struct replay_chosen_thread {
    struct chosen_frame *frames;
    uint32_t known; // how many of the stack's frames are in the list
    size_t room;
    uint32_t told; // frames below this are told, or are no callers
    struct kept_step kept[KEPT_MAX];
    uint32_t kept_count;
};

enum clew_error replay_chosen_open(const struct choices *choices, const struct catalog *catalog,
                                   struct replay_chosen *out)
{
    *out = (struct replay_chosen){.kinds = choices_kinds(choices), .catalog = catalog};
    out->mark_count = catalog->method_count;
    out->marks = out->kinds ? choices_marks(choices, catalog) : NULL;
    return out->marks || !out->kinds ? CLEW_OK : CLEW_NO_MEMORY;
}

static void drop_kept(struct replay_chosen_thread *thread, uint32_t index)
{
    while (thread->kept_count > 0 && thread->kept[thread->kept_count - 1].index >= index) {
        free(thread->kept[--thread->kept_count].cells);
    }
}

void replay_chosen_free(struct replay_chosen *chosen)
{
    for (uint32_t i = 0; i < chosen->thread_count; i++) {
        drop_kept(&chosen->of_threads[i], 0);
        free(chosen->of_threads[i].frames);
    }
    free(chosen->of_threads);
    free(chosen->marks);
    map_free(&chosen->threads);
    *chosen = (struct replay_chosen){0};
}

// NULL: memory ran out.
static struct replay_chosen_thread *thread_of(struct replay_chosen *chosen, const struct event_thread *thread)
{
    uint64_t key = (uint64_t)thread->process << 32 | thread->thread, index;
    if (map_get(&chosen->threads, key, &index)) {
        return &chosen->of_threads[index - 1];
    }
    if (!array_grow(&chosen->of_threads, chosen->thread_count, &chosen->thread_room, sizeof *chosen->of_threads) ||
        !map_put(&chosen->threads, key, chosen->thread_count + 1)) {
        return NULL;
    }
    memset(&chosen->of_threads[chosen->thread_count], 0, sizeof *chosen->of_threads);
    return &chosen->of_threads[chosen->thread_count++];
}

static uint32_t index_of(const struct event_step *step)
{
    CLEW_ASSERT(step->frame >= step->thread->stream.frames);
    return (uint32_t)(step->frame - step->thread->stream.frames);
}

// -- What becomes of a frame ------------------------------------------------------------------------------------------

static uint8_t mark_of(const struct replay_chosen *chosen, uint32_t process, uint32_t method)
{
    uint32_t index = catalog_find_method(chosen->catalog, process, method);
    return index < chosen->mark_count ? chosen->marks[index] : 0;
}

// A filter does what its owner does.
static struct chosen_call call_of(const struct replay_chosen *chosen, const struct replay_chosen_thread *list,
                                  const struct event_thread *thread, const struct stream_frame *frame)
{
    const struct stream_frame *caller = stream_caller(&thread->stream, frame);
    uint32_t index = caller ? (uint32_t)(caller - thread->stream.frames) : 0;
    CLEW_ASSERT((!caller || index < list->known) && "callers come first");
    struct chosen_call above = caller ? list->frames[index].call : choices_root(chosen->kinds);
    return frame->filter ? above : choices_call(chosen->kinds, above, mark_of(chosen, thread->process, frame->method));
}

// Adds the frames up to `index` to the list. `anew`: that one has just begun.
static enum clew_error reach(struct replay_chosen *chosen, struct replay_chosen_thread *list,
                             const struct event_thread *thread, uint32_t index, bool anew)
{
    if (anew && index < list->known) {
        list->known = index;
        list->told = list->told < index ? list->told : index;
        drop_kept(list, index);
    }
    for (; list->known <= index; list->known++) {
        if (!array_grow(&list->frames, list->known, &list->room, sizeof *list->frames)) {
            return CLEW_NO_MEMORY;
        }
        list->frames[list->known] =
            (struct chosen_frame){.call = call_of(chosen, list, thread, &thread->stream.frames[list->known])};
    }
    return CLEW_OK;
}

static enum replay_role role_of(const struct chosen_frame *frame)
{
    if (frame->call.hidden || !frame->call.inside) {
        return REPLAY_LEFT_OUT;
    }
    return frame->call.taken ? REPLAY_TAKEN : REPLAY_CALLER;
}

static void leave(struct replay_chosen_thread *list, uint32_t index)
{
    list->known = index;
    list->told = list->told < index ? list->told : index;
    drop_kept(list, index);
}

enum clew_error replay_chosen_take(struct replay_chosen *chosen, const struct event_step *step, enum replay_role *role,
                                   bool *told)
{
    bool nowhere = step->kind == STEP_SITE && chosen->kinds & (CHOICE_METHOD | CHOICE_UNDER);
    *role = !step->frame && nowhere ? REPLAY_LEFT_OUT : REPLAY_TAKEN;
    *told = false;
    if (!chosen->kinds || !step->frame) {
        return CLEW_OK;
    }
    struct replay_chosen_thread *list = thread_of(chosen, step->thread);
    uint32_t index = index_of(step);
    if (!list) {
        return CLEW_NO_MEMORY;
    }
    CLEW_TRY(reach(chosen, list, step->thread, index, step->kind == STEP_BEGIN));
    *role = role_of(&list->frames[index]);
    *told = list->frames[index].told;
    if (step->kind == STEP_END) {
        leave(list, index);
    }
    return CLEW_OK;
}

// -- Callers ----------------------------------------------------------------------------------------------------------

enum clew_error replay_chosen_keep(struct replay_chosen *chosen, const struct event_step *step)
{
    struct replay_chosen_thread *list = thread_of(chosen, step->thread);
    if (!list) {
        return CLEW_NO_MEMORY;
    }
    if (list->kept_count == KEPT_MAX || step->cells_left > KEPT_CELLS_MAX) {
        return CLEW_OK;
    }
    uint32_t *cells = malloc(step->cells_left * sizeof *cells + 1);
    if (!cells) {
        return CLEW_NO_MEMORY;
    }
    memcpy(cells, step->cells, step->cells_left * sizeof *cells);
    struct kept_step *kept = &list->kept[list->kept_count++];
    *kept = (struct kept_step){.index = index_of(step), .step = *step, .cells = cells};
    kept->step.cells = cells;
    kept->step.boxes = NULL; // they are known no longer
    return CLEW_OK;
}

// Tells one caller. What was kept is in the order of frames.
static enum clew_error tell(const struct replay_chosen_thread *list, const struct event_step *step, uint32_t index,
                            step_visit *visit, void *context)
{
    struct stream_frame *frame = &step->thread->stream.frames[index];
    const struct event_step begun = {.kind = STEP_BEGIN,
                                     .clock = frame->started,
                                     .ordinal = step->ordinal,
                                     .thread = step->thread,
                                     .frame = frame,
                                     .level = frame->level,
                                     .next_known = true};
    CLEW_TRY(visit(context, &begun));
    for (uint32_t i = 0; i < list->kept_count; i++) {
        struct event_step kept = list->kept[i].step;
        kept.frame = frame; // the stack may have moved
        if (list->kept[i].index == index) {
            CLEW_TRY(visit(context, &kept));
        }
    }
    return CLEW_OK;
}

enum clew_error replay_chosen_tell(struct replay_chosen *chosen, const struct event_step *step, step_visit *visit,
                                   void *context)
{
    struct replay_chosen_thread *list = chosen->kinds && step->frame ? thread_of(chosen, step->thread) : NULL;
    uint32_t end = list ? index_of(step) : 0;
    end = list && end > list->known ? list->known : end; // at its end, its callers are known
    for (; list && list->told < end; list->told++) {
        struct chosen_frame *frame = &list->frames[list->told];
        if (role_of(frame) == REPLAY_CALLER && !step->thread->stream.frames[list->told].filter) {
            frame->told = true;
            CLEW_TRY(tell(list, step, list->told, visit, context));
        }
    }
    return CLEW_OK;
}
