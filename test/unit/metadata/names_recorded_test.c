// Recordings of agents that stated no flags are shown by the names that they have.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "metadata/names/names_recorded.h"

enum {
    MADE = METHOD_FLAG_GENERATED | METHOD_FLAG_HELPER,
    MAYBE = METHOD_FLAG_HELPER | METHOD_FLAG_UNCERTAIN,
    NEW = METHOD_FLAG_CONSTRUCTOR,
};

static void methods_have_the_flags_of_their_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t flags;
    } known[] = {
        {"", 0},
        {"App.Main(string[])", 0},
        {"App.Cart..ctor(int)", NEW},
        {"App.Cart..cctor()", 0},
        {"App.Run(int) (async)", 0},
        {"App.Run(int) (async).SetStateMachine(IAsyncStateMachine)", MADE},
        {"App.Items(int) (iterator)..ctor(int)", MADE | NEW},
        {"App.Items(int) (async iterator).DisposeAsync()", MADE},
        {"PrivateImplementationDetails.ComputeStringHash(string)", MADE},
        {"App.closure..cctor()", MADE},
        {"App.closure_1_0..ctor()", MADE | NEW},
        {"closure..ctor()", MADE | NEW},
        {"App.disclosure..ctor()", NEW},
        {"App.closure.Run()", 0},
        {"App.Main.lambda#1(int)", 0},
        {"App.shift@29.Invoke(int)", MAYBE},
        {"App.shift@29-1..ctor(int)", MAYBE | NEW},
        {"App.shift@.Invoke(int)", 0},
        {"App.shift@29<a>.Invoke(int)", 0}, // was not found
        {"App.loop@29(int)", 0},            // a local function
        {"App.Run(x@29.y)", 0},
        {"App.x@", 0},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (recorded_method_flags(text_of(known[i].name)) != known[i].flags) {
            fail_msg("%s: %x", known[i].name, recorded_method_flags(text_of(known[i].name)));
        }
    }
}

static void types_have_the_flags_of_their_names(void **state)
{
    (void)state;
    enum {
        CLOSURE = TYPE_FLAG_GENERATED | TYPE_FLAG_CLOSURE,
        MACHINE = TYPE_FLAG_GENERATED | TYPE_FLAG_STATE_MACHINE,
    };
    static const struct {
        const char *name;
        uint32_t flags;
    } known[] = {
        {"", 0},
        {"App.Cart", 0},
        {"App.Cart<App.Item>", 0},
        {"App.Program.<>c", CLOSURE},
        {"App.Program.<>c__DisplayClass0_0<System.Int32>", CLOSURE},
        {"App.Program._Closure$__1-0", CLOSURE},
        {"App.shift@29", CLOSURE},
        {"App.Program.<Run>d__3", MACHINE},
        {"App.Program.VB$StateMachine_3_Run", MACHINE},
        {"<>f__AnonymousType0<System.Int32>", TYPE_FLAG_GENERATED},
        {"<PrivateImplementationDetails>.__StaticArrayInitTypeSize=16", TYPE_FLAG_GENERATED},
        {"VB$AnonymousType_0<System.Int32>", 0},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct type type = {.kind = TYPE_CLASS, .name = text_of(known[i].name)};
        if (recorded_type_flags(&type) != known[i].flags) {
            fail_msg("%s: %x", known[i].name, recorded_type_flags(&type));
        }
    }
    struct type tuple = {.kind = TYPE_STRUCT, .name = text_of("System.ValueTuple<System.Int32, App.T>")};
    assert_int_equal(recorded_type_flags(&tuple), TYPE_FLAG_TUPLE);
    tuple.kind = TYPE_CLASS;
    assert_int_equal(recorded_type_flags(&tuple), 0);
}

static void variables_have_the_role_of_their_names(void **state)
{
    (void)state;
    const struct site self = {.place = PLACE_PARAMETER, .name = text_of("this")};
    const struct site field = {.place = PLACE_FIELD, .name = text_of("Current")};
    const struct site local = {.place = PLACE_LOCAL, .name = text_of("Current")};
    const struct site unnamed = {.place = PLACE_LOCAL};
    assert_int_equal(recorded_role(&self), VARIABLE_THIS);
    assert_int_equal(recorded_role(&field), VARIABLE_CURRENT);
    assert_int_equal(recorded_role(&local), VARIABLE_UNKNOWN);
    assert_int_equal(recorded_role(&unnamed), VARIABLE_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_have_the_flags_of_their_names),
        cmocka_unit_test(types_have_the_flags_of_their_names),
        cmocka_unit_test(variables_have_the_role_of_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
