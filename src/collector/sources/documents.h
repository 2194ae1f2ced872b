// Copies the sources of recorded methods into the recording, so that it can be read on another machine.
//
// The agent defines documents (source files as a PDB names them, with a hash). The collector looks for each text while
// it has little else to do, and writes it if the hash agrees. Each content is written once for all processes; further
// documents with that content refer to the first.
#ifndef CLEW_COLLECTOR_DOCUMENTS_H
#define CLEW_COLLECTOR_DOCUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/map.h"
#include "collector/sources/module_file.h"
#include "metadata/pdb/symbols.h"
#include "recording/reader.h"
#include "recording/writer.h"
#include "source/source_places.h"

// Contents that the file has, from documents of all processes. Zero-initialise.
struct contents {
    struct map by_hash;                    // content_key(): index in places
    struct recording_document_key *places; // the documents whose SOURCE blocks have the contents
    size_t count, room;
};
void contents_free(struct contents *contents);

// A document whose text is not written yet. hash and path are in documents.texts.
struct document {
    uint32_t module, number;
    uint32_t hash_kind; // enum hash_kind
    struct bytes hash;
    struct text path; // as in the symbols
};

// Where a session looks for symbols and sources that are not at the paths in modules and PDBs.
struct document_folders {
    struct text session; // its folder; may be empty
    const struct text *symbols;
    unsigned symbol_count;
    struct source_places sources; // without folders, which depend on the module
};

// The documents of one process. Zero-initialise all but process and pid.
struct documents {
    uint32_t process;
    pid_t pid; // sources are also searched in the file system as this process sees it (/proc/PID/root)
    struct arena texts;
    struct map module_paths; // module number: NUL-terminated text in texts
    struct map known;        // module << 32 | number: its definition is in the file
    struct document *wanted; // from wanted[next] on they are still to be written
    size_t count, room, next;
    // The symbols that were opened last; kept open, since documents of a module come together.
    uint32_t module;         // 0: none
    struct module_file file; // without its image
};

// Adds a module that the agent has defined. NO_MEMORY is the only error.
enum clew_error documents_add_module(struct documents *documents, uint32_t module, struct text path);
// "": there is no such module.
const char *documents_module_path(const struct documents *documents, uint32_t module);
// Writes the definition of a document, and adds it to those whose texts are wanted, unless it is known already.
enum clew_error documents_define(struct documents *documents, struct recording_writer *writer,
                                 const struct recording_document *document);
bool documents_know(const struct documents *documents, uint32_t module, uint32_t number);
// The symbols of a module, NULL if none match. Valid until those of another module are asked for, or texts are written.
// NO_MEMORY: it is not known whether there are any.
enum clew_error documents_symbols(struct documents *documents, uint32_t module, const struct document_folders *folders,
                                  const struct pdb **out);
// Writes texts, at least one, until none is left or until_ns (CLOCK_MONOTONIC) has passed.
enum clew_error documents_write(struct documents *documents, struct recording_writer *writer, struct contents *contents,
                                const struct document_folders *folders, uint64_t until_ns);
static inline bool documents_all_written(const struct documents *documents)
{
    return documents->next == documents->count;
}
// After a takeover: adds the documents whose texts the file lacks, and learns which contents it has. One pass over the
// file for all processes. `processes` maps the number of each to its struct documents *.
enum clew_error documents_resume(const struct map *processes, struct contents *contents,
                                 struct recording_reader *reader);
void documents_free(struct documents *documents);

#endif
