// See document_table.h.
#include "model/document_table.h"

#include <stdlib.h>

#include "base/array.h"

static uint64_t place_key(uint32_t process, uint32_t module, uint32_t document)
{
    const uint32_t identity[] = {process, module, document, 0};
    return map_hash_text(identity, sizeof identity);
}

enum clew_error document_table_add(struct document_table *table, const struct recording_document *document)
{
    struct recording_document copy = *document;
    size_t hash = bytes_left(&document->hash);
    const char *bytes = arena_text(&table->arena, (const char *)document->hash.at, hash);
    copy.path.at = arena_text(&table->arena, document->path.at, document->path.size);
    if (!bytes || !copy.path.at ||
        !array_grow(&table->documents, table->count, &table->room, sizeof *table->documents) ||
        !map_put(&table->places, place_key(document->process, document->module, document->document), table->count)) {
        return CLEW_NO_MEMORY;
    }
    copy.hash = bytes_of(bytes, hash);
    table->documents[table->count++] = copy;
    return CLEW_OK;
}

const struct recording_document *document_table_find(const struct document_table *table, uint32_t process,
                                                     uint32_t module, uint32_t document)
{
    uint64_t index;
    return map_get(&table->places, place_key(process, module, document), &index) ? &table->documents[index] : NULL;
}

void document_table_fini(struct document_table *table)
{
    free(table->documents);
    map_free(&table->places);
    arena_free(&table->arena);
    *table = (struct document_table){0};
}
