// Weaves a method at its first compilation: reads its body, plans and inserts probes, verifies the result and hands it to the
// runtime, exactly once for each method. If any step fails, the original body runs and the reason is reported.
#include "agent/rewrite/weaving.h"

#include "agent/loaded/in_scope.h"
#include "agent/loaded/methods.h"
#include "agent/loaded/modules.h"
#include "agent/rewrite/async_bodies.h"
#include "agent/rewrite/bodies.h"
#include "agent/rewrite/emitting.h"
#include "agent/rewrite/site_definitions.h"
#include "agent/rewrite/started.h"
#include "agent/session/agent.h"
#include "agent/session/locks.h"
#include "base/locked.h"
#include "il/verify.h"
#include "metadata/tables/signature.h"
#include "trace/instrument.h"
#include "weave/operations/original.h"

struct job {
    struct module *module;
    clr_id function;
    uint32_t token;
    uint32_t instruments;  // that have the method in their scope
    uint32_t number;       // clew's number of the method; 0: not defined yet
    struct bytes original; // the bytes of its body, from which `body` was decoded
    struct il_body body;
    bool counts; // its calls are counted, and nothing else
    bool wants_sites, has_sites;
    struct weave_plan plan;
    struct async_body async; // without points: the method is none
    bool lines;              // stack traces show the lines that ran
    const char *reason;      // of a failure, for the report
};

static enum clew_error read_body(struct job *job, struct arena *arena)
{
    const uint8_t *header;
    uint32_t size;
    if (clr_failed(info_get_il(agent.info, job->module->id, job->token, &header, &size))) {
        job->reason = "the runtime has no IL for it";
        return CLEW_REFUSED;
    }
    job->original = bytes_of(header, size);
    enum clew_error error = il_decode(job->original, arena, &job->body);
    job->reason = error == CLEW_OK ? NULL : "clew does not understand its IL";
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

static enum clew_error add_locals(struct job *job, uint32_t *first)
{
    job->reason = "no local variable can be added to it";
    return job->plan.local_count
               ? emitting_append_locals(job->module, &job->body, job->plan.locals, job->plan.local_count, first)
               : CLEW_OK;
}

// The number by which probes know the method.
static uint32_t marked_number(const struct job *job)
{
    return method_marked(job->number, job->instruments) | (job->plan.runs.count ? RING_METHOD_RUNS : 0);
}

// A body whose runs are not linked is woven like any other, except for one that the JIT suspends.
static enum clew_error define_runs(struct job *job)
{
    job->reason = "too many methods are recorded";
    if (job->async.runs.count &&
        async_body_define(job->module, &job->async, method_marked(job->number, job->instruments) | RING_METHOD_RUNS)) {
        job->plan.runs = job->async.runs;
    } else if (weave_is_suspended(&job->async.runs)) {
        return CLEW_UNSUPPORTED;
    }
    return CLEW_OK;
}

static enum clew_error insert_probes(struct job *job)
{
    struct weave_binding binding = {
        .targets = &agent.targets, .signatures = &job->module->signatures, .token = job->token};
    CLEW_TRY(add_locals(job, &binding.local));
    job->number = job->number ? job->number : method_define(job->module, job->token);
    job->reason = "memory ran out";
    if (!job->number) {
        return CLEW_NO_MEMORY;
    }
    started_note(job->module, &job->body, job->token, job->number);
    CLEW_TRY(define_runs(job));
    binding.method = marked_number(job);
    if (job->has_sites) {
        binding.first_site = sites_define(job->module, job->number, &job->plan);
        job->reason = "its statements and values could not be defined";
        CLEW_TRY(binding.first_site ? CLEW_OK : CLEW_UNSUPPORTED);
    }
    enum clew_error error = weave(&job->body, &job->plan, &binding);
    job->reason = error == CLEW_UNSUPPORTED ? "its IL ends in a prefix" : "memory ran out";
    return error;
}

// Unoptimised code takes a stack slot for the result at each recorded exit, unless the result is spilled to one local. The
// local needs a signature, which the runtime compares with all signatures that the module has, so a method with few exits
// does without.
static bool plan_exits(struct job *job)
{
    enum { FEW = 4 };
    const struct weave_method method = {
        .metadata = &job->module->metadata, .token = job->token, .runs = &job->async.runs};
    uint32_t exits = 0;
    for (const struct il_instruction *at = job->body.first; at != job->body.end; at = at->next) {
        exits += at->opcode == IL_RET;
    }
    return exits > FEW && weave_plan(&job->body, &method, &job->plan) == CLEW_OK &&
           job->plan.local_count > weave_empty_plan(&job->body, &job->async.runs).local_count;
}

// The JIT suspends a method of runtime async inside an await, and it may continue on another thread, where what the probes keep
// in locals belongs to the first one. So its awaits must all be known.
static enum clew_error find_runs(struct job *job)
{
    if (method_is_async(job->module, job->token)) {
        job->async = (struct async_body){0};
        job->reason = "clew does not know where it waits";
        const struct metadata *metadata = &job->module->metadata;
        bool found = weave_find_awaits(&job->body, metadata, &job->async.runs) &&
                     (!agent.exact_ends || weave_enclose(&job->body, metadata, job->token, &job->async.runs));
        return found ? CLEW_OK : CLEW_UNSUPPORTED;
    }
    if (!async_body_find(job->module, job->token, job->instruments, &job->body, &job->async)) {
        job->async = (struct async_body){0};
    }
    return CLEW_OK;
}

// Whether `--tiny` is about the method. Methods of runtime async are what their awaits make of them, with calls or without.
static bool is_tiny(const struct module *module, uint32_t token, const struct il_body *body)
{
    return !method_is_async(module, token) && weave_is_tiny(body);
}

static void plan(struct job *job)
{
    job->counts = agent.settings.tiny == TINY_COUNT && is_tiny(job->module, job->token, &job->body);
    if (job->counts) {
        job->plan = (struct weave_plan){.counts = true};
        return;
    }
    job->has_sites = job->wants_sites &&
                     sites_plan(job->module, job->token, job->instruments, &job->body, &job->async.runs, &job->plan);
    if (!job->has_sites && !plan_exits(job)) {
        uint32_t dropped = job->plan.dropped;
        job->plan = weave_empty_plan(&job->body, &job->async.runs);
        job->plan.dropped = dropped;
    }
}

// Needs the module's lock, since it composes names and adds signatures.
static enum clew_error rewrite(struct job *job, struct buffer *woven)
{
    CLEW_ASSERT_LOCKED(&job->module->lock);
    CLEW_TRY(check(job)); // probes bring stack and locals along, which would make a body valid that the runtime refuses
    CLEW_TRY(find_runs(job));
    plan(job);
    CLEW_TRY(insert_probes(job));
    job->reason = "its instrumented IL could not be encoded";
    CLEW_TRY(il_encode(&job->body, woven));
    job->reason = "its instrumented IL does not pass the verifier";
    return check(job);
}

static enum clew_error try_weave(struct job *job)
{
    struct arena arena = {0};
    struct buffer woven = {0};
    enum clew_error error = read_body(job, &arena);
    if (error == CLEW_OK) {
        lock_take(&job->module->lock, LOCK_MODULE);
        error = rewrite(job, &woven);
        lock_release(&job->module->lock, LOCK_MODULE);
    }
    if (error == CLEW_OK) {
        job->reason = "the runtime refused its instrumented IL";
        error = body_hand_over(&(struct body_owner){job->module, job->function, job->token, job->original}, &job->body,
                               &woven, &job->lines);
    }
    buffer_free(&woven);
    arena_free(&arena);
    return error;
}

// Reports what was left out of a woven method because of its size. The report has room for one reason.
static void report_dropped(const struct job *job)
{
    uint32_t dropped = job->plan.dropped;
    if (dropped & (INSTRUMENT_STATEMENTS | INSTRUMENT_LINES)) {
        method_not_woven(job->module, job->token,
                         "only its calls are recorded: it is too large for statements and values");
    } else if (dropped & INSTRUMENT_VALUES) {
        method_not_woven(job->module, job->token, "its values are not recorded: it is too large for them");
    } else if (dropped & INSTRUMENT_USES) {
        method_not_woven(job->module, job->token, "its uses are not recorded: it is too large for them");
    } else if (!job->lines) {
        method_not_woven(job->module, job->token,
                         "stack traces may show earlier lines than those that ran: it is too large");
    }
}

// Weaves without sites if weaving with sites fails.
static enum clew_error weave_or_retry(struct job *job)
{
    job->wants_sites = (job->instruments & INSTRUMENT_AT_SITES) != 0;
    enum clew_error error = try_weave(job);
    if (error == CLEW_OK) {
        report_dropped(job);
        return CLEW_OK;
    }
    if (!job->has_sites) {
        return error;
    }
    const char *reason = job->reason;
    job->wants_sites = false;
    CLEW_TRY(try_weave(job));
    job->plan.dropped = 0;
    report_dropped(job);
    method_not_woven(job->module, job->token, reason);
    return CLEW_OK;
}

// The instruments that record the method. None records one without a body: from 11 on, the runtime announces that it compiles
// the stub of a P/Invoke.
static uint32_t in_scope(struct module *module, uint32_t token)
{
    struct metadata_method method;
    if (metadata_method(&module->metadata, token, &method) && method.rva == 0) {
        return 0;
    }
    lock_take(&module->lock, LOCK_MODULE);
    uint32_t instruments = scope_has(module, token);
    lock_release(&module->lock, LOCK_MODULE);
    return instruments;
}

// Whether `--tiny skip` leaves a method out, whose body is not decoded yet.
static bool is_skipped(const struct module *module, uint32_t token)
{
    enum { HEADER_MAX = 12 };
    struct arena arena = {0};
    struct il_body body;
    const uint8_t *header;
    uint32_t size;
    size_t whole;
    if (agent.settings.tiny != TINY_SKIP || clr_failed(info_get_il(agent.info, module->id, token, &header, &size)) ||
        il_body_size(bytes_of(header, size), &whole) != CLEW_OK || whole >= HEADER_MAX + WEAVE_TINY_SIZE) {
        return false;
    }
    bool tiny = il_decode(bytes_of(header, size), &arena, &body) == CLEW_OK && is_tiny(module, token, &body);
    arena_free(&arena);
    return tiny;
}

// The instruments that are to record a method which is not decided on. *skipped: it is left out since it is tiny.
static uint32_t wanted(struct module *module, uint32_t token, bool *skipped)
{
    uint32_t instruments = in_scope(module, token);
    *skipped = instruments && is_skipped(module, token);
    return *skipped ? 0 : instruments;
}

// After method_take(): the method keeps its code.
static void leave_out(struct module *module, uint32_t token, bool skipped)
{
    atomic_fetch_add_explicit(&agent.ring->left_out, skipped, memory_order_relaxed);
    method_decided(module, token, METHOD_LEFT);
}

// The module of a method, if clew may change methods of the module.
static struct module *weavable_module(clr_id function, uint32_t *token)
{
    struct module *module = module_of_function(function, token);
    return module && module->emit ? module : NULL;
}

// -- Inlining ---------------------------------------------------------------------------------------------------------
// The JIT reads a callee's body before it asks whether it may inline the callee. If another thread weaves the callee in
// between, the JIT still holds the original body, and its calls would be lost. So inlining is refused for methods woven
// since the compilation of the caller began, which this ring of the last ones shows.
enum { RECENT = 256 };
static _Atomic uint64_t recent[RECENT], recent_count; // module's number << 32 | token

// The outermost compilation on this thread. A compilation can run code, for instance a handler that resolves assemblies, and
// that code is compiled in turn. A compilation that the runtime abandons never finishes; it is over when another begins no
// deeper in the stack. `woven` stays after the end, which can only refuse more inlining than necessary.
static __thread struct {
    uintptr_t frame; // its position in the stack; 0: none is running
    clr_id function;
    uint64_t woven; // recent_count when it began
} compilation __attribute__((tls_model("initial-exec")));

static uint64_t recent_key(const struct module *module, uint32_t token)
{
    return (uint64_t)module->number << 32 | token;
}

// Called before method_decided(), whose release store publishes the state: a thread that sees that the method is woven finds
// it in the ring.
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
    bool skipped, woven = false;
    job.instruments = wanted(job.module, job.token, &skipped);
    if (job.instruments && !async_kickoff_stays(job.module, job.token, job.instruments)) {
        woven = weave_or_retry(&job) == CLEW_OK;
        if (!woven) {
            method_not_woven(job.module, job.token,
                             job.reason ? job.reason : "its instrumented IL does not pass the verifier");
        }
    }
    if (woven) {
        add_recent(job.module, job.token);
        method_decided(job.module, job.token, job.counts ? METHOD_TINY : marked_number(&job));
    } else {
        leave_out(job.module, job.token, skipped);
    }
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

// A module that is in scope at all runs none of its precompiled code: its other methods may have inlined methods in scope.
bool weaving_refuses_precompiled(clr_id function)
{
    uint32_t token;
    return !agent.hooks && weavable_module(function, &token) != NULL;
}

// Refuses a callee in scope that is not woven yet: it would be inlined with its original body, and its calls would be lost.
// Also refuses it where the caller is not recorded. If an exception left it there, nothing would end its activation: the
// runtime announces no frame but the caller's. A method whose calls are counted has no activation that could end.
bool weaving_allows_inlining(clr_id caller, clr_id callee)
{
    uint32_t token = 0;
    struct module *module = weavable_module(callee, &token);
    uint32_t row = TOKEN_ROW(token);
    if (!module || row < 1 || row > module->method_count) {
        return true;
    }
    bool skipped;
    uint32_t state = atomic_load_explicit(&module->methods[row - 1], memory_order_acquire);
    if (state == METHOD_NEW && !wanted(module, token, &skipped)) {
        state = METHOD_LEFT; // decided now: the JIT asks at every call, and names are expensive
        if (method_take(module, token)) {
            leave_out(module, token, skipped);
        }
    }
    bool loses_nothing = state == METHOD_TINY || (state >= METHOD_NUMBERS && method_number(caller));
    return state == METHOD_LEFT || (loses_nothing && !woven_meanwhile(module, token));
}
