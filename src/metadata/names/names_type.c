// Types as C# writes them: the full name of the type that declares a method, and short names for its parameters, read
// straight from the signature. Source of facts: ECMA-335 II.23.2; C# specification for the forms.
#include "base/assert.h"
#include "metadata/names/names_internal.h"
#include "metadata/tables/metadata_types.h"
#include "metadata/tables/signature.h"

enum { PARAM_IN = 1, PARAM_OUT = 2, TUPLE_REST = 8 };

// Appends one signature's types. `start` bounds how long a name may grow: a hostile signature stops there.
struct type_writer {
    const struct names *names;
    struct buffer *out;
    uint32_t type, method; // whose type parameters !n and !!n are; 0 where unknown
    size_t start;
    size_t ranks; // where the ranks of the array appended last begin
};

static bool full(const struct type_writer *writer)
{
    return writer->out->failed || writer->out->size - writer->start > NAME_SIZE_MAX;
}

static bool append_signature_type(struct type_writer *writer, struct bytes *at, unsigned depth);

static struct text heap_text(const struct names *names, enum metadata_table table, uint32_t row, unsigned column)
{
    return metadata_string(names->metadata, metadata_column(names->metadata, table, row, column));
}

struct text names_type_name(const struct names *names, uint32_t type_token)
{
    // TypeDef and TypeRef both have the name in column 1 and the namespace in column 2.
    return heap_text(names, TOKEN_TABLE(type_token), TOKEN_ROW(type_token), TYPE_NAME);
}

uint32_t names_outer_type(const struct names *names, uint32_t token)
{
    if (TOKEN_TABLE(token) == TABLE_TYPE_DEF) {
        return metadata_enclosing_type(names->metadata, token);
    }
    uint32_t scope = metadata_column(names->metadata, TABLE_TYPE_REF, TOKEN_ROW(token), TYPE_REF_SCOPE);
    uint32_t outer = metadata_decode(CODED_RESOLUTION_SCOPE, scope);
    return TOKEN_TABLE(outer) == TABLE_TYPE_REF && TOKEN_ROW(outer) ? outer : 0;
}

// A type and its enclosing types, innermost first.
struct type_chain {
    uint32_t tokens[NESTING_MAX];
    unsigned count;
};

static struct type_chain chain_of(const struct names *names, uint32_t token)
{
    struct type_chain chain = {.count = 0};
    while (token && chain.count < NESTING_MAX) {
        chain.tokens[chain.count++] = token;
        token = names_outer_type(names, token);
    }
    return chain;
}

static uint32_t generic_owner(uint32_t token)
{
    return TOKEN_ROW(token) << 1 | (TOKEN_TABLE(token) == TABLE_METHOD_DEF);
}

uint32_t names_generic_count(const struct names *names, uint32_t token)
{
    if (TOKEN_ROW(token) == 0) {
        return 0;
    }
    uint32_t owner = generic_owner(token), count = 0;
    uint32_t row = metadata_find(names->metadata, TABLE_GENERIC_PARAM, GENERIC_PARAM_OWNER, owner);
    while (row && metadata_column(names->metadata, TABLE_GENERIC_PARAM, row + count, GENERIC_PARAM_OWNER) == owner) {
        count++;
    }
    return count;
}

// The parameters from number `first` to before `end`, in brackets; nothing when there are none.
static void append_generics(const struct names *names, uint32_t token, uint32_t first, uint32_t end, struct buffer *out)
{
    uint32_t row = metadata_find(names->metadata, TABLE_GENERIC_PARAM, GENERIC_PARAM_OWNER, generic_owner(token));
    size_t start = out->size;
    for (uint32_t i = first; row && i < end && out->size - start <= NAME_SIZE_MAX; i++) {
        buffer_text(out, i == first ? "<" : ", ");
        generated_append(heap_text(names, TABLE_GENERIC_PARAM, row + i, GENERIC_PARAM_NAME), out);
    }
    if (row && first < end) {
        buffer_u8(out, '>');
    }
}

void names_append_generics(const struct names *names, uint32_t method_token, uint32_t skip, struct buffer *out)
{
    append_generics(names, method_token, skip, names_generic_count(names, method_token), out);
}

static void append_namespace(struct text name, struct buffer *out)
{
    // F# puts the initialisation of files into the namespace `<StartupCode$Assembly>`.
    if (name.size == 0 || text_starts(name, "<StartupCode$")) {
        return;
    }
    generated_append(name, out);
    buffer_u8(out, '.');
}

static void append_type_identifier(struct text name, struct buffer *out)
{
    if (name.size > 1 && *name.at == '$') {
        name = (struct text){name.at + 1, name.size - 1}; // F#: the start-up class `$File` of File.fs
    }
    generated_append(name, out);
}

// Whether the two are types of one name that are local to two files of one name, in different folders.
static bool same_file_local(struct text a, struct text b)
{
    struct generated_name first, second;
    size_t hash = sizeof "<>F" - 1;
    bool local = a.size == b.size && generated_parse(a, &first) && generated_parse(b, &second) && first.kind == 'F' &&
                 second.kind == 'F' && text_equal(first.original, second.original);
    hash += local ? first.original.size : 0;
    while (local && hash < a.size && a.at[hash] != '_') {
        hash++;
    }
    return local && memcmp(a.at + hash, b.at + hash, a.size - hash) == 0;
}

// Appends, to a type that is local to its file, the first digits of the file's hash if the file's name does not tell.
static void append_file_hash(const struct names *names, uint32_t token, struct buffer *out)
{
    struct text name = names_type_name(names, token), other;
    struct generated_name parts;
    bool alike = false;
    if (!generated_parse(name, &parts) || parts.kind != 'F' || parts.original.size == 0) {
        return;
    }
    for (uint32_t row = 1; row <= metadata_rows(names->metadata, TABLE_TYPE_DEF) && !alike; row++) {
        other = names_type_name(names, TOKEN(TABLE_TYPE_DEF, row));
        alike = row != TOKEN_ROW(token) && same_file_local(name, other);
    }
    if (alike) {
        buffer_printf(out, "-%.*s", 4, parts.suffix.at); // a hash has 64 digits
    }
}

// `between`: what is before the name of a nested type.
static void append_type(const struct names *names, uint32_t type_token, uint8_t between, struct buffer *out)
{
    struct type_chain chain = chain_of(names, type_token);
    if (chain.count == 0) {
        return;
    }
    append_namespace(heap_text(names, TABLE_TYPE_DEF, TOKEN_ROW(chain.tokens[chain.count - 1]), TYPE_NAMESPACE), out);
    // A nested type repeats the type parameters of the outer ones before its own.
    uint32_t above = 0;
    for (unsigned i = chain.count; i-- > 0;) {
        uint32_t count = names_generic_count(names, chain.tokens[i]);
        append_type_identifier(names_type_name(names, chain.tokens[i]), out);
        append_file_hash(names, chain.tokens[i], out);
        append_generics(names, chain.tokens[i], above, count, out);
        above = count;
        if (i) {
            buffer_u8(out, between);
        }
    }
}

void names_append_type(const struct names *names, uint32_t type_token, struct buffer *out)
{
    append_type(names, type_token, '.', out);
}

void names_append_class(const struct names *names, uint32_t type_token, struct buffer *out)
{
    append_type(names, type_token, '/', out);
}

static bool is_system(const struct names *names, uint32_t token, const char *name)
{
    return text_equal(names_type_name(names, token), text_of(name)) &&
           text_equal(heap_text(names, TOKEN_TABLE(token), TOKEN_ROW(token), TYPE_NAMESPACE), text_of("System"));
}

static bool append_type_list(struct type_writer *writer, struct bytes *at, uint32_t count, unsigned depth)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i) {
            buffer_text(writer->out, ", ");
        }
        if (!append_signature_type(writer, at, depth)) {
            return false;
        }
    }
    return true;
}

// `List<string>.Enumerator`: the arguments are given in one list and belong to the levels by their arity; what is left
// over belongs to the innermost. `at` may be NULL when there are no arguments.
static bool append_named_type(struct type_writer *writer, uint32_t token, struct bytes *at, uint32_t arguments,
                              unsigned depth)
{
    struct type_chain chain = chain_of(writer->names, token);
    for (unsigned i = chain.count; i-- > 0;) {
        struct text name = names_type_name(writer->names, chain.tokens[i]);
        uint32_t own = i ? type_name_arity(name, NULL) : arguments;
        own = own > arguments ? arguments : own;
        CLEW_ASSERT(own <= arguments);
        arguments -= own;
        append_type_identifier(name, writer->out);
        if (own) {
            buffer_u8(writer->out, '<');
            if (!append_type_list(writer, at, own, depth + 1)) {
                return false;
            }
            buffer_u8(writer->out, '>');
        }
        if (i) {
            buffer_u8(writer->out, '.');
        }
    }
    return chain.count > 0;
}

// A tuple's eighth item is a tuple with the rest.
static bool append_tuple(struct type_writer *writer, struct bytes *at, uint32_t count, unsigned depth)
{
    struct buffer *out = writer->out;
    buffer_u8(out, '(');
    if (!append_type_list(writer, at, count < TUPLE_REST ? count : TUPLE_REST - 1, depth + 1)) {
        return false;
    }
    if (count == TUPLE_REST) {
        buffer_text(out, ", ");
        size_t rest = out->size;
        if (!append_signature_type(writer, at, depth + 1)) {
            return false;
        }
        if (out->size > rest + 1 && out->data[rest] == '(') {
            memmove(out->data + rest, out->data + rest + 1, out->size - rest - 2);
            out->size -= 2;
        }
    }
    buffer_u8(out, ')');
    return true;
}

static bool is_tuple(const struct names *names, uint32_t token, uint32_t arguments)
{
    struct text name = names_type_name(names, token);
    struct text own = {name.at, name.size > 2 ? name.size - 2 : 0};
    return arguments >= 2 && arguments <= TUPLE_REST && text_equal(own, text_of("ValueTuple")) &&
           type_name_arity(name, NULL) == arguments &&
           text_equal(heap_text(names, TOKEN_TABLE(token), TOKEN_ROW(token), TYPE_NAMESPACE), text_of("System"));
}

static bool take_type_token(struct bytes *at, uint32_t *token)
{
    uint32_t coded;
    if (!bytes_compressed(at, &coded)) {
        return false;
    }
    *token = metadata_decode(CODED_TYPE_DEF_OR_REF, coded);
    return TOKEN_ROW(*token) != 0;
}

static bool append_generic_instance(struct type_writer *writer, struct bytes *at, unsigned depth)
{
    uint32_t token, count;
    if (!bytes_skip(at, 1) || !take_type_token(at, &token) || !bytes_compressed(at, &count)) {
        return false;
    }
    if (count == 1 && is_system(writer->names, token, "Nullable`1")) {
        if (!append_signature_type(writer, at, depth + 1)) {
            return false;
        }
        buffer_u8(writer->out, '?');
        return true;
    }
    if (is_tuple(writer->names, token, count)) {
        return append_tuple(writer, at, count, depth);
    }
    return append_named_type(writer, token, at, count, depth);
}

// Skips elements that may precede a type and are not shown.
static bool skip_marks(struct bytes *at, uint8_t *element)
{
    uint32_t ignored;
    while (bytes_u8(at, element)) {
        if (*element == ELEMENT_MODIFIER_REQUIRED || *element == ELEMENT_MODIFIER_OPTIONAL) {
            if (!bytes_compressed(at, &ignored)) {
                return false;
            }
        } else if (*element != ELEMENT_PINNED && *element != ELEMENT_SENTINEL) {
            return true;
        }
    }
    return false;
}

// Arrays of arrays are written outermost rank first: the new rank goes before those of the item type.
static void insert_rank(struct type_writer *writer, size_t place, uint32_t rank)
{
    struct buffer *out = writer->out;
    size_t tail = out->size - place;
    // A rank of more than 32 is no array of the runtime's.
    size_t size = 2 + (rank > 32 ? 31 : rank - 1);
    if (!buffer_extend(out, size)) {
        return;
    }
    memmove(out->data + place + size, out->data + place, tail);
    memset(out->data + place, ',', size);
    out->data[place] = '[';
    out->data[place + size - 1] = ']';
    writer->ranks = place;
}

static bool skip_bounds(struct bytes *at)
{
    uint32_t count, ignored;
    for (unsigned list = 0; list < 2; list++) {
        if (!bytes_compressed(at, &count)) {
            return false;
        }
        for (uint32_t i = 0; i < count; i++) {
            if (!bytes_compressed(at, &ignored)) {
                return false;
            }
        }
    }
    return true;
}

static bool append_array(struct type_writer *writer, struct bytes *at, unsigned depth, bool shaped)
{
    struct bytes item = *at;
    uint8_t element;
    uint32_t rank = 1;
    bool nested = skip_marks(&item, &element) && (element == ELEMENT_ARRAY || element == ELEMENT_SZARRAY);
    if (!append_signature_type(writer, at, depth + 1) ||
        (shaped && (!bytes_compressed(at, &rank) || !skip_bounds(at)))) {
        return false;
    }
    insert_rank(writer, nested ? writer->ranks : writer->out->size, rank ? rank : 1);
    return true;
}

static bool append_function_pointer(struct type_writer *writer, struct bytes *at, unsigned depth)
{
    uint8_t convention;
    uint32_t count, generics;
    if (!bytes_u8(at, &convention) || ((convention & 0x10) && !bytes_compressed(at, &generics)) ||
        !bytes_compressed(at, &count)) {
        return false;
    }
    struct bytes result = *at;
    if (!signature_skip_type(at)) {
        return false;
    }
    buffer_text(writer->out, (convention & 0x0F) == 0 ? "delegate*<" : "delegate* unmanaged<");
    if (!append_type_list(writer, at, count, depth + 1)) {
        return false;
    }
    buffer_text(writer->out, count ? ", " : "");
    bool good = append_signature_type(writer, &result, depth + 1);
    buffer_u8(writer->out, '>');
    return good;
}

static bool append_variable(struct type_writer *writer, struct bytes *at, bool of_method)
{
    uint32_t number, owner = of_method ? writer->method : writer->type;
    if (!bytes_compressed(at, &number)) {
        return false;
    }
    uint32_t row =
        owner ? metadata_find(writer->names->metadata, TABLE_GENERIC_PARAM, GENERIC_PARAM_OWNER, generic_owner(owner))
              : 0;
    uint32_t end = row ? row + names_generic_count(writer->names, owner) : 0;
    if (row && number < end - row) {
        generated_append(heap_text(writer->names, TABLE_GENERIC_PARAM, row + number, GENERIC_PARAM_NAME), writer->out);
    } else {
        buffer_printf(writer->out, "%s%u", of_method ? "!!" : "!", number);
    }
    return true;
}

static bool append_class(struct type_writer *writer, struct bytes *at, unsigned depth)
{
    uint32_t token;
    if (!take_type_token(at, &token)) {
        return false;
    }
    if (TOKEN_TABLE(token) == TABLE_TYPE_SPEC) {
        uint32_t blob =
            metadata_column(writer->names->metadata, TABLE_TYPE_SPEC, TOKEN_ROW(token), TYPE_SPEC_SIGNATURE);
        struct bytes spec = metadata_blob(writer->names->metadata, blob);
        return append_signature_type(writer, &spec, depth + 1);
    }
    if (is_system(writer->names, token, "Decimal")) {
        buffer_text(writer->out, "decimal");
        return true;
    }
    return append_named_type(writer, token, NULL, 0, depth);
}

static const char *keyword_of(uint8_t element)
{
    static const char *const keywords[] = {
        [ELEMENT_VOID] = "void", [ELEMENT_BOOLEAN] = "bool",  [ELEMENT_CHAR] = "char",
        [ELEMENT_I1] = "sbyte",  [ELEMENT_U1] = "byte",       [ELEMENT_I2] = "short",
        [ELEMENT_U2] = "ushort", [ELEMENT_I4] = "int",        [ELEMENT_U4] = "uint",
        [ELEMENT_I8] = "long",   [ELEMENT_U8] = "ulong",      [ELEMENT_R4] = "float",
        [ELEMENT_R8] = "double", [ELEMENT_STRING] = "string", [ELEMENT_I] = "nint",
        [ELEMENT_U] = "nuint",   [ELEMENT_OBJECT] = "object", [ELEMENT_TYPED_REFERENCE] = "TypedReference"};
    return element < sizeof keywords / sizeof *keywords ? keywords[element] : NULL;
}

static bool append_signature_type(struct type_writer *writer, struct bytes *at, unsigned depth)
{
    uint8_t element;
    if (depth >= SIGNATURE_DEPTH_MAX || full(writer) || !skip_marks(at, &element)) {
        return false;
    }
    const char *keyword = keyword_of(element);
    if (keyword) {
        buffer_text(writer->out, keyword);
        return true;
    }
    switch (element) {
    case ELEMENT_POINTER:
        if (!append_signature_type(writer, at, depth + 1)) {
            return false;
        }
        buffer_u8(writer->out, '*');
        return true;
    case ELEMENT_BY_REFERENCE:
        buffer_text(writer->out, "ref ");
        return append_signature_type(writer, at, depth + 1);
    case ELEMENT_SZARRAY:
    case ELEMENT_ARRAY:
        return append_array(writer, at, depth, element == ELEMENT_ARRAY);
    case ELEMENT_VAR:
    case ELEMENT_MVAR:
        return append_variable(writer, at, element == ELEMENT_MVAR);
    case ELEMENT_VALUE_TYPE:
    case ELEMENT_CLASS:
        return append_class(writer, at, depth);
    case ELEMENT_GENERIC_INSTANCE:
        return append_generic_instance(writer, at, depth);
    case ELEMENT_FUNCTION_POINTER:
        return append_function_pointer(writer, at, depth);
    default:
        return false;
    }
}

void names_append_short_type(const struct names *names, uint32_t type_token, uint32_t context_type, struct buffer *out)
{
    struct type_writer writer = {.names = names, .out = out, .type = context_type, .start = out->size};
    if (TOKEN_TABLE(type_token) == TABLE_TYPE_SPEC) {
        uint32_t blob = metadata_column(names->metadata, TABLE_TYPE_SPEC, TOKEN_ROW(type_token), TYPE_SPEC_SIGNATURE);
        struct bytes spec = metadata_blob(names->metadata, blob);
        (void)append_signature_type(&writer, &spec, 0); // of a malformed signature, the readable part is shown
    } else {
        (void)append_named_type(&writer, type_token, NULL, 0, 0);
    }
}

// The token of parameter `number` (from 1), 0 without a row; `row` walks along the method's rows, which are in order.
static uint32_t parameter_token(const struct names *names, struct metadata_range rows, uint32_t *row, uint32_t number)
{
    while (*row < rows.end && metadata_column(names->metadata, TABLE_PARAM, *row, PARAM_SEQUENCE) < number) {
        ++*row;
    }
    bool found = *row < rows.end && metadata_column(names->metadata, TABLE_PARAM, *row, PARAM_SEQUENCE) == number;
    return found ? TOKEN(TABLE_PARAM, *row) : 0;
}

// A struct of captured variables comes by reference, after the parameters that the source has.
static bool is_closure_parameter(const struct names *names, struct bytes type)
{
    uint8_t element;
    uint32_t token;
    if (!skip_marks(&type, &element) || element != ELEMENT_BY_REFERENCE || !skip_marks(&type, &element)) {
        return false;
    }
    if (element == ELEMENT_GENERIC_INSTANCE && !bytes_u8(&type, &element)) {
        return false;
    }
    return element == ELEMENT_VALUE_TYPE && take_type_token(&type, &token) &&
           generated_is_closure(names_type_name(names, token));
}

// How a parameter is written that is passed by reference. [In] alone, as for interop, says nothing of whether the method
// writes to it.
static const char *reference_word(const struct names *names, uint32_t token, uint32_t flags)
{
    struct bytes ignored;
    if (flags & PARAM_OUT) {
        return flags & PARAM_IN ? "ref " : "out ";
    }
    return !(flags & PARAM_IN)                                                              ? "ref "
           : names_attribute(names->metadata, token, "IsReadOnlyAttribute", &ignored)       ? "in "
           : names_attribute(names->metadata, token, "RequiresLocationAttribute", &ignored) ? "ref readonly "
                                                                                            : "ref ";
}

// token: of its Param row, 0 where it has none.
static bool append_parameter(struct type_writer *writer, struct bytes *at, uint32_t token)
{
    struct bytes type = *at;
    uint8_t element;
    bool reference = skip_marks(&type, &element) && element == ELEMENT_BY_REFERENCE;
    if (!reference || !token) {
        return append_signature_type(writer, at, 0);
    }
    uint32_t flags = metadata_column(writer->names->metadata, TABLE_PARAM, TOKEN_ROW(token), PARAM_FLAGS);
    buffer_text(writer->out, reference_word(writer->names, token, flags));
    *at = type;
    return append_signature_type(writer, at, 0);
}

static bool append_parameter_list(struct type_writer *writer, const struct signature_method *signature, bool local)
{
    const struct metadata *metadata = writer->names->metadata;
    struct metadata_range rows =
        metadata_list(metadata, TABLE_METHOD_DEF, TOKEN_ROW(writer->method), METHOD_DEF_PARAMS, TABLE_PARAM);
    struct bytes at = signature->parameters;
    bool first = true;
    for (uint32_t i = 0; i < signature->parameter_count; i++) {
        if (local && is_closure_parameter(writer->names, at)) {
            if (!signature_skip_type(&at)) {
                return false;
            }
            continue;
        }
        buffer_text(writer->out, first ? "" : ", ");
        first = false;
        if (!append_parameter(writer, &at, parameter_token(writer->names, rows, &rows.first, i + 1))) {
            return false;
        }
    }
    return true;
}

void names_append_parameters(const struct names *names, uint32_t method_token, bool local, struct buffer *out)
{
    struct type_writer writer = {.names = names,
                                 .out = out,
                                 .type = metadata_method_owner(names->metadata, method_token),
                                 .method = method_token,
                                 .start = out->size};
    struct metadata_method method;
    struct signature_method signature;
    buffer_u8(out, '(');
    if (!metadata_method(names->metadata, method_token, &method) ||
        signature_method(method.signature, &signature) != CLEW_OK ||
        !append_parameter_list(&writer, &signature, local)) {
        buffer_text(out, "...");
    }
    buffer_u8(out, ')');
}
