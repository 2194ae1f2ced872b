// Finds a .NET module's metadata in its PE image, which may lie in memory as in the file (flat) or as the loader maps
// it (each section at its RVA). Everything is borrowed from the image, which has to stay in memory. Images are not
// trusted: an offset or size that leads outside makes the module MALFORMED. Source of facts: PE/COFF specification;
// ECMA-335 II.25.
#ifndef CLEW_METADATA_IMAGE_H
#define CLEW_METADATA_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"

enum image_layout { IMAGE_FLAT, IMAGE_MAPPED };

struct image {
    struct bytes bytes; // the whole image
    enum image_layout layout;
    struct bytes metadata;    // the metadata root (ECMA-335 II.24.2.1)
    uint32_t sections_offset; // of the section table
    uint16_t section_count;
    uint32_t cli_flags;         // II.25.3.3.1
    uint32_t entry_point_token; // MethodDef of Main, or 0
    bool precompiled;           // has a ReadyToRun header (ManagedNativeHeader with signature 'RTR\0')
    uint32_t debug_rva, debug_size;
};

// Reads the headers. MALFORMED unless the image is a .NET module. Allocates nothing.
enum clew_error image_open(struct bytes bytes, enum image_layout layout, struct image *out);

// The size in bytes of an image of unknown size that starts at `start`, as its headers state it. Reads only the headers, at
// least the first 64 bytes. 0 when it is not a PE image.
size_t image_span(const void *start, enum image_layout layout);

// The bytes from an RVA (an address relative to the mapped image) to the end of its section. False when no section has it.
bool image_at(const struct image *image, uint32_t rva, struct bytes *out);

#endif
