#include "recording/definitions.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"

enum { UNUSED_MIN = 1 << 20 };
static_assert(RECORDING_POINTS < 32, "a type takes five bits of a key");

// The key under which a later definition replaces an earlier one: type, process and number, which begin each body.
// Notes, NOT_WOVEN records, compilations, sequence points, and documents (numbered within a module) are never replaced, so their key is the
// number of the record itself.
static uint64_t key_of(const struct codec_definition *definition)
{
    CLEW_ASSERT(codec_is_definition(definition->type));
    struct bytes body = definition->body;
    uint64_t process = 0, number = 0;
    uint64_t kind = definition->type << 59;
    if (definition->type == RECORDING_NOTE || definition->type == RECORDING_NOT_WOVEN ||
        definition->type == RECORDING_DOCUMENT || definition->type == RECORDING_COMPILED ||
        definition->type == RECORDING_POINTS) {
        return kind | (definition->number & (UINT64_MAX >> 5));
    }
    (void)bytes_varint(&body, &process); // an empty body has the numbers 0
    if (definition->type != RECORDING_PROCESS) {
        (void)bytes_varint(&body, &number);
    }
    return kind | (process & 0x07ffffff) << 32 | (number & UINT32_MAX);
}

// Drops the bytes of replaced definitions. When memory runs out, a later replacement tries again.
static void drop_unused(struct definitions *definitions)
{
    struct buffer bytes = {0};
    for (size_t i = 0; i < definitions->count; i++) {
        struct codec_definition definition = definitions_at(definitions, i);
        buffer_append(&bytes, definition.body.at, bytes_left(&definition.body));
    }
    if (bytes.failed) {
        buffer_free(&bytes);
        return;
    }
    size_t offset = 0;
    for (size_t i = 0; i < definitions->count; i++) {
        definitions->entries[i].offset = offset;
        offset += definitions->entries[i].size;
    }
    CLEW_ASSERT(offset == bytes.size && "what still holds was copied, and nothing else");
    buffer_free(&definitions->bytes);
    definitions->bytes = bytes;
    definitions->unused = 0;
}

bool definitions_put(struct definitions *definitions, const struct codec_definition *definition)
{
    uint64_t key = key_of(definition);
    uint64_t position;
    size_t size = bytes_left(&definition->body);
    bool known = map_get(&definitions->by_key, key, &position);
    if (known && definitions->entries[position].number >= definition->number) {
        return true;
    }
    struct definition_entry entry = {definition->type, definition->number, definitions->bytes.size, size};
    buffer_append(&definitions->bytes, definition->body.at, size);
    if (definitions->bytes.failed) {
        definitions->bytes.failed = false; // all before is whole
        return false;
    }
    if (!known) {
        if (!array_grow(&definitions->entries, definitions->count, &definitions->room, sizeof *definitions->entries) ||
            !map_put(&definitions->by_key, key, definitions->count)) {
            definitions->bytes.size = entry.offset;
            return false;
        }
        definitions->entries[definitions->count++] = entry;
        return true;
    }
    definitions->unused += definitions->entries[position].size;
    definitions->entries[position] = entry;
    CLEW_ASSERT(definitions->unused <= definitions->bytes.size);
    if (definitions->unused > UNUSED_MIN && definitions->unused > definitions->bytes.size / 2) {
        drop_unused(definitions);
    }
    return true;
}

struct codec_definition definitions_at(const struct definitions *definitions, size_t position)
{
    CLEW_ASSERT(position < definitions->count);
    const struct definition_entry *entry = &definitions->entries[position];
    const uint8_t *bytes = definitions->bytes.data; // NULL while all bodies are empty
    CLEW_ASSERT(entry->offset <= definitions->bytes.size && entry->size <= definitions->bytes.size - entry->offset);
    struct bytes body = bytes_of(entry->size ? bytes + entry->offset : bytes, entry->size);
    return (struct codec_definition){entry->type, entry->number, body};
}

void definitions_free(struct definitions *definitions)
{
    buffer_free(&definitions->bytes);
    free(definitions->entries);
    map_free(&definitions->by_key);
    *definitions = (struct definitions){0};
}
