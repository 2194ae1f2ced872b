// The registry of modules: a hash table by ModuleID. Lookups run on every compiling thread and take no lock. A chain only
// grows at its head and its slots are never freed. The slot of an unloaded module is reused for another module of the same
// bucket, so a lookup that has reached that slot continues in the right chain.
#include "agent/loaded/modules.h"

#include <stdlib.h>

#include "agent/session/agent.h"
#include "agent/session/locks.h"
#include "base/assert.h"
#include "base/locked.h"

enum { BUCKETS = 1024 };

struct module_slot {
    struct module_slot *next;
    _Atomic clr_id id; // 0: free
    _Atomic(struct module *) module;
};

static _Atomic(struct module_slot *) buckets[BUCKETS];

static struct {
    pthread_mutex_t lock; // of writers: slots and `leaving`
    struct module *leaving;
} changes = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Atomic(struct module_slot *) *bucket_of(clr_id id)
{
    return &buckets[(id >> 4 ^ id >> 14) % BUCKETS];
}

static struct module_slot *slot_of(clr_id id)
{
    struct module_slot *slot = atomic_load_explicit(bucket_of(id), memory_order_acquire);
    // Pairs with the release store in module_publish(): the module is whole before it can be found.
    while (slot && atomic_load_explicit(&slot->id, memory_order_acquire) != id) {
        slot = slot->next;
    }
    return slot;
}

struct module *module_find(clr_id id)
{
    struct module_slot *slot = id ? slot_of(id) : NULL;
    return slot ? atomic_load_explicit(&slot->module, memory_order_relaxed) : NULL;
}

struct module *modules_find_assembly(struct text name)
{
    struct module *found = NULL;
    for (uint32_t i = 0; i < BUCKETS; i++) {
        struct module_slot *slot = atomic_load_explicit(&buckets[i], memory_order_acquire);
        for (; slot; slot = slot->next) {
            struct module *module = atomic_load_explicit(&slot->module, memory_order_acquire);
            if (!module || atomic_load_explicit(&module->unloaded, memory_order_relaxed) ||
                metadata_rows(&module->metadata, TABLE_ASSEMBLY) == 0 || !text_equal(module->assembly, name)) {
                continue;
            }
            if (found) {
                return NULL; // in several load contexts: only the runtime knows which one is meant
            }
            found = module;
        }
    }
    return found;
}

// A free slot in the chain of this id; NULL when memory runs out. Needs the writers' lock.
static struct module_slot *free_slot(clr_id id)
{
    _Atomic(struct module_slot *) *bucket = bucket_of(id);
    struct module_slot *first = atomic_load_explicit(bucket, memory_order_relaxed), *slot = first;
    while (slot && atomic_load_explicit(&slot->module, memory_order_relaxed)) {
        slot = slot->next;
    }
    if (!slot && (slot = calloc(1, sizeof *slot)) != NULL) {
        slot->next = first;
        atomic_store_explicit(bucket, slot, memory_order_release);
    }
    return slot;
}

bool module_publish(struct module *module)
{
    lock_take(&changes.lock, LOCK_REGISTRY);
    struct module_slot *slot = slot_of(module->id);
    if (slot) { // an earlier module with this id, whose unload the runtime did not announce
        atomic_store_explicit(&atomic_load_explicit(&slot->module, memory_order_relaxed)->unloaded, true,
                              memory_order_relaxed);
    }
    slot = slot ? slot : free_slot(module->id);
    if (slot) {
        // Pair with the acquire loads in modules_find_assembly() and in slot_of().
        atomic_store_explicit(&slot->module, module, memory_order_release);
        atomic_store_explicit(&slot->id, module->id, memory_order_release);
    }
    lock_release(&changes.lock, LOCK_REGISTRY);
    return slot != NULL;
}

void module_withdraw(struct module *module)
{
    lock_take(&changes.lock, LOCK_REGISTRY);
    struct module_slot *slot = slot_of(module->id);
    CLEW_ASSERT(slot && atomic_load_explicit(&slot->module, memory_order_relaxed) == module);
    atomic_store_explicit(&slot->id, 0, memory_order_relaxed);
    atomic_store_explicit(&slot->module, NULL, memory_order_relaxed);
    module->next = changes.leaving;
    changes.leaving = module;
    lock_release(&changes.lock, LOCK_REGISTRY);
}

struct module *module_take_withdrawn(clr_id id)
{
    lock_take(&changes.lock, LOCK_REGISTRY);
    struct module **at = &changes.leaving;
    while (*at && (*at)->id != id) {
        at = &(*at)->next;
    }
    struct module *module = *at;
    if (module) {
        *at = module->next;
    }
    lock_release(&changes.lock, LOCK_REGISTRY);
    return module;
}

struct module *module_of_function(clr_id function, uint32_t *token)
{
    clr_id type, id;
    return clr_failed(info_get_function(agent.info, function, &type, &id, token)) ? NULL : module_find(id);
}

bool module_is_core_library(const struct module *module)
{
    return text_equal(module->assembly, text_of(CLR_CORE_LIBRARY));
}

bool module_is_core_class(clr_id class, const char *name)
{
    clr_id id;
    uint32_t token;
    if (clr_failed(info_get_class(agent.info, class, &id, &token))) {
        return false;
    }
    const struct module *module = module_find(id);
    return module && module_is_core_library(module) &&
           text_equal(metadata_string(&module->metadata, metadata_column(&module->metadata, TABLE_TYPE_DEF,
                                                                         TOKEN_ROW(token), TYPE_DEF_NAME)),
                      text_of(name));
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
