// See value_parts.h. Tuples of more than seven items nest: a ValueTuple's eighth field, Rest, is a tuple of the others.
#include "view/text/value_parts.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "trace/tuple_names.h"
#include "view/text/value_well_known.h"

enum { NULLABLE_NESTING_MAX = 16 }; // a damaged type can contain itself

// Whether all bytes of a field are within the struct. A damaged type can have a field of its own type, which would
// recurse without end.
static bool has_field(const struct value_content *of, const struct type_field *field, const struct type *type)
{
    uint32_t size = value_type_size(type);
    return type != of->type && value_has(of, field->offset, size) &&
           (size < of->size || of->type->kind != TYPE_NULLABLE);
}

// Reads one field of a struct. Names of nested tuples' items come from the field, or else from the declaration of the
// whole.
static void read_part(const struct values *values, const struct value_content *of, const struct type_field *field,
                      struct value_part *out)
{
    const struct type *type = sites_type(values->sites, values->process, field->type);
    *out = (struct value_part){.name = field->name, .type = field->type};
    out->redacted = type && type->kind == TYPE_REDACTED;
    out->known = type && !out->redacted && has_field(of, field, type);
    if (out->known) {
        out->content = (struct value_content){.encoding = type->encoding,
                                              .type = type,
                                              .bytes = of->bytes + field->offset,
                                              .size = value_type_size(type),
                                              .tuple_names = tuple_names_of_field(field->tuple_names, of->tuple_names)};
    }
}

bool value_in_nullable(const struct values *values, const struct value_content *nullable, struct value_part *out)
{
    const struct type_field *value = value_field_named(nullable->type, "value");
    if (nullable->size == 0 || !value || nullable->bytes[0] == 0) {
        return false;
    }
    read_part(values, nullable, value, out);
    return true;
}

// -- Tuples -----------------------------------------------------------------------------------------------------------

static bool is_tuple(const struct type *type)
{
    return type->kind == TYPE_STRUCT && type->flags & TYPE_FLAG_TUPLE;
}

// Reads item `number` (from 1) of a tuple; TUPLE_ITEMS + 1 is the nested tuple Rest. Names from the declaration take
// precedence over the fields' names.
static bool read_tuple_field(const struct values *values, const struct value_content *tuple, uint32_t number,
                             struct value_part *out)
{
    char name[sizeof out->own_name];
    struct text own;
    CLEW_ASSERT(number > 0 && number <= TUPLE_ITEMS + 1);
    (void)snprintf(name, sizeof name, number > TUPLE_ITEMS ? "Rest" : "Item%u", number);
    const struct type_field *field = value_field_named(tuple->type, name);
    if (!field) {
        return false;
    }
    read_part(values, tuple, field, out);
    struct text declared = tuple_names_item(tuple->tuple_names, number - 1, &own);
    out->from_source = declared.size > 0;
    out->name = out->from_source ? declared : out->name;
    out->content.tuple_names = own;
    return true;
}

// Reads items in the order of the source, descending into Rest after each seven.
static bool read_item(const struct values *values, const struct value_content *tuple, uint32_t index,
                      struct value_part *out)
{
    struct value_content at = *tuple;
    uint32_t number = index + 1;
    for (; number > TUPLE_ITEMS; number -= TUPLE_ITEMS) {
        if (!read_tuple_field(values, &at, TUPLE_ITEMS + 1, out)) {
            return false;
        }
        if (!out->known || !is_tuple(out->content.type) || out->content.size >= at.size) {
            return number == TUPLE_ITEMS + 1; // a Rest that is no tuple is shown as one item
        }
        at = out->content;
    }
    CLEW_ASSERT(number > 0 && number <= TUPLE_ITEMS);
    bool found = read_tuple_field(values, &at, number, out);
    if (found && index >= TUPLE_ITEMS && !out->from_source) {
        (void)snprintf(out->own_name, sizeof out->own_name, "Item%u", index + 1);
        out->name = text_of(out->own_name);
    }
    return found;
}

bool value_part_at(const struct values *values, const struct value_content *of, uint32_t index, struct value_part *out)
{
    if (is_tuple(of->type)) {
        return read_item(values, of, index, out);
    }
    if (index >= of->type->field_count) {
        return false;
    }
    read_part(values, of, &of->type->fields[index], out);
    return true;
}

// -- Parts as values --------------------------------------------------------------------------------------------------

// Unwraps nullables, also nested ones. False: null, or of unknown type.
static bool skip_nullables(const struct values *values, struct value_content *content)
{
    struct value_part part;
    for (uint32_t depth = 0; depth < NULLABLE_NESTING_MAX && content->type && content->type->kind == TYPE_NULLABLE;
         depth++) {
        if (!value_in_nullable(values, content, &part) || !part.known) {
            return false;
        }
        *content = part.content;
    }
    return content->type != NULL;
}

// Finds the struct whose parts are the value's. False: the value is printed as a whole.
static bool struct_of(const struct values *values, const struct site_value *of, struct value_content *out)
{
    *out = (struct value_content){.encoding = of->encoding,
                                  .bytes = (const uint8_t *)of->cells,
                                  .size = of->size,
                                  .tuple_names = of->tuple_names};
    out->type = of->encoding == VALUE_STRUCT ? sites_type(values->sites, values->process, of->type) : NULL;
    return skip_nullables(values, out) && out->type->encoding == VALUE_STRUCT && !value_is_well_known(out);
}

bool value_field(const struct values *values, const struct site_value *of, uint32_t index, struct buffer *bytes,
                 struct text *name, struct site_value *out)
{
    struct value_content whole;
    struct value_part part;
    if (!struct_of(values, of, &whole) || !value_part_at(values, &whole, index, &part)) {
        return false;
    }
    uint32_t size = part.known ? part.content.size : 0;
    buffer_clear(bytes);
    buffer_append(bytes, part.content.bytes, size);
    buffer_append(bytes, part.name.at, part.name.size);
    *name = bytes->failed ? (struct text){0} : (struct text){(const char *)bytes->data + size, part.name.size};
    *out = (struct site_value){.encoding = VALUE_NONE,
                               .reason = part.redacted ? REASON_REDACTED : REASON_UNKNOWN,
                               .type = part.type,
                               .tuple_names = part.content.tuple_names};
    if (part.known && !bytes->failed) {
        out->encoding = part.content.encoding;
        out->reason = REASON_NONE;
        out->size = size;
        out->cells = (const uint32_t *)(const void *)bytes->data;
    }
    return true;
}

// Takes the first name off a dotted path.
static struct text take_name(struct text *path)
{
    const char *dot = memchr(path->at, '.', path->size);
    struct text name = {path->at, dot ? (size_t)(dot - path->at) : path->size};
    *path = dot ? (struct text){dot + 1, path->size - name.size - 1} : (struct text){0};
    return name;
}

// Fields are few, so they are searched one by one.
static bool find_field(const struct values *values, const struct site_value *of, struct text wanted,
                       struct buffer *bytes, struct site_value *out)
{
    struct text name = {0};
    for (uint32_t index = 0; value_field(values, of, index, bytes, &name, out); index++) {
        if (text_equal(name, wanted)) {
            return true;
        }
    }
    return false;
}

bool value_part(const struct values *values, const struct site_value *of, struct text path, struct buffer bytes[2],
                struct site_value *out)
{
    *out = *of;
    for (uint32_t step = 0; path.size > 0; step++) {
        const struct site_value whole = *out; // it borrows from the previous step's buffer
        if (!find_field(values, &whole, take_name(&path), &bytes[step % 2], out)) {
            return false;
        }
    }
    return true;
}
