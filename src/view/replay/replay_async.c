// See replay_async.h.
#include "view/replay/replay_async.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"

// Serials of agents have 52 bits. Of others, two may have one key: whoever finds an entry compares the whole.
static uint64_t key_of(const struct event_step *step)
{
    return step->serial ^ (uint64_t)step->thread->process << 52;
}

static bool is_async(const struct event_step *step)
{
    return (step->kind == STEP_RESUME || step->kind == STEP_SUSPEND || step->kind == STEP_COMPLETE) &&
           step->serial != 0;
}

static struct replay_activation *find(const struct replay_async *async, const struct event_step *step)
{
    uint64_t index;
    if (!is_async(step) || !map_get(&async->indices, key_of(step), &index)) {
        return NULL;
    }
    CLEW_ASSERT(index > 0 && index <= async->count);
    struct replay_activation *found = &async->all[index - 1];
    return found->serial == step->serial && found->process == step->thread->process ? found : NULL;
}

const struct replay_activation *replay_async_find(const struct replay_async *async, const struct event_step *step)
{
    return find(async, step);
}

// A wait that was lost in between shows in the clocks.
bool replay_async_ends_wait(const struct replay_activation *activation, const struct event_step *step)
{
    CLEW_ASSERT(step->kind == STEP_RESUME);
    return activation && activation->waits && activation->clock + step->number == step->clock;
}

static struct replay_activation *add(struct replay_async *async, const struct event_step *step)
{
    uint32_t index = async->free;
    if (index) {
        async->free = async->all[index - 1].next_free;
    } else if (array_grow(&async->all, async->count, &async->room, sizeof *async->all)) {
        index = ++async->count;
    }
    if (!index || !map_put(&async->indices, key_of(step), index)) {
        return NULL;
    }
    struct replay_activation *added = &async->all[index - 1];
    *added = (struct replay_activation){.serial = step->serial, .process = step->thread->process};
    // A run that continues no other is the first.
    added->call = step->frame->serial == 0 && !step->frame->restated ? step->frame->call : 0;
    return added;
}

static void drop(struct replay_async *async, struct replay_activation *activation, const struct event_step *step)
{
    map_remove(&async->indices, key_of(step));
    *activation = (struct replay_activation){.next_free = async->free};
    async->free = (uint32_t)(activation - async->all) + 1;
}

bool replay_async_note(struct replay_async *async, const struct event_step *step)
{
    struct replay_activation *activation = find(async, step);
    if (activation && step->kind == STEP_COMPLETE) {
        drop(async, activation, step);
    } else if (is_async(step) && step->kind == STEP_SUSPEND) {
        activation = activation ? activation : add(async, step);
        if (!activation) {
            return false;
        }
        activation->thread = step->thread->thread;
        activation->body = step->frame->method;
        activation->state = (uint32_t)step->number;
        activation->clock = step->clock;
        activation->run = step->frame->call;
        activation->waits = true;
    } else if (activation) {
        activation->waits = false;
    }
    return true;
}

void replay_async_free(struct replay_async *async)
{
    map_free(&async->indices);
    free(async->all);
    *async = (struct replay_async){0};
}
