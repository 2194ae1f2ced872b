// Small bodies that are woven, verified and run: what their probes write is read back, and what was inserted is shown.
// Texts of events say it in the order of the events:
//
//     #2           the statement at IL offset 2            in P0=5      a parameter at entry
//     L0=5         local 0 gets a value                    L0->5        its value is used
//     o1.f=5       field f of object 1; this.f, L2.x (of the struct in local 2), @.x (of one at an address)
//     o1[3]=5      an item                                 *  @.*       what lies at an address
//     returns 5    the result                              new o1       an object was made
//     =<redacted>  why a value is not there                room         the thread asked for room
//
// Included by one file a program, whose tests run between woven_set_up() and woven_tear_down().
#ifndef CLEW_TEST_WEAVE_WOVEN_H
#define CLEW_TEST_WEAVE_WOVEN_H

#include "../il/assemble.h"
#include "made_world.h"
#include "weave/emit/emitter.h"

static const struct {
    const char *name;
    uint32_t token;
} names[] = {
    {"Point", POINT},
    {"Line", LINE},
    {"Big", BIG},
    {"E", ENUM},
    {"C", CLASS},
    {"x", POINT_X},
    {"y", POINT_Y},
    {"a", LINE_A},
    {"b", LINE_B},
    {"f", CLASS_F},
    {"s", CLASS_S},
    {"p", CLASS_P},
    {"next", CLASS_NEXT},
    {"flag", CLASS_B},
    {"d", CLASS_D},
    {"secret", CLASS_SECRET},
    {"sf", CLASS_SF},
    {"sp", CLASS_SP},
    {"Point..ctor", POINT_CTOR},
    {"Point.Sum", POINT_SUM},
    {"C..ctor", CLASS_CTOR},
    {"Get", CLASS_GET},
    {"Add", ADD},
    {"Ref", CALLS_REF},
    {"Out", CALLS_OUT},
    {"In", CALLS_IN},
    {"Make", MAKE},
    {"Fill", FILL},
    {"Where", WHERE},
    {"Both", BOTH},
    {"Set", MATRIX_SET},
    {"GetItem", MATRIX_GET},
    {"NewMatrix", MATRIX_CTOR},
    {"Elsewhere", ELSEWHERE_REF},
    {"object", OBJECT_REF},
    {"T", PARAMETER_TYPE},
    {"Later", LATER},
    {"LaterInt", LATER_INT},
    {"GetTask", GET_TASK},
    {"GetTaskOf", GET_TASK_OF},
    {"Await", AWAIT},
    {"AwaitInt", AWAIT_INT},
    {"AwaitConfigured", AWAIT_CONFIGURED},
    {"AwaitAwaiter", AWAIT_AWAITER},
    {"EntryPoint", ENTRY_POINT},
    {"Suspend", SUSPEND},
    {"ConfigureAwait", CONFIGURE},
    {"GetAwaiter", GET_AWAITER},
    {"Point.Later", POINT_LATER},
    {"LaterBoth", LATER_BOTH},
};

static inline int woven_set_up(void **state)
{
    (void)state;
    made_world();
    return 0;
}

static inline int woven_tear_down(void **state)
{
    (void)state;
    made_free(&world_module);
    made_types_free(&world_types);
    return 0;
}

// `$name` becomes the token.
static inline void with_tokens(const char *text, struct buffer *out)
{
    while (*text) {
        const char *dollar = strchr(text, '$');
        buffer_append(out, text, dollar ? (size_t)(dollar - text) : strlen(text));
        if (!dollar) {
            break;
        }
        size_t size = strcspn(dollar + 1, " ;\n,");
        unsigned found = 0;
        for (; found < sizeof names / sizeof *names; found++) {
            if (strlen(names[found].name) == size && memcmp(names[found].name, dollar + 1, size) == 0) {
                break;
            }
        }
        assert_true(found < sizeof names / sizeof *names);
        buffer_printf(out, "0x%x", names[found].token);
        text = dollar + 1 + size;
    }
    buffer_u8(out, 0);
}

// What a body is woven for and run with.
struct given {
    uint32_t method, instruments;
    bool distrusts, leaves_addresses, leaves_result, tight, line_times, suspends;
    uint32_t room;
    int64_t arguments[3];
    const struct weave_point *points;
    uint32_t point_count, locals_token;
};

static inline void run_woven(struct run *run, const struct weaving *weaving, const struct weave_method *method,
                             const struct given *given)
{
    struct il_scope scope;
    struct arena arena = {0};
    assert_int_equal(il_scope_open(method->metadata, method->token, 0, NULL, &arena, &scope), CLEW_OK);
    assert_int_equal(il_scope_locals(&scope, bytes_of(weaving->locals.data, weaving->locals.size)), CLEW_OK);
    scope.extra = made_signature;
    scope.context = &world_types;
    run->world = &made_layout;
    run->scope = &scope;
    run->body = &weaving->again;
    run->plan = &weaving->plan;
    run->room = method->room;
    run->tight = given->tight;
    run->context.at = run->told = (uintptr_t)run->ring;
    run->context.limit = given->tight ? run->told : run->told + sizeof run->ring - run->room;
    run->context.current = CURRENT;
    world_current = &run->context.current;
    run->lines.current = &run->outside;
    run->other_lines.current = &run->other_outside;
    run->first_local = weaving->first_local;
    for (int i = 0; i < 3; i++) {
        memcpy(run->arguments[i], &given->arguments[i], 8);
    }
    interpreter_run(run);
    assert_int_equal(run->held, 0);
    for (uint32_t i = weaving->first_local; i < scope.local_count; i++) { // nothing that keeps objects alive is left
        bool refers = scope.locals[i].kind == IL_OBJECT || scope.locals[i].kind == IL_REFERENCE;
        refers = refers && !given->leaves_addresses && !given->leaves_result;
        int64_t value = integer_of(load(run->locals[i], 8, false));
        assert_true(!refers || value == 0 || value == MARK);
    }
    arena_free(&arena);
}

static inline void run_given(const struct given *given, const char *text, struct run *run, struct buffer *log)
{
    struct buffer named = {0}, bytes = {0};
    struct weaving weaving;
    const struct weave_method method = {.metadata = &world_module.metadata,
                                        .token = given->method,
                                        .instruments = given->instruments,
                                        .line_times = given->line_times,
                                        .points = given->points,
                                        .point_count = given->point_count,
                                        .queries = &world_queries,
                                        .struct_limit = 16,
                                        .room = given->room ? given->room : 1024,
                                        .trusts_references = !given->distrusts,
                                        .suspends = given->suspends};
    with_tokens(text, &named);
    assemble((const char *)named.data, ASSEMBLE_INIT_LOCALS, 8, &bytes);
    if (given->locals_token) {
        memcpy(bytes.data + 8, &given->locals_token, 4);
    }
    *run = (struct run){.log = log};
    all_targets.tick = (uintptr_t)&run->tick;
    const char *wrong = weaving_run(&weaving, &method, bytes_of(bytes.data, bytes.size), &world_types);
    if (wrong) {
        fprintf(stderr, "%s: %s\n", text, wrong);
    }
    assert_null(wrong);
    run_woven(run, &weaving, &method, given);
    buffer_u8(log, 0);
    assert_false(run->failed);
    buffer_free(&named);
    buffer_free(&bytes);
    weaving_free(&weaving);
}

static inline void expect_given(const struct given *given, const char *text, const char *events)
{
    struct run run;
    struct buffer log = {0};
    run_given(given, text, &run, &log);
    char *end = (char *)log.data + log.size - 1;
    while (end > (char *)log.data && end[-1] == ' ') {
        *--end = 0;
    }
    if (strcmp((const char *)log.data, events) != 0) {
        fprintf(stderr, "of: %s\n", text);
    }
    assert_string_equal((const char *)log.data, events);
    buffer_free(&log);
    free_objects();
}

static inline void expect(const char *text, const char *events)
{
    const struct given given = {.method = MAIN, .instruments = INSTRUMENT_VALUES};
    expect_given(&given, text, events);
}

static inline void expect_uses(const char *text, const char *events)
{
    const struct given given = {.method = MAIN, .instruments = INSTRUMENT_VALUES | INSTRUMENT_USES};
    expect_given(&given, text, events);
}

// In an instance method `int C.Get()`, on an object.
static inline void expect_instance(const char *text, const char *events)
{
    const struct given given = {
        .method = CLASS_GET, .instruments = INSTRUMENT_VALUES | INSTRUMENT_USES, .arguments = {(intptr_t)new_object()}};
    expect_given(&given, text, events);
}

// -- What is inserted -------------------------------------------------------------------------------------------------

static inline void describe_woven(const struct il_body *body, struct buffer *out)
{
    for (const struct il_instruction *at = body->first; at != body->end; at = at->next) {
        bool inserted = at->offset == IL_NO_OFFSET;
        enum il_operand operand = il_opcodes[at->opcode].operand;
        buffer_printf(out, "%s%s", inserted ? "+" : "", il_opcodes[at->opcode].name);
        if (inserted && operand != IL_OPERAND_NONE && !il_is_branch(at->opcode)) {
            uintptr_t value = (uintptr_t)at->operand.integer;
            if (value >= TARGET && value < TARGET + 40) {
                buffer_printf(out, " @%u", (unsigned)(value - TARGET));
            } else {
                buffer_printf(out, " %llx", (unsigned long long)value);
            }
        }
        buffer_text(out, "\n");
    }
    buffer_u8(out, 0);
}

static const struct weave_point *il_points;
static uint32_t il_point_count;

static uint32_t il_room = 1024;
static bool il_suspends, il_orders;

// The text of describe_woven() for a body.
static inline void woven_il(uint32_t token, uint32_t instruments, const char *text, struct buffer *said)
{
    struct buffer named = {0}, bytes = {0};
    struct weaving weaving;
    const struct weave_method method = {.metadata = &world_module.metadata,
                                        .token = token,
                                        .instruments = instruments,
                                        .points = il_points,
                                        .point_count = il_point_count,
                                        .queries = &world_queries,
                                        .struct_limit = 16,
                                        .room = il_room,
                                        .suspends = il_suspends,
                                        .orders = il_orders};
    all_targets.tick = TARGET + 13;
    with_tokens(text, &named);
    assemble((const char *)named.data, 0, 8, &bytes);
    assert_null(weaving_run(&weaving, &method, bytes_of(bytes.data, bytes.size), &world_types));
    describe_woven(&weaving.body, said);
    weaving_free(&weaving);
    buffer_free(&named);
    buffer_free(&bytes);
}

static inline void expect_il_of(uint32_t token, uint32_t instruments, const char *text, const char *woven)
{
    struct buffer said = {0};
    woven_il(token, instruments, text, &said);
    assert_string_equal((const char *)said.data, woven);
    buffer_free(&said);
}

static inline void expect_il(uint32_t instruments, const char *text, const char *woven)
{
    expect_il_of(MAIN, instruments, text, woven);
}

#define ENTER "+ldc.i4 4d\n+ldc.i4.0\n+conv.u\n+ldc.i8 @6\n+conv.i\n+calli 11f00006\n+stloc.s 10\n"
#define LEAVE                                                                                               \
    "+ldc.i4 4d\n+ldc.i8 @2\n+conv.i\n+calli 11f00002\n+brfalse.s\n+ldc.i4.0\n+ldc.i8 @3\n+conv.i\n+calli " \
    "11f00003\n+nop\n"
#define AT "+ldloc.s 10\n+ldind.i\n+stloc.s 11\n+ldloc.s 11\n"
#define BEHIND(bytes) "+ldloc.s 10\n+ldloc.s 11\n+ldc.i4." bytes "\n+add\n+volatile.\n+stind.i\n"

#endif
