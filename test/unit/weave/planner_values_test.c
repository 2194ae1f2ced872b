// How values of each type are recorded, and which locals they pass through.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include "bodies.h"
#include "weave/plan/planner.h"
#include "woven.h"

static void type_parameters_are_recorded_with_their_actual_type(void **state)
{
    (void)state;
    struct given given = {.method = GENERIC,
                          .instruments = INSTRUMENT_VALUES | INSTRUMENT_USES,
                          .arguments = {5},
                          .locals_token = GENERIC_LOCALS};
    expect_given(&given, "ldarg.0; stloc.0; ret", "in P0=5 P0->5 L0=5");
    given.method = GENERIC_REF_STRUCT;
    expect_given(&given, "ldarg.0; stloc.0; ret", "in P0=5 P0->5 L0=5");
}

// -- One value --------------------------------------------------------------------------------------------------------

static struct made_body made;
static struct weave_method method;
static struct planner planner;

static void open_planner(uint32_t token, uint32_t locals_token)
{
    method = (struct weave_method){
        .metadata = &world_module.metadata, .token = token, .queries = &world_queries, .struct_limit = 16};
    planner = (struct planner){.body = made_body(&made, "ret"), .method = &method};
    assert_int_equal(il_scope_open(method.metadata, token, locals_token, NULL, &made.arena, &planner.scope), CLEW_OK);
}

static void expect_recorded(uint32_t local, enum site_encoding encoding, enum il_kind kind)
{
    struct value value = planner_value(&planner, planner.scope.locals[local]);
    assert_int_equal(value.encoding, encoding);
    assert_int_equal(value.kind, kind);
    assert_int_equal(value.reason, REASON_NONE);
}

static void a_value_is_recorded_as_its_type_says(void **state)
{
    (void)state;
    open_planner(MAIN, ALL_LOCALS);
    expect_recorded(0, VALUE_I4, IL_INT32);
    expect_recorded(1, VALUE_OBJECT, IL_OBJECT); // a string
    expect_recorded(2, VALUE_STRUCT, IL_VALUE);
    expect_recorded(5, VALUE_I4, IL_INT32);          // an enum, by its underlying type
    expect_recorded(6, VALUE_POINTER, IL_REFERENCE); // int&
    expect_recorded(7, VALUE_R8, IL_FLOAT64);
    expect_recorded(9, VALUE_OBJECT, IL_OBJECT); // an array
    expect_recorded(10, VALUE_R4, IL_FLOAT32);
    expect_recorded(11, VALUE_BOOLEAN, IL_INT32);
    expect_recorded(12, VALUE_I8, IL_INT64);
    expect_recorded(15, VALUE_POINTER, IL_NATIVE); // byte*
    made_body_free(&made);
}

// A copy of it would keep objects alive, so where it has references its local is cleared by its type all the same.
static void a_struct_above_the_limit_is_left_out(void **state)
{
    (void)state;
    open_planner(MAIN, ALL_LOCALS);
    method.struct_limit = 15;
    struct value line = planner_value(&planner, planner.scope.locals[3]);
    struct value big = planner_value(&planner, planner.scope.locals[4]);
    assert_int_equal(line.encoding, VALUE_NONE);
    assert_int_equal(line.reason, REASON_TOO_LARGE);
    assert_int_equal(line.token, 0);
    assert_int_equal(big.reason, REASON_TOO_LARGE);
    assert_int_equal(big.token, BIG);
    made_body_free(&made);
}

// The JIT makes a TypedReference to a ref struct as to any other value.
static void a_type_parameter_that_may_be_a_ref_struct_is_like_any_other(void **state)
{
    (void)state;
    open_planner(GENERIC, GENERIC_LOCALS);
    struct value plain = planner_value(&planner, planner.scope.arguments[0]);
    assert_int_equal(plain.encoding, VALUE_TYPED);
    assert_true(plain.token >= MADE_TYPE);
    made_body_free(&made);
    open_planner(GENERIC_REF_STRUCT, GENERIC_LOCALS);
    struct value perhaps = planner_value(&planner, planner.scope.arguments[0]);
    assert_int_equal(perhaps.encoding, VALUE_TYPED);
    assert_true(perhaps.token >= MADE_TYPE);
    made_body_free(&made);
}

static enum site_encoding moved(enum il_opcode opcode, uint32_t local)
{
    return planner_value_as(&planner, opcode, planner.scope.locals[local]).encoding;
}

// What the place is declared as says how the bits read, as long as there are as many of them.
static void an_instruction_shows_the_width_of_its_value(void **state)
{
    (void)state;
    open_planner(MAIN, ALL_LOCALS);
    assert_int_equal(moved(IL_STIND_I1, 0), VALUE_I1); // the lowest byte of an int
    assert_int_equal(moved(IL_STIND_I1, 11), VALUE_BOOLEAN);
    assert_int_equal(moved(IL_LDIND_U2, 0), VALUE_U2);
    assert_int_equal(moved(IL_STIND_I4, 10), VALUE_I4); // the bits of a float, as an integer
    assert_int_equal(moved(IL_STIND_R4, 10), VALUE_R4);
    assert_int_equal(moved(IL_STIND_R8, 12), VALUE_R8);
    assert_int_equal(moved(IL_STELEM_I8, 12), VALUE_I8);
    assert_int_equal(moved(IL_STIND_REF, 1), VALUE_OBJECT);
    assert_int_equal(moved(IL_STIND_REF, 0), VALUE_OBJECT); // of a place that nothing is known of
    made_body_free(&made);
}

// -- Locals -----------------------------------------------------------------------------------------------------------

// What is used at the same time has different roles; beside that, sites share locals of one type.
static void locals_are_shared_by_role_and_type(void **state)
{
    (void)state;
    static const uint8_t native[] = {ELEMENT_I};
    static const uint8_t types[] = {ELEMENT_OBJECT, ELEMENT_OBJECT, ELEMENT_I8, ELEMENT_I, ELEMENT_I};
    struct bytes all;
    open_planner(MAIN, ALL_LOCALS);
    assert_int_equal(planner_local_of_kind(&planner, ROLE_VALUE, IL_OBJECT), 0);
    assert_int_equal(planner_local_of_kind(&planner, ROLE_OWNER, IL_OBJECT), 1);
    assert_int_equal(planner_local_of_kind(&planner, ROLE_VALUE, IL_INT64), 2);
    assert_int_equal(planner_local_of_kind(&planner, ROLE_VALUE, IL_OBJECT), 0);
    assert_int_equal(planner_local(&planner, ROLE_FIXED, bytes_of(native, 1)), 3);
    assert_int_equal(planner_local(&planner, ROLE_FIXED, bytes_of(native, 1)), 4); // never shared
    assert_int_equal(planner_local_types(&planner, &all), CLEW_OK);
    assert_int_equal(bytes_left(&all), sizeof types);
    assert_memory_equal(all.at, types, sizeof types);
    made_body_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(type_parameters_are_recorded_with_their_actual_type),
        cmocka_unit_test(a_value_is_recorded_as_its_type_says),
        cmocka_unit_test(a_struct_above_the_limit_is_left_out),
        cmocka_unit_test(a_type_parameter_that_may_be_a_ref_struct_is_like_any_other),
        cmocka_unit_test(an_instruction_shows_the_width_of_its_value),
        cmocka_unit_test(locals_are_shared_by_role_and_type),
    };
    return cmocka_run_group_tests(tests, woven_set_up, woven_tear_down);
}
