#include "trace/await.h"

#include "base/assert.h"

void await_encode(struct buffer *into, const struct await *await)
{
    CLEW_ASSERT(await->state < AWAIT_STATES_MAX);
    buffer_varint(into, await->state);
    buffer_varint(into, await->offset);
    buffer_sized_text(into, await->what);
}

bool await_decode(struct bytes *left, struct await *out)
{
    uint64_t state, offset, size;
    struct bytes text;
    if (!bytes_varint(left, &state) || !bytes_varint(left, &offset) || !bytes_varint(left, &size) ||
        state >= AWAIT_STATES_MAX || offset > UINT32_MAX || !bytes_take(left, size, &text)) {
        return false;
    }
    *out = (struct await){
        .state = (uint32_t)state, .offset = (uint32_t)offset, .what = {(const char *)text.at, bytes_left(&text)}};
    return true;
}

void await_line_encode(struct buffer *into, struct await_line line)
{
    buffer_varint(into, line.document);
    buffer_varint(into, line.line);
}

bool await_line_decode(struct bytes *left, struct await_line *out)
{
    uint64_t document, line;
    if (!bytes_varint(left, &document) || !bytes_varint(left, &line) || document > UINT32_MAX || line > UINT32_MAX) {
        return false;
    }
    *out = (struct await_line){(uint32_t)document, (uint32_t)line};
    return true;
}
