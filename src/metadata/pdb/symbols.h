// Finds and reads the portable PDB that belongs to a module. The module's debug directory states the PDB's id and path
// (PE-COFF.md and PortablePdb-Metadata.md of dotnet/runtime); a PDB with another id belongs to another build, and its
// lines would be wrong. Files are not trusted, and may change while they are read.
#ifndef CLEW_METADATA_SYMBOLS_H
#define CLEW_METADATA_SYMBOLS_H

#include "base/text.h"
#include "metadata/pdb/pdb.h"
#include "metadata/tables/image.h"

// The result of a search, and a sentence about it for the user.
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

// Looks in this order: embedded, beside the module, at the path of the CodeView entry, in the folders; in a folder
// first for the file name of the CodeView entry, then for the module's name with .pdb. The first match wins; without a
// match the state describes the first candidate that was found. Reads only ids, which takes some hundred microseconds.
// If a file was found, its path is appended to *path (may be NULL).
enum symbols_state symbols_find(const struct symbols_query *query, struct buffer *path);

// A PDB in private memory. It is not a mapped file: truncating that would kill the process with SIGBUS.
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
