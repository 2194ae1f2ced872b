// Weaving at first compilation: the body is read, gets its probes, is verified and handed to the runtime, exactly once a
// method. On any doubt the original runs, and the reason is told.
#include "agent/agent.h"

#include <stdlib.h>
#include <string.h>
#include <uchar.h>

#include "il/verify.h"
#include "metadata/signature.h"
#include "ring/instrument.h"

static const char16_t suppress_transition[] = u"System.Runtime.CompilerServices.CallConvSuppressGCTransition";

// -- Signatures -------------------------------------------------------------------------------------------------------
// What is made here is remembered, for the verifier: the metadata that the module came with does not have it.

typedef clr_result emitter(void *emit, const void *blob, uint32_t size, uint32_t *token);

static enum clew_error emit_blob(struct module *module, emitter *emit, struct bytes blob, uint32_t *token)
{
    size_t size = bytes_left(&blob);
    uint64_t place = (uint64_t)module->emitted_blobs.size << 24 | size;
    if (clr_failed(emit(module->emit, blob.at, (uint32_t)size, token))) {
        return CLEW_REFUSED;
    }
    buffer_append(&module->emitted_blobs, blob.at, size);
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

// An unmanaged signature `result (parameters)`; modifier 0 stands for a call with GC transition. The modifier's type is
// known by its name alone (callconvbuilder.cpp) where the call is made in line.
static bool make_signature(struct module *module, uint32_t modifier, uint8_t result, const char *parameters,
                           uint32_t *token)
{
    struct buffer blob = {0};
    buffer_u8(&blob, SIGNATURE_UNMANAGED);
    buffer_u8(&blob, (uint8_t)strlen(parameters));
    if (modifier) {
        append_modifier(&blob, modifier);
    }
    buffer_u8(&blob, result);
    buffer_text(&blob, parameters);
    bool made = !blob.failed && emit_blob(module, emit_signature, bytes_of(blob.data, blob.size), token) == CLEW_OK;
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

// Elements as a text: BOOLEAN is \x02, I4 is \b, I is \x18. The runtime has to convert a BOOLEAN, so the JIT calls `wait`
// through a stub. In line, a call with GC transition costs every frame of the method 120 bytes and five saved registers.
// (Modules with DisableRuntimeMarshallingAttribute convert nothing: there the call is in line.)
static bool make_signatures(struct module *module, uint32_t modifier, bool for_sites)
{
    struct weave_signatures *made = &module->signatures;
    bool calls = make_signature(module, modifier, ELEMENT_VOID, "\x08", &made->number) &&
                 make_signature(module, modifier, ELEMENT_U1, "\x08", &made->question) &&
                 make_signature(module, 0, ELEMENT_VOID, "\x02", &made->wait) &&
                 make_signature(module, modifier, ELEMENT_I, "\x08", &made->keep) &&
                 make_signature(module, modifier, ELEMENT_VOID, "\x18", &made->activation);
    return calls &&
           (!for_sites || (make_signature(module, modifier, ELEMENT_I, "\x08\x18", &made->begin) &&
                           make_signature(module, modifier, ELEMENT_U1, "\x18", &made->room) &&
                           make_signature(module, modifier, ELEMENT_VOID, "\x18\x08\x18\x08\x18", &made->site) &&
                           make_signature(module, modifier, ELEMENT_VOID, "\x18\x08\x18\x08\x18\x08", &made->typed) &&
                           make_signature(module, modifier, ELEMENT_I4, "\x18\x08\x08\x08", &made->item)));
}

bool weaving_prepare(struct module *module, bool for_sites)
{
    uint32_t scope, modifier;
    if (clr_failed(info_get_module_emit(agent.info, module->id, &module->emit)) || !module->emit) {
        module->emit = NULL;
        return false;
    }
    if (!modifier_scope(module, &scope) ||
        clr_failed(emit_type_ref(module->emit, scope, (const clr_char *)suppress_transition, &modifier)) ||
        !make_signatures(module, modifier, for_sites)) {
        module->emit = NULL;
        return false;
    }
    return true;
}

// -- Made once for equal ones -----------------------------------------------------------------------------------------
// The runtime looks through all that there are each time.

static bool same_blob(struct bytes a, struct bytes b)
{
    return bytes_left(&a) == bytes_left(&b) && memcmp(a.at, b.at, bytes_left(&a)) == 0;
}

static struct bytes blob_of(const struct module *module, uint32_t token)
{
    enum metadata_table table = (enum metadata_table)TOKEN_TABLE(token);
    bool original = TOKEN_ROW(token) <= metadata_rows(&module->metadata, table);
    return original ? metadata_blob(&module->metadata, metadata_column(&module->metadata, table, TOKEN_ROW(token), 0))
                    : emitted_blob(module, token);
}

// The token of a blob, from `made` or emitted.
static enum clew_error token_of(struct module *module, struct map *made, emitter *emit, struct bytes blob,
                                uint32_t *token)
{
    uint64_t hash = map_hash_text(blob.at, bytes_left(&blob));
    uint64_t known;
    if (map_get(made, hash, &known) && same_blob(blob_of(module, (uint32_t)known), blob)) {
        *token = (uint32_t)known;
        return CLEW_OK;
    }
    CLEW_TRY(emit_blob(module, emit, blob, token));
    return map_put(made, hash, *token) ? CLEW_OK : CLEW_NO_MEMORY;
}

static enum clew_error append_locals(struct module *module, struct il_body *body, struct bytes types, uint32_t count,
                                     uint32_t *first)
{
    struct bytes original = {0};
    if (body->locals_token) {
        uint32_t blob = metadata_column(&module->metadata, TABLE_STAND_ALONE_SIG, TOKEN_ROW(body->locals_token), 0);
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

static void know_type_specs(struct module *module)
{
    const struct metadata *metadata = &module->metadata;
    for (uint32_t row = 1; row <= metadata_rows(metadata, TABLE_TYPE_SPEC); row++) {
        struct bytes blob = metadata_blob(metadata, metadata_column(metadata, TABLE_TYPE_SPEC, row, 0));
        uint64_t hash = map_hash_text(blob.at, bytes_left(&blob));
        (void)map_put(&module->type_tokens, hash, TOKEN(TABLE_TYPE_SPEC, row)); // unknown: it is made again
    }
}

bool weaving_type_token(struct module *module, struct bytes signature, uint32_t *token)
{
    if (!module->type_tokens.count) {
        know_type_specs(module);
    }
    return token_of(module, &module->type_tokens, emit_type_spec, signature, token) == CLEW_OK;
}

// -- Once a method ----------------------------------------------------------------------------------------------------

struct job {
    struct module *module;
    clr_id function;
    uint32_t token;
    uint32_t instruments; // whose scope has it
    uint32_t number;      // clew's, once it is defined
    struct il_body body;
    bool wants_sites, has_sites;
    bool has_plan; // because of its sites, or of its many exits
    struct weave_plan plan;
    bool lines;         // stack traces show the right ones
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

// Locals for the sites, or for the activation alone.
static enum clew_error add_locals(struct job *job, uint32_t *first)
{
    static const uint8_t activation[] = {ELEMENT_I};
    job->reason = "its local variables cannot be added to";
    if (job->has_plan) {
        return append_locals(job->module, &job->body, job->plan.locals, job->plan.local_count, first);
    }
    return weave_needs_local(&job->body)
               ? append_locals(job->module, &job->body, bytes_of(activation, sizeof activation), 1, first)
               : CLEW_OK;
}

static enum clew_error insert_probes(struct job *job)
{
    struct weave_calls calls = {&agent.targets, &job->module->signatures, 0, job->token, 0};
    CLEW_TRY(add_locals(job, &calls.local));
    job->number = job->number ? job->number : method_define(job->module, job->token);
    job->reason = "memory ran out";
    if (!job->number) {
        return CLEW_NO_MEMORY;
    }
    calls.method = method_marked(job->number, job->instruments);
    struct weave_sites sites = {.calls = calls};
    if (job->has_sites) {
        sites.first_site = sites_define(job->module, job->number, &job->plan);
        job->reason = "its statements and values could not be defined";
        CLEW_TRY(sites.first_site ? CLEW_OK : CLEW_UNSUPPORTED);
    }
    enum clew_error error =
        job->has_plan ? weave_sites(&job->body, &job->plan, &sites) : weave_calls(&job->body, &calls);
    job->reason = error == CLEW_UNSUPPORTED ? "its IL ends in a prefix" : "memory ran out";
    return error;
}

// Unoptimised code takes a stack slot for the result at each exit that is recorded, unless it is put aside. That needs a
// local signature, which the runtime looks for among all that it has, so a few exits go without.
static bool plan_exits(struct job *job)
{
    enum { FEW = 4 };
    const struct weave_method method = {.metadata = &job->module->metadata, .token = job->token};
    uint32_t exits = 0;
    for (const struct il_instruction *at = job->body.first; at != job->body.end; at = at->next) {
        exits += at->opcode == IL_RET;
    }
    return exits > FEW && weave_plan(&job->body, &method, &job->plan) == CLEW_OK &&
           job->plan.local_count > weave_needs_local(&job->body);
}

// The caller holds the module's lock: names and signatures are made here.
static enum clew_error weave(struct job *job, struct buffer *woven)
{
    job->has_sites = job->wants_sites && sites_plan(job->module, job->token, job->instruments, &job->body, &job->plan);
    job->has_plan = job->has_sites || plan_exits(job);
    CLEW_TRY(insert_probes(job));
    job->reason = "its woven IL could not be encoded";
    CLEW_TRY(il_encode(&job->body, woven));
    job->reason = "its woven IL does not pass the verifier";
    return check(job);
}

static enum clew_error try_job(struct job *job)
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
        error = body_hand_over(&(struct body_owner){job->module->id, job->function, job->token}, &job->body, &woven,
                               &job->lines);
    }
    buffer_free(&woven);
    arena_free(&arena);
    return error;
}

// What is left out of or wrong with a method that is woven all the same. A method has one reason.
static void tell_dropped(const struct job *job)
{
    uint32_t dropped = job->plan.dropped;
    if (dropped & (WEAVE_STATEMENTS | WEAVE_LINES)) {
        method_not_woven(job->module, job->token, "its calls alone are recorded: it is too large for more");
    } else if (dropped & WEAVE_VALUES) {
        method_not_woven(job->module, job->token, "its values are not recorded: it is too large for them");
    } else if (dropped & WEAVE_USES) {
        method_not_woven(job->module, job->token, "its uses are not recorded: it is too large for them");
    } else if (!job->lines) {
        method_not_woven(job->module, job->token, "stack traces may show lines before those that ran: it is too large");
    }
}

// Where sites do not go in, calls may.
static enum clew_error run_job(struct job *job)
{
    job->wants_sites = (job->instruments & RING_AT_SITES) != 0;
    enum clew_error error = try_job(job);
    if (error == CLEW_OK) {
        tell_dropped(job);
        return CLEW_OK;
    }
    if (!job->has_sites) {
        return error;
    }
    const char *reason = job->reason;
    job->wants_sites = false;
    CLEW_TRY(try_job(job));
    job->plan.dropped = 0;
    tell_dropped(job);
    method_not_woven(job->module, job->token, reason);
    return CLEW_OK;
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

// The methods that were woven last. The JIT reads a method's body before it asks whether it may put it in line, so the
// body of one that was woven while the caller was being compiled may be the original.
enum { RECENT = 256 };
static _Atomic uint64_t recent[RECENT], recent_count; // module's number << 32 | token

// The thread's outermost compilation: one may run code, such as a handler that resolves assemblies, that is compiled in
// its turn. One that the runtime gives up never finishes: it is over once another begins no deeper in the stack. After the
// end `woven` stays, and allows less than could be.
static __thread struct {
    uintptr_t frame; // where it stands in the stack; 0: none runs
    clr_id function;
    uint64_t woven; // recent_count when it began
} compilation __attribute__((tls_model("initial-exec")));

static uint64_t recent_key(const struct module *module, uint32_t token)
{
    return (uint64_t)module->number << 32 | token;
}

// Before others can see that it is woven.
static void add_recent(const struct module *module, uint32_t token)
{
    uint64_t index = atomic_fetch_add_explicit(&recent_count, 1, memory_order_acq_rel);
    atomic_store_explicit(&recent[index % RECENT], recent_key(module, token), memory_order_release);
}

static bool woven_meanwhile(const struct module *module, uint32_t token)
{
    uint64_t end = atomic_load_explicit(&recent_count, memory_order_acquire);
    for (uint64_t i = compilation.woven; i < end && end - compilation.woven <= RECENT; i++) {
        if (atomic_load_explicit(&recent[i % RECENT], memory_order_acquire) == recent_key(module, token)) {
            return true;
        }
    }
    return atomic_load_explicit(&recent_count, memory_order_acquire) - compilation.woven > RECENT;
}

static void weave_once(clr_id function)
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
            state = method_marked(job.number, job.instruments);
            add_recent(job.module, job.token);
        } else {
            method_not_woven(job.module, job.token,
                             job.reason ? job.reason : "its woven IL does not pass the verifier");
        }
    }
    method_decided(job.module, job.token, state);
}

void weaving_compile(clr_id function)
{
    weave_once(function);
    weaving_compilation_begins(function);
}

void weaving_compilation_begins(clr_id function)
{
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0); // stacks grow down
    if (!compilation.frame || frame >= compilation.frame) {
        compilation.frame = frame;
        compilation.function = function;
        compilation.woven = atomic_load_explicit(&recent_count, memory_order_acquire);
    }
}

void weaving_compilation_ends(clr_id function)
{
    if (compilation.function == function) {
        compilation.frame = 0;
    }
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
    bool becomes_part = state > METHOD_LEFT && !woven_meanwhile(module, token);
    if (becomes_part) {
        listening_inlined();
    }
    return state == METHOD_LEFT || becomes_part;
}
