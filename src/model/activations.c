// See activations.h.
#include "model/activations.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"

enum {
    ACTIVATIONS_MAX = 1 << 20, // that wait at one time and keep their callers: the agent has room for so many
    CALLERS_MAX = 1 << 16,     // that one wait is compared with
};

struct activation *activations_get(const struct activations *activations, struct activation_ref ref)
{
    struct activation *found = ref.slot && ref.slot < activations->count ? &activations->all[ref.slot] : NULL;
    return found && found->used && found->generation == ref.generation ? found : NULL;
}

struct activation_ref activations_find(const struct activations *activations, uint64_t serial)
{
    uint64_t slot;
    if (!serial || !map_get(&activations->of_serial, serial, &slot)) {
        return (struct activation_ref){0};
    }
    CLEW_ASSERT(slot < activations->count && activations->all[slot].used);
    return (struct activation_ref){(uint32_t)slot, activations->all[slot].generation};
}

// A slot that is not used; 0: there is none.
static uint32_t take_slot(struct activations *activations)
{
    uint32_t slot = activations->free;
    if (slot) {
        activations->free = activations->all[slot].next_free;
        return slot;
    }
    for (; activations->count < ACTIVATIONS_MAX; activations->count++) {
        if (!array_grow(&activations->all, activations->count, &activations->room, sizeof *activations->all)) {
            return 0;
        }
        activations->all[activations->count] = (struct activation){0};
        if (activations->count > 0) {
            return activations->count++;
        }
    }
    return 0;
}

struct activation_ref activations_add(struct activations *activations, uint64_t started, uint32_t path)
{
    uint32_t slot = take_slot(activations);
    if (!slot) {
        return (struct activation_ref){0};
    }
    struct activation *added = &activations->all[slot];
    *added = (struct activation){.started = started, .path = path, .generation = added->generation + 1, .used = true};
    return (struct activation_ref){slot, added->generation};
}

bool activations_name(struct activations *activations, struct activation_ref ref, uint64_t serial)
{
    struct activation *activation = activations_get(activations, ref);
    CLEW_ASSERT(activation && serial);
    if (activation->serial == serial) {
        return true;
    }
    if (activation->serial || activations_find(activations, serial).slot ||
        !map_put(&activations->of_serial, serial, ref.slot)) {
        return false;
    }
    activation->serial = serial;
    return true;
}

void activations_link(struct activations *activations, struct activation_ref ref, struct activation_ref caller)
{
    struct activation *activation = activations_get(activations, ref);
    struct activation *above = activations_get(activations, caller);
    CLEW_ASSERT(activation && !activation->caller.slot);
    if (above && above != activation) {
        activation->caller = caller;
        above->pending++;
    }
}

void activations_wait(struct activations *activations, struct activation_ref ref, uint32_t wait, uint32_t state,
                      uint64_t now)
{
    struct activation *activation = activations_get(activations, ref);
    CLEW_ASSERT(activation);
    activation->wait = wait;
    activation->state = state;
    activation->waits_from = activation->idle_from = now;
    activation->waits = true;
}

// When the newest of the activation and its waiting callers began to wait: as long as one of them ran, that was no wait. Goes
// on to a caller only if that has not begun to wait before.
static uint64_t quiet_from(const struct activations *activations, const struct activation *activation)
{
    uint64_t from = activation->waits_from;
    for (uint32_t left = CALLERS_MAX; left > 0; left--) {
        const struct activation *caller = activations_get(activations, activation->caller);
        if (!caller || !caller->waits || caller->waits_from < from) {
            break;
        }
        from = caller->waits_from;
        activation = caller;
    }
    return from;
}

uint64_t activations_resume(struct activations *activations, struct activation_ref ref, uint64_t run, uint64_t now)
{
    struct activation *activation = activations_get(activations, ref);
    CLEW_ASSERT(activation);
    uint64_t own = 0;
    if (activation->waits && activation->pending == 0) {
        uint64_t quiet = quiet_from(activations, activation);
        uint64_t from = activation->idle_from > quiet ? activation->idle_from : quiet;
        own = now > from ? now - from : 0;
    }
    activation->waits = false;
    activation->run = run;
    return own;
}

void activations_complete(struct activations *activations, struct activation_ref ref, uint64_t now)
{
    struct activation *activation = activations_get(activations, ref);
    CLEW_ASSERT(activation);
    struct activation *caller = activations_get(activations, activation->caller);
    if (caller) {
        caller->pending -= caller->pending > 0;
        caller->idle_from = now > caller->idle_from ? now : caller->idle_from;
    }
    if (activation->serial) {
        map_remove(&activations->of_serial, activation->serial);
    }
    activation->used = false;
    activation->next_free = activations->free;
    activations->free = ref.slot;
}

void activations_fini(struct activations *activations)
{
    free(activations->all);
    map_free(&activations->of_serial);
    *activations = (struct activations){0};
}
