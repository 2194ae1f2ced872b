// The registry of value types that stay loaded.
#include "agent/types/loaded_classes.h"

#include "agent/session/locks.h"
#include "base/locked.h"

struct loaded {
    clr_id class;
    uint32_t before; // 1 + index of the previous class of the same TypeDef; 0: none
};

static struct {
    pthread_mutex_t lock;
    struct buffer all;    // struct loaded
    struct map by_origin; // hash of module and token -> 1 + index of the newest class
    struct map expected;  // hash of module and token -> 1
} loads = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t origin_of(clr_id module, uint32_t token)
{
    const uint64_t origin[] = {module, token};
    return map_hash_text(origin, sizeof origin);
}

bool loaded_class_add(clr_id class, clr_id module, uint32_t token)
{
    struct loaded loaded = {.class = class};
    uint64_t origin = origin_of(module, token), before = 0, yes;
    lock_take(&loads.lock, LOCK_LOADS);
    (void)map_get(&loads.by_origin, origin, &before);
    loaded.before = (uint32_t)before;
    buffer_append(&loads.all, &loaded, sizeof loaded);
    if (!loads.all.failed) {
        (void)map_put(&loads.by_origin, origin, loads.all.size / sizeof loaded); // without memory it has no layout
    }
    bool expected = map_get(&loads.expected, origin, &yes);
    lock_release(&loads.lock, LOCK_LOADS);
    return expected;
}

clr_id loaded_class_next(const struct type_entry *type, uint32_t *position)
{
    uint64_t newest = 0;
    clr_id class = 0;
    lock_take(&loads.lock, LOCK_LOADS);
    const struct loaded *all = (const struct loaded *)(const void *)loads.all.data;
    if (*position == 0) {
        (void)map_get(&loads.by_origin, origin_of(type->module->id, type->token), &newest);
    } else {
        CLEW_ASSERT(*position <= loads.all.size / sizeof *all && all[*position - 1].before < *position);
        newest = all[*position - 1].before;
    }
    class = newest ? all[newest - 1].class : 0;
    *position = (uint32_t)newest;
    lock_release(&loads.lock, LOCK_LOADS);
    return class;
}

bool loaded_class_expect(clr_id module, uint32_t token)
{
    lock_take(&loads.lock, LOCK_LOADS);
    bool noted = map_put(&loads.expected, origin_of(module, token), 1);
    lock_release(&loads.lock, LOCK_LOADS);
    return noted;
}
