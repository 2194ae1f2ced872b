// Which names are left out.
#include "base/redact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static bool matches(const char *configuration, const char *name)
{
    struct redaction redaction;
    redaction_parse(&redaction, text_of(configuration));
    bool found = redaction_matches(&redaction, text_of(name));
    redaction_free(&redaction);
    return found;
}

static void test_the_usual_names_are_redacted(void **state)
{
    (void)state;
    assert_true(matches("", "password"));
    assert_true(matches("string-max 5\ninclude [App]*\n", "db-PassWord_2"));
    assert_true(matches("", "Api_Key"));
    assert_true(matches("", "ConnectionStrings:Main"));
    assert_false(matches("", "tokens"));
    assert_false(matches("", "name"));
    assert_false(matches("", ""));
}

static void test_names_of_the_session_replace_the_usual_ones(void **state)
{
    (void)state;
    assert_true(matches("redact p_in*\ninclude [App]*\nredact x\n", "PIN-2"));
    assert_true(matches("redact p_in*\ninclude [App]*\nredact x\n", "x"));
    assert_false(matches("redact p_in*\n", "password"));
    assert_false(matches("redact \n", "password")); // none
    assert_false(matches("redact *\n", ""));
}

static void test_long_names_are_compared_whole(void **state)
{
    (void)state;
    char name[1000] = "";
    memset(name, 'a', sizeof name - 1);
    memcpy(name + sizeof name - 9, "Password", 8);
    assert_true(matches("", name));
    name[sizeof name - 2] = 'a';
    assert_false(matches("", name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_usual_names_are_redacted),
        cmocka_unit_test(test_names_of_the_session_replace_the_usual_ones),
        cmocka_unit_test(test_long_names_are_compared_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
