// See export_thrift.h.
#include "view/export/export_thrift.h"

#include "base/assert.h"

enum { DELTA_MAX = 15, SHORT_LIST = 15 };

static void begin_field(struct thrift *into, uint32_t field, enum thrift_type type)
{
    CLEW_ASSERT(field > into->last && field - into->last <= DELTA_MAX);
    buffer_u8(into->out, (uint8_t)((field - into->last) << 4 | type));
    into->last = field;
}

void thrift_i32(struct thrift *into, uint32_t field, int32_t value)
{
    begin_field(into, field, THRIFT_I32);
    buffer_svarint(into->out, value);
}

void thrift_i64(struct thrift *into, uint32_t field, int64_t value)
{
    begin_field(into, field, THRIFT_I64);
    buffer_svarint(into->out, value);
}

void thrift_text(struct thrift *into, uint32_t field, struct text text)
{
    begin_field(into, field, THRIFT_BINARY);
    buffer_sized_text(into->out, text);
}

struct thrift thrift_struct(struct thrift *into, uint32_t field)
{
    begin_field(into, field, THRIFT_STRUCT);
    return (struct thrift){.out = into->out};
}

void thrift_list(struct thrift *into, uint32_t field, enum thrift_type items, uint32_t count)
{
    begin_field(into, field, THRIFT_LIST);
    buffer_u8(into->out, (uint8_t)((count < SHORT_LIST ? count : SHORT_LIST) << 4 | items));
    if (count >= SHORT_LIST) {
        buffer_varint(into->out, count);
    }
}

void thrift_item_i32(struct thrift *into, int32_t value)
{
    buffer_svarint(into->out, value);
}

void thrift_item_text(struct thrift *into, struct text text)
{
    buffer_sized_text(into->out, text);
}

void thrift_end(struct thrift *into)
{
    buffer_u8(into->out, 0);
}
