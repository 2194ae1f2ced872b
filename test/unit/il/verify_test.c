// What the verifier accepts and each of its reasons to refuse.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include "assemble.h"
#include "il/verify.h"

// Signatures that the tests' tokens mean.
#define VOID_CALL "0x0A000001 "     // static void ()
#define ADD_CALL "0x0A000002 "      // static int (int, int)
#define THIS_CALL "0x0A000003 "     // instance void ()
#define CONSTRUCTOR "0x0A000004 "   // instance void (int)
#define POINTER_CALL "0x11000001 "  // int (int)
#define EXPLICIT_CALL "0x0A000005 " // int (object this, int), `this` among the parameters
#define FIELD "0x0A000006 "
#define BROKEN_CALL "0x0A000007 "
#define TYPE "0x01000001 "

static struct bytes signature_of(const void *context, uint32_t token)
{
    (void)context;
    static const uint8_t void_call[] = {0x00, 0, 0x01};
    static const uint8_t add_call[] = {0x00, 2, 0x08, 0x08, 0x08};
    static const uint8_t this_call[] = {0x20, 0, 0x01};
    static const uint8_t constructor[] = {0x20, 1, 0x01, 0x08};
    static const uint8_t pointer_call[] = {0x00, 1, 0x08, 0x08};
    static const uint8_t locals[] = {0x07, 2, 0x08, 0x08};
    static const uint8_t explicit_call[] = {0x60, 2, 0x08, 0x1C, 0x08};
    static const uint8_t field[] = {0x06, 0x08};
    static const uint8_t broken_call[] = {0x00, 3, 0x01, 0x08};
    switch (token) {
    case 0x0A000001:
        return bytes_of(void_call, sizeof void_call);
    case 0x0A000002:
        return bytes_of(add_call, sizeof add_call);
    case 0x0A000003:
        return bytes_of(this_call, sizeof this_call);
    case 0x0A000004:
        return bytes_of(constructor, sizeof constructor);
    case 0x11000001:
        return bytes_of(pointer_call, sizeof pointer_call);
    case 0x11000002:
        return bytes_of(locals, sizeof locals);
    case 0x0A000005:
        return bytes_of(explicit_call, sizeof explicit_call);
    case 0x0A000006:
        return bytes_of(field, sizeof field);
    case 0x0A000007:
        return bytes_of(broken_call, sizeof broken_call);
    default:
        return (struct bytes){0};
    }
}

static const struct metadata no_rows;
static const struct il_tokens tokens = {.metadata = &no_rows, .extra = signature_of};
static const struct il_method_shape of_void = {.argument_count = 2, .local_count = 2};
static const struct il_method_shape of_value = {.returns_value = true, .argument_count = 2, .local_count = 2};

struct fixture {
    struct arena arena;
    struct buffer bytes;
    struct il_body body;
};

static int set_up(void **state)
{
    *state = calloc(1, sizeof(struct fixture));
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    arena_free(&fixture->arena);
    buffer_free(&fixture->bytes);
    free(fixture);
    return 0;
}

static void read_text(struct fixture *fixture, const char *text, uint16_t max_stack)
{
    assemble(text, ASSEMBLE_FAT, max_stack, &fixture->bytes);
    struct bytes bytes = bytes_of(fixture->bytes.data, fixture->bytes.size);
    if (il_decode(bytes, &fixture->arena, &fixture->body) != CLEW_OK) {
        fail_msg("does not decode: %s", text);
    }
}

static void check_shape(struct fixture *fixture, const char *text, const struct il_method_shape *shape,
                        uint16_t max_stack, const char *expected)
{
    read_text(fixture, text, max_stack);
    const char *reason;
    enum clew_error error = il_verify(&fixture->body, shape, &tokens, &reason);
    if (expected ? !reason || strcmp(reason, expected) != 0 : reason != NULL) {
        fail_msg("%s\n  expected: %s\n  answered: %s", text, expected ? expected : "(fine)",
                 reason ? reason : "(fine)");
    }
    assert_int_equal(error, expected ? CLEW_MALFORMED : CLEW_OK);
}

struct check {
    const char *text;
    const char *reason; // NULL: accepted
};

static void check_all(struct fixture *fixture, const struct check *checks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        check_shape(fixture, checks[i].text, &of_void, 8, checks[i].reason);
    }
}

#define CHECK_ALL(state, checks) check_all(*(state), checks, sizeof(checks) / sizeof *(checks))

static void stack_depths_are_checked(void **state)
{
    static const struct check checks[] = {
        {"ret", NULL},
        {"ldarg.0; pop; ret", NULL},
        {"pop; ret", "too little on the stack"},
        {"ldarg.0; add; pop; ret", "too little on the stack"},
        {"dup; ret", "too little on the stack"},
        {"ldarg.0; ret", "a ret with a stack other than its value"},
        {"ldarg.0; throw", NULL},
        {"ldarg.0; dup; throw", NULL},
        {"throw", "too little on the stack"},
        {"ldarg.0; switch a; a: ret", NULL},
        {"switch a; a: ret", "too little on the stack"},
        {"ldarg.0; localloc; pop; ret", NULL},
        {"ldarg.0; dup; localloc; pop; pop; ret", "a localloc with more on the stack"},
        {"jmp " VOID_CALL, NULL},
        {"ldarg.0; jmp " VOID_CALL, "a jmp with something on the stack"},
    };
    CHECK_ALL(state, checks);
    check_shape(*state, "ldarg.0; ret", &of_value, 8, NULL);
    check_shape(*state, "ret", &of_value, 8, "a ret with a stack other than its value");
    check_shape(*state, "ldarg.0; dup; ret", &of_value, 8, "a ret with a stack other than its value");
}

static void the_limit_of_the_header_is_checked(void **state)
{
    check_shape(*state, "ldarg.0; ldarg.1; add; pop; ret", &of_void, 2, NULL);
    check_shape(*state, "ldarg.0; ldarg.1; add; pop; ret", &of_void, 1, "more on the stack than the header says");
    check_shape(*state, "ldarg.0; dup; pop; pop; ret", &of_void, 1, "more on the stack than the header says");
    check_shape(*state, "ldarg.0; throw", &of_void, 0, "more on the stack than the header says");
    check_shape(*state, "a: leave.s b; c: pop; leave.s b; b: ret; .catch a c c b", &of_void, 0,
                "more on the stack than the header says");
}

// `ldarg.0` so many times, and a throw.
static void check_deep(struct fixture *fixture, uint32_t depth, const char *expected)
{
    buffer_clear(&fixture->bytes);
    buffer_u16(&fixture->bytes, 0x3003);
    buffer_u16(&fixture->bytes, UINT16_MAX);
    buffer_u32(&fixture->bytes, depth + 1);
    buffer_u32(&fixture->bytes, 0);
    for (uint32_t i = 0; i < depth; i++) {
        buffer_u8(&fixture->bytes, IL_LDARG_0);
    }
    buffer_u8(&fixture->bytes, IL_THROW);
    struct bytes bytes = bytes_of(fixture->bytes.data, fixture->bytes.size);
    const char *reason;
    assert_int_equal(il_decode(bytes, &fixture->arena, &fixture->body), CLEW_OK);
    (void)il_verify(&fixture->body, &of_void, &tokens, &reason);
    expected ? assert_string_equal(reason, expected) : assert_null(reason);
}

static void the_limit_of_all_headers_is_checked(void **state)
{
    check_deep(*state, UINT16_MAX, NULL);
    check_deep(*state, UINT16_MAX + 1, "more on the stack than a header can say");
}

static void stacks_must_agree_where_paths_join(void **state)
{
    static const struct check checks[] = {
        {"ldarg.0; brtrue.s b; nop; b: ret", NULL},
        {"ldarg.0; brtrue.s b; ldarg.0; b: ret", "two paths meet with different stacks"},
        {"ldarg.0; a: ldarg.1; brtrue.s a; pop; ret", NULL},
        {"a: ldarg.0; ldarg.1; brtrue.s a; pop; ret", "two paths meet with different stacks"},
        {"ldarg.0; ldarg.1; switch a,b; pop; ret; a: pop; ret; b: ret", "a ret with a stack other than its value"},
        {"br.s b; a: pop; ret; b: ldarg.0; br.s a", NULL}, // reached backwards with a value
        {"ret; pop; pop; ldarg.0; add; ret", NULL},        // never reached
        {"br.s b; nop; ldarg.0; a: br.s a; b: ret", NULL},
        {"ldarg.0; ldarg.1; beq a; ldarg.0; pop; a: ret", NULL},
    };
    CHECK_ALL(state, checks);
}

static void calls_must_find_their_arguments(void **state)
{
    static const struct check checks[] = {
        {"call " VOID_CALL "; ret", NULL},
        {"ldarg.0; ldarg.1; call " ADD_CALL "; pop; ret", NULL},
        {"ldarg.0; call " ADD_CALL "; pop; ret", "too little on the stack"},
        {"ldarg.0; ldarg.1; call " ADD_CALL "; ret", "a ret with a stack other than its value"},
        {"ldarg.0; callvirt " THIS_CALL "; ret", NULL},
        {"callvirt " THIS_CALL "; ret", "too little on the stack"},
        {"ldarg.0; ldarg.1; call " EXPLICIT_CALL "; pop; ret", NULL},
        {"ldarg.0; ldarg.1; ldarg.1; call " EXPLICIT_CALL "; pop; ret", "a ret with a stack other than its value"},
        {"ldarg.0; newobj " CONSTRUCTOR "; pop; ret", NULL},
        {"newobj " CONSTRUCTOR "; pop; ret", "too little on the stack"},
        {"ldarg.0; ldarg.1; calli " POINTER_CALL "; pop; ret", NULL},
        {"ldarg.0; calli " POINTER_CALL "; pop; ret", "too little on the stack"},
        {"call " BROKEN_CALL "; ret", "a call without a readable signature"},
        {"call 0x0A000099; ret", "a call without a readable signature"},
        {"call 0x2B000001; ret", "a call without a readable signature"},
    };
    CHECK_ALL(state, checks);
}

static void numbers_and_tokens_must_exist(void **state)
{
    static const char local[] = "a local that is not there";
    static const char argument[] = "an argument that is not there";
    static const char token[] = "a token that is not there or of the wrong kind";
    static const struct check checks[] = {
        {"ldloc.1; stloc.0; ret", NULL},
        {"ldloc.2; pop; ret", local},
        {"ldarg.0; stloc.3; ret", local},
        {"ldloc.s 2; pop; ret", local},
        {"ldloca 2; pop; ret", local},
        {"ldarg.1; starg.s 0; ret", NULL},
        {"ldarg.2; pop; ret", argument},
        {"ldarga 2; pop; ret", argument},
        {"ldnull; starg.s 255; ret", argument},
        {"ldarg.0; unaligned. 3; ldind.i4; pop; ret", "an alignment other than 1, 2 and 4"},
        {"ldsfld " FIELD "; pop; ret", NULL},
        {"ldsfld " VOID_CALL "; pop; ret", token},
        {"call " FIELD "; ret", token},
        {"ldarg.0; castclass " TYPE "; pop; ret", NULL},
        {"ldarg.0; castclass " VOID_CALL "; pop; ret", token},
        {"ldtoken " TYPE "; pop; ldtoken " FIELD "; pop; ldtoken " VOID_CALL "; pop; ret", NULL},
        {"ldtoken 0x11000001; pop; ret", token},
        {"ldarg.0; calli " TYPE "; ret", token},
        {"call 0x0A000000; ret", token},
        {"call 0xFF000001; ret", token},
        {"ldstr 0x70000001; pop; ret", NULL},
        {"ldstr 0x01000001; pop; ret", token},
    };
    CHECK_ALL(state, checks);
    struct fixture *fixture = *state;
    const char *reason;
    // Without somebody who answers for tokens made later, rows must be there.
    struct il_tokens alone = {.metadata = &no_rows};
    static const char *const texts[] = {"call " VOID_CALL "; ret", "ldarg.0; castclass " TYPE "; pop; ret",
                                        "ldstr 0x70000001; pop; ret"};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        read_text(fixture, texts[i], 8);
        assert_int_equal(il_verify(&fixture->body, &of_void, &alone, &reason), CLEW_MALFORMED);
        assert_string_equal(reason, token);
    }
    struct il_method_shape unknown_locals = {.local_count = UINT32_MAX};
    check_shape(*state, "ldloc 65535; pop; ret", &unknown_locals, 8, NULL);
}

static void prefixes_must_fit_their_instruction(void **state)
{
    static const char taken[] = "a prefix before an instruction that does not take it";
    static const struct check checks[] = {
        {"ldarg.0; unaligned. 1; volatile.; ldind.i4; pop; ret", NULL},
        {"ldarg.0; ldarg.1; volatile.; stind.i; ret", NULL},
        {"volatile.; ldsfld " FIELD "; pop; ret", NULL},
        {"unaligned. 1; ldsfld " FIELD "; pop; ret", taken},
        {"ldarg.0; volatile.; pop; ret", taken},
        {"ldarg.0; volatile.; volatile.; ldind.i4; pop; ret", "a prefix is repeated"},
        {"ldarg.0; constrained. " TYPE "; callvirt " THIS_CALL "; ret", NULL},
        {"constrained. " TYPE "; call " VOID_CALL "; ret", NULL},
        {"constrained. " TYPE "; ldftn " VOID_CALL "; pop; ret", NULL},
        {"constrained. " TYPE "; newobj " VOID_CALL "; pop; ret", taken},
        {"ldarg.0; ldarg.1; readonly.; ldelema " TYPE "; pop; ret", NULL},
        {"readonly.; ldarg.0; pop; ret", taken},
        {"tail.; call " VOID_CALL "; ret", NULL},
        {"ldarg.0; constrained. " TYPE "; tail.; callvirt " THIS_CALL "; ret", NULL},
        {"tail.; call " VOID_CALL "; nop; ret", "a tail call without ret after it"},
        {"ldarg.0; tail.; call " VOID_CALL "; ret", "a tail call with more on the stack"},
        {"tail.; ldarg.0; pop; ret", taken},
        {"ldarg.0; br.s b; unaligned. 1; b: ldind.i4; pop; ret", "a label between a prefix and its instruction"},
        {"ldarg.0; br.s b; unaligned. 1; b: volatile.; ldind.i4; pop; ret",
         "a label between a prefix and its instruction"},
        {"ldarg.0; br.s b; b: unaligned. 1; ldind.i4; pop; ret", NULL},
        {"ldarg.0; ldarg.1; switch b; volatile.; b: ldind.i4; pop; ret",
         "a label between a prefix and its instruction"},
        {"a: nop; ldarg.0; volatile.; c: ldind.i4; pop; leave.s z; d: pop; leave.s z; z: ret; .catch a c d z",
         "a label between a prefix and its instruction"},
        {"nop; volatile.", "the code's end is reached"},
    };
    CHECK_ALL(state, checks);
}

static void code_must_not_run_past_its_end(void **state)
{
    static const struct check checks[] = {
        {"nop", "the code's end is reached"},
        {"ldarg.0; pop; call " VOID_CALL, "the code's end is reached"},
        {"a: ldarg.0; brtrue.s a", "the code's end is reached"},
        {"ret; nop", "the code's end is reached"}, // the JIT looks at unreachable code_must_not_run_past_its_end too
        {"a: br.s a", NULL},
        {"ret; ldnull; throw", NULL},
    };
    CHECK_ALL(state, checks);
}

static void instructions_must_be_allowed_in_their_region(void **state)
{
    static const struct check checks[] = {
        {"a: ret; c: pop; leave.s z; z: ret; .catch a c c z", "a ret inside a region"},
        {"a: leave.s z; c: pop; ret; z: ret; .catch a c c z", "a ret inside a region"},
        {"a: jmp " VOID_CALL "; c: endfinally; z: ret; .finally a c c z", "a jmp inside a region"},
        {"endfinally", "an endfinally outside a finally or fault"},
        {"a: endfinally; c: endfinally; .finally a c c $", "an endfinally outside a finally or fault"},
        {"a: leave.s z; c: pop; endfinally; z: ret; .catch a c c z", "an endfinally outside a finally or fault"},
        {"a: leave.s z; c: endfinally; z: ret; .finally a c c z", NULL},
        {"a: leave.s z; c: ldarg.0; endfinally; z: ret; .finally a c c z", NULL},
        {"a: leave.s z; c: endfinally; z: ret; .fault a c c z", NULL},
        // In a try of the finally: first refused, then with the endfinally where it belongs.
        {"a: leave.s z; c: endfinally; d: pop; leave.s y; y: endfinally; z: ret; .catch c d d y; .finally a c c z",
         "an endfinally outside a finally or fault"},
        {"a: leave.s z; c: leave.s y; d: pop; leave.s y; y: endfinally; z: ret; .catch c d d y; .finally a c c z",
         NULL},
        {"ldarg.0; endfilter", "an endfilter elsewhere than at a filter's end"},
        {"a: leave.s z; f: pop; ldarg.0; endfilter; c: endfilter; z: ret; .filter a f f c z",
         "an endfilter elsewhere than at a filter's end"},
        {"a: leave.s z; f: pop; ldarg.0; endfilter; c: pop; leave.s z; z: ret; .filter a f f c z", NULL},
        {"a: leave.s z; f: dup; endfilter; c: pop; leave.s z; z: ret; .filter a f f c z",
         "an endfilter with a stack other than its value"},
        {"a: leave.s z; f: pop; ldarg.0; brtrue.s g; ldc.i4.0; endfilter; g: ldc.i4.1; endfilter;"
         "c: pop; leave.s z; z: ret; .filter a f f c z",
         "an endfilter elsewhere than at a filter's end"},
        {"a: leave.s z; f: pop; ldarg.0; pop; c: pop; leave.s z; z: ret; .filter a f f c z",
         "a filter that does not end with endfilter"},
        {"rethrow", "a rethrow in a method without handlers"},
        {"a: rethrow; c: pop; rethrow; z: ret; .catch a c c z", NULL}, // as the JIT: it looks no further
        {"a: leave.s z; c: pop; rethrow; z: ret; .catch a c c z", NULL},
        {"a: leave.s z; c: pop; d: rethrow; e: pop; rethrow; z: ret; .catch d e e z; .catch a c c z", NULL},
        {"a: leave.s z; c: rethrow; z: ret; .finally a c c z", NULL},
        {"a: leave.s z; c: pop; d: leave.s y; e: rethrow; y: leave.s z; z: ret; .finally d e e y; .catch a c c z",
         NULL},
        {"a: leave.s z; c: pop; d: ldnull; throw; e: rethrow; z: ret; .fault d e e z; .catch a c c z", NULL},
        {"a: leave.s z; f: rethrow; ldarg.0; endfilter; c: pop; rethrow; z: ret; .filter a f f c z", NULL},
        {"a: leave.s z; c: localloc; pop; leave.s z; z: ret; .catch a c c z", "a localloc inside a handler"},
        {"a: ldarg.0; localloc; pop; leave.s z; c: pop; leave.s z; z: ret; .catch a c c z", NULL},
        {"ldarg.0; a: pop; leave.s z; c: pop; leave.s z; z: ret; .catch a c c z",
         "a try entered with something on the stack"},
        {"ldarg.0; ldarg.1; brtrue.s a; pop; a: leave.s z; c: pop; leave.s z; z: ret; .catch a c c z",
         "a try entered with something on the stack"},
        {"a: ldarg.0; leave.s z; c: leave.s z; z: ret; .catch a c c z", NULL}, // leave empties the stack
        {"a: leave.s z; c: leave.s z; z: ret; .catch a c c z 0x06000001", "a catch of no type"},
        {"a: leave.s z; c: leave.s z; z: ret; .catch a c c z 0", "a catch of no type"},
    };
    CHECK_ALL(state, checks);
}

static void regions_must_be_nested_and_ordered(void **state)
{
    static const struct check checks[] = {
        {"a: leave.s z; c: pop; leave.s z; z: ret; .catch a a c z", "an empty region"},
        {"a: leave.s z; c: pop; leave.s z; z: ret; .catch a c c c", "an empty region"},
        {"a: leave.s z; f: pop; leave.s z; z: ret; .filter a f f f z", "an empty region"},
        {"a: nop; c: pop; leave.s z; z: ret; .catch a z c z", "a region overlaps its own handler"},
        // Two tries with one handler.
        {"a: leave.s z; b: leave.s z; c: pop; leave.s z; z: ret; .catch a b c z; .catch b c c z",
         "a handler is shared"},
        {"a: leave.s z; c: endfinally; d: endfinally; z: ret; .finally a c c d; .finally a c d z",
         "a try with a finally or fault has other handlers"},
        {"a: leave.s z; c: pop; leave.s z; d: pop; leave.s z; z: ret; .catch a c c d; .catch a c d z", NULL},
        {"a: nop; b: nop; c: leave.s z; d: pop; leave.s z; e: pop; leave.s z; z: ret; .catch a c d e; .catch b d e z",
         "regions overlap"},
        {"a: leave.s z; b: leave.s z; d: pop; e: leave.s z; f: leave.s z; z: ret; .catch a b d f; .catch b d d z",
         "handlers start at the same place"},
        {"a: leave.s z; f: pop; b: leave.s g; h: pop; leave.s g; g: ldarg.0; endfilter; c: pop; leave.s z; z: ret;"
         ".catch b h h g; .filter a f f c z",
         "a region inside a filter"},
        {"a: leave.s z; f: pop; b: leave.s g; h: pop; leave.s g; g: ldarg.0; endfilter; c: pop; leave.s z; z: ret;"
         ".filter a f f c z; .catch b h h g",
         "a region inside a filter"},
        {"a: nop; b: leave.s y; c: pop; leave.s y; y: leave.s z; d: pop; leave.s z; z: ret; .catch b c c y; .catch a d "
         "d z",
         NULL},
        {"a: nop; b: leave.s y; c: pop; leave.s y; y: leave.s z; d: pop; leave.s z; z: ret; .catch a d d z; .catch b c "
         "c y",
         "an inner region comes after its outer one"},
        // Inside a handler too, though the JIT would sort some such tables: others it refuses.
        {"a: leave.s z; c: pop; b: leave.s y; d: pop; leave.s y; y: leave.s z; z: ret; .catch a c c z; .catch b d d y",
         "an inner region comes after its outer one"},
        {"a: nop; b: leave.s z; y: leave.s z; c: pop; leave.s z; d: pop; leave.s z; z: ret; .catch b y d z; .catch a c "
         "c d",
         "a region lies partly inside another"},
    };
    CHECK_ALL(state, checks);
}

static void branches_between_regions_must_be_allowed(void **state)
{
    static const struct check checks[] = {
        {"nop; br.s c; a: leave.s z; c: pop; leave.s z; z: ret; .catch a c c z", "control enters a handler"},
        {"a: nop; c: pop; leave.s z; z: ret; .catch a c c z", "control enters a handler"},
        {"a: leave.s z; c: pop; br.s z; z: ret; .catch a c c z", "control leaves a handler other than by leave"},
        {"a: leave.s z; c: pop; z: ret; .catch a c c z", "control leaves a handler other than by leave"},
        {"a: leave.s z; c: leave.s z; z: ret; .finally a c c z", "a leave out of a finally or fault"},
        {"a: leave.s z; c: leave.s z; z: ret; .fault a c c z", "a leave out of a finally or fault"},
        {"a: leave.s z; f: leave.s z; ldarg.0; endfilter; c: pop; leave.s z; z: ret; .filter a f f c z",
         "a leave out of a filter"},
        {"a: leave.s z; f: pop; ldarg.0; brtrue.s c; ldarg.0; endfilter; c: pop; leave.s z; z: ret; .filter a f f c z",
         "control goes between a filter and its handler"},
        // From one catch into the other of the same try.
        {"a: leave.s z; c: pop; leave.s d; d: pop; leave.s z; z: ret; .catch a c c d; .catch a c d z",
         "a leave into a handler"},
        // Out of a catch that is in a finally.
        {"a: leave.s z; f: leave.s y; c: pop; leave.s z; y: endfinally; z: ret; .catch f c c y; .finally a f f z",
         "a leave out of a finally or fault"},
        {"a: nop; br.s z; c: pop; leave.s z; z: ret; .catch a c c z", "control leaves a try other than by leave"},
        {"a: ldarg.0; brtrue.s z; leave.s z; c: pop; leave.s z; z: ret; .catch a c c z",
         "control leaves a try other than by leave"},
        {"ldarg.0; brtrue.s b; a: nop; b: leave.s z; c: pop; leave.s z; z: ret; .catch a c c z",
         "control enters the middle of a try"},
        {"ldarg.0; brtrue.s a; nop; a: nop; leave.s z; c: pop; leave.s z; z: ret; .catch a c c z", NULL},
        // Into the first instruction of an inner try, which is the middle of the outer one.
        {"ldarg.0; brtrue.s b; a: nop; b: leave.s y; c: pop; leave.s y; y: leave.s z; d: pop; leave.s z; z: ret;"
         ".catch b c c y; .catch a d d z",
         "control enters the middle of a try"},
        {"ldarg.0; brtrue.s b; nop; b: leave.s y; c: pop; leave.s y; y: leave.s z; d: pop; leave.s z; z: ret;"
         ".catch b c c y; .catch b d d z",
         NULL},
        {"a: ldarg.0; brtrue.s b; leave.s z; b: leave.s z; c: pop; leave.s z; d: pop; leave.s z; z: ret;"
         ".catch a b c d; .catch b c d z",
         "control goes from one try into another"},
        {"a: leave.s b; b: leave.s z; c: pop; leave.s z; d: pop; leave.s z; z: ret; .catch a b c d; .catch b c d z",
         NULL},
        {"a: leave.s y; b: nop; y: leave.s z; c: pop; leave.s z; d: pop; leave.s z; z: ret;"
         ".catch a b c d; .catch b c d z",
         "a leave into the middle of a try"},
        // From a catch back into its own try, at any place: Visual Basic's Resume.
        {"a: nop; b: nop; leave.s z; c: pop; leave.s b; z: ret; .catch a c c z", NULL},
        {"a: nop; b: nop; x: nop; leave.s z; c: pop; leave.s z; e: pop; leave.s b; z: ret; .catch b c c e; .catch a e "
         "e z",
         NULL},
        {"a: nop; b: nop; x: nop; leave.s z; c: pop; leave.s z; e: pop; leave.s x; z: ret; .catch b c c e; .catch a e "
         "e z",
         "control enters the middle of a try"},
        {"a: nop; leave.s z; c: pop; leave.s b; z: nop; d: nop; b: leave.s y; e: pop; leave.s y; y: ret;"
         ".catch a c c z; .catch d e e y",
         "control enters the middle of a try"},
        // A leave in no region at all only empties the stack.
        {"ldarg.0; leave.s z; z: ret", NULL},
        // The rules hold for unreachable code as well.
        {"ret; ldarg.0; brtrue.s b; a: nop; b: leave.s z; c: pop; leave.s z; z: ret; .catch a c c z",
         "control enters the middle of a try"},
        {"ldarg.0; switch b; nop; a: nop; b: leave.s z; c: pop; leave.s z; z: ret; .catch a c c z",
         "control enters the middle of a try"},
    };
    CHECK_ALL(state, checks);
}

static void broken_lists_are_noticed(void **state)
{
    struct fixture *fixture = *state;
    const char *reason;
    read_text(fixture, "br.s z; z: ret", 8);
    fixture->body.first->operand.branch = il_new(&fixture->body, IL_NOP, 0); // in no list
    assert_int_equal(il_verify(&fixture->body, &of_void, &tokens, &reason), CLEW_MALFORMED);
    assert_string_equal(reason, "a label outside the code");
    fixture->body.first->operand.branch = NULL;
    assert_int_equal(il_verify(&fixture->body, &of_void, &tokens, &reason), CLEW_MALFORMED);
    assert_string_equal(reason, "a label outside the code");
    fixture->body.first->operand.branch = fixture->body.end;
    assert_int_equal(il_verify(&fixture->body, &of_void, &tokens, &reason), CLEW_MALFORMED);
    assert_string_equal(reason, "a label outside the code");

    read_text(fixture, "ret", 8);
    il_insert_before(&fixture->body, fixture->body.first, il_new(&fixture->body, (enum il_opcode)0x24, 0));
    assert_int_equal(il_verify(&fixture->body, &of_void, &tokens, &reason), CLEW_MALFORMED);
    assert_string_equal(reason, "an unknown opcode");

    read_text(fixture, "ret", 8);
    fixture->body.first = fixture->body.end;
    assert_int_equal(il_verify(&fixture->body, &of_void, &tokens, &reason), CLEW_MALFORMED);
    assert_string_equal(reason, "no code");

    read_text(fixture, "ret", 8);
    fixture->body.region_count = 1U << 20;
    fixture->body.regions = NULL; // refused before it is looked at
    assert_int_equal(il_verify(&fixture->body, &of_void, &tokens, &reason), CLEW_MALFORMED);
    assert_string_equal(reason, "too many regions");
}

// The native stack must not grow with the code: a long chain of branches, and one of tries each in the last's finally.
static void long_chains_take_no_native_stack(void **state)
{
    struct fixture *fixture = *state;
    enum { LINKS = 100000 };
    read_text(fixture, "ret", 8);
    struct il_instruction *last = fixture->body.first;
    for (unsigned i = 0; i < LINKS; i++) {
        struct il_instruction *branch = il_new_branch(&fixture->body, IL_BR, last);
        il_insert_before(&fixture->body, fixture->body.first, branch);
        last = branch;
    }
    const char *reason;
    assert_int_equal(il_verify(&fixture->body, &of_void, &tokens, &reason), CLEW_OK);
}

// A module of one method: RVA, ImplFlags, Flags, Name, Signature, ParamList, and the signature at 1 in the blobs.
static struct il_method_shape shape_of(uint16_t impl_flags, const uint8_t *signature, uint8_t size)
{
    uint8_t row[] = {0, 0, 0, 0, (uint8_t)impl_flags, (uint8_t)(impl_flags >> 8), 0, 0, 0, 0, 1, 0, 1, 0};
    uint8_t blobs[32] = {0, size};
    memcpy(blobs + 2, signature, size);
    struct metadata metadata = {.blobs = bytes_of(blobs, sizeof blobs)};
    metadata.tables[TABLE_METHOD_DEF] = (struct metadata_layout){.rows = row,
                                                                 .row_count = 1,
                                                                 .row_size = sizeof row,
                                                                 .column_count = 6,
                                                                 .offset = {0, 4, 6, 8, 10, 12},
                                                                 .width = {4, 2, 2, 2, 2, 2}};
    struct il_method_shape shape;
    assert_int_equal(il_shape(&metadata, 0x06000001, &shape), CLEW_OK);
    return shape;
}

static void stack_effects_come_from_signatures(void **state)
{
    (void)state;
    enum { ASYNC = 0x2000 };
    static const uint8_t instance[] = {0x20, 2, 0x08, 0x08, 0x08};             // instance int (int, int)
    static const uint8_t task[] = {0x00, 0, 0x12, 0x05};                       // Task ()
    static const uint8_t value_task[] = {0x00, 0, 0x1F, 0x05, 0x11, 0x05};     // modreq ValueTask ()
    static const uint8_t task_of_int[] = {0x00, 0, 0x15, 0x12, 0x05, 1, 0x08}; // Task<int> ()
    static const uint8_t nothing[] = {0x00, 0, 0x01};
    struct il_method_shape shape = shape_of(0, instance, sizeof instance);
    assert_int_equal(shape.argument_count, 3);
    assert_int_equal(shape.local_count, UINT32_MAX);
    assert_true(shape.returns_value);
    assert_true(shape_of(0, task, sizeof task).returns_value);
    assert_false(shape_of(ASYNC, task, sizeof task).returns_value);
    assert_false(shape_of(ASYNC, value_task, sizeof value_task).returns_value);
    assert_true(shape_of(ASYNC, task_of_int, sizeof task_of_int).returns_value);
    assert_true(shape_of(ASYNC, instance, sizeof instance).returns_value);
    assert_false(shape_of(ASYNC, nothing, sizeof nothing).returns_value);
    assert_int_equal(il_shape(&no_rows, 0x06000001, &shape), CLEW_MALFORMED);
}

static void locals_are_counted(void **state)
{
    (void)state;
    uint32_t count = 7;
    assert_int_equal(il_local_count(&tokens, 0, &count), CLEW_OK);
    assert_int_equal(count, 0);
    assert_int_equal(il_local_count(&tokens, 0x11000001, &count), CLEW_MALFORMED); // of a method, not of locals
    assert_int_equal(il_local_count(&tokens, 0x11000002, &count), CLEW_OK);
    assert_int_equal(count, 2);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(stack_depths_are_checked),
        TEST(the_limit_of_the_header_is_checked),
        TEST(the_limit_of_all_headers_is_checked),
        TEST(stacks_must_agree_where_paths_join),
        TEST(calls_must_find_their_arguments),
        TEST(numbers_and_tokens_must_exist),
        TEST(prefixes_must_fit_their_instruction),
        TEST(code_must_not_run_past_its_end),
        TEST(instructions_must_be_allowed_in_their_region),
        TEST(regions_must_be_nested_and_ordered),
        TEST(branches_between_regions_must_be_allowed),
        TEST(broken_lists_are_noticed),
        TEST(long_chains_take_no_native_stack),
        TEST(stack_effects_come_from_signatures),
        TEST(locals_are_counted),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
