// The PE debug directory: CodeView, embedded PDB and PDB checksum entries. Source of facts: PE-COFF.md of dotnet/runtime.
#include "metadata/pdb/debug_directory.h"

#include "base/assert.h"

enum {
    ENTRY_SIZE = 28,
    ENTRIES_MAX = 64,
    TYPE_CODE_VIEW = 2,
    TYPE_EMBEDDED = 17,
    TYPE_CHECKSUM = 19,
    CODE_VIEW_HEADER = 24, // "RSDS", GUID, age; then the path
    PATH_SIZE_MAX = 4096,
};

static_assert(CODE_VIEW_HEADER == 4 + 16 + 4 && PDB_ID_SIZE == 16 + 4, "a GUID and an age, or a stamp for it");
static_assert(ENTRY_SIZE == 7 * sizeof(uint32_t), "an entry is seven words");

struct entry {
    uint32_t stamp, type, size, rva, offset;
};

// The data of an entry: at its RVA, or at its file offset, since entries need not be mapped.
static bool entry_data(const struct image *image, const struct entry *entry, struct bytes *out)
{
    struct bytes rest;
    if (entry->rva && image_at(image, entry->rva, &rest) && bytes_take(&rest, entry->size, out)) {
        return true;
    }
    rest = image->bytes;
    return image->layout == IMAGE_FLAT && entry->offset && bytes_skip(&rest, entry->offset) &&
           bytes_take(&rest, entry->size, out);
}

// Removes a NUL-terminated text from the front.
static bool take_text(struct bytes *data, struct text *out)
{
    const uint8_t *end = bytes_left(data) ? memchr(data->at, 0, bytes_left(data)) : NULL;
    if (!end || end - data->at >= PATH_SIZE_MAX) {
        return false;
    }
    *out = (struct text){(const char *)data->at, (size_t)(end - data->at)};
    return bytes_skip(data, out->size + 1);
}

// The id of the PDB is the GUID of the entry's data and the time stamp of the entry itself.
static void note_code_view(struct debug_directory *directory, struct bytes data, uint32_t stamp)
{
    if (bytes_left(&data) < CODE_VIEW_HEADER || memcmp(data.at, "RSDS", 4) != 0 ||
        directory->id_count == DEBUG_IDS_MAX) {
        return;
    }
    CLEW_ASSERT(directory->id_count < DEBUG_IDS_MAX);
    uint8_t *id = directory->ids[directory->id_count++];
    memcpy(id, data.at + 4, 16);
    for (unsigned i = 0; i < 4; i++) {
        id[16 + i] = (uint8_t)(stamp >> 8 * i);
    }
    struct text path;
    (void)bytes_skip(&data, CODE_VIEW_HEADER); // checked above
    if (directory->path.size == 0 && take_text(&data, &path)) {
        directory->path = path;
    }
}

// "MPDB", the unpacked size, raw deflate.
static void note_embedded(struct debug_directory *directory, struct bytes data)
{
    uint32_t size;
    if (bytes_left(&data) > 4 && memcmp(data.at, "MPDB", 4) == 0 && bytes_skip(&data, 4) && bytes_u32(&data, &size)) {
        directory->embedded_size = size;
        directory->packed = data;
    }
}

// The name of the algorithm, then the hash.
static void note_checksum(struct debug_directory *directory, struct bytes data)
{
    struct debug_checksum checksum;
    if (directory->checksum_count < DEBUG_CHECKSUMS_MAX && take_text(&data, &checksum.algorithm)) {
        checksum.hash = data;
        CLEW_ASSERT(directory->checksum_count < DEBUG_CHECKSUMS_MAX);
        directory->checksums[directory->checksum_count++] = checksum;
    }
}

static void note_entry(struct debug_directory *directory, const struct image *image, const struct entry *entry)
{
    struct bytes data;
    if (!entry_data(image, entry, &data)) {
        return;
    }
    switch (entry->type) {
    case TYPE_CODE_VIEW:
        note_code_view(directory, data, entry->stamp);
        break;
    case TYPE_EMBEDDED:
        note_embedded(directory, data);
        break;
    case TYPE_CHECKSUM:
        note_checksum(directory, data);
        break;
    default: // not about symbols
        break;
    }
}

void debug_directory_read(const struct image *image, struct debug_directory *out)
{
    *out = (struct debug_directory){.id_count = 0};
    struct bytes rest, entries, raw;
    if (!image->debug_rva || !image_at(image, image->debug_rva, &rest) ||
        !bytes_take(&rest, image->debug_size, &entries)) {
        return;
    }
    for (unsigned i = 0; i < ENTRIES_MAX && bytes_take(&entries, ENTRY_SIZE, &raw); i++) {
        struct entry entry = {.stamp = read_u32(raw.at + 4),
                              .type = read_u32(raw.at + 12),
                              .size = read_u32(raw.at + 16),
                              .rva = read_u32(raw.at + 20),
                              .offset = read_u32(raw.at + 24)};
        note_entry(out, image, &entry);
    }
}

bool debug_directory_names(const struct debug_directory *directory, const uint8_t id[PDB_ID_SIZE])
{
    for (unsigned i = 0; i < directory->id_count; i++) {
        if (memcmp(directory->ids[i], id, PDB_ID_SIZE) == 0) {
            return true;
        }
    }
    return false;
}
