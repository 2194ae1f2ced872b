// What a site is called, and which names the items of tuples at it have: where the tuple came from says it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../il/assemble.h"
#include "../il/made_metadata.h"
#include "weaving.h"

// TypeRefs by row, as signatures name them.
#define PAIR 0x15, 0x11, 2 << 2 | 1, 2, 0x08, 0x0E
#define OUTER 0x15, 0x11, 2 << 2 | 1, 2, 0x08, PAIR
#define BOX 0x15, 0x12, 3 << 2 | 1, 1, PAIR

static struct made_metadata module;
static struct made_types types;

// Tokens, which follow from the order in make_module().
enum {
    PAIR_TYPE = 0x1B000001,
    OUTER_TYPE,
    BOX_TYPE,
    PAIR_ITEM_1 = 0x0A000001,
    PAIR_ITEM_2,
    OUTER_ITEM_2,
    BOX_VALUE,
    FIELD = 0x04000001, // C.field
    STATIC_FIELD,
    SECRET,
    RUN = 0x06000001, // ValueTuple<int, string> C.Run(ValueTuple<int, string>)
};

static int make_module(void **state)
{
    (void)state;
    made_begin(&module);
    made_type_ref(&module, "System", "Object");
    made_type_ref(&module, "System", "ValueTuple`2");
    made_type_ref(&module, "Mine", "Box`1");
    made_type_def(&module, "C", TOKEN(TABLE_TYPE_REF, 1));
    made_field(&module, "field", SIG(6, PAIR));
    made_field(&module, "statics", SIG(6, PAIR));
    made_field(&module, "secret", SIG(6, PAIR));
    made_method(&module, "Run", SIG(0x20, 1, PAIR, PAIR));
    uint32_t pair = made_signature_row(&module, TABLE_TYPE_SPEC, SIG(PAIR));
    uint32_t outer = made_signature_row(&module, TABLE_TYPE_SPEC, SIG(OUTER));
    uint32_t box = made_signature_row(&module, TABLE_TYPE_SPEC, SIG(BOX));
    made_member(&module, pair, "Item1", SIG(6, 0x13, 0));
    made_member(&module, pair, "Item2", SIG(6, 0x13, 1));
    made_member(&module, outer, "Item2", SIG(6, 0x13, 1));
    made_member(&module, box, "Value", SIG(6, 0x13, 0));
    made_signature_row(&module, TABLE_STAND_ALONE_SIG,
                       SIG(0x07, 7, PAIR, OUTER, BOX, 0x1D, PAIR, 0x10, PAIR, PAIR, 0x1D, 0x1D, PAIR));
    made_open(&module);
    return 0;
}

static int free_module(void **state)
{
    (void)state;
    made_free(&module);
    made_types_free(&types);
    return 0;
}

// -- Questions --------------------------------------------------------------------------------------------------------

static struct weave_name made_name(void *context, enum site_place place, uint32_t index, uint32_t il_offset,
                                   uint32_t next)
{
    static const char *const locals[] = {"pair", "outer", "box", "list", "reference", "login", "lists"};
    (void)context;
    (void)il_offset;
    (void)next;
    switch (place) {
    case PLACE_LOCAL:
        return (struct weave_name){text_of(locals[index]), VARIABLE_PLAIN};
    case PLACE_PARAMETER:
        return (struct weave_name){text_of(index ? "input" : "this"), index ? VARIABLE_PLAIN : VARIABLE_THIS};
    default: // both tables have the name in column 1
        return (struct weave_name){
            metadata_string(&module.metadata,
                            metadata_column(&module.metadata, TOKEN_TABLE(index), TOKEN_ROW(index), 1)),
            VARIABLE_PLAIN};
    }
}

static struct text made_tuple_names(void *context, enum site_place place, uint32_t index, uint32_t il_offset,
                                    uint32_t next, struct bytes signature)
{
    static const char *const locals[] = {"(Count,Name)", "(,Inner(a,b))", "<(x,y)>", "(i,t)",
                                         "(r,s)",        "(User,secret)", "(m,n)"};
    (void)context;
    (void)il_offset;
    (void)next;
    switch (place) {
    case PLACE_LOCAL:
        assert_true(bytes_left(&signature) > 0);
        return text_of(locals[index]);
    case PLACE_PARAMETER:
        return text_of(index ? "(p,q)" : "");
    case PLACE_RESULT:
        return text_of("(Sum,Product)");
    default:
        return text_of(index == BOX_VALUE ? "!0" : TOKEN_TABLE(index) == TABLE_FIELD ? "(fc,fn)" : "!9");
    }
}

static bool made_redacted(void *context, enum site_place place, uint32_t index, struct text name,
                          struct bytes signature)
{
    (void)context;
    (void)place;
    (void)index;
    (void)signature;
    return text_equal(name, text_of("secret"));
}

// -- Sites ------------------------------------------------------------------------------------------------------------

static void describe(const struct site *site, struct buffer *out)
{
    buffer_text(out, out->size ? "; " : "");
    buffer_append(out, site->owner_name.at, site->owner_name.size);
    buffer_text(out, site->owner_name.size ? "." : "");
    buffer_append(out, site->name.at, site->name.size);
    buffer_text(out, site->name.size && site->tuple_names.size ? " " : "");
    buffer_append(out, site->tuple_names.at, site->tuple_names.size);
    buffer_text(out, site->reason == REASON_REDACTED ? " redacted" : "");
}

// Those of a body, but for its arguments.
static void expect_of(uint32_t instruments, const char *text, const char *expected)
{
    static const struct weave_queries queries = {.context = &types,
                                                 .name = made_name,
                                                 .tuple_names = made_tuple_names,
                                                 .redacted = made_redacted,
                                                 .type_token = made_token};
    const struct weave_method method = {.metadata = &module.metadata,
                                        .token = RUN,
                                        .instruments = instruments,
                                        .queries = &queries,
                                        .struct_limit = 256,
                                        .room = 1024};
    struct buffer bytes = {0}, said = {0};
    struct arena arena = {0};
    struct il_body body;
    struct weave_plan plan;
    assemble(text, ASSEMBLE_INIT_LOCALS, 8, &bytes);
    assert_int_equal(il_decode(bytes_of(bytes.data, bytes.size), &arena, &body), CLEW_OK);
    assert_int_equal(weave_plan(&body, &method, &plan), CLEW_OK);
    for (uint32_t i = 0; i < plan.count; i++) {
        if (plan.sites[i].kind != SITE_ARGUMENT) {
            describe(&plan.sites[i], &said);
        }
    }
    buffer_u8(&said, 0);
    assert_string_equal((const char *)said.data, expected);
    buffer_free(&bytes);
    buffer_free(&said);
    arena_free(&arena);
}

#define END "; ldarg.1; ret"
#define RETURNS "; (Sum,Product)"

static void expect(const char *text, const char *expected)
{
    char whole[512], said[256];
    (void)snprintf(whole, sizeof whole, "%s" END, text);
    (void)snprintf(said, sizeof said, "%s" RETURNS, expected);
    expect_of(INSTRUMENT_VALUES, whole, said);
}

#define ITEM_1 "0x0A000001"
#define ITEM_2 "0x0A000002"
#define INNER "0x0A000003"
#define VALUE "0x0A000004"

static void test_places_have_the_names_of_their_type(void **state)
{
    (void)state;
    expect("ldarg.1; stloc.0", "pair (Count,Name)");
    expect("ldarg.1; starg.s 1", "input (p,q)");
    expect("ldarg.1; stsfld 0x04000002", "statics (fc,fn)");
    expect("ldarg.0; ldarg.1; stfld 0x04000001", "field (fc,fn)");
    expect("ldloc.s 4; ldarg.1; stobj 0x1B000001", "reference (r,s)");
}

static void test_items_of_a_tuple_in_a_variable_are_called_by_their_names(void **state)
{
    (void)state;
    expect("ldloca.s 0; ldc.i4.5; stfld " ITEM_1, "pair.Count");
    expect("ldloca.s 0; ldflda " ITEM_1 "; dup; ldind.i4; ldc.i4.1; add; stind.i4", "pair.Count");
    expect("ldloca.s 1; ldflda " INNER "; ldc.i4.5; stfld " ITEM_1, "outer.Inner (a,b)");
    expect("ldarga.s 1; ldnull; stfld " ITEM_2, "input.q");
}

static void test_items_of_a_tuple_elsewhere_are_called_by_their_names(void **state)
{
    (void)state;
    expect("ldarg.0; ldflda 0x04000001; ldc.i4.5; stfld " ITEM_1, "fc");
    expect("ldarg.0; ldflda 0x04000001; ldflda " ITEM_1 "; dup; ldind.i4; ldc.i4.1; add; stind.i4", "fc");
    expect("ldsflda 0x04000002; ldnull; stfld " ITEM_2, "fn");
    expect("ldloc.s 4; ldnull; stfld " ITEM_2, "s");
    expect("ldloc.2; ldflda " VALUE "; ldc.i4.5; stfld " ITEM_1, "x");
}

static void test_items_of_arrays_have_the_names_of_the_array(void **state)
{
    (void)state;
    expect("ldloc.3; ldc.i4.0; ldarg.1; stelem 0x1B000001", "(i,t)");
    expect("ldloc.3; ldc.i4.0; ldelema 0x1B000001; ldnull; stfld " ITEM_2, "t");
    expect("ldloc.s 6; ldc.i4.0; ldelem.ref; ldc.i4.0; ldarg.1; stelem 0x1B000001", "(m,n)");
}

static void test_fields_of_generic_types_have_the_names_of_their_argument(void **state)
{
    (void)state;
    expect("ldloc.2; ldarg.1; stfld " VALUE, "Value (x,y)");
}

static void test_uses_have_names_too(void **state)
{
    (void)state;
    expect_of(INSTRUMENT_VALUES | INSTRUMENT_USES, "ldloc.0; ldfld " ITEM_1 "; pop" END,
              "pair (Count,Name); pair.Count; input (p,q)" RETURNS);
}

static void test_a_tuple_with_a_redacted_item_is_left_out(void **state)
{
    (void)state;
    expect("ldarg.1; stloc.s 5", "login (User,secret) redacted");
    expect("ldloca.s 5; ldnull; stfld " ITEM_2, "login.secret redacted");
    expect("ldloca.s 5; ldnull; stfld " ITEM_1, "login.User");
    expect("ldarg.0; ldflda 0x04000003; ldflda " ITEM_1 "; dup; ldind.i4; ldc.i4.1; add; stind.i4", "fc redacted");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places_have_the_names_of_their_type),
        cmocka_unit_test(test_items_of_a_tuple_in_a_variable_are_called_by_their_names),
        cmocka_unit_test(test_items_of_a_tuple_elsewhere_are_called_by_their_names),
        cmocka_unit_test(test_items_of_arrays_have_the_names_of_the_array),
        cmocka_unit_test(test_fields_of_generic_types_have_the_names_of_their_argument),
        cmocka_unit_test(test_uses_have_names_too),
        cmocka_unit_test(test_a_tuple_with_a_redacted_item_is_left_out),
    };
    return cmocka_run_group_tests(tests, make_module, free_module);
}
