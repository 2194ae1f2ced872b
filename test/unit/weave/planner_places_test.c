// An address is followed back to the place that it is the address of, as far as that is certain.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include "bodies.h"
#include "made_world.h"
#include "weave/plan/planner.h"

static struct made_body made;
static struct planner planner;

static int release(void **state)
{
    (void)state;
    made_body_free(&made);
    return 0;
}

static void open_planner(uint32_t method, const char *text)
{
    planner = (struct planner){.body = made_body(&made, text)};
    assert_int_equal(il_scope_open(&world_module.metadata, method, 0x11000001, NULL, &made.arena, &planner.scope),
                     CLEW_OK);
    assert_int_equal(il_stacks(planner.body, &planner.scope, &planner.stacks), CLEW_OK);
}

// What is on top of the stack before the last instruction but one, which takes it.
static const struct il_slot *top_of(uint32_t method, const char *text)
{
    open_planner(method, text);
    return il_stack_before(&planner.stacks, &planner.body->originals[planner.body->instruction_count - 2]);
}

static struct target target_of(uint32_t method, const char *text)
{
    return planner_target(&planner, top_of(method, text));
}

static void expect_place(const char *text, enum site_place place, uint32_t index)
{
    uint32_t found = UINT32_MAX;
    const struct il_body *body = made_body(&made, text);
    assert_int_equal(planner_place_of(body->first, &found), place);
    if (place != PLACE_NONE) {
        assert_int_equal(found, index);
    }
    made_body_free(&made);
}

static void an_instruction_s_place_is_its_variable_or_field(void **state)
{
    (void)state;
    expect_place("ldloc.3; ret", PLACE_LOCAL, 3);
    expect_place("stloc.s 9; ret", PLACE_LOCAL, 9);
    expect_place("ldloca 300; ret", PLACE_LOCAL, 300);
    expect_place("starg.s 2; ret", PLACE_PARAMETER, 2);
    expect_place("stfld 0x04000007; ret", PLACE_FIELD, 0x04000007);
    expect_place("ldsflda 0x04000008; ret", PLACE_STATIC_FIELD, 0x04000008);
    expect_place("ldelem.i4; ret", PLACE_NONE, 0);
    made_body(&made, "ret");
}

static void a_variable_s_address_is_the_variable(void **state)
{
    (void)state;
    struct target target = target_of(MAIN, "ldloca.s 2; initobj 0x02000002; ret");
    assert_int_equal(target.root, ROOT_LOCAL);
    assert_int_equal(target.number, 2);
    assert_int_equal(target.levels, 0);
    assert_true(planner_is_variable(&target));
}

// Of fields within fields, the variable is the root, and the field that it itself has.
static void an_address_of_a_field_is_followed_to_the_variable(void **state)
{
    (void)state;
    char text[128];
    (void)snprintf(text, sizeof text, "ldloca.s 3; ldflda 0x%x; ldflda 0x%x; ldind.i4; pop; ret", LINE_B, POINT_Y);
    struct target target;
    open_planner(MAIN, text);
    target = planner_target(&planner, il_stack_before(&planner.stacks, &planner.body->originals[3]));
    assert_int_equal(target.root, ROOT_LOCAL);
    assert_int_equal(target.number, 3);
    assert_int_equal(target.field, LINE_B);
    assert_int_equal(target.levels, 2);
    assert_int_equal(target.name.index, POINT_Y); // it is called by the innermost
}

static void a_field_of_this_is_of_this_unless_this_changes(void **state)
{
    (void)state;
    char text[96];
    (void)snprintf(text, sizeof text, "ldarg.0; ldflda 0x%x; initobj 0x02000002; ret", CLASS_P);
    struct target target = target_of(CLASS_GET, text);
    assert_int_equal(target.root, ROOT_THIS);
    assert_int_equal(target.field, CLASS_P);
    assert_true(planner_is_this(&planner, il_stack_before(&planner.stacks, &planner.body->originals[1])));
    planner.this_changes = true;
    target = planner_target(&planner, il_stack_before(&planner.stacks, &planner.body->originals[2]));
    assert_int_equal(target.root, ROOT_ELSEWHERE);
    assert_int_equal(target.name.index, CLASS_P); // its name is known all the same
}

static void an_address_from_elsewhere_is_valid_inside_an_object(void **state)
{
    (void)state;
    char text[96];
    const struct il_slot *top = top_of(MAIN, "ldloc.s 13; ldc.i4.0; ldelema 0x02000002; initobj 0x02000002; ret");
    assert_int_equal(planner_target(&planner, top).root, ROOT_ELSEWHERE);
    assert_true(planner_is_sound(&planner, top));
    made_body_free(&made);
    (void)snprintf(text, sizeof text, "ldloc.s 8; ldflda 0x%x; initobj 0x02000002; ret", CLASS_P);
    assert_true(planner_is_sound(&planner, top_of(MAIN, text)));
    made_body_free(&made);
    assert_false(planner_is_sound(&planner, top_of(MAIN, "ldloc.s 6; initobj 0x02000002; ret"))); // a ref local
    made_body_free(&made);
    (void)snprintf(text, sizeof text, "ldloc.s 6; ldflda 0x%x; initobj 0x02000002; ret", POINT_X); // and a field there
    assert_false(planner_is_sound(&planner, top_of(MAIN, text)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(an_instruction_s_place_is_its_variable_or_field, release),
        cmocka_unit_test_teardown(a_variable_s_address_is_the_variable, release),
        cmocka_unit_test_teardown(an_address_of_a_field_is_followed_to_the_variable, release),
        cmocka_unit_test_teardown(a_field_of_this_is_of_this_unless_this_changes, release),
        cmocka_unit_test_teardown(an_address_from_elsewhere_is_valid_inside_an_object, release),
    };
    made_world();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    made_free(&world_module);
    made_types_free(&world_types);
    return failed;
}
