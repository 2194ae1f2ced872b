// Weaving at first compilation: the body is read, gets its probes, is verified and handed to the runtime, exactly once a
// method. On any doubt the original runs, and the reason is told.
#include "agent/agent.h"

#include <stdlib.h>
#include <string.h>
#include <uchar.h>

#include "il/verify.h"
#include "metadata/signature.h"

static const char16_t suppress_transition[] = u"System.Runtime.CompilerServices.CallConvSuppressGCTransition";

// -- Signatures -------------------------------------------------------------------------------------------------------
// What is made here is remembered, for the verifier: the metadata that the module came with does not have it.

static enum clew_error emit_blob(struct module *module, const struct buffer *blob, uint32_t *token)
{
    uint64_t place = (uint64_t)module->emitted_blobs.size << 24 | blob->size;
    if (blob->failed) {
        return CLEW_NO_MEMORY;
    }
    if (clr_failed(emit_signature(module->emit, blob->data, (uint32_t)blob->size, token))) {
        return CLEW_REFUSED;
    }
    buffer_append(&module->emitted_blobs, blob->data, blob->size);
    bool kept = !module->emitted_blobs.failed && map_put(&module->emitted, *token, place);
    return kept ? CLEW_OK : CLEW_NO_MEMORY;
}

static struct bytes emitted_blob(const void *context, uint32_t token)
{
    const struct module *module = context;
    uint64_t place;
    if (!map_get(&module->emitted, token, &place)) {
        return (struct bytes){0};
    }
    return bytes_of(module->emitted_blobs.data + (place >> 24), (size_t)(place & 0xFFFFFF));
}

// -- Once a module ----------------------------------------------------------------------------------------------------

static void append_modifier(struct buffer *blob, uint32_t modifier)
{
    uint32_t coded = TOKEN_ROW(modifier) << 2 | 1; // TypeDefOrRef: TypeRef
    buffer_u8(blob, ELEMENT_MODIFIER_OPTIONAL);
    buffer_compressed(blob, coded);
}

// An unmanaged signature `result (parameter)`, where parameter 0 means none and modifier 0 a call with GC transition. The
// modifier's type is known by its name alone (callconvbuilder.cpp) where the call is made in line.
static bool make_signature(struct module *module, uint32_t modifier, uint8_t result, uint8_t parameter, uint32_t *token)
{
    struct buffer blob = {0};
    buffer_u8(&blob, SIGNATURE_UNMANAGED);
    buffer_u8(&blob, parameter != 0);
    if (modifier) {
        append_modifier(&blob, modifier);
    }
    buffer_u8(&blob, result);
    if (parameter) {
        buffer_u8(&blob, parameter);
    }
    bool made = emit_blob(module, &blob, token) == CLEW_OK;
    buffer_free(&blob);
    return made;
}

// A reference to an assembly that has or forwards the modifier: where a call goes through a stub, the type is resolved.
// System.Runtime does since .NET 5; netstandard and the older facades do not, so that such modules get a reference more.
static bool modifier_scope(const struct module *module, uint32_t *scope)
{
    enum { MAJOR = 0, NAME = 6, FIRST_MAJOR = 5 };
    const struct metadata *metadata = &module->metadata;
    for (uint32_t row = 1; row <= metadata_rows(metadata, TABLE_ASSEMBLY_REF); row++) {
        struct text name = metadata_string(metadata, metadata_column(metadata, TABLE_ASSEMBLY_REF, row, NAME));
        bool runtime = text_equal(name, text_of("System.Runtime")) &&
                       metadata_column(metadata, TABLE_ASSEMBLY_REF, row, MAJOR) >= FIRST_MAJOR;
        if (runtime || text_equal(name, text_of("System.Private.CoreLib"))) {
            *scope = TOKEN(TABLE_ASSEMBLY_REF, row);
            return true;
        }
    }
    return !clr_failed(emit_core_reference(module->emit, scope));
}

bool weaving_prepare(struct module *module)
{
    uint32_t scope, modifier;
    if (clr_failed(info_get_module_emit(agent.info, module->id, &module->emit)) || !module->emit) {
        module->emit = NULL;
        return false;
    }
    struct weave_signatures *signatures = &module->signatures;
    if (!modifier_scope(module, &scope) ||
        clr_failed(emit_type_ref(module->emit, scope, (const clr_char *)suppress_transition, &modifier)) ||
        !make_signature(module, modifier, ELEMENT_VOID, ELEMENT_I4, &signatures->number) ||
        !make_signature(module, modifier, ELEMENT_U1, ELEMENT_I4, &signatures->question) ||
        !make_signature(module, 0, ELEMENT_VOID, 0, &signatures->wait) ||
        !make_signature(module, modifier, ELEMENT_I, ELEMENT_I4, &signatures->keep) ||
        !make_signature(module, modifier, ELEMENT_VOID, ELEMENT_I, &signatures->activation)) {
        module->emit = NULL;
        return false;
    }
    return true;
}

// -- Local signatures -------------------------------------------------------------------------------------------------

static bool same_blob(const struct module *module, uint32_t token, const struct buffer *blob)
{
    struct bytes stored = emitted_blob(module, token);
    return bytes_left(&stored) == blob->size && memcmp(stored.at, blob->data, blob->size) == 0;
}

// The token of a local signature, made once for equal ones: the runtime looks through all of its signatures each time.
static enum clew_error local_token(struct module *module, const struct buffer *blob, uint32_t *token)
{
    uint64_t hash = map_hash_text(blob->data, blob->size);
    uint64_t known;
    if (map_get(&module->local_tokens, hash, &known) && same_blob(module, (uint32_t)known, blob)) {
        *token = (uint32_t)known;
        return CLEW_OK;
    }
    CLEW_TRY(emit_blob(module, blob, token));
    return map_put(&module->local_tokens, hash, *token) ? CLEW_OK : CLEW_NO_MEMORY;
}

static enum clew_error append_local(struct module *module, struct il_body *body, uint32_t *index)
{
    struct bytes original = {0};
    if (body->locals_token) {
        uint32_t blob = metadata_column(&module->metadata, TABLE_STAND_ALONE_SIG, TOKEN_ROW(body->locals_token), 0);
        original = metadata_blob(&module->metadata, blob);
        if (bytes_left(&original) == 0) {
            return CLEW_MALFORMED;
        }
    }
    static const uint8_t activation[] = {ELEMENT_I};
    struct buffer blob = {0};
    enum clew_error error = weave_append_locals(original, bytes_of(activation, sizeof activation), 1, &blob, index);
    if (error == CLEW_OK) {
        error = local_token(module, &blob, &body->locals_token);
    }
    buffer_free(&blob);
    return error;
}

// -- Once a method ----------------------------------------------------------------------------------------------------

struct job {
    struct module *module;
    clr_id function;
    uint32_t token;
    uint32_t instruments; // whose scope has it
    uint32_t number;      // marked
    struct il_body body;
    const char *reason; // why not, when it fails
};

static enum clew_error read_body(struct job *job, struct arena *arena)
{
    const uint8_t *header;
    uint32_t size;
    if (clr_failed(info_get_il(agent.info, job->module->id, job->token, &header, &size))) {
        job->reason = "the runtime has no IL for it";
        return CLEW_REFUSED;
    }
    enum clew_error error = il_decode(bytes_of(header, size), arena, &job->body);
    job->reason = error == CLEW_OK ? NULL : "its IL is not understood";
    return error;
}

static enum clew_error check(struct job *job)
{
    struct il_tokens tokens = {&job->module->metadata, emitted_blob, job->module};
    struct il_method_shape shape;
    CLEW_TRY(il_shape(&job->module->metadata, job->token, &shape));
    CLEW_TRY(il_local_count(&tokens, job->body.locals_token, &shape.local_count));
    return il_verify(&job->body, &shape, &tokens, &job->reason);
}

// The caller holds the module's lock: names and local signatures are made here.
static enum clew_error weave(struct job *job, struct buffer *woven)
{
    struct module *module = job->module;
    struct weave_calls what = {&agent.targets, &module->signatures, 0, job->token, 0};
    if (weave_needs_local(&job->body)) {
        job->reason = "its local variables cannot be added to";
        CLEW_TRY(append_local(module, &job->body, &what.local));
    }
    uint32_t number = method_define(module, job->token);
    job->reason = "memory ran out";
    if (!number) {
        return CLEW_NO_MEMORY;
    }
    job->number = what.method = method_marked(number, job->instruments);
    CLEW_TRY(weave_calls(&job->body, &what));
    job->reason = "its woven IL could not be encoded";
    CLEW_TRY(il_encode(&job->body, woven));
    job->reason = "its woven IL does not pass the verifier";
    return check(job);
}

static enum clew_error run_job(struct job *job)
{
    struct arena arena = {0};
    struct buffer woven = {0};
    enum clew_error error = read_body(job, &arena);
    if (error == CLEW_OK) {
        (void)pthread_mutex_lock(&job->module->lock);
        error = weave(job, &woven);
        (void)pthread_mutex_unlock(&job->module->lock);
    }
    if (error == CLEW_OK) {
        job->reason = "the runtime refused its woven IL";
        error = body_hand_over(&(struct body_owner){job->module->id, job->function, job->token}, &job->body, &woven);
    }
    buffer_free(&woven);
    arena_free(&arena);
    return error;
}

static uint32_t in_scope(struct module *module, uint32_t token)
{
    (void)pthread_mutex_lock(&module->lock);
    uint32_t instruments = scope_has(&agent.scope, agent.instruments, module, token);
    (void)pthread_mutex_unlock(&module->lock);
    return instruments;
}

static struct module *module_of(clr_id function, uint32_t *token)
{
    clr_id type, id;
    if (clr_failed(info_get_function(agent.info, function, &type, &id, token))) {
        return NULL;
    }
    struct module *module = module_find(id);
    return module && module->emit ? module : NULL;
}

void weaving_compile(clr_id function)
{
    struct job job = {.function = function};
    job.module = module_of(function, &job.token);
    if (!job.module || atomic_load_explicit(&agent.stopped, memory_order_relaxed) ||
        !method_take(job.module, job.token)) {
        return;
    }
    uint32_t state = METHOD_LEFT;
    job.instruments = in_scope(job.module, job.token);
    if (job.instruments) {
        if (run_job(&job) == CLEW_OK) {
            state = job.number;
        } else {
            method_not_woven(job.module, job.token,
                             job.reason ? job.reason : "its woven IL does not pass the verifier");
        }
    }
    method_decided(job.module, job.token, state);
}

// A module in scope runs none of its precompiled code: methods out of scope may have inlined ones in scope.
bool weaving_refuses_precompiled(clr_id function)
{
    uint32_t token;
    return !agent.all_code && module_of(function, &token) != NULL;
}

// A method that was never compiled itself is inlined with its original body, and its calls would be lost.
bool weaving_allows_inlining(clr_id callee)
{
    uint32_t token = 0;
    struct module *module = module_of(callee, &token);
    uint32_t row = TOKEN_ROW(token);
    if (!module || row < 1 || row > module->method_count) {
        return true;
    }
    uint32_t state = atomic_load_explicit(&module->methods[row - 1], memory_order_acquire);
    if (state == METHOD_NEW && !in_scope(module, token)) {
        state = METHOD_LEFT; // for good: the JIT asks at every call, and names take their time
        if (method_take(module, token)) {
            method_decided(module, token, state);
        }
    }
    return state >= METHOD_LEFT;
}
