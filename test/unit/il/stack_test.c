// The slots of stacks: kinds, types as signatures, and producers by their IL offsets.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include "assemble.h"
#include "il/stack.h"
#include "made_metadata.h"
#include "metadata/tables/type_refs.h"

enum {
    OBJECT_REF = 0x01000001,
    LIST_REF, // a class, which signatures say
    PAIR_REF, // a value type, the same
    LOST_REF, // of which nothing is known
    STRUCT = 0x02000002,
    GENERIC, // class Generic<T>
    STRUCT_X = 0x04000001,
    GENERIC_ITEM,
    STRUCT_GET = 0x06000001, // string Struct.Get(int)
    GENERIC_PUT,             // T Generic<T>.Put(T[])
    MAIN,                    // static void Generic<T>.Main<U>(U)
    LOST_CTOR = 0x0A000001,
    LIST_GET,            // !0 List<string>.get(int)
    ITEM_OF_INT,         // Generic<int>.item
    PUT_OF_INT,          // Generic<int>.Put
    LOCALS = 0x11000001, // int, string, Struct, List<string>, Struct[], ref int, byte*
    LIST_OF_STRING = 0x1B000001,
    GENERIC_OF_INT,
};

#define STRUCT_SIG 0x11, 2 << 2

static struct made_metadata module;
static uint8_t type_refs[8];

static void make_module(void)
{
    struct made_metadata *made = &module;
    made_begin(made);
    made_type_ref(made, "System", "Object");
    made_type_ref(made, "Lib", "List`1");
    made_type_ref(made, "Lib", "Pair");
    made_type_ref(made, "Lib", "Lost");
    uint32_t value = made_type_ref(made, "System", "ValueType");
    made_type_def(made, "Struct", value);
    made_field(made, "x", SIG(6, 0x08));
    made_method(made, "Get", SIG(0x20, 1, 0x0E, 0x08));
    made_type_def(made, "Generic`1", OBJECT_REF);
    made_field(made, "item", SIG(6, 0x13, 0));
    made_method(made, "Put", SIG(0x20, 1, 0x13, 0, 0x1D, 0x13, 0));
    made_method(made, "Main", SIG(0x10, 1, 1, 0x01, 0x1E, 0));
    made_member(made, LOST_REF, ".ctor", SIG(0x20, 0, 0x01));
    uint32_t list = made_signature_row(made, TABLE_TYPE_SPEC, SIG(0x15, 0x12, 2 << 2 | 1, 1, 0x0E));
    uint32_t generic = made_signature_row(made, TABLE_TYPE_SPEC, SIG(0x15, 0x12, 3 << 2, 1, 0x08));
    made_member(made, list, "get", SIG(0x20, 1, 0x13, 0, 0x08));
    made_member(made, generic, "item", SIG(6, 0x13, 0));
    made_member(made, generic, "Put", SIG(0x20, 1, 0x13, 0, 0x1D, 0x13, 0));
    made_signature_row(made, TABLE_STAND_ALONE_SIG,
                       SIG(0x07, 7, 0x08, 0x0E, STRUCT_SIG, 0x15, 0x12, 2 << 2 | 1, 1, 0x0E, 0x1D, STRUCT_SIG, 0x10,
                           0x08, 0x0F, 0x05));
    made_signature_row(made, TABLE_STAND_ALONE_SIG, SIG(0x07, 1, 0x11, 3 << 2 | 1));
    made_generic_parameter(made, 0, 0, 3 << 1);
    made_generic_parameter(made, 0, 0, 3 << 1 | 1);
    made_open(made);
    metadata_type_ref_kinds(&made->metadata, type_refs);
}

static void say_type(struct il_type type, struct buffer *out)
{
    static const char *const kinds[] = {"?", "i4", "i8", "i", "r4", "r8", "O", "&", "V"};
    buffer_text(out, kinds[type.kind]);
    for (const uint8_t *at = type.signature.at; at < type.signature.end; at++) {
        buffer_printf(out, "%c%x", at == type.signature.at ? ':' : '.', *at);
    }
}

// The stack before the last instruction, from the top down.
static void expect(const char *text, const char *stack)
{
    struct buffer bytes = {0}, said = {0};
    struct arena arena = {0};
    struct il_body body;
    struct il_scope scope;
    struct il_stacks stacks;
    assemble(text, 0, 8, &bytes);
    assert_int_equal(il_decode(bytes_of(bytes.data, bytes.size), &arena, &body), CLEW_OK);
    assert_int_equal(il_scope_open(&module.metadata, MAIN, LOCALS, type_refs, &arena, &scope), CLEW_OK);
    enum clew_error error = il_stacks(&body, &scope, &stacks);
    if (error != CLEW_OK) {
        buffer_text(&said, error == CLEW_MALFORMED ? "malformed" : "unsupported");
    } else if (!il_reached(&stacks, body.end - 1)) {
        buffer_text(&said, "unreached");
    } else {
        for (const struct il_slot *at = il_stack_before(&stacks, body.end - 1); at; at = at->below) {
            say_type(at->type, &said);
            if (at->producer) {
                buffer_printf(&said, "@%x", at->producer->offset);
            }
            buffer_text(&said, at->below ? " " : "");
        }
    }
    buffer_u8(&said, 0);
    assert_string_equal((const char *)said.data, stack);
    buffer_free(&bytes);
    buffer_free(&said);
    arena_free(&arena);
}

static void test_variables_have_their_declared_types(void **state)
{
    (void)state;
    expect("ldloc.0; ldloc.1; ldloc.2; ret", "V:11.8@2 O:e@1 i4:8@0");
    expect("ldloc.3; ret", "O:15.12.9.1.e@0");
    expect("ldloc.s 5; ldloc.s 6; ret", "i:f.5@2 &:8@0");
    expect("ldarg.0; ret", "V:1e.0@0");
    expect("ldloca.s 2; ret", "&:11.8@0");
}

static void test_members_of_instantiated_types(void **state)
{
    (void)state;
    expect("ldloc.3; ldc.i4.0; callvirt 0x0a000002; ret", "O:e@2"); // List<string>.get gives a string
    expect("ldnull; ldfld 0x0a000003; ret", "i4:8@1");
    expect("ldnull; ldnull; call 0x0a000004; ret", "i4:8@2");
    expect("ldnull; ldflda 0x0a000003; ret", "&:8@1");
    expect("ldnull; ldfld 0x04000002; ret", "V:13.0@1"); // the type's own parameter stays
}

static void test_instructions_push_their_types(void **state)
{
    (void)state;
    expect("ldc.i4.3; newarr 0x02000002; ret", "O:1d.11.8@1");
    expect("ldloc.s 4; ldc.i4.0; ldelema 0x02000002; ret", "&:11.8@3");
    expect("ldloc.s 4; ldc.i4.0; ldelema 0x02000002; ldfld 0x04000001; ret", "i4:8@8");
    expect("ldloc.2; box 0x02000002; ret", "O@1");
    expect("ldnull; unbox.any 0x02000002; ret", "V:11.8@1");
    expect("newobj 0x0a000001; ret", "?@0");
    expect("ldc.i4.0; conv.i8; ldc.r4 0; ldc.r8 0; ldc.i4.0; localloc; ret", "i@11 r8@7 r4@2 i8@1");
    expect("ldloca.s 0; ldc.i4.4; add; ret", "&:8@3");
    expect("ldloc.s 6; ldc.i4.4; conv.i; add; ret", "i:f.5@4");
    expect("ldc.i4.4; conv.i; ldloc.s 6; add; ret", "i:f.5@4");
    expect("ldloc.s 6; ldloc.s 6; sub; ret", "i@4");
    expect("ldloca.s 0; conv.u; ldloc.s 6; conv.i; ldc.i4.1; conv.u; ret", "i@7 i:f.5@5 i:f.8@2");
    expect("ldloc.s 6; ldflda 0x04000001; ret", "i@2");
    expect("ldloc.2; ldc.i4.1; call 0x06000001; ret", "O:e@2");
}

static void test_arithmetic_on_addresses_has_only_certain_kinds(void **state)
{
    (void)state;
    expect("ldloca.s 0; ldc.i4.4; sub.ovf; ret", "&:8@3");
    expect("ldc.i4.4; conv.i; ldloca.s 0; add.ovf.un; ret", "&:8@4");
    expect("ldc.i4.4; ldloca.s 0; sub; ret", "i@3");
    expect("ldloca.s 0; ldloca.s 0; sub; ret", "?@4");
    expect("ldloca.s 0; ldloca.s 0; add; ret", "?@4");
    expect("ldloca.s 0; ldc.i4.4; mul; ret", "?@3");
    expect("ldc.i4.4; ldloca.s 0; and; ret", "?@3");
    expect("ldloca.s 0; ldc.i4.4; shl; ret", "?@3");
    expect("ldloca.s 0; neg; not; ret", "?@3");
    expect("ldloc.1; ldc.i4.4; add; ret", "?@2"); // an object
    expect("ldc.i4.4; ldc.i8 1; add; ret", "i8@a");
    expect("ldc.i4.4; conv.r4; ldc.r8 1; add; ret", "r8@b");
    expect("ldloc.2; ldc.i4.4; or; ret", "i4@2"); // an enum, which may be a struct by its signature
}

static void test_dup_has_the_same_producer(void **state)
{
    (void)state;
    expect("ldloca.s 0; dup; ldc.i4.1; ret", "i4@3 &:8@0 &:8@0");
}

static void test_paths_that_meet_merge_their_types(void **state)
{
    (void)state;
    expect("ldc.i4.0; brtrue.s b; ldloc.1; br.s e; b: ldloc.1; e: ret", "O:e"); // equal types, two producers
    expect("ldc.i4.0; brtrue.s b; ldloc.1; br.s e; b: ldloc.3; e: ret", "O");   // two classes
    expect("ldc.i4.0; brtrue.s b; ldloc.1; br.s e; b: ldloc.0; e: ret", "?");   // nothing in common
    expect("ldloca.s 0; ldc.i4.0; brtrue.s b; nop; b: ret", "&:8@0");           // below it all
    expect("ldnull; a: pop; ldloc.1; ldc.i4.0; brtrue.s a; ret", "O:e@2");      // round a loop
    expect("ldc.i4.0; brtrue.s b; ldc.i4.0; b: ret", "malformed");
    expect("pop; ret", "malformed");
    expect("br.s b; a: nop; b: br.s b; ret", "unreached");
}

static void test_handlers_begin_with_the_caught_object(void **state)
{
    (void)state;
    expect("t: nop; l: leave.s l; h: rethrow\n.catch t h h $ 0x1b000001", "O:15.12.9.1.e");
    expect("t: nop; l: leave.s l; h: endfinally\n.finally t h h $", "");
}

static void test_signatures_show_the_kinds_of_type_refs(void **state)
{
    (void)state;
    assert_int_equal(type_refs[1], TYPE_REF_CLASS); // a base class
    assert_int_equal(type_refs[2], TYPE_REF_CLASS);
    assert_int_equal(type_refs[3], TYPE_REF_VALUE);
    assert_int_equal(type_refs[4], TYPE_REF_UNKNOWN);
}

static void test_this_is_a_reference_in_a_struct(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct il_scope scope;
    struct buffer said = {0};
    assert_int_equal(il_scope_open(&module.metadata, STRUCT_GET, 0, type_refs, &arena, &scope), CLEW_OK);
    say_type(scope.arguments[0], &said);
    buffer_text(&said, " ");
    say_type(scope.arguments[1], &said);
    buffer_text(&said, " ");
    say_type(scope.result, &said);
    assert_int_equal(il_scope_open(&module.metadata, GENERIC_PUT, 0, type_refs, &arena, &scope), CLEW_OK);
    buffer_text(&said, " ");
    say_type(scope.arguments[0], &said); // Generic<T> itself
    buffer_u8(&said, 0);
    assert_string_equal((const char *)said.data, "&:11.8 i4:8 O:e O:15.12.c.1.13.0");
    buffer_free(&said);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_variables_have_their_declared_types),
        cmocka_unit_test(test_members_of_instantiated_types),
        cmocka_unit_test(test_instructions_push_their_types),
        cmocka_unit_test(test_arithmetic_on_addresses_has_only_certain_kinds),
        cmocka_unit_test(test_dup_has_the_same_producer),
        cmocka_unit_test(test_paths_that_meet_merge_their_types),
        cmocka_unit_test(test_handlers_begin_with_the_caught_object),
        cmocka_unit_test(test_signatures_show_the_kinds_of_type_refs),
        cmocka_unit_test(test_this_is_a_reference_in_a_struct),
    };
    make_module();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    made_free(&module);
    return failed;
}
