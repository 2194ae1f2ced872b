// The entries of a module's PE debug directory about symbols: which PDB belongs to it, where it was, and its checksums.
// Everything is borrowed from the image.
// Source of facts: PE-COFF.md of dotnet/runtime.
#ifndef CLEW_METADATA_DEBUG_DIRECTORY_H
#define CLEW_METADATA_DEBUG_DIRECTORY_H

#include "base/text.h"
#include "metadata/pdb/pdb.h"
#include "metadata/tables/image.h"

enum { DEBUG_IDS_MAX = 4, DEBUG_CHECKSUMS_MAX = 4 };

// "PDB Checksum Debug Directory Entry": hash of the whole PDB with its id zeroed.
struct debug_checksum {
    struct text algorithm; // SHA256, SHA384, SHA512
    struct bytes hash;
};

struct debug_directory {
    // Ids of the PDBs that match, one for each CodeView entry; honest modules have at most one.
    uint8_t ids[DEBUG_IDS_MAX][PDB_ID_SIZE];
    unsigned id_count;
    struct text path; // of the first CodeView entry, as on the machine that built the module; may be empty
    // Of the embedded PDB; packed is empty where there is none.
    uint32_t embedded_size; // unpacked
    struct bytes packed;    // raw deflate
    struct debug_checksum checksums[DEBUG_CHECKSUMS_MAX];
    unsigned checksum_count;
};

// Reads all entries; malformed ones are left out.
void debug_directory_read(const struct image *image, struct debug_directory *out);
bool debug_directory_names(const struct debug_directory *directory, const uint8_t id[PDB_ID_SIZE]);

#endif
