// The documents of one process, and their texts into the recording, so that it opens on another machine. A text goes in
// when its hash is the document's, and once for each content.
#ifndef CLEW_COLLECTOR_DOCUMENTS_H
#define CLEW_COLLECTOR_DOCUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/map.h"
#include "metadata/pdb/symbols.h"
#include "recording/reader.h"
#include "recording/writer.h"

// Contents that the recording has, of all processes: whose block holds each. Zero-initialise.
struct contents {
    struct map by_hash; // position in places
    struct recording_place *places;
    size_t count, room;
};
void contents_free(struct contents *contents);

// A document whose text is still to be written.
struct document {
    uint32_t module, number;
    uint32_t hash_kind; // enum hash_kind
    struct bytes hash;
    struct text path; // as in the symbols
};

// Where a session looks for symbols and sources that are not where modules say.
struct document_folders {
    struct text sources; // may be empty
    const struct text *symbols;
    unsigned symbol_count;
};

// Zero-initialise but for process and pid.
struct documents {
    uint32_t process;
    pid_t pid; // whose view of the file system counts, too
    struct arena texts;
    struct map module_paths; // module: NUL-terminated text in texts
    struct map known;        // module << 32 | number
    struct document *wanted; // wanted[next] and up are still to be written
    size_t count, room, next;
    // The symbols looked at last.
    uint32_t module; // 0: none
    bool has_symbols;
    struct symbols symbols;
};

// Where modules lie, and what documents they have; told again, they are known already. NO_MEMORY.
enum clew_error documents_add_module(struct documents *documents, uint32_t module, struct text path);
enum clew_error documents_add(struct documents *documents, const struct recording_document *document);
// Writes texts until all are, or the time (CLOCK_MONOTONIC) has come: at least one.
enum clew_error documents_write(struct documents *documents, struct recording_writer *writer, struct contents *contents,
                                const struct document_folders *folders, uint64_t until_ns);
static inline bool documents_all_written(const struct documents *documents)
{
    return documents->next == documents->count;
}
// For a collector that takes another's place: what the file lacks of the processes is wanted, and what it has is known.
// One pass over the file, however many processes there are. `processes`: number of each, and its struct documents *.
enum clew_error documents_resume(const struct map *processes, struct contents *contents,
                                 struct recording_reader *reader);
void documents_free(struct documents *documents);

#endif
