// Reads the PE headers of a module: the section table, and through it the CLI header, the metadata and the debug
// directory. Source of facts: PE/COFF specification 3 to 5; ECMA-335 II.25.
#include "metadata/tables/image.h"

#include <string.h>

#include "base/assert.h"

enum {
    DOS_PE_OFFSET = 0x3C,
    COFF_SIZE = 24, // with the signature "PE\0\0"
    COFF_SECTION_COUNT = 6,
    COFF_OPTIONAL_SIZE = 20,
    OPTIONAL_SIZE_OF_IMAGE = 56,
    MAGIC_32 = 0x10B,
    MAGIC_64 = 0x20B,
    DIRECTORY_DEBUG = 6,
    DIRECTORY_CLI = 14,
    SECTION_SIZE = 40,
    CLI_SIZE = 72,
    CLI_METADATA = 8,
    CLI_FLAGS = 16,
    CLI_ENTRY_POINT = 20,
    CLI_NATIVE_HEADER = 64,
    CLI_FLAG_NATIVE_ENTRY = 0x10,
    READY_TO_RUN = 0x00525452, // "RTR\0"
    DOS_SIZE = 64,
    PE_OFFSET_MAX = 4096,
};
static_assert(CLI_NATIVE_HEADER + 8 <= CLI_SIZE && CLI_ENTRY_POINT + 4 <= CLI_SIZE, "read_cli() looks no further");
static_assert(COFF_OPTIONAL_SIZE + 2 <= COFF_SIZE && COFF_SECTION_COUNT + 2 <= COFF_SIZE, "nor read_headers()");
static_assert(DOS_PE_OFFSET + 4 <= DOS_SIZE, "nor headers_of()");

// The parts of the headers that are needed, after all of them were found to lie within the image.
struct headers {
    struct bytes optional;
    uint32_t directories; // offset of the data directories within the optional header
    uint32_t directory_count;
    uint32_t sections_offset;
    uint16_t section_count;
};

struct section {
    uint32_t virtual_size, rva, raw_size, raw_offset;
};

static bool range_at(struct bytes bytes, size_t offset, size_t size, struct bytes *out)
{
    return bytes_skip(&bytes, offset) && bytes_take(&bytes, size, out);
}

static bool u32_at(struct bytes bytes, size_t offset, uint32_t *out)
{
    return bytes_skip(&bytes, offset) && bytes_u32(&bytes, out);
}

static bool read_headers(struct bytes bytes, struct headers *out)
{
    uint32_t pe;
    struct bytes coff;
    if (bytes_left(&bytes) < 2 || memcmp(bytes.at, "MZ", 2) != 0 || !u32_at(bytes, DOS_PE_OFFSET, &pe) ||
        !range_at(bytes, pe, COFF_SIZE, &coff) || memcmp(coff.at, "PE\0\0", 4) != 0) {
        return false;
    }
    uint16_t optional_size = read_u16(coff.at + COFF_OPTIONAL_SIZE);
    *out = (struct headers){.section_count = read_u16(coff.at + COFF_SECTION_COUNT)};
    out->sections_offset = pe + COFF_SIZE + optional_size; // fits: pe lies within bytes, and see the check below
    if (!range_at(bytes, (size_t)pe + COFF_SIZE, optional_size, &out->optional) || optional_size < 2 ||
        out->sections_offset < pe) {
        return false;
    }
    uint16_t magic = read_u16(out->optional.at);
    if (magic != MAGIC_32 && magic != MAGIC_64) {
        return false;
    }
    out->directories = magic == MAGIC_64 ? 112 : 96;
    if (!u32_at(out->optional, out->directories - 4, &out->directory_count)) {
        return false;
    }
    struct bytes table;
    return range_at(bytes, out->sections_offset, (size_t)out->section_count * SECTION_SIZE, &table);
}

// The RVA and size in a data directory; false when the image has no such directory.
static bool directory(const struct headers *headers, uint32_t index, uint32_t *rva, uint32_t *size)
{
    size_t at = headers->directories + (size_t)index * 8;
    return index < headers->directory_count && u32_at(headers->optional, at, rva) &&
           u32_at(headers->optional, at + 4, size);
}

// `table` holds the whole section table.
static struct section section_at(const uint8_t *table, unsigned index)
{
    const uint8_t *at = table + (size_t)index * SECTION_SIZE;
    return (struct section){read_u32(at + 8), read_u32(at + 12), read_u32(at + 16), read_u32(at + 20)};
}

// The size of a section's content that is there in both layouts: without zeroes that the loader appends, and without padding
// of the file.
static uint32_t section_span(const struct section *section)
{
    bool padded = section->virtual_size != 0 && section->virtual_size < section->raw_size;
    return padded ? section->virtual_size : section->raw_size;
}

bool image_at(const struct image *image, uint32_t rva, struct bytes *out)
{
    struct bytes table;
    if (!range_at(image->bytes, image->sections_offset, (size_t)image->section_count * SECTION_SIZE, &table)) {
        return false;
    }
    for (unsigned i = 0; i < image->section_count; i++) {
        struct section section = section_at(table.at, i);
        uint32_t span = section_span(&section);
        if (rva >= section.rva && rva - section.rva < span) {
            uint32_t inside = rva - section.rva;
            CLEW_ASSERT(inside < span);
            size_t start = (size_t)(image->layout == IMAGE_FLAT ? section.raw_offset : section.rva) + inside;
            return range_at(image->bytes, start, span - inside, out);
        }
    }
    return false;
}

// ECMA-335 II.25.3.3. A ReadyToRun image has a managed native header of its own signature.
static enum clew_error read_cli(struct image *image, uint32_t cli_rva)
{
    struct bytes cli;
    if (!image_at(image, cli_rva, &cli) || bytes_left(&cli) < CLI_SIZE) {
        return CLEW_MALFORMED;
    }
    struct bytes metadata;
    if (!image_at(image, read_u32(cli.at + CLI_METADATA), &metadata) ||
        !bytes_take(&metadata, read_u32(cli.at + CLI_METADATA + 4), &image->metadata)) {
        return CLEW_MALFORMED;
    }
    image->cli_flags = read_u32(cli.at + CLI_FLAGS);
    // With a native entry point the field is an RVA.
    image->entry_point_token = image->cli_flags & CLI_FLAG_NATIVE_ENTRY ? 0 : read_u32(cli.at + CLI_ENTRY_POINT);
    struct bytes native;
    uint32_t signature;
    image->precompiled = image_at(image, read_u32(cli.at + CLI_NATIVE_HEADER), &native) &&
                         bytes_u32(&native, &signature) && signature == READY_TO_RUN;
    return CLEW_OK;
}

enum clew_error image_open(struct bytes bytes, enum image_layout layout, struct image *out)
{
    struct headers headers;
    uint32_t cli_rva, cli_size;
    if (!read_headers(bytes, &headers) || !directory(&headers, DIRECTORY_CLI, &cli_rva, &cli_size) || cli_rva == 0) {
        return CLEW_MALFORMED;
    }
    *out = (struct image){.bytes = bytes,
                          .layout = layout,
                          .sections_offset = headers.sections_offset,
                          .section_count = headers.section_count};
    if (!directory(&headers, DIRECTORY_DEBUG, &out->debug_rva, &out->debug_size)) {
        out->debug_rva = out->debug_size = 0;
    }
    return read_cli(out, cli_rva);
}

// The bytes of all headers. Each header states the size of the next, and nothing else is read: the size of the image is not
// known yet.
static struct bytes headers_of(const uint8_t *start)
{
    if (memcmp(start, "MZ", 2) != 0 || read_u32(start + DOS_PE_OFFSET) > PE_OFFSET_MAX) {
        return bytes_of(start, DOS_SIZE);
    }
    size_t size = (size_t)read_u32(start + DOS_PE_OFFSET) + COFF_SIZE;
    const uint8_t *coff = start + size - COFF_SIZE;
    if (memcmp(coff, "PE\0\0", 4) == 0) {
        size += read_u16(coff + COFF_OPTIONAL_SIZE) + (size_t)read_u16(coff + COFF_SECTION_COUNT) * SECTION_SIZE;
    }
    return bytes_of(start, size);
}

size_t image_span(const void *start, enum image_layout layout)
{
    struct headers headers;
    uint32_t size_of_image;
    struct bytes page = headers_of(start);
    if (!read_headers(page, &headers) || !u32_at(headers.optional, OPTIONAL_SIZE_OF_IMAGE, &size_of_image)) {
        return 0;
    }
    if (layout == IMAGE_MAPPED) {
        return size_of_image;
    }
    size_t span = 0;
    for (unsigned i = 0; i < headers.section_count; i++) {
        struct section section = section_at(page.at + headers.sections_offset, i);
        size_t end = (size_t)section.raw_offset + section.raw_size;
        span = end > span ? end : span;
    }
    return span;
}
