#include "agent/probe/probe_logical_paths.h"

#include "agent/probe/bounded.h"
#include "agent/session/pages.h"

enum {
    SLOTS = RING_PATHS_MAX * 2, // of the hash table
    PROBES_MAX = 64,            // slots that one look-up tries
};

static _Atomic uint32_t *path_slots; // number of a path by hash; 0: free

bool paths_setup(void)
{
    path_slots = pages_new(SLOTS * sizeof *path_slots);
    return path_slots != NULL;
}

bool paths_are_there(void)
{
    return path_slots != NULL;
}

static struct ring_path *path_at(uint32_t path)
{
    return &ring_paths(probe_ring)[path < RING_PATHS_MAX ? path : 0];
}

uint32_t path_parent(uint32_t path)
{
    return path_at(path)->parent;
}

uint32_t path_method(uint32_t path)
{
    // Pairs with the release store in new_path().
    return atomic_load_explicit(&path_at(path)->method, memory_order_acquire);
}

// 0: there is no room.
static uint32_t new_path(uint32_t parent, uint32_t method)
{
    uint32_t path;
    if (!bounded_take(&probe_ring->paths_used, 1, RING_PATHS_MAX, &path)) {
        return PATH_NONE;
    }
    path_at(path)->parent = parent;
    // Pairs with the acquire loads here and in the collector: who finds a method finds the parent, and all paths above.
    atomic_store_explicit(&path_at(path)->method, method, memory_order_release);
    return path;
}

// If two threads add the same one, that of the loser stays unused: nothing refers to it.
uint32_t path_intern(uint32_t parent, uint32_t method)
{
    uint32_t hash = (parent * 0x9E3779B1u ^ method * 0x85EBCA77u) * 0xC2B2AE3Du, fresh = PATH_NONE;
    for (uint32_t i = 0; parent && i < PROBES_MAX; i++) {
        _Atomic uint32_t *slot = &path_slots[((hash >> 8) + i) % SLOTS];
        uint32_t path = atomic_load_explicit(slot, memory_order_acquire);
        if (path == PATH_NONE) {
            fresh = fresh ? fresh : new_path(parent, method);
            if (!fresh || atomic_compare_exchange_strong_explicit(slot, &path, fresh, memory_order_acq_rel,
                                                                  memory_order_acquire)) {
                return fresh;
            }
        }
        if (path_method(path) == method && path_at(path)->parent == parent) {
            return path;
        }
    }
    return PATH_NONE;
}
