#include "trace/method_points.h"

#include "base/assert.h"

static bool take_text(struct bytes *left, struct text *out)
{
    uint64_t size;
    struct bytes text;
    if (!bytes_varint(left, &size) || !bytes_take(left, size, &text)) {
        return false;
    }
    *out = (struct text){(const char *)text.at, bytes_left(&text)};
    return true;
}

void points_document_encode(struct buffer *into, const struct points_document *document)
{
    buffer_varint(into, document->number);
    buffer_sized_text(into, document->path);
}

bool points_document_decode(struct bytes *left, struct points_document *out)
{
    return bytes_varint32(left, &out->number) && take_text(left, &out->path);
}

void points_method_encode(struct buffer *into, const struct points_method *method)
{
    buffer_varint(into, method->token);
    buffer_varint(into, method->kind);
    buffer_varint(into, method->flags);
    buffer_sized_text(into, method->name);
    buffer_sized_text(into, method->class);
    buffer_varint(into, bytes_left(&method->points));
    buffer_append(into, method->points.at, bytes_left(&method->points));
}

bool points_method_decode(struct bytes *left, struct points_method *out)
{
    uint64_t size;
    return bytes_varint32(left, &out->token) && bytes_varint32(left, &out->kind) && bytes_varint32(left, &out->flags) &&
           take_text(left, &out->name) && take_text(left, &out->class) && bytes_varint(left, &size) &&
           bytes_take(left, size, &out->points);
}

void point_encode(struct buffer *into, const struct point *point, const struct point *before)
{
    CLEW_ASSERT(point->il_offset >= before->il_offset && point->end_line >= point->start_line);
    buffer_varint(into, point->il_offset - before->il_offset);
    buffer_svarint(into, (int64_t)point->document - before->document);
    buffer_svarint(into, (int64_t)point->start_line - before->start_line);
    buffer_varint(into, point->start_column);
    buffer_varint(into, point->end_line - point->start_line);
    buffer_varint(into, point->end_column);
}

// Adds a difference to a number of 32 bits. False: the sum is none.
static bool add(uint32_t number, int64_t difference, uint32_t *out)
{
    int64_t least = -(int64_t)number, most = (int64_t)UINT32_MAX - number;
    *out = (uint32_t)((int64_t)number + (difference >= least && difference <= most ? difference : 0));
    return difference >= least && difference <= most;
}

bool point_decode(struct bytes *left, const struct point *before, struct point *out)
{
    uint32_t offset, column, lines, end_column;
    int64_t document, line;
    return bytes_varint32(left, &offset) && bytes_svarint(left, &document) && bytes_svarint(left, &line) &&
           bytes_varint32(left, &column) && bytes_varint32(left, &lines) && bytes_varint32(left, &end_column) &&
           add(before->il_offset, offset, &out->il_offset) && add(before->document, document, &out->document) &&
           add(before->start_line, line, &out->start_line) && add(out->start_line, lines, &out->end_line) &&
           ((out->start_column = column), (out->end_column = end_column), true);
}
