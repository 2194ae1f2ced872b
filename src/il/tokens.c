// Tokens of instructions: their kinds, rows and signatures.
#include "il/tokens.h"

enum {
    TABLE_USER_STRING = 0x70, // the operand of ldstr (ECMA-335 III.4.16): not a table, but numbered like one
    CONVENTION_MASK = 0x0F,
};

static bool beyond(const struct il_tokens *tokens, uint32_t token)
{
    return TOKEN_ROW(token) > metadata_rows(tokens->metadata, TOKEN_TABLE(token));
}

// The signature of a MethodDef, MemberRef or StandAloneSig.
static struct bytes blob_of(const struct il_tokens *tokens, uint32_t token)
{
    if (beyond(tokens, token)) {
        return tokens->extra ? tokens->extra(tokens->context, token) : (struct bytes){0};
    }
    uint32_t table = TOKEN_TABLE(token);
    uint32_t row = TOKEN_ROW(token);
    if (table == TABLE_METHOD_DEF) {
        struct metadata_method method;
        return metadata_method(tokens->metadata, token, &method) ? method.signature : (struct bytes){0};
    }
    unsigned column = table == TABLE_MEMBER_REF ? (unsigned)MEMBER_REF_SIGNATURE : (unsigned)STAND_ALONE_SIG_SIGNATURE;
    return metadata_blob(tokens->metadata, metadata_column(tokens->metadata, table, row, column));
}

// A MemberRef is a field or a method, as its signature says.
static bool member_is_field(const struct il_tokens *tokens, uint32_t token)
{
    struct bytes blob = blob_of(tokens, token);
    uint8_t convention;
    return bytes_u8(&blob, &convention) && (convention & CONVENTION_MASK) == SIGNATURE_FIELD;
}

static bool table_fits(const struct il_tokens *tokens, enum il_operand operand, uint32_t token)
{
    bool any = operand == IL_OPERAND_TOKEN;
    switch (TOKEN_TABLE(token)) {
    case TABLE_TYPE_REF:
    case TABLE_TYPE_DEF:
    case TABLE_TYPE_SPEC:
        return any || operand == IL_OPERAND_TYPE;
    case TABLE_FIELD:
        return any || operand == IL_OPERAND_FIELD;
    case TABLE_METHOD_DEF:
    case TABLE_METHOD_SPEC:
        return any || operand == IL_OPERAND_METHOD;
    case TABLE_MEMBER_REF:
        if (operand == IL_OPERAND_FIELD || operand == IL_OPERAND_METHOD) {
            return member_is_field(tokens, token) == (operand == IL_OPERAND_FIELD);
        }
        return any;
    case TABLE_STAND_ALONE_SIG:
        return operand == IL_OPERAND_SIGNATURE;
    default:
        return false;
    }
}

bool il_token_fits(const struct il_tokens *tokens, enum il_operand operand, uint32_t token)
{
    if (operand == IL_OPERAND_STRING) {
        return TOKEN_TABLE(token) == TABLE_USER_STRING &&
               (tokens->extra || TOKEN_ROW(token) < bytes_left(&tokens->metadata->user_strings));
    }
    return TOKEN_TABLE(token) < TABLE_COUNT && TOKEN_ROW(token) != 0 && table_fits(tokens, operand, token) &&
           (tokens->extra || !beyond(tokens, token));
}

bool il_token_method(const struct il_tokens *tokens, uint32_t token, struct signature_method *out)
{
    if (TOKEN_TABLE(token) == TABLE_METHOD_SPEC) {
        token = metadata_decode(CODED_METHOD_DEF_OR_REF, metadata_column(tokens->metadata, TABLE_METHOD_SPEC,
                                                                         TOKEN_ROW(token), METHOD_SPEC_METHOD));
    }
    struct bytes blob = blob_of(tokens, token);
    return bytes_left(&blob) && signature_method(blob, out) == CLEW_OK;
}

enum clew_error il_local_count(const struct il_tokens *tokens, uint32_t locals_token, uint32_t *out)
{
    *out = 0;
    if (locals_token == 0) {
        return CLEW_OK;
    }
    struct bytes types;
    return signature_locals(blob_of(tokens, locals_token), out, &types);
}

// An async body returns the result of its task: a value for a generic task, nothing for a plain one. Helpers in
// System.Private.CoreLib are async without returning a task; their bodies return the type in the signature.
static bool async_returns_value(const struct signature_method *signature)
{
    struct bytes type = signature->return_type;
    uint8_t element = 0;
    uint32_t modifier;
    while (bytes_u8(&type, &element) &&
           (element == ELEMENT_MODIFIER_REQUIRED || element == ELEMENT_MODIFIER_OPTIONAL)) {
        if (!bytes_compressed(&type, &modifier)) {
            break;
        }
    }
    return element != ELEMENT_CLASS && element != ELEMENT_VALUE_TYPE && signature->returns_value;
}

enum clew_error il_shape(const struct metadata *metadata, uint32_t method_token, struct il_method_shape *out)
{
    struct metadata_method method;
    struct signature_method signature;
    if (!metadata_method(metadata, method_token, &method)) {
        return CLEW_MALFORMED;
    }
    CLEW_TRY(signature_method(method.signature, &signature));
    *out = (struct il_method_shape){.returns_value = signature.returns_value,
                                    .argument_count = signature.parameter_count + signature.has_this,
                                    .local_count = UINT32_MAX};
    if (method.impl_flags & METHOD_ASYNC) {
        out->returns_value = async_returns_value(&signature);
    }
    return CLEW_OK;
}
