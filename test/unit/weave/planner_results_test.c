// Objects that a method creates, and the value that it returns.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include "woven.h"

static void each_return_records_its_result(void **state)
{
    (void)state;
    struct given given = {.method = MAKE, .instruments = INSTRUMENT_VALUES, .leaves_result = true}; // the frame is gone
    memcpy(world_field(CLASS_SP, NULL, &(struct bytes){0}), (int32_t[]){1, 2}, 8);
    expect_given(&given, "ldsflda $sp; ldobj $Point; ret", "returns {1,2}");
    static int32_t there;
    given.method = WHERE;
    given.arguments[0] = (intptr_t)&there;
    expect_given(&given, "ldarg.0; ret", "in P0=& returns &");
    // Both paths to the ret pass the probe.
    given.method = ADD;
    given.arguments[0] = 0;
    expect_given(&given, "ldc.i4.7; ldarg.1; brfalse.s r; pop; ldc.i4.8; r: ret", "in P0=0 in P1=null returns 7");
}

static void an_object_is_recorded_where_it_is_created(void **state)
{
    (void)state;
    expect("newobj $C..ctor; pop; ret", "new o1");
    expect("ldc.i4.1; box $E; pop; ret", "new o1");
    expect("ldc.i4.1; newarr $C; pop; ret", "new o1");
    // Where the JIT creates and fills the array as a whole, the event comes behind that.
    expect("ldc.i4.1; newarr $E; dup; ldtoken $f; call $Fill; pop; ret", "new o1");
    // The JIT creates no box for this pattern.
    expect("ldc.i4.1; box $E; brtrue.s a; nop; a: ret", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_return_records_its_result),
        cmocka_unit_test(an_object_is_recorded_where_it_is_created),
    };
    return cmocka_run_group_tests(tests, woven_set_up, woven_tear_down);
}
