// See names_tuple.h. A list has the names of a type's items in the order in which its signature mentions tuples: first
// all of a tuple's own, those beyond the seventh among them, then those within its items. So the tuple of the rest has
// names of its own, too; they are always empty (TupleNamesEncoder of Roslyn).
#include "metadata/names/names_tuple.h"

#include "metadata/names/names_internal.h"
#include "metadata/names/names_variable.h"
#include "metadata/tables/signature.h"

struct writer {
    const struct metadata *metadata;
    struct bytes names; // still to be taken
    names_tuple_take *take;
    struct buffer *out;
    bool failed;
    uint32_t named; // so far
};

// A generic type with its arguments.
struct instance {
    uint32_t token, count;
    struct bytes arguments;
};

static bool read_instance(struct bytes type, struct instance *out)
{
    uint8_t element, of;
    uint32_t coded;
    if (!signature_skip_modifiers(&type) || !bytes_u8(&type, &element) || element != ELEMENT_GENERIC_INSTANCE ||
        !bytes_u8(&type, &of) || !bytes_compressed(&type, &coded) || !bytes_compressed(&type, &out->count)) {
        return false;
    }
    out->token = metadata_decode(CODED_TYPE_DEF_OR_REF, coded);
    out->arguments = type;
    return TOKEN_TABLE(out->token) == TABLE_TYPE_DEF || TOKEN_TABLE(out->token) == TABLE_TYPE_REF;
}

static bool is_value_tuple(const struct metadata *metadata, uint32_t token, uint32_t count)
{
    static const char generic[] = "ValueTuple`";
    enum metadata_table table = TOKEN_TABLE(token);
    struct text name = metadata_string(metadata, metadata_column(metadata, table, TOKEN_ROW(token), TYPE_NAME));
    struct text space = metadata_string(metadata, metadata_column(metadata, table, TOKEN_ROW(token), TYPE_NAMESPACE));
    return text_equal(space, text_of("System")) && text_starts(name, generic) && name.size == sizeof generic &&
           count >= 1 && count <= TUPLE_ITEMS + 1 && name.at[sizeof generic - 1] == (char)('0' + count);
}

// How many items the source sees; 0: it is no tuple.
static uint32_t items_of(const struct metadata *metadata, const struct instance *instance, unsigned depth)
{
    struct instance rest;
    struct bytes at = instance->arguments;
    if (depth == 0 || !is_value_tuple(metadata, instance->token, instance->count)) {
        return 0;
    }
    if (instance->count <= TUPLE_ITEMS) {
        return instance->count;
    }
    for (uint32_t i = 0; i < TUPLE_ITEMS; i++) {
        if (!signature_skip_type(&at)) {
            return 0;
        }
    }
    uint32_t others = read_instance(at, &rest) ? items_of(metadata, &rest, depth - 1) : 0;
    return others ? TUPLE_ITEMS + others : 0;
}

static void write_type(struct writer *writer, struct bytes type, unsigned depth);

static void write_item(struct writer *writer, struct bytes *names)
{
    struct text name;
    if (!writer->take(names, &name)) {
        writer->failed = true;
    } else if (name.size && tuple_names_fit(name)) {
        buffer_append(writer->out, name.at, name.size);
        writer->named++;
    }
}

// `names`: of the items, where the tuple is the rest of another one, which has them all.
static void write_tuple(struct writer *writer, const struct instance *instance, uint32_t items, struct bytes *names,
                        unsigned depth)
{
    struct bytes own = writer->names, at = instance->arguments;
    struct instance rest;
    struct text ignored;
    for (uint32_t i = 0; i < items && !writer->failed; i++) {
        writer->failed = !writer->take(&writer->names, &ignored);
    }
    names = names ? names : &own;
    for (uint32_t i = 0; i < instance->count && !writer->failed; i++) {
        struct bytes type = at;
        writer->failed = !signature_skip_type(&at);
        buffer_u8(writer->out, i ? ',' : '(');
        if (i == TUPLE_ITEMS && read_instance(type, &rest)) {
            write_tuple(writer, &rest, items - TUPLE_ITEMS, names, depth - 1);
        } else if (!writer->failed) {
            write_item(writer, names);
            write_type(writer, type, depth - 1);
        }
    }
    buffer_u8(writer->out, ')');
}

static void write_arguments(struct writer *writer, const struct instance *instance, unsigned depth)
{
    struct bytes at = instance->arguments;
    for (uint32_t i = 0; i < instance->count && !writer->failed; i++) {
        struct bytes type = at;
        writer->failed = !signature_skip_type(&at);
        buffer_u8(writer->out, i ? ',' : '<');
        if (!writer->failed) {
            write_type(writer, type, depth - 1);
        }
    }
    buffer_u8(writer->out, '>');
}

static void write_instance(struct writer *writer, struct bytes type, unsigned depth)
{
    struct instance instance;
    size_t before = writer->out->size;
    uint32_t named = writer->named;
    if (!read_instance(type, &instance)) {
        writer->failed = true;
        return;
    }
    uint32_t items = items_of(writer->metadata, &instance, depth);
    if (items) {
        write_tuple(writer, &instance, items, NULL, depth);
    } else {
        write_arguments(writer, &instance, depth);
    }
    if (writer->named == named) { // it contains no names
        writer->out->size = before;
    }
}

static void write_type(struct writer *writer, struct bytes type, unsigned depth)
{
    uint8_t element;
    struct bytes whole = type;
    if (depth == 0) {
        writer->failed = true;
        return;
    }
    while (signature_skip_modifiers(&type) && (whole = type, bytes_u8(&type, &element))) {
        switch (element) {
        case ELEMENT_SZARRAY:
        case ELEMENT_ARRAY:
        case ELEMENT_POINTER:
        case ELEMENT_BY_REFERENCE:
            continue;
        case ELEMENT_GENERIC_INSTANCE:
            write_instance(writer, whole, depth);
            return;
        case ELEMENT_FUNCTION_POINTER: // its parameters and result may be tuples
            writer->failed = true;
            return;
        default:
            return;
        }
    }
    writer->failed = true;
}

void names_tuple_append(const struct metadata *metadata, struct bytes signature, struct bytes names,
                        names_tuple_take *take, struct buffer *out)
{
    struct writer writer = {.metadata = metadata, .names = names, .take = take, .out = out};
    size_t before = out->size;
    struct text left;
    write_type(&writer, signature, NESTING_MAX);
    if (writer.failed || take(&writer.names, &left)) {
        out->size = before;
    }
}

// A quick test on the bytes. Other bytes of a signature may have the same value; then a look-up is made for nothing.
bool names_tuple_possible(struct bytes signature)
{
    size_t size = bytes_left(&signature);
    return size && memchr(signature.at, ELEMENT_GENERIC_INSTANCE, size);
}

static void append_of_token(const struct metadata *metadata, uint32_t token, struct bytes signature, struct buffer *out)
{
    struct bytes names;
    if (names_tuple(metadata, token, &names)) {
        names_tuple_append(metadata, signature, names, names_tuple_next, out);
    }
}

void names_tuple_of_parameter(const struct metadata *metadata, uint32_t method_token, uint32_t number,
                              struct bytes signature, struct buffer *out)
{
    if (TOKEN_TABLE(method_token) != TABLE_METHOD_DEF || !names_tuple_possible(signature)) {
        return;
    }
    struct metadata_range rows =
        metadata_list(metadata, TABLE_METHOD_DEF, TOKEN_ROW(method_token), METHOD_DEF_PARAMS, TABLE_PARAM);
    for (uint32_t row = rows.first; row < rows.end; row++) {
        if (metadata_column(metadata, TABLE_PARAM, row, PARAM_SEQUENCE) == number) {
            append_of_token(metadata, TOKEN(TABLE_PARAM, row), signature, out);
            return;
        }
    }
}

void names_tuple_of_field(const struct metadata *metadata, uint32_t token, struct buffer *out)
{
    struct field_reference field;
    uint32_t number;
    uint8_t element;
    if (!names_field_reference(metadata, token, &field)) {
        return;
    }
    struct bytes parameter = field.signature;
    if (signature_skip_modifiers(&parameter) && bytes_u8(&parameter, &element) && element == ELEMENT_VAR &&
        bytes_compressed(&parameter, &number)) {
        buffer_printf(out, "!%u", number);
    } else if (field.token && names_tuple_possible(field.signature)) {
        append_of_token(metadata, field.token, field.signature, out);
    }
}

uint32_t names_tuple_item(const struct metadata *metadata, uint32_t token)
{
    static const char item[] = "Item";
    struct instance type;
    if (TOKEN_TABLE(token) != TABLE_MEMBER_REF) {
        return 0;
    }
    uint32_t parent = metadata_decode(CODED_MEMBER_REF_PARENT,
                                      metadata_column(metadata, TABLE_MEMBER_REF, TOKEN_ROW(token), MEMBER_REF_PARENT));
    uint32_t spec = TOKEN_TABLE(parent) == TABLE_TYPE_SPEC ? TOKEN_ROW(parent) : 0;
    if (!spec ||
        !read_instance(metadata_blob(metadata, metadata_column(metadata, TABLE_TYPE_SPEC, spec, TYPE_SPEC_SIGNATURE)),
                       &type) ||
        !is_value_tuple(metadata, type.token, type.count)) {
        return 0;
    }
    struct text name =
        metadata_string(metadata, metadata_column(metadata, TABLE_MEMBER_REF, TOKEN_ROW(token), MEMBER_REF_NAME));
    if (text_equal(name, text_of("Rest"))) {
        return TUPLE_ITEMS + 1;
    }
    char digit = text_starts(name, item) && name.size == sizeof item ? name.at[sizeof item - 1] : 0;
    return digit >= '1' && digit <= '0' + TUPLE_ITEMS ? (uint32_t)(digit - '0') : 0;
}
