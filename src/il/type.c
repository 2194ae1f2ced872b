// Static types from signatures and tokens. Signatures are borrowed from the metadata of the module. Those that it does
// not contain are made in the arena of the scope: of a type that only a token names, of an instantiation with the
// parameters replaced, of references and arrays.
#include "il/type.h"

#include <string.h>

#include "base/assert.h"
#include "metadata/tables/type_refs.h"

static const struct il_type unknown;

// Copies a signature into the arena. Empty: out of memory, which makes the type unknown.
static struct bytes make_signature(const struct il_scope *scope, const struct buffer *made)
{
    uint8_t *copy = made->failed ? NULL : arena_alloc(scope->arena, made->size);
    if (!copy) {
        return (struct bytes){0};
    }
    memcpy(copy, made->data, made->size);
    return bytes_of(copy, made->size);
}

// -- From signatures --------------------------------------------------------------------------------------------------

// ECMA-335 III.1.1: smaller integers are int32 on the stack. `rest` is the signature behind the element.
static enum il_kind kind_of_element(uint8_t element, struct bytes rest)
{
    switch (element) {
    case ELEMENT_BOOLEAN:
    case ELEMENT_CHAR:
    case ELEMENT_I1:
    case ELEMENT_U1:
    case ELEMENT_I2:
    case ELEMENT_U2:
    case ELEMENT_I4:
    case ELEMENT_U4:
        return IL_INT32;
    case ELEMENT_I8:
    case ELEMENT_U8:
        return IL_INT64;
    case ELEMENT_R4:
        return IL_FLOAT32;
    case ELEMENT_R8:
        return IL_FLOAT64;
    case ELEMENT_I:
    case ELEMENT_U:
    case ELEMENT_POINTER:
    case ELEMENT_FUNCTION_POINTER:
        return IL_NATIVE;
    case ELEMENT_STRING:
    case ELEMENT_CLASS:
    case ELEMENT_OBJECT:
    case ELEMENT_SZARRAY:
    case ELEMENT_ARRAY:
        return IL_OBJECT;
    case ELEMENT_BY_REFERENCE:
        return IL_REFERENCE;
    case ELEMENT_GENERIC_INSTANCE:
        return bytes_left(&rest) && *rest.at == ELEMENT_VALUE_TYPE ? IL_VALUE : IL_OBJECT;
    case ELEMENT_VALUE_TYPE:
    case ELEMENT_VAR:
    case ELEMENT_MVAR:
    case ELEMENT_TYPED_REFERENCE:
        return IL_VALUE;
    default:
        return IL_UNKNOWN;
    }
}

// Cuts the signature to its one type. That of a reference is the signature of its target.
struct il_type il_type_of(struct bytes signature)
{
    if (!signature_skip_modifiers(&signature)) {
        return unknown;
    }
    struct il_type type = {.signature = signature};
    uint8_t element;
    struct bytes rest = signature;
    if (!bytes_u8(&rest, &element) || !signature_skip_type(&signature)) {
        return unknown;
    }
    type.signature.end = signature.at;
    type.kind = kind_of_element(element, rest);
    if (type.kind == IL_REFERENCE) {
        type.signature.at = rest.at;
        if (!signature_skip_modifiers(&type.signature)) {
            return unknown;
        }
    }
    return type.kind == IL_UNKNOWN ? unknown : type;
}

// Replaces the type parameters of a signature. A signature without any is borrowed as it is.
static struct il_type instantiate(const struct il_scope *scope, struct bytes signature,
                                  const struct signature_arguments *arguments)
{
    if ((arguments->of_type_count == 0 && arguments->of_method_count == 0) || !signature_is_open(signature)) {
        return il_type_of(signature);
    }
    struct buffer made = {0};
    struct il_type type = unknown;
    if (signature_instantiate(signature, arguments, &made) == CLEW_OK) {
        type = il_type_of(make_signature(scope, &made));
    }
    buffer_free(&made);
    return type;
}

static struct bytes wrap(const struct il_scope *scope, uint8_t element, struct bytes inner)
{
    CLEW_ASSERT(element == ELEMENT_BY_REFERENCE || element == ELEMENT_POINTER || element == ELEMENT_SZARRAY);
    struct buffer made = {0};
    buffer_u8(&made, element);
    buffer_append(&made, inner.at, bytes_left(&inner));
    struct bytes signature = make_signature(scope, &made);
    buffer_free(&made);
    return signature;
}

struct bytes il_reference_signature(const struct il_scope *scope, struct bytes pointee)
{
    return wrap(scope, ELEMENT_BY_REFERENCE, pointee);
}

struct il_type il_pointer_of(const struct il_scope *scope, struct bytes pointee)
{
    bool known = bytes_left(&pointee) > 0;
    return (struct il_type){IL_NATIVE, known ? wrap(scope, ELEMENT_POINTER, pointee) : (struct bytes){0}};
}

struct il_type il_array_of(const struct il_scope *scope, struct il_type item)
{
    bool known = bytes_left(&item.signature) > 0;
    return (struct il_type){IL_OBJECT, known ? wrap(scope, ELEMENT_SZARRAY, item.signature) : (struct bytes){0}};
}

struct il_type il_reference_to(struct il_type value)
{
    return (struct il_type){IL_REFERENCE, value.kind == IL_REFERENCE ? (struct bytes){0} : value.signature};
}

struct il_type il_item_of(struct il_type array)
{
    uint8_t element;
    struct bytes item = array.signature;
    return bytes_u8(&item, &element) && element == ELEMENT_SZARRAY ? il_type_of(item) : unknown;
}

// -- From tokens ------------------------------------------------------------------------------------------------------

static bool is_named(const struct metadata *metadata, enum metadata_table table, uint32_t row, const char *name)
{
    return text_equal(metadata_string(metadata, metadata_column(metadata, table, row, TYPE_NAME)), text_of(name)) &&
           text_equal(metadata_string(metadata, metadata_column(metadata, table, row, TYPE_NAMESPACE)),
                      text_of("System"));
}

static bool is_system_type(const struct metadata *metadata, uint32_t token, const char *name)
{
    enum metadata_table table = TOKEN_TABLE(token);
    return (table == TABLE_TYPE_REF || table == TABLE_TYPE_DEF) && is_named(metadata, table, TOKEN_ROW(token), name);
}

// A type is a value type if it extends System.ValueType or System.Enum. System.Enum itself, which extends ValueType, is a
// class (ECMA-335 I.8.9.10, II.13).
static bool is_value_definition(const struct metadata *metadata, uint32_t row)
{
    uint32_t base =
        metadata_decode(CODED_TYPE_DEF_OR_REF, metadata_column(metadata, TABLE_TYPE_DEF, row, TYPE_DEF_EXTENDS));
    return is_system_type(metadata, base, "Enum") ||
           (is_system_type(metadata, base, "ValueType") && !is_named(metadata, TABLE_TYPE_DEF, row, "Enum"));
}

// The element type that signatures use for a type of the core library (ECMA-335 II.23.1.16); 0 for any other type.
static uint8_t element_of_name(const struct metadata *metadata, enum metadata_table table, uint32_t row)
{
    static const struct {
        const char *name;
        uint8_t element;
    } known[] = {{"Boolean", ELEMENT_BOOLEAN}, {"Char", ELEMENT_CHAR}, {"SByte", ELEMENT_I1},
                 {"Byte", ELEMENT_U1},         {"Int16", ELEMENT_I2},  {"UInt16", ELEMENT_U2},
                 {"Int32", ELEMENT_I4},        {"UInt32", ELEMENT_U4}, {"Int64", ELEMENT_I8},
                 {"UInt64", ELEMENT_U8},       {"Single", ELEMENT_R4}, {"Double", ELEMENT_R8},
                 {"IntPtr", ELEMENT_I},        {"UIntPtr", ELEMENT_U}, {"String", ELEMENT_STRING},
                 {"Object", ELEMENT_OBJECT},   {"Void", ELEMENT_VOID}, {"TypedReference", ELEMENT_TYPED_REFERENCE}};
    if (!text_equal(metadata_string(metadata, metadata_column(metadata, table, row, TYPE_NAMESPACE)),
                    text_of("System"))) {
        return 0;
    }
    struct text name = metadata_string(metadata, metadata_column(metadata, table, row, TYPE_NAME));
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
        if (text_equal(name, text_of(known[i].name))) {
            return known[i].element;
        }
    }
    return 0;
}

// The element of the type where it has one, otherwise CLASS or VALUE_TYPE; 0: unknown.
static uint8_t element_of_token(const struct il_scope *scope, uint32_t token)
{
    const struct metadata *metadata = scope->metadata;
    enum metadata_table table = TOKEN_TABLE(token);
    uint32_t row = TOKEN_ROW(token);
    if (row == 0 || row > metadata_rows(metadata, table)) {
        return 0;
    }
    uint8_t element = element_of_name(metadata, table, row);
    if (element) {
        return element;
    }
    if (table == TABLE_TYPE_DEF) {
        return is_value_definition(metadata, row) ? ELEMENT_VALUE_TYPE : ELEMENT_CLASS;
    }
    uint8_t kind = scope->type_refs ? scope->type_refs[row] : TYPE_REF_UNKNOWN;
    return kind == TYPE_REF_UNKNOWN ? 0 : kind == TYPE_REF_VALUE ? ELEMENT_VALUE_TYPE : ELEMENT_CLASS;
}

// TypeDefOrRefOrSpecEncoded (ECMA-335 II.23.2.8): the row, and two bits for the table.
static void append_named(struct buffer *out, uint8_t element, uint32_t token)
{
    buffer_u8(out, element);
    if (element == ELEMENT_CLASS || element == ELEMENT_VALUE_TYPE) {
        buffer_compressed(out, TOKEN_ROW(token) << 2 | (TOKEN_TABLE(token) == TABLE_TYPE_REF)); // TypeDefOrRef
    }
}

// The signature of a StandAloneSig or TypeSpec.
static struct bytes signature_of(const struct il_scope *scope, uint32_t token)
{
    enum metadata_table table = TOKEN_TABLE(token);
    if (TOKEN_ROW(token) > metadata_rows(scope->metadata, table) && scope->extra) {
        return scope->extra(scope->context, token);
    }
    return metadata_blob(scope->metadata,
                         metadata_column(scope->metadata, table, TOKEN_ROW(token), STAND_ALONE_SIG_SIGNATURE));
}

struct il_type il_type_of_token(const struct il_scope *scope, uint32_t token)
{
    enum metadata_table table = TOKEN_TABLE(token);
    if (table == TABLE_TYPE_SPEC) {
        return il_type_of(signature_of(scope, token));
    }
    uint8_t element = table == TABLE_TYPE_DEF || table == TABLE_TYPE_REF ? element_of_token(scope, token) : 0;
    if (!element) {
        return unknown;
    }
    struct buffer made = {0};
    append_named(&made, element, token);
    struct il_type type = il_type_of(make_signature(scope, &made));
    buffer_free(&made);
    return type;
}

// A TypeDef as its own methods see it: a generic one is instantiated over its own parameters.
static struct il_type type_of_owner(const struct il_scope *scope, uint32_t type_token)
{
    const struct metadata *metadata = scope->metadata;
    uint32_t coded = TOKEN_ROW(type_token) << 1; // TypeOrMethodDef
    uint32_t row = metadata_find(metadata, TABLE_GENERIC_PARAM, GENERIC_PARAM_OWNER, coded);
    uint32_t count = 0;
    while (row && metadata_column(metadata, TABLE_GENERIC_PARAM, row + count, GENERIC_PARAM_OWNER) == coded) {
        count++;
    }
    uint8_t element = element_of_token(scope, type_token);
    if (!element || count == 0) {
        return il_type_of_token(scope, type_token);
    }
    struct buffer made = {0};
    buffer_u8(&made, ELEMENT_GENERIC_INSTANCE);
    append_named(&made, element, type_token);
    buffer_compressed(&made, count);
    for (uint32_t i = 0; i < count; i++) {
        buffer_u8(&made, ELEMENT_VAR);
        buffer_compressed(&made, i);
    }
    struct il_type type = il_type_of(make_signature(scope, &made));
    buffer_free(&made);
    return type;
}

// The type arguments of an instantiated type, which replace the parameters in the signatures of its members.
static void take_type_arguments(struct bytes signature, struct signature_arguments *out)
{
    uint8_t element, kind;
    uint32_t coded, count;
    if (bytes_u8(&signature, &element) && element == ELEMENT_GENERIC_INSTANCE && bytes_u8(&signature, &kind) &&
        bytes_compressed(&signature, &coded) && bytes_compressed(&signature, &count)) {
        out->of_type = signature;
        out->of_type_count = count;
    }
}

static uint32_t member_parent(const struct metadata *metadata, uint32_t row)
{
    return metadata_decode(CODED_MEMBER_REF_PARENT,
                           metadata_column(metadata, TABLE_MEMBER_REF, row, MEMBER_REF_PARENT));
}

// A field of an instantiated type has its signature in terms of the parameters of that type.
struct il_type il_type_of_field(const struct il_scope *scope, uint32_t token)
{
    const struct metadata *metadata = scope->metadata;
    enum metadata_table table = TOKEN_TABLE(token);
    struct signature_arguments arguments = {0};
    struct bytes type;
    if (table != TABLE_FIELD && table != TABLE_MEMBER_REF) {
        return unknown;
    }
    uint32_t blob = metadata_column(metadata, table, TOKEN_ROW(token), FIELD_SIGNATURE);
    if (signature_field(metadata_blob(metadata, blob), &type) != CLEW_OK) {
        return unknown;
    }
    if (table == TABLE_MEMBER_REF) {
        uint32_t parent = member_parent(metadata, TOKEN_ROW(token));
        if (TOKEN_TABLE(parent) == TABLE_TYPE_SPEC) {
            take_type_arguments(il_type_of_token(scope, parent).signature, &arguments);
        }
    }
    return instantiate(scope, type, &arguments);
}

// -- Methods ----------------------------------------------------------------------------------------------------------

// The signature of a MemberRef. Its parent may be a method of this module, for calls with variable arguments.
static struct bytes open_member(const struct il_scope *scope, uint32_t row, struct il_method *out)
{
    const struct metadata *metadata = scope->metadata;
    uint32_t parent = member_parent(metadata, row);
    out->name = metadata_string(metadata, metadata_column(metadata, TABLE_MEMBER_REF, row, MEMBER_REF_NAME));
    out->owner = il_type_of_token(scope, parent);
    if (TOKEN_TABLE(parent) == TABLE_TYPE_SPEC) {
        take_type_arguments(out->owner.signature, &out->arguments);
    }
    return metadata_blob(metadata, metadata_column(metadata, TABLE_MEMBER_REF, row, MEMBER_REF_SIGNATURE));
}

static struct bytes open_definition(const struct il_scope *scope, uint32_t token, struct il_method *out)
{
    struct metadata_method method;
    if (!metadata_method(scope->metadata, token, &method)) {
        return (struct bytes){0};
    }
    out->name = method.name;
    out->owner = type_of_owner(scope, metadata_method_owner(scope->metadata, token));
    return method.signature;
}

// The type arguments of a MethodSpec. Returns the method that it instantiates; 0: the MethodSpec is broken.
static uint32_t open_specification(const struct il_scope *scope, uint32_t row, struct signature_arguments *out)
{
    const struct metadata *metadata = scope->metadata;
    struct bytes blob =
        metadata_blob(metadata, metadata_column(metadata, TABLE_METHOD_SPEC, row, METHOD_SPEC_INSTANTIATION));
    if (signature_method_spec(blob, &out->of_method_count, &out->of_method) != CLEW_OK) {
        out->of_method_count = 0;
        return 0;
    }
    return metadata_decode(CODED_METHOD_DEF_OR_REF,
                           metadata_column(metadata, TABLE_METHOD_SPEC, row, METHOD_SPEC_METHOD));
}

// The owner and its type arguments come from the MemberRef or MethodDef, those of the method from a MethodSpec around it.
enum clew_error il_method_of(const struct il_scope *scope, uint32_t token, struct il_method *out)
{
    *out = (struct il_method){0};
    struct bytes blob = {0};
    if (TOKEN_TABLE(token) == TABLE_METHOD_SPEC) {
        token = open_specification(scope, TOKEN_ROW(token), &out->arguments);
    }
    switch (TOKEN_TABLE(token)) {
    case TABLE_METHOD_DEF:
        blob = open_definition(scope, token, out);
        break;
    case TABLE_MEMBER_REF:
        blob = open_member(scope, TOKEN_ROW(token), out);
        break;
    case TABLE_STAND_ALONE_SIG:
        blob = signature_of(scope, token);
        break;
    default:
        return CLEW_MALFORMED;
    }
    out->is_constructor = text_equal(out->name, text_of(".ctor"));
    return signature_method(blob, &out->signature);
}

struct il_type il_method_result(const struct il_scope *scope, const struct il_method *method)
{
    return instantiate(scope, method->signature.return_type, &method->arguments);
}

struct il_type il_method_parameter(const struct il_scope *scope, const struct il_method *method, struct bytes *rest)
{
    struct bytes type = *rest;
    if (!signature_skip_type(rest)) {
        return unknown;
    }
    type.end = rest->at;
    return instantiate(scope, type, &method->arguments);
}

// -- The method itself ------------------------------------------------------------------------------------------------

static enum clew_error read_types(struct bytes types, uint32_t count, struct il_type *out)
{
    for (uint32_t i = 0; i < count; i++) {
        struct bytes type = types;
        if (!signature_skip_type(&types)) {
            return CLEW_MALFORMED;
        }
        type.end = types.at;
        out[i] = il_type_of(type);
    }
    return CLEW_OK;
}

// The first argument of an instance method is `this`: an object, or a reference to a struct.
static enum clew_error read_arguments(struct il_scope *scope, uint32_t method_token,
                                      const struct signature_method *signature)
{
    // The count is at most that of the bytes of the signature: signature_method() has read all parameters.
    scope->has_this = signature->has_this;
    scope->argument_count = signature->parameter_count + signature->has_this;
    scope->arguments = arena_alloc(scope->arena, ((size_t)scope->argument_count + 1) * sizeof *scope->arguments);
    if (!scope->arguments) {
        return CLEW_NO_MEMORY;
    }
    if (scope->has_this) {
        struct il_type owner = type_of_owner(scope, metadata_method_owner(scope->metadata, method_token));
        scope->arguments[0] = owner.kind == IL_OBJECT || owner.kind == IL_UNKNOWN ? owner : il_reference_to(owner);
    }
    return read_types(signature->parameters, signature->parameter_count, scope->arguments + scope->has_this);
}

enum clew_error il_scope_locals(struct il_scope *scope, struct bytes signature)
{
    struct bytes types;
    scope->local_count = 0;
    if (bytes_left(&signature) == 0) {
        return CLEW_OK;
    }
    CLEW_TRY(signature_locals(signature, &scope->local_count, &types));
    scope->locals = arena_alloc(scope->arena, ((size_t)scope->local_count + 1) * sizeof *scope->locals);
    return scope->locals ? read_types(types, scope->local_count, scope->locals) : CLEW_NO_MEMORY;
}

// What the body of a method of runtime async returns: of Task<T> and ValueTask<T> the T, of Task and ValueTask nothing.
static struct il_type result_of_task(struct bytes task)
{
    uint8_t generic, kind;
    uint32_t type, count;
    bool is_task = signature_skip_modifiers(&task) && bytes_u8(&task, &generic) &&
                   generic == ELEMENT_GENERIC_INSTANCE && bytes_u8(&task, &kind) && bytes_compressed(&task, &type) &&
                   bytes_compressed(&task, &count) && count == 1;
    return is_task ? il_type_of(task) : (struct il_type){0};
}

enum clew_error il_scope_open(const struct metadata *metadata, uint32_t method_token, uint32_t locals_token,
                              const uint8_t *type_refs, struct arena *arena, struct il_scope *out)
{
    struct metadata_method method;
    struct signature_method signature;
    CLEW_ASSERT(TOKEN_TABLE(method_token) == TABLE_METHOD_DEF);
    *out = (struct il_scope){.arena = arena, .metadata = metadata, .type_refs = type_refs};
    if (!metadata_method(metadata, method_token, &method)) {
        return CLEW_MALFORMED;
    }
    CLEW_TRY(signature_method(method.signature, &signature));
    if (signature.returns_value) {
        bool async = method.impl_flags & METHOD_ASYNC;
        out->result = async ? result_of_task(signature.return_type) : il_type_of(signature.return_type);
    }
    CLEW_TRY(read_arguments(out, method_token, &signature));
    uint32_t locals =
        metadata_column(metadata, TABLE_STAND_ALONE_SIG, TOKEN_ROW(locals_token), STAND_ALONE_SIG_SIGNATURE);
    return locals_token ? il_scope_locals(out, metadata_blob(metadata, locals)) : CLEW_OK;
}
