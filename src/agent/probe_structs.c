// Structs as they lie in memory. What leads from a method table to the references in a value is the layout that CoreCLR
// has had from 8 to 10 (gcdesc.h).
#include "agent/objects.h"
#include "agent/probe_classes.h"
#include "agent/structs.h"
#include "ring/walk.h"

// By hand: the compiler must not make a call of it.
void struct_copy_bytes(uint32_t *cells, const void *from, uint32_t size)
{
    uint8_t *into = (uint8_t *)cells;
    uint64_t count = size;
    if (size % 4) {
        cells[size / 4] = 0;
    }
    __asm__ volatile("rep movsb" : "+D"(into), "+S"(from), "+c"(count) : : "memory");
}

// By the series in front of the method table: next to it how many they are, then each, a length less the object's and an
// offset in it.
void struct_find_references(const void *table, uint32_t size, struct struct_references *out)
{
    enum { WORD = 8, SERIES = 2 }; // words
    const intptr_t *end = table;
    intptr_t count = class_has_references(table) ? end[-1] : 0;
    out->count = 0;
    for (intptr_t i = 0; i < count; i++) {
        const intptr_t *series = end - 1 - SERIES * (i + 1);
        intptr_t bytes = series[0] + (intptr_t)class_fact(table, CLASS_BASE_SIZE_AT);
        for (intptr_t at = series[1] - WORD; bytes > 0; bytes -= WORD, at += WORD) {
            if (out->count < STRUCT_REFERENCES_MAX && at >= 0 && at + WORD <= (intptr_t)size) {
                out->offsets[out->count++] = (uint32_t)at;
            }
        }
    }
}

void struct_look(struct ring_thread *thread, const void *table, const char *address, uint32_t size, unsigned boxes,
                 struct struct_value *out)
{
    out->address = address;
    out->size = size;
    out->mask = size ? class_mask(table) : NULL;
    out->references.count = 0;
    if (size) {
        struct_find_references(table, size, &out->references);
    }
    for (uint32_t i = 0; i < out->references.count; i++) {
        bool hidden = out->mask && class_mask_has(out->mask, out->references.offsets[i]);
        const void *reference = address + out->references.offsets[i];
        out->objects[i] = hidden ? 0 : object_number_within(thread, reference, boxes);
    }
}

void struct_copy(const struct struct_value *value, uint32_t *cells)
{
    struct_copy_bytes(cells, value->address, value->size);
    for (uint32_t i = 0; value->mask && i < value->size; i++) {
        if (class_mask_has(value->mask, i)) {
            ((volatile uint8_t *)cells)[i] = 0;
        }
    }
    for (uint32_t i = 0; i < value->references.count; i++) {
        ring_set_word((char *)cells + value->references.offsets[i], value->objects[i]);
    }
}
