// Opens a portable PDB and reads its documents and the custom information of compilers.
// Source of facts: Portable PDB v1.0, "#Pdb stream", "Document Table", "CustomDebugInformation Table"; the identifiers
// that it leaves out are those of PortableCustomDebugInfoKinds of Roslyn.
#include "metadata/pdb/pdb.h"

#include "base/assert.h"

// Columns.
enum { GUID_SIZE = 16, NAME_PARTS_MAX = 4096, NAME_SIZE_MAX = 64 << 10 };

// An identifier's bytes: the first three numbers are little endian.
#define GUID(a, b, c, ...)                                                                                            \
    {                                                                                                                 \
        (a) & 0xFF, (a) >> 8 & 0xFF, (a) >> 16 & 0xFF, (a) >> 24, (b)&0xFF, (b) >> 8, (c)&0xFF, (c) >> 8, __VA_ARGS__ \
    }

static const uint8_t custom_kinds[PDB_CUSTOM_COUNT][GUID_SIZE] = {
    [PDB_CUSTOM_HOISTED_SCOPES] = GUID(0x6DA9A61Eu, 0xF8C7, 0x4874, 0xBE, 0x62, 0x68, 0xBC, 0x56, 0x30, 0xDF, 0x71),
    [PDB_CUSTOM_ASYNC_STEPS] = GUID(0x54FD2AC5u, 0xE925, 0x401A, 0x9C, 0x2A, 0xF9, 0x4F, 0x17, 0x10, 0x72, 0xF8),
    [PDB_CUSTOM_DYNAMIC] = GUID(0x83C563C4u, 0xB4F3, 0x47D5, 0xB8, 0x24, 0xBA, 0x54, 0x41, 0x47, 0x7E, 0xA8),
    [PDB_CUSTOM_TUPLE_NAMES] = GUID(0xED9FDF71u, 0x8879, 0x4747, 0x8E, 0xD3, 0xFE, 0x5E, 0xDE, 0x3C, 0xE7, 0x10),
    [PDB_CUSTOM_DEFAULT_NAMESPACE] = GUID(0x58B2EAB6u, 0x209F, 0x4E4E, 0xA2, 0x2C, 0xB2, 0xD0, 0xF9, 0x10, 0xC7, 0x82),
    [PDB_CUSTOM_SLOT_MAP] = GUID(0x755F52A8u, 0x91C5, 0x45BE, 0xB4, 0xB8, 0x20, 0x95, 0x71, 0xE5, 0x52, 0xBD),
    [PDB_CUSTOM_LAMBDA_MAP] = GUID(0xA643004Cu, 0x0240, 0x496F, 0xA7, 0x83, 0x30, 0xD6, 0x4F, 0x49, 0x79, 0xDE),
    [PDB_CUSTOM_STATE_MAP] = GUID(0x8B78CD68u, 0x2EDE, 0x420B, 0x98, 0x0B, 0xE1, 0x58, 0x84, 0xB8, 0xAA, 0xA3),
    [PDB_CUSTOM_SOURCE_LINK] = GUID(0xCC110556u, 0xA091, 0x4D38, 0x9F, 0xEC, 0x25, 0xAB, 0x9A, 0x35, 0x1A, 0x6A),
    [PDB_CUSTOM_EMBEDDED_SOURCE] = GUID(0x0E8A571Bu, 0x6926, 0x466E, 0xB4, 0xAD, 0x8A, 0xB0, 0x46, 0x11, 0xF5, 0xFE),
    [PDB_CUSTOM_REFERENCES] = GUID(0x7E4D4708u, 0x096E, 0x4C5C, 0xAE, 0xDA, 0xCB, 0x10, 0xBA, 0x6A, 0x74, 0x0D),
    [PDB_CUSTOM_OPTIONS] = GUID(0xB5FEEC05u, 0x8CD0, 0x4A83, 0x96, 0xDA, 0x46, 0x62, 0x84, 0xBB, 0x4B, 0xD8),
    [PDB_CUSTOM_TYPE_DOCUMENTS] = GUID(0x932E74BCu, 0xDBA9, 0x4478, 0x8D, 0x46, 0x0F, 0x32, 0xA7, 0xBA, 0xB3, 0xD3),
    [PDB_CUSTOM_PRIMARY_CONSTRUCTOR] =
        GUID(0x9D40ACE1u, 0xC703, 0x4D0E, 0xBF, 0x41, 0x72, 0x43, 0x06, 0x0A, 0x8F, 0xB5),
};

static const uint8_t languages[][GUID_SIZE] = {
    [LANGUAGE_CSHARP] = GUID(0x3F5162F8u, 0x07C6, 0x11D3, 0x90, 0x53, 0x00, 0xC0, 0x4F, 0xA3, 0x02, 0xA1),
    [LANGUAGE_VISUAL_BASIC] = GUID(0x3A12D0B8u, 0xC26C, 0x11D0, 0xB4, 0x42, 0x00, 0xA0, 0x24, 0x4A, 0x1D, 0xD2),
    [LANGUAGE_FSHARP] = GUID(0xAB4F38C9u, 0xB6E6, 0x43BA, 0xBE, 0x3B, 0x58, 0x08, 0x0B, 0x2C, 0xCC, 0xE3),
};

static const uint8_t hashes[][GUID_SIZE] = {
    [HASH_MD5] = GUID(0x406EA660u, 0x64CF, 0x4C82, 0xB6, 0xF0, 0x42, 0xD4, 0x81, 0x72, 0xA7, 0x99),
    [HASH_SHA1] = GUID(0xFF1816ECu, 0xAA5E, 0x4D10, 0x87, 0xF7, 0x6F, 0x49, 0x63, 0x83, 0x34, 0x60),
    [HASH_SHA256] = GUID(0x8829D00Fu, 0x11B8, 0x4213, 0x87, 0x8B, 0x77, 0x0E, 0x85, 0x97, 0xAC, 0x16),
};

static_assert(sizeof languages / sizeof *languages == LANGUAGE_FSHARP + 1, "each language has its GUID");
static_assert(sizeof hashes / sizeof *hashes == HASH_SHA256 + 1, "and each hash that clew knows");

// The entry of a table that the GUID at `index` is; 0 when none.
static unsigned find_guid(const struct pdb *pdb, uint32_t index, const uint8_t known[][GUID_SIZE], size_t count)
{
    uint8_t guid[GUID_SIZE];
    if (metadata_guid(&pdb->metadata, index, guid)) {
        for (unsigned i = 1; i < count; i++) {
            if (memcmp(guid, known[i], GUID_SIZE) == 0) {
                return i;
            }
        }
    }
    return 0;
}

// The format demands that these tables are sorted, but not all writers comply, and binary search in an unsorted table would
// return wrong rows.
static bool is_sorted(const struct metadata *metadata, enum metadata_table table, unsigned column)
{
    uint32_t last = 0;
    for (uint32_t row = 1; row <= metadata_rows(metadata, table); row++) {
        uint32_t value = metadata_column(metadata, table, row, column);
        if (value < last) {
            return false;
        }
        last = value;
    }
    return true;
}

enum clew_error pdb_open(struct bytes content, struct pdb *out)
{
    CLEW_TRY(metadata_open(content, &out->metadata));
    struct bytes stream = out->metadata.pdb, id;
    if (!bytes_take(&stream, PDB_ID_SIZE, &id) || !bytes_u32(&stream, &out->entry_point)) {
        return CLEW_MALFORMED;
    }
    memcpy(out->id, id.at, PDB_ID_SIZE);
    out->sorted_custom = is_sorted(&out->metadata, TABLE_CUSTOM_DEBUG_INFORMATION, CUSTOM_DEBUG_INFORMATION_PARENT);
    out->sorted_scopes = is_sorted(&out->metadata, TABLE_LOCAL_SCOPE, LOCAL_SCOPE_METHOD);
    out->sorted_state_machines = is_sorted(&out->metadata, TABLE_STATE_MACHINE_METHOD, STATE_MACHINE_METHOD_MOVE_NEXT);
    return CLEW_OK;
}

uint32_t pdb_document_count(const struct pdb *pdb)
{
    return metadata_rows(&pdb->metadata, TABLE_DOCUMENT);
}

bool pdb_document(const struct pdb *pdb, uint32_t document, struct pdb_document *out)
{
    const struct metadata *metadata = &pdb->metadata;
    if (document == 0 || document > pdb_document_count(pdb)) {
        return false;
    }
    uint32_t language = metadata_column(metadata, TABLE_DOCUMENT, document, DOCUMENT_LANGUAGE);
    uint32_t hash_kind = metadata_column(metadata, TABLE_DOCUMENT, document, DOCUMENT_HASH_KIND);
    *out = (struct pdb_document){
        .language = find_guid(pdb, language, languages, sizeof languages / sizeof *languages),
        .hash_kind = find_guid(pdb, hash_kind, hashes, sizeof hashes / sizeof *hashes),
        .hash = metadata_blob(metadata, metadata_column(metadata, TABLE_DOCUMENT, document, DOCUMENT_HASH))};
    if (bytes_left(&out->hash) == 0) {
        out->hash_kind = HASH_NONE;
    } else if (out->hash_kind == HASH_NONE) {
        out->hash_kind = HASH_OTHER;
    }
    return true;
}

// A name is a list of parts in #Blob with a separator between them, so that paths share their folders. The limits bound
// what a hostile PDB can make of a few bytes that refer to the same large part again and again.
static bool append_parts(const struct metadata *metadata, struct bytes parts, char separator, struct buffer *out)
{
    size_t limit = out->size + NAME_SIZE_MAX;
    for (unsigned i = 0; bytes_left(&parts); i++) {
        uint32_t offset;
        if (i == NAME_PARTS_MAX || !bytes_compressed(&parts, &offset)) {
            return false;
        }
        struct bytes part = metadata_blob(metadata, offset);
        if (i > 0 && separator) {
            buffer_u8(out, (uint8_t)separator);
        }
        buffer_append(out, part.at, bytes_left(&part));
        if (out->size > limit) {
            return false;
        }
    }
    return !out->failed;
}

bool pdb_document_name(const struct pdb *pdb, uint32_t document, struct buffer *out)
{
    uint32_t offset = metadata_column(&pdb->metadata, TABLE_DOCUMENT, document, DOCUMENT_NAME);
    struct bytes parts = metadata_blob(&pdb->metadata, offset);
    size_t before = out->size;
    uint8_t separator;
    if (!bytes_u8(&parts, &separator) || !append_parts(&pdb->metadata, parts, (char)separator, out)) {
        out->size = before;
        return false;
    }
    return true;
}

static bool is_custom(const struct pdb *pdb, uint32_t row, uint32_t parent, enum pdb_custom kind)
{
    const struct metadata *metadata = &pdb->metadata;
    uint8_t guid[GUID_SIZE];
    return metadata_column(metadata, TABLE_CUSTOM_DEBUG_INFORMATION, row, CUSTOM_DEBUG_INFORMATION_PARENT) == parent &&
           metadata_guid(metadata,
                         metadata_column(metadata, TABLE_CUSTOM_DEBUG_INFORMATION, row, CUSTOM_DEBUG_INFORMATION_KIND),
                         guid) &&
           memcmp(guid, custom_kinds[kind], GUID_SIZE) == 0;
}

struct bytes pdb_custom(const struct pdb *pdb, uint32_t parent, enum pdb_custom kind)
{
    const struct metadata *metadata = &pdb->metadata;
    uint32_t coded = metadata_encode(CODED_HAS_CUSTOM_DEBUG_INFORMATION, parent);
    struct metadata_range rows = {1, metadata_rows(metadata, TABLE_CUSTOM_DEBUG_INFORMATION) + 1};
    if (pdb->sorted_custom) {
        rows = metadata_find_all(metadata, TABLE_CUSTOM_DEBUG_INFORMATION, CUSTOM_DEBUG_INFORMATION_PARENT, coded);
    }
    for (uint32_t row = rows.first; coded && row < rows.end; row++) {
        if (is_custom(pdb, row, coded, kind)) {
            return metadata_blob(metadata, metadata_column(metadata, TABLE_CUSTOM_DEBUG_INFORMATION, row,
                                                           CUSTOM_DEBUG_INFORMATION_VALUE));
        }
    }
    return (struct bytes){0};
}

bool pdb_tuple_names_next(struct bytes *names, struct text *out)
{
    const uint8_t *end = bytes_left(names) ? memchr(names->at, 0, bytes_left(names)) : NULL;
    if (!end) {
        return false;
    }
    *out = (struct text){(const char *)names->at, (size_t)(end - names->at)};
    return bytes_skip(names, out->size + 1);
}

bool pdb_embedded_source(const struct pdb *pdb, uint32_t document, struct pdb_source *out)
{
    struct bytes blob = {0};
    uint32_t format;
    if (document && document <= pdb_document_count(pdb)) {
        blob = pdb_custom(pdb, TOKEN(TABLE_DOCUMENT, document), PDB_CUSTOM_EMBEDDED_SOURCE);
    }
    if (!bytes_u32(&blob, &format) || format > INT32_MAX) {
        return false;
    }
    *out = (struct pdb_source){
        .content = blob, .size = format ? format : (uint32_t)bytes_left(&blob), .packed = format != 0};
    return true;
}
