// See value_content.h. Values are little-endian, as in the program's memory.
#include "view/text/value_content.h"

#include "base/assert.h"

// The largest number that is read at once.
enum { NUMBER_SIZE_MAX = 8 };

uint32_t value_encoding_size(enum site_encoding encoding)
{
    static const uint8_t sizes[] = {
        [VALUE_BOOLEAN] = 1, [VALUE_CHAR] = 2, [VALUE_I1] = 1,       [VALUE_U1] = 1,       [VALUE_I2] = 2,
        [VALUE_U2] = 2,      [VALUE_I4] = 4,   [VALUE_U4] = 4,       [VALUE_R4] = 4,       [VALUE_I8] = 8,
        [VALUE_U8] = 8,      [VALUE_R8] = 8,   [VALUE_NATIVE_I] = 8, [VALUE_NATIVE_U] = 8, [VALUE_POINTER] = 8,
        [VALUE_OBJECT] = 8,  [VALUE_TYPED] = 0};
    static_assert(sizeof sizes == VALUE_TYPED + 1, "a size for each encoding");
    return sizes[encoding];
}

uint32_t value_type_size(const struct type *type)
{
    uint32_t size = value_encoding_size(type->encoding);
    return size ? size : type->size;
}

bool value_has(const struct value_content *content, uint32_t offset, uint32_t size)
{
    return offset <= content->size && size <= content->size - offset;
}

bool value_number_at(const struct value_content *content, uint32_t offset, uint32_t size, uint64_t *out)
{
    CLEW_ASSERT(size <= NUMBER_SIZE_MAX);
    bool inside = value_has(content, offset, size);
    *out = 0;
    for (uint32_t i = inside ? size : 0; i-- > 0;) {
        *out = *out << 8 | content->bytes[offset + i];
    }
    return inside;
}

uint64_t value_bits(const struct value_content *content)
{
    uint64_t bits;
    (void)value_number_at(content, 0, content->size < NUMBER_SIZE_MAX ? content->size : NUMBER_SIZE_MAX, &bits);
    return bits;
}

const struct type_field *value_field_named(const struct type *type, const char *name)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (text_equal(type->fields[i].name, text_of(name))) {
            return &type->fields[i];
        }
    }
    return NULL;
}
