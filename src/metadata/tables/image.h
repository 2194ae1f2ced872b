// A .NET module's PE image in memory, as a file (flat) or as the loader maps it. Everything is borrowed from the bytes.
// Source of facts: PE/COFF specification; ECMA-335 II.25.
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

// MALFORMED unless it is a .NET module.
enum clew_error image_open(struct bytes bytes, enum image_layout layout, struct image *out);

// How many bytes an image that starts at `start` spans, from its own headers, when nobody says; reads nothing but the
// headers (in any case the first 64 bytes). 0 when it is no PE image.
size_t image_span(const void *start, enum image_layout layout);

// The bytes from an RVA to the end of its section.
bool image_at(const struct image *image, uint32_t rva, struct bytes *out);

#endif
