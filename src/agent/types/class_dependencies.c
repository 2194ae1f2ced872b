// The dependencies of classes on collectible modules.
#include "agent/types/class_dependencies.h"

#include "agent/probe/probe_classes.h"
#include "base/locked.h"

pthread_mutex_t class_lock = PTHREAD_MUTEX_INITIALIZER;

// A class may have several.
struct dependency {
    const void *table;
    uint32_t module; // number
};

static struct buffer dependencies; // struct dependency

void class_depends_on(const void *table, const struct module *module)
{
    CLEW_ASSERT_LOCKED(&class_lock);
    if (module->flags & MODULE_COLLECTIBLE) {
        struct dependency dependency = {table, module->number};
        buffer_append(&dependencies, &dependency, sizeof dependency);
    }
}

// A class can have two slots if two threads met it for the first time at once.
static void forget_class(const void *table)
{
    _Atomic uint64_t *slot;
    while ((slot = class_slot(table)) != NULL) {
        atomic_store_explicit(slot, CLASS_WORD_GONE, memory_order_relaxed);
    }
    class_drop_mask(table);
}

// A class that is forgotten loses its dependencies on other modules too: another class may come to its address, and the
// unloading of such a module must not remove that one.
void class_dependencies_drop(const struct module *module)
{
    CLEW_ASSERT_LOCKED(&class_lock);
    struct dependency *all = (struct dependency *)(void *)dependencies.data;
    size_t count = dependencies.size / sizeof *all, left = 0;
    struct map forgotten = {0};
    uint64_t yes;
    for (size_t i = 0; i < count; i++) {
        if (all[i].module == module->number) {
            forget_class(all[i].table);
            (void)map_put(&forgotten, (uintptr_t)all[i].table, 1); // without memory its other dependencies stay
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (all[i].module != module->number && !map_get(&forgotten, (uintptr_t)all[i].table, &yes)) {
            all[left++] = all[i];
        }
    }
    dependencies.size = left * sizeof *all;
    map_free(&forgotten);
}
