// Weaving at first compilation: the body is read, gets its probes, is verified and handed to the runtime, exactly once a
// method. On any doubt the original runs, and the reason is told.
#include "agent/rewrite/weaving.h"

#include "agent/loaded/in_scope.h"
#include "agent/loaded/listening.h"
#include "agent/loaded/methods.h"
#include "agent/loaded/modules.h"
#include "agent/rewrite/bodies.h"
#include "agent/rewrite/emitting.h"
#include "agent/rewrite/site_definitions.h"
#include "agent/session/agent.h"
#include "agent/session/locks.h"
#include "base/locked.h"
#include "il/verify.h"
#include "metadata/tables/signature.h"
#include "trace/instrument.h"

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
    struct il_tokens tokens = {&job->module->metadata, emitting_blob, job->module};
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
        return emitting_append_locals(job->module, &job->body, job->plan.locals, job->plan.local_count, first);
    }
    return weave_needs_local(&job->body)
               ? emitting_append_locals(job->module, &job->body, bytes_of(activation, sizeof activation), 1, first)
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
    CLEW_ASSERT_LOCKED(&job->module->lock);
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
        lock_take(&job->module->lock, LOCK_MODULE);
        error = weave(job, &woven);
        lock_release(&job->module->lock, LOCK_MODULE);
    }
    if (error == CLEW_OK) {
        job->reason = "the runtime refused its woven IL";
        error = body_hand_over(&(struct body_owner){job->module, job->function, job->token}, &job->body, &woven,
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
    if (dropped & (INSTRUMENT_STATEMENTS | INSTRUMENT_LINES)) {
        method_not_woven(job->module, job->token, "its calls alone are recorded: it is too large for more");
    } else if (dropped & INSTRUMENT_VALUES) {
        method_not_woven(job->module, job->token, "its values are not recorded: it is too large for them");
    } else if (dropped & INSTRUMENT_USES) {
        method_not_woven(job->module, job->token, "its uses are not recorded: it is too large for them");
    } else if (!job->lines) {
        method_not_woven(job->module, job->token, "stack traces may show lines before those that ran: it is too large");
    }
}

// Where sites do not go in, calls may.
static enum clew_error run_job(struct job *job)
{
    job->wants_sites = (job->instruments & INSTRUMENT_AT_SITES) != 0;
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
    lock_take(&module->lock, LOCK_MODULE);
    uint32_t instruments = scope_has(&agent.scope, agent.instruments, module, token);
    lock_release(&module->lock, LOCK_MODULE);
    return instruments;
}

// The module of a method, if clew may change methods of the module.
static struct module *weavable_module(clr_id function, uint32_t *token)
{
    struct module *module = module_of_function(function, token);
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
    job.module = weavable_module(function, &job.token);
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
    return !agent.all_code && weavable_module(function, &token) != NULL;
}

// A method that was never compiled itself is inlined with its original body, and its calls would be lost.
bool weaving_allows_inlining(clr_id callee)
{
    uint32_t token = 0;
    struct module *module = weavable_module(callee, &token);
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
