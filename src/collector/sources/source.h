// The sources that a module was compiled from, out of its PDB or from disk, and whether they still are what was compiled.
#ifndef CLEW_COLLECTOR_SOURCE_H
#define CLEW_COLLECTOR_SOURCE_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/text.h"
#include "metadata/pdb/pdb.h"
#include "metadata/pdb/symbols.h"
#include "metadata/tables/image.h"
#include "trace/kinds.h"

enum { SOURCE_SIZE_MAX = 16 << 20 };

struct source {
    enum source_state state;
    bool embedded; // came out of the PDB
    struct buffer
        text; // its bytes as they were compiled, encoding and line ends included; empty when missing or too large
    struct buffer path; // of the file on disk; empty when embedded or missing
};

// Looks for the source of a document on disk: at its own path, then in the folders: in each for as much of the path's end
// as there is (`/_/src/App/Main.cs`: FOLDER/_/src/App/Main.cs, ..., FOLDER/Main.cs). A file in a folder is only taken when
// its checksum agrees. NO_MEMORY is the only failure; source_free() in any case.
enum clew_error source_find(const struct pdb_document *document, struct text path, const struct text *folders,
                            unsigned folder_count, struct source *out);
// The same of a document of a PDB, and looks into the PDB first.
enum clew_error source_read(const struct pdb *pdb, uint32_t document, const struct text *folders, unsigned folder_count,
                            struct source *out);
void source_free(struct source *source);

// Reads a regular file whole. UNCHECKED when it was read; TOO_LARGE when it has more than so many bytes; MISSING when it
// cannot be read, is none, or is shortened meanwhile. Never hangs on what has its name.
enum source_state source_read_file(const char *path, size_t most, struct buffer *out);

// Whether a PDB is, byte for byte, the one that the compiler wrote with the module: by the module's PdbChecksum entries.
// The id alone tells which build a PDB belongs to, but not that nothing has changed it since.
enum symbols_check {
    SYMBOLS_CHECK_NONE, // the module has no checksum that is understood
    SYMBOLS_CHECK_EQUAL,
    SYMBOLS_CHECK_DIFFERENT,
};
enum symbols_check symbols_check(const struct image *image, const struct symbols *symbols);

#endif
