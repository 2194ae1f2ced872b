// The documents that a recording defines: source files as symbols name them, by their number within a module.
#ifndef CLEW_MODEL_DOCUMENT_TABLE_H
#define CLEW_MODEL_DOCUMENT_TABLE_H

#include "base/arena.h"
#include "base/map.h"
#include "recording/recording.h"

// Zero-initialise; document_table_fini() releases it.
struct document_table {
    struct arena arena; // of their texts
    struct recording_document *documents;
    uint32_t count;
    size_t room;
    struct map places; // hash of process, module and number: index
};

// Adds a copy; a later definition of the same number replaces the earlier one. NO_MEMORY is the only error.
enum clew_error document_table_add(struct document_table *table, const struct recording_document *document);
// NULL: not defined. Valid until the next one is added.
const struct recording_document *document_table_find(const struct document_table *table, uint32_t process,
                                                     uint32_t module, uint32_t document);
void document_table_fini(struct document_table *table);

#endif
