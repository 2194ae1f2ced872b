// Local references that are another name of a variable: loads and stores through them are recorded as those of the
// variable, without an address.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include "woven.h"

static void expect_references(const char *text, const char *events)
{
    const struct given given = {
        .method = MAIN, .instruments = INSTRUMENT_VALUES | INSTRUMENT_USES, .locals_token = REFERENCE_LOCALS};
    expect_given(&given, text, events);
}

static void accesses_through_an_alias_are_those_of_the_variable(void **state)
{
    (void)state;
    expect_references("ldloca.s 0; stloc.1; ldloc.1; ldnull; stind.ref; ret", "L1=<unsafe> L1-><unsafe> L0=null");
    expect_references("ldloca.s 0; stloc.1; ldloc.1; ldind.ref; pop; ret", "L1=<unsafe> L1-><unsafe> L0->null");
}

static void an_alias_is_set_once_and_does_not_escape(void **state)
{
    (void)state;
    expect_references("ldloca.s 0; stloc.1; ldloca.s 0; stloc.1; ldloc.1; ldnull; stind.ref; ret",
                      "L1=& L1=& L1->& @.*=null");
    expect_references("ldloca.s 0; stloc.1; ldloc.1; dup; pop; ldnull; stind.ref; ret", "L1=& L1->& @.*=null");
    expect_references("ldloca.s 0; stloc.1; ldloc.1; stloc.s 4; ldloc.s 4; ldnull; stind.ref; ret",
                      "L1=& L1->& L4=& L4->& @.*=null");
    expect_references("ldloca.s 0; stloc.1; ldloc.1; ldc.i4.1; brtrue.s x; pop; ret; x: ldnull; stind.ref; ret",
                      "L1=& L1->& @.*=null"); // on one of two paths
}

static void the_variable_s_address_does_not_escape(void **state)
{
    (void)state;
    expect_references("ldloca.s 0; stloc.1; ldloca.s 0; conv.u; pop; ldloc.1; ldnull; stind.ref; ret",
                      "L1=& L1->& @.*=null");
}

static void the_variable_may_hold_objects(void **state)
{
    (void)state;
    expect_references("ldloca.s 2; ldflda $a; ldflda $x; stloc.3; ldloc.3; ldc.i4.5; stind.i4; ret",
                      "L3=& L3->& @.*=5");
}

static void a_redacted_alias_redacts_accesses_through_it(void **state)
{
    (void)state;
    secret_local = 1;
    expect_references("ldloca.s 0; stloc.1; ldloc.1; ldnull; stind.ref; ret",
                      "L1=<redacted> L1-><redacted> L0=<redacted>");
    secret_local = UINT32_MAX;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_through_an_alias_are_those_of_the_variable),
        cmocka_unit_test(an_alias_is_set_once_and_does_not_escape),
        cmocka_unit_test(the_variable_s_address_does_not_escape),
        cmocka_unit_test(the_variable_may_hold_objects),
        cmocka_unit_test(a_redacted_alias_redacts_accesses_through_it),
    };
    return cmocka_run_group_tests(tests, woven_set_up, woven_tear_down);
}
