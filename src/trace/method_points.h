// The sequence points of a module's methods, as definitions contain them: the collector takes them from symbols, so that a reader
// knows which lines of the source have code, also of methods that never ran.
#ifndef CLEW_TRACE_METHOD_POINTS_H
#define CLEW_TRACE_METHOD_POINTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/text.h"

// A source file of the module's symbols.
struct points_document {
    uint32_t number; // of the document in the symbols, as sites have it
    struct text path;
};

// A method that has sequence points.
struct points_method {
    uint32_t token;
    uint32_t kind;  // enum method_kind
    uint32_t flags; // enum method_flag
    struct text name;
    struct text class;   // that has it in the source, with `/` between nested ones
    struct bytes points; // encoded
};

// A sequence point with a place in the source.
struct point {
    uint32_t il_offset;
    uint32_t document; // its number
    uint32_t start_line, start_column, end_line, end_column;
};

void points_document_encode(struct buffer *into, const struct points_document *document);
void points_method_encode(struct buffer *into, const struct points_method *method);
// `before`: the point before it in the method; of the first: zero.
void point_encode(struct buffer *into, const struct point *point, const struct point *before);

// Take the next item off the bytes; texts and bytes point into them. False: malformed.
bool points_document_decode(struct bytes *left, struct points_document *out);
bool points_method_decode(struct bytes *left, struct points_method *out);
bool point_decode(struct bytes *left, const struct point *before, struct point *out);

#endif
