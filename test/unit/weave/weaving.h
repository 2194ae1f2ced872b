// What tests of sites share: the tokens of the probes' signatures, queries that can be answered without a runtime, and
// the whole way from a body's bytes to the woven and verified one.
#ifndef CLEW_TEST_WEAVING_H
#define CLEW_TEST_WEAVING_H

#include <string.h>

#include "base/map.h"
#include "il/stack.h"
#include "il/verify.h"
#include "metadata/tables/type_refs.h"
#include "weave/weave.h"

enum {
    NUMBER = 0x11F00001,
    QUERY,
    WAIT,
    ADDRESS,
    ACTIVATION,
    BEGIN,
    ROOM,
    SITE,
    ITEM,
    TYPED,
    RUN_BEGINS,
    RUN_STATE,
    COMPLETION,
    RESUMPTION,
    MADE_TYPE = 0x1BF00001, // and up: TypeSpecs made for the occasion
    TARGET = 0x70000000,    // and up: addresses of the probes
    FIRST_SITE = 1000,
    METHOD_NUMBER = 77,
};

static struct weave_targets all_targets = {.enter = TARGET + 1,
                                           .leave = TARGET + 2,
                                           .wait = TARGET + 3,
                                           .enter_keep = TARGET + 4,
                                           .restate = TARGET + 5,
                                           .enter_context = TARGET + 6,
                                           .room = TARGET + 7,
                                           .site_bits = TARGET + 8,
                                           .site_at = TARGET + 9,
                                           .site_typed = TARGET + 10,
                                           .item_index = TARGET + 11,
                                           .enter_lines = TARGET + 12,
                                           .tick = TARGET + 13,
                                           .arrive = TARGET + 16,
                                           .depart = TARGET + 17,
                                           .finish = TARGET + 32,
                                           .site_sized = TARGET + 18,
                                           .check = TARGET + 19,
                                           .site_behind = TARGET + 20,
                                           .run_begin = TARGET + 21,
                                           .run_end = TARGET + 22,
                                           .run_wait = TARGET + 23,
                                           .run_complete = TARGET + 24,
                                           .run_context = TARGET + 25,
                                           .await_enter = TARGET + 26,
                                           .await_begin = TARGET + 27,
                                           .await_end = TARGET + 28,
                                           .await_handler = TARGET + 29,
                                           .await_leave = TARGET + 30,
                                           .settle = TARGET + 31,
                                           .moment = TARGET + 32,
                                           .context_tick = 40,
                                           .lines_now = 0, // TARGET + 15 where lines have a clock of their own
                                           .at = 0,
                                           .limit = 8,
                                           .current = 16};
static const struct weave_signatures all_signatures = {.number = NUMBER,
                                                       .query = QUERY,
                                                       .wait = WAIT,
                                                       .address = ADDRESS,
                                                       .activation = ACTIVATION,
                                                       .begin = BEGIN,
                                                       .room = ROOM,
                                                       .site = SITE,
                                                       .item = ITEM,
                                                       .typed = TYPED,
                                                       .run = RUN_BEGINS,
                                                       .state = RUN_STATE,
                                                       .completion = COMPLETION,
                                                       .resumption = RESUMPTION};

// Types that have got a token, in the order of their making.
struct made_types {
    struct bytes *types;
    uint32_t count, room;
};

static inline struct bytes probe_signature(uint32_t token)
{
    static const uint8_t signatures[][9] = {{0x09, 1, 0x01, 0x08},
                                            {0x09, 1, 0x05, 0x08},
                                            {0x09, 1, 0x01, 0x02},
                                            {0x09, 1, 0x18, 0x08},
                                            {0x09, 1, 0x01, 0x18},
                                            {0x09, 2, 0x18, 0x08, 0x18},
                                            {0x09, 1, 0x05, 0x18},
                                            {0x09, 5, 0x01, 0x18, 0x08, 0x18, 0x08, 0x18},
                                            {0x09, 4, 0x01, 0x18, 0x18, 0x08, 0x08},
                                            {0x09, 6, 0x01, 0x18, 0x08, 0x18, 0x08, 0x18, 0x08},
                                            {0x09, 3, 0x18, 0x08, 0x08, 0x08},
                                            {0x09, 3, 0x08, 0x08, 0x18, 0x08},
                                            {0x09, 2, 0x01, 0x08, 0x18},
                                            {0x09, 3, 0x18, 0x08, 0x18, 0x18}};
    return token >= NUMBER && token <= RESUMPTION ? bytes_of(signatures[token - NUMBER], sizeof *signatures)
                                                  : (struct bytes){0};
}

static inline struct bytes made_signature(const void *context, uint32_t token)
{
    const struct made_types *made = context;
    return token >= MADE_TYPE && token - MADE_TYPE < made->count ? made->types[token - MADE_TYPE]
                                                                 : probe_signature(token);
}

static inline bool made_token(void *context, struct bytes signature, uint32_t *token)
{
    struct made_types *made = context;
    size_t size = bytes_left(&signature);
    for (uint32_t i = 0; i < made->count; i++) {
        if (bytes_left(&made->types[i]) == size && memcmp(made->types[i].at, signature.at, size) == 0) {
            *token = MADE_TYPE + i;
            return true;
        }
    }
    if (made->count == made->room) {
        made->room = made->room ? made->room * 2 : 64;
        made->types = realloc(made->types, made->room * sizeof *made->types);
    }
    uint8_t *copy = malloc(size);
    memcpy(copy, signature.at, size);
    made->types[made->count] = bytes_of(copy, size);
    *token = MADE_TYPE + made->count++;
    return true;
}

static inline void made_types_free(struct made_types *made)
{
    for (uint32_t i = 0; i < made->count; i++) {
        free((void *)made->types[i].at);
    }
    free(made->types);
    *made = (struct made_types){0};
}

// -- Kinds ------------------------------------------------------------------------------------------------------------
// The verifier checks depths only; the JIT also refuses operands of the wrong kind.

static inline bool kind_fits(enum il_kind kind, enum il_kind wanted)
{
    bool integer = kind == IL_INT32 || kind == IL_NATIVE || kind == IL_INT64;
    return kind == wanted || kind == IL_UNKNOWN || wanted == IL_UNKNOWN || (kind == IL_VALUE && wanted != IL_OBJECT) ||
           (wanted == IL_NATIVE && integer) || (wanted == IL_REFERENCE && kind == IL_NATIVE) ||
           (wanted == IL_VALUE && (kind == IL_INT32 || kind == IL_INT64)) || // an enum

           (wanted == IL_INT32 && kind == IL_NATIVE) || (wanted == IL_INT64 && kind == IL_NATIVE) ||
           (wanted == IL_FLOAT32 && kind == IL_FLOAT64) || (wanted == IL_FLOAT64 && kind == IL_FLOAT32);
}

static inline const char *check_probe_call(const struct il_scope *scope, const struct il_instruction *call,
                                           const struct il_slot *stack)
{
    struct il_method method;
    if (il_method_of(scope, (uint32_t)call->operand.integer, &method) != CLEW_OK) {
        return "a calli without signature";
    }
    struct bytes rest = method.signature.parameters;
    for (uint32_t i = 0; i < method.signature.parameter_count; i++) {
        struct il_type wanted = il_method_parameter(scope, &method, &rest);
        const struct il_slot *slot = il_slot_at(stack, method.signature.parameter_count - i);
        if (slot->type.kind != wanted.kind && slot->type.kind != IL_UNKNOWN) {
            return "an argument of a probe is of the wrong kind";
        }
    }
    return NULL;
}

// Of a woven body that was decoded again, whose locals from `first` on are the weaver's.
static inline const char *check_kinds(const struct il_body *body, const struct il_scope *scope, uint32_t first)
{
    struct il_stacks stacks;
    if (il_stacks(body, scope, &stacks) != CLEW_OK) {
        return "the woven body's stack is not understood";
    }
    for (const struct il_instruction *at = body->first; at != body->end; at++) {
        uint32_t number;
        if (!il_reached(&stacks, at)) {
            continue;
        }
        const struct il_slot *top = il_stack_before(&stacks, at);
        enum il_opcode family = il_family(at, &number);
        if (family == IL_STLOC && number >= first && !kind_fits(top->type.kind, scope->locals[number].kind)) {
            return "a local of the weaver's gets something of the wrong kind";
        }
        uint32_t token = (uint32_t)at->operand.integer;
        if (at->opcode == IL_CALLI && token >= NUMBER && token <= RESUMPTION) {
            const char *wrong = check_probe_call(scope, at, top);
            if (wrong) {
                return wrong;
            }
        }
    }
    return NULL;
}

// -- Weaving ----------------------------------------------------------------------------------------------------------

struct weaving {
    struct arena arena;
    struct il_body body, again; // woven; encoded and decoded again
    struct weave_plan plan;
    struct buffer encoded, locals;
    uint32_t first_local;
};

static inline void weaving_free(struct weaving *weaving)
{
    buffer_free(&weaving->encoded);
    buffer_free(&weaving->locals);
    arena_free(&weaving->arena);
}

static inline const char *weaving_verify(struct weaving *weaving, const struct weave_method *method,
                                         const struct made_types *made)
{
    const struct il_tokens tokens = {method->metadata, made_signature, made};
    struct il_method_shape shape;
    const char *reason = "no shape";
    if (il_decode(bytes_of(weaving->encoded.data, weaving->encoded.size), &weaving->arena, &weaving->again) !=
            CLEW_OK ||
        il_shape(method->metadata, method->token, &shape) != CLEW_OK) {
        return "does not decode again";
    }
    shape.local_count = weaving->first_local + weaving->plan.local_count;
    if (il_verify(&weaving->again, &shape, &tokens, &reason) != CLEW_OK) {
        return reason;
    }
    struct il_scope scope;
    if (il_scope_open(method->metadata, method->token, 0, method->type_refs, &weaving->arena, &scope) != CLEW_OK ||
        il_scope_locals(&scope, bytes_of(weaving->locals.data, weaving->locals.size)) != CLEW_OK) {
        return "its locals cannot be read";
    }
    scope.extra = made_signature;
    scope.context = made;
    return check_kinds(&weaving->again, &scope, weaving->first_local);
}

static inline struct bytes original_locals(const struct metadata *metadata, const struct il_body *body)
{
    uint32_t row = TOKEN_ROW(body->locals_token);
    return metadata_blob(metadata, metadata_column(metadata, TABLE_STAND_ALONE_SIG, row, STAND_ALONE_SIG_SIGNATURE));
}

// From a plan to `again`. Returns the reason for a failure; NULL: it passes.
static inline const char *weaving_carry_out(struct weaving *weaving, const struct weave_method *method,
                                            const struct made_types *made)
{
    struct weave_binding binding = {.targets = &all_targets,
                                    .signatures = &all_signatures,
                                    .method = METHOD_NUMBER,
                                    .token = method->token,
                                    .first_site = FIRST_SITE};
    weave_number(&weaving->plan, FIRST_SITE);
    if (weave_append_locals(original_locals(method->metadata, &weaving->body), weaving->plan.locals,
                            weaving->plan.local_count, &weaving->locals, &weaving->first_local) != CLEW_OK) {
        return "locals cannot be added to";
    }
    binding.local = weaving->first_local;
    if (weave(&weaving->body, &weaving->plan, &binding) != CLEW_OK) {
        return "is not woven";
    }
    if (il_encode(&weaving->body, &weaving->encoded) != CLEW_OK) {
        return "is not encoded";
    }
    return weaving_verify(weaving, method, made);
}

static inline bool is_runtime_async(const struct weave_method *method)
{
    struct metadata_method about;
    return metadata_method(method->metadata, method->token, &about) && about.impl_flags & METHOD_ASYNC;
}

static bool weaving_encloses; // whether bodies of runtime async are put into a try, as the session asks for

static inline bool find_runs(struct weaving *weaving, const struct weave_method *method, struct weave_runs *runs)
{
    return weave_find_awaits(&weaving->body, method->metadata, runs) &&
           (!weaving_encloses || weave_enclose(&weaving->body, method->metadata, method->token, runs));
}

// From the bytes of a body.
static inline const char *weaving_run(struct weaving *weaving, const struct weave_method *method, struct bytes bytes,
                                      const struct made_types *made)
{
    struct weave_method with_runs = *method;
    struct weave_runs runs = {0};
    *weaving = (struct weaving){0};
    if (il_decode(bytes, &weaving->arena, &weaving->body) != CLEW_OK) {
        return "does not decode";
    }
    if (is_runtime_async(method) && !find_runs(weaving, method, &runs)) {
        return "waits somewhere else";
    }
    with_runs.runs = &runs;
    if (weave_plan(&weaving->body, &with_runs, &weaving->plan) != CLEW_OK) {
        return "is not planned";
    }
    weaving->plan.runs = runs;
    return weaving_carry_out(weaving, method, made);
}

#endif
