// The texts of documents, into the recording, so that it opens on another machine: from the module's symbols, or from where
// the symbols say that it was compiled. A text goes in when its hash is the document's, and once for each content.
#ifndef CLEW_COLLECTOR_SOURCES_H
#define CLEW_COLLECTOR_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/map.h"
#include "metadata/symbols.h"
#include "recording/reader.h"
#include "recording/writer.h"

// A document of a process. Its bytes live in the sources' arena.
struct source_wanted {
    uint32_t module, document;
    uint32_t hash_kind; // enum ring_hash
    struct bytes hash;
    const char *path; // as in the symbols
};

// What one process still has to bring. Zero-initialise.
struct sources {
    uint32_t process;
    pid_t pid; // whose view of the file system counts, too
    struct arena texts;
    struct map module_paths;      // module: NUL-terminated text in texts
    struct source_wanted *wanted; // wanted[next] and up are still to be written
    size_t count, room, next;
    // The symbols looked at last.
    uint32_t module; // 0: none
    bool has_symbols;
    struct symbols symbols;
};

// Where modules lie, and what documents they have. NO_MEMORY.
enum clew_error sources_add_module(struct sources *sources, uint32_t module, struct text path);
enum clew_error sources_add_document(struct sources *sources, const struct recording_document *document);
// Writes what is wanted until nothing is, or the time (CLOCK_MONOTONIC) has come: at least one. `stored` has, as keys, the
// contents that the recording holds, of all processes; symbols are looked for in `folder`, too.
enum clew_error sources_write(struct sources *sources, struct recording_writer *writer, struct map *stored,
                              struct text folder, uint64_t until_ns);
// For a collector that takes another's place: what the file lacks of the process is wanted, and what it has is stored.
enum clew_error sources_resume(struct sources *sources, struct map *stored, struct recording_reader *reader);
void sources_free(struct sources *sources);

#endif
