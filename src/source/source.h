// Finds the source files that a module was compiled from, in its PDB or on disk, and verifies them by their checksums.
#ifndef CLEW_SOURCE_SOURCE_H
#define CLEW_SOURCE_SOURCE_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/text.h"
#include "metadata/pdb/pdb.h"
#include "metadata/pdb/symbols.h"
#include "metadata/tables/image.h"
#include "source/source_places.h"
#include "trace/kinds.h"

enum { SOURCE_SIZE_MAX = 16 << 20 };

struct source {
    enum source_state state;
    bool embedded; // the text is from the PDB
    // The bytes as they were compiled, in their own encoding and with their line ends; empty when missing or too large.
    struct buffer text;
    struct buffer path; // of the file on disk; empty when embedded or missing
};

// Looks for the source of a document on disk: where each map that fits says, then at its own path, then in each folder, by
// ever shorter ends of the path (for `/_/src/App/Main.cs`: FOLDER/_/src/App/Main.cs, ..., FOLDER/Main.cs). A file in a
// folder counts only if its checksum agrees; a VERIFIED one is preferred to others. NO_MEMORY is the only error; call
// source_free() in any case.
enum clew_error source_find(const struct pdb_document *document, struct text path, const struct source_places *places,
                            struct source *out);
// The same for a document of a PDB, where the source may be embedded; that is tried first.
enum clew_error source_read(const struct pdb *pdb, uint32_t document, const struct source_places *places,
                            struct source *out);
void source_free(struct source *source);

// Reads a whole regular file. UNCHECKED when it was read; TOO_LARGE when it has more than `most` bytes; MISSING when it
// cannot be read, is not a regular file, or was shortened meanwhile. Does not block, even if the path is a pipe.
enum source_state source_read_file(const char *path, size_t most, struct buffer *out);

// Whether a PDB is, byte for byte, the one that the compiler wrote with the module, by the module's PdbChecksum
// entries. The id alone identifies the build, but does not show that the PDB is unchanged.
enum symbols_check {
    SYMBOLS_CHECK_NONE, // the module has no checksum of a known algorithm
    SYMBOLS_CHECK_EQUAL,
    SYMBOLS_CHECK_DIFFERENT,
};
enum symbols_check symbols_check(const struct image *image, const struct symbols *symbols);

#endif
