// Copies of structs. Probes may not call memcpy or memset, so the code must not be such that the compiler replaces a
// loop by one of them.
#include "agent/probe/probe_structs.h"

#include "agent/arch/arch.h"
#include "agent/probe/probe_classes.h"
#include "ring/walk.h"

// The last cell is cleared first, as the copy may fill only part of it.
void struct_copy_bytes(uint32_t *cells, const void *from, uint32_t size)
{
    uint64_t bytes = size;
    if (bytes % 4) {
        cells[bytes / 4] = 0;
    }
    arch_copy(cells, from, bytes);
}

void struct_copy(const struct struct_value *value, uint32_t *cells)
{
    struct_copy_bytes(cells, value->address, value->size);
    for (uint32_t i = 0; value->mask && i < value->size; i++) {
        if (class_mask_has(value->mask, i)) {
            ((volatile uint8_t *)cells)[i] = 0; // volatile: or the loop might become a call of memset
        }
    }
    CLEW_ASSERT(value->references.count <= STRUCT_REFERENCES_MAX);
    for (uint32_t i = 0; i < value->references.count; i++) {
        CLEW_ASSERT(value->references.offsets[i] + sizeof(uint64_t) <= value->size);
        ring_set_word((char *)cells + value->references.offsets[i], value->objects[i]);
    }
}
