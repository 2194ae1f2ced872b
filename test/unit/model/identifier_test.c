// Identifiers that compilers make are shown as what the source has for them; all others as they are.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/identifier.h"

static void identifiers_are_those_of_the_source(void **state)
{
    (void)state;
    static const struct {
        const char *name, *shown, *behind;
    } known[] = {
        {"", "", ""},
        {"Cart", "Cart", ""},
        {"<Count>d__1", "Count", "()"},
        {"<<Run>g__Count|2>d__1", "Run.Count", "()"},
        {"<<Run>g__Count>d__1", "<Run>g__Count", "()"}, // of an older compiler
        {"VB$StateMachine_3_Count", "Count", "()"},
        {"VB$StateMachine_", "StateMachine_", ""},
        {"VB$AnonymousType_0", "AnonymousType_0", ""},
        {"<>f__AnonymousType0", "AnonymousType0", ""},
        {"<>c__DisplayClass0_0", "DisplayClass0_0", ""},
        {"<>c", "<>c", ""},
        {"<<Run>b__0>d", "<Run>b__0", "()"},
        {"<Cart>F0123456789ABCDEF__Helper", "Helper@Cart", ""}, // local to the file Cart.cs
        {"<Cart>F0123_Helper", "<Cart>F0123_Helper", ""},
        {"<Count>down", "<Count>down", ""}, // a name of F#
        {"<Count", "<Count", ""},
        {"<>d__1", "1", ""},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct buffer shown = {0};
        assert_string_equal(identifier_append(&shown, text_of(known[i].name)), known[i].behind);
        buffer_u8(&shown, 0);
        assert_string_equal((const char *)shown.data, known[i].shown);
        buffer_free(&shown);
    }
}

// Deeper ones than any compiler makes are written as they are.
static void hostile_identifiers_do_not_exhaust_the_stack(void **state)
{
    (void)state;
    enum { DEEP = 100000 };
    struct buffer name = {0}, shown = {0};
    for (unsigned i = 0; i < DEEP; i++) {
        buffer_text(&name, "<");
    }
    for (unsigned i = 0; i < DEEP; i++) {
        buffer_text(&name, ">g__a|");
    }
    struct buffer machine = {0};
    buffer_printf(&machine, "<%.*s>d", (int)name.size, (const char *)name.data);
    assert_string_equal(identifier_append(&shown, text_in(&machine)), "()");
    assert_true(shown.size > DEEP && shown.size < machine.size);
    buffer_free(&name);
    buffer_free(&machine);
    buffer_free(&shown);
}

static void brackets_are_matched(void **state)
{
    (void)state;
    assert_int_equal(identifier_close(text_of("<<a>b>c")), 5);
    assert_int_equal(identifier_close(text_of("<<a>b")), 0);
    assert_int_equal(identifier_close(text_of("")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identifiers_are_those_of_the_source),
        cmocka_unit_test(hostile_identifiers_do_not_exhaust_the_stack),
        cmocka_unit_test(brackets_are_matched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
