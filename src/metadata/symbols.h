// Finding the portable PDB that belongs to a module, by its id (PE debug directory, PE-COFF.md and
// PortablePdb-Metadata.md of dotnet/runtime). Reads files; never trusts them.
#ifndef CLEW_METADATA_SYMBOLS_H
#define CLEW_METADATA_SYMBOLS_H

#include "base/text.h"
#include "metadata/image.h"

enum symbols_state {
    SYMBOLS_NONE,       // nothing found
    SYMBOLS_MISMATCHED, // a PDB stands there but belongs to another build
    SYMBOLS_WINDOWS,    // the old format, which is not read
    SYMBOLS_BESIDE,     // matching, next to the module or where the CodeView entry says
    SYMBOLS_EMBEDDED,   // matching, inside the module
};

// Looks in this order: embedded, beside module_path, at the CodeView path, in extra_folder (may be NULL).
// Where a file was found its path is appended to *path (may be NULL).
enum symbols_state symbols_find(const struct image *image, const char *module_path, const char *extra_folder,
                                struct buffer *path);

#endif
