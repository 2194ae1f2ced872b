// Events of sites. Woven code writes the simple ones itself; for all others it calls one of these functions. They know
// each site by its number: the layout of its payload is stored before the method's new body is passed to the runtime.
#ifndef CLEW_AGENT_PROBE_SITES_H
#define CLEW_AGENT_PROBE_SITES_H

#include <stdint.h>

#include "agent/probe/probe_thread.h"
#include "trace/payload.h"

// The payload layout of a site's event.
struct site_layout {
    uint8_t encoding;   // enum site_encoding
    uint8_t owner;      // enum site_owner
    uint8_t item;       // 1: the event has an index
    uint8_t head_cells; // cells before the value: head, owner and index
    bool checked;       // site_behind() asks whether the value can be read: the code trusts no references
    uint32_t size;      // VALUE_STRUCT: bytes
    uint32_t type;      // number of the static type
};

static inline struct site_layout site_layout_of(const struct site *site, bool trusts_references)
{
    bool item = payload_has_index(site);
    return (struct site_layout){.encoding = (uint8_t)site->encoding,
                                .owner = (uint8_t)site->owner,
                                .item = item,
                                .checked = site->kind == SITE_ARGUMENT && !trusts_references,
                                .head_cells = (uint8_t)(1 + payload_owner_cells(site->owner) + item),
                                .size = site->size,
                                .type = site->type};
}

#pragma GCC visibility push(hidden)

// By site number, RING_SITES_MAX entries, in pages that exist once touched; NULL if no instrument has sites.
extern struct site_layout *site_layouts;

// The functions of struct weave_targets, see weave/operations/probes.h. A context is a struct ring_thread: the thread's own slot,
// or its discard context. `owner` and `value` are addresses of woven temporaries or of the value itself.
bool site_room(struct ring_thread *context);
void site_check(struct ring_thread *context);
void site_moment(struct ring_thread *context);
void site_bits(struct ring_thread *context, uint32_t site, uintptr_t owner, uint32_t index, uint64_t bits);
void site_at(struct ring_thread *context, uint32_t site, uintptr_t owner, uint32_t index, const void *value);
struct site_typed_reference { // System.TypedReference
    const void *address;
    const void *type; // method table
};
void site_typed(struct ring_thread *context, uint32_t site, uintptr_t owner, uint32_t index,
                const struct site_typed_reference *value, uint32_t size);
void site_sized(struct ring_thread *context, uint32_t site, uintptr_t owner, uint32_t index, const void *value,
                uint32_t size);
void site_behind(struct ring_thread *context, uint32_t site, uintptr_t owner, uint32_t index,
                 const void *const *location, uint32_t size);
void site_item_index(const uintptr_t *array, int32_t *position, int32_t dimension, int32_t index);
// The index of the newest item of a list, stack or queue whose count is at `count_at`; ITEM_UNKNOWN if the object is not laid
// out like that.
void site_newest_index(const uintptr_t *collection, int32_t *position, int32_t count_at, int32_t zero);
// The number of the object that is a key.
void site_key(struct ring_thread *context, uint32_t zero, const uintptr_t *key, uint32_t index, uint32_t *number);

#pragma GCC visibility pop

#endif
