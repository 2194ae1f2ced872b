// The registry of modules. Lookups take no lock: a bucket's chain only grows at its head, and entries live as long as the process.
#include "agent/loaded/modules.h"

#include "base/locked.h"

enum { BUCKETS = 1024 };

static _Atomic(struct module *) buckets[BUCKETS];

static _Atomic(struct module *) *bucket_of(clr_id id)
{
    return &buckets[(id >> 4 ^ id >> 14) % BUCKETS];
}

struct module *module_find(clr_id id)
{
    struct module *module = atomic_load_explicit(bucket_of(id), memory_order_acquire);
    while (module && (module->id != id || atomic_load_explicit(&module->unloaded, memory_order_relaxed))) {
        module = module->next;
    }
    return module;
}

struct module *modules_find_assembly(struct text name)
{
    struct module *found = NULL;
    for (uint32_t i = 0; i < BUCKETS; i++) {
        struct module *module = atomic_load_explicit(&buckets[i], memory_order_acquire);
        for (; module; module = module->next) {
            if (atomic_load_explicit(&module->unloaded, memory_order_relaxed) ||
                metadata_rows(&module->metadata, TABLE_ASSEMBLY) == 0 || !text_equal(module->assembly, name)) {
                continue;
            }
            if (found) {
                return NULL; // of several contexts: which one is meant only the runtime knows
            }
            found = module;
        }
    }
    return found;
}

void module_publish(struct module *module)
{
    _Atomic(struct module *) *bucket = bucket_of(module->id);
    module->next = atomic_load_explicit(bucket, memory_order_relaxed);
    // Pairs with the acquire load in module_find: the module is whole before it can be found.
    while (!atomic_compare_exchange_weak_explicit(bucket, &module->next, module, memory_order_release,
                                                  memory_order_relaxed)) {
    }
}

bool module_is_core_library(const struct module *module)
{
    return text_equal(module->assembly, text_of("System.Private.CoreLib"));
}

bool module_names(struct module *module)
{
    CLEW_ASSERT_LOCKED(&module->lock);
    if (!module->names) {
        module->names = names_new(&module->metadata);
        if (module->names) {
            names_use_bodies(module->names, &module->image);
        }
    }
    return module->names != NULL;
}
