// Finding the portable PDB that belongs to a module, by its id (PE debug directory, PE-COFF.md and
// PortablePdb-Metadata.md of dotnet/runtime), and reading it. Reads files; never trusts them.
#ifndef CLEW_METADATA_SYMBOLS_H
#define CLEW_METADATA_SYMBOLS_H

#include "base/text.h"
#include "metadata/pdb/pdb.h"
#include "metadata/tables/image.h"

// What was found, with what to tell a user of it.
#define SYMBOLS_STATES(X)                                                                                           \
    X(NOT_BUILT, "the module names no symbols: it was built without")                                               \
    X(NONE, "no PDB was found beside the module, where it was built, or in a folder given")                         \
    X(MISMATCHED, "the PDB belongs to another build of the module")                                                 \
    X(WINDOWS, "the PDB has the old Windows format, which is not read; build with <DebugType>portable</DebugType>") \
    X(DAMAGED, "the PDB is damaged, or is just being written")                                                      \
    X(NO_MEMORY, "there is not enough memory to read the PDB")                                                      \
    X(BESIDE, "matching, in a file")                                                                                \
    X(EMBEDDED, "matching, inside the module")

enum symbols_state {
#define X(state, sentence) SYMBOLS_##state,
    SYMBOLS_STATES(X)
#undef X
};

const char *symbols_sentence(enum symbols_state state); // without a full stop

static inline bool symbols_match(enum symbols_state state)
{
    return state == SYMBOLS_BESIDE || state == SYMBOLS_EMBEDDED;
}

// Where to look.
struct symbols_query {
    const struct image *image;
    const char *module_path;    // of the module's file; NULL or empty when it has none
    const struct text *folders; // to look in when all else fails, in this order
    unsigned folder_count;
};

// Looks in this order: embedded, beside the module, at the path of the CodeView entry, in the folders; in a folder for
// the file name in the CodeView entry, then for the module's name with .pdb. The first match wins; without one the state
// tells of the first file that was something else. Reads ids only: some hundred microseconds, nothing is kept.
// Where a file was found its path is appended to *path (may be NULL).
enum symbols_state symbols_find(const struct symbols_query *query, struct buffer *path);

// A PDB in memory of its own (not a mapped file: one that somebody shortens would take the process along by SIGBUS).
struct symbols {
    struct pdb pdb;
    void *memory; // pages
    size_t size;
};

// As symbols_find(), and reads the PDB whole: its size in memory until symbols_close(); a file of 3 MB took 2 ms.
// *out is only set where symbols_match().
enum symbols_state symbols_open(const struct symbols_query *query, struct symbols *out, struct buffer *path);
void symbols_close(struct symbols *symbols);

#endif
