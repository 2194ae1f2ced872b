// What is recorded of each shape of IL: small bodies are woven, verified and run, and what their probes write is read
// back. Texts say it in the order of the events:
//
//     #2           the statement at IL offset 2            in P0=5      a parameter at entry
//     L0=5         local 0 gets a value                    L0->5        its value is used
//     o1.f=5       field f of object 1; this.f, L2.x (of the struct in local 2), @.x (of one at an address)
//     o1[3]=5      an item                                 *  @.*       what lies at an address
//     returns 5    the result                              new o1       an object was made
//     =<redacted>  why a value is not there                room         the thread asked for room
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include "../il/assemble.h"
#include "made_world.h"
#include "weave/insertion.h"

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
    {"Elsewhere", ELSEWHERE_REF},
    {"object", OBJECT_REF},
    {"T", PARAMETER_TYPE},
};

// `$name` becomes the token.
static void with_tokens(const char *text, struct buffer *out)
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
    bool distrusts, leaves_addresses, leaves_result, tight;
    uint32_t room;
    int64_t arguments[3];
    const struct weave_point *points;
    uint32_t point_count, locals_token;
};

static void run_woven(struct run *run, const struct weaving *weaving, const struct weave_method *method,
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
    run->lines.current = &run->outside;
    for (int i = 0; i < 3; i++) {
        memcpy(run->arguments[i], &given->arguments[i], 8);
    }
    interpreter_run(run);
    for (uint32_t i = weaving->first_local; i < scope.local_count; i++) { // nothing that keeps objects alive is left
        bool refers = scope.locals[i].kind == IL_OBJECT || scope.locals[i].kind == IL_REFERENCE;
        refers = refers && !given->leaves_addresses && !given->leaves_result;
        assert_true(!refers || integer_of(load(run->locals[i], 8, false)) == 0);
    }
    arena_free(&arena);
}

static void run_given(const struct given *given, const char *text, struct run *run, struct buffer *log)
{
    struct buffer named = {0}, bytes = {0};
    struct weaving weaving;
    const struct weave_method method = {.metadata = &world_module.metadata,
                                        .token = given->method,
                                        .instruments = given->instruments,
                                        .points = given->points,
                                        .point_count = given->point_count,
                                        .questions = &world_questions,
                                        .struct_limit = 16,
                                        .room = given->room ? given->room : 1024,
                                        .trusts_references = !given->distrusts};
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

static void expect_given(const struct given *given, const char *text, const char *events)
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

static void expect(const char *text, const char *events)
{
    const struct given given = {.method = MAIN, .instruments = WEAVE_VALUES};
    expect_given(&given, text, events);
}

static void expect_uses(const char *text, const char *events)
{
    const struct given given = {.method = MAIN, .instruments = WEAVE_VALUES | WEAVE_USES};
    expect_given(&given, text, events);
}

// In an instance method `int C.Get()`, on an object.
static void expect_instance(const char *text, const char *events)
{
    const struct given given = {
        .method = CLASS_GET, .instruments = WEAVE_VALUES | WEAVE_USES, .arguments = {(intptr_t)new_object()}};
    expect_given(&given, text, events);
}

// -- Statements -------------------------------------------------------------------------------------------------------

static void test_statements_without_symbols_begin_where_the_stack_is_empty(void **state)
{
    (void)state;
    const struct given given = {.method = MAIN, .instruments = WEAVE_STATEMENTS};
    expect_given(&given, "ldc.i4.5; stloc.0; nop; ldloc.0; pop; ret", "#0 #3 #5");
    expect_given(&given, "br.s b; a: ret; b: br.s a", "#2");
}

static void test_statements_stand_at_sequence_points(void **state)
{
    (void)state;
    static const struct weave_point points[] = {
        {.il_offset = 0, .start_line = 3}, {.il_offset = 2, .hidden = true}, {.il_offset = 4, .start_line = 5}};
    const struct given given = {
        .method = MAIN, .instruments = WEAVE_STATEMENTS | WEAVE_VALUES, .points = points, .point_count = 3};
    expect_given(&given, "ldc.i4.5; stloc.0; ldc.i4.6; stloc.0; ldc.i4.7; stloc.0; ret", "#0 L0=5 L0=6 #4 L0=7");
}

// Values alone: statements are there to be belonged to, and have no event.
static void test_statements_may_have_no_probe(void **state)
{
    (void)state;
    static const struct weave_point points[] = {{.il_offset = 0, .start_line = 3}, {.il_offset = 4, .start_line = 5}};
    const struct given given = {.method = MAIN, .instruments = WEAVE_VALUES, .points = points, .point_count = 2};
    expect_given(&given, "ldc.i4.5; stloc.0; ldc.i4.6; stloc.0; ldc.i4.7; stloc.0; ret", "L0=5 L0=6 L0=7");
}

static void test_every_way_to_a_statement_passes_it(void **state)
{
    (void)state;
    const struct given given = {.method = MAIN, .instruments = WEAVE_STATEMENTS};
    // Three rounds, each of which asks whether there is room: there is.
    expect_given(&given, "ldc.i4.0; stloc.0; a: ldloc.0; ldc.i4.1; add; stloc.0; ldloc.0; ldc.i4.3; blt.s a; ret",
                 "#0 #2 #6 #2 #6 #2 #6 #a");
}

static void test_values_belong_to_their_statement(void **state)
{
    (void)state;
    static const struct weave_point points[] = {{.il_offset = 2, .document = 7, .start_line = 3},
                                                {.il_offset = 6, .hidden = true}};
    static const uint8_t bytes[] = {0x16, 0x0A, 0x17, 0x0A, 0x00, 0x00, 0x18, 0x0A, 0x2A}; // three constants to L0
    struct buffer body = {0};
    struct weaving weaving;
    assemble("ldc.i4.0; stloc.0; ldc.i4.1; stloc.0; nop; nop; ldc.i4.2; stloc.0; ret", 0, 8, &body);
    assert_memory_equal(body.data + 12, bytes, sizeof bytes);
    const struct weave_method method = {.metadata = &world_module.metadata,
                                        .token = MAIN,
                                        .instruments = WEAVE_STATEMENTS | WEAVE_VALUES,
                                        .points = points,
                                        .point_count = 2,
                                        .questions = &world_questions,
                                        .room = 1024};
    assert_null(weaving_run(&weaving, &method, bytes_of(body.data, body.size), &world_types));
    const struct site *sites = weaving.plan.sites;
    assert_int_equal(weaving.plan.count, 4);
    assert_int_equal(weaving.plan.statements, 1);
    assert_int_equal(sites[0].statement, 0);
    assert_int_equal(sites[1].kind, SITE_STATEMENT);
    assert_int_equal(sites[1].document, 7);
    assert_int_equal(sites[2].statement, FIRST_SITE + 1);
    assert_int_equal(sites[2].il_offset, 3);
    assert_int_equal(sites[3].statement, 0);
    weaving_free(&weaving);
    buffer_free(&body);
}

// -- What is inserted -------------------------------------------------------------------------------------------------

static void describe(const struct il_body *body, struct buffer *out)
{
    for (const struct il_instruction *at = body->first; at != body->end; at = at->next) {
        bool inserted = at->offset == IL_NO_OFFSET;
        enum il_operand operand = il_opcodes[at->opcode].operand;
        buffer_printf(out, "%s%s", inserted ? "+" : "", il_opcodes[at->opcode].name);
        if (inserted && operand != IL_OPERAND_NONE && !il_is_branch(at->opcode)) {
            uintptr_t value = (uintptr_t)at->operand.integer;
            if (value >= TARGET && value < TARGET + 21) {
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

static void expect_il_of(uint32_t token, uint32_t instruments, const char *text, const char *woven)
{
    struct buffer named = {0}, bytes = {0}, said = {0};
    struct weaving weaving;
    const struct weave_method method = {.metadata = &world_module.metadata,
                                        .token = token,
                                        .instruments = instruments,
                                        .points = il_points,
                                        .point_count = il_point_count,
                                        .questions = &world_questions,
                                        .room = 1024};
    all_targets.tick = TARGET + 13;
    with_tokens(text, &named);
    assemble((const char *)named.data, 0, 8, &bytes);
    assert_null(weaving_run(&weaving, &method, bytes_of(bytes.data, bytes.size), &world_types));
    describe(&weaving.body, &said);
    assert_string_equal((const char *)said.data, woven);
    weaving_free(&weaving);
    buffer_free(&named);
    buffer_free(&bytes);
    buffer_free(&said);
}

static void expect_il(uint32_t instruments, const char *text, const char *woven)
{
    expect_il_of(MAIN, instruments, text, woven);
}

#define ENTER "+ldc.i4 4d\n+ldc.i4.0\n+conv.u\n+ldc.i8 @6\n+conv.i\n+calli 11f00006\n+stloc.s 10\n"
#define LEAVE                                                                                               \
    "+ldc.i4 4d\n+ldc.i8 @2\n+conv.i\n+calli 11f00002\n+brfalse.s\n+ldc.i4.0\n+ldc.i8 @3\n+conv.i\n+calli " \
    "11f00003\n+nop\n"
#define AT "+ldloc.s 10\n+ldind.i\n+stloc.s 11\n+ldloc.s 11\n"
#define BEHIND(bytes) "+ldloc.s 10\n+ldloc.s 11\n+ldc.i4." bytes "\n+add\n+volatile.\n+stind.i\n"

static void test_an_inline_event_is_stored_where_the_context_says(void **state)
{
    (void)state;
    expect_il(WEAVE_STATEMENTS, "ret",
              ENTER AT "+ldc.i4 fa2\n+stind.i4\n" BEHIND("4") LEAVE "ret\n"); // site 1000
}

static void test_events_that_stand_together_reserve_once(void **state)
{
    (void)state;
    expect_il(WEAVE_STATEMENTS | WEAVE_VALUES, "ldc.i4.5; stloc.0; ret",
              ENTER AT
              "+ldc.i4 fa2\n+stind.i4\n" BEHIND("4") "ldc.i4.5\nstloc.0\n" AT "+dup\n+ldc.i4 fa6\n+stind.i4\n" // L0
                                                     "+dup\n+ldc.i4.4\n+add\n+ldloc.s 0\n+stind.i4\n" // its value
                                                     "+ldc.i4.8\n+add\n+ldc.i4 faa\n+stind.i4\n" // the next statement
              BEHIND("s c") LEAVE "ret\n");
}

static void test_a_result_is_put_aside_while_the_exit_is_recorded(void **state)
{
    (void)state;
    expect_il_of(ADD, WEAVE_STATEMENTS, "ldarg.0; ret",
                 "+ldc.i4 4d\n+ldc.i4.0\n+conv.u\n+ldc.i8 @6\n+conv.i\n+calli 11f00006\n+stloc.s 11\n"
                 "+ldloc.s 11\n+ldind.i\n+stloc.s 12\n+ldloc.s 12\n+ldc.i4 fa2\n+stind.i4\n"
                 "+ldloc.s 11\n+ldloc.s 12\n+ldc.i4.4\n+add\n+volatile.\n+stind.i\n"
                 "ldarg.0\n+stloc.s 10\n" LEAVE "+ldloc.s 10\nret\n");
}

static void test_objects_that_wait_while_probes_run_are_let_go(void **state)
{
    (void)state;
    // What `ldfld` gives waits for the number to be recorded; behind `stfld` nothing holds it.
    expect_uses("newobj $C..ctor; ldfld $next; ldsfld $sf; stfld $f; ret", "new o1 o1.next->null sf->0 null.f=0");
}

// What lies on the stack when a statement begins leaves it and comes back: an object that waits in a local (L10) anyway,
// and a number, which gets one.
static void test_a_statement_within_an_expression_finds_the_stack_empty(void **state)
{
    (void)state;
    static const struct weave_point points[] = {{.il_offset = 6, .start_line = 3}};
    il_points = points;
    il_point_count = 1;
    const char *probe = "+ldloc.s 12\n+ldind.i\n+stloc.s 13\n+ldloc.s 13\n+ldc.i4 fa2\n+stind.i4\n"
                        "+ldloc.s 12\n+ldloc.s 13\n+ldc.i4.4\n+add\n+volatile.\n+stind.i\n";
    struct buffer woven = {0};
    buffer_printf(&woven,
                  "+ldc.i4 4d\n+ldc.i4.0\n+conv.u\n+ldc.i8 @6\n+conv.i\n+calli 11f00006\n+stloc.s 12\n"
                  "ldsfld\n+stloc.s 10\n+ldloc.s 10\nldc.i4.5\n%s"
                  "+stloc.s 11\n+pop\n+ldloc.s 10\n+ldloc.s 11\npop\npop\n+ldnull\n+stloc.s 10\n%sret\n",
                  probe, LEAVE);
    buffer_u8(&woven, 0);
    expect_il(WEAVE_STATEMENTS, "ldsfld $s; ldc.i4.5; pop; pop; ret", (const char *)woven.data);
    buffer_free(&woven);
    il_points = NULL;
    il_point_count = 0;
}

static void test_references_go_by_the_address_of_a_local_that_is_cleared(void **state)
{
    (void)state;
    expect_il(WEAVE_VALUES, "ldnull; stloc.1; ret",
              "+ldc.i4 4d\n+ldc.i4.0\n+conv.u\n+ldc.i8 @6\n+conv.i\n+calli 11f00006\n+stloc.s 11\n"
              "ldnull\nstloc.1\n+ldloc.s 1\n+stloc.s 10\n"
              "+ldloc.s 11\n+ldc.i4 3e8\n+ldc.i4.0\n+conv.u\n+ldc.i4.0\n+ldloca.s 10\n+conv.u\n"
              "+ldc.i8 @9\n+conv.i\n+calli 11f00008\n+ldnull\n+stloc.s 10\n" LEAVE "ret\n");
}

// -- Definitions ------------------------------------------------------------------------------------------------------

static void test_locals(void **state)
{
    (void)state;
    expect("ldc.i4.5; stloc.0; ret", "L0=5");
    expect("ldc.i4.m1; conv.i8; stloc.s 12; ret", "L12=-1L");
    expect("ldc.i4.1; stloc.s 11; ret", "L11=1");
    expect("ldc.i4.2; stloc.s 5; ret", "L5=2"); // an enum
    expect("ldc.r8 0x3ff8000000000000; stloc.s 7; ret", "L7=1.5");
    expect("ldc.r4 0x40200000; stloc.s 10; ret", "L10=2.5f");
    expect("ldnull; stloc.1; ret", "L1=null");
    expect("newobj $C..ctor; stloc.s 8; ret", "new o1 L8=o1");
    expect("ldloca.s 0; stloc.s 6; ret", "L6=&"); // a reference: where it points
    expect("ldloca.s 0; conv.u; stloc.s 15; ret", "L15=&");
}

static void test_parameters(void **state)
{
    (void)state;
    const struct given given = {.method = ADD, .instruments = WEAVE_VALUES, .arguments = {3}};
    expect_given(&given, "ldc.i4.8; starg.s 0; ldnull; starg.s 1; ldarg.0; ret",
                 "in P0=3 in P1=null P0=8 P1=null returns 8");
}

static void test_structs(void **state)
{
    (void)state;
    expect("call $Make; stloc.2; ret", "L2={3,4}");
    expect("ldloca.s 4; initobj $Big; ret", "L4={0,0,0,0}");
    expect("ldloca.s 2; initobj $Point; ret", "L2={0,0}");
    expect("ldloca.s 2; ldc.i4.1; ldc.i4.2; call $Point..ctor; ret", "L2={1,2}");
    // A field of a struct in a variable, whose address is not taken; of a struct within one, that struct.
    expect("ldloca.s 2; ldc.i4.7; stfld $x; ret", "L2.x=7");
    expect("ldloca.s 3; ldflda $b; ldc.i4.7; stfld $y; ret", "L3.b={0,7}");
    expect("ldloca.s 3; ldflda $b; ldc.i4.1; ldc.i4.2; call $Point..ctor; ret", "L3.b={1,2}");
    expect("ldloca.s 3; ldflda $a; initobj $Point; ret", "L3.a={0,0}");
}

static void test_a_redacted_variable_hides_its_fields(void **state)
{
    (void)state;
    secret_local = 2;
    expect("ldloca.s 2; ldc.i4.7; stfld $x; ret", "L2.x=<redacted>");
    expect("ldloca.s 3; ldflda $a; initobj $Point; ret", "L3.a={0,0}");
    secret_local = UINT32_MAX;
}

static void test_a_redacted_place_hides_what_is_within(void **state)
{
    (void)state;
    expect("newobj $C..ctor; ldflda $secret; ldc.i4.7; stfld $y; ret", "new o1 @.y=<redacted>");
    expect("newobj $C..ctor; ldflda $secret; ldflda $x; ldc.i4.7; stind.i4; ret", "new o1 @.*=<redacted>");
    expect("newobj $C..ctor; ldflda $secret; ldflda $x; call $Ref; ret", "new o1 @.*=<redacted>");
    expect_instance("ldarg.0; ldflda $secret; ldc.i4.7; stfld $y; ldc.i4.0; ret",
                    "in P0=o1 P0->o1 @.y=<redacted> returns 0");
    secret_local = 6;
    expect("newobj $C..ctor; ldflda $p; stloc.s 6; ldloc.s 6; ldc.i4.7; stfld $y; ret",
           "new o1 L6=<redacted> @.y=<redacted>");
    // Items of an array go by the place that it was taken from.
    secret_local = 9;
    expect("ldc.i4.4; newarr $object; stloc.s 9; ldloc.s 9; ldc.i4.2; ldc.i4.7; stelem.i4; ret",
           "new o1 L9=<redacted> o1[2]=<redacted>");
    expect("ldc.i4.4; newarr $Point; stloc.s 9; ldloc.s 9; ldc.i4.1; ldelema $Point; ldc.i4.8; stfld $x; ret",
           "new o1 L9=<redacted> @.x=<redacted>");
    secret_local = UINT32_MAX;
    // An object's fields go by their own names.
    expect("newobj $C..ctor; ldfld $secret; ldc.i4.7; stfld $f; ret", "new o1 null.f=7");
}

static void test_a_box_is_as_secret_as_its_places(void **state)
{
    (void)state;
    expect("newobj $C..ctor; ldc.i4.1; box $E; stfld $secret; ret", "new o1 new <redacted> o1.secret=<redacted>");
    expect("newobj $C..ctor; ldc.i4.1; box $E; stfld $next; ret", "new o1 new o2 o1.next=o2");
    secret_local = 2;
    expect("ldloc.s 2; box $Point; pop; ret", "new <redacted>");
    expect("ldloc.s 2; box $Point; stloc.s 8; ret", "new <redacted> L8=o1");
    secret_local = 8;
    expect("ldloc.s 2; box $Point; stloc.s 8; ret", "new <redacted> L8=<redacted>");
    expect("ldloc.s 2; box $Point; ldloc.s 8; pop; pop; ret", "new o1"); // something else
    secret_local = UINT32_MAX;
    expect("ldloc.s 2; box $Point; pop; ret", "new o1");
}

static void test_a_method_may_have_a_secret_as_its_result(void **state)
{
    (void)state;
    secret_result = true;
    expect_instance("ldarg.0; ldc.i4.5; stfld $f; ldc.i4.0; ret", "in P0=o1 P0->o1 this.f=5 returns <redacted>");
    secret_result = false;
}

static void test_fields(void **state)
{
    (void)state;
    expect("newobj $C..ctor; ldc.i4.5; stfld $f; ret", "new o1 o1.f=5");
    expect("newobj $C..ctor; newobj $C..ctor; stfld $next; ret", "new o1 new o2 o1.next=o2");
    expect("newobj $C..ctor; call $Make; stfld $p; ret", "new o1 o1.p={3,4}");
    expect("newobj $C..ctor; ldc.r8 0x3ff8000000000000; stfld $d; ret", "new o1 o1.d=1.5");
    expect("newobj $C..ctor; ldc.i4 0x101; stfld $flag; ret", "new o1 o1.b=1"); // as a bool has it
    expect("newobj $C..ctor; dup; ldc.i4.5; volatile.; stfld $f; pop; ret", "new o1 o1.f=5");
    expect("newobj $C..ctor; ldflda $p; ldc.i4.7; stfld $y; ret", "new o1 @.y=7");
    expect("newobj $C..ctor; ldnull; stfld $secret; ret", "new o1 o1.secret=<redacted>");
    expect("ldc.i4.5; stsfld $sf; ret", "sf=5");
    expect("ldsflda $sp; ldc.i4.1; ldc.i4.2; call $Point..ctor; ret", "sp={1,2}");
    expect("ldsflda $sf; ldc.i4.6; stind.i4; ret", "sf=6");
}

static void test_fields_of_this(void **state)
{
    (void)state;
    expect_instance("ldarg.0; ldc.i4.5; stfld $f; ldc.i4.0; ret", "in P0=o1 P0->o1 this.f=5 returns 0");
    expect_instance("ldarg.0; ldnull; stfld $secret; ldc.i4.0; ret",
                    "in P0=o1 P0->o1 this.secret=<redacted> returns 0");
    expect_instance("ldarg.0; ldflda $p; ldc.i4.1; ldc.i4.2; call $Point..ctor; ldc.i4.0; ret",
                    "in P0=o1 P0->o1 this.p={1,2} returns 0");
    expect_instance("ldarg.0; ldflda $f; ldc.i4.3; stind.i4; ldc.i4.0; ret", "in P0=o1 P0->o1 this.f=3 returns 0");
    expect_instance("ldarg.0; ldflda $p; initobj $Point; ldc.i4.0; ret", "in P0=o1 P0->o1 this.p={0,0} returns 0");
    // Within a struct of it: by the address of that struct.
    expect_instance("ldarg.0; ldflda $p; ldc.i4.3; stfld $x; ldc.i4.0; ret", "in P0=o1 P0->o1 @.x=3 returns 0");
    expect_instance("ldarg.0; ldflda $f; call $Ref; ldc.i4.0; ret", "in P0=o1 P0->o1 this.f->0 this.f=1 returns 0");
    // Two values that pass through the same local, one right after the other.
    expect_instance("ldc.i4.s 9; ldarg.0; ldc.i4.5; stfld $f; ret", "in P0=o1 P0->o1 this.f=5 returns 9");
    // `this` that changes is a variable like any other.
    expect_instance("ldarg.0; ldc.i4.5; stfld $f; ldnull; starg.s 0; ldc.i4.0; ret",
                    "in P0=o1 P0->o1 o1.f=5 P0=null returns 0");
}

static void test_a_struct_is_its_own_this(void **state)
{
    (void)state;
    static int32_t point[2] = {3, 4};
    const struct given given = {.method = POINT_SUM, .instruments = WEAVE_VALUES, .arguments = {(intptr_t)point}};
    expect_given(&given, "ldarg.0; ldc.i4.5; stfld $x; ldarg.0; ldfld $x; ret", "in P0=& this.x=5 returns 5");
    expect_given(&given, "ldarg.0; initobj $Point; ldc.i4.0; ret", "in P0=& @.*={0,0} returns 0");
}

static void test_items(void **state)
{
    (void)state;
    expect("ldc.i4.4; newarr $object; stloc.s 9; ldloc.s 9; ldc.i4.2; ldc.i4.7; stelem.i4; ret",
           "new o1 L9=o1 o1[2]=7");
    expect("ldc.i4.4; newarr $object; dup; ldc.i4.1; conv.i; ldnull; stelem.ref; pop; ret", "new o1 o1[1]=null");
    expect("ldc.i4.4; newarr $Point; dup; ldc.i4.1; call $Make; stelem $Point; pop; ret", "new o1 o1[1]={3,4}");
    expect("ldc.i4.4; newarr $Point; dup; ldc.i4.1; ldelema $Point; ldc.i4.8; stfld $x; pop; ret", "new o1 @.x=8");
    expect("ldc.i4.4; newarr $object; stloc.s 14; ldloc.s 14; ldc.i4.1; ldc.i4.2; ldc.i4.7; call $Set; ret",
           "new o1 L14=o1 o1[12]=7");
}

static void test_through_addresses(void **state)
{
    (void)state;
    static int32_t there = 6;
    const struct given given = {
        .method = CALLS_REF, .instruments = WEAVE_VALUES | WEAVE_USES, .arguments = {(intptr_t)&there}};
    expect_given(&given, "ldarg.0; ldc.i4.5; stind.i4; ret", "in P0=& P0->& @.*=5");
    expect_given(&given, "ldarg.0; ldind.i4; pop; ret", "in P0=& P0->& @.*->5");
    expect_given(&given, "ldarg.0; conv.u; ldc.i4.7; stind.i4; ret", "in P0=& P0->& @.*=7"); // a pointer
    expect("ldloca.s 0; conv.u; stloc.s 15; ldloc.s 15; ldc.i4.1; add; ldc.i4 200; stind.i1; ret",
           "L15=& @.*=200"); // to bytes
    expect("ldloca.s 0; conv.u; stloc.s 15; ldloc.s 15; ldc.i4.m1; stind.i2; ret", "L15=& @.*=-1");
    expect("ldloca.s 0; ldc.i4.5; stind.i4; ret", "L0=5");
    expect("ldloca.s 2; call $Make; stobj $Point; ret", "L2={3,4}");
    expect("newobj $C..ctor; ldflda $p; call $Make; stobj $Point; ret", "new o1 @.*={3,4}");
    expect("newobj $C..ctor; ldflda $p; initobj $Point; ret", "new o1 @.*={0,0}");
    expect("newobj $C..ctor; ldflda $p; ldsflda $sp; cpobj $Point; ret", "new o1 @.*={1,2}"); // sp as left above
    expect("ldloca.s 2; ldsflda $sp; cpobj $Point; ret", "L2={1,2}");
    expect("ldc.i4.4; newarr $object; ldc.i4.1; ldelema $E; ldc.i4.5; stind.i4; ret", "new o1 @.*=5");
    expect("newobj $C..ctor; ldflda $s; ldnull; stind.ref; ret", "new o1 @.*=null");
}

static void test_what_calls_write_to(void **state)
{
    (void)state;
    expect("ldloca.s 0; call $Ref; ret", "L0=1");
    expect("ldloca.s 0; call $Out; stloc.0; ret", "L0=42 L0=1");
    expect("ldloca.s 0; call $In; ret", "");
    expect("ldloca.s 0; call $Elsewhere; ret", "L0=1");
    expect("ldloca.s 2; ldflda $y; call $Ref; ret", "L2.y=1");
    expect("newobj $C..ctor; ldflda $f; call $Ref; ret", "new o1 @.*=1");
    expect("ldc.i4.4; newarr $object; ldc.i4.1; ldelema $E; call $Ref; ret", "new o1 @.*=1");
    expect("ldc.i4.4; newarr $Point; ldc.i4.1; ldelema $Point; ldc.i4.1; ldc.i4.2; call $Point..ctor; ret",
           "new o1 @.*={1,2}");
    // Two addresses at once, of one place and of two.
    const struct given twice = {.method = MAIN, .instruments = WEAVE_VALUES, .leaves_addresses = true};
    expect_given(&twice, "newobj $C..ctor; ldflda $f; dup; call $Both; ret", "new o1 @.*=2 @.*=2");
    expect("newobj $C..ctor; dup; ldflda $f; newobj $C..ctor; ldflda $f; call $Both; pop; ret",
           "new o1 new o2 @.*=1 @.*=2");
    // The result of the call is there as well.
    expect("newobj $C..ctor; ldflda $f; call $Out; stloc.0; ret", "new o1 @.*=42 L0=1");
}

// Only where nothing keeps the address of a place can the JIT do without a copy of it.
static void test_wide_structs_are_read_where_they_are(void **state)
{
    (void)state;
    wide_structs = true;
    expect("ldloca.s 2; ldc.i4.1; ldc.i4.2; call $Point..ctor; ret", "L2={1,2}");
    expect("ldloca.s 3; ldflda $b; ldc.i4.1; ldc.i4.2; call $Point..ctor; ret", "L3.b={1,2}");
    expect("ldsflda $sp; ldc.i4.1; ldc.i4.2; call $Point..ctor; ret", "sp={1,2}"); // as it was
    expect("newobj $C..ctor; ldflda $p; ldc.i4.1; ldc.i4.2; call $Point..ctor; ret", "new o1 @.*={1,2}");
    expect("ldc.i4.4; newarr $Point; ldc.i4.1; ldelema $Point; ldc.i4.1; ldc.i4.2; call $Point..ctor; ret",
           "new o1 @.*={1,2}");
    expect_instance("ldarg.0; ldflda $p; ldc.i4.1; ldc.i4.2; call $Point..ctor; ldc.i4.0; ret",
                    "in P0=o1 P0->o1 this.p={1,2} returns 0");
    const struct given parameter = {.method = TAKES, .instruments = WEAVE_VALUES};
    expect_given(&parameter, "ldarga.s 0; ldc.i4.1; ldc.i4.2; call $Point..ctor; ret", "in P0={0,0} P0={1,2}");
    expect_il(WEAVE_VALUES, "ldloca.s 2; ldc.i4.1; ldc.i4.2; call $Point..ctor; ret",
              "+ldc.i4 4d\n+ldc.i4.0\n+conv.u\n+ldc.i8 @6\n+conv.i\n+calli 11f00006\n+stloc.s 10\n"
              "ldloca.s\nldc.i4.1\nldc.i4.2\ncall\n"
              "+ldloc.s 10\n+ldc.i4 3e8\n+ldc.i4.0\n+conv.u\n+ldc.i4.0\n+ldloca.s 2\n+conv.u\n"
              "+sizeof 2000002\n+ldc.i8 @18\n+conv.i\n+calli 11f0000a\n" LEAVE "ret\n");
    wide_structs = false;
}

static void test_references_from_elsewhere_are_read_with_care(void **state)
{
    (void)state;
    static int32_t there = 6;
    struct given given = {.method = CALLS_REF, .instruments = WEAVE_VALUES, .arguments = {(intptr_t)&there}};
    expect_given(&given, "ldarg.0; call $Elsewhere; ret", "in P0=& @.*=7");
    expect_given(&given, "ldarg.0; call $Where; ldc.i4.2; stind.i4; ret", "in P0=& @.*=7 @.*=2");
    // Where the module may have made a reference to nowhere, what a call was handed is not read...
    given.distrusts = true;
    expect_given(&given, "ldarg.0; call $Elsewhere; ret", "in P0=& *=<unsafe>");
    // ...but what the program itself has just written to is known to be there.
    expect_given(&given, "ldarg.0; ldc.i4.1; stind.i4; ret", "in P0=& @.*=1");
    // A null reference is not followed.
    given.distrusts = false;
    given.arguments[0] = 0;
    expect_given(&given, "ldarg.0; call $Where; pop; ret", "in P0=nowhere");
}

// -- Arguments, results, allocations ----------------------------------------------------------------------------------

static void test_results(void **state)
{
    (void)state;
    struct given given = {.method = MAKE, .instruments = WEAVE_VALUES, .leaves_result = true}; // the frame is gone
    expect_given(&given, "ldsflda $sp; ldobj $Point; ret", "returns {1,2}");                   // as left above
    static int32_t there;
    given.method = WHERE;
    given.arguments[0] = (intptr_t)&there;
    expect_given(&given, "ldarg.0; ret", "in P0=& returns &");
    // Both ways to the ret pass.
    given.method = ADD;
    given.arguments[0] = 0;
    expect_given(&given, "ldc.i4.7; ldarg.1; brfalse.s r; pop; ldc.i4.8; r: ret", "in P0=0 in P1=null returns 7");
}

static void test_arguments_of_all_kinds(void **state)
{
    (void)state;
    const struct given given = {.method = TAKES, .instruments = WEAVE_VALUES, .arguments = {0x400000003}};
    expect_given(&given, "ret", "in P0={3,4}");
    expect_given(&given, "ldarga.s 0; ldc.i4.7; stfld $x; ret", "in P0={3,4} P0.x=7");
}

static void test_allocations(void **state)
{
    (void)state;
    expect("newobj $C..ctor; pop; ret", "new o1");
    expect("ldc.i4.1; box $E; pop; ret", "new o1");
    expect("ldc.i4.1; newarr $C; pop; ret", "new o1");
    // Where the JIT makes the array together with what it holds, the event waits until it has.
    expect("ldc.i4.1; newarr $E; dup; ldtoken $f; call $Fill; pop; ret", "new o1");
    // Boxes that the JIT does not make are no allocations.
    expect("ldc.i4.1; box $E; brtrue.s a; nop; a: ret", "");
}

// -- Uses -------------------------------------------------------------------------------------------------------------

static void test_uses(void **state)
{
    (void)state;
    expect_uses("ldc.i4.5; stloc.0; ldloc.0; pop; ret", "L0=5 L0->5");
    expect_uses("ldnull; stloc.1; ldloc.1; pop; ret", "L1=null L1->null");
    expect_uses("call $Make; stloc.2; ldloc.2; pop; ldloca.s 2; ldfld $y; pop; ret", "L2={3,4} L2->{3,4} L2.y->4");
    expect_uses("call $Make; stloc.2; ldloca.s 2; ldobj $Point; pop; ret", "L2={3,4} L2->{3,4}");
    expect_uses("newobj $C..ctor; ldfld $f; pop; ret", "new o1 o1.f->0");
    expect_uses("newobj $C..ctor; ldfld $next; pop; ret", "new o1 o1.next->null");
    expect_uses("ldc.i4.3; stsfld $sf; ldsfld $sf; pop; ret", "sf=3 sf->3");
    expect_uses("ldc.i4.4; newarr $object; ldc.i4.2; ldelem.i4; pop; ret", "new o1 o1[2]->0");
    expect_uses("ldc.i4.4; newarr $Point; ldc.i4.1; ldelem $Point; pop; ret", "new o1 o1[1]->{0,0}");
    expect_uses("ldc.i4.4; newarr $object; stloc.s 14; ldloc.s 14; ldc.i4.1; ldc.i4.2; call $GetItem; pop; ret",
                "new o1 L14=o1 L14->o1 o1[12]->0");
    expect_uses("newobj $C..ctor; ldflda $p; ldfld $x; pop; ret", "new o1 @.x->0");
    expect_instance("ldarg.0; ldfld $f; ret", "in P0=o1 P0->o1 this.f->0 returns 0");
}

static void test_calls_use_what_they_get_the_address_of(void **state)
{
    (void)state;
    expect_uses("call $Make; stloc.2; ldloca.s 2; call $Point.Sum; pop; ret", "L2={3,4} L2->{3,4}");
    expect_uses("ldc.i4.5; stloc.0; ldloca.s 0; call $Ref; ret", "L0=5 L0->5 L0=6");
    expect_uses("ldc.i4.5; stloc.0; ldloca.s 0; call $In; ret", "L0=5 L0->5");
    expect_uses("ldc.i4.5; stloc.0; ldloca.s 0; call $Out; pop; ret", "L0=5 L0=42");
}

// -- Type parameters, limits of what is recorded ----------------------------------------------------------------------

static void test_type_parameters(void **state)
{
    (void)state;
    struct given given = {
        .method = GENERIC, .instruments = WEAVE_VALUES | WEAVE_USES, .arguments = {5}, .locals_token = GENERIC_LOCALS};
    expect_given(&given, "ldarg.0; stloc.0; ret", "in P0=5 P0->5 L0=5");
    given.method = GENERIC_REF_STRUCT;
    expect_given(&given, "ldarg.0; stloc.0; ret", "in P0=<unsafe> P0-><unsafe> L0=<unsafe>");
}

static void test_tail_calls_stay(void **state)
{
    (void)state;
    expect("ldloca.s 0; tail.; call $Elsewhere; ret", "");
    const struct given given = {.method = ADD, .instruments = WEAVE_VALUES};
    expect_given(&given, "ldarg.0; ldarg.1; call $Add; ret", "in P0=0 in P1=null");
}

static void test_handlers(void **state)
{
    (void)state;
    expect("t: ldc.i4.1; stloc.0; leave.s o; h: stloc.s 8; leave.s o; f: ldc.i4.2; stloc.0; endfinally; "
           "o: ldc.i4.3; stloc.0; ret\n.catch t h h f\n.finally t f f o",
           "L0=1 L0=3");
    expect("t: ldc.i4.1; stloc.0; leave.s o; f: pop; ldc.i4.1; stloc.0; ldc.i4.0; endfilter; "
           "h: pop; leave.s o; o: ldc.i4.3; stloc.0; ret\n.filter t f f h o",
           "L0=1 L0=3");
}

// -- The JIT's limits -------------------------------------------------------------------------------------------------

static uint32_t dropped_of(unsigned repeats, struct weave_tally *tally)
{
    struct buffer text = {0}, bytes = {0};
    struct weaving weaving;
    const struct weave_method method = {.metadata = &world_module.metadata,
                                        .token = MAIN,
                                        .instruments = WEAVE_STATEMENTS | WEAVE_VALUES | WEAVE_USES,
                                        .questions = &world_questions,
                                        .room = 1024};
    for (unsigned i = 0; i < repeats; i++) {
        buffer_text(&text, "ldloc.0; stloc.0;");
    }
    buffer_text(&text, "ret");
    buffer_u8(&text, 0);
    assemble((const char *)text.data, 0, 8, &bytes);
    assert_null(weaving_run(&weaving, &method, bytes_of(bytes.data, bytes.size), &world_types));
    uint32_t dropped = weaving.plan.dropped;
    assert_int_equal(weaving.plan.instruments, method.instruments & ~dropped);
    weave_tally_body(&weaving.again, tally);
    weaving_free(&weaving);
    buffer_free(&text);
    buffer_free(&bytes);
    return dropped;
}

static void test_what_would_cost_the_optimiser_is_dropped(void **state)
{
    (void)state;
    struct weave_tally tally;
    assert_int_equal(dropped_of(300, &tally), 0);
    assert_true(tally.bytes > 15000);
    assert_int_equal(dropped_of(700, &tally), WEAVE_USES);
    assert_true(tally.bytes <= 60000 && tally.instructions <= 20000 && tally.references <= 8000);
    assert_int_equal(dropped_of(1000, &tally), WEAVE_USES | WEAVE_VALUES);
    assert_int_equal(dropped_of(3900, &tally), WEAVE_USES | WEAVE_VALUES | WEAVE_STATEMENTS);
    assert_true(tally.bytes <= 60000 && tally.instructions <= 20000 && tally.references <= 8000);
}

// -- Room -------------------------------------------------------------------------------------------------------------

static void expect_enough_room(const char *text)
{
    struct run run;
    struct buffer log = {0};
    const struct given given = {.method = MAIN, .instruments = WEAVE_VALUES, .room = 256, .tight = true};
    run_given(&given, text, &run, &log); // fails when more is written than there is room for
    assert_non_null(strstr((const char *)log.data, "room"));
    buffer_free(&log);
}

static void test_loops_ask_for_room(void **state)
{
    (void)state;
    expect_enough_room("ldc.i4.0; stloc.0; a: ldloc.0; ldc.i4.1; add; stloc.0; ldloc.0; ldc.i4 1000; blt.s a; ret");
    expect_enough_room("br.s b; a: ldloc.0; ldc.i4.1; add; stloc.0; b: ldloc.0; ldc.i4 1000; blt.s a; ret");
}

// Straight on, and past branches that skip what is between, checks too.
static void test_long_ways_ask_for_room(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 40; seed++) {
        struct buffer text = {0};
        srand(seed);
        for (int i = 0; i < 60; i++) {
            buffer_printf(&text, "ldc.i4.%d; brtrue.s l%d;", rand() & 1, i);
            for (int k = rand() % 9; k > 0; k--) {
                buffer_text(&text, "ldc.i4.1; conv.i8; stloc.s 12; nop;");
            }
            buffer_printf(&text, "l%d: ldc.i4.0; stloc.0;", i);
        }
        buffer_text(&text, "ret");
        buffer_u8(&text, 0);
        expect_enough_room((const char *)text.data);
        buffer_free(&text);
    }
}

// -- Lines ------------------------------------------------------------------------------------------------------------

static void test_lines_count(void **state)
{
    (void)state;
    struct run run;
    struct buffer log = {0};
    const struct given given = {.method = MAIN, .instruments = WEAVE_LINES};
    run_given(&given, "ldc.i4.0; stloc.0; a: ldloc.0; ldc.i4.1; add; stloc.0; ldloc.0; ldc.i4.3; blt.s a; ret", &run,
              &log);
    assert_int_equal(run.counters[0].count, 1);
    assert_int_equal(run.counters[1].count, 3);
    assert_int_equal(run.counters[2].count, 3);
    assert_int_equal(run.counters[3].count, 1);
    assert_int_equal(run.counters[4].count, 0);
    assert_ptr_equal(run.lines.current, &run.outside);
    buffer_free(&log);
}

static void test_lines_take_time(void **state)
{
    (void)state;
    struct run run;
    struct buffer log = {0};
    const struct given given = {.method = MAIN, .instruments = WEAVE_LINES | WEAVE_LINE_TIMES};
    world_tick = &run.tick;
    run_given(&given, "nop; ldloca.s 0; call $In; ldloca.s 0; call $In; ldc.i4.1; pop; ret", &run, &log);
    assert_int_equal(run.counters[0].own, 10);
    assert_int_equal(run.counters[1].own, 10);
    assert_int_equal(run.counters[2].own, 0);
    assert_int_equal(run.counters[2].count, 1);
    assert_int_equal(run.outside.own, 0);
    assert_int_equal(run.lines.last, 20);
    assert_ptr_equal(run.lines.current, &run.outside);
    world_tick = NULL;
    buffer_free(&log);
}

// By a clock that is called: 7 each time it is asked, by five statements and the exit.
static void test_lines_take_time_by_a_clock(void **state)
{
    (void)state;
    struct run run;
    struct buffer log = {0};
    const struct given given = {.method = MAIN, .instruments = WEAVE_LINES | WEAVE_LINE_TIMES};
    all_targets.lines_now = TARGET + 15;
    run_given(&given, "nop; ldc.i4.1; pop; nop; ret", &run, &log);
    assert_int_equal(run.counters[0].own, 7);
    assert_int_equal(run.counters[1].own, 7);
    assert_int_equal(run.counters[1].count, 1);
    assert_int_equal(run.outside.own, 7);
    assert_int_equal(run.lines.last, run.clock);
    assert_ptr_equal(run.lines.current, &run.outside);
    all_targets.lines_now = 0;
    buffer_free(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statements_without_symbols_begin_where_the_stack_is_empty),
        cmocka_unit_test(test_statements_stand_at_sequence_points),
        cmocka_unit_test(test_statements_may_have_no_probe),
        cmocka_unit_test(test_every_way_to_a_statement_passes_it),
        cmocka_unit_test(test_values_belong_to_their_statement),
        cmocka_unit_test(test_an_inline_event_is_stored_where_the_context_says),
        cmocka_unit_test(test_events_that_stand_together_reserve_once),
        cmocka_unit_test(test_a_result_is_put_aside_while_the_exit_is_recorded),
        cmocka_unit_test(test_objects_that_wait_while_probes_run_are_let_go),
        cmocka_unit_test(test_a_statement_within_an_expression_finds_the_stack_empty),
        cmocka_unit_test(test_references_go_by_the_address_of_a_local_that_is_cleared),
        cmocka_unit_test(test_locals),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_structs),
        cmocka_unit_test(test_a_redacted_variable_hides_its_fields),
        cmocka_unit_test(test_a_redacted_place_hides_what_is_within),
        cmocka_unit_test(test_a_box_is_as_secret_as_its_places),
        cmocka_unit_test(test_a_method_may_have_a_secret_as_its_result),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_fields_of_this),
        cmocka_unit_test(test_a_struct_is_its_own_this),
        cmocka_unit_test(test_items),
        cmocka_unit_test(test_through_addresses),
        cmocka_unit_test(test_what_calls_write_to),
        cmocka_unit_test(test_wide_structs_are_read_where_they_are),
        cmocka_unit_test(test_references_from_elsewhere_are_read_with_care),
        cmocka_unit_test(test_results),
        cmocka_unit_test(test_arguments_of_all_kinds),
        cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_uses),
        cmocka_unit_test(test_calls_use_what_they_get_the_address_of),
        cmocka_unit_test(test_type_parameters),
        cmocka_unit_test(test_tail_calls_stay),
        cmocka_unit_test(test_handlers),
        cmocka_unit_test(test_what_would_cost_the_optimiser_is_dropped),
        cmocka_unit_test(test_loops_ask_for_room),
        cmocka_unit_test(test_long_ways_ask_for_room),
        cmocka_unit_test(test_lines_count),
        cmocka_unit_test(test_lines_take_time),
        cmocka_unit_test(test_lines_take_time_by_a_clock),
    };
    made_world();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    made_free(&world_module);
    made_types_free(&world_types);
    return failed;
}
