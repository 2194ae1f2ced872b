// Values that refer to objects: the object's record and type, its uncertain identity, the contents of a box.
#include "view/text/value_object.h"

#include "base/assert.h"
#include "view/text/value_content.h"

const char value_invalid_reason[] = "it refers to no object";

uint32_t value_object(const struct site_value *value)
{
    return value->encoding == VALUE_OBJECT && !value_is_invalid(value) ? value->cells[0] : 0;
}

bool value_is_invalid(const struct site_value *value)
{
    return value->encoding == VALUE_OBJECT && value->cells[0] == VALUE_OBJECT_INVALID;
}

const struct recording_object *value_object_record(const struct values *values, uint32_t number)
{
    return number && values->objects ? objects_find(values->objects, values->process, number) : NULL;
}

const struct type *value_object_type(const struct values *values, const struct recording_object *object)
{
    return object ? sites_type(values->sites, values->process, object->type) : NULL;
}

struct text value_type_name(const struct values *values, const struct site_value *value)
{
    const struct recording_object *object = value_object_record(values, value_object(value));
    const struct type *type = sites_type(values->sites, values->process, object ? object->type : value->type);
    return type ? type->name : text_of("?");
}

// -- Arrays with several dimensions ----------------------------------------------------------------------------------

struct dimension {
    int64_t length, lower;
};

// Removes a decimal number of at most 32 bits from the front.
static bool take_number(struct text *text, int64_t *out)
{
    enum { DIGITS_MAX = 10 };
    bool negative = text->size && *text->at == '-';
    size_t at = negative, first = at;
    *out = 0;
    for (; at < text->size && at - first < DIGITS_MAX && text->at[at] >= '0' && text->at[at] <= '9'; at++) {
        *out = *out * 10 + (text->at[at] - '0');
    }
    *out = negative ? -*out : *out;
    *text = (struct text){text->at + at, text->size - at};
    return at > first;
}

static bool take_mark(struct text *text, char mark)
{
    bool there = text->size && *text->at == mark;
    *text = there ? (struct text){text->at + 1, text->size - 1} : *text;
    return there;
}

// Parses a shape (recording.h). Returns how many dimensions it has; 0: it is none.
static uint32_t take_shape(struct text shape, struct dimension dimensions[VALUE_INDICES_MAX])
{
    uint32_t rank = 0;
    do {
        if (rank == VALUE_INDICES_MAX || !take_number(&shape, &dimensions[rank].length) ||
            dimensions[rank].length <= 0) {
            return 0;
        }
        dimensions[rank].lower = 0;
        if (take_mark(&shape, ':') && !take_number(&shape, &dimensions[rank].lower)) {
            return 0;
        }
        rank++;
    } while (take_mark(&shape, ','));
    return shape.size ? 0 : rank;
}

uint32_t value_indices(const struct values *values, uint32_t array, int32_t position,
                       int64_t indices[VALUE_INDICES_MAX])
{
    struct dimension dimensions[VALUE_INDICES_MAX];
    const struct recording_object *object = value_object_record(values, array);
    uint32_t rank = object && object->length == 0 ? take_shape(object->text, dimensions) : 0;
    int64_t left = position;
    for (uint32_t i = rank; i-- > 0;) {
        indices[i] = dimensions[i].lower + left % dimensions[i].length;
        left /= dimensions[i].length;
    }
    return left ? 0 : rank;
}

// -- Uncertain identity -----------------------------------------------------------------------------------------------

// Objects are numbered within their process.
static uint64_t settled_key(const struct values *values, uint32_t object)
{
    return (uint64_t)values->process << 32 | object;
}

uint32_t value_uncertain(const struct values *values, uint32_t object)
{
    uint64_t settled;
    uint32_t earlier = object && values->objects ? objects_uncertain(values->objects, values->process, object) : 0;
    bool said = earlier && values->settled && map_get(values->settled, settled_key(values, object), &settled);
    return said ? 0 : earlier;
}

bool value_settle(const struct values *values, uint32_t object)
{
    return !values->settled || map_put(values->settled, settled_key(values, object), 1);
}

// -- Boxes ------------------------------------------------------------------------------------------------------------

// Classes that look like boxes to the recording are none: only value types are boxed.
static bool can_be_boxed(const struct type *type)
{
    return type->kind == TYPE_PRIMITIVE || type->kind == TYPE_ENUM || type->kind == TYPE_STRUCT;
}

// If the type has no size, all bytes in the box belong to the value.
enum value_box value_in_box(const struct values *values, const struct site_value *value, struct values *within,
                            struct site_value *out)
{
    uint32_t number = value_object(value), size;
    const struct type *type = value_object_type(values, value_object_record(values, number));
    if (!type || !can_be_boxed(type)) {
        return VALUE_NO_BOX;
    }
    *out = (struct site_value){.encoding = type->encoding, .type = type->number};
    CLEW_ASSERT(values->boxed <= BOX_NESTING_MAX);
    if (values->boxed == BOX_NESTING_MAX || !boxes_find(values->boxes, number, &out->cells, &size)) {
        return VALUE_BOX_UNREAD;
    }
    if (size == 0) {
        return VALUE_BOX_LARGE;
    }
    out->size = value_type_size(type) ? value_type_size(type) : size;
    *within = *values;
    within->boxed++;
    return out->size <= size ? VALUE_BOX : VALUE_BOX_UNREAD;
}

const char *value_box_reason(enum value_box kind)
{
    return kind == VALUE_BOX_LARGE ? "too large" : "what is in it was not recorded";
}
