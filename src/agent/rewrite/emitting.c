// Adds signatures and tokens to a module's metadata by IMetaDataEmit.
#include "agent/rewrite/emitting.h"

#include <string.h>
#include <uchar.h>

#include "agent/loaded/modules.h"
#include "agent/session/agent.h"
#include "base/assert.h"
#include "base/locked.h"
#include "metadata/tables/signature.h"
#include "weave/weave.h"

static const char16_t cancelled_exception[] = u"System.OperationCanceledException";
static const char16_t suppress_transition[] = u"System.Runtime.CompilerServices.CallConvSuppressGCTransition";

// -- Signatures -------------------------------------------------------------------------------------------------------
// Each added blob is remembered for the verifier, which reads the metadata that the module came with.

typedef clr_result emitter(void *emit, const void *blob, uint32_t size, uint32_t *token);

static enum clew_error emit_blob(struct module *module, emitter *emit, struct bytes blob, uint32_t *token)
{
    size_t size = bytes_left(&blob);
    uint64_t position = (uint64_t)module->emitted_blobs.size << 24 | size;
    CLEW_ASSERT(size < 1 << 24 && "the size has 24 bits of the position");
    if (clr_failed(emit(module->emit, blob.at, (uint32_t)size, token))) {
        return CLEW_REFUSED;
    }
    buffer_append(&module->emitted_blobs, blob.at, size);
    bool noted = !module->emitted_blobs.failed && map_put(&module->emitted, *token, position);
    return noted ? CLEW_OK : CLEW_NO_MEMORY;
}

struct bytes emitting_blob(const void *context, uint32_t token)
{
    const struct module *module = context;
    uint64_t position;
    if (!map_get(&module->emitted, token, &position)) {
        return (struct bytes){0};
    }
    CLEW_ASSERT((position >> 24) + (position & 0xFFFFFF) <= module->emitted_blobs.size);
    return bytes_of(module->emitted_blobs.data + (position >> 24), (size_t)(position & 0xFFFFFF));
}

// -- Once a module ----------------------------------------------------------------------------------------------------

static void append_modifier(struct buffer *blob, uint32_t modifier)
{
    uint32_t coded = TOKEN_ROW(modifier) << 2 | 1; // TypeDefOrRef: TypeRef
    buffer_u8(blob, ELEMENT_MODIFIER_OPTIONAL);
    buffer_compressed(blob, coded);
}

// Adds an unmanaged signature `result (parameters)`. The modifier CallConvSuppressGCTransition makes it a call without GC
// transition; 0: with one. The JIT recognises the modifier's type by name (callconvbuilder.cpp) where it inlines the call.
static bool make_signature(struct module *module, uint32_t modifier, uint8_t result, const char *parameters,
                           uint32_t *token)
{
    struct buffer blob = {0};
    CLEW_ASSERT(strlen(parameters) < 0x80 && "counts below 0x80 are one byte (ECMA-335 II.23.2)");
    buffer_u8(&blob, SIGNATURE_UNMANAGED);
    buffer_u8(&blob, (uint8_t)strlen(parameters));
    if (modifier) {
        append_modifier(&blob, modifier);
    }
    buffer_u8(&blob, result);
    buffer_text(&blob, parameters);
    bool added = !blob.failed && emit_blob(module, emit_signature, bytes_of(blob.data, blob.size), token) == CLEW_OK;
    buffer_free(&blob);
    return added;
}

// Finds a reference to an assembly that defines or forwards the modifier: where a call goes through a stub, the runtime
// resolves the type. System.Runtime forwards it since .NET 5. netstandard and older facades do not, so a module that
// references only those gets a reference to the core library.
static bool modifier_scope(const struct module *module, uint32_t *scope)
{
    enum { FIRST_MAJOR = 5 };
    const struct metadata *metadata = &module->metadata;
    for (uint32_t row = 1; row <= metadata_rows(metadata, TABLE_ASSEMBLY_REF); row++) {
        struct text name =
            metadata_string(metadata, metadata_column(metadata, TABLE_ASSEMBLY_REF, row, ASSEMBLY_REF_NAME));
        bool runtime = text_equal(name, text_of("System.Runtime")) &&
                       metadata_column(metadata, TABLE_ASSEMBLY_REF, row, ASSEMBLY_REF_MAJOR) >= FIRST_MAJOR;
        if (runtime || text_equal(name, text_of(CLR_CORE_LIBRARY))) {
            *scope = TOKEN(TABLE_ASSEMBLY_REF, row);
            return true;
        }
    }
    return !clr_failed(emit_core_reference(module->emit, scope));
}

// Parameters are enum element bytes in a string: BOOLEAN is \x02, I4 is \x08, I is \x18.
//
// `wait` takes a BOOLEAN that it ignores. The runtime has to marshal a BOOLEAN, so the JIT calls `wait` through a stub; an
// inlined call with GC transition would cost every frame of the method 120 bytes and five saved registers. (A module with
// DisableRuntimeMarshallingAttribute marshals nothing, so there the call is inlined.)
static bool make_signatures(struct module *module, uint32_t modifier, bool for_sites)
{
    struct weave_signatures *tokens = &module->signatures;
    bool calls = make_signature(module, modifier, ELEMENT_VOID, "\x08", &tokens->number) &&
                 make_signature(module, modifier, ELEMENT_U1, "\x08", &tokens->query) &&
                 make_signature(module, 0, ELEMENT_VOID, "\x02", &tokens->wait) &&
                 make_signature(module, modifier, ELEMENT_I, "\x08", &tokens->address) &&
                 make_signature(module, modifier, ELEMENT_VOID, "\x18", &tokens->activation) &&
                 make_signature(module, modifier, ELEMENT_U1, "\x18", &tokens->room);
    bool runs = make_signature(module, modifier, ELEMENT_I, "\x08\x08\x08", &tokens->run) &&
                make_signature(module, modifier, ELEMENT_I4, "\x08\x18\x08", &tokens->state) &&
                make_signature(module, modifier, ELEMENT_VOID, "\x08\x18", &tokens->completion) &&
                make_signature(module, modifier, ELEMENT_I, "\x08\x18", &tokens->begin) &&
                make_signature(module, modifier, ELEMENT_I, "\x08\x18\x18", &tokens->resumption);
    return calls && runs &&
           (!for_sites || (make_signature(module, modifier, ELEMENT_VOID, "\x18\x08\x18\x08\x18", &tokens->site) &&
                           make_signature(module, modifier, ELEMENT_VOID, "\x18\x08\x18\x08\x18\x08", &tokens->typed) &&
                           make_signature(module, modifier, ELEMENT_VOID, "\x18\x18\x08\x08", &tokens->item)));
}

bool emitting_prepare(struct module *module, bool for_sites)
{
    uint32_t scope, modifier;
    if (clr_failed(info_get_module_emit(agent.info, module->id, &module->emit)) || !module->emit) {
        module->emit = NULL;
        return false;
    }
    if (!modifier_scope(module, &scope) ||
        clr_failed(emit_type_ref(module->emit, scope, (const clr_char *)suppress_transition, &modifier)) ||
        clr_failed(emit_type_ref(module->emit, scope, (const clr_char *)cancelled_exception, &module->cancelled)) ||
        !make_signatures(module, modifier, for_sites)) {
        emitting_end(module);
        return false;
    }
    return true;
}

void emitting_end(struct module *module)
{
    if (module->emit) {
        clr_release(module->emit);
        module->emit = NULL;
    }
    map_free(&module->emitted);
    buffer_free(&module->emitted_blobs);
    map_free(&module->local_tokens);
    map_free(&module->type_tokens);
}

// -- Tokens by signature ----------------------------------------------------------------------------------------------
// GetTokenFromSig searches all signatures of the module for an equal one, which is quadratic over a module (1.9 s for 43,000
// methods). An index of our own asks the runtime only for signatures that are new.

static bool same_blob(struct bytes a, struct bytes b)
{
    return bytes_left(&a) == bytes_left(&b) && memcmp(a.at, b.at, bytes_left(&a)) == 0;
}

static struct bytes blob_of(const struct module *module, uint32_t token)
{
    enum metadata_table table = (enum metadata_table)TOKEN_TABLE(token);
    bool original = TOKEN_ROW(token) <= metadata_rows(&module->metadata, table);
    return original ? metadata_blob(&module->metadata, metadata_column(&module->metadata, table, TOKEN_ROW(token),
                                                                       STAND_ALONE_SIG_SIGNATURE))
                    : emitting_blob(module, token);
}

// The token of a blob: from the index `index`, or added. Different blobs with one hash are added each time.
static enum clew_error token_of(struct module *module, struct map *index, emitter *emit, struct bytes blob,
                                uint32_t *token)
{
    uint64_t hash = map_hash_text(blob.at, bytes_left(&blob));
    uint64_t known;
    if (map_get(index, hash, &known) && same_blob(blob_of(module, (uint32_t)known), blob)) {
        *token = (uint32_t)known;
        return CLEW_OK;
    }
    CLEW_TRY(emit_blob(module, emit, blob, token));
    return map_put(index, hash, *token) ? CLEW_OK : CLEW_NO_MEMORY;
}

enum clew_error emitting_append_locals(struct module *module, struct il_body *body, struct bytes types, uint32_t count,
                                       uint32_t *first)
{
    struct bytes original = {0};
    CLEW_ASSERT_LOCKED(&module->lock);
    if (body->locals_token) {
        uint32_t blob = metadata_column(&module->metadata, TABLE_STAND_ALONE_SIG, TOKEN_ROW(body->locals_token),
                                        STAND_ALONE_SIG_SIGNATURE);
        original = metadata_blob(&module->metadata, blob);
        if (bytes_left(&original) == 0) {
            return CLEW_MALFORMED;
        }
    }
    struct buffer blob = {0};
    enum clew_error error = weave_append_locals(original, types, count, &blob, first);
    if (error == CLEW_OK) {
        error = token_of(module, &module->local_tokens, emit_signature, bytes_of(blob.data, blob.size),
                         &body->locals_token);
    }
    buffer_free(&blob);
    return error;
}

static void index_type_specs(struct module *module)
{
    const struct metadata *metadata = &module->metadata;
    for (uint32_t row = 1; row <= metadata_rows(metadata, TABLE_TYPE_SPEC); row++) {
        struct bytes blob =
            metadata_blob(metadata, metadata_column(metadata, TABLE_TYPE_SPEC, row, TYPE_SPEC_SIGNATURE));
        uint64_t hash = map_hash_text(blob.at, bytes_left(&blob));
        (void)map_put(&module->type_tokens, hash, TOKEN(TABLE_TYPE_SPEC, row)); // without memory an equal one is added
    }
}

bool emitting_type_token(struct module *module, struct bytes signature, uint32_t *token)
{
    CLEW_ASSERT_LOCKED(&module->lock);
    if (!module->type_tokens.count) {
        index_type_specs(module);
    }
    return token_of(module, &module->type_tokens, emit_type_spec, signature, token) == CLEW_OK;
}
